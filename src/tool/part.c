/* A part of a run: a slice of its view, with only the analyses that the tool shows. */
#include <inttypes.h>

#include "analyze/window.h"
#include "tool/ask.h"

static bool of_phase(const struct tool_ask *ask, struct view_opts *v, struct gs_error *err)
{
    const struct analysis *a = ask->run->analysis;
    uint64_t phase = ask->args.phase;
    if (phase > a->phases.n)
        return fail(err, GS_E_USAGE, "no phase %" PRIu64 "; the run has %zu", phase, a->phases.n);
    v->start_ns = a->phases.v[phase - 1].start_ns;
    v->end_ns = a->phases.v[phase - 1].end_ns;
    return true;
}

static bool bounds(const struct tool_ask *ask, struct view_opts *v, struct gs_error *err)
{
    const struct tool_args *o = &ask->args;
    const struct view *whole = &ask->run->analysis->view;
    v->start_ns = whole->start_ns;
    v->end_ns = whole->end_ns;
    if ((o->window != NULL) + o->has_phase + (o->has_start || o->has_end) > 1)
        return fail(err, GS_E_USAGE, "give one of 'window', 'phase', and 'start_ns' with 'end_ns'");
    if (o->window && !window_parse(v, &ask->run->trace, o->window, err))
        return false;
    if (o->has_phase && !of_phase(ask, v, err))
        return false;
    if (o->has_start)
        v->start_ns = o->start_ns;
    if (o->has_end)
        v->end_ns = o->end_ns;
    if (v->start_ns < v->end_ns && v->start_ns < whole->end_ns && v->end_ns > whole->start_ns)
        return true;
    return fail(err, GS_E_USAGE,
                "nothing lies between %" PRId64 " and %" PRId64 "; the run lasts from %" PRId64
                " to %" PRId64,
                v->start_ns, v->end_ns, whole->start_ns, whole->end_ns);
}

const struct analysis *tool_part(struct tool_ask *ask, struct gs_error *err)
{
    const struct analysis *whole = ask->run->analysis;
    struct view_opts v = {.gpu = -1, .process = -1};
    if (!ask->tool->kinds)
        return whole;
    if (!bounds(ask, &v, err))
        return NULL;
    v.start_ns = v.start_ns > whole->view.start_ns ? v.start_ns : whole->view.start_ns;
    v.end_ns = v.end_ns < whole->view.end_ns ? v.end_ns : whole->view.end_ns;
    if (v.start_ns == whole->view.start_ns && v.end_ns == whole->view.end_ns)
        return whole;
    struct analysis *part = arena_new(ask->arena, struct analysis);
    *part = (struct analysis){.trace = whole->trace,
                              .arena = ask->arena,
                              .opts = whole->opts,
                              .quality = whole->quality,
                              .capabilities = whole->capabilities,
                              .hardware = whole->hardware};
    view_slice(&part->view, &whole->view, v.start_ns, v.end_ns, ask->arena);
    ledger_make(&part->ledger, &part->view, false, ask->arena);
    for (size_t i = 0; ask->tool->kinds[i]; i++)
        ask->tool->kinds[i]->run(part, part->arena);
    return part;
}
