/*
 * NVTX_EVENTS: ranges, marks, and the names of their domains, all in one table. Texts stand in the
 * row or in StringIds (registered strings); payloads are not read.
 *
 * Libraries annotate themselves too: the ranges NCCL and old versions of the MPI trace put into
 * domains of their own are calls, and become regions.
 */
#include <string.h>

#include "base/str.h"
#include "ingest/nsys/nsys.h"

/* In markers.kind while reading, besides enum marker_kind. */
enum { KIND_DOMAIN = 254, KIND_NONE = 255 };

struct nvtx_job {
    struct nsys *n;
    size_t base;
    struct idmap names; /* process and domain -> trace string */
};

enum { START, END, TYPE, TEXT, TEXT_ID, TID, DOMAIN, N_COLS };

static const struct scan_col columns[N_COLS] = {
    [START] = {"start", SCAN_INT, false, NO_VALUE},   [END] = {"end", SCAN_INT, true, NO_VALUE},
    [TYPE] = {"eventType", SCAN_INT, true, 59},       [TEXT] = {"text", SCAN_TEXT, true, 0},
    [TEXT_ID] = {"textId", SCAN_INT, true, NO_VALUE}, [TID] = {"globalTid", SCAN_INT, true, 0},
    [DOMAIN] = {"domainId", SCAN_INT, true, 0},
};

/* ENUM_NSYS_EVENT_TYPE; "Nvtxt" are events imported from a text file. */
static uint8_t kind_of(int64_t type)
{
    switch (type) {
    case 34: /* NvtxMark */
    case 65: /* NvtxtMark */
        return MARKER_INSTANT;
    case 35: /* NvtxPushRange */
    case 59: /* NvtxPushPopRange */
    case 70: /* NvtxtPushPopRange */
        return MARKER_THREAD_RANGE;
    case 37: /* NvtxStartRange */
    case 60: /* NvtxStartEndRange */
    case 71: /* NvtxtStartEndRange */
        return MARKER_PROCESS_RANGE;
    case 75: /* NvtxDomainCreate */
        return KIND_DOMAIN;
    default: /* categories, names of threads, ends of ranges that stand in their rows */
        return KIND_NONE;
    }
}

static void begin(void *ctx, size_t rows)
{
    struct nvtx_job *job = ctx;
    struct trace *t = job->n->trace;
    trace_rows_from(t, markers, job->base, rows);
    memset(job->n->tally, 0, sizeof(job->n->tally));
}

static uint32_t text_of(struct nsys *n, int worker, struct slice text, int64_t id)
{
    if (!text.p) {
        const struct string_entry *e = &n->trace->strings.v[nsys_string(n, id)];
        text = (struct slice){e->text, e->len};
    }
    return texts_add(&n->texts, worker, text.p, text.n);
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct nvtx_job *job = ctx;
    struct nsys *n = job->n;
    struct markers *m = &n->trace->markers;
    struct tally *tally = &n->tally[b->worker];
    for (size_t i = 0; i < b->n; i++) {
        size_t row = job->base + b->first + i;
        int64_t start = nsys_time(n, batch_ints(b, START)[i]), tid = batch_ints(b, TID)[i];
        int64_t end = nsys_time(n, batch_ints(b, END)[i]), domain = batch_ints(b, DOMAIN)[i];
        uint8_t kind = kind_of(batch_ints(b, TYPE)[i]);
        struct slice text = batch_texts(b, TEXT)[i];
        if (kind == MARKER_INSTANT)
            end = start;
        tally->no_time += start == NO_VALUE && kind < KIND_DOMAIN;
        tally->no_name += kind < KIND_DOMAIN && !text.p &&
                          idtable_get(&n->strings, batch_ints(b, TEXT_ID)[i]) == NO_INDEX;
        m->start_ns[row] = start;
        m->end_ns[row] = end; /* NO_VALUE: still open */
        m->id[row] = (int64_t)(b->first + i + 1);
        m->name[row] = text_of(n, b->worker, text, batch_ints(b, TEXT_ID)[i]);
        m->domain[row] = keys_add(&n->domains, b->worker,
                                  (struct key){{domain ? tid & ~NSYS_ID_MASK : 0, domain}});
        m->thread[row] = nsys_thread_key(n, b->worker, kind == KIND_NONE ? 0 : tid);
        m->kind[row] = kind;
    }
}

/* Only rows that stay may bring threads and texts into the trace: the others go first. */
static void drop_others(struct nvtx_job *job)
{
    struct nsys *n = job->n;
    struct markers *m = &n->trace->markers;
    size_t to = job->base;
    for (size_t from = job->base; from < m->n; from++) {
        if (m->kind[from] == KIND_NONE ||
            (m->start_ns[from] == NO_VALUE && m->kind[from] != KIND_DOMAIN))
            continue;
        table_move(m, MARKER_COLUMNS, to++, from);
    }
    m->n = to;
}

static uint32_t resolve_domain(void *ctx, const struct key *key)
{
    const struct nvtx_job *job = ctx;
    uint32_t name = idmap_get(&job->names, hash_bytes(key->v, 2 * sizeof(*key->v)));
    return name == NO_INDEX ? 0 : name;
}

static void name_domains(struct nvtx_job *job)
{
    struct nsys *n = job->n;
    struct markers *m = &n->trace->markers;
    idmap_init(&job->names, n->arena);
    for (size_t i = job->base; i < m->n; i++) {
        if (m->kind[i] != KIND_DOMAIN)
            continue;
        const struct key *key = keys_get(&n->domains, m->domain[i]);
        idmap_put(&job->names, hash_bytes(key->v, 2 * sizeof(*key->v)), m->name[i]);
        m->kind[i] = KIND_NONE;
    }
    keys_finish(&n->domains, m->domain, job->base, m->n, resolve_domain, job);
}

static int64_t latest(const int64_t *start, const int64_t *end, size_t first, size_t n,
                      int64_t most)
{
    for (size_t i = first; i < n; i++) {
        most = end[i] > most ? end[i] : most;
        most = start[i] > most ? start[i] : most;
    }
    return most;
}

/* Ranges nobody closed last until the last moment of the file. */
static void close_ranges(struct nvtx_job *job)
{
    struct nsys *n = job->n;
    struct trace *t = n->trace;
    struct markers *m = &t->markers;
    uint64_t open = 0;
    for (size_t i = job->base; i < m->n; i++)
        open += m->end_ns[i] == NO_VALUE && m->kind[i] != KIND_NONE;
    if (!open)
        return;
    int64_t last = latest(m->start_ns, m->end_ns, job->base, m->n, NO_VALUE);
    last = latest(t->kernels.start_ns, t->kernels.end_ns, n->kernels0, t->kernels.n, last);
    last = latest(t->copies.start_ns, t->copies.end_ns, n->copies0, t->copies.n, last);
    last = latest(t->regions.start_ns, t->regions.end_ns, n->regions0, t->regions.n, last);
    for (size_t i = job->base; i < m->n; i++)
        if (m->end_ns[i] == NO_VALUE)
            m->end_ns[i] = last;
}

/* Domains whose ranges are calls of a library. */
static enum region_kind call_kind(const struct trace *t, size_t i)
{
    static const struct {
        const char *domain, *prefix;
        enum region_kind kind;
    } libraries[] = {{"NCCL", "nccl", REGION_COLLECTIVE}, {"MPI", "MPI_", REGION_MPI}};
    if (!t->markers.domain[i] || t->markers.kind[i] == MARKER_INSTANT)
        return REGION_KINDS;
    for (size_t l = 0; l < ARRAY_LEN(libraries); l++)
        if (str_eq(trace_str(t, t->markers.domain[i]), libraries[l].domain) &&
            str_starts(trace_str(t, t->markers.name[i]), libraries[l].prefix))
            return libraries[l].kind;
    return REGION_KINDS;
}

static void move_call(struct trace *t, size_t i, enum region_kind kind)
{
    trace_room(t, regions, 1);
    struct regions *r = &t->regions;
    size_t k = r->n++;
    r->start_ns[k] = t->markers.start_ns[i];
    r->end_ns[k] = t->markers.end_ns[i];
    r->id[k] = t->markers.id[i];
    r->name[k] = t->markers.name[i];
    r->thread[k] = t->markers.thread[i];
    r->kind[k] = (uint8_t)kind;
}

static void split_calls(struct nvtx_job *job)
{
    struct trace *t = job->n->trace;
    for (size_t i = job->base; i < t->markers.n; i++) {
        enum region_kind kind = call_kind(t, i);
        if (t->markers.kind[i] == KIND_NONE || kind == REGION_KINDS)
            continue;
        move_call(t, i, kind);
        t->markers.kind[i] = KIND_NONE;
    }
}

bool nsys_read_markers(struct nsys *n, struct gs_error *err)
{
    struct markers *m = &n->trace->markers;
    struct nvtx_job job = {.n = n, .base = m->n};
    struct scan scan = {"NVTX_EVENTS", columns, N_COLS, begin, rows, &job, NULL};
    if (!nsys_has(n, "NVTX_EVENTS"))
        return true;
    if (!nsys_scan(n, &scan, err))
        return false;
    uint64_t no_time = 0;
    for (int w = 0; w < PARALLEL_MAX; w++)
        no_time += n->tally[w].no_time;
    trace_note(n->trace, NOTE_SKIPPED, no_time, "markers without a time");
    trace_note(n->trace, NOTE_NULL, nsys_tally_names(n), "markers without a text");
    drop_others(&job);
    texts_finish(&n->texts, &n->trace->strings, m->name, job.base, m->n);
    texts_release(&n->texts);
    name_domains(&job);
    drop_others(&job);
    nsys_finish_threads(n, m->thread, job.base, m->n);
    close_ranges(&job);
    split_calls(&job);
    drop_others(&job);
    return true;
}
