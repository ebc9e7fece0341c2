/*
 * The rocprofv3 JSON reader, inside. The document is
 *
 *     {"rocprofiler-sdk-tool": [ {process}, ... ]}
 *
 * and a process holds its description (metadata, agents, counters, strings, kernel_symbols) and its
 * records (callback_records, buffer_records). The usual order is description first, but nothing
 * promises it: records keep numbers, and rv3j_resolve() turns them into names when the process has
 * been read. Keys that are not known are skipped wherever they stand.
 */
#ifndef GS_INGEST_ROCPROFV3_JSON_JSON_H
#define GS_INGEST_ROCPROFV3_JSON_JSON_H

#include "base/jread_alike.h"
#include "base/str.h"
#include "ingest/rocprofv3/build.h"

/* The operation of a record: kind in the upper bits, as it stands in regions.name until resolved.
 */
enum { OPERATION_BITS = 20, KINDS_MAX = 1 << 11 };
#define OPERATION_MASK ((1u << OPERATION_BITS) - 1)

/* In regions.kind until resolved: this row is a marker and moves to the markers table. */
enum { KIND_MARKER = 255 };

/* In launch.rename until resolved: the place of the external id in `renames`. */
#define RENAME_LATER 0x80000000u

/* strings.buffer_records: the names of one kind of record and of its operations. */
struct kind_names {
    uint32_t name;
    VEC(uint32_t) operations;
};

/* [{"key": number, "value": text}] */
#define RV3_TEXT_COLUMNS(X)                                                                        \
    X(int64_t, key)                                                                                \
    X(uint32_t, text)
TABLE(rv3_texts, RV3_TEXT_COLUMNS);

struct pending_agent {
    uint64_t handle;
    int64_t node_id;
    enum agent_type type;
    struct gpu gpu;
};

struct pending_counter {
    uint64_t handle, agent;
    struct counter_info info;
};

/* One process while it is read. */
struct rv3j_alike {
    struct jalike like;
    uint16_t member[JALIKE_NUMBERS]; /* by number: the word of struct record it goes to */
    bool known;
    unsigned tries;
    struct jread *probe;
};

struct rv3j {
    struct rv3j_alike alike; /* records of the array at hand */
    struct rv3_build build;
    struct trace *trace;
    struct jread *j;
    uint32_t process; /* in the build: always 0 */
    VEC(struct kind_names) kinds;
    uint64_t counts[KINDS_MAX]; /* records by kind */
    struct rv3_texts marker_texts, rename_texts;
    bool strings_read;
    struct idmap rename_slots;
    VEC(uint64_t) renames;
    VEC(uint32_t) instructions, comments;
    VEC(struct pending_agent) agents;
    VEC(struct pending_counter) counters;
    struct str full_name, shown_name; /* of the symbol being read */
};

/* {"handle": N}, or N. */
uint64_t rv3j_handle(struct jread *j);
uint32_t rv3j_text(struct rv3j *r); /* the next value as a string of the trace; 0: it is none */

void rv3j_read_process(struct rv3j *r);
void rv3j_read_agents(struct rv3j *r);
void rv3j_read_strings(struct rv3j *r);
void rv3j_read_buffers(struct rv3j *r);
void rv3j_read_callbacks(struct rv3j *r);
void rv3j_read_pc_samples(struct rv3j *r);
void rv3j_read_counter_list(struct rv3j *r);

/* A record of any kind; members the record lacks are RV3_NO_ID, NO_TIME or 0. */
struct record {
    uint64_t kind, operation, thread, internal, external, agent, src, dst, queue, stream;
    uint64_t bytes, address, kernel, dispatch;
    int64_t start_ns, end_ns;
    struct launch launch;
};

extern const struct record record_blank;

/* alike.c: reads records that differ from one before them in their numbers only. */
void rv3j_alike_begin(struct rv3j *r);
bool rv3j_read_alike(struct rv3j_alike *x, struct jread *j, struct record *k);
/* After another one was read: it began at `from`, when the window ended at `end`. */
void rv3j_learn(struct rv3j_alike *x, const struct jread *j, const char *from, const char *end);

/* One key of a record, whose value is consumed. */
void rv3j_read_key(struct jread *j, struct record *k);
void rv3j_read_kernel(struct rv3j *r, const struct record *k, struct rv3_kernel *out);

/* Everything the build cannot know: names, markers, agents, counters. */
void rv3j_resolve(struct rv3j *r);

#endif
