/* rocpd_region: host calls and marker ranges; and which of the calls caused an event. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ingest/rocpd/rocpd.h"

struct region_job {
    struct rocpd *r;
    struct idtable call_of_stack; /* event_stack() -> regions row, where these are dense */
    struct idindex call_by_stack; /* the same where they are not */
    struct arena *arena;          /* of these two */
    size_t base;                  /* first regions row of this set */
    bool indexed;    /* calls are indexed while they are read; else after, by way of `event` */
    uint32_t *event; /* per row: the event's row; NULL when not needed */
    struct {
        uint64_t markers;
        int64_t least, most; /* stack ids */
        char padding[40];    /* workers do not share cache lines */
    } workers[PARALLEL_MAX];
};

enum { ID, TID, START, END, NAME, EVENT, N_COLS };

static const struct scan_col columns[N_COLS] = {
    [ID] = {"id", SCAN_INT, false, 0},
    [TID] = {"tid", SCAN_INT, false, NO_TIME},
    [START] = {"start", SCAN_INT, false, NO_TIME},
    [END] = {"end", SCAN_INT, false, NO_TIME},
    [NAME] = {"name_id", SCAN_INT, false, NO_TIME},
    [EVENT] = {"event_id", SCAN_INT, true, NO_TIME},
};

static void begin(void *ctx, size_t rows)
{
    struct region_job *job = ctx;
    struct trace *t = job->r->trace;
    trace_rows_from(t, regions, job->base, rows);
    /* Where no row will move, and stack ids are dense, nothing of the events need be kept. */
    const struct events *e = &job->r->events;
    idtable_init(&job->call_of_stack, job->arena);
    job->indexed =
        !e->has_markers && e->stack && idtable_span(&job->call_of_stack, 0, e->most_stack, rows);
    if (!job->indexed)
        job->event = mem_realloc(job->event, mem_mul(rows, sizeof(*job->event)));
    for (int w = 0; w < PARALLEL_MAX; w++) {
        job->workers[w].markers = 0;
        job->workers[w].least = INT64_MAX;
        job->workers[w].most = INT64_MIN;
    }
    memset(job->r->tally, 0, sizeof(job->r->tally));
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct region_job *job = ctx;
    struct rocpd *r = job->r;
    struct regions *out = &r->trace->regions;
    struct tally *tally = &r->tally[b->worker];
    uint64_t markers = 0;
    int64_t least = job->workers[b->worker].least, most = job->workers[b->worker].most;
    for (size_t i = 0; i < b->n; i++) {
        size_t row = job->base + b->first + i;
        int64_t start = batch_ints(b, START)[i], end = batch_ints(b, END)[i];
        uint32_t name = idtable_get(&r->strings, batch_ints(b, NAME)[i]);
        uint32_t event = event_row(&r->events, batch_ints(b, EVENT)[i]);
        uint8_t kind = event == NO_INDEX ? REGION_OTHER : r->events.kind[event];
        int64_t stack = event == NO_INDEX ? 0 : event_stack(&r->events, event);
        tally->no_time += fix_times(&start, &end);
        tally->no_string += name == NO_INDEX;
        tally->no_event += event == NO_INDEX;
        markers += kind == EVENT_MARKER;
        out->start_ns[row] = start;
        out->end_ns[row] = end;
        out->id[row] = batch_ints(b, ID)[i];
        out->name[row] = name == NO_INDEX ? 0 : name;
        out->thread[row] = idtable_get(&r->threads, batch_ints(b, TID)[i]);
        out->kind[row] = kind;
        if (job->indexed) {
            if (stack)
                idtable_claim(&job->call_of_stack, stack, (uint32_t)row);
            continue;
        }
        job->event[b->first + i] = event;
        least = stack < least ? stack : least;
        most = stack > most ? stack : most;
    }
    job->workers[b->worker].markers += markers;
    job->workers[b->worker].least = least;
    job->workers[b->worker].most = most;
}

enum marker_kind rocpd_marker_kind(const char *function)
{
    if (str_has(function, "Mark"))
        return MARKER_INSTANT;
    return str_has(function, "ProcessRange") || str_has(function, "RangeStart")
               ? MARKER_PROCESS_RANGE
               : MARKER_THREAD_RANGE;
}

uint32_t rocpd_marker_name(const struct rocpd *r, uint32_t function, uint32_t event)
{
    uint32_t message = event == NO_INDEX ? NO_INDEX : idmap_get(&r->events.message, event);
    return message == NO_INDEX ? function : message;
}

enum { FEW_MARKERS = 16 };

/* Moves the marker rows out of the regions, which close ranks. */
static void split_markers(struct region_job *job)
{
    struct rocpd *r = job->r;
    struct regions *g = &r->trace->regions;
    struct markers *m = &r->trace->markers;
    uint64_t n_markers = 0;
    for (int w = 0; w < PARALLEL_MAX; w++)
        n_markers += job->workers[w].markers;
    if (!n_markers)
        return;
    trace_room(r->trace, markers, n_markers);
    size_t to = job->base;
    for (size_t from = job->base; from < g->n; from++) {
        uint32_t event = job->event[from - job->base];
        if (g->kind[from] == EVENT_MARKER) {
            size_t k = m->n++;
            m->start_ns[k] = g->start_ns[from];
            m->end_ns[k] = g->end_ns[from];
            m->id[k] = g->id[from];
            m->name[k] = rocpd_marker_name(r, g->name[from], event);
            m->domain[k] = 0;
            m->thread[k] = g->thread[from];
            m->kind[k] = (uint8_t)rocpd_marker_kind(trace_phrase(r->trace, g->name[from]));
            continue;
        }
        table_move(g, REGION_COLUMNS, to, from);
        job->event[to++ - job->base] = event;
    }
    g->n = to;
    if (n_markers > to / FEW_MARKERS) /* kernels need the room */
        table_resize(g, &regions_desc, to);
}

static int64_t stack_of(const struct region_job *job, size_t i)
{
    return job->event[i] == NO_INDEX ? 0 : event_stack(&job->r->events, job->event[i]);
}

enum { CALLS_PER_ITEM = 65536, EVENTS_PER_ITEM = 65536 };

/* Several threads write one table; of calls with the same id the first one wins. */
static void index_some(void *ctx, size_t item, int worker)
{
    (void)worker;
    struct region_job *job = ctx;
    struct idtable *t = &job->call_of_stack;
    size_t n = job->r->trace->regions.n - job->base, end = (item + 1) * CALLS_PER_ITEM;
    for (size_t i = item * CALLS_PER_ITEM; i < end && i < n; i++) {
        int64_t stack = stack_of(job, i);
        if (stack)
            idtable_claim(t, stack, (uint32_t)(job->base + i));
    }
}

/* Ids that lie apart: sorted, the first call with an id wins. */
static void sort_calls(struct region_job *job, size_t n)
{
    size_t some = 0;
    for (size_t i = 0; i < n; i++)
        some += stack_of(job, i) != 0;
    int64_t *id = arena_array(job->arena, int64_t, some);
    uint32_t *row = arena_array(job->arena, uint32_t, some);
    some = 0;
    for (size_t i = 0; i < n; i++) {
        if (!stack_of(job, i))
            continue;
        id[some] = stack_of(job, i);
        row[some++] = (uint32_t)(job->base + i);
    }
    idindex_make(&job->call_by_stack, id, row, some, job->arena);
}

/* Stack id -> call, for kernels and copies; 0 is no id. */
static void index_calls(struct region_job *job)
{
    struct rocpd *r = job->r;
    struct idtable *t = &job->call_of_stack;
    size_t n = r->trace->regions.n - job->base;
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int w = 0; w < PARALLEL_MAX; w++) {
        least = job->workers[w].least < least ? job->workers[w].least : least;
        most = job->workers[w].most > most ? job->workers[w].most : most;
    }
    if (!n || job->indexed)
        return;
    if (!idtable_span(t, least, most, n)) {
        sort_calls(job, n);
        return;
    }
    parallel_for(r->db->threads, (n + CALLS_PER_ITEM - 1) / CALLS_PER_ITEM, index_some, job);
}

struct settling {
    const struct region_job *job;
    uint32_t *call; /* may be where the stack ids are */
};

static void settle_some(void *ctx, size_t item, int worker)
{
    (void)worker;
    const struct settling *s = ctx;
    const struct region_job *job = s->job;
    const struct events *e = &job->r->events;
    size_t end = (item + 1) * EVENTS_PER_ITEM;
    for (size_t i = item * EVENTS_PER_ITEM; i < end && i < e->n; i++) {
        int64_t stack = event_stack(e, (uint32_t)i);
        s->call[i] = job->call_of_stack.dense ? idtable_get(&job->call_of_stack, stack)
                                              : idindex_get(&job->call_by_stack, stack);
    }
}

/*
 * Writes down which call caused each event, so that stack ids and the way from them to calls are
 * given back before there are kernels.
 */
static void settle_calls(struct region_job *job)
{
    struct events *e = &job->r->events;
    if (!e->stack)
        e->call = mem_alloc(mem_mul(e->n, sizeof(*e->call)));
    struct settling s = {job, e->stack ? e->stack : e->call};
    parallel_for(job->r->db->threads, (e->n + EVENTS_PER_ITEM - 1) / EVENTS_PER_ITEM, settle_some,
                 &s);
    mem_free(e->wide_stack);
    e->call = s.call;
    e->stack = NULL;
    e->wide_stack = NULL;
}

static void note_missing(struct region_job *job)
{
    struct rocpd *r = job->r;
    struct regions *g = &r->trace->regions;
    uint64_t times = 0, names = 0;
    for (int w = 0; w < PARALLEL_MAX; w++) {
        times += r->tally[w].no_time;
        names += r->tally[w].no_string;
    }
    trace_note(r->trace, NOTE_NULL, times, "regions without times");
    trace_note(r->trace, NOTE_DANGLING, names, "regions whose name is not listed");
    if (times)
        rocpd_fill_times(g->start_ns, g->end_ns, job->base, g->n);
}

static void free_events(void *job)
{
    mem_free(((struct region_job *)job)->event);
}

static bool read_regions(struct region_job *job, struct gs_error *err)
{
    struct scan scan = {rocpd_table(job->r, "region"), columns, N_COLS, begin, rows, job, NULL};
    if (!scan_table(job->r->db, &scan, err))
        return false;
    note_missing(job);
    split_markers(job);
    index_calls(job);
    settle_calls(job);
    return true;
}

bool rocpd_read_regions(struct rocpd *r, struct gs_error *err)
{
    if (!rocpd_has(r, "region"))
        return true;
    struct arena *temporary = arena_scratch();
    struct region_job *job = arena_new(temporary, struct region_job);
    job->r = r;
    job->arena = temporary;
    idtable_init(&job->call_of_stack, temporary);
    job->base = r->trace->regions.n;
    arena_defer(temporary, free_events, job);
    bool ok = read_regions(job, err);
    arena_release(temporary);
    return ok;
}
