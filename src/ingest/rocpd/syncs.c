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
#include "base/sparse.h"
#include "base/str.h"
#include "ingest/rocpd/rocpd.h"

enum call_kind { CALL_NONE, CALL_OTHER, CALL_RECORD, CALL_STREAM_WAIT, CALL_EVENT, CALL_STREAM };

/* Arguments that are handles of one kind: what they say of a call is the number of the handle. */
enum what { STREAM, EVENT, WHATS };

struct said {
    uint32_t call; /* regions row */
    uint32_t number;
};

/* What a thread has found; it numbers handles as it meets them. */
struct found {
    struct idmap numbers;
    VEC(uint64_t) handles;
    VEC(struct said) all;
    uint32_t *number; /* by its own: that of all threads, + 1; 0: not asked yet */
};

/* Rows of the table that a thread has read at once, and what it had found then. */
struct part {
    size_t first; /* row */
    int worker;
    size_t from[WHATS], end[WHATS];
};

struct sync_worker {
    struct found of[WHATS];
    VEC(struct part) parts;
    char padding[64]; /* workers do not share cache lines */
};

struct sync_job {
    struct rocpd *r;
    struct arena *arena;
    uint8_t *kind_of; /* by string: enum call_kind of a call's name */
    struct sync_worker workers[PARALLEL_MAX];
    struct arena *rooms[PARALLEL_MAX]; /* of each */
    struct idmap numbers[WHATS];       /* handle -> number */
    uint32_t n_numbers[WHATS];
    struct sparse of_call[WHATS]; /* by regions row: the number */
    uint32_t *stream_of;          /* by number of a stream: stream, or NO_INDEX */
    uint32_t *record_of;          /* by number of an event: the call that recorded it last */
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

/* What the names of calls mean; true when one tells a stream to wait. */
static bool judge_names(struct sync_job *job, const struct rocpd_rows *first)
{
    enum { NOT_ASKED = 0xff };
    const struct trace *t = job->r->trace;
    bool waits = false;
    job->kind_of = arena_alloc(job->arena, t->strings.n + 1);
    memset(job->kind_of, NOT_ASKED, t->strings.n + 1);
    for (size_t i = first->regions; i < t->regions.n; i++) {
        uint8_t *kind = &job->kind_of[t->regions.name[i]];
        if (*kind == NOT_ASKED)
            *kind = (uint8_t)judge(trace_str(t, t->regions.name[i]));
        waits |= *kind == CALL_STREAM_WAIT;
    }
    return waits;
}

static enum call_kind kind_of(const struct sync_job *job, uint32_t call)
{
    return (enum call_kind)job->kind_of[job->r->trace->regions.name[call]];
}

/* Several streams with work: host waits are plain by their times. */
static bool several_streams(const struct trace *t, const struct rocpd_rows *first)
{
    size_t k = first->kernels;
    while (k < t->kernels.n && t->kernels.stream[k] == t->kernels.stream[first->kernels])
        k++;
    return k < t->kernels.n || (first->kernels < t->kernels.n && first->copies < t->copies.n);
}

/* ---- arguments ---- */

enum { EVENT_ID, NAME, VALUE, N_COLS };

static const struct scan_col columns[N_COLS] = {
    [EVENT_ID] = {"event_id", SCAN_INT, true, NO_TIME},
    [NAME] = {"name", SCAN_TEXT, true, 0},
    [VALUE] = {"value", SCAN_TEXT, true, 0},
};

/* Whatever was found before is forgotten. */
static void begin(void *ctx, size_t rows)
{
    struct sync_job *job = ctx;
    (void)rows;
    for (int w = 0; w < PARALLEL_MAX; w++) {
        if (job->rooms[w])
            arena_release(job->rooms[w]);
        else
            job->rooms[w] = arena_child(job->arena);
        job->workers[w] = (struct sync_worker){0};
    }
}

static bool is(struct slice s, const char *word)
{
    return s.n == strlen(word) && !memcmp(s.p, word, s.n);
}

/* "0x2c060a60", "0", "(null)" */
static uint64_t handle_of(struct slice s)
{
    char text[32];
    size_t n = s.n < sizeof(text) - 1 ? s.n : sizeof(text) - 1;
    if (n)
        memcpy(text, s.p, n);
    text[n] = '\0';
    return strtoull(text, NULL, 16);
}

static void add(struct found *f, struct arena *a, uint32_t call, uint64_t handle)
{
    if (!f->numbers.arena)
        idmap_init(&f->numbers, a);
    uint32_t number = idmap_claim(&f->numbers, hash_u64(handle), (uint32_t)f->handles.n);
    if (number == f->handles.n)
        vec_push(&f->handles, a, handle);
    vec_push_alone(&f->all, a, ((struct said){call, number}));
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct sync_job *job = ctx;
    const struct rocpd *r = job->r;
    struct sync_worker *w = &job->workers[b->worker];
    struct arena *a = job->rooms[b->worker];
    struct part part = {.first = b->first, .worker = b->worker};
    for (int what = 0; what < WHATS; what++)
        part.from[what] = w->of[what].all.n;
    for (size_t i = 0; i < b->n; i++) {
        struct slice name = batch_texts(b, NAME)[i];
        bool event = is(name, "event");
        if (!event && !is(name, "stream") && !is(name, "hStream"))
            continue;
        uint32_t call = event_call(r, event_row(&r->events, batch_ints(b, EVENT_ID)[i]));
        if (call < r->trace->regions.n && kind_of(job, call) != CALL_NONE)
            add(&w->of[event ? EVENT : STREAM], a, call, handle_of(batch_texts(b, VALUE)[i]));
    }
    for (int what = 0; what < WHATS; what++)
        part.end[what] = w->of[what].all.n;
    vec_push(&w->parts, a, part);
}

static int by_first(const void *x, const void *y)
{
    const struct part *a = x, *b = y;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* All threads' parts in the order of the table, so that who read what says nothing. */
static size_t order_parts(struct sync_job *job, struct part **out)
{
    size_t n = 0, k = 0;
    for (int w = 0; w < PARALLEL_MAX; w++)
        n += job->workers[w].parts.n;
    struct part *parts = arena_array(job->arena, struct part, n + 1);
    for (int w = 0; w < PARALLEL_MAX; w++)
        for (size_t i = 0; i < job->workers[w].parts.n; i++)
            parts[k++] = job->workers[w].parts.v[i];
    qsort(parts, n, sizeof(*parts), by_first);
    *out = parts;
    return n;
}

/* The number that all threads have for a handle. */
static uint32_t number_of(struct sync_job *job, enum what what, struct found *f, uint32_t own)
{
    if (!f->number)
        f->number = arena_array(job->arena, uint32_t, f->handles.n);
    if (!f->number[own]) {
        uint32_t *n = &job->n_numbers[what];
        uint32_t number = idmap_claim(&job->numbers[what], hash_u64(f->handles.v[own]), *n);
        *n += number == *n;
        f->number[own] = number + 1;
    }
    return f->number[own] - 1;
}

/* By call: the number of the handle, of several of a call the last one's. */
static void take_found(struct sync_job *job, enum what what, const struct part *parts, size_t n)
{
    struct sparse *of_call = &job->of_call[what];
    size_t calls = job->r->trace->regions.n;
    idmap_init(&job->numbers[what], job->arena);
    sparse_marks(of_call, calls, job->arena);
    for (int w = 0; w < PARALLEL_MAX; w++)
        for (size_t i = 0; i < job->workers[w].of[what].all.n; i++)
            sparse_mark(of_call, job->workers[w].of[what].all.v[i].call);
    sparse_marked(of_call, calls);
    of_call->v = arena_array(job->arena, uint32_t, of_call->n + 1);
    for (size_t p = 0; p < n; p++) {
        struct found *f = &job->workers[parts[p].worker].of[what];
        for (size_t i = parts[p].from[what]; i < parts[p].end[what]; i++)
            of_call->v[sparse_place(of_call, f->all.v[i].call)] =
                number_of(job, what, f, f->all.v[i].number);
    }
}

static bool read_arguments(struct sync_job *job, struct gs_error *err)
{
    struct scan scan = {rocpd_table(job->r, "arg"), columns, N_COLS, begin, rows, job, NULL};
    if (!scan_table(job->r->db, &scan, err))
        return false;
    struct part *parts;
    size_t n = order_parts(job, &parts);
    for (int what = 0; what < WHATS; what++)
        take_found(job, (enum what)what, parts, n);
    begin(job, 0);
    return true;
}

/* ---- what they say ---- */

static void learn(struct sync_job *job, const uint32_t *call, const uint32_t *stream, size_t first,
                  size_t n)
{
    for (size_t i = first; i < n; i++) {
        uint32_t number =
            call[i] == NO_INDEX ? NO_INDEX : sparse_get(&job->of_call[STREAM], call[i]);
        if (number != NO_INDEX)
            job->stream_of[number] = stream[i];
    }
}

static uint32_t stream_of(const struct sync_job *job, uint32_t call)
{
    uint32_t number = sparse_get(&job->of_call[STREAM], call);
    return number == NO_INDEX ? NO_INDEX : job->stream_of[number];
}

static void add_sync(struct sync_job *job, uint32_t call, enum sync_kind kind)
{
    struct trace *t = job->r->trace;
    uint32_t event = sparse_get(&job->of_call[EVENT], call);
    uint32_t record = event == NO_INDEX ? NO_INDEX : job->record_of[event];
    struct syncs *s = &t->syncs;
    size_t row = s->n++;
    s->start_ns[row] = t->regions.start_ns[call];
    s->kind[row] = (uint8_t)kind;
    s->call[row] = call;
    s->stream[row] = stream_of(job, call);
    s->source[row] = record == NO_INDEX ? NO_INDEX : stream_of(job, record);
    s->record[row] = record;
}

static void visit(struct sync_job *job, uint32_t call)
{
    uint32_t event;
    switch (kind_of(job, call)) {
    case CALL_RECORD:
        event = sparse_get(&job->of_call[EVENT], call);
        if (event != NO_INDEX)
            job->record_of[event] = call;
        break;
    case CALL_STREAM_WAIT:
        add_sync(job, call, SYNC_STREAM_WAIT);
        break;
    case CALL_EVENT:
        add_sync(job, call, SYNC_EVENT);
        break;
    case CALL_STREAM:
        add_sync(job, call, SYNC_STREAM);
        break;
    default:
        break;
    }
}

/* Calls that record events or wait, and say which. */
static bool takes_part(const struct sync_job *job, uint32_t call)
{
    return kind_of(job, call) > CALL_OTHER &&
           (sparse_has(&job->of_call[EVENT], call) || sparse_has(&job->of_call[STREAM], call));
}

/* In order of time: an event stands for its last record. */
static void walk(struct sync_job *job, size_t first)
{
    struct trace *t = job->r->trace;
    const int64_t *start_ns = t->regions.start_ns;
    size_t n = 0, k = 0, waits = 0;
    for (size_t i = first; i < t->regions.n; i++) {
        bool some = takes_part(job, (uint32_t)i);
        n += some;
        waits += some && kind_of(job, (uint32_t)i) != CALL_RECORD;
    }
    uint32_t *order = arena_array(job->arena, uint32_t, n + 1);
    bool sorted = true;
    for (size_t i = first; i < t->regions.n; i++) {
        if (!takes_part(job, (uint32_t)i))
            continue;
        sorted &= !k || start_ns[order[k - 1]] <= start_ns[i];
        order[k++] = (uint32_t)i;
    }
    if (!sorted)
        sort_rows(order, n, start_ns, job->arena);
    trace_room(t, syncs, waits);
    for (size_t i = 0; i < n; i++)
        visit(job, order[i]);
}

static uint32_t *none(struct arena *a, size_t n)
{
    uint32_t *v = arena_array(a, uint32_t, n + 1);
    memset(v, 0xff, (n + 1) * sizeof(*v));
    return v;
}

static bool read_syncs(struct sync_job *job, const struct rocpd_rows *first, struct gs_error *err)
{
    const struct trace *t = job->r->trace;
    if (!several_streams(t, first) || !judge_names(job, first))
        return true;
    if (!read_arguments(job, err))
        return false;
    job->stream_of = none(job->arena, job->n_numbers[STREAM]);
    job->record_of = none(job->arena, job->n_numbers[EVENT]);
    learn(job, t->kernels.call, t->kernels.stream, first->kernels, t->kernels.n);
    learn(job, t->copies.call, t->copies.stream, first->copies, t->copies.n);
    walk(job, first->regions);
    return true;
}

bool rocpd_read_syncs(struct rocpd *r, const struct rocpd_rows *first, struct gs_error *err)
{
    if (!db_has_table(r->db, rocpd_table(r, "arg")))
        return true;
    struct arena *temporary = arena_scratch();
    struct sync_job *job = arena_new(temporary, struct sync_job);
    job->r = r;
    job->arena = temporary;
    bool ok = read_syncs(job, first, err);
    arena_release(temporary);
    return ok;
}
