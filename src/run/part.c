/* What of the traces is looked at. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/iterations.h"
#include "analyze/window.h"
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

static bool find_gpu(struct view_opts *view, const struct trace *t, int64_t index,
                     struct gs_error *err)
{
    for (size_t g = 0; index >= 0 && g < t->gpus.n && view->gpu < 0; g++)
        if (t->gpus.v[g].index == index && t->gpus.v[g].used)
            view->gpu = (int32_t)g;
    if (index < 0 || view->gpu >= 0)
        return true;
    return fail(err, GS_E_USAGE, "no GPU %lld with work in the trace; see 'gpusight info'",
                (long long)index);
}

static bool check_process(const struct trace *t, int64_t pid, struct gs_error *err)
{
    for (size_t i = 0; i < t->processes.n; i++)
        if (t->processes.v[i].pid == pid)
            return true;
    return pid < 0 || fail(err, GS_E_USAGE, "no process %lld in the trace; see 'gpusight info'",
                           (long long)pid);
}

bool run_choose(struct run_call *c)
{
    const struct trace *t = &c->r->trace;
    struct view_opts *view = &c->analysis.view;
    if (!check_process(t, c->o->process, c->err) || !find_gpu(view, t, c->o->gpu, c->err))
        return false;
    if (c->o->window && !window_parse(view, t, c->o->window, c->err))
        return false;
    if (!trace_events(t))
        return fail(c->err, GS_E_EMPTY, "nothing to analyze: '%s' holds no event",
                    t->files.v[0].path);
    view->kernel_wait_ns = c->kernel_wait_ns;
    if (c->chosen && t->processes.n > 1)
        view->only_process = c->chosen->process + 1;
    return true;
}
