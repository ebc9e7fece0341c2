#include "render/workload_json.h"

#include <math.h>

#include "base/fs.h"
#include "base/sat.h"

static void write_system(struct jwrite *w, const struct workload_system *s)
{
    jw_open(w, "sysinfo", '{');
    jw_bool(w, "found", s->found);
    jw_str(w, "program", s->program);
    jw_str(w, "timestamp", s->time);
    jw_str(w, "version", s->tool);
    jw_str(w, "linux_distro", s->distro);
    jw_str(w, "rocm_version", s->rocm);
    jw_str(w, "compute_partition", s->partition);
    jw_str(w, "memory_partition", s->memory_partition);
    jw_num(w, "cu_per_gpu", s->cu);
    jw_num(w, "simd_per_cu", s->simd_per_cu);
    jw_num(w, "se_per_gpu", s->se);
    jw_num(w, "wave_size", s->wave_size);
    jw_num(w, "max_waves_per_cu", s->waves_per_cu);
    jw_num(w, "max_sclk_mhz", s->sclk_mhz);
    jw_num(w, "max_mclk_mhz", s->mclk_mhz);
    jw_num(w, "total_l2_chan", s->l2_channels);
    jw_num(w, "lds_banks_per_cu", s->lds_banks);
    jw_num(w, "sqc_per_gpu", s->sqc);
    jw_num(w, "num_xcd", s->xcd);
    jw_num(w, "num_hbm_channels", s->hbm_channels);
    jw_num(w, "hbm_bw_gbps", s->hbm_gbps);
    jw_close(w);
}

static void write_value(struct jwrite *w, const struct workload_report *r,
                        const struct workload_metric *m, const struct workload_value *v)
{
    jw_str(w, "metric", m->name);
    jw_str(w, "key", m->key);
    jw_num(w, "value", v->mean);
    jw_num(w, "weighted", v->weighted);
    jw_num(w, "min", v->least);
    jw_num(w, "max", v->most);
    jw_str(w, "unit", workload_unit(r, m));
    jw_num(w, "peak", v->peak);
    jw_num(w, "pct_of_peak", v->pct);
    jw_uint(w, "dispatches", v->dispatches);
    jw_uint(w, "passes", v->passes);
    jw_open(w, "missing", '[');
    for (uint32_t i = 0; i < v->n_missing; i++)
        jw_str(w, NULL, v->missing[i]);
    jw_close(w);
}

static void write_panel_rows(struct jwrite *w, const struct workload_report *r, const char *key,
                             int panel)
{
    size_t n;
    const struct workload_metric *m = workload_metrics(&n);
    jw_open(w, key, '[');
    for (size_t i = 0; i < n; i++)
        if (m[i].panel == panel) {
            jw_open(w, NULL, '{');
            write_value(w, r, &m[i], &r->all.values[i]);
            jw_close(w);
        }
    jw_close(w);
}

static void write_chart(struct jwrite *w, const struct workload_report *r)
{
    size_t n;
    const struct workload_metric *m = workload_metrics(&n);
    jw_open(w, "memory_chart", '{');
    for (size_t i = 0; i < n; i++)
        if (m[i].panel == PANEL_MEMORY_CHART) {
            jw_open(w, m[i].key, '{');
            write_value(w, r, &m[i], &r->all.values[i]);
            jw_close(w);
        }
    jw_close(w);
}

static void write_kernel(struct jwrite *w, const struct workload_report *r, size_t rank)
{
    const struct workload_view *v = &r->kernels.v[rank];
    size_t n;
    const struct workload_metric *m = workload_metrics(&n);
    jw_open(w, NULL, '{');
    jw_uint(w, "rank", rank + 1);
    jw_str(w, "name", v->name);
    jw_uint(w, "dispatches", v->n);
    jw_num(w, "total_ns", v->total_ns);
    jw_num(w, "time_pct", v->time_pct);
    jw_num(w, "mean_ns", v->mean_ns);
    jw_num(w, "median_ns", v->median_ns);
    jw_num(w, "min_ns", v->least_ns);
    jw_num(w, "max_ns", v->most_ns);
    jw_open(w, "speed_of_light", '{');
    for (size_t i = 0; i < n; i++)
        if (m[i].panel == PANEL_SPEED_OF_LIGHT)
            jw_num(w, m[i].key, v->values[i].mean);
    jw_close(w);
    jw_close(w);
}

/* ---- the roofline ---- */

static const char *const level_keys[ROOF_LEVELS] = {"hbm", "l2", "l1", "lds"};
static const char *const kind_keys[FLOP_KINDS] = {
    [FLOP_FP64] = "vector_fp64",     [FLOP_FP32] = "vector_fp32",
    [FLOP_FP16] = "vector_fp16",     [FLOP_MAT_FP64] = "matrix_fp64",
    [FLOP_MAT_FP32] = "matrix_fp32", [FLOP_MAT_FP16] = "matrix_fp16",
    [FLOP_MAT_BF16] = "matrix_bf16", [FLOP_MAT_FP8] = "matrix_fp8",
    [FLOP_MAT_INT8] = "matrix_int8", [FLOP_MAT_FP4] = "matrix_fp6_fp4",
};

static void write_peaks(struct jwrite *w, const char *key, const struct roof_peaks *p)
{
    jw_open(w, key, '{');
    for (int l = 0; l < ROOF_LEVELS; l++)
        jw_num(w, level_keys[l], p->gbps[l] > 0 ? p->gbps[l] : NAN);
    for (int k = 0; k < FLOP_KINDS; k++)
        jw_num(w, kind_keys[k], p->gflops[k] > 0 ? p->gflops[k] : NAN);
    jw_close(w);
}

static void write_levels(struct jwrite *w, const char *key, const double *v)
{
    jw_open(w, key, '{');
    for (int l = 0; l < ROOF_LEVELS; l++)
        jw_num(w, level_keys[l], v[l]);
    jw_close(w);
}

static void write_point(struct jwrite *w, const struct workload_view *v, size_t rank)
{
    const struct roof_point *p = &v->roof;
    jw_open(w, NULL, '{');
    jw_uint(w, "rank", rank);
    jw_str(w, "name", v->name);
    jw_num(w, "gflops", p->gflops);
    jw_num(w, "flops", p->known_flops);
    jw_num(w, "flops_complete", p->total_flops);
    jw_str(w, "not_counted", p->not_known);
    jw_num(w, "pct_of_compute", p->flop_pct);
    write_levels(w, "bytes", p->bytes);
    write_levels(w, "flop_per_byte", p->intensity);
    write_levels(w, "gbps", p->gbps);
    write_levels(w, "pct_of_bandwidth", p->bandwidth_pct);
    write_levels(w, "pct_of_roof", p->roof_pct);
    jw_str(w, "bound", bound_label(p->bound));
    jw_str(w, "level", p->bound == BOUND_MEMORY ? level_keys[p->level] : NULL);
    jw_str(w, "why", p->why);
    jw_close(w);
}

static void write_roofline(struct jwrite *w, const struct workload_report *r)
{
    jw_open(w, "roofline", '{');
    jw_bool(w, "measured", r->peaks.measured);
    if (r->peaks.measured)
        jw_int(w, "device", r->w->peaks.v[r->device_row].device);
    else
        jw_null(w, "device");
    write_peaks(w, "peaks", &r->peaks);
    write_peaks(w, "theory", &r->theory);
    jw_open(w, "kernels", '[');
    for (size_t i = 0; i < r->kernels.n; i++)
        write_point(w, &r->kernels.v[i], i + 1);
    jw_close(w);
    jw_close(w);
}

/* ---- panels ---- */

static void write_channels(struct jwrite *w, const struct workload_report *r)
{
    size_t n, first = 0;
    const struct workload_metric *m = workload_metrics(&n);
    while (first < n && m[first].panel != PANEL_CHANNELS)
        first++;
    jw_open(w, "channels", '[');
    for (uint32_t c = 0; c < r->channels; c++) {
        jw_open(w, NULL, '{');
        jw_uint(w, "channel", c);
        for (size_t i = first; i < n && m[i].panel == PANEL_CHANNELS; i++)
            jw_num(w, m[i].key, r->channel_values[(i - first) * r->channels + c]);
        jw_close(w);
    }
    jw_close(w);
}

static void write_panels(struct jwrite *w, const struct workload_report *r)
{
    size_t n;
    const struct workload_panel *p = workload_panels(&n);
    jw_open(w, "panels", '[');
    for (size_t i = 0; i < n; i++) {
        if (!workload_shows(r, p[i].id))
            continue;
        jw_open(w, NULL, '{');
        jw_int(w, "id", p[i].id);
        jw_str(w, "title", p[i].title);
        write_panel_rows(w, r, "rows", p[i].id);
        if (p[i].id == PANEL_CHANNELS)
            write_channels(w, r);
        jw_close(w);
    }
    jw_close(w);
}

void workload_json(struct jwrite *w, const struct workload_report *r)
{
    const struct workload_system *s = &r->w->system;
    jw_open(w, NULL, '{');
    jw_str(w, "schema", "gpusight-workload");
    jw_str(w, "schema_version", WORKLOAD_SCHEMA_VERSION);
    jw_str(w, "workload", *s->name ? s->name : fs_basename(r->w->dir));
    jw_str(w, "gpu", s->model);
    jw_str(w, "arch", s->arch);
    jw_str(w, "normal_unit", r->per);
    write_system(w, s);
    jw_open(w, "selection", '{');
    jw_uint(w, "dispatches", r->all.n);
    jw_uint(w, "dispatches_in_workload", r->w->dispatches.n);
    jw_uint(w, "kernels", r->n_kernels);
    jw_num(w, "total_ns", r->all.total_ns);
    jw_uint(w, "counters", r->w->counters.n);
    jw_uint(w, "passes", r->w->passes);
    jw_uint(w, "columns", r->w->columns);
    jw_uint(w, "unused_columns", r->w->unused);
    jw_close(w);
    jw_open(w, "kernels", '[');
    for (size_t i = 0; i < r->kernels.n; i++)
        write_kernel(w, r, i);
    jw_close(w);
    write_panel_rows(w, r, "speed_of_light", PANEL_SPEED_OF_LIGHT);
    write_chart(w, r);
    write_roofline(w, r);
    write_panels(w, r);
    jw_open(w, "notes", '[');
    for (size_t i = 0; i < r->notes.n; i++)
        jw_str(w, NULL, r->notes.v[i]);
    jw_close(w);
    jw_close(w);
}
