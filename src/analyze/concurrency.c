#include "analyze/concurrency.h"

#include <assert.h>
#include <math.h>

#include "base/parallel.h"

/* What a walk over the kernels of one GPU, in order of start, finds. */
struct depth {
    int64_t total_ns[CONCURRENCY_LEVELS + 1]; /* by number of kernels; 0 is not used */
    uint32_t most;
    int64_t most_ns; /* when there were that many first */
};

/* The ends of the kernels that run, the first on top. */
struct ends {
    VEC(int64_t) heap;
    struct arena *arena;
    int64_t at;
    struct depth *depth;
};

static void push(struct ends *e, int64_t end)
{
    vec_push(&e->heap, e->arena, end);
    int64_t *v = e->heap.v;
    size_t i = e->heap.n - 1;
    for (; i && v[(i - 1) / 2] > end; i = (i - 1) / 2)
        v[i] = v[(i - 1) / 2];
    v[i] = end;
}

static void pop(struct ends *e)
{
    int64_t *v = e->heap.v, last = v[--e->heap.n];
    size_t n = e->heap.n, i = 0;
    for (size_t child = 1; child < n; child = 2 * i + 1) {
        child += child + 1 < n && v[child + 1] < v[child];
        if (last <= v[child])
            break;
        v[i] = v[child];
        i = child;
    }
    v[i] = last; /* where nothing is left, behind the end */
}

static void step(struct ends *e, int64_t to)
{
    size_t level = e->heap.n < CONCURRENCY_LEVELS ? e->heap.n : CONCURRENCY_LEVELS;
    assert(to >= e->at || !e->heap.n);
    if (level)
        e->depth->total_ns[level] = add_ns(e->depth->total_ns[level], sub_ns(to, e->at));
    e->at = to;
}

/* Kernels that have ended by then are gone. */
static void settle(struct ends *e, int64_t to)
{
    while (e->heap.n && e->heap.v[0] <= to) {
        step(e, e->heap.v[0]);
        pop(e);
    }
    step(e, to);
}

struct gpu_walk {
    const struct view *v;
    struct depth *depth; /* by GPU of the view */
};

static void walk_gpu(void *ctx, size_t slot, int worker)
{
    (void)worker;
    const struct gpu_walk *walk = ctx;
    const struct view_gpu *g = &walk->v->gpus[slot];
    const struct kernels *k = &walk->v->trace->kernels;
    struct arena *temporary = arena_scratch();
    struct ends e = {.arena = temporary, .at = INT64_MIN, .depth = &walk->depth[slot]};
    for (size_t i = 0; i < g->n_kernels; i++) {
        uint32_t row = g->kernels[i];
        struct span span = view_clip(walk->v, k->start_ns[row], k->end_ns[row]);
        if (span.end <= span.start)
            continue;
        settle(&e, span.start);
        push(&e, span.end);
        if (e.heap.n > e.depth->most) {
            e.depth->most = (uint32_t)e.heap.n;
            e.depth->most_ns = span.start;
        }
    }
    settle(&e, INT64_MAX);
    arena_release(temporary);
}

const struct concurrency *concurrency_of(const struct analysis *a)
{
    static const struct concurrency none;
    const struct concurrency *c = analysis_own(a, concurrency);
    return c ? c : &none;
}

static void add_levels(struct concurrency *c, const struct analysis *a, const struct depth *depth,
                       size_t slot, struct arena *arena)
{
    int64_t all_ns = 0;
    for (uint32_t n = 1; n <= CONCURRENCY_LEVELS; n++)
        all_ns = add_ns(all_ns, depth->total_ns[n]);
    for (uint32_t n = 1; n <= CONCURRENCY_LEVELS; n++)
        if (depth->total_ns[n])
            vec_push(
                &c->levels, arena,
                ((struct concurrency_level){
                    .gpu = analysis_gpu_index(a, slot),
                    .slot = (uint32_t)slot,
                    .at_once = n,
                    .total_ns = depth->total_ns[n],
                    .pct_of_kernel_union = percent_of((double)depth->total_ns[n], (double)all_ns),
                }));
}

static void run(struct analysis *a, struct arena *arena)
{
    struct concurrency *c = arena_new(arena, struct concurrency);
    struct arena *temporary = arena_scratch();
    struct gpu_walk walk = {&a->view, arena_array(temporary, struct depth, a->view.n_gpus)};
    struct concurrency_stats *s = &c->stats;
    parallel_for(a->view.workers, a->view.n_gpus, walk_gpu, &walk);
    for (size_t g = 0; g < a->view.n_gpus; g++) {
        const struct depth *d = &walk.depth[g];
        add_levels(c, a, d, g, arena);
        s->alone_ns = add_ns(s->alone_ns, d->total_ns[1]);
        if (d->most > s->most || (d->most && d->most == s->most && d->most_ns < s->start_ns)) {
            s->most = d->most;
            s->start_ns = d->most_ns;
        }
    }
    int64_t all_ns = 0;
    for (size_t i = 0; i < c->levels.n; i++)
        all_ns = add_ns(all_ns, c->levels.v[i].total_ns);
    s->alone_pct = all_ns ? percent_of((double)s->alone_ns, (double)all_ns) : NAN;
    arena_release(temporary);
    analysis_own(a, concurrency) = c;
}

#define R struct concurrency_level
static const struct field level_fields[] = {
    FIELD(R, gpu, FIELD_I32, "GPU", NO_UNIT,
          "number of the GPU; -1 where the trace does not list it"),
    FIELD(R, at_once, FIELD_U32, "at once", NO_UNIT,
          "kernels that run at once; 8 stands for 8 or more"),
    FIELD(R, total_ns, FIELD_I64, "total", IN_NS,
          "time in the window in which so many of them run"),
    FIELD(R, pct_of_kernel_union, FIELD_NUM, "of the time with kernels", IN_PERCENT,
          "100 x total_ns / time in which any kernel of this GPU runs"),
};
#undef R

#define R struct concurrency_stats
static const struct field stat_fields[] = {
    FIELD(R, most, FIELD_U32, "most at once", NO_UNIT,
          "most kernels that any one GPU runs at once"),
    FIELD(R, start_ns, FIELD_I64, "start", IN_NS,
          "when so many of them run first; 0 without kernels", AS_MOMENT),
    FIELD(R, alone_ns, FIELD_I64, "alone", IN_NS,
          "sum over GPUs of the time in which just one kernel runs"),
    FIELD(R, alone_pct, FIELD_NUM, "alone share", IN_PERCENT,
          "100 x alone_ns / sum over GPUs of the time in which any kernel runs; not known without "
          "kernels"),
};
#undef R

static const struct fields levels_table =
    FIELDS("concurrency", "time by the number of kernels that a GPU runs at once",
           struct concurrency_level, level_fields);
static const struct fields stats_table =
    FIELDS("concurrency_stats", "kernels at once, all GPUs together", struct concurrency_stats,
           stat_fields);

static const void *keeper(const struct analysis *a)
{
    return concurrency_of(a);
}

const struct analysis_kind analysis_concurrency = {
    .name = "concurrency",
    .doc = "How many kernels each GPU runs at once: whether several streams fill the GPU together, "
           "or small kernels have it to themselves one after the other.",
    .run = run,
    .keeper = keeper,
    .tables = ANALYSIS_TABLES(ROWS_IN(struct concurrency, levels_table, levels),
                              ONE_IN(struct concurrency, stats_table, stats)),
};
