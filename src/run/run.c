#include "run/run.h"

#include <assert.h>
#include <time.h>

#include "run/run_in.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct analysis_opts analysis_opts(const struct run_opts *o)
{
    return (struct analysis_opts){
        .view = {.gpu = -1, .process = o->process, .threads = o->threads},
        .short_threshold_ns = o->short_ns,
        .min_duration_ns = o->min_duration_ns,
        .max_phases = o->max_phases,
        .by_gpu = o->by_gpu,
        .by_process = o->by_process,
        .by_stream = o->by_stream,
        .replay = o->replay,
    };
}

static bool analyze(struct run_call *c)
{
    struct run *r = c->r;
    r->analysis = arena_new(r->arena, struct analysis);
    analysis_run(r->analysis, &r->trace, &c->analysis, r->arena);
    if (!run_narrow(c))
        return false;
    r->analysis->job = r->job;
    r->analysis->only = r->only;
    return true;
}

static void note_part(const struct run *r, const struct run_opts *o)
{
    if (r->job && (o->window || o->phase || o->iteration || filter_any(&o->filter)))
        vec_push(&r->job->notes, r->arena,
                 "the ranks are compared over their whole runs, not only over the part chosen");
}

/* What is read; *traces: among it there is something to analyze. */
static bool load(struct run_call *c, bool *traces)
{
    struct run *r = c->r;
    double begin = now();
    *traces = false;
    if (!run_read_source(c) || !run_read_att(c))
        return false;
    if (!c->o->paths.n)
        return r->source || r->att || fail(c->err, GS_E_USAGE, "no trace given");
    if (!run_load(c))
        return run_att_instead(c);
    *traces = true;
    r->load_seconds = now() - begin;
    return run_choose(c);
}

struct run *run_begin(const struct run_opts *o, struct arena *arena, struct gs_error *err)
{
    struct run *r = arena_new(arena, struct run);
    struct run_call *c = arena_new(arena, struct run_call);
    struct run_opts *kept = arena_new(arena, struct run_opts);
    bool traces;
    *kept = *o;
    *c = (struct run_call){.o = kept, .r = r, .analysis = analysis_opts(o), .err = err};
    r->arena = arena;
    trace_init_in(&r->trace, arena);
    if (!load(c, &traces))
        return NULL;
    if (!o->as_columns)
        trace_pack(&r->trace, o->threads);
    c->err = NULL;
    r->left = traces ? c : NULL;
    return r;
}

bool run_finish(struct run *r, struct gs_error *err)
{
    if (!r->left)
        return true;
    struct run_call c = *r->left; /* a second try begins where the first did */
    double begin = now();
    c.err = err;
    r->advice = (struct advice){0}; /* of a try that did not come to its end */
    r->links = (struct source_links){0};
    if (!analyze(&c))
        return false;
    run_att_beside(&c);
    if (!c.o->facts_only)
        advise(&r->advice, r->analysis, &(struct beside){r->source, &r->links, r->att}, r->arena);
    assert(r->analysis && r->analysis->trace == &r->trace);
    r->analysis_seconds = now() - begin;
    note_part(r, c.o);
    r->left = NULL;
    return true;
}

struct run *run_make(const struct run_opts *o, struct arena *arena, struct gs_error *err)
{
    struct run *r = run_begin(o, arena, err);
    return r && run_finish(r, err) ? r : NULL;
}
