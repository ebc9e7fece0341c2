#include <math.h>

#include "base/sat.h"
#include "base/str.h"
#include "field/field.h"
#include "report/summary_json.h"
#include "report/summary_json_in.h"

/* Times are in the units of PerfAdvisor: seconds, milliseconds, microseconds. */
#define S .divide = 1e9
#define MS .divide = 1e6
#define US .divide = 1e3

struct summary_json {
    struct summary_part_json run;
    const char *path; /* of the first file; NULL: none */
    VEC(const struct marker_row *) markers;
    VEC(struct device_summary) devices;
    const struct device_summary *first;
    double peak_gbps;
    bool has_mpi;
    struct summary_parts phases;
};

/* ---- rows ---- */

#define T struct gap_row
SHARED_PART(summary_gap_fields, T, ALWAYS(T, label, FIELD_TEXT, "label", "length of the gaps"),
            ALWAYS(T, count, FIELD_U64, "count", "gaps"),
            ALWAYS(T, total_ns, FIELD_I64, "total_s", "their sum", S));
#undef T

#define T struct hotspot
PART(calls_fields, T, ALWAYS(T, calls, FIELD_U64, "calls", "dispatches"),
     ALWAYS(T, total_duration_ns, FIELD_I64, "total_s", "sum of durations", S),
     OR_NULL(T, avg_duration_ns, FIELD_NUM, "avg_ms", "mean duration", MS),
     ALWAYS(T, min_duration_ns, FIELD_I64, "min_ms", "shortest", MS),
     ALWAYS(T, max_duration_ns, FIELD_I64, "max_ms", "longest", MS),
     OR_NULL(T, pct_of_total, FIELD_NUM, "pct_of_gpu_time", "of the summed kernel time"),
     OR_NULL(T, std_dev_ns, FIELD_NUM, "std_dev_ms", "population standard deviation", MS),
     OR_NULL(T, cv, FIELD_NUM, "cv", "std_dev / avg"));
PART(name_fields, T, ALWAYS(T, name, FIELD_TEXT, "name", "full, demangled name"));
#undef T

#define T struct summary_kernel_json
SHARED_PART(summary_kernel_fields, T, SPREAD(T, k.hotspot, FIELD_REF, &name_fields),
            OR_NULL(T, short_name, FIELD_TEXT, "short_name", "name for tables; null: the same"),
            SPREAD(T, k.hotspot, FIELD_REF, &calls_fields),
            OR_NULL(T, k.registers, FIELD_NUM, "avg_registers_per_thread", "mean over dispatches"),
            OR_NULL(T, k.lds_bytes, FIELD_NUM, "avg_shared_mem_bytes", "mean over dispatches"),
            OR_NULL(T, k.wave_fill, FIELD_NUM, "wave_fill_ratio",
                    "threads / threads the GPU holds"),
            OR_NULL(T, k.mean_launch_ns, FIELD_NUM, "avg_launch_overhead_us", "launch latency", US),
            OR_NULL(T, k.max_launch_ns, FIELD_NUM, "max_launch_overhead_us", "the longest", US));
#undef T

#define T struct copy_row
SHARED_PART(summary_copy_fields, T,
            ALWAYS(T, kind, FIELD_ENUM, "kind", "direction", .words = copy_directions),
            ALWAYS(T, count, FIELD_U64, "transfers", "copies"),
            ALWAYS(T, total_bytes, FIELD_U64, "total_bytes", "bytes known"),
            ALWAYS(T, total_duration_ns, FIELD_I64, "total_s", "union per GPU, summed", S),
            OR_NULL(T, bandwidth_gbps, FIELD_NUM, "effective_GBs", "bytes / summed durations"),
            OR_NULL(T, efficiency_pct, FIELD_NUM, "pct_of_peak_bandwidth", "of the link"));
#undef T

#define T struct stream_row
SHARED_PART(summary_stream_fields, T,
            ALWAYS(T, stream, FIELD_I64, "stream_id", "as the profiler numbers it"),
            ALWAYS(T, gpu, FIELD_I32, "gpu", "number of the GPU; -1: not known"),
            ALWAYS(T, pid, FIELD_I64, "pid", "process"),
            ALWAYS(T, kernels, FIELD_U64, "kernel_calls", "dispatches"),
            ALWAYS(T, busy_ns, FIELD_I64, "total_gpu_s", "union of its work", S),
            OR_NULL(T, pct_of_gpu_busy, FIELD_NUM, "pct_of_gpu_time", "of its GPU's working time"));
#undef T

#define T struct marker_row
PART(marker_fields, T, ALWAYS(T, name, FIELD_TEXT, "name", "text of the marker"),
     ALWAYS(T, calls, FIELD_U64, "calls", "ranges"),
     ALWAYS(T, wall_ns, FIELD_I64, "total_s", "union per thread, summed", S),
     OR_NULL(T, avg_ns, FIELD_NUM, "avg_ms", "mean length", MS));
#undef T

#define T struct api_row
PART(mpi_fields, T, ALWAYS(T, name, FIELD_TEXT, "op", "the call"),
     ALWAYS(T, calls, FIELD_U64, "calls", "number of calls"),
     ALWAYS(T, total_ns, FIELD_I64, "total_s", "sum of durations", S),
     OR_NULL(T, avg_ns, FIELD_NUM, "avg_ms", "mean duration", MS),
     ALWAYS(T, max_ns, FIELD_I64, "max_ms", "longest", MS));
#undef T

/* Rows behind pointers. */
SHARED_PART(summary_marker_rows, const void *, ALL_AT(&marker_fields));
SHARED_PART(summary_mpi_rows, const void *, ALL_AT(&mpi_fields));

#define T struct device_summary
static bool has_capability(const void *row)
{
    return *((const T *)row)->capability;
}

#define NUMBER(member, key, doc) OR_NULL(T, member, FIELD_NUM, key, doc)
PART(device_fields, T, ALWAYS(T, vendor, FIELD_TEXT, "vendor", "who made it"),
     ALWAYS(T, host, FIELD_TEXT, "hostname", "host it is in"),
     ALWAYS(T, name, FIELD_TEXT, "name", "product name"),
     OR_NULL(T, capability, FIELD_TEXT, "compute_capability", "of NVIDIA's", .has = has_capability),
     NUMBER(cu_count, "sm_count", "compute units or SMs"),
     NUMBER(threads_per_cu, "max_threads_per_sm", "threads at once"),
     NUMBER(peak_gbps, "peak_memory_bandwidth_GBs", "of the device memory"),
     NUMBER(memory_gib, "total_memory_GiB", "device memory"),
     NUMBER(l2_mib, "l2_cache_MiB", "L2 cache"),
     NUMBER(group_threads, "max_threads_per_block", "of a work-group"),
     NUMBER(group_registers, "max_registers_per_block", "of a work-group"),
     NUMBER(group_lds_kib, "max_shared_mem_per_block_KiB", "of a work-group"),
     NUMBER(group_lds_optin_kib, "max_shared_mem_per_block_optin_KiB", "when asked for"),
     NUMBER(clock_mhz, "clock_rate_MHz", "highest clock"));
PART(gpu_fields, T, ALL_OF(&device_fields), ALWAYS(T, index, FIELD_I32, "gpu", "number of the GPU"),
     NUMBER(utilization_pct, "gpu_utilization_pct", "kernels, of the window"));
#undef T

/* ---- the run and its phases ---- */

#define T struct analysis
static bool has_api(const void *row)
{
    return capability_has(&((const T *)row)->capabilities, CAPABLE_API);
}

#define TIME(member, key, doc, ...)                                                                \
    ALWAYS(T, breakdown.member, FIELD_I64, key, doc, S, ##__VA_ARGS__)
#define KERNEL_TIME                                                                                \
    TIME(kernel_sum_ns, "gpu_kernel_s", "sum of kernel durations"),                                \
        TIME(kernel_ns, "gpu_busy_s", "union of kernels per GPU, summed")
#define COPY_TIME TIME(copy_ns, "gpu_memcpy_s", "union of copies per GPU, summed")
#define USE                                                                                        \
    OR_NULL(T, breakdown.kernel_pct, FIELD_NUM, "gpu_utilization_pct", "kernels, of window x GPUs")
SHARED_PART(summary_run_times, T, TIME(window_ns, "profile_span_s", "length of the window"),
            KERNEL_TIME,
            OR_NULL(T, breakdown.concurrency, FIELD_NUM, "kernel_concurrency_factor",
                    "gpu_kernel_s / gpu_busy_s"),
            COPY_TIME);
SHARED_PART(summary_run_use, T, USE);
PART(phase_times, T, USE, KERNEL_TIME, COPY_TIME);
PART(run_rows, T,
     ALWAYS(T, copies, FIELD_LIST, "memcpy_by_kind", "by direction", .of = &summary_copy_fields),
     ALWAYS(T, streams, FIELD_LIST, "streams", "busiest first", .of = &summary_stream_fields));
PART(blocked, T,
     OR_NULL(T, breakdown.sync_blocked_ns, FIELD_I64, "cpu_sync_blocked_s",
             "host waits for the GPU: in synchronising calls and blocking copies, threads united; "
             "null: no host calls",
             S, .has = has_api),
     OR_NULL(T, breakdown.sync_blocked_pct, FIELD_NUM, "cpu_sync_blocked_pct", "of the window",
             .has = has_api));
#undef T

#define T struct phase_row
PART(phase_name, T, ALWAYS(T, name, FIELD_TEXT, "name", "marker, kernel, or what the host does"));
PART(phase_span, T, ALWAYS(T, duration_ns, FIELD_I64, "duration_s", "its length", S),
     ALWAYS(T, start_ns, FIELD_I64, "start_ns", "in the trace's clock"),
     ALWAYS(T, end_ns, FIELD_I64, "end_ns", "in the trace's clock"));
PART(phase_idle, T,
     ALWAYS(T, idle_ns, FIELD_I64, "total_gpu_idle_s",
            "neither kernel nor copy runs, at the edges of the phase too", S));
#undef T

#define T struct summary_part_json
#define GAPS                                                                                       \
    ALWAYS(T, gaps, FIELD_LIST, "gap_histogram", "gaps by length", .of = &summary_gap_fields),     \
        ALWAYS(T, kernels, FIELD_LIST, "top_kernels", "most time first",                           \
               .of = &summary_kernel_fields)
#define CALLS ALWAYS(T, mpi, FIELD_LIST, "mpi_ops", "calls of MPI", .of = &summary_mpi_rows)
PART(run_head, T, SPREAD(T, a, FIELD_REF, &summary_run_times),
     ALWAYS(T, sync_ns, FIELD_I64, "gpu_sync_s",
            "host time in synchronising calls alone, threads united", S),
     SPREAD(T, a, FIELD_REF, &summary_run_use),
     ALWAYS(T, gap_ns, FIELD_I64, "total_gpu_idle_s", "sum of gaps between work", S), GAPS,
     SPREAD(T, a, FIELD_REF, &run_rows));
PART(run_calls, T, SPREAD(T, a, FIELD_REF, &blocked), CALLS);
SHARED_PART(summary_phase_fields, T, SPREAD(T, row, FIELD_REF, &phase_name),
            ALWAYS(T, start_ns, FIELD_I64, "start_s", "from the start of the first phase", S),
            ALWAYS(T, end_ns, FIELD_I64, "end_s", "the same", S),
            SPREAD(T, row, FIELD_REF, &phase_span), SPREAD(T, a, FIELD_REF, &phase_times),
            SPREAD(T, row, FIELD_REF, &phase_idle), GAPS, CALLS);
#undef T

#define T struct summary_json
PART(document, T, OR_NULL(T, path, FIELD_TEXT, "profile_path", "the first file"),
     SPREAD(T, run, FIELD_OBJECT, &run_head),
     ALWAYS(T, markers, FIELD_LIST, "marker_ranges", "of the program", .of = &summary_marker_rows),
     OR_NULL(T, first, FIELD_REF, "device_info", "the first GPU", .of = &device_fields),
     OR_NULL(T, peak_gbps, FIELD_NUM, "peak_memory_bandwidth_GBs", "of its memory"),
     SPREAD(T, run, FIELD_OBJECT, &run_calls),
     ALWAYS(T, has_mpi, FIELD_BOOL, "mpi_present", "MPI was recorded"),
     ALWAYS(T, phases, FIELD_LIST, "phases", "in order of time", .of = &summary_phase_fields),
     ALWAYS(T, devices, FIELD_LIST, "gpus", "one by one", .of = &gpu_fields));

struct summary_part_json summary_part_make(const struct summary *s, size_t most,
                                           struct arena *arena)
{
    struct summary_part_json p = {.a = s->a, .sync_ns = s->sync_ns, .gap_ns = s->gap_ns};
    for (size_t i = 0; i < s->a->gaps.n; i++)
        if (s->a->gaps.v[i].count)
            vec_push(&p.gaps, arena, s->a->gaps.v[i]);
    for (size_t i = 0; i < s->kernels.n && (!most || i < most); i++) {
        const struct hotspot *h = s->kernels.v[i].hotspot;
        vec_push(&p.kernels, arena,
                 ((struct summary_kernel_json){
                     s->kernels.v[i], str_eq(h->short_name, h->name) ? NULL : h->short_name}));
    }
    p.mpi.v = s->mpi.v;
    p.mpi.n = most && most < s->mpi.n ? most : s->mpi.n;
    return p;
}

void summary_parts_make(struct summary_parts *out, const struct summary *s, struct arena *arena)
{
    enum { TOP = 5 };
    for (size_t i = 0; i < s->phases.n; i++) {
        const struct phase_row *row = s->phases.v[i].row;
        struct summary_part_json p = summary_part_make(s->phases.v[i].summary, TOP, arena);
        p.row = row;
        p.start_ns = sub_ns(row->start_ns, s->phases.v[0].row->start_ns);
        p.end_ns = sub_ns(row->end_ns, s->phases.v[0].row->start_ns);
        vec_push(out, arena, p);
    }
}

void summary_json(const struct summary *s, struct jwrite *w)
{
    struct arena *arena = w->out->arena;
    const struct trace *t = s->a->trace;
    T d = {.run = summary_part_make(s, 0, arena), .path = t->files.n ? t->files.v[0].path : NULL};
    d.markers.v = s->markers.v;
    d.markers.n = s->markers.n;
    d.devices.v = s->devices.v;
    d.devices.n = s->devices.n;
    d.first = s->devices.n ? &s->devices.v[0] : NULL;
    d.peak_gbps = d.first ? d.first->peak_gbps : NAN;
    d.has_mpi = capability_has(&s->a->capabilities, CAPABLE_MPI);
    summary_parts_make(&d.phases, s, arena);
    fields_write(w, NULL, &document, &d);
}

void summary_json_schema(struct str *out)
{
    fields_schema_document(
        out, "urn:gpusight:summary:1.0", "gpusight summary",
        "What 'gpusight summary --json' writes; null means that it cannot be said. Made by "
        "'gpusight --generate summary-schema'.",
        &document);
}
