#include <stdlib.h>
#include <string.h>

#include "base/jread.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ingest/rocpd/event_ids.h"

/* A marker text found while reading; interned later, in row order. */
struct message {
    size_t row;
    const char *text;
    size_t n;
};

/* A category and how often a worker met it. */
struct counted {
    uint32_t string; /* NO_INDEX: none */
    uint8_t kind;
    uint64_t n;
};

struct event_job {
    struct rocpd *r;
    struct event_ids ids;
    struct {
        VEC(struct counted) counts;
        struct idmap count_of; /* category string -> counts */
        VEC(struct message) found;
        struct arena *arena;
        struct jread *json; /* one for all rows */
    } workers[PARALLEL_MAX];
};

enum { ID, CATEGORY, STACK, EXTDATA, N_COLS };

static const struct scan_col columns[N_COLS] = {
    [ID] = {"id", SCAN_INT, false, 0},
    [CATEGORY] = {"category_id", SCAN_INT, true, NO_TIME},
    [STACK] = {"stack_id", SCAN_INT, true, 0},
    [EXTDATA] = {"extdata", SCAN_TEXT, true, 0},
};

static void begin(void *ctx, size_t rows)
{
    struct event_job *job = ctx;
    struct events *e = &job->r->events;
    event_ids_begin(&job->ids, rows);
    e->kind = mem_realloc(e->kind, rows);
    for (int i = 0; i < PARALLEL_MAX; i++) {
        job->workers[i].found.n = job->workers[i].counts.n = 0;
        idmap_init(&job->workers[i].count_of, job->workers[i].arena);
    }
}

/* Keeps the text of {"message": "..."}. */
static void keep_message(struct event_job *job, int worker, size_t row, struct slice json)
{
    struct arena *a = job->workers[worker].arena;
    if (!job->workers[worker].json)
        job->workers[worker].json = jr_text(a, NULL, 0);
    struct jread *j = job->workers[worker].json;
    jr_next_text(j, json.p, json.n);
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        size_t n = 0;
        const char *text = jr_is(j, "message") ? jr_str(j, &n) : (jr_skip(j), NULL);
        if (!text)
            continue;
        struct message m = {row, arena_strndup(a, text, n), n};
        vec_push(&job->workers[worker].found, a, m);
    }
}

static struct counted *find_category(struct event_job *job, int worker, int64_t id)
{
    struct rocpd *r = job->r;
    uint32_t s = id == NO_TIME ? NO_INDEX : idtable_get(&r->strings, id);
    struct idmap *index = &job->workers[worker].count_of;
    uint32_t at = idmap_get(index, s);
    if (at == NO_INDEX) {
        struct category_info info = category_of(s == NO_INDEX ? "" : trace_str(r->trace, s));
        bool marker = info.category == CATEGORY_MARKER;
        struct counted c = {s, marker ? EVENT_MARKER : (uint8_t)info.kind, 0};
        at = (uint32_t)job->workers[worker].counts.n;
        vec_push(&job->workers[worker].counts, job->workers[worker].arena, c);
        idmap_put(index, s, at);
    }
    return &job->workers[worker].counts.v[at];
}

/* Events come in runs of one category: it is looked up once a run. */
static void rows(void *ctx, const struct scan_batch *b)
{
    struct event_job *job = ctx;
    uint8_t *kind = job->r->events.kind + b->first;
    const int64_t *category = batch_ints(b, CATEGORY);
    const struct slice *extdata = batch_texts(b, EXTDATA);
    event_ids_take(&job->ids, b, batch_ints(b, ID), batch_ints(b, STACK));
    for (size_t i = 0, end; i < b->n; i = end) {
        for (end = i + 1; end < b->n && category[end] == category[i];)
            end++;
        struct counted *c = find_category(job, b->worker, category[i]);
        c->n += end - i;
        memset(kind + i, c->kind, end - i);
        for (size_t m = i; c->kind == EVENT_MARKER && m < end; m++)
            if (extdata[m].n > 2)
                keep_message(job, b->worker, b->first + m, extdata[m]);
    }
}

static int by_string(const void *a, const void *b)
{
    uint32_t x = ((const struct category_count *)a)->name;
    uint32_t y = ((const struct category_count *)b)->name;
    return (x > y) - (x < y);
}

static void sum_categories(struct event_job *job)
{
    struct events *e = &job->r->events;
    struct idmap index; /* string -> counts */
    idmap_init(&index, job->r->arena);
    for (int w = 0; w < PARALLEL_MAX; w++) {
        for (size_t i = 0; i < job->workers[w].counts.n; i++) {
            const struct counted *c = &job->workers[w].counts.v[i];
            e->has_markers |= c->kind == EVENT_MARKER;
            if (c->string == NO_INDEX) {
                e->no_category += c->n;
                continue;
            }
            uint32_t at = idmap_get(&index, c->string);
            if (at == NO_INDEX) {
                at = (uint32_t)e->counts.n;
                vec_push(&e->counts, job->r->arena, ((struct category_count){c->string, 0}));
                idmap_put(&index, c->string, at);
            }
            e->counts.v[at].count += c->n;
        }
    }
    if (e->counts.n)
        qsort(e->counts.v, e->counts.n, sizeof(*e->counts.v), by_string);
}

/* Interns the messages in row order, whichever worker found them. */
static void intern_messages(struct event_job *job)
{
    struct rocpd *r = job->r;
    size_t at[PARALLEL_MAX] = {0};
    for (;;) {
        const struct message *next = NULL;
        int from = -1;
        for (int w = 0; w < PARALLEL_MAX; w++) {
            if (at[w] == job->workers[w].found.n)
                continue;
            const struct message *m = &job->workers[w].found.v[at[w]];
            if (!next || m->row < next->row) {
                next = m;
                from = w;
            }
        }
        if (!next)
            return;
        at[from]++;
        idmap_put(&r->events.message, next->row,
                  strings_addn(&r->trace->strings, next->text, next->n));
    }
}

static bool read_events(struct event_job *job, struct gs_error *err)
{
    struct rocpd *r = job->r;
    struct scan scan = {rocpd_table(r, "event"), columns, N_COLS, begin, rows, job,
                        &job->ids.again};
    uint64_t repeated = 0;
    do {
        if (!scan_table(r->db, &scan, err))
            return false;
    } while (!event_ids_finish(&job->ids, &repeated));
    trace_note(r->trace, NOTE_DUPLICATE, repeated, "events repeat the id of another one");
    sum_categories(job);
    intern_messages(job);
    return true;
}

bool rocpd_read_events(struct rocpd *r, struct gs_error *err)
{
    idmap_init(&r->events.message, r->arena);
    if (!rocpd_has(r, "event"))
        return true;
    struct arena *own = arena_child(r->arena);
    struct event_job *job = arena_new(own, struct event_job);
    job->r = r;
    event_ids_init(&job->ids, &r->events, r->arena, own);
    for (int i = 0; i < PARALLEL_MAX; i++)
        job->workers[i].arena = arena_child(own);
    bool ok = read_events(job, err);
    arena_release(own);
    return ok;
}
