/*
 * Evaluate: how well findings, or the hypotheses of a model, hit what is known to be wrong with a
 * set of traces. docs/evaluate.md has the formats and the measures.
 *
 *     struct evaluation *e = evaluation_new(arena);
 *     evaluation_find(e, "bench", NULL, err);             traces with their truth
 *     struct eval_run *r = evaluation_add(e, &e->truths.v[0], repeat);
 *     claims_of_advice(r, &run->advice, arena);           or claims_of_hypotheses()
 *     evaluation_score(r);
 *     evaluation_sum(e);
 */
#ifndef GS_EVALUATE_EVALUATE_H
#define GS_EVALUATE_EVALUATE_H

#include "advise/advise.h"
#include "base/jwrite.h"
#include "base/opt.h"
#include "evaluate/shipped.h"
#include "report/explanation.h"

struct eval_bottleneck {
    const char *name, *types, *words, *rules;
};
extern const struct eval_bottleneck eval_bottlenecks[];               /* a NULL name at the end */
const struct eval_bottleneck *eval_bottleneck_find(const char *name); /* NULL: none */

struct eval_list {
    const struct eval_bottleneck **v;
    size_t n, cap;
};

/* What is known about a trace. */
struct eval_truth {
    const char *run_id, *scenario;
    const char *expected;                  /* in its own word */
    const struct eval_bottleneck *planted; /* the same; NULL: nothing is wrong */
    struct eval_list also_true;
    struct opt_list suggestions;
    double share_pct; /* of the GPU time that it costs; NaN: not known */
    struct opt_list paths;
    const char *file; /* the truth itself */
};

/* A finding or a hypothesis. */
struct eval_claim {
    const char *title, *type, *text;
    const char *rule;             /* of findings; NULL */
    double share_pct;             /* of the GPU time, or of the run; NaN */
    bool minor;                   /* says itself that it hardly matters: no false alarm */
    struct hypothesis hypothesis; /* of models */
};

struct eval_score {
    int64_t score; /* 0 to 2; -1: the judge's answer made no sense */
    const char *explanation;
};

struct eval_run {
    const struct eval_truth *truth;
    int64_t repeat; /* from 0 */
    VEC(struct eval_claim) claims;
    int64_t rank; /* of the claim that found it, from 0; -1: missed */
    uint64_t false_alarms, secondary;
    double error_points; /* claimed share less the true one; NaN: one of them is not known */
    VEC(struct eval_score) scores;
    double coverage_pct; /* NaN: nothing was judged */
    double elapsed_s;
    int64_t input_tokens, output_tokens, cache_read_tokens, cache_write_tokens;
    const char *error; /* NULL: done */
};

/* Measures of a set of runs. */
struct eval_sums {
    uint64_t runs, scored, failed, healthy;
    double detection_at_1_pct, detection_at_3_pct, mrr; /* of runs with something to find */
    uint64_t false_alarms, healthy_alarms, secondary;
    double false_alarm_pct;            /* of all claims that are not minor */
    double coverage_pct, error_points; /* NaN: none; mean of absolute differences */
    double detection_sd_pct;           /* over repeats; NaN: one repeat */
};

struct evaluation {
    struct arena *arena;
    VEC(struct eval_truth) truths;
    VEC(struct eval_run *) runs;
    const char *who; /* "rules", "anthropic:..." */
    const char *judge, *folder, *truth_folder;
    int64_t repeats;
    struct eval_sums sums, floor; /* floor: guesses that look at no trace */
    VEC(double) by_repeat;        /* detection@1 of each */
};

struct evaluation *evaluation_new(struct arena *a);

/*
 * Traces with truth in a folder and the folders in it: NAME.truth.json beside NAME.db, NAME.sqlite,
 * ... or the folder NAME; and PerfAdvisor's test_NN.json. truth_dir: where its
 * ground_truth_meta.json is; NULL: there or one above.
 */
bool evaluation_find(struct evaluation *e, const char *dir, const char *truth_dir,
                     struct gs_error *err);

struct eval_run *evaluation_add(struct evaluation *e, const struct eval_truth *t, int64_t repeat);

void claims_of_advice(struct eval_run *r, const struct advice *a, struct arena *arena);
void claims_of_explanation(struct eval_run *r, const struct explanation *x, struct arena *arena);
/* A list of hypotheses, PerfAdvisor's report of them, or an analysis of ours. False: neither. */
bool claims_of_file(struct eval_run *r, const char *path, struct arena *arena,
                    struct gs_error *err);
/* All runs of a saved evaluation, ours or PerfAdvisor's; those without truth here are left out. */
bool evaluation_read(struct evaluation *e, const char *path, struct gs_error *err);

void evaluation_score(struct eval_run *r);
void evaluation_sum(struct evaluation *e);

struct doc *evaluation_doc(const struct evaluation *e, struct arena *a);
void evaluation_json(const struct evaluation *e, struct jwrite *w);
void evaluation_json_schema(struct str *out);

#endif
