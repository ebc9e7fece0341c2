/*
 * CUPTI_ACTIVITY_KIND_SYNCHRONIZATION and CUPTI_ACTIVITY_KIND_CUDA_EVENT: who waits for what.
 *
 * A wait for an event is joined to the record of it by the id that both carry for that purpose
 * (newer versions), else to the last record of the event before the wait: correlation ids of a
 * process grow with time.
 */
#include <string.h>

#include "base/sort.h"
#include "ingest/nsys/nsys.h"

/* Rows of either table, with what a join needs. There may be as many as kernels. */
struct records {
    struct nsys *n;
    bool waits; /* start and type are those of waits; events are joined only */
    size_t rows;
    int64_t *pid, *correlation, *sync_id, *start;
    uint32_t *device, *stream, *event; /* NO_EVENT: none */
    uint8_t *type;                     /* enum sync_kind */
};

enum {
    PID,
    DEVICE,
    STREAM,
    CORRELATION,
    EVENT,
    SYNC_ID,
    N_EVENT_COLS,
    START = N_EVENT_COLS,
    TYPE,
    N_COLS
};

/* "None" in a column of 32 bits. */
#define NO_EVENT UINT32_MAX

static const struct scan_col sync_columns[N_COLS] = {
    [START] = {"start", SCAN_INT, false, NO_VALUE},
    [PID] = {"globalPid", SCAN_INT, true, 0},
    [DEVICE] = {"deviceId", SCAN_INT, true, 0},
    [STREAM] = {"streamId", SCAN_INT, true, NO_EVENT},
    [CORRELATION] = {"correlationId", SCAN_INT, true, -1},
    [EVENT] = {"eventId", SCAN_INT, true, NO_EVENT},
    [SYNC_ID] = {"eventSyncId", SCAN_INT, true, NO_EVENT},
    [TYPE] = {"syncType", SCAN_INT, true, 0},
};

static const struct scan_col event_columns[N_EVENT_COLS] = {
    [PID] = {"globalPid", SCAN_INT, true, 0},
    [DEVICE] = {"deviceId", SCAN_INT, true, 0},
    [STREAM] = {"streamId", SCAN_INT, true, NO_EVENT},
    [CORRELATION] = {"correlationId", SCAN_INT, true, -1},
    [EVENT] = {"eventId", SCAN_INT, true, NO_EVENT},
    [SYNC_ID] = {"eventSyncId", SCAN_INT, true, NO_EVENT},
};

/* CUPTI's numbers, which have not changed. */
static enum sync_kind kind_of(int64_t type)
{
    static const enum sync_kind kinds[] = {SYNC_OTHER, SYNC_EVENT, SYNC_STREAM_WAIT, SYNC_STREAM,
                                           SYNC_DEVICE};
    return type < 0 || type > 4 ? SYNC_OTHER : kinds[type];
}

static void begin(void *ctx, size_t rows)
{
    struct records *r = ctx;
    struct arena *a = r->n->arena;
    r->rows = rows;
    r->pid = arena_array(a, int64_t, rows);
    r->correlation = arena_array(a, int64_t, rows);
    r->sync_id = arena_array(a, int64_t, rows);
    r->device = arena_array(a, uint32_t, rows);
    r->stream = arena_array(a, uint32_t, rows);
    r->event = arena_array(a, uint32_t, rows);
    if (!r->waits)
        return;
    r->start = arena_array(a, int64_t, rows);
    r->type = arena_array(a, uint8_t, rows);
}

/* Columns of 32 bits; a stream that is none keeps to that. */
static void narrow(uint32_t *out, const struct scan_batch *b, int column)
{
    const int64_t *v = batch_ints(b, column);
    for (size_t i = 0; i < b->n; i++)
        out[b->first + i] =
            column == STREAM && (v[i] < 0 || v[i] > NO_EVENT) ? NO_EVENT : (uint32_t)v[i];
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct records *r = ctx;
    memcpy(r->pid + b->first, batch_ints(b, PID), b->n * sizeof(int64_t));
    memcpy(r->correlation + b->first, batch_ints(b, CORRELATION), b->n * sizeof(int64_t));
    memcpy(r->sync_id + b->first, batch_ints(b, SYNC_ID), b->n * sizeof(int64_t));
    narrow(r->device, b, DEVICE);
    narrow(r->stream, b, STREAM);
    narrow(r->event, b, EVENT);
    if (!r->waits)
        return;
    memcpy(r->start + b->first, batch_ints(b, START), b->n * sizeof(int64_t));
    for (size_t i = 0; i < b->n; i++)
        r->type[b->first + i] = (uint8_t)kind_of(batch_ints(b, TYPE)[i]);
}

static bool read_table(struct records *r, const char *table, struct gs_error *err)
{
    struct scan scan = {table,
                        r->waits ? sync_columns : event_columns,
                        r->waits ? N_COLS : N_EVENT_COLS,
                        begin,
                        rows,
                        r,
                        NULL};
    return !nsys_has(r->n, table) || nsys_scan(r->n, &scan, err);
}

static uint32_t *by_correlation(const struct records *r)
{
    uint32_t *order = arena_array(r->n->arena, uint32_t, r->rows + 1);
    for (size_t i = 0; i < r->rows; i++)
        order[i] = (uint32_t)i;
    sort_rows(order, r->rows, r->correlation, r->n->arena);
    return order;
}

static uint64_t event_key(const struct records *r, size_t i, bool exact)
{
    uint64_t h = hash_u64((uint64_t)r->pid[i]) ^ (uint64_t)r->event[i];
    return exact ? hash_u64(h) ^ (uint64_t)r->sync_id[i] : hash_u64(h);
}

/* For each wait the row of the record it waits for, or NO_INDEX. */
static uint32_t *join(const struct records *waits, const struct records *events)
{
    struct arena *arena = waits->n->arena;
    uint32_t *found = arena_array(arena, uint32_t, waits->rows + 1);
    uint32_t *w = by_correlation(waits), *e = by_correlation(events);
    struct idmap exact, last;
    idmap_init(&exact, arena);
    idmap_init(&last, arena);
    for (size_t i = 0; i < events->rows; i++)
        if (events->sync_id[i] != NO_EVENT)
            idmap_put(&exact, event_key(events, i, true), (uint32_t)i);
    for (size_t i = 0, k = 0; i < waits->rows; i++) {
        uint32_t row = w[i];
        for (; k < events->rows && events->correlation[e[k]] <= waits->correlation[row]; k++)
            idmap_put(&last, event_key(events, e[k], false), e[k]);
        found[row] = waits->sync_id[row] == NO_EVENT
                         ? NO_INDEX
                         : idmap_get(&exact, event_key(waits, row, true));
        if (found[row] == NO_INDEX && waits->event[row] != NO_EVENT)
            found[row] = idmap_get(&last, event_key(waits, row, false));
    }
    return found;
}

/* Only streams with work are streams of the trace. */
static uint64_t stream_key(uint32_t process, uint32_t gpu, int64_t id)
{
    return hash_u64(pair_key(process, gpu)) ^ (uint64_t)id;
}

static uint32_t stream_of(const struct records *r, size_t i, uint32_t process,
                          const struct idmap *streams)
{
    const struct trace *t = r->n->trace;
    if (r->stream[i] == NO_EVENT)
        return NO_INDEX;
    uint32_t agent = idmap_get(&r->n->agents, pair_key(process, r->device[i]));
    if (agent == NO_INDEX) /* no work was done there: nothing to wait for */
        return NO_INDEX;
    uint32_t s = idmap_get(streams, stream_key(process, t->agents.v[agent].gpu, r->stream[i]));
    return s != NO_INDEX && t->streams.v[s].process == process ? s : NO_INDEX;
}

static void add_waits(const struct records *w, const struct records *events, const uint32_t *found)
{
    struct nsys *n = w->n;
    struct trace *t = n->trace;
    struct idmap streams;
    idmap_init(&streams, n->arena);
    for (size_t s = 0; s < t->streams.n; s++)
        idmap_put(&streams,
                  stream_key(t->streams.v[s].process, t->streams.v[s].gpu, t->streams.v[s].id),
                  (uint32_t)s);
    trace_room(t, syncs, w->rows);
    struct syncs *s = &t->syncs;
    for (size_t i = 0; i < w->rows; i++) {
        if (w->start[i] == NO_VALUE)
            continue;
        size_t row = s->n++;
        uint32_t process = nsys_process(n, w->pid[i]), e = found[i];
        s->start_ns[row] = nsys_time(n, w->start[i]);
        s->kind[row] = w->type[i];
        s->call[row] = nsys_call(n, process, w->correlation[i]);
        s->stream[row] = stream_of(w, i, process, &streams);
        s->source[row] = e == NO_INDEX ? NO_INDEX : stream_of(events, e, process, &streams);
        s->record[row] = e == NO_INDEX ? NO_INDEX : nsys_call(n, process, events->correlation[e]);
    }
}

bool nsys_read_syncs(struct nsys *n, struct gs_error *err)
{
    struct records waits = {.n = n, .waits = true}, events = {.n = n};
    if (!read_table(&waits, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", err) ||
        !read_table(&events, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", err))
        return false;
    if (waits.rows)
        add_waits(&waits, &events, join(&waits, &events));
    return true;
}
