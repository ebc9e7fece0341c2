#include "ingest/unrecorded.h"

#include <stdlib.h>

#include "base/human.h"
#include "base/sat.h"

/* What is shorter than that, or than so many times all that was recorded, a program may have slept. */
#define LEAST_NS (INT64_C(3600) * 1000000000)
enum { TIMES_THE_REST = 10 };

struct piece {
    int64_t start, end;
};

/* A table's times; end is NULL for moments. */
struct times {
    int64_t *start, *end;
    size_t n;
};

static void times_of(struct trace *t, struct times out[UNRECORDED_TABLES])
{
    const struct times all[UNRECORDED_TABLES] = {
        {t->kernels.start_ns, t->kernels.end_ns, t->kernels.n},
        {t->copies.start_ns, t->copies.end_ns, t->copies.n},
        {t->regions.start_ns, t->regions.end_ns, t->regions.n},
        {t->markers.start_ns, t->markers.end_ns, t->markers.n},
        {t->allocations.start_ns, t->allocations.end_ns, t->allocations.n},
        {t->syncs.start_ns, NULL, t->syncs.n},
        {t->samples.time_ns, NULL, t->samples.n},
        {t->telemetry.time_ns, NULL, t->telemetry.n},
        {t->pc_samples.time_ns, NULL, t->pc_samples.n},
    };
    for (int i = 0; i < UNRECORDED_TABLES; i++)
        out[i] = all[i];
}

void unrecorded_begin(struct unrecorded *u, const struct trace *t)
{
    const size_t n[UNRECORDED_TABLES] = {t->kernels.n, t->copies.n,      t->regions.n,
                                         t->markers.n, t->allocations.n, t->syncs.n,
                                         t->samples.n, t->telemetry.n,   t->pc_samples.n};
    for (int i = 0; i < UNRECORDED_TABLES; i++)
        u->rows[i] = n[i];
}

static int by_start(const void *x, const void *y)
{
    const struct piece *a = x, *b = y;
    return (a->start > b->start) - (a->start < b->start);
}

static int64_t end_of(const struct times *t, size_t row)
{
    return t->end && t->end[row] > t->start[row] ? t->end[row] : t->start[row];
}

/* Rows without a time have zeros. */
static bool has_time(const struct times *t, size_t row)
{
    return t->start[row] || (t->end && t->end[row]);
}

/* All that was recorded lies within less than the least stretch: nearly every source. */
static bool is_short(const struct unrecorded *u, const struct times *of)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (int i = 0; i < UNRECORDED_TABLES; i++) {
        for (size_t row = u->rows[i]; row < of[i].n; row++) {
            int64_t end = end_of(&of[i], row);
            if (!has_time(&of[i], row))
                continue;
            first = of[i].start[row] < first ? of[i].start[row] : first;
            last = end > last ? end : last;
        }
    }
    return first > last || sub_ns(last, first) < LEAST_NS;
}

/* Long stretches between the pieces, in order; returns how long the rest is. */
static int64_t find_stretches(struct piece *v, size_t n, struct piece *out, size_t *n_out)
{
    int64_t rest = 0, until = v[0].end, since = v[0].start;
    *n_out = 0;
    for (size_t i = 1; i < n; i++) {
        if (sub_ns(v[i].start, until) >= LEAST_NS) {
            rest = add_ns(rest, sub_ns(until, since));
            out[(*n_out)++] = (struct piece){until, v[i].start};
            since = v[i].start;
        }
        until = v[i].end > until ? v[i].end : until;
    }
    return add_ns(rest, sub_ns(until, since));
}

/* How much of the stretches lies before a moment. */
static int64_t before(const struct piece *v, size_t n, int64_t ns)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n && v[i].end <= ns; i++)
        sum = add_ns(sum, sub_ns(v[i].end, v[i].start));
    return sum;
}

static void move(const struct unrecorded *u, const struct times *of, const struct piece *v,
                 size_t n)
{
    for (int i = 0; i < UNRECORDED_TABLES; i++) {
        for (size_t row = u->rows[i]; row < of[i].n; row++) {
            int64_t back = before(v, n, of[i].start[row]);
            of[i].start[row] = sub_ns(of[i].start[row], back);
            if (of[i].end)
                of[i].end[row] = sub_ns(of[i].end[row], back);
        }
    }
}

void unrecorded_close(const struct unrecorded *u, struct trace *t)
{
    enum { MOST = 64 }; /* runs in a folder */
    struct times of[UNRECORDED_TABLES];
    times_of(t, of);
    if (is_short(u, of))
        return;
    struct arena *temporary = arena_scratch();
    size_t n = 0, found, kept = 0;
    for (int i = 0; i < UNRECORDED_TABLES; i++)
        n += of[i].n - u->rows[i];
    struct piece *v = arena_array(temporary, struct piece, n), stretches[MOST];
    struct piece *all = arena_array(temporary, struct piece, n);
    n = 0;
    for (int i = 0; i < UNRECORDED_TABLES; i++)
        for (size_t row = u->rows[i]; row < of[i].n; row++)
            if (has_time(&of[i], row))
                v[n++] = (struct piece){of[i].start[row], end_of(&of[i], row)};
    qsort(v, n, sizeof(*v), by_start);
    int64_t rest = find_stretches(v, n, all, &found), sum = 0;
    for (size_t i = 0; i < found && kept < MOST; i++) {
        int64_t ns = sub_ns(all[i].end, all[i].start);
        if (ns / TIMES_THE_REST < rest)
            continue;
        stretches[kept++] = all[i];
        sum = add_ns(sum, ns);
    }
    if (kept) {
        char text[HUMAN_MAX];
        trace_note(t, NOTE_APART, kept + 1,
                   arena_printf(&t->arena,
                                "what was recorded is of several runs, with %s between them in "
                                "all: that time is not accounted",
                                human_time(text, sum)));
        move(u, of, stretches, kept);
    }
    arena_release(temporary);
}
