#include <math.h>

#include "evaluate/evaluate.h"

static const char *pct(double v, struct arena *a)
{
    return isnan(v) ? "-" : arena_printf(a, "%.1f %%", v);
}

static void add_sums(struct doc *d, const struct evaluation *e, struct arena *a)
{
    const struct eval_sums *s = &e->sums, *f = &e->floor;
    struct block *t = doc_table(d, NULL);
    doc_column(t, "measure", COLUMN_KEEP);
    doc_column(t, e->who, COLUMN_NUMBER);
    doc_column(t, "guessing", COLUMN_NUMBER);
    doc_column(t, "means", COLUMN_TEXT);
    const struct {
        const char *name, *mine, *floor, *doc;
    } rows[] = {
        {"detection@1",
         isnan(s->detection_sd_pct)
             ? pct(s->detection_at_1_pct, a)
             : arena_printf(a, "%s \xc2\xb1 %.1f", pct(s->detection_at_1_pct, a),
                            s->detection_sd_pct),
         pct(f->detection_at_1_pct, a), "what is wrong is the first thing said"},
        {"detection@3", pct(s->detection_at_3_pct, a), pct(f->detection_at_3_pct, a),
         "... is among the first three"},
        {"mean reciprocal rank", isnan(s->mrr) ? "-" : arena_printf(a, "%.3f", s->mrr),
         isnan(f->mrr) ? "-" : arena_printf(a, "%.3f", f->mrr), "1 where it is first, 1/2 second"},
        {"false alarms", arena_printf(a, "%llu", (unsigned long long)s->false_alarms),
         arena_printf(a, "%llu", (unsigned long long)f->false_alarms),
         "claims that are neither planted nor true besides"},
        {"of all claims", pct(s->false_alarm_pct, a), pct(f->false_alarm_pct, a), "their share"},
        {"on healthy traces", arena_printf(a, "%llu", (unsigned long long)s->healthy_alarms),
         arena_printf(a, "%llu", (unsigned long long)f->healthy_alarms),
         "alarms where nothing is wrong"},
        {"coverage", pct(s->coverage_pct, a), pct(f->coverage_pct, a),
         "points of a judge for the advice, of those possible"},
        {"error of claimed time",
         isnan(s->error_points) ? "-" : arena_printf(a, "%.1f points", s->error_points),
         isnan(f->error_points) ? "-" : arena_printf(a, "%.1f points", f->error_points),
         "mean difference from the true share of the GPU time"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        doc_cell(t, "%s", rows[i].name);
        doc_cell(t, "%s", rows[i].mine);
        doc_cell(t, "%s", rows[i].floor);
        doc_cell(t, "%s", rows[i].doc);
    }
}

static void add_run(struct block *t, const struct evaluation *e, const struct eval_run *r,
                    struct arena *a)
{
    bool healthy = eval_is_healthy(r->truth);
    doc_cell(t, "%s", r->truth->run_id);
    if (e->repeats > 1)
        doc_cell(t, "%lld", (long long)r->repeat + 1);
    doc_cell(t, "%s", r->truth->expected);
    doc_cell(t, "%s",
             r->error      ? "failed"
             : healthy     ? r->false_alarms ? "alarm" : "quiet"
             : r->rank < 0 ? "missed"
                           : arena_printf(a, "%lld", (long long)r->rank + 1));
    doc_cell(t, "%llu", (unsigned long long)r->false_alarms);
    doc_cell(t, "%s", isnan(r->error_points) ? "-" : arena_printf(a, "%+.1f", r->error_points));
    doc_cell(t, "%s", pct(r->coverage_pct, a));
    doc_cell(t, "%s",
             r->error      ? r->error
             : r->claims.n ? r->claims.v[r->rank > 0 ? r->rank : 0].title
                           : "-");
}

struct doc *evaluation_doc(const struct evaluation *e, struct arena *a)
{
    struct doc *d = doc_new(a);
    const struct eval_sums *s = &e->sums;
    doc_title(d, "Evaluation of %s", e->who);
    doc_about(d, "traces", "%s", e->folder ? e->folder : "-");
    if (e->judge)
        doc_about(d, "judge", "%s", e->judge);
    doc_text(d, "%llu runs, %llu with something planted, %llu healthy, %llu failed.",
             (unsigned long long)s->runs, (unsigned long long)s->scored,
             (unsigned long long)s->healthy, (unsigned long long)s->failed);
    add_sums(d, e, a);
    doc_section(d, "runs", "Runs", "Runs");
    struct block *t = doc_table(d, NULL);
    doc_column(t, "trace", COLUMN_KEEP);
    if (e->repeats > 1)
        doc_column(t, "repeat", COLUMN_NUMBER);
    doc_column(t, "planted", COLUMN_TEXT);
    doc_column(t, "found at", COLUMN_NUMBER);
    doc_column(t, "alarms", COLUMN_NUMBER);
    doc_column(t, "error", COLUMN_NUMBER);
    doc_column(t, "coverage", COLUMN_NUMBER);
    doc_column(t, "said", COLUMN_TEXT);
    for (size_t i = 0; i < e->runs.n; i++)
        add_run(t, e, e->runs.v[i], a);
    return d;
}
