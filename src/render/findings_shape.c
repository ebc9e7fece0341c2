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
    MEMBER("estimated_speedup_pct_lower", "number", "Amdahl: half of what is claimed goes away"),
    MEMBER("estimated_speedup_pct_upper", "number?", "all of it does; null: no bound"),
    MEMBER("actions", "string[]", "steps"),
    MEMBER("claims", "object[]", "GPU time that it explains", .members = claim_members),
    MEMBER("evidence", "object[]", "facts to check", .members = evidence_members),
    MEMBER("commands", "object[]", "captures that would tell more", .members = command_members),
    {0},
};
