/* The summary of a trace: the facts on one page, without judgement. */
#include <math.h>

#include "analyze/summary.h"
#include "base/fs.h"
#include "report/section.h"

static bool has(const struct subject *s)
{
    return s->summary != NULL;
}

static void totals(const struct subject *s, struct doc *d)
{
    const struct analysis *an = s->a;
    const struct breakdown *b = &an->breakdown;
    struct arena *a = d->arena;
    doc_fact(d, "window", "%s", value_ns(a, b->window_ns));
    if (b->not_recorded_ns)
        doc_fact(d, "not recorded", "%s", value_ns(a, b->not_recorded_ns));
    doc_fact(d, "GPUs", "%u", b->gpu_count);
    doc_fact(d, "kernel sum", "%s (utilization %s%s)", value_ns(a, b->kernel_sum_ns),
             value_pct(a, b->kernel_pct), b->gpu_count > 1 ? ", mean over GPUs" : "");
    if (!isnan(b->concurrency))
        doc_fact(d, "concurrency", "%.2f kernels at once", b->concurrency);
    doc_fact(d, "copies", "%s", value_ns(a, b->copy_ns));
    if (capability_has(&an->capabilities, CAPABLE_API))
        doc_fact(d, "host waits", "%s, %s of the window", value_ns(a, b->sync_blocked_ns),
                 value_pct(a, b->sync_blocked_pct));
    doc_fact(d, "idle in gaps", "%s", value_ns(a, s->summary->gap_ns));
    doc_fact(d, "MPI", "%s",
             capability_has(&an->capabilities, CAPABLE_MPI) ? "recorded" : "not recorded");
}

/* ---- rows that no analysis has ---- */

struct device_row {
    int32_t gpu;
    const char *name, *arch;
    double cu_count, memory_bytes, peak_gbps, utilization_pct;
};

#define F(member, type, label, unit, doc) FIELD(struct device_row, member, type, label, unit, doc)
static const struct field device_v[] = {
    F(gpu, FIELD_I32, "GPU", NO_UNIT, "number of the GPU"),
    F(name, FIELD_TEXT, "name", NO_UNIT, "product name"),
    F(arch, FIELD_TEXT, "architecture", NO_UNIT, "of the GPU"),
    F(cu_count, FIELD_NUM, "CUs", NO_UNIT, "compute units or SMs"),
    F(memory_bytes, FIELD_NUM, "memory", IN_BYTES, "device memory"),
    F(peak_gbps, FIELD_NUM, "peak", IN_GBPS, "most its memory can do"),
    F(utilization_pct, FIELD_NUM, "utilization", IN_PERCENT, "kernels, of the window"),
};
#undef F
static const struct fields device_fields =
    FIELDS("devices", "GPUs of the trace.", struct device_row, device_v);

struct kernel_row {
    const char *kernel;
    uint64_t calls;
    int64_t total_ns;
    double mean_ns, pct, registers, launch_ns;
};

#define F(member, type, label, unit, doc) FIELD(struct kernel_row, member, type, label, unit, doc)
static const struct field kernel_v[] = {
    F(kernel, FIELD_TEXT, "kernel", NO_UNIT, "short name"),
    F(calls, FIELD_U64, "calls", NO_UNIT, "number of dispatches"),
    F(total_ns, FIELD_I64, "total", IN_NS, "sum of durations"),
    F(mean_ns, FIELD_NUM, "mean", IN_NS, "total / calls"),
    F(pct, FIELD_NUM, "of kernels", IN_PERCENT, "100 x total / summed kernel time"),
    F(registers, FIELD_NUM, "registers", NO_UNIT, "mean over dispatches"),
    F(launch_ns, FIELD_NUM, "launch", IN_NS, "mean launch latency"),
};
#undef F
static const struct fields kernel_fields =
    FIELDS("top_kernels", "Kernels that take longest.", struct kernel_row, kernel_v);

static bool has_devices(const struct subject *s)
{
    return s->summary->devices.n > 0;
}

static void devices(const struct subject *s, struct doc *d)
{
    VEC(struct device_row) rows = {0};
    for (size_t i = 0; i < s->summary->devices.n; i++) {
        const struct device_summary *v = &s->summary->devices.v[i];
        struct device_row r = {
            v->index,     v->name,           v->arch, v->cu_count, v->memory_gib * (1 << 30),
            v->peak_gbps, v->utilization_pct};
        vec_push(&rows, d->arena, r);
    }
    doc_rows(d, RESULT(device_fields, rows), &(struct rows){.top = 0});
}

static bool has_kernels(const struct subject *s)
{
    return s->summary->kernels.n > 0;
}

static void kernels(const struct subject *s, struct doc *d)
{
    VEC(struct kernel_row) rows = {0};
    for (size_t i = 0; i < s->summary->kernels.n; i++) {
        const struct kernel_summary *k = &s->summary->kernels.v[i];
        struct kernel_row r = {k->hotspot->short_name,
                               k->hotspot->calls,
                               k->hotspot->total_duration_ns,
                               k->hotspot->avg_duration_ns,
                               k->hotspot->pct_of_total,
                               k->registers,
                               k->mean_launch_ns};
        vec_push(&rows, d->arena, r);
    }
    doc_rows(d, RESULT(kernel_fields, rows), &(struct rows){.top = 0});
}

/* ---- rows of analyses ---- */

static bool has_copies(const struct subject *s)
{
    return s->a->copies.n > 0;
}

static void copies(const struct subject *s, struct doc *d)
{
    doc_rows(d, section_result(s, "copies"),
             &(struct rows){.shown = "direction count total_bytes total_duration_ns bandwidth_gbps "
                                     "efficiency_pct",
                            .never = "slowest"});
}

static bool has_gaps(const struct subject *s)
{
    return s->summary->gap_ns > 0;
}

static void gaps(const struct subject *s, struct doc *d)
{
    doc_rows(d, section_result(s, "idle_gaps"), &(struct rows){.shown = "label count total_ns"});
}

static bool has_phases(const struct subject *s)
{
    return s->summary->phases.n > 1;
}

static void phases(const struct subject *s, struct doc *d)
{
    doc_rows(d, section_result(s, "phases"),
             &(struct rows){.shown = "phase name start_ns duration_ns busy_pct compute_ns "
                                     "exposed_ns idle_ns"});
}

static bool has_streams(const struct subject *s)
{
    return s->a->streams.n > 0;
}

static void streams(const struct subject *s, struct doc *d)
{
    doc_rows(d, section_result(s, "streams"), &(struct rows){.top = 10});
}

static bool has_markers(const struct subject *s)
{
    return s->summary->markers.n > 0;
}

static void markers(const struct subject *s, struct doc *d)
{
    const struct result *r = section_result(s, "markers");
    VEC(struct marker_row) rows = {0};
    for (size_t i = 0; i < s->summary->markers.n; i++)
        vec_push(&rows, d->arena, *s->summary->markers.v[i]);
    if (r)
        doc_rows(d, &(struct result){r->fields, rows.v, rows.n, false},
                 &(struct rows){.shown = "name calls wall_ns avg_ns kernels"});
}

static bool has_mpi(const struct subject *s)
{
    return s->summary->mpi.n > 0;
}

static void mpi(const struct subject *s, struct doc *d)
{
    const struct result *r = section_result(s, "api_calls");
    VEC(struct api_row) rows = {0};
    for (size_t i = 0; i < s->summary->mpi.n; i++)
        vec_push(&rows, d->arena, *s->summary->mpi.v[i]);
    if (r)
        doc_rows(d, &(struct result){r->fields, rows.v, rows.n, false},
                 &(struct rows){.key = "mpi", .shown = "name calls total_ns avg_ns max_ns"});
}

#define SUMMARY(symbol, name, title, has, build)                                                   \
    const struct section section_summary_##symbol = {name, title, title, IN(REPORT_SUMMARY),       \
                                                     has,  build}
SUMMARY(totals, "totals", "Totals", has, totals);
SUMMARY(devices, "gpus", "GPUs", has_devices, devices);
SUMMARY(kernels, "kernels", "Top kernels", has_kernels, kernels);
SUMMARY(copies, "copies", "Copies", has_copies, copies);
SUMMARY(gaps, "gaps", "Idle gaps between work", has_gaps, gaps);
SUMMARY(phases, "phases", "Phases", has_phases, phases);
SUMMARY(streams, "streams", "Streams", has_streams, streams);
SUMMARY(markers, "markers", "Marker ranges", has_markers, markers);
SUMMARY(mpi, "mpi", "MPI operations", has_mpi, mpi);

struct doc *summary_report(struct subject *s, const char *sections, struct arena *arena,
                           struct gs_error *err)
{
    struct doc *d = doc_new(arena);
    const struct trace *t = s->a->trace;
    s->kind = REPORT_SUMMARY;
    analysis_results(s->a, &s->results, arena);
    d->a = s->a;
    doc_title(d, "%s%s", t->files.n ? fs_basename(t->files.v[0].path) : "trace",
              t->files.n > 1 ? arena_printf(arena, " and %zu more", t->files.n - 1) : "");
    if (s->a->only)
        doc_about(d, "only", "%s", s->a->only);
    return sections_build(d, s, sections, err) ? d : NULL;
}
