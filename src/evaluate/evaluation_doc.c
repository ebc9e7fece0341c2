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
    bool healthy = str_eq(r->truth->expected, "none");
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

/* ---- JSON: PerfAdvisor's document, with ours added ---- */

static void sums_json(struct jwrite *w, const char *key, const struct eval_sums *s)
{
    jw_open(w, key, '{');
    jw_uint(w, "runs", s->runs);
    jw_uint(w, "scored", s->scored);
    jw_uint(w, "healthy", s->healthy);
    jw_uint(w, "failed", s->failed);
    jw_num(w, "detection_at_1_pct", s->detection_at_1_pct);
    jw_num(w, "detection_at_3_pct", s->detection_at_3_pct);
    jw_num(w, "detection_at_1_sd_pct", s->detection_sd_pct);
    jw_num(w, "mean_reciprocal_rank", s->mrr);
    jw_uint(w, "false_positive_count", s->false_alarms);
    jw_num(w, "false_positive_pct", s->false_alarm_pct);
    jw_uint(w, "healthy_false_positive_count", s->healthy_alarms);
    jw_uint(w, "secondary_true_count", s->secondary);
    jw_num(w, "coverage_pct", s->coverage_pct);
    jw_num(w, "claimed_time_error_points", s->error_points);
    jw_close(w);
}

static void claim_json(struct jwrite *w, const struct eval_claim *c)
{
    const struct hypothesis *h = &c->hypothesis;
    jw_open(w, NULL, '{');
    jw_str(w, "bottleneck_type", c->type);
    jw_str(w, "rule", c->rule);
    jw_str(w, "title", c->title);
    jw_str(w, "priority", c->minor ? "LOW" : NULL);
    jw_str(w, "phase", h->phase);
    jw_str(w, "description", h->description ? h->description : c->text);
    jw_str(w, "evidence", h->evidence);
    jw_str(w, "suggestion", h->suggestion);
    jw_num(w, "runtime_fraction_pct", c->share_pct);
    jw_close(w);
}

static void scores_json(struct jwrite *w, const struct eval_run *r)
{
    jw_open(w, "suggestion_scores", '[');
    for (size_t i = 0; i < r->scores.n; i++) {
        jw_open(w, NULL, '{');
        jw_str(w, "suggestion", i < r->truth->suggestions.n ? r->truth->suggestions.v[i] : NULL);
        jw_int(w, "score", r->scores.v[i].score);
        jw_str(w, "explanation", r->scores.v[i].explanation);
        jw_close(w);
    }
    jw_close(w);
}

static void run_json(struct jwrite *w, const struct eval_run *r)
{
    const struct eval_truth *t = r->truth;
    jw_open(w, NULL, '{');
    jw_str(w, "run_id", t->run_id);
    jw_str(w, "scenario", t->scenario);
    jw_str(w, "expected_bottleneck", t->expected);
    jw_open(w, "sqlite_paths", '[');
    for (size_t i = 0; i < t->paths.n; i++)
        jw_str(w, NULL, t->paths.v[i]);
    jw_close(w);
    jw_open(w, "hypotheses", '[');
    for (size_t i = 0; i < r->claims.n; i++)
        claim_json(w, &r->claims.v[i]);
    jw_close(w);
    jw_bool(w, "bottleneck_detected", r->rank >= 0);
    jw_str(w, "match_type",
           r->rank < 0                 ? NULL
           : r->claims.v[r->rank].rule ? "rule"
                                       : "enum+keyword");
    if (r->rank >= 0)
        jw_int(w, "matched_hypothesis_idx", r->rank);
    else
        jw_null(w, "matched_hypothesis_idx");
    scores_json(w, r);
    jw_num(w, "coverage_pct", r->coverage_pct);
    jw_uint(w, "false_positive_count", r->false_alarms);
    jw_uint(w, "secondary_true_count", r->secondary);
    jw_num(w, "true_share_pct", t->share_pct);
    jw_num(w, "claimed_time_error_points", r->error_points);
    jw_num(w, "elapsed_s", r->elapsed_s);
    jw_int(w, "input_tokens", r->input_tokens);
    jw_int(w, "output_tokens", r->output_tokens);
    jw_int(w, "cache_creation_tokens", r->cache_write_tokens);
    jw_int(w, "cache_read_tokens", r->cache_read_tokens);
    jw_int(w, "repeat", r->repeat);
    jw_bool(w, "is_optimal_path", str_eq(t->expected, "none"));
    jw_str(w, "error", r->error);
    jw_close(w);
}

/* How often each trace was right at first: the same every time, or by chance. */
static void stability_json(struct jwrite *w, const struct evaluation *e)
{
    jw_open(w, "stability", '[');
    for (size_t i = 0; i < e->truths.n; i++) {
        const struct eval_truth *t = &e->truths.v[i];
        uint64_t runs = 0, first = 0;
        for (size_t k = 0; k < e->runs.n; k++)
            if (e->runs.v[k]->truth == t && !e->runs.v[k]->error)
                runs++, first += e->runs.v[k]->rank == 0;
        jw_open(w, NULL, '{');
        jw_str(w, "run_id", t->run_id);
        jw_uint(w, "repeats", runs);
        jw_uint(w, "detected_at_1", first);
        jw_close(w);
    }
    jw_close(w);
}

void evaluation_json(const struct evaluation *e, struct jwrite *w)
{
    jw_open(w, NULL, '{');
    jw_open(w, "metadata", '{');
    jw_str(w, "model", e->who);
    jw_str(w, "judge_model", e->judge);
    jw_str(w, "profiles_dir", e->folder);
    jw_str(w, "ground_truth_dir", e->truth_folder);
    jw_int(w, "repeats", e->repeats);
    jw_close(w);
    sums_json(w, "summary", &e->sums);
    sums_json(w, "floor", &e->floor);
    jw_open(w, "detection_at_1_pct_by_repeat", '[');
    for (size_t i = 0; i < e->by_repeat.n; i++)
        jw_num(w, NULL, e->by_repeat.v[i]);
    jw_close(w);
    stability_json(w, e);
    jw_open(w, "runs", '[');
    for (size_t i = 0; i < e->runs.n; i++)
        run_json(w, e->runs.v[i]);
    jw_close(w);
    jw_close(w);
}
