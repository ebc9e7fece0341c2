/* Findings and the commands of profilers in JSON. */
#include "advise/rule.h"
#include "render/analysis_json_in.h"

#define T struct cause_json
PART(claim_fields, T, ALWAYS(T, cause, FIELD_TEXT, "cause", "key of a cause of the ledger"),
     ALWAYS(T, ns, FIELD_I64, "ns",
            "GPU time of that cause that this finding explains; nobody else has it"));
#undef T

#define T struct evidence
static bool has_id(const void *row)
{
    return ((const T *)row)->id_kind != NULL;
}

PART(evidence_fields, T, ALWAYS(T, text, FIELD_TEXT, "text", "the fact as a sentence"),
     OR_NULL(T, metric, FIELD_TEXT, "metric", "which number: table and field, or ledger and cause"),
     OR_NULL(T, value, FIELD_NUM, "value", "the number"),
     OR_NULL(T, threshold, FIELD_NUM, "threshold", "what it was held against"),
     OR_NULL(T, unit, FIELD_ENUM, "unit", "of both", .words = unit_words),
     OR_NULL(T, start_ns, FIELD_I64, "start_ns", "a place in the trace: from",
             .flag = FLAG(T, has_range)),
     OR_NULL(T, end_ns, FIELD_I64, "end_ns", "to", .flag = FLAG(T, has_range)),
     OR_NULL(T, gpu, FIELD_I32, "gpu", "number of the GPU"),
     OR_NULL(T, id, FIELD_I64, "id", "as the profiler numbers it", .has = has_id),
     OR_NULL(T, id_kind, FIELD_TEXT, "id_kind", "of what",
             .words = WORDS("dispatch", "copy", "region")));
#undef T

PART(argument_fields, struct command_arg,
     ALWAYS(struct command_arg, name, FIELD_TEXT, "name", "with its dashes"),
     OR_NULL(struct command_arg, value, FIELD_TEXT, "value", "null: it takes none"));

#define T struct profiler_command
static const struct field command_list[] = {
    ALWAYS(T, tool, FIELD_TEXT, "tool", "the profiler"),
    ALWAYS(T, description, FIELD_TEXT, "description", "what it would add"),
    ALWAYS(T, flags, FIELD_LIST, "flags", "options without a value", .of = &field_texts),
    ALWAYS(T, args, FIELD_LIST, "args", "options with a value", .of = &argument_fields),
    ALWAYS(T, full_command, FIELD_TEXT, "full_command", "to copy"),
};
const struct fields profiler_command_fields = FIELDS("commands", "", T, command_list);
#undef T

#define T struct finding_json
static bool is_predicted(const void *row)
{
    return ((const T *)row)->f.predicted_by != PREDICTED_NOT;
}

static const struct field finding_list[] = {
    ALWAYS(T, f.id, FIELD_TEXT, "id", "stable name; repeats count up at the end"),
    ALWAYS(T, rule, FIELD_TEXT, "rule", "the rule, see docs/rules.md"),
    ALWAYS(T, f.priority, FIELD_ENUM, "priority", "from what was claimed", .words = priority_names),
    ALWAYS(T, f.category, FIELD_TEXT, "category", "subject"),
    ALWAYS(T, f.title, FIELD_TEXT, "title", "what is wrong, in general"),
    ALWAYS(T, f.issue, FIELD_TEXT, "issue", "what is wrong here"),
    ALWAYS(T, f.suggestion, FIELD_TEXT, "suggestion", "what to do about it"),
    ALWAYS(T, impact, FIELD_TEXT, "estimated_impact", "the numbers below as a sentence"),
    ALWAYS(T, f.confidence, FIELD_NUM, "confidence", "0 to 1"),
    ALWAYS(T, f.confidence_reason, FIELD_TEXT, "confidence_reason", "why"),
    ALWAYS(T, f.bottleneck, FIELD_ENUM, "bottleneck_type", "", .words = bottleneck_names),
    ALWAYS(T, f.action_category, FIELD_ENUM, "action_category", "what has to change",
           .words = action_category_names),
    ALWAYS(T, f.scope, FIELD_TEXT, "scope", "where it holds"),
    ALWAYS(T, f.claimed_ns, FIELD_I64, "claimed_ns", "sum of claims"),
    ALWAYS(T, f.runtime_fraction_pct, FIELD_NUM, "runtime_fraction_pct",
           "100 x claimed_ns / (window x GPUs)"),
    OR_NULL(T, f.speedup_lower_pct, FIELD_NUM, "estimated_speedup_pct_lower",
            "100 x (recorded_ns / predicted_high_ns - 1) by replay; otherwise Amdahl: half of what "
            "may be won of the claim goes away"),
    OR_NULL(T, f.speedup_upper_pct, FIELD_NUM, "estimated_speedup_pct_upper",
            "100 x (recorded_ns / predicted_low_ns - 1) by replay; otherwise all of it does; null: "
            "no bound"),
    OR_NULL(T, predicted_by, FIELD_TEXT, "predicted_by",
            "'replay' of the dependency graph with the advice followed, or 'amdahl': by the share "
            "of time it claims; null: nothing is predicted",
            .words = WORDS("replay", "amdahl")),
    OR_NULL(T, f.recorded_ns, FIELD_I64, "recorded_ns",
            "the time that is predicted, as recorded: from the first call that led to GPU work to "
            "the end of the last work, or of the call that waited for it",
            .has = is_predicted),
    OR_NULL(T, f.predicted_ns, FIELD_I64, "predicted_ns", "the same after the advice was followed",
            .has = is_predicted),
    OR_NULL(T, f.predicted_low_ns, FIELD_I64, "predicted_low_ns",
            "with what is uncertain taken from its good side", .has = is_predicted),
    OR_NULL(T, f.predicted_high_ns, FIELD_I64, "predicted_high_ns", "... from its bad side",
            .has = is_predicted),
    OR_NULL(T, f.predicted_speedup, FIELD_NUM, "predicted_speedup", "recorded_ns / predicted_ns",
            .has = is_predicted),
    OR_NULL(T, f.next_limit, FIELD_TEXT, "next_limit",
            "the largest part of the critical path then"),
    OR_NULL(T, f.predicted_why, FIELD_TEXT, "predicted_because", "why it is an interval"),
    ALWAYS(T, f.actions, FIELD_LIST, "actions", "steps", .of = &field_texts),
    ALWAYS(T, claims, FIELD_LIST, "claims", "GPU time that it explains", .of = &claim_fields),
    ALWAYS(T, f.evidence, FIELD_LIST, "evidence", "facts to check", .of = &evidence_fields),
    ALWAYS(T, f.commands, FIELD_LIST, "commands", "captures that would tell more",
           .of = &profiler_command_fields),
};
const struct fields finding_json_fields = FIELDS("recommendations", "", T, finding_list);

void finding_json_make(T *out, const struct finding *f, struct arena *arena)
{
    *out = (T){.f = *f,
               .rule = f->rule->name,
               .impact = finding_impact(f, arena),
               .predicted_by = prediction_name(f->predicted_by)};
    if (!f->issue)
        out->f.issue = f->title;
    if (f->predicted_why && !*f->predicted_why)
        out->f.predicted_why = NULL;
    for (enum cause c = 0; c < CAUSES; c++)
        if (f->granted[c])
            vec_push(&out->claims, arena,
                     ((struct cause_json){.cause = cause_info(c)->key, .ns = f->granted[c]}));
}
