/* What write_recommendations() writes. */
#include "render/analysis_json_in.h"

static const struct member claim_members[] = {
    MEMBER("cause", "string", "key of a cause of the ledger"),
    MEMBER("ns", "integer",
           "GPU time of that cause that this finding explains; nobody else has it"),
    {0},
};

static const struct member evidence_members[] = {
    MEMBER("text", "string", "the fact as a sentence"),
    MEMBER("metric", "string?", "which number: table and field, or ledger and cause"),
    MEMBER("value", "number?", "the number"),
    MEMBER("threshold", "number?", "what it was held against"),
    MEMBER("unit", "string?", "of both"),
    MEMBER("start_ns", "integer?", "a place in the trace: from"),
    MEMBER("end_ns", "integer?", "to"),
    MEMBER("gpu", "integer?", "number of the GPU"),
    MEMBER("id", "integer?", "as the profiler numbers it"),
    MEMBER("id_kind", "string?", "of what", .words = "dispatch|copy|region"),
    {0},
};

static const struct member argument_members[] = {
    MEMBER("name", "string", "with its dashes"),
    MEMBER("value", "string?", "null: it takes none"),
    {0},
};

const struct member command_members[] = {
    MEMBER("tool", "string", "the profiler"),
    MEMBER("description", "string", "what it would add"),
    MEMBER("flags", "string[]", "options without a value"),
    MEMBER("args", "object[]", "options with a value", .members = argument_members),
    MEMBER("full_command", "string", "to copy"),
    {0},
};

const struct member recommendation_members[] = {
    MEMBER("id", "string", "stable name; repeats count up at the end"),
    MEMBER("rule", "string", "the rule, see docs/rules.md"),
    MEMBER("priority", "string", "from what was claimed", .words = "HIGH|MEDIUM|LOW|INFO"),
    MEMBER("category", "string", "subject"),
    MEMBER("title", "string", "what is wrong, in general"),
    MEMBER("issue", "string", "what is wrong here"),
    MEMBER("suggestion", "string", "what to do about it"),
    MEMBER("estimated_impact", "string", "the numbers below as a sentence"),
    MEMBER("confidence", "number", "0 to 1"),
    MEMBER("confidence_reason", "string", "why"),
    MEMBER("bottleneck_type", "string", "",
           .words = "compute_bound|memory_bound|mpi_latency|mpi_imbalance|cpu_launch_overhead|"
                    "synchronization|io|other|transfer_bound|idle_host"),
    MEMBER("action_category", "string", "what has to change",
           .words = "runtime_config|launch_config|code_optimization|algorithm"),
    MEMBER("scope", "string", "where it holds"),
    MEMBER("claimed_ns", "integer", "sum of claims"),
    MEMBER("runtime_fraction_pct", "number", "100 x claimed_ns / (window x GPUs)"),
    MEMBER("estimated_speedup_pct_lower", "number?",
           "100 x (recorded_ns / predicted_high_ns - 1) by replay; otherwise Amdahl: half of what "
           "may be won of the claim goes away"),
    MEMBER("estimated_speedup_pct_upper", "number?",
           "100 x (recorded_ns / predicted_low_ns - 1) by replay; otherwise all of it does; null: "
           "no bound"),
    MEMBER(
        "predicted_by", "string?",
        "'replay' of the dependency graph with the advice followed, or 'amdahl': by the share of "
        "time it claims; null: nothing is predicted",
        .words = "replay|amdahl"),
    MEMBER(
        "recorded_ns", "integer?",
        "the time that is predicted, as recorded: from the first call that led to GPU work to the "
        "end of the last work, or of the call that waited for it"),
    MEMBER("predicted_ns", "integer?", "the same after the advice was followed"),
    MEMBER("predicted_low_ns", "integer?", "with what is uncertain taken from its good side"),
    MEMBER("predicted_high_ns", "integer?", "... from its bad side"),
    MEMBER("predicted_speedup", "number?", "recorded_ns / predicted_ns"),
    MEMBER("next_limit", "string?", "the largest part of the critical path then"),
    MEMBER("predicted_because", "string?", "why it is an interval"),
    MEMBER("actions", "string[]", "steps"),
    MEMBER("claims", "object[]", "GPU time that it explains", .members = claim_members),
    MEMBER("evidence", "object[]", "facts to check", .members = evidence_members),
    MEMBER("commands", "object[]", "captures that would tell more", .members = command_members),
    {0},
};
