#include "render/analysis_json.h"

#include <math.h>

#include "config.h"
#include "job/job.h"
#include "render/analysis_json_in.h"
#include "run/run.h"

#define T struct analysis_document

void metadata_make(struct metadata_json *m, const struct analysis_json_opts *o,
                   const char *document_version)
{
    *m = (struct metadata_json){.version = GPUSIGHT_VERSION,
                                .document_version = document_version,
                                .timestamp = o->timestamp,
                                .duration_ms = o->duration_ms,
                                .prompt = o->prompt};
}

/* The first agent of each GPU; NO_INDEX: it has none. */
static const uint32_t *first_agents(const struct trace *t, struct arena *arena)
{
    uint32_t *of = arena_array(arena, uint32_t, t->gpus.n + 1);
    memset(of, 0xff, sizeof(*of) * (t->gpus.n + 1));
    for (uint32_t i = (uint32_t)t->agents.n; i-- > 0;)
        if (t->agents.v[i].gpu < t->gpus.n)
            of[t->agents.v[i].gpu] = i;
    return of;
}

static void take_gpus(T *d, const struct trace *t, struct arena *arena)
{
    const uint32_t *agents = first_agents(t, arena);
    for (size_t i = 0; i < d->a->view.n_gpus; i++) {
        uint32_t index = d->a->view.gpus[i].gpu;
        if (index == NO_INDEX)
            continue;
        const struct gpu *g = &t->gpus.v[index];
        struct gpu_json row = {.name = trace_str(t, g->name),
                               .arch = trace_str(t, g->arch),
                               .host = trace_str(t, g->host),
                               .vendor = vendor_name(g->vendor),
                               .agent =
                                   agents[index] == NO_INDEX ? -1 : t->agents.v[agents[index]].id,
                               .index = g->index,
                               .cu_count = g->cu_count};
        vec_push(&d->gpus, arena, row);
    }
    d->arch = d->gpus.n ? d->gpus.v[0].arch : NULL;
}

static struct cause_json cause_of(enum cause c, int64_t ns, double whole)
{
    const struct cause_info *info = cause_info(c);
    return (struct cause_json){info->key, info->label, info->kind, ns,
                               percent_of((double)ns, whole)};
}

static void take_ledger(T *d, const struct analysis *a, struct arena *arena)
{
    for (enum cause c = 0; c < CAUSES; c++)
        vec_push(&d->causes, arena, cause_of(c, a->ledger.ns[c], (double)a->breakdown.gpu_time_ns));
    for (size_t g = 0; g < a->ledger.n_gpus; g++) {
        uint32_t gpu = a->view.gpus[g].gpu;
        struct ledger_gpu_json *row = vec_add(&d->ledger_gpus, arena);
        row->gpu = analysis_gpu_index(a, g);
        row->name = gpu == NO_INDEX ? "" : trace_str(a->trace, a->trace->gpus.v[gpu].name);
        for (enum cause c = 0; c < CAUSES; c++)
            vec_push(&row->causes, arena,
                     cause_of(c, a->ledger.gpus[g].ns[c], (double)a->ledger.window_ns));
    }
}

static void take_job(T *d, const struct job *j)
{
    d->imbalance = NAN;
    if (!j)
        return;
    LEND(&d->ranks, &j->ranks, 0);
    d->imbalance = j->stats.imbalance;
    d->straggler = j->has_straggler ? &j->straggler : NULL;
    d->efficiencies = &j->efficiencies;
    d->job = j;
}

void analysis_document_make(T *d, const struct analysis *a, const struct advice *advice,
                            const struct analysis_json_opts *o, struct arena *arena)
{
    const struct trace *t = a->trace;
    *d = (T){.a = a, .verdict = &advice->verdict, .explanation = o->explanation};
    metadata_make(&d->metadata, o, ANALYSIS_SCHEMA_VERSION);
    d->metadata.database_file = t->files.n ? t->files.v[0].path : NULL;
    LEND(&d->metadata.files, &t->files, 0);
    d->overview = advice->overview;
    d->counters = a->counter_stats;
    d->has_counters = d->counters.rows.n;
    d->has_regions = d->overview.regions.n;
    take_gpus(d, t, arena);
    take_ledger(d, a, arena);
    for (size_t i = 0; i < advice->findings.n; i++)
        finding_json_make(vec_add(&d->findings, arena), advice->findings.v[i], arena);
    take_job(d, a->job);
    LEND(&d->hotspots, &a->hotspots, o->top_kernels);
    LEND(&d->resources, &a->resources, o->top_kernels);
    trust_json_make(&d->trust, &a->quality, &a->capabilities, arena);
    if (!o->without_tables)
        analysis_results(a, &d->results, arena);
}

void analysis_json(struct jwrite *w, const struct analysis *a, const struct advice *advice,
                   const struct analysis_json_opts *o)
{
    struct arena *arena = w->out->arena;
    T d;
    analysis_document_make(&d, a, advice, o, arena);
    if (o->source)
        d.source = source_json_make(o->source, o->links, o->timestamp, arena);
    if (o->att)
        d.att = att_json_make(o->att, arena);
    fields_write(w, NULL, &analysis_document_fields, &d);
}

/* ---- the schema ---- */

static void write_form(struct jwrite *w, const char *title, const struct fields *f,
                       const T *example)
{
    jw_open(w, NULL, '{');
    jw_str(w, "title", title);
    jw_str(w, "type", "object");
    fields_schema(w, f, example);
    jw_close(w);
}

void analysis_json_schema(struct str *out)
{
    struct analysis *none = arena_new(out->arena, struct analysis);
    T example = {0};
    struct jwrite w;
    analysis_results(none, &example.results, out->arena);
    jw_init(&w, out, 2);
    jw_open(&w, NULL, '{');
    jw_str(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    jw_str(&w, "$id", "urn:gpusight:analysis:" ANALYSIS_SCHEMA_VERSION);
    jw_str(&w, "title", "gpusight analysis");
    jw_str(&w, "description",
           "What 'gpusight analyze --format json' writes. Times are integers in nanoseconds; null "
           "means that it cannot be said. Made by 'gpusight --generate schema'.");
    jw_open(&w, "oneOf", '[');
    write_form(&w, "of a trace", &analysis_document_fields, &example);
    write_form(&w, "of source code alone", &source_document_fields, NULL);
    write_form(&w, "of a thread trace alone", &att_document_fields, NULL);
    jw_close(&w);
    jw_close(&w);
}

struct analysis_json_opts run_json_opts(const struct run *run, size_t top, bool in_page)
{
    struct analysis_json_opts o = {.top_kernels = top};
    if (!in_page) {
        o.source = run->source;
        o.links = run->source ? &run->links : NULL;
        o.att = run->att;
    }
    return o;
}
