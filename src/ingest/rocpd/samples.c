/*
 * rocpd_sample: moments. A marker without a length, a reading of power or clocks (the value is in
 * rocpd_pmc_event, joined by the event), or a call-stack sample.
 */
#include <string.h>

#include "base/mem.h"
#include "ingest/rocpd/rocpd.h"

struct sample_job {
    struct rocpd *r;
    size_t n;
    int64_t *id, *time;
    uint32_t *track, *event;
};

enum { ID, TRACK, TIME, EVENT, N_COLS };

static const struct scan_col columns[N_COLS] = {
    [ID] = {"id", SCAN_INT, false, 0},
    [TRACK] = {"track_id", SCAN_INT, true, NO_TIME},
    [TIME] = {"timestamp", SCAN_INT, false, NO_TIME},
    [EVENT] = {"event_id", SCAN_INT, true, NO_TIME},
};

static void begin(void *ctx, size_t rows)
{
    struct sample_job *job = ctx;
    job->n = rows;
    job->id = arena_array(job->r->arena, int64_t, rows);
    job->time = arena_array(job->r->arena, int64_t, rows);
    job->track = arena_array(job->r->arena, uint32_t, rows);
    job->event = arena_array(job->r->arena, uint32_t, rows);
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct sample_job *job = ctx;
    struct rocpd *r = job->r;
    memcpy(job->id + b->first, b->col[ID], b->n * sizeof(int64_t));
    memcpy(job->time + b->first, b->col[TIME], b->n * sizeof(int64_t));
    for (size_t i = 0; i < b->n; i++) {
        job->track[b->first + i] = idtable_get(&r->tracks, batch_ints(b, TRACK)[i]);
        job->event[b->first + i] = event_row(&r->events, batch_ints(b, EVENT)[i]);
    }
}

static void add_marker(struct sample_job *job, size_t i, uint32_t name, uint32_t thread)
{
    struct trace *t = job->r->trace;
    trace_room(t, markers, 1);
    struct markers *m = &t->markers;
    size_t k = m->n++;
    m->start_ns[k] = m->end_ns[k] = job->time[i];
    m->id[k] = job->id[i];
    m->name[k] = rocpd_marker_name(job->r, name, job->event[i]);
    m->domain[k] = 0;
    m->thread[k] = thread;
    m->kind[k] = MARKER_INSTANT;
}

static void add_sample(struct trace *t, int64_t time, uint32_t name, uint32_t thread)
{
    trace_room(t, samples, 1);
    size_t k = t->samples.n++;
    t->samples.time_ns[k] = time;
    t->samples.name[k] = name;
    t->samples.thread[k] = thread;
}

/* Readings share their event: remember its time, rocpd_pmc_event has the values. */
static void remember_time(struct rocpd *r, uint32_t event, int64_t time)
{
    if (idmap_get(&r->sample_time, event) != NO_INDEX)
        return;
    idmap_put(&r->sample_time, event, (uint32_t)r->samples_at.n);
    vec_push(&r->samples_at, r->arena, time);
}

static void place(struct sample_job *job, size_t i)
{
    struct rocpd *r = job->r;
    uint32_t track = job->track[i], event = job->event[i];
    uint32_t name = track == NO_INDEX ? 0 : r->track_names.v[track];
    uint32_t thread = track == NO_INDEX ? NO_INDEX : r->track_threads.v[track];
    if (event != NO_INDEX && r->events.kind[event] == EVENT_MARKER)
        add_marker(job, i, name, thread);
    else if (event != NO_INDEX && r->has_counters && thread == NO_INDEX)
        remember_time(r, event, job->time[i]);
    else
        add_sample(r->trace, job->time[i], name, thread);
}

bool rocpd_read_samples(struct rocpd *r, struct gs_error *err)
{
    idmap_init(&r->sample_time, r->arena);
    if (!rocpd_has(r, "sample"))
        return true;
    struct sample_job job = {.r = r};
    struct scan scan = {rocpd_table(r, "sample"), columns, N_COLS, begin, rows, &job, NULL};
    if (!scan_table(r->db, &scan, err))
        return false;
    r->trace->sample_records += job.n;
    uint64_t no_time = 0;
    for (size_t i = 0; i < job.n; i++) {
        no_time += job.time[i] == NO_TIME;
        if (job.time[i] != NO_TIME)
            place(&job, i);
    }
    trace_note(r->trace, NOTE_NULL, no_time, "samples without a time");
    return true;
}
