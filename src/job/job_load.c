/* Ranks from files: a few at a time, each analyzed and let go before the next. */
#include <stdlib.h>

#include "analyze/pass_window.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/spill.h"
#include "ingest/rank.h"
#include "job/job.h"
#include "job/sources.h"
#include "job/split.h"
#include "job/spread.h"

/* Traces held at once may take about this much; a trace takes about a quarter of its database. */
#define HELD_BYTES (4ull << 30)
enum { FILE_TO_MEMORY = 4 };

struct loading {
    const struct ingest_files *files;
    const uint32_t *which; /* of them */
    struct job_opts o;
    const struct job_kept *kept;
    struct job_part *parts;
    int inner; /* threads for each */
    uint64_t done;
};

/* True when the process did something on a GPU or in MPI: launchers and shells do not. */
static void find_workers(const struct trace *t, bool *worker)
{
    for (size_t i = 0; i < t->kernels.n; i++)
        if (t->kernels.stream[i] < t->streams.n)
            worker[t->streams.v[t->kernels.stream[i]].process] = true;
    for (size_t i = 0; i < t->copies.n; i++)
        if (t->copies.stream[i] < t->streams.n)
            worker[t->streams.v[t->copies.stream[i]].process] = true;
    for (size_t i = 0; i < t->regions.n; i++)
        if (t->regions.kind[i] == REGION_MPI && t->regions.thread[i] < t->threads.n)
            worker[t->threads.v[t->regions.thread[i]].process] = true;
}

/* Where the ranks that are found go. */
struct taking {
    const struct job_opts *o;
    int threads;
    struct arena *keep; /* of the ranks */
    void (*add)(void *ctx, struct job_rank *r);
    void *ctx;
};

/* All that rank_take() looks at. */
static const struct analysis_kind *const of_ranks[] = {
    &analysis_breakdown, &analysis_hotspots, &analysis_telemetry, &analysis_phases, NULL,
};

static void take_whole(const struct taking *k, const struct trace *t, struct arena *scratch)
{
    struct analysis_opts ao = k->o->analysis;
    ao.kinds = of_ranks;
    ao.view.threads = k->threads;
    ao.view.process = -1;
    struct analysis *a = arena_new(scratch, struct analysis);
    struct job_rank r;
    analysis_run(a, t, &ao, scratch);
    rank_take(&r, a, 0, k->keep);
    k->add(k->ctx, &r);
}

/* What processes share: those of one source the window they are seen in and the GPUs' clocks. */
struct shared {
    struct analysis_opts opts;
    struct sources sources;
    double clock_mhz;
};

static void find_shared(struct shared *s, const struct trace *t, struct arena *scratch)
{
    struct view_opts *v = &s->opts.view;
    struct analysis *a = arena_new(scratch, struct analysis);
    if (s->sources.n > 1) {
        pass_windows(s->sources.span, s->sources.n, s->sources.of_process, t);
        return;
    }
    pass_window(v, t, scratch);
    if (!v->has_window)
        v->has_window = trace_span(t, 1, &v->start_ns, &v->end_ns);
    *a = (struct analysis){.trace = t, .arena = scratch, .opts = s->opts};
    a->view.start_ns = v->start_ns;
    a->view.end_ns = v->end_ns;
    analysis_telemetry.run(a, a->arena);
    s->clock_mhz = rank_clock(a);
}

enum { ROWS_FOR_THREADS = 50000 }; /* for less, starting threads takes longer than the work */

/* One of several processes, in a trace of its own. */
static void take_one(const struct taking *k, struct split *s, uint32_t p, struct trace *one,
                     const struct shared *shared, struct arena *scratch)
{
    struct analysis_opts ao = shared->opts;
    const struct span *own = &shared->sources.span[shared->sources.of_process[p]];
    if (shared->sources.n > 1) {
        ao.view.has_window = own->start <= own->end;
        ao.view.start_ns = own->start;
        ao.view.end_ns = own->end;
    }
    split_take(s, p, one);
    if (ao.view.gpu >= 0) {
        uint32_t gpu = split_gpu(s, (uint32_t)ao.view.gpu);
        ao.view.gpu = gpu == NO_INDEX ? INT32_MAX : (int32_t)gpu;
    }
    ao.view.threads = trace_events(one) < ROWS_FOR_THREADS ? 1 : k->threads;
    struct analysis *a = arena_new(scratch, struct analysis);
    struct job_rank r;
    analysis_run(a, one, &ao, scratch);
    rank_take(&r, a, 0, k->keep);
    r.process = p;
    r.place = shared->sources.place[p];
    if (shared->sources.n == 1)
        r.clock_mhz = shared->clock_mhz;
    k->add(k->ctx, &r);
}

static void take_processes(const struct taking *k, const struct trace *t)
{
    struct arena *temporary = arena_scratch(), *scratch = arena_child(temporary);
    struct trace *one = trace_new(temporary);
    struct owners owners;
    struct split s;
    bool *worker = arena_array(temporary, bool, t->processes.n + 1);
    struct shared shared = {.opts = k->o->analysis};
    shared.opts.kinds = of_ranks;
    shared.opts.view.process = -1;
    find_workers(t, worker);
    owners_find(&owners, t, temporary);
    sources_find(&shared.sources, &owners, temporary);
    find_shared(&shared, t, scratch);
    split_init(&s, &owners, temporary);
    for (uint32_t p = 0; p < t->processes.n; p++) {
        if (!worker[p])
            continue;
        trace_release(one);
        trace_init(one);
        arena_release(scratch);
        take_one(k, &s, p, one, &shared, scratch);
    }
    arena_release(temporary);
}

static void take(const struct taking *k, const struct trace *t, struct arena *scratch)
{
    bool worker = false;
    if (t->processes.n > 1) {
        take_processes(k, t);
    } else if (t->processes.n) {
        find_workers(t, &worker);
        if (worker)
            take_whole(k, t, scratch);
    }
}

/* Meetings kept of all ranks together: with more ranks, fewer of each (docs/ranks.md). */
enum { MEETS_OF_ALL = 1 << 23, MEETS_LEAST = 1 << 10 };

static size_t most_meets(size_t ranks)
{
    size_t most = MEETS_OF_ALL / ranks;
    return most < MEETS_LEAST ? MEETS_LEAST : most;
}

struct keeping {
    struct job_part *part;
    size_t most; /* meetings */
};

static void add_to_part(void *ctx, struct job_rank *r)
{
    struct keeping *k = ctx;
    rank_thin(r, k->most);
    vec_push(&k->part->ranks, k->part->arena, rank_copy(r, k->part->arena));
}

/* Whether the trace of a part may be the one that is looked at. */
static bool may_be_it(const struct job_kept *kept, const struct job_part *p)
{
    bool asked_for = false;
    for (size_t i = 0; i < p->ranks.n; i++)
        asked_for |= kept->rank >= 0 && p->ranks.v[i].rank == kept->rank;
    return p->candidate || kept->all || asked_for;
}

static void load_one(void *ctx, size_t place, int worker)
{
    (void)worker;
    struct loading *l = ctx;
    uint32_t i = l->which[place];
    struct job_part *p = &l->parts[i];
    struct arena *temporary = arena_scratch();
    struct trace *t = p->kept ? trace_new(p->kept) : trace_new(temporary);
    struct ingest_files one = {&l->files->v[i], 1, 1};
    struct ingest_opts io = {.reader = l->o.reader, .threads = l->inner, .cache = l->o.cache};
    p->ok = ingest_load_files(t, &one, &io, &p->err);
    if (p->ok)
        take(&(struct taking){&l->o, l->inner, temporary, add_to_part,
                              &(struct keeping){p, most_meets(l->files->n)}},
             t, temporary);
    if (p->ok && l->kept && may_be_it(l->kept, p))
        p->trace = t;
    else if (p->kept)
        arena_release(p->kept);
    arena_release(temporary);
    progress_set(l->o.progress,
                 __atomic_add_fetch(&l->done, ingest_size(&l->files->v[i]), __ATOMIC_RELAXED));
}

/* As many as there are threads, but no more than memory allows. */
static int at_once(const struct loading *l, size_t n, uint64_t *total)
{
    uint64_t largest = 1;
    *total = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bytes = ingest_size(&l->files->v[l->which[i]]);
        largest = bytes > largest ? bytes : largest;
        *total += bytes;
    }
    uint64_t held = spill_bound() && spill_bound() < HELD_BYTES ? spill_bound() : HELD_BYTES;
    uint64_t fit = held / (largest / FILE_TO_MEMORY + 1);
    int most = l->o.threads < (int)n ? l->o.threads : (int)n;
    return fit < 1 ? 1 : fit < (uint64_t)most ? (int)fit : most;
}

void job_load_parts(struct job_part *parts, const struct ingest_files *files, const uint32_t *which,
                    size_t n, const struct job_opts *o, const struct job_kept *kept)
{
    struct loading l = {.files = files, .which = which, .o = *o, .kept = kept, .parts = parts};
    uint64_t total;
    if (!n)
        return;
    l.o.threads = o->threads < 1 ? parallel_cores() : o->threads;
    int workers = at_once(&l, n, &total);
    l.inner = l.o.threads / workers < 1 ? 1 : l.o.threads / workers;
    progress_expect(o->progress, total);
    parallel_for(workers, n, load_one, &l);
}

/* ---- which of the traces stay ---- */

static int by_size(const void *x, const void *y)
{
    const struct job_file *a = x, *b = y;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return a->file < b->file ? -1 : 1;
}

const struct job_file *job_by_size(const struct ingest_files *files, struct arena *arena)
{
    struct job_file *v = arena_array(arena, struct job_file, files->n);
    for (uint32_t i = 0; i < files->n; i++)
        v[i] = (struct job_file){ingest_size(&files->v[i]), i};
    qsort(v, files->n, sizeof(*v), by_size);
    return v;
}

/* Two, where both fit: only one rank can be the one that holds the others up. */
static void choose_middle(struct job_part *parts, const struct ingest_files *files,
                          struct arena *arena)
{
    const struct job_file *middle = job_by_size(files, arena) + (files->n - 1) / 2;
    parts[middle[0].file].candidate = true;
    if (files->n > 1 && middle[1].bytes / FILE_TO_MEMORY <= HELD_BYTES / 2)
        parts[middle[1].file].candidate = true;
}

/* By its name, or by its place where names say nothing. */
static void choose_named(struct job_part *parts, const struct ingest_files *files, int64_t rank)
{
    bool named = false;
    for (size_t i = 0; i < files->n; i++) {
        struct process p = {.rank = -1};
        rank_from_path(&p, files->v[i].path);
        named |= p.rank >= 0;
        parts[i].candidate = p.rank == rank;
    }
    if (!named && (uint64_t)rank < files->n)
        parts[rank].candidate = true;
}

/* Those that stay come last, when nothing else is held. */
static void load_here(struct job_part *parts, const struct ingest_files *files,
                      const struct job_opts *o, const struct job_kept *kept, struct arena *arena)
{
    uint32_t *all = arena_array(arena, uint32_t, files->n);
    size_t n = 0;
    for (int last = 0; last < 2; last++)
        for (uint32_t i = 0; i < files->n; i++)
            if (parts[i].candidate == last)
                all[n++] = i;
    job_load_parts(parts, files, all, n, o, kept);
}

bool job_load(struct job *job, const struct ingest_files *files, const struct job_opts *o,
              struct job_kept *kept, struct arena *arena, struct gs_error *err)
{
    *job = (struct job){.arena = arena};
    struct job_part *parts = arena_array(arena, struct job_part, files->n);
    kept->traces = arena_array(kept->arena, struct trace *, files->n);
    for (size_t i = 0; i < files->n; i++) {
        parts[i].arena = arena_child(arena);
        parts[i].kept = arena_child(kept->arena);
    }
    if (kept->rank < 0)
        choose_middle(parts, files, arena);
    else
        choose_named(parts, files, kept->rank);
    if (!files->n || !files->v[0].remote)
        load_here(parts, files, o, kept, arena);
    else if (!job_spread(parts, files, o, kept, arena, err))
        return false;
    for (uint32_t i = 0; i < files->n; i++) {
        if (!parts[i].ok) {
            *err = parts[i].err;
            return false;
        }
        kept->traces[i] = parts[i].trace;
        for (size_t r = 0; r < parts[i].ranks.n; r++) {
            parts[i].ranks.v[r].part = i;
            parts[i].ranks.v[r].kept = parts[i].trace != NULL;
            vec_push_alone(&job->ranks, arena, parts[i].ranks.v[r]);
        }
    }
    job_finish(job);
    return true;
}

static void add_to_job(void *ctx, struct job_rank *r)
{
    struct job *job = ctx;
    vec_push_alone(&job->ranks, job->arena, *r);
}

void job_of_trace(struct job *job, const struct trace *t, const struct job_opts *o,
                  struct arena *arena)
{
    *job = (struct job){.arena = arena};
    int threads = o->threads < 1 ? parallel_cores() : o->threads;
    take(&(struct taking){o, threads, arena, add_to_job, job}, t, arena);
    job_finish(job);
}
