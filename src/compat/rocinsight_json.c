/*
 * rocinsight's own document. Its required keys and its enumerations hold; where its definition of a
 * number cannot (shares above 100 %, "API overhead" that is all idle time), ours stands.
 */
#include <math.h>

#include "compat/rocinsight_json.h"
#include "config.h"
#include "report/explanation.h"

/* It numbers a document by what is in it: a thread trace makes it 0.4.0. */
static const char *version_of(const struct rocinsight *d)
{
    return d->o->att ? "0.4.0" : "0.3.0";
}

double rocinsight_rounded(double v, double steps)
{
    return isfinite(v) ? round(v * steps) / steps : 0;
}

void rocinsight_pct(struct jwrite *w, const char *key, double v)
{
    jw_num(w, key, rocinsight_rounded(v < 0 ? 0 : v > 100 ? 100 : v, 100));
}

static void write_metadata(struct rocinsight *d)
{
    struct jwrite *w = d->w;
    const struct trace *t = d->a->trace;
    jw_open(w, "metadata", '{');
    jw_str(w, "rocpd_version", GPUSIGHT_VERSION);
    jw_str(w, "analysis_version", version_of(d));
    jw_str(w, "database_file", t->files.n ? t->files.v[0].path : NULL);
    jw_str(w, "analysis_timestamp", d->o->timestamp ? d->o->timestamp : NO_TIMESTAMP);
    jw_int(w, "analysis_duration_ms", d->o->duration_ms);
    jw_str(w, "custom_prompt", d->o->prompt);
    jw_close(w);
}

static void write_profiling(struct rocinsight *d)
{
    struct jwrite *w = d->w;
    const struct trace *t = d->a->trace;
    jw_open(w, "profiling_info", '{');
    jw_int(w, "total_duration_ns", d->advice->overview.execution.total_runtime_ns);
    jw_str(w, "profiling_mode", d->o->att ? "thread_trace" : d->advice->overview.profiling_mode);
    jw_int(w, "analysis_tier", d->o->att ? 3 : d->advice->overview.tier);
    jw_open(w, "gpus", '[');
    for (size_t g = 0; g < d->a->view.n_gpus; g++) {
        uint32_t gpu = d->a->view.gpus[g].gpu;
        if (gpu == NO_INDEX)
            continue;
        jw_open(w, NULL, '{');
        jw_str(w, "name", trace_str(t, t->gpus.v[gpu].name));
        jw_str(w, "architecture", trace_str(t, t->gpus.v[gpu].arch));
        if (agent_of_gpu(t, gpu) >= 0)
            jw_int(w, "agent_id", agent_of_gpu(t, gpu));
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
}

static void write_summary(struct rocinsight *d)
{
    struct jwrite *w = d->w;
    const struct overview *o = &d->advice->overview;
    jw_open(w, "summary", '{');
    jw_str(w, "overall_assessment", o->assessment);
    jw_str(w, "primary_bottleneck", o->bottleneck);
    jw_num(w, "confidence", rocinsight_rounded(o->confidence, 100));
    jw_open(w, "key_findings", '[');
    for (size_t i = 0; i < o->key_findings.n; i++)
        jw_str(w, NULL, o->key_findings.v[i]);
    jw_close(w);
    jw_close(w);
}

static void write_breakdown(struct rocinsight *d)
{
    struct jwrite *w = d->w;
    const struct execution *e = &d->advice->overview.execution;
    jw_open(w, "execution_breakdown", '{');
    jw_int(w, "total_runtime_ns", e->total_runtime_ns);
    jw_int(w, "kernel_time_ns", e->kernel_time_ns);
    rocinsight_pct(w, "kernel_time_pct", e->kernel_time_pct);
    jw_int(w, "memcpy_time_ns", e->memcpy_time_ns);
    rocinsight_pct(w, "memcpy_time_pct", e->memcpy_time_pct);
    jw_int(w, "api_overhead_ns", e->api_overhead_ns);
    rocinsight_pct(w, "api_overhead_pct", e->api_overhead_pct);
    jw_int(w, "idle_time_ns", e->idle_time_ns);
    rocinsight_pct(w, "idle_time_pct", e->idle_time_pct);
    jw_close(w);
}

static void write_hotspots(struct rocinsight *d)
{
    struct jwrite *w = d->w;
    size_t most = d->o->top_kernels;
    jw_open(w, "hotspots", '[');
    for (size_t i = 0; i < d->a->hotspots.n && (!most || i < most); i++) {
        const struct hotspot *h = &d->a->hotspots.v[i];
        jw_open(w, NULL, '{');
        jw_uint(w, "rank", h->rank);
        jw_str(w, "name", h->name);
        jw_uint(w, "calls", h->calls);
        jw_int(w, "total_duration_ns", h->total_duration_ns);
        jw_num(w, "avg_duration_ns", rocinsight_rounded(h->avg_duration_ns, 100));
        jw_int(w, "min_duration_ns", h->min_duration_ns);
        jw_int(w, "max_duration_ns", h->max_duration_ns);
        rocinsight_pct(w, "pct_of_total", h->pct_of_total);
        jw_close(w);
    }
    jw_close(w);
}

/* Memory set to a value is no copy; between hosts is a direction it has no word for. */
static const char *direction_word(enum copy_kind kind)
{
    switch (kind) {
    case COPY_H2D:
        return "Host-to-Device";
    case COPY_D2H:
        return "Device-to-Host";
    case COPY_D2D:
        return "Device-to-Device";
    case COPY_P2P:
        return "Peer-to-Peer";
    case COPY_UNKNOWN:
        return "Unknown";
    default:
        return NULL;
    }
}

static void write_copies(struct rocinsight *d)
{
    struct jwrite *w = d->w;
    jw_open(w, "memory_analysis", '{');
    for (size_t i = 0; i < d->a->copies.n; i++) {
        const struct copy_row *c = &d->a->copies.v[i];
        if (!direction_word(c->kind))
            continue;
        jw_open(w, direction_word(c->kind), '{');
        jw_uint(w, "count", c->count);
        jw_uint(w, "total_bytes", c->total_bytes);
        jw_int(w, "total_duration_ns", c->total_duration_ns);
        jw_num(w, "avg_bytes", rocinsight_rounded(c->avg_bytes, 100));
        jw_num(w, "avg_duration_ns", rocinsight_rounded(c->avg_duration_ns, 100));
        jw_num(w, "bandwidth_gbps", rocinsight_rounded(c->bandwidth_gbps, 10000));
        jw_close(w);
    }
    jw_close(w);
}

static void write_counter_values(struct rocinsight *d)
{
    struct jwrite *w = d->w;
    const struct counter_stats *s = &d->a->counter_stats;
    jw_open(w, "hardware_counters", '{');
    jw_bool(w, "has_counters", s->rows.n);
    if (s->rows.n) {
        jw_open(w, "metrics", '{');
        jw_num(w, "gpu_utilization_pct", s->gpu_utilization_pct);
        jw_num(w, "avg_waves", s->avg_waves);
        jw_num(w, "max_waves", s->max_waves);
        jw_num(w, "min_waves", s->min_waves);
        jw_close(w);
        jw_open(w, "counters", '{');
    } else {
        jw_null(w, "metrics");
        jw_null(w, "counters");
    }
    for (size_t i = 0; i < s->rows.n; i++) {
        const struct counter_row *r = &s->rows.v[i];
        jw_open(w, r->counter, '{');
        jw_uint(w, "sample_count", r->sample_count);
        jw_num(w, "avg_value", rocinsight_rounded(r->avg_value, 10000));
        jw_num(w, "min_value", rocinsight_rounded(r->min_value, 10000));
        jw_num(w, "max_value", rocinsight_rounded(r->max_value, 10000));
        jw_num(w, "total_value", rocinsight_rounded(r->total_value, 10000));
        jw_close(w);
    }
    if (s->rows.n)
        jw_close(w);
    jw_close(w);
}

void analysis_json_rocinsight(struct jwrite *w, const struct analysis *a,
                              const struct advice *advice, const struct analysis_json_opts *o)
{
    struct rocinsight d = {.w = w, .a = a, .advice = advice, .o = o};
    jw_open(w, NULL, '{');
    jw_str(w, "schema_version", version_of(&d));
    write_metadata(&d);
    write_profiling(&d);
    write_summary(&d);
    write_breakdown(&d);
    write_hotspots(&d);
    write_copies(&d);
    write_counter_values(&d);
    rocinsight_recommendations(&d);
    rocinsight_warnings(&d);
    jw_str(w, "llm_enhanced_explanation", o->explanation ? o->explanation->text : NULL);
    rocinsight_timeline(&d);
    rocinsight_categories(&d);
    rocinsight_short_kernels(&d);
    if (o->att)
        rocinsight_att(&d);
    if (o->source)
        fields_write(w, "tier0", &source_strict_fields,
                     source_json_make(o->source, NULL, o->timestamp, true, w->out->arena));
    jw_close(w);
}
