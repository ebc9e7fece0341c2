/* What stands in rocinsight's document, member by member, in order. It rounds, and knows no null. */
#include "compat/rocinsight_in.h"

#define ROUNDED(T, member, key, steps_, doc) ALWAYS(T, member, FIELD_NUM, key, doc, .steps = steps_)
#define PCT(T, member, key, doc) ROUNDED(T, member, key, 100, doc)
#define COUNT(T, member, key, doc) ALWAYS(T, member, FIELD_U64, key, doc)
#define NS(T, member, key, doc) ALWAYS(T, member, FIELD_I64, key, doc, .least = "0")
#define TEXT(T, member, key, doc, ...) ALWAYS(T, member, FIELD_TEXT, key, doc, ##__VA_ARGS__)
#define LIST(T, member, key, doc, fields) ALWAYS(T, member, FIELD_LIST, key, doc, .of = fields)

/* ---- what was recorded ---- */

#define T struct gpu_json
static bool has_agent(const void *row)
{
    return ((const T *)row)->agent >= 0;
}

PART(gpu_fields, T, TEXT(T, name, "name", "product name"),
     TEXT(T, arch, "architecture", "gfx942, sm_90, ..."),
     IF_ANY(T, agent, FIELD_I64, "agent_id", "as the profiler numbers devices", .has = has_agent));
#undef T

#define T struct analysis_document
PART(info, T,
     NS(T, overview.execution.total_runtime_ns, "total_duration_ns",
        "span of GPU work, as in execution_breakdown"),
     TEXT(T, overview.profiling_mode, "profiling_mode", "what was recorded",
          .words = WORDS("source_only", "sys_trace_only", "sys_trace_with_counters", "pc_sampling",
                         "thread_trace")),
     ALWAYS(T, overview.tier, FIELD_I32, "analysis_tier",
            "0: source code, 1: trace, 2: trace and counters, 3: PC samples, instructions",
            .least = "0"),
     LIST(T, gpus, "gpus", "GPUs in the view", &gpu_fields));
PART(summary, T,
     TEXT(T, overview.assessment, "overall_assessment", "the verdict and the size of the run"),
     ALWAYS(T, overview.bottleneck, FIELD_ENUM, "primary_bottleneck", "of the first finding",
            .words = primary_names),
     ROUNDED(T, overview.confidence, "confidence", 100, "0 to 1"),
     LIST(T, overview.key_findings, "key_findings", "most important first", &field_texts));
#undef T

/* ---- time ---- */

#define T struct execution
PART(execution, T, NS(T, total_runtime_ns, "total_runtime_ns", "span of GPU work"),
     NS(T, kernel_time_ns, "kernel_time_ns", "kernels, united"),
     PCT(T, kernel_time_pct, "kernel_time_pct", "of the span x GPUs"),
     NS(T, memcpy_time_ns, "memcpy_time_ns", "copies that no kernel hides"),
     PCT(T, memcpy_time_pct, "memcpy_time_pct", "of the span x GPUs"),
     NS(T, api_overhead_ns, "api_overhead_ns", "idle while the host was in a call"),
     PCT(T, api_overhead_pct, "api_overhead_pct", "of the span x GPUs"),
     NS(T, idle_time_ns, "idle_time_ns", "idle otherwise"),
     PCT(T, idle_time_pct, "idle_time_pct", "of the span x GPUs"));
#undef T

#define T struct timeline
PART(timeline, T, NS(T, total_wall_ns, "total_wall_ns", "span of GPU work"),
     NS(T, true_compute_ns, "true_compute_ns", "kernels, united"),
     PCT(T, true_compute_pct, "true_compute_pct", "of the span x GPUs"),
     NS(T, exposed_memcpy_ns, "exposed_memcpy_ns", "copies that no kernel hides"),
     PCT(T, exposed_memcpy_pct, "exposed_memcpy_pct", "of the span x GPUs"),
     NS(T, idle_ns, "idle_ns", "neither"), PCT(T, idle_pct, "idle_pct", "of the span x GPUs"));
#undef T

/* ---- kernels ---- */

#define T struct hotspot
PART(hotspot, T, ALWAYS(T, rank, FIELD_U32, "rank", "1: most time", .least = "1"),
     TEXT(T, name, "name", "of the kernel"), COUNT(T, calls, "calls", "dispatches"),
     NS(T, total_duration_ns, "total_duration_ns", "sum of durations"),
     ROUNDED(T, avg_duration_ns, "avg_duration_ns", 100, "of a dispatch"),
     NS(T, min_duration_ns, "min_duration_ns", "shortest"),
     NS(T, max_duration_ns, "max_duration_ns", "longest"),
     PCT(T, pct_of_total, "pct_of_total", "of the durations of all kernels"));
#undef T

#define T struct category_row
PART(category, T, TEXT(T, group, "category", "its word for what a kernel does"),
     COUNT(T, count, "count", "dispatches"), NS(T, total_ns, "total_ns", "sum of durations"),
     PCT(T, pct_of_kernel_time, "pct_of_kernel_time", "of the durations of all kernels"),
     NS(T, avg_duration_ns, "avg_duration_ns", "of a dispatch"),
     PCT(T, pct_of_total_time, "pct_of_total_time", "of the span x GPUs, 100 at most"));
#undef T

#define T struct short_bucket
PART(bucket, T, TEXT(T, bucket_label, "bucket_label", "durations"),
     COUNT(T, count, "count", "dispatches"));
#undef T

#define T struct short_offender
PART(offender, T, TEXT(T, name, "name", "of the kernel"),
     COUNT(T, count, "count", "short dispatches"),
     ROUNDED(T, avg_us, "avg_us", 1000, "of a short dispatch"),
     NS(T, total_ns, "total_wasted_ns", "time in them"));
#undef T

/* "Wasted" is what it calls the time of short kernels; its readers compare it with its own. */
#define T struct analysis
PART(short_part, T,
     ALWAYS(T, short_kernels.threshold_us, FIELD_NUM, "threshold_us", "shorter is short"),
     COUNT(T, short_kernels.total_kernels, "total_kernels", "dispatches"),
     COUNT(T, short_kernels.short_kernel_count, "short_kernel_count", "short ones"),
     PCT(T, short_kernels.short_kernel_pct, "short_kernel_pct", "of all dispatches"),
     NS(T, short_kernels.short_ns, "wasted_ns", "time in short kernels"),
     PCT(T, short_kernels.short_pct_of_kernel_time, "wasted_pct_of_kernel_time",
         "of the durations of all kernels"));
PART(offender_part, T,
     LIST(T, short_offenders, "top_offenders", "names with most time in short dispatches",
          &offender));
#undef T

/* ---- copies and counters ---- */

#define T struct copy_row
PART(copy, T, COUNT(T, count, "count", "copies"), COUNT(T, total_bytes, "total_bytes", "copied"),
     NS(T, total_duration_ns, "total_duration_ns", "united per GPU"),
     ROUNDED(T, avg_bytes, "avg_bytes", 100, "of a copy"),
     ROUNDED(T, avg_duration_ns, "avg_duration_ns", 100, "of a copy"),
     ROUNDED(T, bandwidth_gbps, "bandwidth_gbps", 10000, "bytes / summed durations"));
PART(copy_by_direction, T, ALWAYS(T, kind, FIELD_ENUM, "", "", .words = copy_directions),
     WITHIN("", "of a direction", &copy));
#undef T

#define T struct counter_row
PART(counter, T, COUNT(T, sample_count, "sample_count", "dispatches"),
     ROUNDED(T, avg_value, "avg_value", 10000, "of a dispatch"),
     ROUNDED(T, min_value, "min_value", 10000, "least of a dispatch"),
     ROUNDED(T, max_value, "max_value", 10000, "most of a dispatch"),
     ROUNDED(T, total_value, "total_value", 10000, "of all dispatches"));
PART(counter_by_name, T, TEXT(T, counter, "", ""), WITHIN("", "of a counter", &counter));
#undef T

#define T struct analysis_document
#define COUNTED .null = NULL_MAYBE, .flag = FLAG(T, has_counters)
PART(counters, T,
     ALWAYS(T, has_counters, FIELD_BOOL, "has_counters", "any value of a dispatch in the window"),
     WITHIN("metrics", "derived values", &counter_metrics_fields, COUNTED),
     FIELD_AS(T, counters.rows, FIELD_PAIRS, "counters", "counters", NO_UNIT, "by name",
              .of = &counter_by_name, COUNTED));
#undef T

/* ---- advice ---- */

#define T struct rocinsight_advice
PART(advice, T, TEXT(T, id, "id", "stable name"),
     ALWAYS(T, priority, FIELD_ENUM, "priority", "from what was claimed", .words = priority_names),
     TEXT(T, category, "category", "subject"), TEXT(T, issue, "issue", "what is wrong here"),
     TEXT(T, suggestion, "suggestion", "what to do about it"),
     LIST(T, actions, "actions", "steps", &field_texts),
     TEXT(T, impact, "estimated_impact", "what it may bring, in words"),
     OR_NULL(T, confidence, FIELD_NUM, "confidence", "0 to 1; null: nothing was measured"),
     LIST(T, commands, "commands", "captures that would tell more", &profiler_command_fields));
#undef T

/* ---- source code ---- */

#define T struct source_kernel
PART(source_kernel, T, TEXT(T, name, "name", ""), TEXT(T, file, "file", ""),
     ALWAYS(T, line, FIELD_U32, "line", ""), TEXT(T, launch_type, "launch_type", ""));
#undef T

#define T struct source_pattern
PART(pattern_part, T,
     ALWAYS(T, pattern_id, FIELD_ENUM, "pattern_id", "stable name, see docs/source-scan.md",
            .words = source_pattern_words),
     ALWAYS(T, severity, FIELD_ENUM, "severity", "", .words = source_severity_words),
     ALWAYS(T, category, FIELD_ENUM, "category", "subject", .words = source_category_words),
     TEXT(T, description, "description", "what it is"),
     ALWAYS(T, count, FIELD_U32, "count", "places"));
#undef T

#define T struct pattern_json
PART(pattern, T, SPREAD(T, p, FIELD_REF, &pattern_part),
     LIST(T, locations, "locations", "file:line, the first 20", &field_texts));
#undef T

#define T struct source_scan
PART(files_part, T,
     ALWAYS(T, programming_model, FIELD_ENUM, "programming_model", "see docs/source-scan.md",
            .words = source_model_words),
     ALWAYS(T, files_scanned, FIELD_U32, "files_scanned", "files that were read"),
     ALWAYS(T, files_skipped, FIELD_U32, "files_skipped", "files that could not be"),
     COUNT(T, kernels.n, "kernel_count", "different kernels"),
     LIST(T, kernels, "detected_kernels", "one a kernel", &source_kernel));
#undef T

#define T struct source_json
PART(scan_head, T, SPREAD(T, s, FIELD_REF, &source_dir_fields),
     TEXT(T, timestamp, "analysis_timestamp", "when, in ISO 8601"),
     SPREAD(T, s, FIELD_REF, &files_part),
     LIST(T, patterns, "detected_patterns", "most serious first", &pattern),
     SPREAD(T, s, FIELD_REF, &source_risk_fields));
PART(scan_tail, T, SPREAD(T, s, FIELD_REF, &source_first_fields),
     OR_NULL(T, explanation, FIELD_TEXT, "llm_explanation",
             "what a language model said of source code alone; null: none was asked"));
#undef T

#define T struct rocinsight_source
PART(source, T, SPREAD(T, s, FIELD_REF, &scan_head),
     LIST(T, advice, "recommendations", "what to capture", &advice),
     SPREAD(T, s, FIELD_REF, &scan_tail));
#undef T

/* ---- the document ---- */

#define T struct rocinsight
#define OF_TRACE .null = NULL_OMITTED, .flag = FLAG(T, has_trace)
PART(short_kernels, T, SPREAD(T, d.a, FIELD_REF, &short_part),
     LIST(T, histogram, "histogram", "up to 10 µs", &bucket),
     SPREAD(T, d.a, FIELD_REF, &offender_part));

static const struct field document_list[] = {
    TEXT(T, d.metadata.document_version, "schema_version", "of rocinsight's document: by content",
         .words = WORDS("0.2.0", "0.3.0", "0.4.0")),
    ALWAYS(T, d.metadata, FIELD_OBJECT, "metadata", "who made this of what",
           .of = &metadata_run_fields),
    ALWAYS(T, d, FIELD_OBJECT, "profiling_info", "what was recorded", .of = &info),
    ALWAYS(T, d, FIELD_OBJECT, "summary", "in words", .of = &summary),
    OR_NULL(T, d.overview.execution, FIELD_OBJECT, "execution_breakdown",
            "the span of GPU work; null: nothing was measured", .of = &execution,
            .flag = FLAG(T, has_trace)),
    LIST(T, d.hotspots, "hotspots", "as many as asked for", &hotspot),
    ALWAYS(T, copies, FIELD_PAIRS, "memory_analysis", "copies by direction",
           .of = &copy_by_direction),
    ALWAYS(T, d, FIELD_OBJECT, "hardware_counters", "reduced per dispatch first", .of = &counters),
    LIST(T, advice, "recommendations", "by priority", &advice),
    LIST(T, d.overview.warnings, "warnings", "what to know, and what is left out", &warning_fields),
    LIST(T, d.errors, "errors", "always empty: what fails ends the run", &field_texts),
    OR_NULL(T, explanation, FIELD_TEXT, "llm_enhanced_explanation",
            "what a language model said; null: none was asked"),
    FIELD_AS(T, d.overview.timeline, FIELD_OBJECT, "interval_timeline", "", NO_UNIT,
             "the span of GPU work divided", .of = &timeline, OF_TRACE),
    FIELD_AS(T, categories, FIELD_LIST, "kernel_categories", "", NO_UNIT, "what kernels do",
             .of = &category, OF_TRACE),
    WITHIN("short_kernels", "kernels too short to hide their launch", &short_kernels, OF_TRACE),
    IF_ANY(T, att, FIELD_REF, "att_trace", "stalls of a thread trace",
           .of = &rocinsight_att_fields),
    IF_ANY(T, source, FIELD_REF, "tier0", "the source folder", .of = &source),
};
const struct fields rocinsight_fields = FIELDS("rocinsight", "", T, document_list);
