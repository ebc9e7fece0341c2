#include "ingest/rocpd/event_ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

enum { ROWS_PER_RANGE = 4, RANGES_LEAST = 1024 };

/* So many of the first rows tell what the others are like, where they have a hole in every second. */
enum { ROWS_TO_JUDGE = 16384, ROWS_PER_RANGE_AT_ONCE = 2 };

void event_ids_init(struct event_ids *x, struct events *e, struct arena *arena,
                    struct arena *temporary)
{
    *x = (struct event_ids){.e = e, .arena = arena};
    for (int i = 0; i < PARALLEL_MAX; i++)
        x->workers[i].arena = arena_child(temporary);
}

void event_ids_begin(struct event_ids *x, size_t rows)
{
    struct events *e = x->e;
    x->each_id |= atomic_exchange(&x->again, false);
    if (x->each_id)
        e->id = mem_realloc(e->id, mem_mul(rows, sizeof(int64_t)));
    if (x->whole_stack)
        e->wide_stack = mem_realloc(e->wide_stack, mem_mul(rows, sizeof(*e->wide_stack)));
    else
        e->stack = mem_realloc(e->stack, mem_mul(rows, sizeof(*e->stack)));
    e->n = rows;
    e->n_ranges = 0; /* those of an earlier pass say nothing of this one */
    e->blocks = idblocks_new(x->arena);
    for (int i = 0; i < PARALLEL_MAX; i++) {
        x->workers[i].ranges.n = 0;
        x->workers[i].many_ranges = x->workers[i].many_blocks = false;
        x->workers[i].most = 0;
        x->workers[i].rows = 0;
        memset(&x->workers[i].seen, 0, sizeof(x->workers[i].seen));
    }
}

/* Rows [first, first + n) have ids that count up from `id`. */
static void add_range(struct event_ids *x, int worker, size_t first, int64_t id, size_t n)
{
    struct event_ranges *to = &x->workers[worker].ranges;
    struct event_range *last = to->n ? &to->v[to->n - 1] : NULL;
    if (last && last->row + last->n == first && (uint64_t)last->id + last->n == (uint64_t)id) {
        last->n += (uint32_t)n;
        return;
    }
    if (to->n > x->e->n / ROWS_PER_RANGE + RANGES_LEAST)
        x->workers[worker].many_ranges = true;
    else
        vec_push(to, x->workers[worker].arena,
                 ((struct event_range){id, (uint32_t)first, (uint32_t)n}));
}

static void take_ranges(struct event_ids *x, const struct scan_batch *b, const int64_t *id)
{
    uint64_t holes = 0;
    for (size_t i = 0; i < b->n; i++)
        holes |= ((uint64_t)id[i] - (uint64_t)id[0]) ^ i;
    for (size_t i = 0, end; i < b->n && !x->workers[b->worker].many_ranges; i = end) {
        for (end = holes ? i + 1 : b->n;
             end < b->n && (uint64_t)id[end] - (uint64_t)id[i] == end - i;)
            end++;
        add_range(x, b->worker, b->first + i, id[i], end - i);
    }
    size_t *rows = &x->workers[b->worker].rows, ranges = x->workers[b->worker].ranges.n;
    *rows += b->n;
    if (*rows >= ROWS_TO_JUDGE && ranges > *rows / ROWS_PER_RANGE_AT_ONCE)
        atomic_store(&x->again, true);
}

static void take_stacks(struct event_ids *x, const struct scan_batch *b, const int64_t *stack)
{
    struct idblocks_seen *seen = &x->workers[b->worker].seen;
    uint32_t *to = x->e->stack + b->first, most = x->workers[b->worker].most;
    uint64_t high = 0;
    for (size_t i = 0; i < b->n; i++)
        high |= (uint64_t)stack[i];
    for (size_t i = 0; i < b->n && high >> IDBLOCK_BITS; i++)
        to[i] = idblocks_number(x->e->blocks, seen, stack[i]);
    for (size_t i = 0; i < b->n && !(high >> IDBLOCK_BITS); i++)
        to[i] = (uint32_t)stack[i];
    for (size_t i = 0; i < b->n; i++)
        most = to[i] > most ? to[i] : most;
    x->workers[b->worker].most = most;
    x->workers[b->worker].many_blocks |= most == NO_INDEX;
}

void event_ids_take(struct event_ids *x, const struct scan_batch *b, const int64_t *id,
                    const int64_t *stack)
{
    if (x->each_id)
        memcpy((int64_t *)x->e->id + b->first, id, b->n * sizeof(*id));
    else
        take_ranges(x, b, id);
    if (x->whole_stack)
        memcpy(x->e->wide_stack + b->first, stack, b->n * sizeof(*stack));
    else
        take_stacks(x, b, stack);
}

static int by_row(const void *a, const void *b)
{
    const struct event_range *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

/* The ranges of all workers, those that continue each other as one; how many there are. */
static size_t join_ranges(struct event_ids *x)
{
    struct events *e = x->e;
    size_t all = 0, n = 0;
    for (int w = 0; w < PARALLEL_MAX; w++)
        all += x->workers[w].ranges.n;
    e->ranges = arena_array(x->arena, struct event_range, all + 1);
    for (int w = 0; w < PARALLEL_MAX; w++)
        for (size_t i = 0; i < x->workers[w].ranges.n; i++)
            e->ranges[n++] = x->workers[w].ranges.v[i];
    qsort(e->ranges, n, sizeof(*e->ranges), by_row);
    size_t joined = 0;
    for (size_t i = 0; i < n; i++) {
        struct event_range *last = joined ? &e->ranges[joined - 1] : NULL;
        if (last && (uint64_t)last->id + last->n == (uint64_t)e->ranges[i].id)
            last->n += e->ranges[i].n;
        else
            e->ranges[joined++] = e->ranges[i];
    }
    return joined;
}

/* False when ranges overlap: then each id has to be looked at. */
static bool index_ranges(struct event_ids *x, size_t n)
{
    struct events *e = x->e;
    int64_t *id = arena_array(x->arena, int64_t, n);
    for (size_t i = 0; i < n; i++)
        id[i] = e->ranges[i].id;
    if (idindex_make(&e->by_id, id, NULL, n, x->arena))
        return false;
    for (size_t i = 0; i + 1 < n; i++) {
        const struct event_range *r = &e->ranges[idindex_value(&e->by_id, i)];
        if ((uint64_t)e->ranges[idindex_value(&e->by_id, i + 1)].id - (uint64_t)r->id < r->n)
            return false;
    }
    return true;
}

/* Ids where ranges do; sets `first_id` where one does. */
static bool finish_ranges(struct event_ids *x)
{
    struct events *e = x->e;
    for (int w = 0; w < PARALLEL_MAX; w++)
        if (x->workers[w].many_ranges)
            return false;
    size_t n = join_ranges(x);
    if (n > e->n / ROWS_PER_RANGE + RANGES_LEAST || (n > 1 && !index_ranges(x, n)))
        return false;
    e->n_ranges = n;
    e->first_id = n ? e->ranges[0].id : 0;
    return true;
}

bool event_ids_finish(struct event_ids *x, uint64_t *repeated)
{
    struct events *e = x->e;
    bool again = false;
    *repeated = 0;
    for (int w = 0; w < PARALLEL_MAX; w++) {
        if (x->workers[w].many_blocks)
            again = x->whole_stack = true;
        else if (x->workers[w].most > e->most_stack)
            e->most_stack = x->workers[w].most;
    }
    if (!x->each_id && !finish_ranges(x)) {
        again = x->each_id = true;
    } else if (x->each_id && !again) {
        *repeated = idindex_make(&e->by_id, e->id, NULL, e->n, x->arena);
        e->id = mem_realloc(e->id, idindex_bytes(&e->by_id));
        idindex_moved(&e->by_id, e->id);
    }
    if (x->whole_stack) {
        mem_free(e->stack);
        e->stack = NULL;
    }
    return !again;
}
