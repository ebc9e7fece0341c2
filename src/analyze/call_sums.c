#include "analyze/call_sums.h"

#include <assert.h>

#include "analyze/gap_cause.h"
#include "base/parallel.h"
#include "base/sort.h"

/*
 * Lengths of medium stretches of a thread. On level k runs of 16^k of them are in order, with the
 * sums of each run up to each: how much is below a bound is found run by run, large ones first.
 */
enum { LEVELS = 8 };

struct medium_runs {
    size_t n;
    int levels;
    uint32_t *length[LEVELS];
    int64_t *sum_ns[LEVELS];
};

static size_t run_size(int level)
{
    return (size_t)1 << (4 * level);
}

/* In the order of the sorted ones, each goes behind those of its run. */
static void fill_level(struct medium_runs *m, int level, const uint32_t *sorted, struct arena *a,
                       struct arena *temporary)
{
    size_t size = run_size(level), runs = m->n / size + 1;
    size_t *used = arena_array(temporary, size_t, runs);
    m->length[level] = arena_array(a, uint32_t, m->n);
    m->sum_ns[level] = arena_array(a, int64_t, m->n);
    for (size_t i = 0; i < m->n; i++) {
        size_t run = sorted[i] / size, at = run * size + used[run];
        uint32_t length = m->length[0][sorted[i]];
        m->length[level][at] = length;
        m->sum_ns[level][at] = add_ns(used[run]++ ? m->sum_ns[level][at - 1] : 0, length);
    }
}

static struct medium_runs *runs_make(const uint32_t *length, size_t n, struct arena *a)
{
    struct medium_runs *m = arena_new(a, struct medium_runs);
    *m = (struct medium_runs){.n = n, .levels = 1};
    m->length[0] = arena_array(a, uint32_t, n);
    struct arena *temporary = arena_scratch();
    int64_t *key = arena_array(temporary, int64_t, n);
    uint32_t *sorted = arena_array(temporary, uint32_t, n);
    for (size_t i = 0; i < n; i++) {
        m->length[0][i] = length[i];
        key[i] = length[i];
        sorted[i] = (uint32_t)i;
    }
    sort_rows(sorted, n, key, temporary);
    for (; m->levels < LEVELS && run_size(m->levels) <= n; m->levels++)
        fill_level(m, m->levels, sorted, a, temporary);
    arena_release(temporary);
    return m;
}

/* Of the stretches [from, to), what lies within `most` of each. */
static int64_t runs_within(const struct medium_runs *m, size_t from, size_t to, int64_t most)
{
    int64_t ns = 0;
    while (from < to) {
        int level = 0;
        while (level + 1 < m->levels && from % run_size(level + 1) == 0 &&
               from + run_size(level + 1) <= to)
            level++;
        const uint32_t *length = m->length[level] + from;
        size_t size = run_size(level), below = 0;
        BISECT(below, size, i, (int64_t)length[i] <= most);
        if (below)
            ns = add_ns(ns, level ? m->sum_ns[level][from + below - 1] : (int64_t)length[0]);
        ns = add_ns(ns, mul_ns(most, (int64_t)(size - below)));
        from += size;
    }
    return ns;
}

/* ---- sums ---- */

struct filling {
    const struct view *v;
    struct call_sums *sums;
    struct arena **arenas; /* by worker */
};

static int64_t *sum_of_cause(struct call_block *b, enum cause c)
{
    switch (c) {
    case CAUSE_SYNC:
        return &b->sync_ns;
    case CAUSE_ALLOC:
        return &b->alloc_ns;
    case CAUSE_HOST_IO:
        return &b->host_io_ns;
    case CAUSE_HOST:
        return &b->host_ns;
    case CAUSE_STARTUP:
        return &b->startup_ns;
    default:
        assert(c == CAUSE_LAUNCH);
        return &b->launch_ns;
    }
}

/* The call at a place, and the stretch before it, come to what is before the next one. */
static void add_call(struct call_block *b, const struct view *v, uint32_t thread, size_t i,
                     uint32_t *medium)
{
    uint32_t call = v->threads[thread].outer[i];
    const struct regions *r = &v->trace->regions;
    int64_t start = r->start_ns[call], end = r->end_ns[call];
    int64_t before = i ? call_over(v, thread, i - 1) : start;
    int64_t from = start > before ? start : before, length = from - before;
    b->between_ns = add_ns(b->between_ns, length);
    if (length < LEDGER_SHORT_HOST_NS)
        b->short_ns = add_ns(b->short_ns, length);
    else if (length > LEDGER_SYNC_HOST_NS)
        b->long_ns = add_ns(b->long_ns, length);
    else
        medium[b->n_medium++] = (uint32_t)length;
    int64_t *sum = sum_of_cause(b, gap_cause_of_call(v, call, false));
    *sum = add_ns(*sum, end > from ? end - from : 0);
}

static void fill_thread(void *ctx, size_t thread, int worker)
{
    struct filling *f = ctx;
    const struct view_thread *th = &f->v->threads[thread];
    struct call_sums *s = &f->sums[thread];
    struct arena *a = f->arenas[worker], *temporary = arena_scratch();
    uint32_t *medium = arena_array(temporary, uint32_t, th->n_outer);
    struct call_block sum = {0};
    s->n_blocks = th->n_outer / CALL_BLOCK;
    s->blocks = arena_array(a, struct call_block, s->n_blocks + 1);
    for (size_t i = 0; i < s->n_blocks * CALL_BLOCK; i++) {
        if (i % CALL_BLOCK == 0)
            s->blocks[i / CALL_BLOCK] = sum;
        add_call(&sum, f->v, (uint32_t)thread, i, medium);
    }
    s->blocks[s->n_blocks] = sum;
    uint32_t wait = (uint32_t)th->n_outer;
    for (size_t i = th->n_outer; i-- > 0;) {
        if (gap_call_waits(f->v, th->outer[i]))
            wait = (uint32_t)i;
        if (i % CALL_BLOCK == 0)
            s->blocks[i / CALL_BLOCK].next_wait = wait;
    }
    if (sum.n_medium)
        s->runs = runs_make(medium, sum.n_medium, a);
    arena_release(temporary);
}

struct call_sums *call_sums_make(const struct view *v, struct arena *a)
{
    if (v->n_gpus < CALL_SUMS_GPUS || !v->n_calls)
        return NULL;
    struct filling f = {.v = v, .sums = arena_array(a, struct call_sums, v->n_threads)};
    f.arenas = arena_array(a, struct arena *, (size_t)v->workers);
    for (int i = 0; i < v->workers; i++)
        f.arenas[i] = arena_child(a);
    parallel_for(v->workers, v->n_threads, fill_thread, &f);
    return f.sums;
}

int64_t call_sums_add(const struct call_sums *s, size_t from, size_t to, bool drained,
                      int64_t hidden_ns, int64_t *ns)
{
    const struct call_block *x = &s->blocks[from], *y = &s->blocks[to];
    int64_t between = y->between_ns - x->between_ns, host = between - (y->short_ns - x->short_ns);
    if (drained) {
        host = y->long_ns - x->long_ns;
        if (y->n_medium > x->n_medium) {
            int64_t medium = between - host - (y->short_ns - x->short_ns);
            host = add_ns(host, medium - runs_within(s->runs, x->n_medium, y->n_medium, hidden_ns));
        }
    }
    enum cause way = drained ? CAUSE_SYNC : CAUSE_LAUNCH;
    int64_t in_calls = y->host_ns - x->host_ns, io = y->host_io_ns - x->host_io_ns;
    ns[way] = add_ns(ns[way], between - host);
    ns[way] = add_ns(ns[way], y->launch_ns - x->launch_ns);
    ns[CAUSE_SYNC] = add_ns(ns[CAUSE_SYNC], y->sync_ns - x->sync_ns);
    ns[CAUSE_ALLOC] = add_ns(ns[CAUSE_ALLOC], y->alloc_ns - x->alloc_ns);
    ns[CAUSE_STARTUP] = add_ns(ns[CAUSE_STARTUP], y->startup_ns - x->startup_ns);
    ns[CAUSE_HOST_IO] = add_ns(ns[CAUSE_HOST_IO], io);
    ns[CAUSE_HOST] = add_ns(ns[CAUSE_HOST], add_ns(host, in_calls));
    return add_ns(add_ns(host, in_calls), io);
}
