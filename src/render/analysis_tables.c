/* What stands in the analysis document, member by member, in order. */
#include <math.h>

#include "job/job.h"
#include "render/analysis_json_in.h"
#include "report/explanation.h"

/* ---- who made this, and what was recorded ---- */

#define T struct trace_file
PART(file_fields, T, ALWAYS(T, path, FIELD_TEXT, "path", "the file as it was named"),
     ALWAYS(T, format, FIELD_ENUM, "format", "format, found by content",
            .words = trace_format_names),
     OR_NULL(T, flavor, FIELD_ENUM, "writer", "profiler that wrote it",
             .words = trace_writer_names),
     OR_NULL(T, schema_version, FIELD_TEXT, "schema_version", "version of the format"));
#undef T

#define T struct metadata_json
#define RUN_TAIL                                                                                   \
    OR_NULL(T, timestamp, FIELD_TEXT, "analysis_timestamp",                                        \
            "when, in ISO 8601; null unless asked for"),                                           \
        ALWAYS(T, duration_ms, FIELD_I64, "analysis_duration_ms",                                  \
               "how long it took; 0 unless asked for"),                                            \
        OR_NULL(T, prompt, FIELD_TEXT, "custom_prompt", "the user's question")
#define RUN_HEAD                                                                                   \
    ALWAYS(T, version, FIELD_TEXT, "rocpd_version", "the same, under rocinsight's key"),           \
        ALWAYS(T, document_version, FIELD_TEXT, "analysis_version", "version of this document"),   \
        OR_NULL(T, database_file, FIELD_TEXT, "database_file", "first file that was read")
PART(metadata, T, ALWAYS(T, version, FIELD_TEXT, "gpusight_version", "version of the program"),
     RUN_HEAD,
     ALWAYS(T, files, FIELD_LIST, "files", "all files that were read", .of = &file_fields),
     RUN_TAIL);
SHARED_PART(metadata_run_fields, T, RUN_HEAD, RUN_TAIL);
#undef T

#define T struct gpu_json
static const struct field gpu_list[] = {
    ALWAYS(T, name, FIELD_TEXT, "name", "product name"),
    ALWAYS(T, arch, FIELD_TEXT, "architecture", "gfx942, sm_90, ..."),
    OR_NULL(T, agent, FIELD_I64, "agent_id", "as the profiler numbers devices"),
    ALWAYS(T, index, FIELD_I32, "index", "number on its host, from 0"),
    ALWAYS(T, host, FIELD_TEXT, "host", "host it is in"),
    ALWAYS(T, vendor, FIELD_TEXT, "vendor", "who made it"),
    ALWAYS(T, cu_count, FIELD_U32, "cu_count", "compute units or SMs; 0: not known"),
};
static const struct fields gpu_fields = FIELDS("gpus", "", T, gpu_list);
#undef T

#define T struct analysis_document
#define MODE(doc, ...)                                                                             \
    ALWAYS(T, overview.profiling_mode, FIELD_TEXT, "profiling_mode", doc,                          \
           .words = WORDS(__VA_ARGS__))
#define TIER                                                                                       \
    ALWAYS(T, overview.tier, FIELD_I32, "analysis_tier",                                           \
           "0: source code, 1: trace, 2: trace and counters, 3: PC samples, instructions")
#define SPAN                                                                                       \
    ALWAYS(T, overview.execution.total_runtime_ns, FIELD_I64, "total_duration_ns",                 \
           "span of GPU work, as in execution_breakdown")
#define GPUS ALWAYS(T, gpus, FIELD_LIST, "gpus", "GPUs in the view", .of = &gpu_fields)
static const struct field info_list[] = {
    SPAN, MODE("what was recorded", "sys_trace_only", "sys_trace_with_counters", "pc_sampling"),
    TIER, GPUS};
static const struct field source_info_list[] = {SPAN, MODE("nothing was recorded", "source_only"),
                                                TIER, GPUS};
static const struct field att_info_list[] = {MODE("instructions, no timeline", "thread_trace_only"),
                                             TIER};
static const struct fields info = FIELDS("", "", T, info_list),
                           source_info = FIELDS("", "", T, source_info_list),
                           att_info = FIELDS("", "", T, att_info_list);

/* ---- in words ---- */

PART(summary, T,
     ALWAYS(T, overview.assessment, FIELD_TEXT, "overall_assessment",
            "the verdict and the size of the run"),
     ALWAYS(T, overview.bottleneck, FIELD_ENUM, "primary_bottleneck",
            "of the first finding; of the ledger without any", .words = primary_names),
     ALWAYS(T, overview.confidence, FIELD_NUM, "confidence", "0 to 1"),
     ALWAYS(T, overview.key_findings, FIELD_LIST, "key_findings", "sentences, most important first",
            .of = &field_texts));
#undef T

#define T struct verdict
SHARED_PART(
    verdict_json_fields, T,
    ALWAYS(T, status, FIELD_ENUM, "status", "", .words = verdict_status_names),
    ALWAYS(T, headline, FIELD_TEXT, "headline", "one sentence"),
    ALWAYS(T, recoverable_ns, FIELD_I64, "recoverable_ns",
           "GPU time claimed by findings above INFO, compute aside"),
    ALWAYS(T, recoverable_pct, FIELD_NUM, "recoverable_pct", "of window x GPUs"),
    ALWAYS(T, together, FIELD_U32, "together",
           "how many of the first findings of MEDIUM and HIGH were replayed together, 3 at most"),
    ALWAYS(T, together_ns, FIELD_I64, "together_ns",
           "the time when all of these are followed; 0: none was"),
    OR_NULL(T, together_speedup, FIELD_NUM, "together_speedup",
            "what they win together, for fixes overlap"));
#undef T

#define T struct warning
SHARED_PART(warning_fields, T,
            ALWAYS(T, severity, FIELD_ENUM, "severity", "", .words = warning_severity_names),
            ALWAYS(T, message, FIELD_TEXT, "message", "what is wrong with the data"),
            OR_NULL(T, recommendation, FIELD_TEXT, "recommendation", "command that would mend it"));
#undef T

/* ---- the ledger ---- */

#define T struct cause_json
SHARED_PART(cause_json_fields, T, ALWAYS(T, cause, FIELD_TEXT, "cause", "key of the cause"),
            ALWAYS(T, label, FIELD_TEXT, "label", "for people"),
            ALWAYS(T, kind, FIELD_ENUM, "kind", "", .words = WORDS("work", "exposed", "idle")),
            ALWAYS(T, ns, FIELD_I64, "ns", "GPU time"),
            ALWAYS(T, pct, FIELD_NUM, "pct", "share of the whole"));
#undef T

#define T struct ledger_gpu_json
SHARED_PART(ledger_gpu_json_fields, T,
            ALWAYS(T, gpu, FIELD_I32, "gpu",
                   "number of the GPU; -1 where the trace does not list it"),
            ALWAYS(T, name, FIELD_TEXT, "name", "product name"),
            ALWAYS(T, causes, FIELD_LIST, "causes", "they add up to window_ns",
                   .of = &cause_json_fields));
#undef T

/* Members of an analysis that stand among those of the document; names as in the document. */
#define T struct analysis
PART(window_part, T,
     ALWAYS(T, ledger.window_ns, FIELD_I64, "window_ns",
            "end_ns - start_ns, without pauses of the recording"),
     ALWAYS(T, view.start_ns, FIELD_I64, "start_ns",
            "start of the analyzed window, in the trace's clock"),
     ALWAYS(T, view.end_ns, FIELD_I64, "end_ns", "its end"),
     ALWAYS(T, ledger.n_gpus, FIELD_U64, "gpu_count", "GPUs in the view"),
     IF_ANY(T, only, FIELD_TEXT, "only", "what filters left of the trace, in words"));
PART(kernel_part, T,
     ALWAYS(T, categories, FIELD_LIST, "kernel_categories", "what kernels do",
            .of = &category_fields),
     ALWAYS(T, copies, FIELD_MAP, "memory_analysis", "copies by direction", .of = &copy_fields));
PART(short_part, T, SPREAD(T, short_kernels, FIELD_OBJECT, &short_kernel_fields));
PART(short_rows, T,
     ALWAYS(T, short_histogram, FIELD_LIST, "histogram", "all kernels by duration",
            .of = &short_bucket_fields),
     ALWAYS(T, short_offenders, FIELD_LIST, "top_offenders",
            "names with most time in short dispatches", .of = &short_offender_fields));
PART(api_part, T, ALWAYS(T, api, FIELD_LIST, "api_calls", "by name", .of = &api_call_fields));
PART(marker_part, T,
     ALWAYS(T, marker_stats.markers, FIELD_U64, "marker_count",
            "ranges and moments that touch the window"));
PART(unranged_part, T,
     ALWAYS(T, marker_stats.unattributed_kernels, FIELD_U64, "kernel_count",
            "kernels launched in no range"),
     ALWAYS(T, marker_stats.unattributed_ns, FIELD_I64, "kernel_time_ns",
            "sum of their durations"));
PART(uncovered_part, T,
     OR_NULL(T, marker_stats.uncovered_pct, FIELD_NUM, "unranged_pct_of_total",
             "100 x unranged.wall_time_ns / total_runtime_ns"),
     ALWAYS(T, ledger.window_ns, FIELD_I64, "total_runtime_ns", "length of the window"));
#undef T

/* ---- the job ---- */

#define T struct job
static const struct field job_ledger_list[] = {
#define CAUSE(id, k, label, kind, doc) ALWAYS(T, cause_ns[CAUSE_##id], FIELD_I64, k, doc),
#include "analyze/ledger.def"
#undef CAUSE
};
static const struct fields job_ledger = FIELDS("ledger", "", T, job_ledger_list);
PART(job_fields, T, SPREAD(T, stats, FIELD_OBJECT, &job_stats_fields),
     WITHIN("ledger", "GPU time of all ranks by cause, ns", &job_ledger),
     ALWAYS(T, notes, FIELD_LIST, "notes", "what is odd about the job", .of = &field_texts));
#undef T

/* ---- kernels ---- */

#define T struct resource_row
static bool has_occupancy(const void *row)
{
    return !isnan(((const T *)row)->occupancy_pct);
}

PART(occupancy, T, ALWAYS(T, occupancy_pct, FIELD_NUM, "percent", "as occupancy_pct"),
     ALWAYS(T, limiter, FIELD_TEXT, "limiting_resource", "as limiter"));
PART(resource_json, T, ALL_OF(&resource_fields),
     WITHIN("occupancy", "null: not known", &occupancy, .null = NULL_MAYBE, .has = has_occupancy));
#undef T

#define T struct analysis_document
#define COUNTERS .flag = FLAG(T, has_counters)
SHARED_PART(counter_metrics_fields, T,
            OR_NULL(T, counters.gpu_utilization_pct, FIELD_NUM, "gpu_utilization_pct",
                    "100 x GRBM_GUI_ACTIVE / GRBM_COUNT, inside dispatches only"),
            OR_NULL(T, counters.avg_waves, FIELD_NUM, "avg_waves",
                    "SQ_WAVES per dispatch: waves launched, not occupancy"),
            OR_NULL(T, counters.max_waves, FIELD_NUM, "max_waves", "most of a dispatch"),
            OR_NULL(T, counters.min_waves, FIELD_NUM, "min_waves", "least of a dispatch"));
PART(counters, T,
     ALWAYS(T, has_counters, FIELD_BOOL, "has_counters", "any value of a dispatch in the window"),
     WITHIN("metrics", "derived values", &counter_metrics_fields, .null = NULL_MAYBE, COUNTERS),
     OR_NULL(T, counters.rows, FIELD_MAP, "counters", "by name", .of = &counter_fields, COUNTERS));
PART(short_kernels, T, SPREAD(T, a, FIELD_REF, &short_part),
     ALWAYS(T, overview.short_gap_ns, FIELD_I64, "wasted_ns",
            "gap_ns: idle time right before short kernels, not their own time"),
     ALWAYS(T, overview.short_gap_pct, FIELD_NUM, "wasted_pct_of_kernel_time",
            "100 x wasted_ns / sum of the durations of all kernels"),
     SPREAD(T, a, FIELD_REF, &short_rows));
PART(resources, T, OR_NULL(T, arch, FIELD_TEXT, "arch", "of the first GPU"),
     ALWAYS(T, resources, FIELD_LIST, "kernels", "hottest kernels", .of = &resource_json));

/* ---- the host ---- */

PART(api, T,
     ALWAYS(T, overview.api_ns, FIELD_I64, "total_api_ns",
            "sum over threads of the time inside outermost runtime calls"),
     ALWAYS(T, overview.launch_ns, FIELD_I64, "launch_overhead_ns",
            "of it, inside calls that launch"),
     SPREAD(T, a, FIELD_REF, &api_part));
PART(unranged, T,
     ALWAYS(T, overview.unranged_ns, FIELD_I64, "wall_time_ns", "window - union of all ranges"),
     SPREAD(T, a, FIELD_REF, &unranged_part));
PART(regions, T, ALWAYS(T, has_regions, FIELD_BOOL, "has_markers", "true"),
     SPREAD(T, a, FIELD_REF, &marker_part),
     ALWAYS(T, overview.regions, FIELD_LIST, "regions", "by path", .of = &region_fields),
     WITHIN("unranged", "what no range covers", &unranged),
     SPREAD(T, a, FIELD_REF, &uncovered_part));

/* ---- the documents ---- */

PART(ledger, T, SPREAD(T, a, FIELD_REF, &window_part),
     ALWAYS(T, causes, FIELD_LIST, "causes", "they add up to window_ns x gpu_count",
            .of = &cause_json_fields),
     ALWAYS(T, ledger_gpus, FIELD_LIST, "gpus", "the same per GPU", .of = &ledger_gpu_json_fields));

#define VERSION FIXED("schema_version", ANALYSIS_SCHEMA_VERSION, "version of this document")
#define METADATA(fields)                                                                           \
    ALWAYS(T, metadata, FIELD_OBJECT, "metadata", "who made this of what", .of = fields)
#define HOTSPOTS(doc) ALWAYS(T, hotspots, FIELD_LIST, "hotspots", doc, .of = &hotspot_fields)
#define COUNTED WITHIN("hardware_counters", "reduced per dispatch first", &counters)
#define WARNINGS(doc)                                                                              \
    ALWAYS(T, overview.warnings, FIELD_LIST, "warnings", doc, .of = &warning_fields),              \
        ALWAYS(T, errors, FIELD_LIST, "errors", "always empty: what fails ends the run",           \
               .of = &field_texts)

static const struct field document_list[] = {
    VERSION,
    METADATA(&metadata),
    WITHIN("profiling_info", "what was recorded", &info),
    WITHIN("summary", "in words", &summary),
    ALWAYS(T, verdict, FIELD_REF, "verdict", "is there anything to win",
           .of = &verdict_json_fields),
    WITHIN("ledger", "every nanosecond of every GPU, once", &ledger),
    ALWAYS(T, overview.execution, FIELD_OBJECT, "execution_breakdown",
           "unions per GPU, summed over GPUs; shares are of the span of GPU work x GPUs",
           .of = &execution_fields),
    ALWAYS(T, overview.timeline, FIELD_OBJECT, "interval_timeline",
           "the span of GPU work divided; with several GPUs all numbers are sums over GPUs",
           .of = &timeline_fields),
    ALWAYS(T, findings, FIELD_LIST, "recommendations", "findings, largest gain first",
           .of = &finding_json_fields),
    ALWAYS(T, ranks, FIELD_LIST, "ranks", "the ranks of a job; empty for a single process",
           .of = &job_rank_fields),
    OR_NULL(T, imbalance, FIELD_NUM, "imbalance",
            "(most - least) / mean of the ranks' compute time per GPU; null without ranks"),
    OR_NULL(T, straggler, FIELD_REF, "straggler",
            "rank that the others wait for; null when there is none", .of = &straggler_fields),
    OR_NULL(T, efficiencies, FIELD_REF, "efficiencies",
            "POP efficiencies of the job, 0 to 1; null without ranks", .of = &efficiency_fields),
    OR_NULL(T, job, FIELD_REF, "job", "the job as a whole; null without ranks", .of = &job_fields),
    HOTSPOTS("as many as asked for; all of them in analyses"),
    SPREAD(T, a, FIELD_REF, &kernel_part),
    COUNTED,
    WITHIN("short_kernels", "kernels too short to hide their launch", &short_kernels),
    WITHIN("kernel_resources", "registers, LDS, occupancy", &resources),
    WITHIN("api_breakdown", "the host's calls", &api),
    WITHIN("roctx_regions", "ranges the program marked; null without", &regions, .null = NULL_MAYBE,
           .flag = FLAG(T, has_regions)),
    SPREAD(T, trust, FIELD_OBJECT, &trust_quality_fields),
    SPREAD(T, trust, FIELD_OBJECT, &trust_capability_fields),
    WARNINGS("what to know before believing a number"),
    OR_NULL(T, source, FIELD_REF, "tier0", "the source folder of --source-dir; null without",
            .of = &source_json_fields),
    OR_NULL(T, att, FIELD_REF, "thread_trace", "stalls by instruction, of --att-dir; null without",
            .of = &att_json_fields),
    IF_ANY(T, explanation, FIELD_REF, "explanation",
           "what a language model said, of --llm; only there when one was asked",
           .of = &explanation_fields),
    ALWAYS(T, results, FIELD_TABLES, "analyses", "every table of every analysis, whole"),
};
const struct fields analysis_document_fields = FIELDS("analysis", "", T, document_list);

static const struct fields nothing = {.key = "", .doc = ""};
PART(advice_part, struct source_json,
     ALWAYS(struct source_json, advice, FIELD_LIST, "recommendations",
            "what to capture, and what the code suggests", .of = &source_advice_fields));
static const struct field source_list[] = {
    VERSION,
    METADATA(&metadata),
    WITHIN("profiling_info", "that nothing was recorded", &source_info),
    WITHIN("summary", "in words", &summary),
    ALWAYS_NULL("execution_breakdown", "nothing was measured"),
    HOTSPOTS("empty"),
    WITHIN("memory_analysis", "empty", &nothing),
    COUNTED,
    SPREAD(T, source, FIELD_REF, &advice_part),
    WARNINGS("files that were left out"),
    ALWAYS(T, source, FIELD_REF, "tier0", "the source folder", .of = &source_json_fields),
};
const struct fields source_document_fields = FIELDS("source", "", T, source_list);

static const struct field att_list[] = {
    VERSION,
    METADATA(&metadata),
    WITHIN("profiling_info", "that there is no timeline", &att_info),
    ALWAYS(T, att, FIELD_REF, "thread_trace", "stalls by instruction", .of = &att_json_fields),
};
const struct fields att_document_fields = FIELDS("thread_trace", "", T, att_list);
