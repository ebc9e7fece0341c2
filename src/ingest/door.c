#include "ingest/door.h"

#include "base/parallel.h"
#include "base/sat.h"
#include "base/secret.h"
#include "base/str.h"

enum { CHUNK = 1 << 18, MOST_COLUMNS = 64 };

/* A column of moments or of sizes. */
struct checked {
    int64_t *moments; /* or: */
    uint64_t *sizes;
    size_t n, first_item;
};

struct passing {
    struct checked column[MOST_COLUMNS];
    size_t n, items;
    uint64_t cut_moments[PARALLEL_MAX], cut_sizes[PARALLEL_MAX];
};

static void add_table(struct passing *job, const void *table, const struct table_desc *desc)
{
    size_t n = ((const struct table *)table)->n;
    for (size_t i = 0; n && i < desc->n_columns && job->n < MOST_COLUMNS; i++) {
        const struct column_desc *c = &desc->columns[i];
        bool moment = str_ends(c->name, "_ns"), size = str_ends(c->name, "bytes");
        if (!moment && !size)
            continue;
        void *values = *(void *const *)(const void *)((const char *)table + c->offset);
        job->column[job->n++] = (struct checked){
            .moments = moment ? values : NULL, .sizes = values, .n = n, .first_item = job->items};
        job->items += (n - 1) / CHUNK + 1;
    }
}

static bool cut_moment(int64_t *ns)
{
    int64_t was = *ns;
    *ns = bound_moment(was);
    return *ns != was;
}

static bool cut_size(uint64_t *bytes)
{
    uint64_t was = *bytes;
    if (was != BYTES_UNKNOWN)
        *bytes = bound_bytes(was);
    return *bytes != was;
}

/* Whether some value may lie outside: one pass without branches, since hardly any ever does. */
static bool any_odd_moment(const int64_t *v, size_t n)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++)
        bits |= (uint64_t)v[i] - (uint64_t)MOMENT_LEAST;
    return bits >> 62;
}

static bool any_odd_size(const uint64_t *v, size_t n)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++)
        bits |= v[i] + 1; /* 0 where not known */
    return bits >> 62;
}

static void check_chunk(void *ctx, size_t item, int worker)
{
    struct passing *job = ctx;
    const struct checked *c = job->column;
    while (c + 1 < job->column + job->n && c[1].first_item <= item)
        c++;
    size_t from = (item - c->first_item) * CHUNK;
    size_t n = c->n - from < CHUNK ? c->n - from : CHUNK;
    if (c->moments && any_odd_moment(c->moments + from, n))
        for (size_t i = from; i < from + n; i++)
            job->cut_moments[worker] += cut_moment(&c->moments[i]);
    if (!c->moments && any_odd_size(c->sizes + from, n))
        for (size_t i = from; i < from + n; i++)
            job->cut_sizes[worker] += cut_size(&c->sizes[i]);
}

static void check_entities(struct passing *job, struct trace *t)
{
    for (size_t i = 0; i < t->processes.n; i++) {
        job->cut_moments[0] += cut_moment(&t->processes.v[i].start_ns);
        job->cut_moments[0] += cut_moment(&t->processes.v[i].end_ns);
    }
    for (size_t i = 0; i < t->files.n; i++)
        job->cut_moments[0] += cut_moment(&t->files.v[i].origin_ns);
    for (size_t i = 0; i < t->gpus.n; i++) {
        job->cut_sizes[0] += cut_size(&t->gpus.v[i].memory_bytes);
        job->cut_sizes[0] += cut_size(&t->gpus.v[i].host_link_mbps);
        job->cut_sizes[0] += cut_size(&t->gpus.v[i].peer_link_mbps);
    }
}

/* Commands are shown, sent on and kept: what opens doors stays behind this one. */
static void hide_secrets(struct trace *t)
{
    for (size_t i = 0; i < t->processes.n; i++) {
        struct process *p = &t->processes.v[i];
        size_t hidden;
        const char *shown = secret_mask(trace_str(t, p->command), &t->arena, &hidden);
        if (!hidden)
            continue;
        p->command = strings_add(&t->strings, shown);
        t->masked_values += hidden;
    }
}

/* A copy between GPUs takes the time of the one it arrives at, whatever a profiler puts it under. */
static void place_peer_copies(struct trace *t)
{
    struct copies *c = &t->copies;
    for (size_t i = 0; i < c->n; i++) {
        if (c->kind[i] != COPY_P2P || c->dst[i] >= t->agents.n || c->stream[i] >= t->streams.n)
            continue;
        uint32_t gpu = t->agents.v[c->dst[i]].gpu;
        struct stream s = t->streams.v[c->stream[i]];
        if (gpu == NO_INDEX || gpu == s.gpu)
            continue;
        c->stream[i] = trace_stream(t, s.process, gpu, s.id, s.name);
        t->streams.v[c->stream[i]].kind = s.kind;
        t->gpus.v[gpu].used = true;
    }
}

void door_pass(struct trace *t, int workers)
{
    struct passing job = {.n = 0};
#define ADD(name) add_table(&job, &t->name, &name##_desc);
    TRACE_TABLES(ADD)
#undef ADD
    check_entities(&job, t);
    hide_secrets(t);
    place_peer_copies(t);
    parallel_for(workers, job.items, check_chunk, &job);
    for (int w = 1; w < PARALLEL_MAX; w++) {
        job.cut_moments[0] += job.cut_moments[w];
        job.cut_sizes[0] += job.cut_sizes[w];
    }
    trace_note(t, NOTE_RANGE, job.cut_moments[0],
               "times before 1933 or after 2079, cut to these years");
    trace_note(t, NOTE_RANGE, job.cut_sizes[0], "sizes of 4 EiB and more, cut to that");
}
