#include "cli/analyze_job.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/sat.h"
#include "base/str.h"
#include "cli/load.h"

/* Traces up to this size in all are also loaded together. */
#define WHOLE_BYTES (512ll << 20)

struct load_call {
    struct analyze_job *j;
    struct cli *cli;
    struct trace *t;
    const struct opt_list *paths;
    struct ingest_files files;
    struct job_opts o;
    int64_t rank;
    struct gs_error *err;
    bool ok;
};

static bool all_small(const struct ingest_files *files)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < files->n && bytes <= WHOLE_BYTES; i++)
        bytes = add_ns(bytes, fs_size(files->v[i].path));
    return bytes <= WHOLE_BYTES;
}

/* The file of one rank. */
static struct ingest_files file_of(const struct load_call *c, const struct job_rank *r)
{
    for (size_t i = 0; i < c->files.n; i++)
        if (str_eq(c->files.v[i].path, r->file))
            return (struct ingest_files){&c->files.v[i], 1, 1};
    return r->order < c->files.n ? (struct ingest_files){&c->files.v[r->order], 1, 1} : c->files;
}

static bool choose(struct load_call *c, struct ingest_files *files)
{
    struct job *job = &c->j->job;
    const struct job_rank *r = NULL;
    *files = c->files;
    if (c->rank >= 0) {
        r = job_find(job, (int32_t)c->rank);
        if (!r)
            return fail(c->err, GS_E_USAGE, "no rank %lld in the traces; see 'gpusight info'",
                        (long long)c->rank);
        c->j->chosen = r;
    } else if (c->files.n > 1 && !all_small(&c->files)) {
        r = job_typical(job);
    }
    if (!r)
        return true;
    job->stats.analyzed_rank = r->rank;
    if (c->files.n > 1)
        *files = file_of(c, r);
    return true;
}

static bool load_trace(struct load_call *c, const struct ingest_files *files)
{
    struct ingest_opts io = {c->o.reader, c->cli->threads, c->o.progress};
    return ingest_load_files(c->t, files, &io, c->err);
}

static void load(void *ctx)
{
    struct load_call *c = ctx;
    struct analyze_job *j = c->j;
    struct arena *arena = c->cli->arena;
    struct ingest_files files;
    if (!ingest_find(&c->files, c->paths, arena, c->err))
        return;
    if (c->files.n > 1) {
        if (!job_load(&j->job, &c->files, &c->o, arena, c->err))
            return;
        j->used = j->job.is_job;
        c->ok = choose(c, &files) && load_trace(c, &files);
    } else {
        c->ok = load_trace(c, &c->files);
        if (!c->ok || c->t->processes.n < 2)
            return;
        job_of_trace(&j->job, c->t, &c->o, arena);
        j->used = j->job.is_job;
        c->ok = choose(c, &files);
    }
    if (!c->ok || !j->used)
        return;
    j->kernel_wait_ns = job_kernel_waits(&j->job, c->t, arena);
    job_shift(&j->job, c->t);
}

bool analyze_job_load(struct analyze_job *j, struct cli *cli, struct trace *t,
                      const struct opt_list *paths, const char *reader, int64_t rank,
                      const struct analysis_opts *o, struct gs_error *err)
{
    struct progress progress;
    struct load_call c = {.j = j, .cli = cli, .t = t, .paths = paths, .rank = rank, .err = err};
    c.o = (struct job_opts){*o, reader_mode_of(reader), cli->threads, &progress};
    *j = (struct analyze_job){0};
    progress_start(&progress, "reading", 0);
    bool had_memory = mem_guard(load, &c, err);
    progress_stop(&progress); /* before anything is printed, also when memory ran out */
    if (!had_memory)
        mem_exhausted();
    return c.ok || cli_load_failed(cli, paths, err);
}
