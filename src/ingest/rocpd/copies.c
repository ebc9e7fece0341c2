/* rocpd_memory_copy and rocpd_memory_allocate. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ingest/agents.h"
#include "ingest/rocpd/rocpd.h"

struct row_job {
    struct rocpd *r;
    size_t base;
    uint8_t *kind_of; /* copies: 1 + what a name says, by trace string; 0: not asked yet */
};

/* ---- copies ---- */

enum { ID, TID, START, END, NAME, DST, SRC, SIZE, STREAM, EVENT, N_COLS };

static const struct scan_col copy_columns[N_COLS] = {
    [ID] = {"id", SCAN_INT, false, 0},
    [TID] = {"tid", SCAN_INT, true, NO_TIME},
    [START] = {"start", SCAN_INT, false, NO_TIME},
    [END] = {"end", SCAN_INT, false, NO_TIME},
    [NAME] = {"name_id", SCAN_INT, true, NO_TIME},
    [DST] = {"dst_agent_id", SCAN_INT, true, NO_TIME},
    [SRC] = {"src_agent_id", SCAN_INT, true, NO_TIME},
    [SIZE] = {"size", SCAN_INT, true, -1},
    [STREAM] = {"stream_id", SCAN_INT, true, NO_TIME},
    [EVENT] = {"event_id", SCAN_INT, true, NO_TIME},
};

/*
 * What a name says, found out when it is first used: a trace has thousands of names, and copies a
 * few. Threads that meet here write the same.
 */
static enum copy_kind kind_of_string(const struct row_job *job, uint32_t name)
{
    if (name == NO_INDEX)
        return COPY_UNKNOWN;
    uint8_t known = __atomic_load_n(&job->kind_of[name], __ATOMIC_RELAXED);
    if (!known) {
        const struct strings *s = &job->r->trace->strings;
        known = s->v[name].len < 64 ? (uint8_t)(1 + copy_kind_said(s->v[name].text))
                                    : (uint8_t)(1 + COPY_UNKNOWN);
        __atomic_store_n(&job->kind_of[name], known, __ATOMIC_RELAXED);
    }
    return (enum copy_kind)(known - 1);
}

static void copies_begin(void *ctx, size_t rows)
{
    struct row_job *job = ctx;
    struct trace *t = job->r->trace;
    trace_rows_from(t, copies, job->base, rows);
    memset(job->r->tally, 0, sizeof(job->r->tally));
}

/* The GPU whose time a copy takes: the one it arrives at, else the one it leaves. */
static uint32_t owner(const struct rocpd *r, uint32_t src, uint32_t dst)
{
    if (dst != NO_INDEX && r->trace->agents.v[dst].type == AGENT_GPU)
        return dst;
    if (src != NO_INDEX && r->trace->agents.v[src].type == AGENT_GPU)
        return src;
    return NO_INDEX;
}

static void copies_rows(void *ctx, const struct scan_batch *b)
{
    struct row_job *job = ctx;
    struct rocpd *r = job->r;
    struct copies *c = &r->trace->copies;
    struct tally *tally = &r->tally[b->worker];
    for (size_t i = 0; i < b->n; i++) {
        size_t row = job->base + b->first + i;
        int64_t start = batch_ints(b, START)[i], end = batch_ints(b, END)[i];
        int64_t size = batch_ints(b, SIZE)[i];
        uint32_t src = idtable_get(&r->agents, batch_ints(b, SRC)[i]);
        uint32_t dst = idtable_get(&r->agents, batch_ints(b, DST)[i]);
        uint32_t event = event_row(&r->events, batch_ints(b, EVENT)[i]);
        uint32_t name = idtable_get(&r->strings, batch_ints(b, NAME)[i]);
        enum copy_kind named = kind_of_string(job, name);
        tally->no_time += fix_times(&start, &end);
        tally->no_agent += owner(r, src, dst) == NO_INDEX && named != COPY_H2H;
        c->start_ns[row] = start;
        c->end_ns[row] = end;
        c->id[row] = batch_ints(b, ID)[i];
        c->bytes[row] = size < 0 ? BYTES_UNKNOWN : (uint64_t)size;
        c->stream[row] = rocpd_provisional_stream(r, owner(r, src, dst), batch_ints(b, STREAM)[i]);
        c->thread[row] = idtable_get(&r->threads, batch_ints(b, TID)[i]);
        c->call[row] = event_call(r, event);
        c->src[row] = src;
        c->dst[row] = dst;
        c->kind[row] = (uint8_t)copy_kind_between(r->trace, named, src, dst);
        c->src_memory[row] = c->dst_memory[row] = MEMORY_UNKNOWN;
    }
}

/* Notes what the workers counted; true when some rows lack times. */
static bool note_tally(struct rocpd *r, const char *no_time, const char *no_agent)
{
    uint64_t times = 0, agents = 0;
    for (int w = 0; w < PARALLEL_MAX; w++) {
        times += r->tally[w].no_time;
        agents += r->tally[w].no_agent;
    }
    trace_note(r->trace, NOTE_NULL, times, no_time);
    if (no_agent)
        trace_note(r->trace, NOTE_DANGLING, agents, no_agent);
    return times != 0;
}

bool rocpd_read_copies(struct rocpd *r, struct gs_error *err)
{
    if (!rocpd_has(r, "memory_copy"))
        return true;
    struct row_job job = {r, r->trace->copies.n,
                          arena_array(r->arena, uint8_t, r->trace->strings.n + 1)};
    struct scan scan = {
        rocpd_table(r, "memory_copy"), copy_columns, N_COLS, copies_begin, copies_rows, &job, NULL};
    if (!scan_table(r->db, &scan, err))
        return false;
    struct copies *c = &r->trace->copies;
    if (note_tally(r, "copies without times", "copies between devices that are not listed"))
        rocpd_fill_times(c->start_ns, c->end_ns, job.base, c->n);
    rocpd_finish_streams(r, r->trace->copies.stream, job.base, r->trace->copies.n);
    return true;
}

/* ---- allocations ---- */

enum { M_ID, M_TID, M_AGENT, M_TYPE, M_LEVEL, M_START, M_END, M_ADDRESS, M_SIZE, M_EVENT, M_COLS };

static const struct scan_col alloc_columns[M_COLS] = {
    [M_ID] = {"id", SCAN_INT, false, 0},
    [M_TID] = {"tid", SCAN_INT, true, NO_TIME},
    [M_AGENT] = {"agent_id", SCAN_INT, true, NO_TIME},
    [M_TYPE] = {"type", SCAN_TEXT, true, 0},
    [M_LEVEL] = {"level", SCAN_TEXT, true, 0},
    [M_START] = {"start", SCAN_INT, false, NO_TIME},
    [M_END] = {"end", SCAN_INT, false, NO_TIME},
    [M_ADDRESS] = {"address", SCAN_INT, true, 0},
    [M_SIZE] = {"size", SCAN_INT, true, 0},
    [M_EVENT] = {"event_id", SCAN_INT, true, NO_TIME},
};

static void allocs_begin(void *ctx, size_t rows)
{
    struct row_job *job = ctx;
    struct trace *t = job->r->trace;
    trace_rows_from(t, allocations, job->base, rows);
    memset(job->r->tally, 0, sizeof(job->r->tally));
}

/* The words are told apart by their first letters: ALLOC FREE REALLOC RECLAIM, REAL VIRTUAL
 * SCRATCH. */
static enum alloc_op op_of(struct slice s)
{
    if (s.n >= 3 && !memcmp(s.p, "REA", 3))
        return ALLOC_REALLOC;
    if (s.n >= 3 && !memcmp(s.p, "REC", 3))
        return ALLOC_RECLAIM;
    return s.n && s.p[0] == 'F' ? ALLOC_FREE : ALLOC_ALLOC;
}

static enum alloc_level level_of(struct slice s)
{
    return s.n && s.p[0] == 'S' ? LEVEL_SCRATCH : s.n && s.p[0] == 'V' ? LEVEL_VIRTUAL : LEVEL_REAL;
}

static void allocs_rows(void *ctx, const struct scan_batch *b)
{
    struct row_job *job = ctx;
    struct rocpd *r = job->r;
    struct allocations *a = &r->trace->allocations;
    for (size_t i = 0; i < b->n; i++) {
        size_t row = job->base + b->first + i;
        int64_t start = batch_ints(b, M_START)[i], end = batch_ints(b, M_END)[i];
        int64_t size = batch_ints(b, M_SIZE)[i];
        r->tally[b->worker].no_time += fix_times(&start, &end);
        a->start_ns[row] = start;
        a->end_ns[row] = end;
        a->id[row] = batch_ints(b, M_ID)[i];
        a->bytes[row] = size < 0 ? 0 : (uint64_t)size;
        a->address[row] = (uint64_t)batch_ints(b, M_ADDRESS)[i];
        a->agent[row] = idtable_get(&r->agents, batch_ints(b, M_AGENT)[i]);
        a->thread[row] = idtable_get(&r->threads, batch_ints(b, M_TID)[i]);
        a->call[row] = event_call(r, event_row(&r->events, batch_ints(b, M_EVENT)[i]));
        a->op[row] = (uint8_t)op_of(batch_texts(b, M_TYPE)[i]);
        a->level[row] = (uint8_t)level_of(batch_texts(b, M_LEVEL)[i]);
    }
}

bool rocpd_read_allocations(struct rocpd *r, struct gs_error *err)
{
    if (!rocpd_has(r, "memory_allocate"))
        return true;
    struct row_job job = {r, r->trace->allocations.n, NULL};
    struct scan scan = {rocpd_table(r, "memory_allocate"),
                        alloc_columns,
                        M_COLS,
                        allocs_begin,
                        allocs_rows,
                        &job,
                        NULL};
    if (!scan_table(r->db, &scan, err))
        return false;
    struct allocations *a = &r->trace->allocations;
    if (note_tally(r, "allocations without times", NULL))
        rocpd_fill_times(a->start_ns, a->end_ns, job.base, a->n);
    return true;
}
