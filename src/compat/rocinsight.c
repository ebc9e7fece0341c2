/*
 * What is in rocinsight's document. Its required keys and its enumerations hold; where its
 * definition of a number cannot (shares above 100 %, "API overhead" that is all idle time), ours
 * stands.
 */
#include "compat/rocinsight.h"

#include <assert.h>
#include <math.h>

#include "base/array.h"
#include "base/sat.h"
#include "base/str.h"
#include "compat/rocinsight_in.h"
#include "report/explanation.h"

#define T struct rocinsight

/* It numbers a document by what is in it. */
#define OF_SOURCE "0.2.0"
#define OF_TRACE "0.3.0"
#define WITH_THREAD_TRACE "0.4.0"

/* ---- advice ---- */

static void take_commands(struct rocinsight_advice *to, const struct profiler_command *v, size_t n,
                          struct arena *arena)
{
    for (size_t i = 0; i < n; i++)
        if (profiler_vendor(v[i].profiler) == VENDOR_AMD) /* it knows no other */
            vec_push(&to->commands, arena, v[i]);
}

static void take_finding(T *d, const struct finding_json *from, struct arena *arena)
{
    const struct finding *f = &from->f;
    struct rocinsight_advice *to = vec_add(&d->advice, arena);
    *to = (struct rocinsight_advice){.id = f->id,
                                     .priority = f->priority,
                                     .category = f->category,
                                     .issue = f->issue,
                                     .suggestion = f->suggestion,
                                     .impact = from->impact,
                                     .confidence = round(f->confidence * 100) / 100};
    LEND(&to->actions, &f->actions, 0);
    take_commands(to, f->commands.v, f->commands.n, arena);
}

/* It promises that they stand by priority; ours stand by gain. */
static void take_findings(T *d, struct arena *arena)
{
    for (enum priority p = PRIORITY_HIGH; p <= PRIORITY_INFO; p++)
        for (size_t i = 0; i < d->d.findings.n; i++)
            if (d->d.findings.v[i].f.priority == p)
                take_finding(d, &d->d.findings.v[i], arena);
}

static struct rocinsight_source *source_of(const struct source_json *s, struct arena *arena)
{
    struct rocinsight_source *out = arena_new(arena, struct rocinsight_source);
    out->s = s;
    for (size_t i = 0; i < s->advice.n; i++) {
        const struct advice_json *from = &s->advice.v[i];
        struct rocinsight_advice *to = vec_add(&out->advice, arena);
        *to = (struct rocinsight_advice){.id = from->a->id,
                                         .priority = from->a->priority,
                                         .category = from->a->category,
                                         .issue = from->a->issue,
                                         .suggestion = from->a->suggestion,
                                         .impact = from->a->impact,
                                         .confidence = (double)NAN};
        LEND(&to->actions, &from->a->actions, 0);
        take_commands(to, from->commands.v, from->commands.n, arena);
    }
    return out;
}

/* ---- numbers ---- */

/* Memory set to a value is no copy; between hosts is a direction it has no word for. */
static bool has_word(enum copy_kind kind)
{
    return kind != COPY_SET && kind != COPY_H2H;
}

static void take_copies(T *d, const struct analysis *a, struct arena *arena)
{
    for (size_t i = 0; i < a->copies.n; i++) {
        if (has_word(a->copies.v[i].kind))
            vec_push(&d->copies, arena, a->copies.v[i]);
    }
}

static struct category_row *category_of(T *d, const char *group)
{
    for (size_t i = 0; i < d->categories.n; i++)
        if (str_eq(d->categories.v[i].group, group))
            return &d->categories.v[i];
    return NULL;
}

/* Our roles are finer: those it has one word for are added up, in order of the first. */
static void take_categories(T *d, const struct analysis *a, struct arena *arena)
{
    for (size_t i = 0; i < a->categories.n; i++) {
        const struct category_row *r = &a->categories.v[i];
        struct category_row *sum = category_of(d, r->group);
        if (!sum) {
            vec_push(&d->categories, arena, *r);
            continue;
        }
        sum->count += r->count;
        sum->total_ns = add_ns(sum->total_ns, r->total_ns);
        sum->pct_of_kernel_time = fmin(sum->pct_of_kernel_time + r->pct_of_kernel_time, 100);
        sum->pct_of_total_time = fmin(sum->pct_of_total_time + r->pct_of_total_time, 100);
    }
    for (size_t i = 0; i < d->categories.n; i++) {
        struct category_row *c = &d->categories.v[i];
        assert(c->count); /* a kind of kernel without kernels is no row */
        c->avg_duration_ns = (int64_t)((uint64_t)c->total_ns / c->count);
    }
}

static void take_histogram(T *d, const struct analysis *a, struct arena *arena)
{
    static const char *const labels[] = {"0-1μs", "1-5μs", "5-10μs"};
    for (size_t i = 0; i < ARRAY_LEN(labels) && i < a->short_histogram.n; i++)
        if (a->short_histogram.v[i].count)
            vec_push(&d->histogram, arena,
                     ((struct short_bucket){labels[i], a->short_histogram.v[i].count, 0}));
}

/* ---- what had to be left out ---- */

static void omit(T *d, struct arena *arena, const char *message)
{
    vec_push(&d->d.overview.warnings, arena, ((struct warning){WARNING_INFO, message, NULL}));
}

static void take_omissions(T *d, const struct analysis *a, struct arena *arena)
{
    const struct finding_json *v = d->d.findings.v;
    size_t commands = 0;
    for (size_t i = 0; i < a->copies.n; i++)
        if (!has_word(a->copies.v[i].kind))
            omit(d, arena,
                 arena_printf(arena, "not in memory_analysis: %s",
                              copy_directions[a->copies.v[i].kind]));
    if (isfinite(a->counter_stats.avg_waves))
        omit(d, arena,
             "avg_waves, max_waves and min_waves are waves launched by a dispatch (SQ_WAVES), not "
             "occupancy");
    for (size_t i = 0; i < d->d.findings.n; i++)
        for (size_t k = 0; k < v[i].f.commands.n; k++)
            commands += profiler_vendor(v[i].f.commands.v[k].profiler) != VENDOR_AMD;
    if (commands)
        omit(d, arena,
             arena_printf(arena, "%zu commands of other vendors' tools are left out", commands));
}

/* ---- the documents ---- */

static void finish(T *d, struct jwrite *w, const struct analysis_json_opts *o, const char *version)
{
    d->d.metadata.document_version = version;
    d->explanation = o->explanation ? o->explanation->text : NULL;
    fields_write(w, NULL, &rocinsight_fields, d);
}

static struct analysis_json_opts dated(const struct analysis_json_opts *o)
{
    struct analysis_json_opts out = *o;
    out.timestamp = o->timestamp ? o->timestamp : NO_TIMESTAMP;
    return out;
}

void rocinsight_json(struct jwrite *w, const struct analysis *a, const struct advice *advice,
                     const struct analysis_json_opts *given)
{
    struct analysis_json_opts o = dated(given);
    struct arena *arena = w->out->arena;
    T d = {.has_trace = true};
    analysis_document_make(&d.d, a, advice, &o, arena);
    d.d.overview.warnings.cap = d.d.overview.warnings.n; /* the rest of that room is not ours */
    take_findings(&d, arena);
    take_copies(&d, a, arena);
    take_categories(&d, a, arena);
    take_histogram(&d, a, arena);
    take_omissions(&d, a, arena);
    if (o.att) {
        d.att = rocinsight_att_make(o.att, arena);
        d.d.overview.profiling_mode = "thread_trace";
        d.d.overview.tier = 3;
    }
    if (o.source)
        d.source = source_of(source_json_make(o.source, NULL, o.timestamp, arena), arena);
    finish(&d, w, &o, o.att ? WITH_THREAD_TRACE : OF_TRACE);
}

void rocinsight_source_json(struct jwrite *w, const struct source_scan *s,
                            const struct analysis_json_opts *given)
{
    struct analysis_json_opts o = dated(given);
    T d = {0};
    source_document_make(&d.d, s, &o, w->out->arena);
    d.source = source_of(d.d.source, w->out->arena);
    LEND(&d.advice, &d.source->advice, 0);
    finish(&d, w, &o, OF_SOURCE);
}

void rocinsight_json_schema(struct str *out)
{
    fields_schema_document(
        out, "urn:gpusight:rocinsight:" WITH_THREAD_TRACE,
        "rocinsight analysis output, as gpusight writes it",
        "The document of 'gpusight analyze --format json --json-profile rocinsight': the keys, "
        "types and enumerations of rocinsight's output up to version " WITH_THREAD_TRACE
        ", and no others. With source code beside the trace there is a 'tier0', with a thread "
        "trace an 'att_trace'; the version is " WITH_THREAD_TRACE " with the latter, " OF_SOURCE
        " of source code alone, and " OF_TRACE
        " otherwise. Made by 'gpusight --generate rocinsight-schema'.",
        &rocinsight_fields);
}
