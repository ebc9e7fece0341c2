#include "base/sat.h"
#include "base/sort.h"
#include "report/tracks.h"

/* Calls may always have this share of the limit: 1 / 8. */
enum { LEAST_CALLS = 8 };

static bool is_call(const struct track *k)
{
    return k->kind == TRACK_CALLS;
}

static bool is_event(const struct track *k)
{
    return k->kind != TRACK_SERIES && k->kind != TRACK_PATH;
}

/* Keeps the `most` longest, in order of start; the earlier ones of equal length. */
static void keep_longest(struct tracks *t, struct track *k, size_t most, struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    int64_t *key = arena_array(temporary, int64_t, k->n);
    uint32_t *order = arena_array(temporary, uint32_t, k->n);
    uint8_t *kept = arena_array(temporary, uint8_t, k->n);
    for (size_t i = 0; i < k->n; i++) {
        struct span s = track_span(t, k, i);
        key[i] = ~sub_ns(s.end, s.start);
        order[i] = (uint32_t)i;
    }
    sort_rows(order, k->n, key, temporary);
    for (size_t i = 0; i < most; i++)
        kept[order[i]] = 1;
    uint32_t *rows = arena_array(arena, uint32_t, most);
    size_t n = 0;
    for (size_t i = 0; i < k->n; i++)
        if (kept[i])
            rows[n++] = k->rows[i];
    k->rows = rows;
    k->n = n;
    arena_release(temporary);
}

static void cut(struct tracks *t, bool calls, uint64_t total, uint64_t budget, struct arena *arena)
{
    for (size_t i = 0; i < t->v.n && budget < total; i++) {
        struct track *k = &t->v.v[i];
        if (!is_event(k) || is_call(k) != calls)
            continue;
        size_t most = count_from((double)k->n * (double)budget / (double)total);
        keep_longest(t, k, most ? most : 1, arena);
        if (k->kind == TRACK_KERNELS || k->kind == TRACK_COPIES)
            t->gpu_left_out += k->total - k->n;
    }
}

void tracks_cut(struct tracks *t, uint64_t limit, struct arena *arena)
{
    uint64_t calls = 0, others = 0;
    for (size_t i = 0; i < t->v.n; i++) {
        const struct track *k = &t->v.v[i];
        if (is_event(k))
            *(is_call(k) ? &calls : &others) += k->n;
    }
    t->total = calls + others;
    if (limit && t->total > limit) {
        uint64_t left = others < limit ? limit - others : 0;
        uint64_t share = calls < limit / LEAST_CALLS ? calls : limit / LEAST_CALLS;
        uint64_t for_calls = left > share ? left : share;
        cut(t, true, calls, for_calls, arena);
        cut(t, false, others, limit - for_calls, arena);
    }
    for (size_t i = 0; i < t->v.n; i++)
        if (is_event(&t->v.v[i]))
            t->kept += t->v.v[i].n;
}
