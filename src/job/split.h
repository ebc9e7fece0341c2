/*
 * Split: the traces of the processes in a trace, one at a time.
 *
 * A trace of its own is what one process can be analyzed in at a cost that goes with its own rows:
 * an analysis takes time and memory for every thread, name and GPU of the trace it is given. All
 * together cost what the whole trace does once.
 *
 *     struct owners owners;
 *     struct split s;
 *     owners_find(&owners, trace, arena);
 *     split_init(&s, &owners, arena);
 *     for (uint32_t p = 0; p < trace->processes.n; p++) {
 *         struct trace one;
 *         trace_init(&one);
 *         split_take(&s, p, &one);            the only process of it, with number 0
 *         ...
 *         trace_release(&one);                before the whole trace: names are shared
 *     }
 *
 * It holds what is the process's beyond doubt and what ranks are made of: kernels, copies, calls,
 * markers, messages and telemetry, with their threads, streams, GPUs, symbols and launches, in the
 * order of the whole trace. Rows of no process (owners.h), agents, queues, allocations, counters and
 * samples are left out.
 *
 * Thread-safety: a split belongs to one thread.
 */
#ifndef GS_JOB_SPLIT_H
#define GS_JOB_SPLIT_H

#include "base/sort.h"
#include "job/owners.h"

struct split_rows {
    struct row_groups of; /* by process */
    uint32_t *place;      /* by row: its place among those of its process; NO_INDEX: of none */
};

/* Things that several processes may use, numbered anew for each. */
struct split_map {
    uint32_t *to; /* by number in the whole trace; NO_INDEX: not used by this process */
    size_t n;
    VEC(uint32_t) used;
};

struct split {
    const struct trace *t;
    const struct owners *owners;
    struct arena *arena;
    struct split_rows kernels, copies, regions, markers, messages, telemetry, threads, streams,
        series;
    struct split_map strings, symbols, launches, gpus;
};

void split_init(struct split *s, const struct owners *o, struct arena *arena);
void split_take(struct split *s, uint32_t process, struct trace *out);

/* After split_take(): the number of a GPU in the trace that was taken, or NO_INDEX. */
uint32_t split_gpu(const struct split *s, uint32_t gpu);

#endif
