/*
 * The rocprofv3 JSON writer, inside. rocprofv3_json.c is the sink, ..._file.c opens and closes the
 * files, ..._info.c writes what stands before the records, ..._rows.c the records.
 *
 * A pass of the simulator fills one array of every process's file; between passes the array is
 * closed and what lies before the next one is written.
 */
#ifndef GS_SYNTH_ROCPROFV3_JSON_IN_H
#define GS_SYNTH_ROCPROFV3_JSON_IN_H

#include <stdio.h>

#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"
#include "synth/rocprofv3_json.h"

/* Kinds of records, as places in strings.buffer_records. */
enum json_kind {
    JK_NONE,
    JK_HSA_CORE,
    JK_HSA_AMD,
    JK_HIP,
    JK_COMPILER,
    JK_MARKER,
    JK_RCCL,
    JK_KERNEL,
    JK_COPY,
    JK_ALLOC,
    JK_SCRATCH,
    JK_COUNT
};

struct jprocess {
    struct rec_process rec;
    FILE *f;
    char *path;
    struct fs_out *file; /* what becomes of it; NULL: not open */
    VEC(struct rec_agent) agents;
    VEC(int64_t) tids;
    VEC(struct rec_symbol) symbols;
    VEC(struct rec_counter_info) counters;
    bool any;                  /* the open array has an item */
    struct rec_kernel counted; /* the dispatch whose counters come now */
    int counted_symbol;
    bool counted_open, counted_any;
};

struct rv3json {
    struct sink sink; /* first: the sink is the writer */
    struct rv3json_options o;
    struct arena *arena;
    struct names *names;
    int pass;
    VEC(struct jprocess) processes;
    VEC(uint32_t) operations[JK_COUNT]; /* names, in the order of first use */
    struct idmap operation_of;          /* kind << 32 | name -> place in that list */
    struct str text;
};

/* Passes: which array is written in it. */
enum {
    PASS_INFO,
    PASS_TEXTS,
    PASS_COUNTERS,
    PASS_KERNELS,
    PASS_HIP,
    PASS_HSA,
    PASS_MARKERS,
    PASS_RCCL,
    PASS_COPIES,
    PASS_ALLOCS,
    PASS_SCRATCH,
    PASSES
};

#define AGENT_HANDLE(id) (37000 + (id))

enum json_kind rv3jsonw_kind(const struct rv3json *w, const struct rec_region *r);
uint32_t rv3jsonw_operation(struct rv3json *w, enum json_kind kind, uint32_t name);

/* The text at hand, into the file of a process. */
void rv3jsonw_put(struct rv3json *w, struct jprocess *p);

void rv3jsonw_open(struct rv3json *w);
void rv3jsonw_head(struct rv3json *w, struct jprocess *p);    /* up to the marker texts */
void rv3jsonw_symbols(struct rv3json *w, struct jprocess *p); /* from there to the counters */

void rv3jsonw_region(struct sink *s, const struct rec_region *r);
void rv3jsonw_kernel(struct sink *s, const struct rec_kernel *r);
void rv3jsonw_counter(struct sink *s, const struct rec_counter *r);
void rv3jsonw_copy(struct sink *s, const struct rec_copy *r);
void rv3jsonw_alloc(struct sink *s, const struct rec_alloc *r);
void rv3jsonw_end_counted(struct rv3json *w, struct jprocess *p);

#endif
