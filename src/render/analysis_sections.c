#include <math.h>

#include "render/analysis_json_in.h"

static const struct result *table(const struct analysis_document *d, const char *key)
{
    return results_find(&d->results, key);
}

/* ---- the ledger ---- */

static const char *kind_name(enum cause_kind kind)
{
    static const char *const names[] = {
        [CAUSE_WORK] = "work", [CAUSE_EXPOSED] = "exposed", [CAUSE_IDLE] = "idle"};
    return names[kind];
}

static void write_causes(struct jwrite *w, const int64_t *ns, double whole)
{
    jw_open(w, "causes", '[');
    for (enum cause c = 0; c < CAUSES; c++) {
        const struct cause_info *info = cause_info(c);
        jw_open(w, NULL, '{');
        jw_str(w, "cause", info->key);
        jw_str(w, "label", info->label);
        jw_str(w, "kind", kind_name(info->kind));
        jw_int(w, "ns", ns[c]);
        jw_num(w, "pct", percent_of((double)ns[c], whole));
        jw_close(w);
    }
    jw_close(w);
}

void write_ledger(struct analysis_document *d)
{
    struct jwrite *w = d->w;
    const struct analysis *a = d->a;
    jw_open(w, "ledger", '{');
    jw_int(w, "window_ns", a->ledger.window_ns);
    jw_int(w, "start_ns", a->view.start_ns);
    jw_int(w, "end_ns", a->view.end_ns);
    jw_uint(w, "gpu_count", a->ledger.n_gpus);
    write_causes(w, a->ledger.ns, (double)a->breakdown.gpu_time_ns);
    jw_open(w, "gpus", '[');
    for (size_t g = 0; g < a->ledger.n_gpus; g++) {
        uint32_t gpu = a->view.gpus[g].gpu;
        jw_open(w, NULL, '{');
        jw_int(w, "gpu", analysis_gpu_index(a, g));
        jw_str(w, "name", gpu == NO_INDEX ? "" : trace_str(a->trace, a->trace->gpus.v[gpu].name));
        write_causes(w, a->ledger.gpus[g].ns, (double)a->ledger.window_ns);
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
}

/* ---- copies and counters ---- */

void write_memory(struct analysis_document *d)
{
    const struct fields *f = table(d, "copies")->fields;
    jw_open(d->w, "memory_analysis", '{');
    for (size_t i = 0; i < d->a->copies.n; i++)
        fields_json_object(d->w, d->a->copies.v[i].direction, f, &d->a->copies.v[i]);
    jw_close(d->w);
}

void write_counters(struct analysis_document *d)
{
    struct jwrite *w = d->w;
    const struct counter_stats *s = &d->a->counter_stats;
    jw_open(w, "hardware_counters", '{');
    jw_bool(w, "has_counters", s->rows.n);
    if (!s->rows.n) {
        jw_null(w, "metrics");
        jw_null(w, "counters");
        jw_close(w);
        return;
    }
    jw_open(w, "metrics", '{');
    jw_num(w, "gpu_utilization_pct", s->gpu_utilization_pct);
    jw_num(w, "avg_waves", s->avg_waves);
    jw_num(w, "max_waves", s->max_waves);
    jw_num(w, "min_waves", s->min_waves);
    jw_close(w);
    jw_open(w, "counters", '{');
    for (size_t i = 0; i < s->rows.n; i++)
        fields_json_object(w, s->rows.v[i].counter, &counter_fields, &s->rows.v[i]);
    jw_close(w);
    jw_close(w);
}

/* ---- kernels ---- */

void write_short_kernels(struct analysis_document *d)
{
    struct jwrite *w = d->w;
    const struct result *histogram = table(d, "short_kernel_histogram");
    const struct result *offenders = table(d, "short_kernel_offenders");
    jw_open(w, "short_kernels", '{');
    fields_json_members(w, table(d, "short_kernels")->fields, &d->a->short_kernels);
    jw_int(w, "wasted_ns", d->advice->overview.short_gap_ns);
    jw_num(w, "wasted_pct_of_kernel_time", d->advice->overview.short_gap_pct);
    fields_json_rows(w, "histogram", histogram->fields, histogram->rows, histogram->n, 0);
    fields_json_rows(w, "top_offenders", offenders->fields, offenders->rows, offenders->n, 0);
    jw_close(w);
}

static const char *first_arch(const struct analysis *a)
{
    for (size_t g = 0; g < a->view.n_gpus; g++)
        if (a->view.gpus[g].gpu != NO_INDEX)
            return trace_str(a->trace, a->trace->gpus.v[a->view.gpus[g].gpu].arch);
    return NULL;
}

static void write_occupancy(struct jwrite *w, const struct resource_row *r)
{
    if (isnan(r->occupancy_pct)) {
        jw_null(w, "occupancy");
        return;
    }
    jw_open(w, "occupancy", '{');
    jw_num(w, "percent", r->occupancy_pct);
    jw_str(w, "limiting_resource", r->limiter);
    jw_close(w);
}

void write_resources(struct analysis_document *d)
{
    struct jwrite *w = d->w;
    const struct fields *f = table(d, "kernel_resources")->fields;
    size_t most = d->o->top_kernels;
    jw_open(w, "kernel_resources", '{');
    jw_str(w, "arch", first_arch(d->a));
    jw_open(w, "kernels", '[');
    for (size_t i = 0; i < d->a->resources.n && (!most || i < most); i++) {
        jw_open(w, NULL, '{');
        fields_json_members(w, f, &d->a->resources.v[i]);
        write_occupancy(w, &d->a->resources.v[i]);
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
}

/* ---- the host ---- */

void write_api(struct analysis_document *d)
{
    const struct result *calls = table(d, "api_calls");
    jw_open(d->w, "api_breakdown", '{');
    jw_int(d->w, "total_api_ns", d->advice->overview.api_ns);
    jw_int(d->w, "launch_overhead_ns", d->advice->overview.launch_ns);
    fields_json_rows(d->w, "api_calls", calls->fields, calls->rows, calls->n, 0);
    jw_close(d->w);
}

void write_regions(struct analysis_document *d)
{
    struct jwrite *w = d->w;
    const struct marker_stats *s = &d->a->marker_stats;
    if (!d->advice->overview.regions.n) {
        jw_null(w, "roctx_regions");
        return;
    }
    jw_open(w, "roctx_regions", '{');
    jw_bool(w, "has_markers", true);
    jw_uint(w, "marker_count", s->markers);
    fields_json_rows(w, "regions", &region_fields, d->advice->overview.regions.v,
                     d->advice->overview.regions.n, 0);
    jw_open(w, "unranged", '{');
    jw_int(w, "wall_time_ns", d->advice->overview.unranged_ns);
    jw_uint(w, "kernel_count", s->unattributed_kernels);
    jw_int(w, "kernel_time_ns", s->unattributed_ns);
    jw_close(w);
    jw_num(w, "unranged_pct_of_total", s->uncovered_pct);
    jw_int(w, "total_runtime_ns", d->a->ledger.window_ns);
    jw_close(w);
}
