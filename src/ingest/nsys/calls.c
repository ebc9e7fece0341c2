/*
 * Calls by correlation id. Ids count per process and grow with time, so an array serves most
 * files; where few of many calls were kept, they are sorted.
 */
#include <string.h>

#include "ingest/nsys/nsys.h"

enum { ROWS_PER_ITEM = 1 << 16 };

/* Where the call of a row stands, or NULL when it has no id. */
static struct call_index *index_of(struct nsys *n, size_t row)
{
    const struct trace *t = n->trace;
    if (t->regions.id[row] < 0)
        return NULL;
    return &n->calls[t->threads.v[t->regions.thread[row]].process - n->first_process];
}

static void measure(struct nsys *n, size_t first, size_t end)
{
    for (size_t row = first; row < end; row++) {
        struct call_index *c = index_of(n, row);
        int64_t id = n->trace->regions.id[row];
        if (!c)
            continue;
        if (!c->n++)
            c->least = c->most = id;
        c->least = id < c->least ? id : c->least;
        c->most = id > c->most ? id : c->most;
    }
}

static void make_room(struct nsys *n)
{
    for (size_t i = 0; i < n->n_calls; i++) {
        struct call_index *c = &n->calls[i];
        uint64_t range = (uint64_t)c->most - (uint64_t)c->least;
        if (!c->n)
            continue;
        if (range >= c->n * 8 + 1024) {
            c->ids = arena_array(n->arena, int64_t, c->n);
            c->rows = arena_array(n->arena, uint32_t, c->n);
            c->n = 0;
            continue;
        }
        c->dense = arena_array(n->arena, uint32_t, (size_t)range + 1);
        memset(c->dense, 0xff, ((size_t)range + 1) * sizeof(*c->dense));
    }
}

static uint32_t call_get(const struct call_index *c, int64_t id)
{
    if (!c->dense)
        return idindex_get(&c->sorted, id);
    return id >= c->least && id <= c->most ? c->dense[id - c->least] : NO_INDEX;
}

/*
 * Of several calls with an id the first one wins, the runtime's before the driver's below it: the
 * driver's calls are looked at in a second pass.
 */
static void index_pass(struct nsys *n, size_t first, size_t end, bool runtime)
{
    const struct regions *r = &n->trace->regions;
    for (size_t row = first; row < end; row++) {
        struct call_index *c = index_of(n, row);
        if (!c || (r->kind[row] == REGION_HIP) != runtime)
            continue;
        if (!c->dense) {
            c->ids[c->n] = r->id[row];
            c->rows[c->n++] = (uint32_t)row;
            continue;
        }
        uint32_t *slot = &c->dense[r->id[row] - c->least];
        *slot = *slot == NO_INDEX ? (uint32_t)row : *slot;
    }
}

void nsys_index_calls(struct nsys *n, size_t first, size_t end)
{
    n->n_calls = n->trace->processes.n - n->first_process;
    n->calls = arena_array(n->arena, struct call_index, n->n_calls);
    measure(n, first, end);
    make_room(n);
    index_pass(n, first, end, true);
    index_pass(n, first, end, false);
    for (size_t i = 0; i < n->n_calls; i++)
        if (n->calls[i].ids)
            idindex_make(&n->calls[i].sorted, n->calls[i].ids, n->calls[i].rows, n->calls[i].n,
                         n->arena);
}

uint32_t nsys_call(const struct nsys *n, uint32_t process, int64_t correlation)
{
    size_t i = (size_t)process - n->first_process;
    return correlation < 0 || i >= n->n_calls ? NO_INDEX : call_get(&n->calls[i], correlation);
}

struct link_job {
    const struct nsys *n;
    const uint32_t *stream;
    const int64_t *id;
    uint32_t *call, *thread;
    size_t first, end;
};

static void link_item(void *ctx, size_t item, int worker)
{
    (void)worker;
    const struct link_job *job = ctx;
    const struct trace *t = job->n->trace;
    size_t row = job->first + item * ROWS_PER_ITEM;
    size_t end = job->end - row > ROWS_PER_ITEM ? row + ROWS_PER_ITEM : job->end;
    for (; row < end; row++) {
        uint32_t process = t->streams.v[job->stream[row]].process;
        uint32_t call = nsys_call(job->n, process, job->id[row]);
        job->call[row] = call;
        job->thread[row] = call == NO_INDEX ? NO_INDEX : t->regions.thread[call];
    }
}

void nsys_link(struct nsys *n, const uint32_t *stream, const int64_t *id, uint32_t *call,
               uint32_t *thread, size_t first, size_t end)
{
    struct link_job job = {n, stream, id, call, thread, first, end};
    size_t items = (end - first + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM;
    parallel_for(n->db->threads, items, link_item, &job);
}
