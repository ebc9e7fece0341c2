/*
 * CUPTI_ACTIVITY_KIND_SYNCHRONIZATION and CUPTI_ACTIVITY_KIND_CUDA_EVENT: who waits for what.
 *
 * A wait for an event is joined to the record of it by the id that both carry for that purpose
 * (newer versions), where no record shares it, else to the last record of the event before the
 * wait: correlation ids of a process grow with time.
 */
#include <string.h>

#include "base/sort.h"
#include "ingest/nsys/nsys.h"

/*
 * Rows of either table: waits stand in that of the trace from `base` on, records of events here.
 * There may be as many as kernels.
 */
struct records {
    struct nsys *n;
    bool waits;
    size_t base, rows;
    uint32_t *stream; /* of records: a provisional number, with process and device (keys.h) */
    /* What a join needs; NULL: there is none. */
    int64_t *correlation;
    int64_t *sync_id; /* NO_EVENT: none */
    uint32_t *event;  /* NO_EVENT: none */
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

#define EVENTS "CUPTI_ACTIVITY_KIND_CUDA_EVENT"

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
    struct nsys *n = r->n;
    r->rows = rows;
    if (r->waits)
        trace_rows_from(n->trace, syncs, r->base, rows);
    else
        r->stream = arena_array(n->arena, uint32_t, rows + 1);
    if (!nsys_has(n, EVENTS))
        return;
    r->correlation = arena_array(n->arena, int64_t, rows + 1);
    r->sync_id = arena_array(n->arena, int64_t, rows + 1);
    r->event = arena_array(n->arena, uint32_t, rows + 1);
}

/* Of a process that is known so far, or NO_INDEX. */
static uint32_t process_of(const struct nsys *n, int64_t pid)
{
    return idmap_get(&n->processes, gid_process(pid));
}

/* A stream that is none keeps to that. */
static int64_t stream_id(int64_t v)
{
    return v < 0 || v > NO_EVENT ? NO_EVENT : v;
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct records *r = ctx;
    struct nsys *n = r->n;
    struct syncs *s = &n->trace->syncs;
    uint32_t *stream = r->waits ? s->stream + r->base : r->stream;
    for (size_t i = 0; i < b->n; i++) {
        size_t row = b->first + i;
        stream[row] = keys_add(&n->waited, b->worker,
                               (struct key){{batch_ints(b, PID)[i], batch_ints(b, DEVICE)[i],
                                             stream_id(batch_ints(b, STREAM)[i])}});
        if (r->event)
            r->event[row] = (uint32_t)batch_ints(b, EVENT)[i];
    }
    if (r->event) {
        memcpy(r->correlation + b->first, batch_ints(b, CORRELATION), b->n * sizeof(int64_t));
        memcpy(r->sync_id + b->first, batch_ints(b, SYNC_ID), b->n * sizeof(int64_t));
    }
    for (size_t i = 0; r->waits && i < b->n; i++) {
        size_t row = r->base + b->first + i;
        s->start_ns[row] = nsys_time(n, batch_ints(b, START)[i]);
        s->kind[row] = (uint8_t)kind_of(batch_ints(b, TYPE)[i]);
        s->call[row] =
            nsys_call(n, process_of(n, batch_ints(b, PID)[i]), batch_ints(b, CORRELATION)[i]);
        s->source[row] = s->record[row] = NO_INDEX;
    }
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

/* Waits without a time are none. Of the others the processes are known from here on. */
static void keep_timed(struct records *w)
{
    struct nsys *n = w->n;
    struct syncs *s = &n->trace->syncs;
    size_t kept = 0;
    for (size_t i = 0; i < w->rows; i++) {
        if (s->start_ns[w->base + i] == NO_VALUE)
            continue;
        nsys_process(n, keys_get(&n->waited, s->stream[w->base + i])->v[0]);
        table_move(s, SYNC_COLUMNS, w->base + kept, w->base + i);
        if (w->event) {
            w->correlation[kept] = w->correlation[i];
            w->sync_id[kept] = w->sync_id[i];
            w->event[kept] = w->event[i];
        }
        kept++;
    }
    w->rows = kept;
    s->n = w->base + kept;
}

/* ---- which record a wait is for ---- */

static uint32_t process_at(const struct records *r, size_t i)
{
    const uint32_t *stream = r->waits ? r->n->trace->syncs.stream + r->base : r->stream;
    return process_of(r->n, keys_get(&r->n->waited, stream[i])->v[0]);
}

/* An id of a wait for an event, by process; negative: none. */
static int64_t exact_id(const struct records *r, size_t i)
{
    enum { ID_BITS = 40 };
    uint32_t process = process_at(r, i);
    int64_t id = r->sync_id[i];
    bool none = id == NO_EVENT || id < 0 || id >> ID_BITS || process == NO_INDEX;
    return none || process >> (63 - ID_BITS) ? -1 : (int64_t)process << ID_BITS | id;
}

/* The records by that id; one that several have tells nothing of any of them: they lose it. */
static void index_exact(struct idindex *x, struct records *events)
{
    struct arena *a = events->n->arena;
    int64_t *id = arena_array(a, int64_t, events->rows + 1);
    uint32_t *row = arena_array(a, uint32_t, events->rows + 1);
    size_t n = 0;
    for (size_t i = 0; i < events->rows; i++) {
        id[n] = exact_id(events, i);
        row[n] = (uint32_t)i;
        n += id[n] >= 0;
    }
    if (!idindex_make(x, id, row, n, a))
        return;
    for (size_t i = 0; i < events->rows; i++) {
        int64_t own = exact_id(events, i);
        uint32_t first = own < 0 ? (uint32_t)i : idindex_get(x, own);
        if (first != i)
            events->sync_id[first] = NO_EVENT;
    }
}

/* Joins what it can; false when some waits are for events, but for no record so far. */
static bool join_exact(const struct records *waits, struct records *events)
{
    uint32_t *record = waits->n->trace->syncs.record + waits->base;
    struct idindex x;
    bool all = true;
    index_exact(&x, events);
    for (size_t i = 0; i < waits->rows; i++) {
        int64_t id = exact_id(waits, i);
        uint32_t e = id < 0 ? NO_INDEX : idindex_get(&x, id);
        if (e != NO_INDEX && events->sync_id[e] != NO_EVENT && events->event[e] == waits->event[i])
            record[i] = e;
        all &= record[i] != NO_INDEX || waits->event[i] == NO_EVENT;
    }
    return all;
}

static uint32_t *by_correlation(const struct records *r, struct arena *temporary)
{
    uint32_t *order = arena_array(temporary, uint32_t, r->rows + 1);
    for (size_t i = 0; i < r->rows; i++)
        order[i] = (uint32_t)i;
    sort_rows(order, r->rows, r->correlation, temporary);
    return order;
}

/* To the last record of the event before the wait. */
static void join_last(const struct records *waits, const struct records *events)
{
    uint32_t *record = waits->n->trace->syncs.record + waits->base;
    struct arena *temporary = arena_scratch();
    uint32_t *w = by_correlation(waits, temporary), *e = by_correlation(events, temporary);
    struct idmap last;
    idmap_init(&last, temporary);
    for (size_t i = 0, k = 0; i < waits->rows; i++) {
        uint32_t row = w[i];
        for (; k < events->rows && events->correlation[e[k]] <= waits->correlation[row]; k++)
            idmap_put(&last, pair_key(process_at(events, e[k]), events->event[e[k]]), e[k]);
        if (record[row] == NO_INDEX && waits->event[row] != NO_EVENT)
            record[row] = idmap_get(&last, pair_key(process_at(waits, row), waits->event[row]));
    }
    arena_release(temporary);
}

/* ---- streams ---- */

struct streams {
    const struct nsys *n;
    struct idmap of; /* process, GPU and id */
};

static uint64_t stream_key(uint32_t process, uint32_t gpu, int64_t id)
{
    return hash_u64(pair_key(process, gpu)) ^ (uint64_t)id;
}

/* Only streams with work are streams of the trace. */
static uint32_t stream_of(void *ctx, const struct key *key)
{
    const struct streams *all = ctx;
    const struct trace *t = all->n->trace;
    uint32_t process = process_of(all->n, key->v[0]);
    if (key->v[2] == NO_EVENT || process == NO_INDEX)
        return NO_INDEX;
    uint32_t agent = idmap_get(&all->n->agents, pair_key(process, key->v[1]));
    if (agent == NO_INDEX) /* no work was done there: nothing to wait for */
        return NO_INDEX;
    uint32_t s = idmap_get(&all->of, stream_key(process, t->agents.v[agent].gpu, key->v[2]));
    return s != NO_INDEX && t->streams.v[s].process == process ? s : NO_INDEX;
}

/* From provisional numbers and places of records to rows of the trace. */
static void resolve(struct records *w, struct records *events)
{
    struct nsys *n = w->n;
    const struct trace *t = n->trace;
    struct syncs *s = &n->trace->syncs;
    struct streams streams = {.n = n};
    idmap_init(&streams.of, n->arena);
    for (size_t i = 0; i < t->streams.n; i++)
        idmap_put(&streams.of,
                  stream_key(t->streams.v[i].process, t->streams.v[i].gpu, t->streams.v[i].id),
                  (uint32_t)i);
    keys_finish(&n->waited, events->stream, 0, events->rows, stream_of, &streams);
    for (size_t i = 0; i < w->rows; i++) {
        size_t row = w->base + i;
        uint32_t e = s->record[row];
        if (e == NO_INDEX)
            continue;
        s->source[row] = events->stream[e];
        s->record[row] = nsys_call(n, process_at(w, i), events->correlation[e]);
    }
    keys_finish(&n->waited, s->stream, w->base, s->n, stream_of, &streams);
}

bool nsys_read_syncs(struct nsys *n, struct gs_error *err)
{
    struct records waits = {.n = n, .waits = true, .base = n->trace->syncs.n}, events = {.n = n};
    if (!read_table(&waits, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", err))
        return false;
    if (waits.rows)
        keep_timed(&waits);
    if (!read_table(&events, EVENTS, err))
        return false;
    if (!waits.rows)
        return true;
    if (events.rows && !join_exact(&waits, &events))
        join_last(&waits, &events);
    resolve(&waits, &events);
    return true;
}
