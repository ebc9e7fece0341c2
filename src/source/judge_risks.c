/* Risk areas, in words. */
#include <string.h>

#include "base/str.h"
#include "source/source_in.h"

static uint32_t n_of(const struct source_scan *s, enum source_pattern_id id)
{
    return pattern_count(s, id);
}
/* "src/step.cpp:214" of the first fact of a pattern. */
const char *judge_first_place(struct source_scan *s, enum source_pattern_id id)
{
    for (size_t i = 0; i < s->patterns.n; i++) {
        const struct source_pattern *p = &s->patterns.v[i];
        if (p->pattern_id != id || !p->facts.n)
            continue;
        const struct source_fact *f = &s->facts.v[p->facts.v[0]];
        return arena_printf(&s->arena, "%s:%u", s->files.v[f->file].path, f->line);
    }
    return "?";
}

/* "1 blocking copy", "2 blocking copies": what is in the singular, the plural behind '|'. */
const char *judge_counted(struct source_scan *s, uint32_t n, const char *what)
{
    size_t one = strcspn(what, "|");
    return n == 1 ? arena_printf(&s->arena, "1 %.*s", (int)one, what)
                  : arena_printf(&s->arena, "%u %s", n, what + one + 1);
}
static void risk(struct source_scan *s, const char *text)
{
    vec_push(&s->risk_areas, &s->arena, text);
}

static void loop_risk(struct source_scan *s, enum source_pattern_id id, const char *what)
{
    if (n_of(s, id))
        risk(s, arena_printf(&s->arena, "%s inside loops, first at %s",
                             judge_counted(s, n_of(s, id), what), judge_first_place(s, id)));
}

void judge_risks(struct source_scan *s)
{
    uint32_t syncs = n_of(s, PATTERN_DEVICE_SYNC);
    loop_risk(s, PATTERN_LOOP_DEVICE_SYNC,
              "device-wide synchronisation|device-wide synchronisations");
    if (syncs > 5)
        risk(s,
             arena_printf(&s->arena, "%u device-wide synchronisations: the GPU may run dry at each",
                          syncs));
    else if (syncs > n_of(s, PATTERN_LOOP_DEVICE_SYNC))
        risk(s,
             judge_counted(s, syncs, "device-wide synchronisation|device-wide synchronisations"));
    loop_risk(s, PATTERN_LOOP_IMPLICIT_SYNC,
              "value fetched from the GPU|values fetched from the GPU");
    loop_risk(s, PATTERN_LOOP_BLOCKING_MEMCPY, "blocking copy|blocking copies");
    loop_risk(s, PATTERN_LOOP_ALLOCATION, "allocation or free|allocations or frees");
    loop_risk(s, PATTERN_LOOP_STREAM_SYNC, "stream synchronisation|stream synchronisations");
    if (n_of(s, PATTERN_BLOCKING_MEMCPY) && !n_of(s, PATTERN_ASYNC_MEMCPY))
        risk(s, arena_printf(&s->arena,
                             "%s and no asynchronous one: copies and kernels do not overlap",
                             judge_counted(s, n_of(s, PATTERN_BLOCKING_MEMCPY),
                                           "blocking copy|blocking copies")));
    if (n_of(s, PATTERN_MANAGED_MEMORY))
        risk(s, arena_printf(
                    &s->arena, "managed memory (%s): page migration may stall kernels",
                    judge_counted(s, n_of(s, PATTERN_MANAGED_MEMORY), "allocation|allocations")));
    if (n_of(s, PATTERN_NO_STREAMS))
        risk(s, "no stream is created: all GPU work is serialised on the default stream");
    if (!s->marker_count && s->kernels.n)
        risk(s, "no markers: phases of the program will not show in a trace");
    if (!s->risk_areas.n)
        risk(s, "no major static risk found");
}
