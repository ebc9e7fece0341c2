/*
 * rocpd_arg: which stream waits for which event, from the arguments of hipEventRecord,
 * hipStreamWaitEvent and the calls that wait on the host.
 *
 * Arguments are texts, and streams and events in them are handles of the program. Which stream of
 * the trace a handle is, the launches tell: they have the handle as an argument and the stream in
 * their kernels. There are several arguments a call, so they are read only where they tell what
 * nothing else does: a stream that waits for another.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/str.h"
#include "ingest/rocpd/rocpd.h"

enum call_kind { CALL_NONE, CALL_OTHER, CALL_RECORD, CALL_STREAM_WAIT, CALL_EVENT, CALL_STREAM };

struct handles {
    uint32_t call; /* regions row */
    bool has_stream, has_event;
    uint64_t stream, event;
};

struct sync_job {
    struct rocpd *r;
    uint8_t *kind_of;     /* by string: enum call_kind + 1; 0: not asked yet */
    struct idmap of_call; /* regions row -> calls */
    VEC(struct handles) calls;
    struct idmap streams; /* handle -> stream */
    struct idmap events;  /* handle -> calls: the last record */
};

static enum call_kind judge(const char *name)
{
    static const struct {
        const char *part;
        enum call_kind kind;
    } table[] = {
        {"EventRecord", CALL_RECORD},     {"StreamWaitEvent", CALL_STREAM_WAIT},
        {"EventSynchronize", CALL_EVENT}, {"StreamSynchronize", CALL_STREAM},
        {"Launch", CALL_OTHER},           {"Memcpy", CALL_OTHER},
        {"Memset", CALL_OTHER},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_has(name, table[i].part))
            return table[i].kind;
    return CALL_NONE;
}

static enum call_kind kind_of(struct sync_job *job, uint32_t call)
{
    const struct trace *t = job->r->trace;
    uint32_t name = t->regions.name[call];
    if (!job->kind_of[name])
        job->kind_of[name] = (uint8_t)(judge(trace_str(t, name)) + 1);
    return (enum call_kind)(job->kind_of[name] - 1);
}

/* Several streams with work, and one that waits for another: host waits are plain by their times.
 */
static bool is_needed(struct sync_job *job, const struct rocpd_rows *first)
{
    const struct trace *t = job->r->trace;
    size_t k = first->kernels;
    while (k < t->kernels.n && t->kernels.stream[k] == t->kernels.stream[first->kernels])
        k++;
    bool several =
        k < t->kernels.n || (first->kernels < t->kernels.n && first->copies < t->copies.n);
    for (size_t i = first->regions; several && i < t->regions.n; i++)
        if (kind_of(job, (uint32_t)i) == CALL_STREAM_WAIT)
            return true;
    return false;
}

/* ---- arguments ---- */

/* "0x2c060a60", "0", "(null)" */
static uint64_t handle_of(const char *text)
{
    return strtoull(text, NULL, 16);
}

static struct handles *handles_of(struct sync_job *job, uint32_t call)
{
    uint32_t at = idmap_get(&job->of_call, call);
    if (at != NO_INDEX)
        return &job->calls.v[at];
    idmap_put(&job->of_call, call, (uint32_t)job->calls.n);
    vec_push(&job->calls, job->r->arena, (struct handles){.call = call});
    return &job->calls.v[job->calls.n - 1];
}

static bool read_arguments(struct sync_job *job, struct gs_error *err)
{
    static const char *const columns[] = {"event_id", "name", "value", NULL};
    struct rocpd *r = job->r;
    struct db_query q;
    if (!rocpd_query(&q, r, "arg", columns, err))
        return false;
    while (db_next(&q)) {
        const char *name = db_text(&q, 1);
        bool event = str_eq(name, "event");
        if (!event && !str_eq(name, "stream") && !str_eq(name, "hStream"))
            continue;
        uint32_t call = event_call(r, event_row(&r->events, sqlite3_column_int64(q.stmt, 0)));
        if (call >= r->trace->regions.n || kind_of(job, call) == CALL_NONE)
            continue;
        struct handles *h = handles_of(job, call);
        uint64_t value = handle_of(db_text(&q, 2));
        if (event) {
            h->has_event = true;
            h->event = value;
        } else {
            h->has_stream = true;
            h->stream = value;
        }
    }
    return db_done(&q, err);
}

/* ---- what they say ---- */

static void learn(struct sync_job *job, const uint32_t *call, const uint32_t *stream, size_t first,
                  size_t n)
{
    for (size_t i = first; i < n; i++) {
        uint32_t at = call[i] == NO_INDEX ? NO_INDEX : idmap_get(&job->of_call, call[i]);
        if (at != NO_INDEX && job->calls.v[at].has_stream)
            idmap_put(&job->streams, hash_u64(job->calls.v[at].stream), stream[i]);
    }
}

static uint32_t stream_of(const struct sync_job *job, const struct handles *h)
{
    return h->has_stream ? idmap_get(&job->streams, hash_u64(h->stream)) : NO_INDEX;
}

static void add_sync(struct sync_job *job, const struct handles *h, enum sync_kind kind)
{
    struct trace *t = job->r->trace;
    uint32_t at = h->has_event ? idmap_get(&job->events, hash_u64(h->event)) : NO_INDEX;
    const struct handles *record = at == NO_INDEX ? NULL : &job->calls.v[at];
    trace_room(t, syncs, 1);
    struct syncs *s = &t->syncs;
    size_t row = s->n++;
    s->start_ns[row] = t->regions.start_ns[h->call];
    s->kind[row] = (uint8_t)kind;
    s->call[row] = h->call;
    s->stream[row] = stream_of(job, h);
    s->source[row] = record ? stream_of(job, record) : NO_INDEX;
    s->record[row] = record ? record->call : NO_INDEX;
}

/* In order of time: an event stands for its last record. */
static void walk(struct sync_job *job)
{
    struct arena *a = job->r->arena;
    const int64_t *start_ns = job->r->trace->regions.start_ns;
    uint32_t *order = arena_array(a, uint32_t, job->calls.n + 1);
    int64_t *start = arena_array(a, int64_t, job->calls.n + 1);
    for (size_t i = 0; i < job->calls.n; i++) {
        order[i] = (uint32_t)i;
        start[i] = start_ns[job->calls.v[i].call];
    }
    sort_rows(order, job->calls.n, start, a);
    for (size_t i = 0; i < job->calls.n; i++) {
        const struct handles *h = &job->calls.v[order[i]];
        switch (kind_of(job, h->call)) {
        case CALL_RECORD:
            if (h->has_event)
                idmap_put(&job->events, hash_u64(h->event), order[i]);
            break;
        case CALL_STREAM_WAIT:
            add_sync(job, h, SYNC_STREAM_WAIT);
            break;
        case CALL_EVENT:
            add_sync(job, h, SYNC_EVENT);
            break;
        case CALL_STREAM:
            add_sync(job, h, SYNC_STREAM);
            break;
        default:
            break;
        }
    }
}

bool rocpd_read_syncs(struct rocpd *r, const struct rocpd_rows *first, struct gs_error *err)
{
    struct trace *t = r->trace;
    struct sync_job job = {.r = r};
    if (!db_has_table(r->db, rocpd_table(r, "arg")))
        return true;
    job.kind_of = arena_array(r->arena, uint8_t, t->strings.n + 1);
    if (!is_needed(&job, first))
        return true;
    idmap_init(&job.of_call, r->arena);
    idmap_init(&job.streams, r->arena);
    idmap_init(&job.events, r->arena);
    if (!read_arguments(&job, err))
        return false;
    learn(&job, t->kernels.call, t->kernels.stream, first->kernels, t->kernels.n);
    learn(&job, t->copies.call, t->copies.stream, first->copies, t->copies.n);
    walk(&job);
    return true;
}
