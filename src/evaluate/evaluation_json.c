/*
 * PerfAdvisor's document of an evaluation, with ours added: its keys and its meanings.
 */
#include <string.h>

#include "evaluate/evaluate.h"
#include "field/field.h"

struct claim_row {
    const struct eval_claim *c;
    const char *priority, *description;
};

struct score_row {
    const char *suggestion, *explanation;
    int64_t score;
};

struct run_row {
    const struct eval_run *r;
    const struct eval_truth *truth;
    const char *match_type;
    bool detected, healthy;
    VEC(struct claim_row) claims;
    VEC(struct score_row) scores;
};

/* How often a trace was right at first: the same every time, or by chance. */
struct stability_row {
    const char *run_id;
    uint64_t repeats, detected;
};

struct evaluation_document {
    const struct evaluation *e;
    struct metadata {
        const struct evaluation *e;
        const char *provider, *judge_provider;
    } metadata;
    VEC(struct stability_row) stability;
    VEC(struct run_row) runs;
};

#define T struct eval_sums
PART(sums_fields, T, ALWAYS(T, runs, FIELD_U64, "runs", "that were made"),
     ALWAYS(T, scored, FIELD_U64, "scored", "with something to find"),
     ALWAYS(T, healthy, FIELD_U64, "healthy", "with nothing to find"),
     ALWAYS(T, failed, FIELD_U64, "failed", "without an answer"),
     OR_NULL(T, detection_at_1_pct, FIELD_NUM, "detection_at_1_pct",
             "of scored runs: what is wrong is claimed first"),
     OR_NULL(T, detection_at_3_pct, FIELD_NUM, "detection_at_3_pct",
             "... among the first three claims"),
     OR_NULL(T, detection_sd_pct, FIELD_NUM, "detection_at_1_sd_pct",
             "standard deviation over repeats; null: there is one"),
     OR_NULL(T, mrr, FIELD_NUM, "mean_reciprocal_rank", "mean of 1 / place; 0 where it was missed"),
     ALWAYS(T, false_alarms, FIELD_U64, "false_positive_count",
            "claims that are neither planted nor true besides"),
     OR_NULL(T, false_alarm_pct, FIELD_NUM, "false_positive_pct",
             "of all claims that are not minor"),
     ALWAYS(T, healthy_alarms, FIELD_U64, "healthy_false_positive_count",
            "of them on healthy traces"),
     ALWAYS(T, secondary, FIELD_U64, "secondary_true_count", "claims that are true besides"),
     OR_NULL(T, coverage_pct, FIELD_NUM, "coverage_pct",
             "points of a judge, of those possible; null: nothing was judged"),
     OR_NULL(T, error_points, FIELD_NUM, "claimed_time_error_points",
             "mean distance of claimed shares from true ones, in percentage points"));
#undef T

#define T struct eval_claim
PART(claim_names, T, ALWAYS(T, type, FIELD_TEXT, "bottleneck_type", "PerfAdvisor's word"),
     OR_NULL(T, rule, FIELD_TEXT, "rule", "of findings"),
     ALWAYS(T, title, FIELD_TEXT, "title", "in a few words"));
PART(claim_texts, T, OR_NULL(T, hypothesis.evidence, FIELD_TEXT, "evidence", "as it was given"),
     OR_NULL(T, hypothesis.suggestion, FIELD_TEXT, "suggestion", "what to do"),
     OR_NULL(T, share_pct, FIELD_NUM, "runtime_fraction_pct", "share of the time that is claimed"));
PART(claim_phase, T, OR_NULL(T, hypothesis.phase, FIELD_TEXT, "phase", "that it is about"));
#undef T
#define T struct claim_row
PART(claim_fields, T, SPREAD(T, c, FIELD_REF, &claim_names),
     OR_NULL(T, priority, FIELD_TEXT, "priority", "LOW: it says itself that it hardly matters",
             .words = WORDS("LOW")),
     SPREAD(T, c, FIELD_REF, &claim_phase),
     OR_NULL(T, description, FIELD_TEXT, "description", "what is wrong"),
     SPREAD(T, c, FIELD_REF, &claim_texts));
#undef T

#define T struct score_row
PART(score_fields, T, OR_NULL(T, suggestion, FIELD_TEXT, "suggestion", "of the truth"),
     ALWAYS(T, score, FIELD_I64, "score",
            "of a judge: 2 given, 1 in part, 0 not; -1: its answer made no sense", .least = "-1"),
     OR_NULL(T, explanation, FIELD_TEXT, "explanation", "of the judge"));
#undef T

#define T struct eval_truth
PART(truth_names, T, ALWAYS(T, run_id, FIELD_TEXT, "run_id", "name of the trace"),
     OR_NULL(T, scenario, FIELD_TEXT, "scenario", "that it was made with"),
     ALWAYS(T, expected, FIELD_TEXT, "expected_bottleneck", "what is wrong; none: nothing"),
     ALWAYS(T, paths, FIELD_LIST, "sqlite_paths", "its files", .of = &field_texts));
PART(truth_share, T,
     OR_NULL(T, share_pct, FIELD_NUM, "true_share_pct", "of the GPU time that it costs"));
#undef T
#define T struct eval_run
PART(run_place, T,
     OR_NULL(T, rank, FIELD_I64, "matched_hypothesis_idx",
             "place of the claim that found it, from 0"));
PART(run_counts, T, OR_NULL(T, coverage_pct, FIELD_NUM, "coverage_pct", "points of the judge"),
     ALWAYS(T, false_alarms, FIELD_U64, "false_positive_count", "claims that are not true"),
     ALWAYS(T, secondary, FIELD_U64, "secondary_true_count", "claims that are true besides"));
PART(run_costs, T,
     OR_NULL(T, error_points, FIELD_NUM, "claimed_time_error_points",
             "claimed share less the true one"),
     OR_NULL(T, elapsed_s, FIELD_NUM, "elapsed_s", "time that the answer took"),
     ALWAYS(T, input_tokens, FIELD_I64, "input_tokens", "of a model"),
     ALWAYS(T, output_tokens, FIELD_I64, "output_tokens", "of a model"),
     ALWAYS(T, cache_write_tokens, FIELD_I64, "cache_creation_tokens", "put into its cache"),
     ALWAYS(T, cache_read_tokens, FIELD_I64, "cache_read_tokens", "taken from its cache"),
     ALWAYS(T, repeat, FIELD_I64, "repeat", "from 0"));
PART(run_error, T, OR_NULL(T, error, FIELD_TEXT, "error", "why there is no answer"));
#undef T
#define T struct run_row
PART(run_fields, T, SPREAD(T, truth, FIELD_REF, &truth_names),
     ALWAYS(T, claims, FIELD_LIST, "hypotheses", "findings or hypotheses, first to last",
            .of = &claim_fields),
     ALWAYS(T, detected, FIELD_BOOL, "bottleneck_detected", "one of them is what is wrong"),
     OR_NULL(T, match_type, FIELD_TEXT, "match_type", "how that is known",
             .words = WORDS("rule", "enum+keyword")),
     SPREAD(T, r, FIELD_REF, &run_place),
     ALWAYS(T, scores, FIELD_LIST, "suggestion_scores", "of a judge", .of = &score_fields),
     SPREAD(T, r, FIELD_REF, &run_counts), SPREAD(T, truth, FIELD_REF, &truth_share),
     SPREAD(T, r, FIELD_REF, &run_costs),
     ALWAYS(T, healthy, FIELD_BOOL, "is_optimal_path", "nothing is wrong with it"),
     SPREAD(T, r, FIELD_REF, &run_error));
#undef T

#define T struct stability_row
PART(stability_fields, T, ALWAYS(T, run_id, FIELD_TEXT, "run_id", "name of the trace"),
     ALWAYS(T, repeats, FIELD_U64, "repeats", "that have an answer"),
     ALWAYS(T, detected, FIELD_U64, "detected_at_1", "of them right at first"));
#undef T

struct repeat_pct {
    double pct;
};
static const struct field repeat_list[] = {
    {.type = FIELD_NUM, .null = NULL_MAYBE, .doc = "detection@1 of a repeat"}};
static const struct fields repeat_fields = FIELDS("", "", struct repeat_pct, repeat_list);

#define T struct evaluation
PART(metadata_who, T, ALWAYS(T, who, FIELD_TEXT, "model", "that was evaluated, or 'rules'"));
PART(metadata_judge, T, OR_NULL(T, judge, FIELD_TEXT, "judge_model", "that graded the advice"));
PART(metadata_rest, T, OR_NULL(T, folder, FIELD_TEXT, "profiles_dir", "where the traces are"),
     OR_NULL(T, truth_folder, FIELD_TEXT, "ground_truth_dir", "where the truth is"),
     ALWAYS(T, repeats, FIELD_I64, "repeats", "of each trace"));
PART(evaluation_sums, T,
     ALWAYS(T, sums, FIELD_OBJECT, "summary", "measures of all runs", .of = &sums_fields),
     ALWAYS(T, floor, FIELD_OBJECT, "floor", "the same of guesses that look at no trace",
            .of = &sums_fields),
     ALWAYS(T, by_repeat, FIELD_LIST, "detection_at_1_pct_by_repeat", "in order",
            .of = &repeat_fields));
#undef T
#define T struct metadata
PART(metadata_fields, T, SPREAD(T, e, FIELD_REF, &metadata_who),
     OR_NULL(T, provider, FIELD_TEXT, "provider", "of the model"),
     SPREAD(T, e, FIELD_REF, &metadata_judge),
     OR_NULL(T, judge_provider, FIELD_TEXT, "judge_provider", "of the judge"),
     SPREAD(T, e, FIELD_REF, &metadata_rest));
#undef T
#define T struct evaluation_document
PART(document_fields, T,
     ALWAYS(T, metadata, FIELD_OBJECT, "metadata", "what was evaluated", .of = &metadata_fields),
     SPREAD(T, e, FIELD_REF, &evaluation_sums),
     ALWAYS(T, stability, FIELD_LIST, "stability", "how often each trace was right at first",
            .of = &stability_fields),
     ALWAYS(T, runs, FIELD_LIST, "runs", "each trace and repeat", .of = &run_fields));
#undef T

static void make_run(struct run_row *row, const struct eval_run *r, struct arena *a)
{
    *row = (struct run_row){.r = r, .truth = r->truth, .detected = r->rank >= 0};
    row->healthy = !r->truth->planted;
    if (r->rank >= 0)
        row->match_type = r->claims.v[r->rank].rule ? "rule" : "enum+keyword";
    for (size_t i = 0; i < r->claims.n; i++) {
        const struct eval_claim *c = &r->claims.v[i];
        const char *said = c->hypothesis.description;
        struct claim_row one = {c, c->minor ? "LOW" : NULL, said ? said : c->text};
        vec_push(&row->claims, a, one);
    }
    for (size_t i = 0; i < r->scores.n; i++) {
        bool known = i < r->truth->suggestions.n;
        struct score_row one = {known ? r->truth->suggestions.v[i] : NULL,
                                r->scores.v[i].explanation, r->scores.v[i].score};
        vec_push(&row->scores, a, one);
    }
}

static struct stability_row stability_of(const struct evaluation *e, const struct eval_truth *t)
{
    struct stability_row row = {.run_id = t->run_id};
    for (size_t i = 0; i < e->runs.n; i++)
        if (e->runs.v[i]->truth == t && !e->runs.v[i]->error) {
            row.repeats++;
            row.detected += e->runs.v[i]->rank == 0;
        }
    return row;
}

/* "anthropic:claude" is of anthropic; rules are nobody's. */
static const char *provider_of(const char *who, struct arena *a)
{
    size_t n = who ? strcspn(who, ":") : 0;
    return n && who[n] ? arena_strndup(a, who, n) : NULL;
}

void evaluation_json(const struct evaluation *e, struct jwrite *w)
{
    struct arena *a = w->out->arena;
    struct evaluation_document d = {
        .e = e, .metadata = {e, provider_of(e->who, a), provider_of(e->judge, a)}};
    for (size_t i = 0; i < e->truths.n; i++)
        vec_push(&d.stability, a, stability_of(e, &e->truths.v[i]));
    for (size_t i = 0; i < e->runs.n; i++)
        make_run(vec_add(&d.runs, a), e->runs.v[i], a);
    fields_write(w, NULL, &document_fields, &d);
}

void evaluation_json_schema(struct str *out)
{
    fields_schema_document(out, "urn:gpusight:evaluation:1.0", "gpusight evaluation",
                           "What 'gpusight evaluate --format json' writes. Made by 'gpusight "
                           "--generate evaluation-schema'.",
                           &document_fields);
}
