/* A series of runs: change points, and the fastest. */
#include <math.h>

#include "base/human.h"
#include "compare/history.h"
#include "report/section.h"

static size_t size_of(const struct history *h, uint32_t group)
{
    size_t n = 0;
    for (size_t i = 0; i < h->runs.n; i++)
        n += h->runs.v[i].group == group;
    return n;
}

static void runs(const struct history *h, uint32_t group, struct doc *d)
{
    VEC(struct history_run) rows = {0};
    for (size_t i = 0; i < h->runs.n; i++)
        if (h->runs.v[i].group == group)
            vec_push(&rows, d->arena, h->runs.v[i]);
    doc_rows(d, RESULT(history_fields, rows),
             &(struct rows){.key = arena_printf(d->arena, "runs-%u", group),
                            .caption = "time: the clock on the wall, by the first run",
                            .shown = "label time_ns relative_pct change_pct noise_pct change_point "
                                     "place"});
    for (size_t i = 0; i < rows.n; i++)
        if (rows.v[i].change_point)
            doc_item(d, "%s is %.1f %% %s than the run before: %s", rows.v[i].label,
                     fabs(rows.v[i].change_pct), rows.v[i].verdict,
                     rows.v[i].cause ? rows.v[i].cause : "no single cause");
}

static bool has(const struct subject *s)
{
    return s->history != NULL;
}

static void all(const struct subject *s, struct doc *d)
{
    const struct history *h = s->history;
    size_t found = 0;
    for (size_t i = 0; i < h->runs.n; i++)
        found += h->runs.v[i].change_point;
    doc_callout(d, TONE_INFO, "%zu run%s, %zu change point%s%s", h->runs.n, human_s(h->runs.n),
                found, human_s(found), h->groups > 1 ? ", not all of the same workload" : "");
    runs(h, 1, d);
}

static bool has_leaders(const struct subject *s)
{
    return size_of(s->history, 1) > 1;
}

static void leaders(const struct subject *s, struct doc *d)
{
    const struct history *h = s->history;
    size_t n = size_of(h, 1);
    double best = NAN;
    for (uint32_t place = 1; place <= n && place <= 10; place++)
        for (size_t i = 0; i < h->runs.n; i++) {
            const struct history_run *r = &h->runs.v[i];
            if (r->group != 1 || r->place != place)
                continue;
            best = place == 1 ? (double)r->time_ns : best;
            doc_item(
                d, "%u. %s: %s%s", place, r->label, value_ns(d->arena, r->time_ns),
                place == 1 || !(best > 0)
                    ? ""
                    : arena_printf(d->arena, ", %+.1f %%", 100 * ((double)r->time_ns / best - 1)));
        }
}

static bool has_others(const struct subject *s)
{
    return s->history->groups > 1;
}

static void others(const struct subject *s, struct doc *d)
{
    const struct history *h = s->history;
    for (uint32_t g = 2; g <= h->groups; g++) {
        doc_section(d, arena_printf(d->arena, "workload-%u", g), "Another workload",
                    "Another workload (%zu run%s)", size_of(h, g), human_s(size_of(h, g)));
        for (size_t i = 0; i < h->runs.n; i++)
            if (h->runs.v[i].group == g && h->runs.v[i].apart) {
                doc_text(d, "%s: %s.", h->runs.v[i].label, h->runs.v[i].apart);
                break;
            }
        runs(h, g, d);
    }
}

const struct section section_history_runs = {"runs", "Runs", "Runs", IN(REPORT_HISTORY), has, all};
const struct section section_history_leaders = {"leaders",          "Leader board", "Leader board",
                                                IN(REPORT_HISTORY), has_leaders,    leaders};
const struct section section_history_others = {"others",           "Other workloads", "",
                                               IN(REPORT_HISTORY), has_others,        others};

struct doc *history_report(struct subject *s, const char *sections, struct arena *arena,
                           struct gs_error *err)
{
    return sections_doc(s, REPORT_HISTORY, s->title, sections, arena, err);
}
