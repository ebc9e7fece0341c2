/* What source_json() writes. */
#include "render/source_json.h"

#include "render/analysis_json_in.h"

const struct member source_advice_members[] = {
    MEMBER("id", "string", "stable name"),
    MEMBER("priority", "string", "", .words = "HIGH|MEDIUM|LOW|INFO"),
    MEMBER("category", "string", "subject"),
    MEMBER("issue", "string", "what was found"),
    MEMBER("suggestion", "string", "what to do about it"),
    MEMBER("actions", "string[]", "steps"),
    MEMBER("estimated_impact", "string", "what it may bring, in words: nothing was measured"),
    MEMBER("confidence", "number?", "always null"),
    MEMBER("commands", "object[]", "captures that would tell more", .members = command_members),
    {0},
};

static const struct member pattern_members[] = {
    MEMBER("pattern_id", "string", "stable name, see docs/source-scan.md"),
    MEMBER("severity", "string", "", .words = "high|medium|low|info"),
    MEMBER("category", "string", "subject"),
    MEMBER("description", "string", "what it is"),
    MEMBER("count", "integer", "places"),
    MEMBER("in_loop", "integer", "of them inside a loop"),
    MEMBER("locations", "string[]", "file:line, the first 20"),
    {0},
};

const struct member source_members[] = {
    MEMBER("source_dir", "string", "the folder"),
    MEMBER("analysis_timestamp", "string?", "when, in ISO 8601; null unless asked for"),
    MEMBER("programming_model", "string", "see docs/source-scan.md"),
    MEMBER("files_scanned", "integer", "files that were read"),
    MEMBER("files_skipped", "integer", "files that could not be"),
    MEMBER("kernel_count", "integer", "different kernels"),
    MEMBER("detected_kernels", "object[]", "one a kernel", .fields = &source_kernel_fields),
    MEMBER("detected_patterns", "object[]", "most serious first", .members = pattern_members),
    MEMBER("risk_areas", "string[]", "in words"),
    MEMBER("already_instrumented", "boolean", "has markers"),
    MEMBER("roctx_marker_count", "integer", "places that push, pop or mark; NVTX too"),
    MEMBER("recommendations", "object[]", "what to capture", .members = source_advice_members),
    MEMBER("suggested_counters", "string[]", "to begin with, on AMD"),
    MEMBER("suggested_first_command", "string?", "to begin with"),
    MEMBER("llm_explanation", "string?", "always null"),
    MEMBER("vendor", "string", "whose names the code uses", .words = "amd|nvidia|both|none"),
    MEMBER("bytes", "integer", "of source read"),
    MEMBER("lines", "integer", "of source read"),
    MEMBER("folders_skipped", "integer", "ignored, hidden or of builds"),
    MEMBER("skipped", "object[]", "files left out", .fields = &source_skip_fields),
    MEMBER("files", "object[]", "files read", .fields = &source_file_fields),
    MEMBER("facts", "object[]", "every place, by file and line", .fields = &source_fact_fields),
    MEMBER("kernel_links", "object[]", "hot kernels and their lines",
           .fields = &source_link_fields),
    MEMBER("call_links", "object[]", "host calls and their lines", .fields = &source_call_fields),
    {0},
};
