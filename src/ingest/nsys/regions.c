/* Host calls: CUDA runtime and driver, operating system, MPI and other libraries. */
#include <string.h>

#include "base/str.h"
#include "ingest/nsys/nsys.h"

/* A name that ends in '_' stands for all tables that start so. */
static const struct region_table {
    const char *table, *name_column;
    enum region_kind kind;
    bool cuda;  /* names carry versions and rows correlation ids */
    bool peers; /* rows say whom a message goes to or comes from */
    /* Events of the driver about pages: what all are called, and that they are of a process. */
    const char *fixed;
    bool moment; /* without an end */
} region_tables[] = {
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "nameId", REGION_HIP, true, false, NULL, false},
    {"CUPTI_ACTIVITY_KIND_DRIVER", "nameId", REGION_HSA, true, false, NULL, false},
    {"MPI_P2P_EVENTS", "textId", REGION_MPI, false, true, NULL, false},
    {"MPI_COLLECTIVES_EVENTS", "textId", REGION_MPI, false, false, NULL, false},
    {"MPI_START_WAIT_EVENTS", "textId", REGION_MPI, false, false, NULL, false},
    {"MPI_OTHER_EVENTS", "textId", REGION_MPI, false, false, NULL, false},
    {"UCP_", "textId", REGION_MPI, false, false, NULL, false},
    {"OPENMP_EVENT_KIND_", "nameId", REGION_OPENMP, false, false, NULL, false},
    {"OPENACC_", "nameId", REGION_OTHER, false, false, NULL, false},
    {"CUDNN_EVENTS", "nameId", REGION_OTHER, false, false, NULL, false},
    {"CUBLAS_EVENTS", "nameId", REGION_OTHER, false, false, NULL, false},
    {"OSRT_API", "nameId", REGION_OS, false, false, NULL, false},
    {"CUDA_UM_GPU_PAGE_FAULT_EVENTS", NULL, REGION_DRIVER, false, false, "GPU page faults", false},
    {"CUDA_UM_CPU_PAGE_FAULT_EVENTS", NULL, REGION_DRIVER, false, false, "CPU page fault", true},
};

struct region_job {
    struct nsys *n;
    const struct region_table *spec;
    size_t base, message_base;
    uint32_t fixed; /* string */
};

enum { START, END, TID, NAME, CORRELATION, CLASS, PEER, SIZE, N_COLS };

static void begin(void *ctx, size_t rows)
{
    struct region_job *job = ctx;
    struct trace *t = job->n->trace;
    trace_rows_from(t, regions, job->base, rows);
    t->messages.n = job->message_base;
    if (job->spec->peers) {
        trace_room(t, messages, rows);
        t->messages.n += rows;
    }
    memset(job->n->tally, 0, sizeof(job->n->tally));
}

/* Sets name and kind of a CUDA call. */
static void name_call(const struct nsys *n, uint32_t *name, uint8_t *kind, int64_t class)
{
    uint32_t raw = *name;
    if (raw < n->n_listed) {
        *name = n->clean[raw];
        if (n->api_kind[raw] != REGION_OTHER) {
            *kind = n->api_kind[raw];
            return;
        }
    }
    if (class == 1) /* TRACE_PROCESS_EVENT_CUDA_DRIVER */
        *kind = REGION_HSA;
}

static void put_message(const struct region_job *job, const struct scan_batch *b, size_t i,
                        uint32_t call)
{
    struct messages *m = &job->n->trace->messages;
    size_t row = job->message_base + b->first + i;
    int64_t peer = batch_ints(b, PEER)[i], size = batch_ints(b, SIZE)[i];
    m->call[row] = call;
    m->peer[row] = peer >= 0 && peer <= INT32_MAX ? (int32_t)peer : -1;
    m->bytes[row] = size >= 0 ? (uint64_t)size : BYTES_UNKNOWN;
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct region_job *job = ctx;
    struct nsys *n = job->n;
    struct regions *out = &n->trace->regions;
    struct tally *tally = &n->tally[b->worker];
    for (size_t i = 0; i < b->n; i++) {
        size_t row = job->base + b->first + i;
        int64_t start = nsys_time(n, batch_ints(b, START)[i]);
        int64_t end = nsys_time(n, batch_ints(b, END)[i]);
        uint32_t name = job->spec->fixed ? job->fixed : nsys_string(n, batch_ints(b, NAME)[i]);
        uint8_t kind = (uint8_t)job->spec->kind;
        if (job->spec->cuda)
            name_call(n, &name, &kind, batch_ints(b, CLASS)[i]);
        tally->no_time += nsys_fix_times(&start, &end);
        tally->no_name += name == 0;
        out->start_ns[row] = start;
        out->end_ns[row] = end;
        out->id[row] =
            job->spec->cuda ? batch_ints(b, CORRELATION)[i] : (int64_t)(b->first + i + 1);
        out->name[row] = name;
        out->thread[row] = nsys_thread_key(n, b->worker, batch_ints(b, TID)[i]);
        out->kind[row] = kind;
        if (job->spec->peers)
            put_message(job, b, i, (uint32_t)row);
    }
}

static bool read_table(struct nsys *n, const struct region_table *spec, const char *table,
                       struct gs_error *err)
{
    const struct scan_col columns[N_COLS] = {
        [START] = {"start", SCAN_INT, false, NO_VALUE},
        [END] = {spec->moment ? "start" : "end", SCAN_INT, true, NO_VALUE},
        [TID] = {spec->fixed ? "globalPid" : "globalTid", SCAN_INT, true, 0},
        [NAME] = {spec->fixed ? "start" : spec->name_column, SCAN_INT, true, NO_VALUE},
        [CORRELATION] = {"correlationId", SCAN_INT, true, -1},
        [CLASS] = {"eventClass", SCAN_INT, true, 0},
        [PEER] = {spec->peers ? "remoteRank" : NULL, SCAN_INT, true, -1},
        [SIZE] = {spec->peers ? "size" : NULL, SCAN_INT, true, -1},
    };
    struct regions *r = &n->trace->regions;
    struct region_job job = {n, spec, r->n, n->trace->messages.n, 0};
    if (spec->fixed)
        job.fixed = strings_add(&n->trace->strings, spec->fixed);
    struct scan scan = {table, columns, spec->peers ? N_COLS : PEER, begin, rows, &job, NULL};
    if (!nsys_scan(n, &scan, err))
        return false;
    nsys_note_times(n, r->start_ns, r->end_ns, job.base, r->n, "host calls without times");
    trace_note(n->trace, NOTE_DANGLING, nsys_tally_names(n), "host calls whose name is not listed");
    nsys_finish_threads(n, r->thread, job.base, r->n);
    return true;
}

/* Whose threads call CUDA. */
static void mark_users(struct nsys *n, size_t first, size_t end)
{
    const struct trace *t = n->trace;
    uint32_t last = NO_INDEX;
    for (size_t i = first; i < end; i++) {
        if (t->regions.thread[i] == last)
            continue;
        last = t->regions.thread[i];
        uint32_t process = t->threads.v[last].process;
        if (idmap_get(&n->cuda_users, process) == NO_INDEX)
            idmap_put(&n->cuda_users, process, 1);
    }
}

static bool fits(const struct region_table *spec, const char *table)
{
    return str_ends(spec->table, "_") ? str_starts(table, spec->table) : str_eq(spec->table, table);
}

bool nsys_read_regions(struct nsys *n, struct gs_error *err)
{
    const struct schema *schema = &n->db->schema;
    size_t first = n->trace->regions.n, cuda_end = first;
    for (size_t i = 0; i < ARRAY_LEN(region_tables); i++) {
        const struct region_table *spec = &region_tables[i];
        for (size_t k = 0; k < schema->n; k++) {
            const char *t = schema->v[k].name;
            if (fits(spec, t) && nsys_has_column(n, t, "start") && !read_table(n, spec, t, err))
                return false;
        }
        if (spec->cuda)
            cuda_end = n->trace->regions.n;
    }
    mark_users(n, first, cuda_end);
    nsys_index_calls(n, first, cuda_end);
    return true;
}
