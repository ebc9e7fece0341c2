/*
 * What the rocprofv3 text formats share: from raw records to a trace.
 *
 * JSON and CSV say the same things in other words, and neither promises that a thing is described
 * before it is used. So a reader hands over records with the ids as they stand in the file. Those
 * that belong to a list (agents, symbols, counters, streams) become slots: numbers given at first
 * sight, described whenever the description comes. rv3_finish() puts the final numbers into the
 * columns and links kernels and copies to the calls that caused them.
 *
 *     rv3_init(&b, trace, file, arena);          the arena owns all of it
 *     uint32_t p = rv3_process(&b, &process);
 *     rv3_add_kernel(&b, &(struct rv3_kernel){.process = p, .symbol = rv3_symbol(&b, p, id), ...});
 *     rv3_describe_symbol(&b, rv3_symbol(&b, p, id), &symbol);
 *     rv3_finish(&b);
 *
 * Processes are numbered from 0 in the build, slots over all processes of it.
 */
#ifndef GS_INGEST_ROCPROFV3_BUILD_H
#define GS_INGEST_ROCPROFV3_BUILD_H

#include "base/input.h"
#include "ingest/launches.h"
#include "model/trace.h"

/* An id the record does not have. */
#define RV3_NO_ID UINT64_MAX

/* Beside the rows of kernels, copies and allocations, until they are linked. */
#define RV3_LINK_COLUMNS(X)                                                                        \
    X(uint64_t, correlation)                                                                       \
    X(uint32_t, process)                                                                           \
    X(uint32_t, operation) /* for the reader: what names the row */
TABLE(rv3_links, RV3_LINK_COLUMNS);

struct rv3_process {
    uint32_t process; /* in the trace */
    struct idmap threads, queues, streams, agents, symbols, counters, counted;
};

struct rv3_agent {
    uint32_t process;
    uint32_t agent; /* in the trace; NO_INDEX until it is described */
    uint64_t id;    /* as given to rv3_agent() */
    bool ran;       /* a kernel ran on it, so it is a GPU */
};

struct rv3_stream {
    uint32_t process, agent; /* slot, or NO_INDEX */
    uint64_t id;
};

/* How far the file was read when a table was full last: what is left of it says how many come. */
struct rv3_pace {
    size_t rows;
    uint64_t bytes;
    size_t trimmed; /* rows when room was given back last */
};

struct rv3_build {
    struct trace *trace;
    const struct input *input; /* where rows come from; NULL: not known */
    struct rv3_pace kernel_pace[2], counted_pace[2], region_pace; /* two: rows, and their links */
    struct arena *arena;
    uint32_t file;
    VEC(struct rv3_process) processes;
    VEC(struct rv3_agent) agents;
    VEC(struct rv3_stream) streams;
    VEC(uint32_t) symbols;  /* slot -> symbol of the trace, or NO_INDEX */
    VEC(uint32_t) counters; /* slot -> counter of the trace, or NO_INDEX */
    struct idmap stream_slots;
    struct launches launches;
    struct rv3_links kernel_links, copy_links, alloc_links;
    struct kernels counted; /* dispatches that have counters, traced or not */
    struct rv3_links counted_links;
    size_t first_kernel, first_copy, first_alloc, first_region, first_counter, first_pc_sample;
};

/* Members left at RV3_NO_ID are not known. */
struct rv3_kernel {
    uint32_t process, agent, symbol, operation; /* agent and symbol: slots */
    int64_t start_ns, end_ns;
    uint64_t dispatch, correlation, thread, queue, stream;
    struct launch launch;
};

struct rv3_copy {
    uint32_t process, src, dst, operation; /* src and dst: agent slots */
    int64_t start_ns, end_ns;
    uint64_t correlation, thread, stream, bytes;
    enum copy_kind kind; /* as the record's name says; see copy_kind_said() */
};

struct rv3_alloc {
    uint32_t process, agent, operation;
    int64_t start_ns, end_ns;
    uint64_t correlation, thread, bytes, address;
    enum alloc_op op;
    enum alloc_level level;
};

void rv3_init(struct rv3_build *b, struct trace *t, uint32_t file, struct arena *owner);

/* Adds a process to the trace; its number in the build. */
uint32_t rv3_process(struct rv3_build *b, const struct process *p);
uint32_t rv3_thread(struct rv3_build *b, uint32_t process, uint64_t tid); /* in the trace */

/* Slots, of what the process calls by this id. NO_INDEX for RV3_NO_ID. */
uint32_t rv3_agent(struct rv3_build *b, uint32_t process, uint64_t id);
uint32_t rv3_symbol(struct rv3_build *b, uint32_t process, uint64_t id);
uint32_t rv3_counter(struct rv3_build *b, uint32_t process, uint64_t id);

/* What a slot is; g is NULL unless it is a GPU. A second description is ignored. */
void rv3_describe_agent(struct rv3_build *b, uint32_t slot, enum agent_type type, int64_t id,
                        const struct gpu *g);
/* `name` as the file has it, mangled or not; the names of the model are made from it. */
void rv3_describe_symbol(struct rv3_build *b, uint32_t slot, const struct symbol *s,
                         const char *name);
void rv3_describe_counter(struct rv3_build *b, uint32_t slot, const struct counter_info *c);

void rv3_add_kernel(struct rv3_build *b, const struct rv3_kernel *k);
/* For those who know how many come, once all calls are there: their room is cut to what they need. */
void rv3_room_for(struct rv3_build *b, size_t kernels, size_t copies);

/* Gives back what was reserved for rows that did not come: between parts of the file. */
void rv3_trim(struct rv3_build *b);
void rv3_add_copy(struct rv3_build *b, const struct rv3_copy *c);
void rv3_add_alloc(struct rv3_build *b, const struct rv3_alloc *a);
/* A dispatch that counters belong to; its number for rv3_add_counter(). */
uint32_t rv3_counted(struct rv3_build *b, const struct rv3_kernel *k);
void rv3_add_counter(struct rv3_build *b, uint32_t counted, uint32_t counter, uint32_t instance,
                     double value);
/* A region or marker row to fill; thread and name are final, or the reader's own business. */
size_t rv3_add_region(struct rv3_build *b, int64_t start_ns, int64_t end_ns, uint64_t id,
                      uint32_t thread);

/* Adds one to the count of records of this category. */
void rv3_count(struct rv3_build *b, uint32_t name, uint64_t count);

void rv3_finish(struct rv3_build *b);

/* What the operations of the profiler mean. */
enum alloc_op rv3_alloc_op(const char *operation);
enum alloc_level rv3_alloc_level(const char *operation);

#endif
