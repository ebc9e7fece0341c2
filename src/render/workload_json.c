#include "render/workload_json.h"

#include <math.h>

#include "workload/rows.h"

/* ---- the document, as the tables below describe it ---- */

struct keyed_metric {
    const char *key;
    struct workload_row row;
};

struct keyed_number {
    const char *key;
    double value;
};

typedef VEC(struct keyed_number) keyed_numbers;

struct kernel_row {
    struct workload_kernel_row k;
    keyed_numbers speed_of_light;
};

struct point_row {
    struct workload_kernel_row k;
    const char *bound, *level;
};

struct channel_row {
    uint32_t channel;
    keyed_numbers values;
};

struct panel_row {
    int32_t id;
    const char *title;
    workload_rows rows;
    VEC(struct channel_row) channels;
    bool has_channels;
};

struct workload_document {
    const struct workload_report *r;
    const struct workload_system *system;
    const char *name;
    uint64_t dispatches, in_workload, kernels_selected, counters, passes, columns, unused;
    VEC(struct kernel_row) kernels;
    workload_rows speed_of_light;
    VEC(struct keyed_metric) memory_chart;
    struct roof_peaks peaks, theory;
    int64_t device;
    VEC(struct point_row) points;
    VEC(struct panel_row) panels;
};

/* ---- tables ---- */

#define NUMBER(T, member, key, doc) OR_NULL(T, member, FIELD_NUM, key, doc)
#define COUNT(T, member, key, doc) ALWAYS(T, member, FIELD_U64, key, doc)
#define TEXT(T, member, key, doc, ...) ALWAYS(T, member, FIELD_TEXT, key, doc, ##__VA_ARGS__)

#define T struct workload_system
PART(system_fields, T, ALWAYS(T, found, FIELD_BOOL, "found", "there is a sysinfo.csv"),
     TEXT(T, program, "program", "without its arguments"), TEXT(T, time, "timestamp", "of the run"),
     TEXT(T, tool, "version", "of rocprof-compute"), TEXT(T, distro, "linux_distro", ""),
     TEXT(T, rocm, "rocm_version", ""), TEXT(T, partition, "compute_partition", ""),
     TEXT(T, memory_partition, "memory_partition", ""),
     NUMBER(T, cu, "cu_per_gpu", "compute units"), NUMBER(T, simd_per_cu, "simd_per_cu", ""),
     NUMBER(T, se, "se_per_gpu", "shader engines"), NUMBER(T, wave_size, "wave_size", "work-items"),
     NUMBER(T, waves_per_cu, "max_waves_per_cu", ""), NUMBER(T, sclk_mhz, "max_sclk_mhz", ""),
     NUMBER(T, mclk_mhz, "max_mclk_mhz", ""), NUMBER(T, l2_channels, "total_l2_chan", ""),
     NUMBER(T, lds_banks, "lds_banks_per_cu", ""), NUMBER(T, sqc, "sqc_per_gpu", ""),
     NUMBER(T, xcd, "num_xcd", ""), NUMBER(T, hbm_channels, "num_hbm_channels", ""),
     NUMBER(T, hbm_gbps, "hbm_bw_gbps", "of the memory, in theory"));
#undef T

PART(keyed_metric_fields, struct keyed_metric, TEXT(struct keyed_metric, key, "key", ""),
     ALWAYS(struct keyed_metric, row, FIELD_OBJECT, "metric", "", .of = &workload_metric_fields));
PART(keyed_number_fields, struct keyed_number, TEXT(struct keyed_number, key, "key", ""),
     NUMBER(struct keyed_number, value, "value", ""));

#define T struct workload_view
#define LEVELS(name, member)                                                                       \
    PART(name, T, NUMBER(T, member[ROOF_HBM], "hbm", ""), NUMBER(T, member[ROOF_L2], "l2", ""),    \
         NUMBER(T, member[ROOF_L1], "l1", ""), NUMBER(T, member[ROOF_LDS], "lds", ""))
LEVELS(bytes_fields, roof.bytes);
LEVELS(intensity_fields, roof.intensity);
LEVELS(gbps_fields, roof.gbps);
LEVELS(bandwidth_fields, roof.bandwidth_pct);
LEVELS(roof_fields, roof.roof_pct);
PART(level_fields, T, WITHIN("bytes", "by level", &bytes_fields, .null = NULL_NEVER),
     WITHIN("flop_per_byte", "by level", &intensity_fields, .null = NULL_NEVER),
     WITHIN("gbps", "by level", &gbps_fields, .null = NULL_NEVER),
     WITHIN("pct_of_bandwidth", "of each level's peak", &bandwidth_fields, .null = NULL_NEVER),
     WITHIN("pct_of_roof", "at each level", &roof_fields, .null = NULL_NEVER));
PART(roof_why_fields, T, TEXT(T, roof.why, "why", "the numbers that decide, or what is not known"));
#undef T

#define T struct roof_peaks
PART(peak_fields, T, NUMBER(T, gbps[ROOF_HBM], "hbm", "GB/s"),
     NUMBER(T, gbps[ROOF_L2], "l2", "GB/s"), NUMBER(T, gbps[ROOF_L1], "l1", "GB/s"),
     NUMBER(T, gbps[ROOF_LDS], "lds", "GB/s"),
     NUMBER(T, gflops[FLOP_FP64], "vector_fp64", "GFLOP/s"),
     NUMBER(T, gflops[FLOP_FP32], "vector_fp32", "GFLOP/s"),
     NUMBER(T, gflops[FLOP_FP16], "vector_fp16", "GFLOP/s"),
     NUMBER(T, gflops[FLOP_MAT_FP64], "matrix_fp64", "GFLOP/s"),
     NUMBER(T, gflops[FLOP_MAT_FP32], "matrix_fp32", "GFLOP/s"),
     NUMBER(T, gflops[FLOP_MAT_FP16], "matrix_fp16", "GFLOP/s"),
     NUMBER(T, gflops[FLOP_MAT_BF16], "matrix_bf16", "GFLOP/s"),
     NUMBER(T, gflops[FLOP_MAT_FP8], "matrix_fp8", "GFLOP/s"),
     NUMBER(T, gflops[FLOP_MAT_INT8], "matrix_int8", "GFLOP/s"),
     NUMBER(T, gflops[FLOP_MAT_FP4], "matrix_fp6_fp4", "GFLOP/s"));
#undef T

#define T struct workload_kernel_row
PART(view_fields, T, WORKLOAD_KERNEL_COLUMNS(T));
PART(roof_point_fields, T, WORKLOAD_POINT_COLUMNS(T), SPREAD(T, v, FIELD_REF, &level_fields));
PART(why_fields, T, SPREAD(T, v, FIELD_REF, &roof_why_fields));
#undef T

#define T struct kernel_row
PART(kernel_fields, T, SPREAD(T, k, FIELD_OBJECT, &view_fields),
     ALWAYS(T, speed_of_light, FIELD_PAIRS, "speed_of_light", "means, by key",
            .of = &keyed_number_fields));
#undef T

#define T struct point_row
PART(point_fields, T, SPREAD(T, k, FIELD_OBJECT, &roof_point_fields),
     TEXT(T, bound, "bound", "what it is bound by",
          .words = WORDS("compute", "memory", "latency", "unknown")),
     OR_NULL(T, level, FIELD_TEXT, "level", "of memory that it is bound by",
             .words = WORDS("hbm", "l2", "l1", "lds")),
     SPREAD(T, k, FIELD_OBJECT, &why_fields));
#undef T

#define T struct channel_row
PART(channel_fields, T, ALWAYS(T, channel, FIELD_U32, "channel", "of the L2"),
     SPREAD(T, values, FIELD_PAIRS, &keyed_number_fields));
#undef T

#define T struct panel_row
PART(panel_fields, T, ALWAYS(T, id, FIELD_I32, "id", "its number in rocprof-compute"),
     TEXT(T, title, "title", ""),
     ALWAYS(T, rows, FIELD_LIST, "rows", "", .of = &workload_metric_fields),
     IF_ANY(T, channels, FIELD_LIST, "channels", "means by channel of the L2",
            .of = &channel_fields, .flag = FLAG(T, has_channels)));
#undef T

#define T struct workload_report
PART(unit_fields, T,
     ALWAYS(T, per, FIELD_ENUM, "normal_unit", "what counts are divided by",
            .words = workload_per_words));
PART(all_fields, T, NUMBER(T, all.total_ns, "total_ns", "of all dispatches selected"));
PART(measured_fields, T,
     ALWAYS(T, peaks.measured, FIELD_BOOL, "measured",
            "peaks come from roofline.csv where it has them"));
PART(note_fields, T,
     ALWAYS(T, notes, FIELD_LIST, "notes", "what was odd, and what could not be said",
            .of = &field_texts));
#undef T

#define T struct workload_document
PART(gpu_fields, struct workload_system, TEXT(struct workload_system, model, "gpu", ""),
     TEXT(struct workload_system, arch, "arch", ""));
PART(selection_fields, T, COUNT(T, dispatches, "dispatches", "selected"),
     COUNT(T, in_workload, "dispatches_in_workload", ""),
     COUNT(T, kernels_selected, "kernels", "selected"), SPREAD(T, r, FIELD_REF, &all_fields),
     COUNT(T, counters, "counters", "that a metric uses"), COUNT(T, passes, "passes", ""),
     COUNT(T, columns, "columns", "of pmc_perf.csv"),
     COUNT(T, unused, "unused_columns", "that no metric uses"));
PART(roofline_fields, T, SPREAD(T, r, FIELD_REF, &measured_fields),
     OR_NULL(T, device, FIELD_I64, "device", "of roofline.csv", .flag = FLAG(T, peaks.measured)),
     ALWAYS(T, peaks, FIELD_OBJECT, "peaks", "measured where they were", .of = &peak_fields),
     ALWAYS(T, theory, FIELD_OBJECT, "theory", "from clocks and widths", .of = &peak_fields),
     ALWAYS(T, points, FIELD_LIST, "kernels", "longest first", .of = &point_fields));
PART(document_fields, T, FIXED("schema", "gpusight-workload", "what this is"),
     FIXED("schema_version", WORKLOAD_SCHEMA_VERSION, "version of this document"),
     TEXT(T, name, "workload", "its name"), SPREAD(T, system, FIELD_REF, &gpu_fields),
     SPREAD(T, r, FIELD_REF, &unit_fields),
     ALWAYS(T, system, FIELD_REF, "sysinfo",
            "what the GPU is; host name and arguments of the program are left out",
            .of = &system_fields),
     WITHIN("selection", "what the numbers are about", &selection_fields, .null = NULL_NEVER),
     ALWAYS(T, kernels, FIELD_LIST, "kernels", "longest first", .of = &kernel_fields),
     ALWAYS(T, speed_of_light, FIELD_LIST, "speed_of_light", "all dispatches",
            .of = &workload_metric_fields),
     ALWAYS(T, memory_chart, FIELD_PAIRS, "memory_chart", "by key", .of = &keyed_metric_fields),
     WITHIN("roofline", "how near to the limits of the GPU", &roofline_fields, .null = NULL_NEVER),
     ALWAYS(T, panels, FIELD_LIST, "panels", "those chosen", .of = &panel_fields),
     SPREAD(T, r, FIELD_REF, &note_fields));
#undef T

/* ---- filling it ---- */

static void add_panels(struct workload_document *d)
{
    const struct workload_report *r = d->r;
    size_t n, panels;
    const struct workload_metric *m = workload_metrics(&n);
    const struct workload_panel *p = workload_panels(&panels);
    for (size_t k = 0; k < panels; k++) {
        struct panel_row panel = {.id = p[k].id, .title = p[k].title};
        if (!workload_shows(r, p[k].id))
            continue;
        panel.rows = workload_metric_rows(r, p[k].id, r->arena);
        panel.has_channels = p[k].id == PANEL_CHANNELS;
        for (uint32_t c = 0; panel.has_channels && c < r->channels; c++) {
            struct channel_row row = {.channel = c};
            for (size_t i = 0, at = 0; i < n; i++)
                if (m[i].panel == PANEL_CHANNELS)
                    vec_push(&row.values, r->arena,
                             ((struct keyed_number){m[i].key,
                                                    r->channel_values[at++ * r->channels + c]}));
            vec_push(&panel.channels, r->arena, row);
        }
        vec_push(&d->panels, r->arena, panel);
    }
}

static void add_metrics(struct workload_document *d)
{
    struct arena *a = d->r->arena;
    workload_rows chart = workload_metric_rows(d->r, PANEL_MEMORY_CHART, a);
    d->speed_of_light = workload_metric_rows(d->r, PANEL_SPEED_OF_LIGHT, a);
    for (size_t i = 0; i < chart.n; i++)
        vec_push(&d->memory_chart, a, ((struct keyed_metric){chart.v[i].key, chart.v[i]}));
}

static void add_kernel(struct workload_document *d, const struct workload_kernel_row *k)
{
    static const char *const levels[ROOF_LEVELS] = {"hbm", "l2", "l1", "lds"};
    struct arena *a = d->r->arena;
    struct kernel_row row = {.k = *k};
    struct point_row point = {.k = *k, .bound = bound_label(k->v->roof.bound)};
    size_t n;
    const struct workload_metric *m = workload_metrics(&n);
    for (size_t i = 0; i < n; i++)
        if (m[i].panel == PANEL_SPEED_OF_LIGHT)
            vec_push(&row.speed_of_light, a,
                     ((struct keyed_number){m[i].key, k->v->values[i].mean}));
    if (k->v->roof.bound == BOUND_MEMORY)
        point.level = levels[k->v->roof.level];
    vec_push(&d->kernels, a, row);
    vec_push(&d->points, a, point);
}

/* 0 is "not known" there. */
static struct roof_peaks known_peaks(struct roof_peaks p)
{
    for (int l = 0; l < ROOF_LEVELS; l++)
        p.gbps[l] = p.gbps[l] > 0 ? p.gbps[l] : NAN;
    for (int k = 0; k < FLOP_KINDS; k++)
        p.gflops[k] = p.gflops[k] > 0 ? p.gflops[k] : NAN;
    return p;
}

void workload_json(struct jwrite *w, const struct workload_report *r)
{
    struct workload_document d = {
        .r = r,
        .system = &r->w->system,
        .name = workload_title(r),
        .dispatches = r->all.n,
        .in_workload = r->w->dispatches.n,
        .kernels_selected = r->n_kernels,
        .counters = r->w->counters.n,
        .passes = r->w->passes,
        .columns = r->w->columns,
        .unused = r->w->unused,
        .peaks = known_peaks(r->peaks),
        .theory = known_peaks(r->theory),
        .device = r->peaks.measured ? r->w->peaks.v[r->device_row].device : 0,
    };
    workload_kernel_rows kernels = workload_kernels(r, r->arena);
    for (size_t i = 0; i < kernels.n; i++)
        add_kernel(&d, &kernels.v[i]);
    add_metrics(&d);
    add_panels(&d);
    fields_write(w, NULL, &document_fields, &d);
}

void workload_json_schema(struct str *out)
{
    fields_schema_document(
        out, "urn:gpusight:workload:" WORKLOAD_SCHEMA_VERSION, "gpusight workload",
        "The document of 'gpusight analyze --format json' for a folder of rocprof-compute; "
        "docs/workloads.md explains it. A number that cannot be said is null. Made by 'gpusight "
        "--generate workload-schema'.",
        &document_fields);
}
