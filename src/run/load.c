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

/* The file of one rank. */
static struct ingest_files file_of(const struct ingest_files *files, const struct job_rank *r)
{
    for (size_t i = 0; i < files->n; i++)
        if (str_eq(files->v[i].path, r->file))
            return (struct ingest_files){&files->v[i], 1, 1};
    return r->order < files->n ? (struct ingest_files){&files->v[r->order], 1, 1} : *files;
}

/* Which rank is looked at in detail, and so which files of `files` are needed for that. */
static bool choose_rank(struct run_call *c, struct job *job, struct ingest_files *files)
{
    const struct job_rank *r = NULL;
    if (c->o->rank >= 0) {
        r = job_find(job, (int32_t)c->o->rank);
        if (!r)
            return fail(c->err, GS_E_USAGE, "no rank %lld in the traces; see 'gpusight info'",
                        (long long)c->o->rank);
        c->chosen = r;
    } else if (files->n > 1 && !all_small(files)) {
        r = job_typical(job);
    }
    if (!r)
        return true;
    job->stats.analyzed_rank = r->rank;
    if (files->n > 1)
        *files = file_of(files, r);
    return true;
}

static bool job_from_files(struct run_call *c, struct job *job, struct ingest_files *files,
                           const struct job_opts *jo)
{
    return job_load(job, files, jo, c->r->arena, c->err) && choose_rank(c, job, files);
}

/*
 * Every file of a small job is read once, all into one trace, which is divided; one with rows of no
 * process cannot be, and is read by file as well. A large job is read rank by rank, and then the one
 * that is looked at: it was not known before the others were.
 */
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
    bool together = many && c->o->rank < 0 && all_small(&files);
    if (many && !together && !job_from_files(c, job, &files, &jo))
        return false;
    if (!ingest_load_files(&r->trace, &files, &io, c->err))
        return false;
    if (together && !job_can_split(&r->trace)) {
        if (!job_from_files(c, job, &files, &jo))
            return false;
    } else if ((together || !many) && !c->o->apart && r->trace.processes.n > 1) {
        job_of_trace(job, &r->trace, &jo, r->arena);
        if (!choose_rank(c, job, &files))
            return false;
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
static bool align(struct trace *t, const struct ingest_files *files, const struct run_opts *o,
                  struct arena *a, struct gs_error *err)
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
        return true;
    if (!job_can_split(t)) {
        if (files->n > 1 && !job_load(job, files, &jo, a, err))
            return false;
    } else {
        job_of_trace(job, t, &jo, a);
    }
    if (job->is_job)
        job_shift(job, t);
    return true;
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
        ingest_load_files(t, &files, &io, err) &&
        (!o->align || align(t, &files, o, temporary, err));
    if (ok)
        captures_find(t, false);
    arena_release(temporary);
    return ok && filter_rows(t, o, only, &t->arena, err);
}
