/*
 * What analysis_json() writes, member by member, in order. Tests validate real documents against
 * the schema made from this, and the schema allows nothing that does not stand here.
 */
#include "job/job.h"
#include "render/analysis_json_in.h"

static const struct member file_members[] = {
    MEMBER("path", "string", "the file as it was named"),
    MEMBER("format", "string", "format, found by content"),
    MEMBER("writer", "string?", "profiler that wrote it"),
    MEMBER("schema_version", "string?", "version of the format"),
    {0},
};

static const struct member metadata[] = {
    MEMBER("gpusight_version", "string", "version of the program"),
    MEMBER("rocpd_version", "string", "the same, under rocinsight's key"),
    MEMBER("analysis_version", "string", "version of this document"),
    MEMBER("database_file", "string?", "first file that was read"),
    MEMBER("files", "object[]", "all files that were read", .members = file_members),
    MEMBER("analysis_timestamp", "string?", "when, in ISO 8601; null unless asked for"),
    MEMBER("analysis_duration_ms", "integer", "how long it took; 0 unless asked for"),
    MEMBER("custom_prompt", "string?", "the user's question"),
    {0},
};

static const struct member gpu_members[] = {
    MEMBER("name", "string", "product name"),
    MEMBER("architecture", "string", "gfx942, sm_90, ..."),
    MEMBER("agent_id", "integer?", "as the profiler numbers devices"),
    MEMBER("index", "integer", "number on its host, from 0"),
    MEMBER("host", "string", "host it is in"),
    MEMBER("vendor", "string", "who made it"),
    MEMBER("cu_count", "integer", "compute units or SMs; 0: not known"),
    {0},
};

static const struct member profiling_info[] = {
    MEMBER("total_duration_ns", "integer", "span of GPU work, as in execution_breakdown"),
    MEMBER("profiling_mode", "string", "what was recorded",
           .words = "sys_trace_only|sys_trace_with_counters|pc_sampling"),
    MEMBER("analysis_tier", "integer", "1: trace, 2: trace and counters, 3: PC samples"),
    MEMBER("gpus", "object[]", "GPUs in the view", .members = gpu_members),
    {0},
};

static const struct member summary[] = {
    MEMBER("overall_assessment", "string", "the verdict and the size of the run"),
    MEMBER("primary_bottleneck", "string", "of the first finding; of the ledger without any",
           .words = "compute|memory_transfer|memory_bandwidth|latency|mixed|unknown"),
    MEMBER("confidence", "number", "0 to 1"),
    MEMBER("key_findings", "string[]", "sentences, most important first"),
    {0},
};

static const struct member verdict[] = {
    MEMBER("status", "string", "", .words = "healthy|improvable|problem|no_gpu_work"),
    MEMBER("headline", "string", "one sentence"),
    MEMBER("recoverable_ns", "integer", "GPU time claimed by findings above INFO, compute aside"),
    MEMBER("recoverable_pct", "number", "of window x GPUs"),
    MEMBER("together", "integer",
           "how many of the first findings of MEDIUM and HIGH were replayed together, 3 at most"),
    MEMBER("together_ns", "integer", "the time when all of these are followed; 0: none was"),
    MEMBER("together_speedup", "number?", "what they win together, for fixes overlap"),
    {0},
};

static const struct member cause_members[] = {
    MEMBER("cause", "string", "key of the cause"),
    MEMBER("label", "string", "for people"),
    MEMBER("kind", "string", "", .words = "work|exposed|idle"),
    MEMBER("ns", "integer", "GPU time"),
    MEMBER("pct", "number", "share of the whole"),
    {0},
};

static const struct member ledger_gpu_members[] = {
    MEMBER("gpu", "integer", "number of the GPU; -1 where the trace does not list it"),
    MEMBER("name", "string", "product name"),
    MEMBER("causes", "object[]", "they add up to window_ns", .members = cause_members),
    {0},
};

static const struct member ledger[] = {
    MEMBER("window_ns", "integer", "end_ns - start_ns"),
    MEMBER("start_ns", "integer", "start of the analyzed window, in the trace's clock"),
    MEMBER("end_ns", "integer", "its end"),
    MEMBER("gpu_count", "integer", "GPUs in the view"),
    MEMBER("causes", "object[]", "they add up to window_ns x gpu_count", .members = cause_members),
    MEMBER("gpus", "object[]", "the same per GPU", .members = ledger_gpu_members),
    {0},
};

static const struct member metric_members[] = {
    MEMBER("gpu_utilization_pct", "number?",
           "100 x GRBM_GUI_ACTIVE / GRBM_COUNT, inside dispatches only"),
    MEMBER("avg_waves", "number?", "SQ_WAVES per dispatch: waves launched, not occupancy"),
    MEMBER("max_waves", "number?", "most of a dispatch"),
    MEMBER("min_waves", "number?", "least of a dispatch"),
    {0},
};

static const struct member counters[] = {
    MEMBER("has_counters", "boolean", "any value of a dispatch in the window"),
    MEMBER("metrics", "object?", "derived values", .members = metric_members),
    MEMBER("counters", "object{}?", "by name", .fields = &counter_fields),
    {0},
};

static const struct member short_kernels[] = {
    MEMBER("wasted_ns", "integer",
           "gap_ns: idle time right before short kernels, not their own time"),
    MEMBER("wasted_pct_of_kernel_time", "number",
           "100 x wasted_ns / sum of the durations of all kernels"),
    MEMBER("histogram", "object[]", "all kernels by duration", .table = "short_kernel_histogram"),
    MEMBER("top_offenders", "object[]", "names with most time in short dispatches",
           .table = "short_kernel_offenders"),
    {0},
};

static const struct member occupancy[] = {
    MEMBER("percent", "number", "as occupancy_pct"),
    MEMBER("limiting_resource", "string", "as limiter"),
    {0},
};

static const struct member resource_members[] = {
    MEMBER("occupancy", "object?", "null: not known", .members = occupancy),
    {0},
};

static const struct member resources[] = {
    MEMBER("arch", "string?", "of the first GPU"),
    MEMBER("kernels", "object[]", "hottest kernels", .table = "kernel_resources",
           .members = resource_members),
    {0},
};

static const struct member api[] = {
    MEMBER("total_api_ns", "integer",
           "sum over threads of the time inside outermost runtime calls"),
    MEMBER("launch_overhead_ns", "integer", "of it, inside calls that launch"),
    MEMBER("api_calls", "object[]", "by name", .table = "api_calls"),
    {0},
};

static const struct member unranged[] = {
    MEMBER("wall_time_ns", "integer", "window - union of all ranges"),
    MEMBER("kernel_count", "integer", "kernels launched in no range"),
    MEMBER("kernel_time_ns", "integer", "sum of their durations"),
    {0},
};

static const struct member regions[] = {
    MEMBER("has_markers", "boolean", "true"),
    MEMBER("marker_count", "integer", "ranges and moments that touch the window"),
    MEMBER("regions", "object[]", "by path", .fields = &region_fields),
    MEMBER("unranged", "object", "what no range covers", .members = unranged),
    MEMBER("unranged_pct_of_total", "number?", "100 x unranged.wall_time_ns / total_runtime_ns"),
    MEMBER("total_runtime_ns", "integer", "length of the window"),
    {0},
};

static const struct member reason_members[] = {
    MEMBER("code", "string", "name of the check"),
    MEMBER("text", "string", "what was found"),
    MEMBER("count", "integer", "rows"),
    MEMBER("affects", "string", "numbers that suffer"),
    MEMBER("points", "integer", "taken off 100"),
    {0},
};

static const struct member quality[] = {
    MEMBER("grade", "string", "", .words = "A|B|C|D|F"),
    MEMBER("points", "integer", "0 to 100"),
    MEMBER("reasons", "object[]", "all of them", .members = reason_members),
    {0},
};

static const struct member missing_members[] = {
    MEMBER("capability", "string", "key among capabilities"),
    MEMBER("consequence", "string", "what cannot be said"),
    MEMBER("command", "string", "how to capture it; empty where nothing can"),
    {0},
};

static const struct member warning_members[] = {
    MEMBER("severity", "string", "", .words = "warning|info"),
    MEMBER("message", "string", "what is wrong with the data"),
    MEMBER("recommendation", "string?", "command that would mend it"),
    {0},
};

static const struct member job_ledger[] = {
#define CAUSE(id, key, label, kind, doc) MEMBER(key, "integer", doc),
#include "analyze/ledger.def"
#undef CAUSE
    {0},
};

static const struct member job_members[] = {
    MEMBER("ledger", "object", "GPU time of all ranks by cause, ns", .members = job_ledger),
    MEMBER("notes", "string[]", "what is odd about the job"),
    {0},
};

const struct member analysis_members[] = {
    MEMBER("schema_version", "string", "version of this document",
           .words = ANALYSIS_SCHEMA_VERSION),
    MEMBER("metadata", "object", "who made this of what", .members = metadata),
    MEMBER("profiling_info", "object", "what was recorded", .members = profiling_info),
    MEMBER("summary", "object", "in words", .members = summary),
    MEMBER("verdict", "object", "is there anything to win", .members = verdict),
    MEMBER("ledger", "object", "every nanosecond of every GPU, once", .members = ledger),
    MEMBER("execution_breakdown", "object",
           "unions per GPU, summed over GPUs; shares are of the span of GPU work x GPUs",
           .fields = &execution_fields),
    MEMBER("interval_timeline", "object",
           "the span of GPU work divided; with several GPUs all numbers are sums over GPUs",
           .fields = &timeline_fields),
    MEMBER("recommendations", "object[]", "findings, largest gain first",
           .members = recommendation_members),
    MEMBER("ranks", "object[]", "the ranks of a job; empty for a single process", .table = "ranks"),
    MEMBER("imbalance", "number?",
           "(most - least) / mean of the ranks' compute time per GPU; null without ranks"),
    MEMBER("straggler", "object?", "rank that the others wait for; null when there is none",
           .fields = &straggler_fields),
    MEMBER("efficiencies", "object?", "POP efficiencies of the job, 0 to 1; null without ranks",
           .fields = &efficiency_fields),
    MEMBER("job", "object?", "the job as a whole; null without ranks", .fields = &job_stats_fields,
           .members = job_members),
    MEMBER("hotspots", "object[]", "as many as asked for; all of them in analyses",
           .table = "hotspots"),
    MEMBER("kernel_categories", "object[]", "what kernels do", .table = "kernel_categories"),
    MEMBER("memory_analysis", "object{}", "copies by direction", .table = "copies"),
    MEMBER("hardware_counters", "object", "reduced per dispatch first", .members = counters),
    MEMBER("short_kernels", "object", "kernels too short to hide their launch",
           .table = "short_kernels", .members = short_kernels),
    MEMBER("kernel_resources", "object", "registers, LDS, occupancy", .members = resources),
    MEMBER("api_breakdown", "object", "the host's calls", .members = api),
    MEMBER("roctx_regions", "object?", "ranges the program marked; null without",
           .members = regions),
    MEMBER("quality", "object", "how far the data can be trusted", .members = quality),
    MEMBER("capabilities", "boolean{}", "what the trace can tell"),
    MEMBER("missing", "object[]", "what it cannot", .members = missing_members),
    MEMBER("warnings", "object[]", "what to know before believing a number",
           .members = warning_members),
    MEMBER("errors", "string[]", "always empty: what fails ends the run"),
    MEMBER("tier0", "object?", "the source folder of --source-dir; null without",
           .members = source_members),
    MEMBER("thread_trace", "object?", "stalls by instruction, of --att-dir; null without",
           .members = att_members),
    MEMBER("analyses", "tables", "every table of every analysis, whole"),
    {0},
};

static const struct member unmeasured_info[] = {
    MEMBER("total_duration_ns", "integer", "0"),
    MEMBER("profiling_mode", "string", "nothing was recorded", .words = "source_only"),
    MEMBER("analysis_tier", "integer", "0"),
    MEMBER("gpus", "object[]", "empty", .members = gpu_members),
    {0},
};

/* What source_json_document() writes. */
const struct member source_only_members[] = {
    MEMBER("schema_version", "string", "version of this document",
           .words = ANALYSIS_SCHEMA_VERSION),
    MEMBER("metadata", "object", "who made this", .members = metadata),
    MEMBER("profiling_info", "object", "that nothing was recorded", .members = unmeasured_info),
    MEMBER("summary", "object", "in words", .members = summary),
    MEMBER("execution_breakdown", "null", "nothing was measured"),
    MEMBER("hotspots", "object[]", "empty", .table = "hotspots"),
    MEMBER("memory_analysis", "object", "empty"),
    MEMBER("hardware_counters", "object", "none", .members = counters),
    MEMBER("recommendations", "object[]", "what to capture, and what the code suggests",
           .members = source_advice_members),
    MEMBER("warnings", "object[]", "files that were left out", .members = warning_members),
    MEMBER("errors", "string[]", "always empty: what fails ends the run"),
    MEMBER("tier0", "object", "the source folder", .members = source_members),
    {0},
};

static const struct member instructions_info[] = {
    MEMBER("profiling_mode", "string", "instructions, no timeline", .words = "thread_trace_only"),
    MEMBER("analysis_tier", "integer", "3"),
    {0},
};

/* What att_json_document() writes. */
const struct member att_only_members[] = {
    MEMBER("schema_version", "string", "version of this document",
           .words = ANALYSIS_SCHEMA_VERSION),
    MEMBER("metadata", "object", "who made this", .members = metadata),
    MEMBER("profiling_info", "object", "that there is no timeline", .members = instructions_info),
    MEMBER("thread_trace", "object", "stalls by instruction", .members = att_members),
    {0},
};
