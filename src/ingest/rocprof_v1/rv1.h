/*
 * The reader of rocprof, the older profiler, and of its second version, inside. A capture is
 *
 * - results.csv, by any name: a row a dispatch, a column a counter (results.c);
 * - the lines it keeps while it runs ('rocprof -t DIR'): hip_api_trace.txt, hsa_api_trace.txt,
 *   hcc_ops_trace.txt, async_copy_trace.txt, roctx_trace.txt and results.txt in one folder, with
 *   '123_' before the name where there are several processes (lines.c);
 * - the same of rocprofv2 as CSV, hip_api_trace_123.csv and so on (rows.c).
 *
 * Calls are read first, since names and streams of the work they launch stand there. Where work was
 * recorded on two levels (HIP and HSA), the upper one is kept: it is the same work.
 */
#ifndef GS_INGEST_ROCPROF_V1_RV1_H
#define GS_INGEST_ROCPROF_V1_RV1_H

#include "base/csv.h"
#include "ingest/ingest.h"
#include "ingest/rocprofv3/build.h"

/* What a call says about the work it launches. */
struct rv1_launch {
    uint32_t kernel; /* string, 0: none */
    uint64_t stream, bytes;
    uint64_t thread;
};

/* A marker that began. */
struct rv1_open {
    uint64_t process, thread, id;
    int64_t start_ns;
    uint32_t name;
};

struct rv1 {
    struct rv3_build build;
    struct trace *trace;
    struct arena *arena;
    struct progress *progress;
    struct idmap processes; /* pid -> process of the build */
    struct idmap calls;     /* process and correlation -> launches */
    VEC(struct rv1_launch) launches;
    VEC(struct rv1_open) open;
    struct idmap
        counts; /* process and kind of call -> calls so far, of files without correlation */
    VEC(uint64_t) counted;
    uint64_t no_time, dispatches, bad, barriers, unmatched, lower, markers;
    bool has_ops, has_copies; /* work of the upper level */
};

/* Numbers that the profiler gives, to those of the build. RV3_NO_ID: the first process. */
uint32_t rv1_process(struct rv1 *r, uint64_t pid);
uint32_t rv1_agent(struct rv1 *r, uint32_t process, uint64_t gpu);
uint32_t rv1_symbol(struct rv1 *r, uint32_t process, const char *name, size_t n,
                    const struct symbol *resources);

/* Records, whatever they were written as. RV3_NO_ID where something is not known. */
struct rv1_call {
    uint64_t pid, tid, correlation;
    int64_t start_ns, end_ns;
    const char *name, *kernel;
    size_t name_n, kernel_n;
    uint64_t stream, bytes;
};
void rv1_add_call(struct rv1 *r, const struct rv1_call *c);

struct rv1_op {
    uint64_t pid, correlation, gpu, queue;
    int64_t start_ns, end_ns;
    const char *name;
    size_t n;
    bool is_kernel; /* the name is that of a kernel; else of what is done */
};
void rv1_add_op(struct rv1 *r, const struct rv1_op *op);
void rv1_add_lower_copy(struct rv1 *r, const struct rv1_op *op);

/* roctx: 0 mark, 1 push, 2 pop, 3 start, 4 stop. */
struct rv1_mark {
    uint64_t pid, tid, id;
    unsigned what;
    int64_t time_ns;
    const char *text;
    size_t n;
};
void rv1_add_mark(struct rv1 *r, const struct rv1_mark *m);
void rv1_close_marks(struct rv1 *r); /* of what never ended */

/* Readers of one file each, and whether the first bytes are theirs. */
bool rv1_is_results(const struct probe *p);
bool rv1_read_results(struct rv1 *r, const char *path, struct gs_error *err);
bool rv1_is_lines(const struct probe *p);
bool rv1_read_lines(struct rv1 *r, const char *path, struct gs_error *err);
bool rv1_is_rows(const struct probe *p);
bool rv1_read_rows(struct rv1 *r, const char *path, struct gs_error *err);

/* The process that the name of a file tells: "123_hip_api_trace.txt"; 0: none. */
uint64_t rv1_pid_of_name(const char *path);

#endif
