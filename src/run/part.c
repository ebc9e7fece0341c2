/* What of the traces is looked at. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/iterations.h"
#include "base/log.h"
#include "run/filter_in.h"
#include "run/run_in.h"

static void analyze_window(struct analysis *a, struct analysis_opts *o, int64_t start, int64_t end)
{
    const struct trace *t = a->trace;
    o->view.has_window = true;
    o->view.start_ns = start;
    o->view.end_ns = end;
    analysis_run(a, t, o, a->arena);
}

static bool to_phase(struct analysis *a, struct analysis_opts *o, int64_t phase,
                     struct gs_error *err)
{
    if ((size_t)phase > a->phases.n)
        return fail(err, GS_E_USAGE, "no phase %lld; the run has %zu", (long long)phase,
                    a->phases.n);
    const struct phase_row *p = &a->phases.v[phase - 1];
    analyze_window(a, o, p->start_ns, p->end_ns);
    return true;
}

static const char *read_number(const char *s, uint64_t *out)
{
    char *end;
    if (*s < '0' || *s > '9')
        return NULL;
    errno = 0;
    *out = strtoull(s, &end, 10);
    return errno || !*out ? NULL : end;
}

static bool parse_range(const char *text, uint64_t *first, uint64_t *last)
{
    const char *rest = read_number(text, first);
    *last = *first;
    if (rest && !strncmp(rest, "..", 2))
        rest = read_number(rest + 2, last);
    return rest && !*rest && *first <= *last;
}

static bool to_iterations(struct analysis *a, struct analysis_opts *o, const char *text,
                          struct gs_error *err)
{
    uint64_t first = 0, last = 0;
    struct span s = {0};
    if (!parse_range(text, &first, &last))
        return fail(err, GS_E_USAGE,
                    "option '--iteration' must be a number from 1 or A..B, not '%s'", text);
    uint64_t n = iterations_span(&s, &a->view, first, last, a->arena);
    if (!n)
        return fail(err, GS_E_USAGE,
                    "no iterations found in this run; use '--window' or '--phase'");
    if (last > n)
        return fail(err, GS_E_USAGE, "no iteration %" PRIu64 "; the run has %" PRIu64, last, n);
    analyze_window(a, o, s.start, s.end);
    return true;
}

bool run_narrow(struct run_call *c)
{
    struct analysis *a = c->r->analysis;
    return (!c->o->phase || to_phase(a, &c->analysis, c->o->phase, c->err)) &&
           (!c->o->iteration || to_iterations(a, &c->analysis, c->o->iteration, c->err));
}

/* ---- before the analysis ---- */

/* "2" or "node7:2"; a name of a host may hold colons, too. */
static bool parse_gpu(const char *text, const char **number, size_t *host, struct gs_error *err)
{
    const char *colon = strrchr(text, ':');
    *number = colon ? colon + 1 : text;
    *host = colon ? (size_t)(colon - text) : 0;
    size_t digits = strspn(*number, "0123456789");
    return (digits && digits < 8 && !(*number)[digits]) ||
           fail(err, GS_E_USAGE, "option '--gpu' must be a number or HOST:NUMBER, not '%s'", text);
}

static bool is_host(const struct trace *t, const struct gpu *g, const char *name, size_t n)
{
    const char *host = trace_str(t, g->host);
    return !n || (strlen(host) == n && !memcmp(host, name, n));
}

/* Hosts number their GPUs alike: a number alone must mean one of them. */
bool run_find_gpu(int32_t *gpu, const struct trace *t, const char *text, struct gs_error *err)
{
    const char *number;
    size_t host, same = 0;
    const struct gpu *found = NULL;
    if (!text)
        return true;
    if (!parse_gpu(text, &number, &host, err))
        return false;
    for (size_t i = 0; i < t->gpus.n; i++) {
        const struct gpu *g = &t->gpus.v[i];
        if (!g->used || g->index != atoi(number) || !is_host(t, g, text, host))
            continue;
        if (found && g->host != found->host)
            return fail(err, GS_E_USAGE,
                        "GPU %s is in several hosts, '%s' and '%s' among them; write HOST:%s",
                        number, trace_str(t, found->host), trace_str(t, g->host), number);
        same++;
        if (!found)
            *gpu = (int32_t)i;
        found = found ? found : g;
    }
    if (same > 1)
        log_warn("%zu GPUs of '%s' have the number %s: the first is taken", same,
                 trace_str(t, found->host), number);
    return found ||
           fail(err, GS_E_USAGE, "no GPU %s with work in the trace; see 'gpusight info'", text);
}

static bool check_process(const struct trace *t, int64_t pid, struct gs_error *err)
{
    for (size_t i = 0; i < t->processes.n; i++)
        if (t->processes.v[i].pid == pid)
            return true;
    return pid < 0 || fail(err, GS_E_USAGE, "no process %lld in the trace; see 'gpusight info'",
                           (long long)pid);
}

/* Where files are no job, nobody has looked for it yet. */
static bool find_rank(struct view_opts *view, const struct trace *t, int64_t rank,
                      struct gs_error *err)
{
    for (size_t i = 0; i < t->processes.n && !view->only_process; i++)
        if (t->processes.v[i].rank == rank)
            view->only_process = (uint32_t)i + 1;
    return view->only_process ||
           fail(err, GS_E_USAGE, "no rank %lld in the traces; see 'gpusight info'",
                (long long)rank);
}

bool run_choose(struct run_call *c)
{
    const struct trace *t = &c->r->trace;
    struct view_opts *view = &c->analysis.view;
    if (!check_process(t, c->o->process, c->err) || !run_find_gpu(&view->gpu, t, c->o->gpu, c->err))
        return false;
    view->kernel_wait_ns = c->kernel_wait_ns;
    if (!filter_window(view, t, c->o, c->err) ||
        !filter_for_view(&c->r->trace, c->o, view, &c->r->only, c->r->arena, c->err))
        return false;
    if (!trace_events(t))
        return fail(c->err, GS_E_EMPTY, "nothing to analyze: '%s' holds no event",
                    t->files.v[0].path);
    if (c->o->apart && c->o->rank >= 0 && !find_rank(view, t, c->o->rank, c->err))
        return false;
    if (c->chosen && t->processes.n > 1)
        view->only_process = c->chosen->process + 1;
    return true;
}
