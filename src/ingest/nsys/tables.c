/* What tables and columns there are, and how many rows. */
#include <string.h>

#include "base/str.h"
#include "ingest/nsys/nsys.h"

bool nsys_has(struct nsys *n, const char *table)
{
    return db_has_table(n->db, table);
}

bool nsys_has_column(struct nsys *n, const char *table, const char *column)
{
    return db_has_column(n->db, table, column);
}

uint32_t nsys_text(struct nsys *n, struct db_query *q, int column)
{
    const char *text = db_text(q, column);
    return strings_addn(&n->trace->strings, text, db_bytes(q, column));
}

/* Tables that describe, and those that belong to the rows of another one. */
static bool is_event_table(const char *name)
{
    static const char *const others[] = {
        "ENUM_",        "META_DATA", "EXPORT_META_DATA", "TARGET_",        "ANALYSIS_",
        "NVTX_PAYLOAD", "StringIds", "PROCESSES",        "ProcessStreams", "ThreadNames",
        "sqlite_",      "MPI_RANKS", "MPI_COMMUNICATORS"};
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (str_starts(name, others[i]))
            return false;
    return !str_ends(name, "_CALLCHAINS");
}

struct counted {
    const struct scan *scan;
    uint64_t rows;
};

static void count_begin(void *ctx, size_t rows)
{
    struct counted *c = ctx;
    c->rows = rows;
    if (c->scan->begin)
        c->scan->begin(c->scan->ctx, rows);
}

static void count_rows(void *ctx, const struct scan_batch *b)
{
    const struct counted *c = ctx;
    if (c->scan->rows)
        c->scan->rows(c->scan->ctx, b);
}

static uint64_t table_key(const char *table)
{
    return hash_bytes(table, strlen(table));
}

bool nsys_scan(struct nsys *n, const struct scan *s, struct gs_error *err)
{
    struct counted c = {s, 0};
    struct scan scan = {s->table, s->cols, s->n_cols, count_begin, count_rows, &c, NULL};
    if (!scan_table(n->db, &scan, err))
        return false;
    idmap_put(&n->count_of, table_key(s->table), (uint32_t)n->counts.n);
    vec_push(&n->counts, n->arena, ((struct table_count){s->table, c.rows}));
    return true;
}

/* By a scan, too: a table nothing else is read of may be the largest one. */
static bool count_table(struct nsys *n, const char *table, uint64_t *count, struct gs_error *err)
{
    static const struct scan_col any[] = {{"start", SCAN_INT, true, 0}};
    struct scan scan = {.table = table, .cols = any, .n_cols = 1};
    uint32_t i = idmap_get(&n->count_of, table_key(table));
    if (i != NO_INDEX && str_eq(n->counts.v[i].table, table)) {
        *count = n->counts.v[i].rows;
        return true;
    }
    if (!nsys_scan(n, &scan, err))
        return false;
    *count = n->counts.v[n->counts.n - 1].rows;
    return true;
}

bool nsys_count_tables(struct nsys *n, struct gs_error *err)
{
    struct trace *t = n->trace;
    for (size_t i = 0; i < n->db->schema.n; i++) {
        const char *table = n->db->schema.v[i].name;
        uint64_t count = 0;
        if (!is_event_table(table))
            continue;
        if (!count_table(n, table, &count, err))
            return false;
        if (count)
            trace_category(t, strings_add(&t->strings, table), count);
    }
    return true;
}

/* What the profiler itself says went wrong while recording: errors, and events it lost. */
bool nsys_read_diagnostics(struct nsys *n, struct gs_error *err)
{
    struct db_query q;
    if (!nsys_has_column(n, "DIAGNOSTIC_EVENT", "severity") ||
        !nsys_has_column(n, "DIAGNOSTIC_EVENT", "text"))
        return true;
    if (!db_query(&q, n->db, err,
                  "SELECT substr(text, 1, 200) FROM DIAGNOSTIC_EVENT NOT INDEXED WHERE "
                  "severity=3 OR "
                  "(severity=2 AND (text LIKE '%%dropped%%' OR text LIKE '%%lost%%')) LIMIT 8"))
        return false;
    while (db_next(&q))
        trace_note(n->trace, NOTE_OTHER, 1,
                   arena_printf(n->arena, "message of the profiler: %s", db_text(&q, 0)));
    return db_done(&q, err);
}

void nsys_note_times(struct nsys *n, int64_t *start, int64_t *end, size_t first, size_t last,
                     const char *text)
{
    uint64_t without = 0;
    for (int w = 0; w < PARALLEL_MAX; w++)
        without += n->tally[w].no_time;
    trace_note(n->trace, NOTE_NULL, without, text);
    if (!without)
        return;
    size_t known = first;
    while (known < last && start[known] == NO_VALUE)
        known++;
    int64_t time = known < last ? start[known] : 0;
    for (size_t i = first; i < last; i++) {
        if (start[i] == NO_VALUE)
            start[i] = end[i] = time;
        time = end[i];
    }
}

uint64_t nsys_tally_names(const struct nsys *n)
{
    uint64_t without = 0;
    for (int w = 0; w < PARALLEL_MAX; w++)
        without += n->tally[w].no_name;
    return without;
}
