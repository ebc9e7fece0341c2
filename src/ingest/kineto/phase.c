/*
 * Begin and end as two events. Halves on a thread (B, E) and of asynchronous work (b, e, known by
 * category and id) belong together like brackets, in order of time; events may come in any order,
 * so they wait until all are there.
 */
#include "base/sort.h"
#include "ingest/kineto/kineto.h"

/* The highest bit tells the two families apart. */
#define ASYNC ((uint64_t)1 << 62)

void kineto_half(struct kineto *k, const struct k_event *e)
{
    struct k_half half = {.event = *e};
    if (e->phase == 'B' || e->phase == 'E')
        half.key = kineto_thread(k, e->pid, e->tid);
    else
        half.key = (hash_fixed_u64((uint64_t)e->id ^ hash_fixed_u64(e->category)) & (ASYNC - 1)) |
                   ASYNC; /* sorted by below */
    vec_push(&k->halves, k->arena, half);
}

static bool begins(const struct k_event *e)
{
    return e->phase == 'B' || e->phase == 'b' || e->phase == 'S';
}

/* Rows by key, then time, then as they came. */
static uint32_t *order_of(struct kineto *k)
{
    size_t n = k->halves.n;
    uint32_t *rows = arena_array(k->arena, uint32_t, n);
    int64_t *value = arena_array(k->arena, int64_t, n);
    for (size_t i = 0; i < n; i++) {
        rows[i] = (uint32_t)i;
        value[i] = k->halves.v[i].event.ts_ns;
    }
    sort_rows(rows, n, value, k->arena);
    for (size_t i = 0; i < n; i++)
        value[i] = (int64_t)k->halves.v[i].key;
    sort_rows(rows, n, value, k->arena);
    return rows;
}

static void join(struct kineto *k, const uint32_t *rows)
{
    VEC(uint32_t) open = {0};
    for (size_t i = 0; i < k->halves.n; i++) {
        struct k_half *h = &k->halves.v[rows[i]];
        if (i && h->key != k->halves.v[rows[i - 1]].key) {
            k->no_end += open.n;
            open.n = 0;
        }
        if (begins(&h->event)) {
            vec_push(&open, k->arena, rows[i]);
            continue;
        }
        if (!open.n) {
            k->no_begin++;
            continue;
        }
        struct k_event *b = &k->halves.v[open.v[--open.n]].event;
        if (__builtin_sub_overflow(h->event.ts_ns, b->ts_ns, &b->dur_ns))
            b->dur_ns = K_NONE;
    }
    k->no_end += open.n;
}

void kineto_join_halves(struct kineto *k)
{
    struct str *texts[] = {&k->copy_kind, &k->collective, &k->data_type};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        str_clear(texts[i]); /* of the last event, not of these */
    if (!k->halves.n)
        return;
    join(k, order_of(k));
    for (size_t i = 0; i < k->halves.n; i++)
        if (begins(&k->halves.v[i].event))
            kineto_place(k, &k->halves.v[i].event);
    trace_note(k->trace, NOTE_UNFINISHED, k->no_end, "events that began and did not end");
    trace_note(k->trace, NOTE_SKIPPED, k->no_begin, "ends of events that did not begin");
}
