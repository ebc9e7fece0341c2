#include <math.h>
#include <string.h>

#include "evaluate/evaluate.h"

static const char *pct(double v, struct arena *a)
{
    return isnan(v) ? "-" : arena_printf(a, "%.1f %%", v);
}

struct sum_row {
    const char *name, *mine, *floor, *doc;
};

#define T struct sum_row
static const struct field sum_list[] = {
    FIELD(T, name, FIELD_TEXT, "measure", NO_UNIT, "what is measured", UNCUT),
    FIELD(T, mine, FIELD_TEXT, "", NO_UNIT, "of what was evaluated", .right = true),
    FIELD(T, floor, FIELD_TEXT, "guessing", NO_UNIT, "of guesses that look at no trace",
          .right = true),
    FIELD(T, doc, FIELD_TEXT, "means", NO_UNIT, "what it says"),
};
#undef T

static void add_sums(struct doc *d, const struct evaluation *e, struct arena *a)
{
    const struct eval_sums *s = &e->sums, *f = &e->floor;
    const struct sum_row rows[] = {
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
    struct sum_row *kept = arena_array(a, struct sum_row, ARRAY_LEN(rows));
    struct field *list = arena_array(a, struct field, ARRAY_LEN(sum_list));
    struct fields *fields = arena_new(a, struct fields);
    memcpy(kept, rows, sizeof(rows));
    memcpy(list, sum_list, sizeof(sum_list));
    list[1].label = e->who;
    *fields = (struct fields){"measures", "", list, ARRAY_LEN(sum_list), sizeof(*kept), NULL};
    doc_rows(d, &(struct result){fields, kept, ARRAY_LEN(rows), false},
             &(struct rows){.caption = "", .empty_too = true});
}

struct run_row {
    const char *trace, *planted, *found_at, *said;
    int64_t repeat;
    uint64_t alarms;
    double error_points, coverage_pct;
};

#define T struct run_row
PART(run_fields, T, FIELD(T, trace, FIELD_TEXT, "trace", NO_UNIT, "its name", UNCUT),
     FIELD(T, repeat, FIELD_I64, "repeat", NO_UNIT, "from 1"),
     FIELD(T, planted, FIELD_TEXT, "planted", NO_UNIT, "what is wrong with it"),
     FIELD(T, found_at, FIELD_TEXT, "found at", NO_UNIT, "place of the claim that found it",
           .right = true),
     FIELD(T, alarms, FIELD_U64, "alarms", NO_UNIT, "claims that are not true"),
     FIELD(T, error_points, FIELD_NUM, "error", NO_UNIT,
           "claimed share less the true one, in percentage points", AS_CHANGE, .decimals = 1),
     FIELD(T, coverage_pct, FIELD_NUM, "coverage", IN_PERCENT, "points of a judge"),
     FIELD(T, said, FIELD_TEXT, "said", NO_UNIT, "that claim, or the first"));
#undef T

static struct run_row run_row(const struct eval_run *r, struct arena *a)
{
    const char *found =
        r->error ? "failed"
        : r->truth->planted
            ? r->rank < 0 ? "missed" : arena_printf(a, "%lld", (long long)r->rank + 1)
        : r->false_alarms ? "alarm"
                          : "quiet";
    return (struct run_row){.trace = r->truth->run_id,
                            .planted = r->truth->expected,
                            .found_at = found,
                            .said = r->error      ? r->error
                                    : r->claims.n ? r->claims.v[r->rank > 0 ? r->rank : 0].title
                                                  : "-",
                            .repeat = r->repeat + 1,
                            .alarms = r->false_alarms,
                            .error_points = r->error_points,
                            .coverage_pct = r->coverage_pct};
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
    VEC(struct run_row) rows = {0};
    for (size_t i = 0; i < e->runs.n; i++)
        vec_push(&rows, a, run_row(e->runs.v[i], a));
    doc_rows(d, RESULT(run_fields, rows),
             &(struct rows){.key = "runs",
                            .caption = "",
                            .shown = e->repeats > 1 ? NULL
                                                    : "trace planted found_at alarms error_points "
                                                      "coverage_pct said",
                            .empty_too = true});
    return d;
}
