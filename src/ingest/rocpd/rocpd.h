/*
 * The rocpd reader, inside. A file holds one or more sets of tables, each written by one process
 * and told apart by a suffix; every set is read on its own, with its own ids.
 *
 * Order of reading (open.c): strings and info tables (info.c), events (events.c), regions and
 * samples (regions.c), kernels (kernels.c), copies and allocations (copies.c), counters
 * (counters.c), waits (syncs.c). Later steps use the maps of earlier ones.
 */
#ifndef GS_INGEST_ROCPD_ROCPD_H
#define GS_INGEST_ROCPD_ROCPD_H

#include "base/idblocks.h"
#include "base/idindex.h"
#include "base/parallel.h"
#include "ingest/ingest.h"
#include "ingest/launches.h"
#include "ingest/sqlite/scan.h"
#include "model/trace.h"

/* What a category string (rocpd_event.category_id) stands for. */
enum category {
    CATEGORY_UNKNOWN,
    CATEGORY_REGION, /* a host call; the kind is in the table */
    CATEGORY_MARKER,
    CATEGORY_DEVICE, /* kernels, copies, allocations: the tables say it themselves */
    CATEGORY_SERIES, /* telemetry */
};

struct category_info {
    enum category category;
    enum region_kind kind;
    bool rocprof_sys; /* written by rocprof-sys only */
};

struct category_info category_of(const char *name);

/* In place of a region's kind: this row is a marker and moves to the markers table. */
enum { EVENT_MARKER = 255 };

/* Rows whose event ids count up. */
struct event_range {
    int64_t id; /* of the first */
    uint32_t row, n;
};

/*
 * rocpd_event: what the other tables need of it, by row. There are as many events as everything
 * else together, so it is kept small: five bytes an event, but for files with odd ids.
 */
struct events {
    size_t n;
    size_t n_ranges; /* 1: row = id - first_id; 0: see by_id */
    int64_t first_id;
    struct event_range *ranges; /* as the rows are */
    struct idindex by_id;       /* first id -> range; or id -> row where there are no ranges */
    void *id;                   /* behind by_id, then */
    uint32_t *stack;            /* numbers of stack ids (idblocks.h); NULL: see wide_stack */
    struct idblocks *blocks;
    int64_t *wide_stack;
    uint32_t most_stack; /* the largest of `stack` */
    uint32_t *call;      /* the call that caused it: once calls are read, in place of stack ids */
    uint8_t *kind;       /* what the category stands for: enum region_kind or EVENT_MARKER */
    bool has_markers;
    VEC(struct category_count) counts; /* by trace string */
    uint64_t no_category;              /* events without one */
    struct idmap message;              /* row -> trace string, for markers */
    uint32_t *kernel;                  /* row -> kernels row; only when counters exist */
};

/* Mistakes counted while many threads read; one per worker, added up at the end. */
struct tally {
    uint64_t no_agent, no_symbol, no_stream, no_string, no_event, no_time;
    char padding[64]; /* workers do not share cache lines */
};

struct rocpd {
    struct trace *trace;
    struct db *db;
    struct arena *arena; /* for this set only */
    const char *suffix, *guid;
    uint32_t file;
    uint32_t process; /* the set's own; rows that name no known process get it */
    struct idtable nodes, processes, threads, agents, queues, streams, symbols, strings, tracks,
        pmcs;
    VEC(uint32_t) node_hosts;
    VEC(struct stream) stream_list; /* as listed: process, id, name; no GPU yet */
    VEC(uint32_t) track_names, track_threads;
    size_t first_pmc;          /* this set's counters in the trace begin there */
    VEC(uint32_t) pmc_process; /* of each */
    struct idmap series;       /* (name, GPU, process) -> series of this set */
    struct events events;
    struct idmap sample_time; /* event row -> samples_at index */
    VEC(int64_t) samples_at;
    struct launches launches;
    struct tally tally[PARALLEL_MAX];
    unsigned leave_out; /* enum ingest_part */
    bool has_counters, rocprof_sys;
};

/* The suffixes of the sets in a file, in order. */
struct suffix_list {
    const char **v;
    size_t n, cap;
};
void rocpd_find_sets(struct db *db, struct suffix_list *out, struct arena *a);

/* The name of a table of this set, in the arena. */
const char *rocpd_table(struct rocpd *r, const char *base);
/* True when the set has the table; notes its absence otherwise. */
bool rocpd_has(struct rocpd *r, const char *base);

/* Opens a query over columns (NULL-terminated list) of a table; those it lacks give NULL. */
bool rocpd_query(struct db_query *q, struct rocpd *r, const char *base, const char *const *columns,
                 struct gs_error *err);
/* A text column of the current row, as a string of the trace. */
uint32_t rocpd_text(struct rocpd *r, struct db_query *q, int column);
/* The process a row names, or the set's own. */
uint32_t rocpd_process(const struct rocpd *r, int64_t pid);

bool rocpd_read_strings(struct rocpd *r, struct gs_error *err);
bool rocpd_read_info(struct rocpd *r, struct gs_error *err);
void rocpd_read_agent_json(struct gpu *g, const char *json, size_t n);
bool rocpd_read_symbols(struct rocpd *r, struct gs_error *err);
bool rocpd_read_events(struct rocpd *r, struct gs_error *err);
bool rocpd_read_regions(struct rocpd *r, struct gs_error *err);
bool rocpd_read_samples(struct rocpd *r, struct gs_error *err);
bool rocpd_read_kernels(struct rocpd *r, struct gs_error *err);
bool rocpd_read_copies(struct rocpd *r, struct gs_error *err);
bool rocpd_read_allocations(struct rocpd *r, struct gs_error *err);
bool rocpd_read_counters(struct rocpd *r, struct gs_error *err);
/* Where the rows of this set begin. */
struct rocpd_rows {
    size_t regions, kernels, copies;
};
bool rocpd_read_syncs(struct rocpd *r, const struct rocpd_rows *first, struct gs_error *err);

/* By what the function is called; give it trace_phrase(): it is asked for every row. */
enum marker_kind rocpd_marker_kind(const char *function);
/* The text the user gave, or the name of the call where the profiler kept none. */
uint32_t rocpd_marker_name(const struct rocpd *r, uint32_t function, uint32_t event);

/* Row of an event id, or NO_INDEX. */
static inline uint32_t event_row(const struct events *e, int64_t id)
{
    if (e->n_ranges == 1) {
        uint64_t row = (uint64_t)id - (uint64_t)e->first_id;
        return row < e->n ? (uint32_t)row : NO_INDEX;
    }
    if (!e->n_ranges)
        return idindex_get(&e->by_id, id);
    uint32_t range = idindex_floor(&e->by_id, id);
    if (range == NO_INDEX)
        return NO_INDEX;
    uint64_t place = (uint64_t)id - (uint64_t)e->ranges[range].id;
    return place < e->ranges[range].n ? e->ranges[range].row + (uint32_t)place : NO_INDEX;
}

/* What links a call and the work it caused; 0: nothing. Until calls are read. */
static inline int64_t event_stack(const struct events *e, uint32_t row)
{
    return e->stack ? e->stack[row] : e->wide_stack[row];
}

/* The call that caused an event; for what is read after the calls. */
static inline uint32_t event_call(const struct rocpd *r, uint32_t row)
{
    return row == NO_INDEX || !r->events.call ? NO_INDEX : r->events.call[row];
}

/*
 * Streams are provisional while many threads read: (GPU, listed stream) packed into one number,
 * 0 meaning unknown for each. rocpd_finish_streams() turns a column of them into streams.
 */
uint32_t rocpd_provisional_stream(const struct rocpd *r, uint32_t agent, int64_t stream_id);
void rocpd_finish_streams(struct rocpd *r, uint32_t *column, size_t first, size_t n);

/* Stands for SQL NULL in time columns. */
#define NO_TIME INT64_MIN

/* A missing time is taken from the other one; true when both are missing (see fill_times). */
static inline bool fix_times(int64_t *start, int64_t *end)
{
    if (*start == NO_TIME)
        *start = *end;
    if (*end == NO_TIME)
        *end = *start;
    return *start == NO_TIME;
}

/* Rows [first, n) without any time get that of their predecessor: they happened, without a length.
 */
void rocpd_fill_times(int64_t *start, int64_t *end, size_t first, size_t n);

#endif
