#include "convert/lanes.h"

#include <assert.h>
#include <stdlib.h>

/* So many lanes in which things nest are tried; what fits into none lies flat beyond them. */
enum { NESTED_MAX = 8 };

struct lane {
    VEC(struct lane_item) open;
};

struct heap_entry {
    int64_t end_ns;
    uint32_t lane;
    struct lane_item last;
};

struct walk {
    const struct lane_events *e;
    struct arena *arena;
    struct lane nested[NESTED_MAX];
    uint32_t n_nested, first_flat, n_flat;
    VEC(struct heap_entry) heap; /* flat lanes, the one that is free first on top */
};

static int by_time(const void *a, const void *b)
{
    const struct lane_item *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static bool is_sorted(const struct lane_item *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (by_time(&v[i - 1], &v[i]) > 0)
            return false;
    return true;
}

/* ---- flat lanes ---- */

static void sift_down(struct walk *w, size_t i)
{
    struct heap_entry *h = w->heap.v, moved = h[i];
    for (size_t child; (child = 2 * i + 1) < w->heap.n; i = child) {
        if (child + 1 < w->heap.n &&
            (h[child + 1].end_ns < h[child].end_ns ||
             (h[child + 1].end_ns == h[child].end_ns && h[child + 1].lane < h[child].lane)))
            child++;
        if (moved.end_ns < h[child].end_ns ||
            (moved.end_ns == h[child].end_ns && moved.lane < h[child].lane))
            break;
        h[i] = h[child];
    }
    h[i] = moved;
}

static void sift_up(struct walk *w, size_t i)
{
    struct heap_entry *h = w->heap.v, moved = h[i];
    for (size_t parent; i && h[parent = (i - 1) / 2].end_ns > moved.end_ns; i = parent)
        h[i] = h[parent];
    h[i] = moved;
}

/* The end of what was there is told when its lane is used again, or at the end of all. */
static void put_flat(struct walk *w, const struct lane_item *item)
{
    if (w->heap.n && w->heap.v[0].end_ns <= item->start_ns) {
        struct heap_entry *top = &w->heap.v[0];
        w->e->end(w->e->ctx, top->lane, &top->last);
        w->e->begin(w->e->ctx, top->lane, item);
        top->end_ns = item->end_ns;
        top->last = *item;
        sift_down(w, 0);
        return;
    }
    struct heap_entry made = {item->end_ns, w->first_flat + w->n_flat++, *item};
    w->e->begin(w->e->ctx, made.lane, item);
    vec_push(&w->heap, w->arena, made);
    sift_up(w, w->heap.n - 1);
}

/* ---- nested lanes ---- */

static void pop_until(struct walk *w, uint32_t lane, int64_t ns)
{
    struct lane *l = &w->nested[lane];
    while (l->open.n && l->open.v[l->open.n - 1].end_ns <= ns)
        w->e->end(w->e->ctx, lane, &l->open.v[--l->open.n]);
}

/* An interval without a length may stand at the very end of another. */
static bool fits(struct walk *w, uint32_t lane, const struct lane_item *item)
{
    struct lane *l = &w->nested[lane];
    pop_until(w, lane, item->start_ns);
    return !l->open.n || l->open.v[l->open.n - 1].end_ns >= item->end_ns;
}

static void put_nested(struct walk *w, const struct lane_item *item)
{
    for (uint32_t lane = 0; lane < NESTED_MAX; lane++) {
        if (!fits(w, lane, item))
            continue;
        w->n_nested = lane >= w->n_nested ? lane + 1 : w->n_nested;
        w->e->begin(w->e->ctx, lane, item);
        vec_push(&w->nested[lane].open, w->arena, *item);
        return;
    }
    put_flat(w, item);
}

void lanes_walk(struct lane_item *items, size_t n, bool flat, const struct lane_events *e,
                struct arena *a)
{
    struct walk w = {.e = e, .arena = arena_child(a), .first_flat = flat ? 0 : NESTED_MAX};
    if (!is_sorted(items, n))
        qsort(items, n, sizeof(*items), by_time);
    for (size_t i = 0; i < n; i++) {
        if (flat)
            put_flat(&w, &items[i]);
        else
            put_nested(&w, &items[i]);
    }
    for (uint32_t lane = 0; lane < w.n_nested; lane++)
        pop_until(&w, lane, INT64_MAX);
    while (w.heap.n) {
        e->end(e->ctx, w.heap.v[0].lane, &w.heap.v[0].last);
        w.heap.v[0] = w.heap.v[--w.heap.n];
        if (w.heap.n)
            sift_down(&w, 0);
    }
    arena_release(w.arena);
}
