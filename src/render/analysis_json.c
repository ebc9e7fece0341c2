#include "render/analysis_json.h"

#include "config.h"
#include "render/analysis_json_in.h"
#include "render/att_json.h"
#include "render/source_json.h"
#include "report/trust.h"

static void write_metadata(struct analysis_document *d)
{
    struct jwrite *w = d->w;
    const struct trace *t = d->a->trace;
    jw_open(w, "metadata", '{');
    jw_str(w, "gpusight_version", GPUSIGHT_VERSION);
    jw_str(w, "rocpd_version", GPUSIGHT_VERSION);
    jw_str(w, "analysis_version", ANALYSIS_SCHEMA_VERSION);
    jw_str(w, "database_file", t->files.n ? t->files.v[0].path : NULL);
    jw_open(w, "files", '[');
    for (size_t i = 0; i < t->files.n; i++) {
        jw_open(w, NULL, '{');
        jw_str(w, "path", t->files.v[i].path);
        jw_str(w, "format", t->files.v[i].format);
        jw_str(w, "writer", t->files.v[i].flavor);
        jw_str(w, "schema_version", t->files.v[i].schema_version);
        jw_close(w);
    }
    jw_close(w);
    jw_str(w, "analysis_timestamp", d->o->timestamp);
    jw_int(w, "analysis_duration_ms", d->o->duration_ms);
    jw_str(w, "custom_prompt", d->o->prompt);
    jw_close(w);
}

int64_t agent_of_gpu(const struct trace *t, uint32_t gpu)
{
    for (size_t i = 0; i < t->agents.n; i++)
        if (t->agents.v[i].gpu == gpu)
            return t->agents.v[i].id;
    return -1;
}

static void write_gpu(struct jwrite *w, const struct trace *t, uint32_t index)
{
    const struct gpu *g = &t->gpus.v[index];
    int64_t agent = agent_of_gpu(t, index);
    jw_open(w, NULL, '{');
    jw_str(w, "name", trace_str(t, g->name));
    jw_str(w, "architecture", trace_str(t, g->arch));
    if (agent >= 0)
        jw_int(w, "agent_id", agent);
    else
        jw_null(w, "agent_id");
    jw_int(w, "index", g->index);
    jw_str(w, "host", trace_str(t, g->host));
    jw_str(w, "vendor", vendor_name(g->vendor));
    jw_uint(w, "cu_count", g->cu_count);
    jw_close(w);
}

static void write_profiling(struct analysis_document *d)
{
    struct jwrite *w = d->w;
    jw_open(w, "profiling_info", '{');
    jw_int(w, "total_duration_ns", d->advice->overview.execution.total_runtime_ns);
    jw_str(w, "profiling_mode", d->advice->overview.profiling_mode);
    jw_int(w, "analysis_tier", d->advice->overview.tier);
    jw_open(w, "gpus", '[');
    for (size_t g = 0; g < d->a->view.n_gpus; g++)
        if (d->a->view.gpus[g].gpu != NO_INDEX)
            write_gpu(w, d->a->trace, d->a->view.gpus[g].gpu);
    jw_close(w);
    jw_close(w);
}

static void write_summary(struct analysis_document *d)
{
    struct jwrite *w = d->w;
    const struct overview *o = &d->advice->overview;
    jw_open(w, "summary", '{');
    jw_str(w, "overall_assessment", o->assessment);
    jw_str(w, "primary_bottleneck", o->bottleneck);
    jw_num(w, "confidence", o->confidence);
    jw_open(w, "key_findings", '[');
    for (size_t i = 0; i < o->key_findings.n; i++)
        jw_str(w, NULL, o->key_findings.v[i]);
    jw_close(w);
    jw_close(w);
}

static void write_verdict(struct analysis_document *d)
{
    struct jwrite *w = d->w;
    const struct verdict *v = &d->advice->verdict;
    jw_open(w, "verdict", '{');
    jw_str(w, "status", verdict_status_name(v->status));
    jw_str(w, "headline", v->headline);
    jw_int(w, "recoverable_ns", v->recoverable_ns);
    jw_num(w, "recoverable_pct", v->recoverable_pct);
    jw_close(w);
}

static void write_warnings(struct analysis_document *d)
{
    struct jwrite *w = d->w;
    jw_open(w, "warnings", '[');
    for (size_t i = 0; i < d->advice->overview.warnings.n; i++) {
        const struct warning *v = &d->advice->overview.warnings.v[i];
        jw_open(w, NULL, '{');
        jw_str(w, "severity", v->severity);
        jw_str(w, "message", v->message);
        jw_str(w, "recommendation", v->recommendation);
        jw_close(w);
    }
    jw_close(w);
    jw_open(w, "errors", '['); /* what fails ends the run instead */
    jw_close(w);
}

static void write_table(struct analysis_document *d, const char *key, size_t most)
{
    const struct result *r = results_find(&d->results, key);
    fields_json_rows(d->w, key, r->fields, r->rows, r->n, most);
}

static void write_all_tables(struct analysis_document *d)
{
    jw_open(d->w, "analyses", '{');
    for (size_t i = 0; i < d->results.n; i++)
        fields_json_result(d->w, &d->results.v[i]);
    jw_close(d->w);
}

void analysis_json(struct jwrite *w, const struct analysis *a, const struct advice *advice,
                   const struct analysis_json_opts *o)
{
    struct arena *arena = w->out->arena;
    struct analysis_document d = {.w = w, .a = a, .advice = advice, .o = o};
    analysis_results(a, &d.results, arena);
    jw_open(w, NULL, '{');
    jw_str(w, "schema_version", ANALYSIS_SCHEMA_VERSION);
    write_metadata(&d);
    write_profiling(&d);
    write_summary(&d);
    write_verdict(&d);
    write_ledger(&d);
    fields_json_object(w, "execution_breakdown", &execution_fields, &advice->overview.execution);
    fields_json_object(w, "interval_timeline", &timeline_fields, &advice->overview.timeline);
    write_recommendations(&d);
    write_job(&d);
    write_table(&d, "hotspots", o->top_kernels);
    write_table(&d, "kernel_categories", 0);
    write_memory(&d);
    write_counters(&d);
    write_short_kernels(&d);
    write_resources(&d);
    write_api(&d);
    write_regions(&d);
    quality_json(w, &a->quality);
    capabilities_json(w, &a->capabilities);
    write_warnings(&d);
    if (o->source)
        source_json(w, "tier0", o->source, o->links, o->timestamp, false);
    else
        jw_null(w, "tier0");
    if (o->att)
        att_json(w, "thread_trace", o->att);
    else
        jw_null(w, "thread_trace");
    write_all_tables(&d);
    jw_close(w);
}
