#include "report/history_doc.h"

#include <math.h>

#include "base/human.h"

static const char *pct(struct arena *a, double v, const char *otherwise)
{
    return isnan(v) ? otherwise : arena_printf(a, "%+.1f %%", v);
}

static void table(struct doc *d, const struct history *h, uint32_t group)
{
    struct block *t =
        doc_table(d, "time: the clock on the wall, by the first run; '*' marks a change point");
    doc_column(t, "", COLUMN_KEEP);
    doc_column(t, "run", COLUMN_TEXT);
    doc_column(t, "time", COLUMN_NUMBER);
    doc_column(t, "of first", COLUMN_NUMBER);
    doc_column(t, "change", COLUMN_NUMBER);
    doc_column(t, "noise", COLUMN_NUMBER);
    doc_column(t, "place", COLUMN_NUMBER);
    for (size_t i = 0; i < h->runs.n; i++) {
        const struct history_run *r = &h->runs.v[i];
        char time[HUMAN_MAX];
        if (r->group != group)
            continue;
        doc_cell(t, "%s", r->change_point ? "*" : "");
        doc_cell(t, "%s", r->label);
        doc_cell(t, "%s", human_time(time, r->time_ns));
        doc_cell(t, "%.1f %%", r->relative_pct);
        doc_cell(t, "%s", pct(d->arena, r->change_pct, "-"));
        doc_cell(t, "%s",
                 isnan(r->noise_pct) ? "-" : arena_printf(d->arena, "%.1f %%", r->noise_pct));
        doc_cell(t, "%u", r->place);
    }
}

static void points(struct doc *d, const struct history *h, uint32_t group)
{
    for (size_t i = 0; i < h->runs.n; i++) {
        const struct history_run *r = &h->runs.v[i];
        if (r->group == group && r->change_point)
            doc_item(d, "%s is %.1f %% %s than the run before: %s", r->label, fabs(r->change_pct),
                     r->verdict, r->cause ? r->cause : "no single cause");
    }
}

static size_t size_of(const struct history *h, uint32_t group)
{
    size_t n = 0;
    for (size_t i = 0; i < h->runs.n; i++)
        n += h->runs.v[i].group == group;
    return n;
}

static void leaders(struct doc *d, const struct history *h)
{
    size_t n = size_of(h, 1);
    double best = NAN;
    if (n < 2)
        return;
    doc_heading(d, 2, "Leader board");
    for (uint32_t place = 1; place <= n && place <= 10; place++)
        for (size_t i = 0; i < h->runs.n; i++) {
            const struct history_run *r = &h->runs.v[i];
            char time[HUMAN_MAX];
            if (r->group != 1 || r->place != place)
                continue;
            best = place == 1 ? (double)r->time_ns : best;
            doc_item(
                d, "%u. %s: %s%s", place, r->label, human_time(time, r->time_ns),
                place == 1 || !(best > 0)
                    ? ""
                    : arena_printf(d->arena, ", %+.1f %%", 100 * ((double)r->time_ns / best - 1)));
        }
}

struct doc *history_doc(const struct history *h, const char *title, struct arena *arena)
{
    struct doc *d = doc_new(arena);
    size_t found = 0;
    for (size_t i = 0; i < h->runs.n; i++)
        found += h->runs.v[i].change_point;
    doc_heading(d, 1, "%s", title);
    doc_callout(d, TONE_INFO, "%zu runs, %zu change point%s%s", h->runs.n, found,
                found == 1 ? "" : "s", h->groups > 1 ? ", not all of the same workload" : "");
    table(d, h, 1);
    points(d, h, 1);
    leaders(d, h);
    for (uint32_t g = 2; g <= h->groups; g++) {
        doc_heading(d, 2, "Another workload (%zu run%s)", size_of(h, g),
                    size_of(h, g) == 1 ? "" : "s");
        for (size_t i = 0; i < h->runs.n; i++)
            if (h->runs.v[i].group == g && h->runs.v[i].apart) {
                doc_text(d, "%s: %s.", h->runs.v[i].label, h->runs.v[i].apart);
                break;
            }
        table(d, h, g);
        points(d, h, g);
    }
    return d;
}
