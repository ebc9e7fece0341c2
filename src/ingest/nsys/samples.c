/*
 * COMPOSITE_EVENTS: moments at which a thread was running, with the function it was in (the top of
 * its call chain). Of the whole machine; those of the traced processes are kept.
 */
#include <string.h>

#include "ingest/nsys/nsys.h"

struct sample_job {
    struct nsys *n;
    size_t base, rows;
    struct idtable tops; /* call chain -> trace string */
    int64_t *chain, *symbol;
    int64_t *global; /* of each sample */
};

enum { C_ID, C_SYMBOL, C_DEPTH, C_COLS };

static const struct scan_col chain_columns[C_COLS] = {
    [C_ID] = {"id", SCAN_INT, false, NO_VALUE},
    [C_SYMBOL] = {"symbol", SCAN_INT, true, NO_VALUE},
    [C_DEPTH] = {"stackDepth", SCAN_INT, true, 0},
};

static void chain_begin(void *ctx, size_t rows)
{
    struct sample_job *job = ctx;
    job->rows = rows;
    job->chain = arena_array(job->n->arena, int64_t, rows);
    job->symbol = arena_array(job->n->arena, int64_t, rows);
}

static void chain_rows(void *ctx, const struct scan_batch *b)
{
    struct sample_job *job = ctx;
    for (size_t i = 0; i < b->n; i++) {
        bool top = batch_ints(b, C_DEPTH)[i] == 0;
        job->chain[b->first + i] = top ? batch_ints(b, C_ID)[i] : NO_VALUE;
        job->symbol[b->first + i] = batch_ints(b, C_SYMBOL)[i];
    }
}

static bool read_tops(struct sample_job *job, struct gs_error *err)
{
    struct nsys *n = job->n;
    static const char table[] = "SAMPLING_CALLCHAINS";
    struct scan scan = {table, chain_columns, C_COLS, chain_begin, chain_rows, job, NULL};
    idtable_init(&job->tops, n->arena);
    if (nsys_has_column(n, table, "id") && !nsys_scan(n, &scan, err))
        return false;
    for (size_t i = 0; i < job->rows; i++)
        if (job->chain[i] != NO_VALUE)
            idtable_put(&job->tops, job->chain[i], nsys_string(n, job->symbol[i]));
    idtable_seal(&job->tops);
    return true;
}

enum { ID, START, TID, N_COLS };

static const struct scan_col columns[N_COLS] = {
    [ID] = {"id", SCAN_INT, true, NO_VALUE},
    [START] = {"start", SCAN_INT, false, NO_VALUE},
    [TID] = {"globalTid", SCAN_INT, true, 0},
};

static void begin(void *ctx, size_t rows)
{
    struct sample_job *job = ctx;
    struct trace *t = job->n->trace;
    trace_rows_from(t, samples, job->base, rows);
    job->global = arena_array(job->n->arena, int64_t, rows);
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct sample_job *job = ctx;
    struct samples *s = &job->n->trace->samples;
    for (size_t i = 0; i < b->n; i++) {
        size_t row = job->base + b->first + i;
        uint32_t top = idtable_get(&job->tops, batch_ints(b, ID)[i]);
        s->time_ns[row] = nsys_time(job->n, batch_ints(b, START)[i]);
        s->name[row] = top == NO_INDEX ? 0 : top;
        s->thread[row] = nsys_thread_key(job->n, b->worker, batch_ints(b, TID)[i]);
        job->global[b->first + i] = batch_ints(b, TID)[i];
    }
}

static void keep_traced(struct sample_job *job)
{
    struct nsys *n = job->n;
    struct samples *s = &n->trace->samples;
    size_t to = job->base;
    for (size_t from = job->base; from < s->n; from++) {
        uint64_t process = gid_process(job->global[from - job->base]);
        if (s->time_ns[from] == NO_VALUE || idmap_get(&n->processes, process) == NO_INDEX)
            continue;
        table_move(s, SAMPLE_COLUMNS, to++, from);
    }
    s->n = to;
}

bool nsys_read_samples(struct nsys *n, struct gs_error *err)
{
    struct samples *s = &n->trace->samples;
    struct sample_job job = {.n = n, .base = s->n};
    struct scan scan = {"COMPOSITE_EVENTS", columns, N_COLS, begin, rows, &job, NULL};
    if (!nsys_has_column(n, "COMPOSITE_EVENTS", "start"))
        return true;
    if (!read_tops(&job, err))
        return false;
    if (!nsys_scan(n, &scan, err))
        return false;
    n->trace->sample_records += s->n - job.base;
    keep_traced(&job);
    nsys_finish_threads(n, s->thread, job.base, s->n);
    return true;
}
