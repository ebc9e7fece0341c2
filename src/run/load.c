/* The first stage: one trace, or the ranks of a job. */
#include "analyze/captures.h"
#include "base/progress.h"
#include "base/sat.h"
#include "base/str.h"
#include "run/run_in.h"

/* Traces up to this size in all are loaded together. */
#define WHOLE_BYTES (512ll << 20)

static bool all_small(const struct ingest_files *files)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < files->n && bytes <= WHOLE_BYTES; i++)
        bytes = add_ns(bytes, (int64_t)ingest_size(&files->v[i]));
    return bytes <= WHOLE_BYTES;
}

static bool find_rank(struct run_call *c, const struct job *job)
{
    c->chosen = c->o->rank >= 0 ? job_find(job, (int32_t)c->o->rank) : NULL;
    return c->chosen || c->o->rank < 0 ||
           fail(c->err, GS_E_USAGE, "no rank %lld in the traces; see 'gpusight info'",
                (long long)c->o->rank);
}

/* Rank by rank; of the traces, that of the rank that is looked at stays. */
static bool load_ranks(struct run_call *c, struct job *job, const struct ingest_files *files,
                       const struct job_opts *jo, const struct ingest_opts *io)
{
    struct arena *temporary = arena_scratch();
    struct job_kept kept = {.arena = temporary, .rank = c->o->rank, .all = all_small(files)};
    bool ok = job_load(job, files, jo, &kept, c->r->arena, c->err) && find_rank(c, job);
    const struct job_rank *detail = c->chosen ? c->chosen : ok ? job_stand_in(job) : NULL;
    if (detail)
        job->stats.analyzed_rank = detail->rank;
    if (detail && kept.traces[detail->part])
        trace_move(&c->r->trace, kept.traces[detail->part]);
    else if (ok) /* captures of one program are looked at together, whatever they were taken for */
        ok = ingest_load_files(
            &c->r->trace, detail ? &(struct ingest_files){&files->v[detail->part], 1, 1} : files,
            io, c->err);
    arena_release(temporary);
    return ok;
}

/* Every file is read once: all into one trace, which is divided, or a large job rank by rank. */
static bool load_files(struct run_call *c, struct progress *p)
{
    struct run *r = c->r;
    struct ingest_files files = {0};
    struct job *job = arena_new(r->arena, struct job);
    struct ingest_opts io = {
        .reader = c->o->reader, .threads = c->o->threads, .progress = p, .cache = c->o->cache};
    struct job_opts jo = {c->analysis, c->o->reader, c->o->threads, p, c->o->cache};
    if (!ingest_find(&files, &c->o->paths, c->o->seen, r->arena, c->err))
        return false;
    bool many = files.n > 1 && !c->o->apart;
    if (many && (c->o->rank >= 0 || !all_small(&files))) {
        if (!load_ranks(c, job, &files, &jo, &io))
            return false;
    } else {
        if (!ingest_load_files(&r->trace, &files, &io, c->err))
            return false;
        if (!c->o->apart && r->trace.processes.n > 1) {
            job_of_trace(job, &r->trace, &jo, r->arena);
            if (!find_rank(c, job))
                return false;
            if (c->chosen)
                job->stats.analyzed_rank = c->chosen->rank;
        }
    }
    if (job->is_job) {
        r->job = job;
        c->kernel_wait_ns = job_kernel_waits(job, &r->trace, r->arena);
        job_shift(job, &r->trace);
    }
    captures_find(&r->trace, true);
    return true;
}

static void stop(void *progress)
{
    progress_stop(progress);
}

/* With a bar, which is gone before anything is printed, also when memory runs out. */
static struct arena *show_progress(struct progress **p)
{
    struct arena *temporary = arena_scratch();
    *p = arena_new(temporary, struct progress);
    progress_start(*p, "reading", 0);
    arena_defer(temporary, stop, *p);
    return temporary;
}

bool run_load(struct run_call *c)
{
    struct progress *p;
    if (c->o->progress)
        return load_files(c, c->o->progress);
    struct arena *temporary = show_progress(&p);
    bool ok = load_files(c, p);
    arena_release(temporary);
    return ok;
}

/* By what the ranks have in common. */
static void align(struct trace *t, const struct run_opts *o, struct arena *a)
{
    struct job *job = arena_new(a, struct job);
    struct job_opts jo = {{.view = {.gpu = -1, .process = -1, .threads = o->threads},
                           .short_threshold_ns = 10000,
                           .max_phases = 1},
                          o->reader,
                          o->threads,
                          NULL,
                          o->cache};
    if (t->processes.n < 2)
        return;
    job_of_trace(job, t, &jo, a);
    if (job->is_job)
        job_shift(job, t);
}

bool run_load_only(struct trace *t, const struct run_opts *o, const char **only,
                   struct gs_error *err)
{
    struct progress *p;
    struct arena *temporary = show_progress(&p);
    struct ingest_opts io = {.reader = o->reader,
                             .threads = o->threads,
                             .progress = p,
                             .cache = o->cache,
                             .leave_out = o->leave_out};
    struct ingest_files files = {0};
    bool ok =
        (o->mixed ? ingest_find_mixed : ingest_find)(&files, &o->paths, o->seen, &t->arena, err) &&
        ingest_load_files(t, &files, &io, err);
    if (ok && o->align)
        align(t, o, temporary);
    if (ok)
        captures_find(t, false);
    arena_release(temporary);
    return ok && filter_rows(t, o, only, &t->arena, err);
}
