#include "render/compare_json.h"

#include "config.h"
#include "field/field.h"
#include "report/explanation.h"

#define TEXTS(T, member, key, doc) ALWAYS(T, member, FIELD_LIST, key, doc, .of = &field_texts)

struct run_json {
    const struct run_profile *p;
    const char *gpu, *vendor; /* of the first; NULL: none */
};

struct compare_json {
    const struct comparison *c;
    const char *program;
    struct run_json a, b;
    const struct gate *gate;
    bool has_gate, passed;
    const struct explanation *explanation;
};

#define T struct run_profile
PART(run_head, T, OR_NULL(T, label, FIELD_TEXT, "label", "name of the run"),
     TEXTS(T, files, "files", "that were read"));
PART(run_tail, T, ALWAYS(T, breakdown.gpu_count, FIELD_U32, "gpu_count", "number of GPUs"),
     ALWAYS(T, breakdown.window_ns, FIELD_I64, "window_ns", "length of the window"),
     ALWAYS(T, breakdown.busy_ns, FIELD_I64, "busy_ns", "sum over GPUs of their working time"),
     ALWAYS(T, breakdown.kernel_sum_ns, FIELD_I64, "kernel_sum_ns", "sum of kernel durations"));
#undef T

#define T struct run_json
PART(run_fields, T, SPREAD(T, p, FIELD_REF, &run_head),
     OR_NULL(T, gpu, FIELD_TEXT, "gpu", "product name of the first GPU"),
     OR_NULL(T, vendor, FIELD_TEXT, "vendor", "who made it"), SPREAD(T, p, FIELD_REF, &run_tail));
#undef T

#define T struct comparison
PART(comparability, T, ALWAYS(T, score, FIELD_NUM, "score", "1: nothing differs but the times"),
     TEXTS(T, reasons, "reasons", "what differs, most important first"),
     ALWAYS(T, matched_pct, FIELD_NUM, "matched_pct", "of A's kernel time has a partner in B"),
     ALWAYS(T, steps, FIELD_NUM, "steps_ratio", "B ran this many times as many steps as A"),
     ALWAYS(T, cross_vendor, FIELD_BOOL, "by_role", "kernels were matched by what they do"));

SHARED_PART(
    compare_verdict_fields, T,
    ALWAYS(T, comparable, FIELD_BOOL, "comparable", "both did work that can be compared"),
    WITHIN("comparability", "how far that holds", &comparability),
    ALWAYS(T, verdict, FIELD_ENUM, "verdict", "did the change help",
           .words = compare_verdict_names),
    OR_NULL(T, headline, FIELD_TEXT, "headline", "one sentence"),
    OR_NULL(T, wall_change_pct, FIELD_NUM, "wall_change_pct", "100 x change_ns / base_ns"),
    OR_NULL(T, noise_pct, FIELD_NUM, "noise_pct", "100 x noise_ns / base_ns"),
    OR_NULL(T, window_change_pct, FIELD_NUM, "window_change_pct", "difference of the windows"),
    ALWAYS(T, base_ns, FIELD_I64, "base_ns", "A's time that is compared: wall_a_ns, or its work"),
    ALWAYS(T, change_ns, FIELD_I64, "change_ns", "of that time; negative is a gain"),
    ALWAYS(T, noise_ns, FIELD_I64, "noise_ns", "of these changes"),
    ALWAYS(T, idle_counts, FIELD_BOOL, "idle_counted",
           "idle time is regular, and part of the work that is compared"),
    ALWAYS(T, by_wall, FIELD_BOOL, "by_wall", "the clock on the wall decided"),
    ALWAYS(T, wall_a_ns, FIELD_I64, "wall_a_ns", "A's clock, without the profiler's start"),
    ALWAYS(T, wall_b_ns, FIELD_I64, "wall_b_ns", "B's clock for the work of A"),
    ALWAYS(T, wall_noise_ns, FIELD_I64, "wall_noise_ns", "noise of their difference"),
    ALWAYS(T, repeated, FIELD_BOOL, "repeated", "that noise comes from repeated runs"),
    OR_NULL(T, common_ratio, FIELD_NUM, "common_ratio",
            "all kernels took this many times as long, by one factor: clocks, not code; beyond "
            "1.6 another GPU, clock or size of the problem"));

#define ROWS(member, key, doc, fields) ALWAYS(T, member, FIELD_LIST, key, doc, .of = fields)
PART(tables, T, ROWS(causes, "causes", "what changed, largest first", &compare_cause_fields),
     ROWS(kernels, "kernels", "largest change first", &compare_kernel_fields),
     ROWS(phases, "phases", "in order of time", &compare_phase_fields),
     ROWS(ranks, "ranks", "of both jobs, by number", &compare_rank_fields),
     ROWS(ledger, "ledger", "GPU time by cause", &compare_row_fields),
     ROWS(copies, "copied_bytes", "by direction", &compare_row_fields),
     ROWS(api, "api_calls", "host calls by what they do", &compare_row_fields),
     TEXTS(T, notes, "notes", "registers, occupancy, what was assumed"));
#undef T

#define T struct compare_json
PART(conditions, struct gate,
     ALWAYS(struct gate, conditions, FIELD_LIST, "conditions", "one by one", .of = &gate_fields));
PART(gate, T, ALWAYS(T, passed, FIELD_BOOL, "passed", "no condition failed"),
     SPREAD(T, gate, FIELD_REF, &conditions));
PART(document, T, FIXED("schema_version", COMPARE_SCHEMA_VERSION, "version of this document"),
     ALWAYS(T, program, FIELD_TEXT, "program_version", "version of the program"),
     ALWAYS(T, a, FIELD_OBJECT, "a", "the run before", .of = &run_fields),
     ALWAYS(T, b, FIELD_OBJECT, "b", "the run after", .of = &run_fields),
     SPREAD(T, c, FIELD_REF, &compare_verdict_fields),
     WITHIN("gate", "conditions of --fail-on; null without", &gate, .null = NULL_MAYBE,
            .flag = FLAG(T, has_gate)),
     SPREAD(T, c, FIELD_REF, &tables),
     IF_ANY(T, explanation, FIELD_REF, "explanation",
            "what a language model said, of --llm; only there when one was asked",
            .of = &explanation_fields));

static struct run_json run_of(const struct run_profile *p)
{
    const struct profile_gpu *first = p->gpus.n ? &p->gpus.v[0] : NULL;
    return (struct run_json){p, first ? first->name : NULL,
                             first ? vendor_name(first->vendor) : NULL};
}

void compare_json(struct jwrite *w, const struct comparison *c, const struct gate *g,
                  const struct explanation *e)
{
    T d = {.c = c, .program = GPUSIGHT_VERSION, .a = run_of(c->a), .b = run_of(c->b), .gate = g};
    d.has_gate = g->conditions.n;
    d.passed = !g->failed;
    d.explanation = e;
    fields_write(w, NULL, &document, &d);
}

void compare_json_schema(struct str *out)
{
    fields_schema_document(
        out, "urn:gpusight:compare:" COMPARE_SCHEMA_VERSION, "gpusight comparison",
        "What 'gpusight compare --format json' writes; null means that it cannot be said. "
        "docs/compare.md explains it. Made by 'gpusight --generate compare-schema'.",
        &document);
}
