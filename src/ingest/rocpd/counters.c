/*
 * rocpd_pmc_event: a value of a counter. It belongs to a kernel (one row per hardware instance) or,
 * through a sample of the same event, to a moment: then it is a point of a telemetry series.
 */
#include <string.h>

#include <math.h>

#include "base/mem.h"
#include "ingest/rocpd/rocpd.h"

/* In counters.kernel while reading: the event's row; resolved when all rows are there. */
struct counter_job {
    struct rocpd *r;
    size_t base;
    uint32_t *event;
};

enum { EVENT, PMC, VALUE, XCC, ENGINE, INSTANCE, N_COLS };

static const struct scan_col columns[N_COLS] = {
    [EVENT] = {"event_id", SCAN_INT, true, NO_TIME}, [PMC] = {"pmc_id", SCAN_INT, false, NO_TIME},
    [VALUE] = {"value", SCAN_REAL, true, NO_TIME},   [XCC] = {"xcc", SCAN_INT, true, 0},
    [ENGINE] = {"shader_engine", SCAN_INT, true, 0}, [INSTANCE] = {"instance", SCAN_INT, true, 0},
};

static void begin(void *ctx, size_t rows)
{
    struct counter_job *job = ctx;
    struct trace *t = job->r->trace;
    trace_rows_from(t, counters, job->base, rows);
    job->event = mem_realloc(job->event, mem_mul(rows, sizeof(*job->event)));
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct counter_job *job = ctx;
    struct rocpd *r = job->r;
    struct counters *c = &r->trace->counters;
    for (size_t i = 0; i < b->n; i++) {
        size_t row = job->base + b->first + i;
        uint32_t event = event_row(&r->events, batch_ints(b, EVENT)[i]);
        job->event[b->first + i] = event;
        double value = batch_reals(b, VALUE)[i];
        c->value[row] = value > (double)NO_TIME ? value : NAN; /* NULL is not zero */
        c->counter[row] = idtable_get(&r->pmcs, batch_ints(b, PMC)[i]);
        c->kernel[row] =
            event == NO_INDEX || !r->events.kernel ? NO_INDEX : r->events.kernel[event];
        c->instance[row] = (uint32_t)((batch_ints(b, XCC)[i] & 0xff) << 24 |
                                      (batch_ints(b, ENGINE)[i] & 0xff) << 16 |
                                      (batch_ints(b, INSTANCE)[i] & 0xffff));
    }
}

static uint32_t series_of(struct rocpd *r, uint32_t counter)
{
    const struct counter_info *info = &r->trace->counter_infos.v[counter];
    uint32_t process = r->pmc_process.v[counter - r->first_pmc];
    uint64_t key = hash_u64((uint64_t)info->name << 32 | info->gpu) ^ hash_u64(process);
    uint32_t series = idmap_get(&r->series, key);
    if (series != NO_INDEX)
        return series;
    series = (uint32_t)r->trace->series.n;
    idmap_put(&r->series, key, series);
    vec_push(&r->trace->series, &r->trace->arena,
             ((struct series){info->name, info->units, info->gpu, process}));
    return series;
}

static void add_point(struct rocpd *r, uint32_t counter, int64_t time, double value)
{
    if (isnan(value))
        return;
    struct trace *t = r->trace;
    trace_room(t, telemetry, 1);
    size_t k = t->telemetry.n++;
    t->telemetry.time_ns[k] = time;
    t->telemetry.value[k] = value;
    t->telemetry.series[k] = series_of(r, counter);
}

/* Moves readings to telemetry and drops rows that belong to nothing known. */
static void split(struct counter_job *job)
{
    struct rocpd *r = job->r;
    struct counters *c = &r->trace->counters;
    uint64_t orphans = 0, unlisted = 0;
    size_t to = job->base;
    for (size_t from = job->base; from < c->n; from++) {
        uint32_t event = job->event[from - job->base];
        uint32_t at = event == NO_INDEX ? NO_INDEX : idmap_get(&r->sample_time, event);
        if (c->counter[from] == NO_INDEX) {
            unlisted++;
        } else if (c->kernel[from] == NO_INDEX && at != NO_INDEX) {
            add_point(r, c->counter[from], r->samples_at.v[at], c->value[from]);
        } else {
            orphans += c->kernel[from] == NO_INDEX;
            table_move(c, COUNTER_COLUMNS, to++, from);
        }
    }
    c->n = to;
    trace_note(r->trace, NOTE_DANGLING, unlisted, "counter values of a counter that is not listed");
    trace_note(r->trace, NOTE_DANGLING, orphans, "counter values that belong to no kernel");
}

static void free_events(void *job)
{
    mem_free(((struct counter_job *)job)->event);
}

static bool read_counters(struct counter_job *job, struct gs_error *err)
{
    struct scan scan = {rocpd_table(job->r, "pmc_event"), columns, N_COLS, begin, rows, job, NULL};
    if (!scan_table(job->r->db, &scan, err))
        return false;
    job->r->trace->counter_records += job->r->trace->counters.n - job->base;
    split(job);
    return true;
}

bool rocpd_read_counters(struct rocpd *r, struct gs_error *err)
{
    if (!r->has_counters)
        return true;
    idmap_init(&r->series, r->arena);
    struct arena *temporary = arena_scratch();
    struct counter_job *job = arena_new(temporary, struct counter_job);
    *job = (struct counter_job){.r = r, .base = r->trace->counters.n};
    arena_defer(temporary, free_events, job);
    bool ok = read_counters(job, err);
    arena_release(temporary);
    return ok;
}
