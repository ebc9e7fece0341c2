#include "analyze/intervals.h"

#include <assert.h>
#include <stdbool.h>

#include "base/vec.h"

void spans_append(struct spans *s, struct arena *a, int64_t start, int64_t end)
{
    if (end <= start)
        return;
    assert(!s->n || start >= s->v[s->n - 1].start); /* in order of start */
    if (s->n && start <= s->v[s->n - 1].end) {
        if (end > s->v[s->n - 1].end)
            s->v[s->n - 1].end = end;
        return;
    }
    vec_push(s, a, ((struct span){start, end}));
}

/* A set with so many times fewer spans than the other is looked up in it, span by span. */
enum { FAR = 16 };

/* The first span from j on that ends after a time, in steps that grow. */
static size_t first_after(const struct spans *s, size_t j, int64_t time)
{
    size_t step = 1;
    while (j + step < s->n && s->v[j + step].end <= time) {
        j += step;
        step *= 2;
    }
    for (; step; step /= 2)
        if (j + step < s->n && s->v[j + step].end <= time)
            j += step;
    return j;
}

/* Sets are taken over whole where nothing is to be worked out; they are never changed afterwards.
 */
void spans_subtract(struct spans *out, const struct spans *a, const struct spans *b,
                    struct arena *arena)
{
    if (!b->n) {
        *out = *a;
        return;
    }
    size_t j = 0;
    bool sparse = a->n < b->n / FAR;
    for (size_t i = 0; i < a->n; i++) {
        int64_t at = a->v[i].start, end = a->v[i].end;
        j = sparse ? first_after(b, j, at) : j;
        while (j < b->n && b->v[j].end <= at)
            j++;
        for (size_t k = j; k < b->n && b->v[k].start < end && at < end; k++) {
            spans_append(out, arena, at, b->v[k].start);
            if (b->v[k].end > at)
                at = b->v[k].end;
        }
        spans_append(out, arena, at, end);
    }
}

void spans_union(struct spans *out, const struct spans *a, const struct spans *b,
                 struct arena *arena)
{
    if (!a->n || !b->n) {
        *out = a->n ? *a : *b;
        return;
    }
    vec_reserve(out, arena, a->n + b->n);
    size_t i = 0, j = 0;
    while (i < a->n || j < b->n) {
        const struct span *next;
        if (j == b->n || (i < a->n && a->v[i].start <= b->v[j].start))
            next = &a->v[i++];
        else
            next = &b->v[j++];
        spans_append(out, arena, next->start, next->end);
    }
}

void spans_union_all(struct spans *out, struct spans *sets, size_t n, struct arena *arena)
{
    for (; n > 1; n = (n + 1) / 2) {
        for (size_t i = 0; i < n / 2; i++) {
            struct spans both = {0};
            spans_union(&both, &sets[2 * i], &sets[2 * i + 1], arena);
            sets[i] = both;
        }
        if (n % 2)
            sets[n / 2] = sets[n - 1];
    }
    *out = n ? sets[0] : (struct spans){0};
}

int64_t spans_common(const struct spans *a, const struct spans *b)
{
    int64_t total = 0;
    size_t i = 0, j = 0;
    while (i < a->n && j < b->n) {
        int64_t start = a->v[i].start > b->v[j].start ? a->v[i].start : b->v[j].start;
        int64_t end = a->v[i].end < b->v[j].end ? a->v[i].end : b->v[j].end;
        if (end > start)
            total = add_ns(total, end - start);
        if (a->v[i].end < b->v[j].end)
            i++;
        else
            j++;
    }
    return total;
}

int64_t spans_total(const struct spans *s)
{
    int64_t total = 0;
    for (size_t i = 0; i < s->n; i++)
        total = add_ns(total, s->v[i].end - s->v[i].start);
    return total;
}
