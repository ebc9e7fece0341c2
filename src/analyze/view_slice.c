/* The part of a view between two times. */
#include <assert.h>

#include "analyze/view.h"
#include "base/array.h"
#include "base/vec.h"

enum { BLOCK = 256 };

/* Rows in order of start, and when they are. */
struct list {
    uint32_t *rows;
    size_t n;
    const int64_t *start, *end;
    const int64_t *until; /* by BLOCK rows: the last end; NULL: not known */
};

static struct list kernels_of(const struct view *v, const struct view_gpu *g)
{
    const struct kernels *k = &v->trace->kernels;
    return (struct list){g->kernels, g->n_kernels, k->start_ns, k->end_ns, g->kernels_until};
}

static struct list copies_of(const struct view *v, const struct view_gpu *g)
{
    const struct copies *c = &v->trace->copies;
    return (struct list){g->copies, g->n_copies, c->start_ns, c->end_ns, g->copies_until};
}

static struct list outer_of(const struct view *v, const struct view_thread *th)
{
    const struct regions *r = &v->trace->regions;
    return (struct list){th->outer, th->n_outer, r->start_ns, r->end_ns, th->outer_until};
}

static struct list inner_of(const struct view *v, const struct view_thread *th)
{
    const struct regions *r = &v->trace->regions;
    return (struct list){th->inner, th->n_inner, r->start_ns, r->end_ns, th->inner_until};
}

/* ---- what reaches how far ---- */

static const int64_t *find_until(struct list l, struct arena *a)
{
    int64_t *until = arena_array(a, int64_t, l.n / BLOCK + 1);
    for (size_t i = 0; i < l.n; i++)
        if (i % BLOCK == 0 || l.end[l.rows[i]] > until[i / BLOCK])
            until[i / BLOCK] = l.end[l.rows[i]];
    return until;
}

void view_to_slice(struct view *out, const struct view *v, struct arena *a)
{
    *out = *v;
    out->gpus = arena_array(a, struct view_gpu, v->n_gpus);
    out->threads = arena_array(a, struct view_thread, v->n_threads);
    for (size_t g = 0; g < v->n_gpus; g++) {
        out->gpus[g] = v->gpus[g];
        out->gpus[g].kernels_until = find_until(kernels_of(v, &v->gpus[g]), a);
        out->gpus[g].copies_until = find_until(copies_of(v, &v->gpus[g]), a);
    }
    for (size_t i = 0; i < v->n_threads; i++) {
        out->threads[i] = v->threads[i];
        out->threads[i].outer_until = find_until(outer_of(v, &v->threads[i]), a);
        out->threads[i].inner_until = find_until(inner_of(v, &v->threads[i]), a);
    }
}

/* ---- a slice ---- */

struct part {
    int64_t start, end;
    bool last; /* it goes on to the end of the view, what begins just there included */
    struct arena *arena, *temporary;
};

typedef VEC(size_t) places;

/* Places before `lo` of rows that still run, the last one first. */
static void find_running(places *out, const struct list *l, size_t lo, const struct part *p)
{
    for (size_t i = lo; i > 0;) {
        if (l->until && i % BLOCK == 0 && l->until[i / BLOCK - 1] <= p->start) {
            i -= BLOCK;
            continue;
        }
        if (l->end[l->rows[--i]] > p->start)
            vec_push(out, p->temporary, i);
    }
}

/* Those that still run, then [lo, last) and the one behind, which others ask for. */
static uint32_t *copy_rows(const struct list *l, const places *running, size_t lo, size_t last,
                           struct arena *a)
{
    size_t behind = last < l->n, n = 0;
    uint32_t *rows = arena_array(a, uint32_t, running->n + last - lo + behind);
    for (size_t i = running->n; i-- > 0;)
        rows[n++] = l->rows[running->v[i]];
    for (size_t i = lo; i < last + behind; i++)
        rows[n++] = l->rows[i];
    return rows;
}

struct sliced {
    uint32_t *rows;
    size_t n, later;
    bool earlier; /* others had ended before */
};

static struct sliced slice(struct list l, const struct part *p)
{
    size_t lo = 0, last;
    places running = {0};
    BISECT(lo, l.n, mid, l.start[l.rows[mid]] < p->start);
    last = lo;
    if (p->last)
        last = l.n;
    else
        BISECT(last, l.n, mid, l.start[l.rows[mid]] < p->end);
    find_running(&running, &l, lo, p);
    bool together = !running.n || running.v[running.n - 1] == lo - running.n;
    return (struct sliced){.rows = together ? l.rows + lo - running.n
                                            : copy_rows(&l, &running, lo, last, p->arena),
                           .n = running.n + last - lo,
                           .later = l.n - last,
                           .earlier = lo > running.n};
}

static void slice_gpu(struct view_gpu *u, const struct view *v, const struct part *p)
{
    struct sliced k = slice(kernels_of(v, u), p), c = slice(copies_of(v, u), p);
    u->kernels = k.rows;
    u->n_kernels = k.n;
    u->later_kernels = k.later;
    u->copies = c.rows;
    u->n_copies = c.n;
    u->later_copies = c.later;
    u->has_earlier |= k.earlier || c.earlier;
    u->kernels_until = u->copies_until = NULL;
}

static void slice_thread(struct view_thread *th, const struct view *v, const struct part *p)
{
    struct sliced outer = slice(outer_of(v, th), p), inner = slice(inner_of(v, th), p);
    th->outer = outer.rows;
    th->n_outer = outer.n;
    th->inner = inner.rows;
    th->n_inner = inner.n;
    th->outer_until = th->inner_until = NULL;
}

void view_slice(struct view *out, const struct view *v, int64_t start_ns, int64_t end_ns,
                struct arena *a)
{
    struct part p = {start_ns, end_ns, end_ns >= v->end_ns, a, arena_scratch()};
    assert(!v->is_slice); /* what comes after a row is known of whole views only */
    *out = *v;
    out->is_slice = true;
    out->outer = NULL;
    out->start_ns = start_ns;
    out->end_ns = end_ns;
    out->n_kernels = out->n_copies = out->n_calls = 0;
    out->gpus = arena_array(a, struct view_gpu, v->n_gpus);
    out->threads = arena_array(a, struct view_thread, v->n_threads);
    for (size_t g = 0; g < v->n_gpus; g++) {
        out->gpus[g] = v->gpus[g];
        slice_gpu(&out->gpus[g], v, &p);
        out->n_kernels += out->gpus[g].n_kernels;
        out->n_copies += out->gpus[g].n_copies;
    }
    for (size_t i = 0; i < v->n_threads; i++) {
        out->threads[i] = v->threads[i];
        slice_thread(&out->threads[i], v, &p);
        out->n_calls += view_thread_calls(&out->threads[i]);
    }
    if (v->n_calls && !out->n_calls)
        out->n_calls = 1; /* calls were recorded, only not here: that is known, too */
    arena_release(p.temporary);
}
