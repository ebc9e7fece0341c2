#include "cli/analyze_part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/iterations.h"

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

bool analyze_part(struct analysis *a, struct analysis_opts *o, int64_t phase, const char *iteration,
                  struct gs_error *err)
{
    return (!phase || to_phase(a, o, phase, err)) &&
           (!iteration || to_iterations(a, o, iteration, err));
}
