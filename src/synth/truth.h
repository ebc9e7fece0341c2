/*
 * Truth: exact totals of a generated trace, from the records themselves and by other code than the
 * analyses that are tested with it. All numbers are integers.
 *
 *     struct truth *t = truth_new(arena);
 *     synth_run(program, &options, truth_sink(t), err);
 *     truth_json(t, &text);
 *
 * What each number means is in docs/synth.md ("The truth").
 */
#ifndef GS_SYNTH_TRUTH_H
#define GS_SYNTH_TRUTH_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "synth/sink.h"

struct span {
    int64_t start, end;
};

struct spans {
    struct span *v;
    size_t n, cap;
};

struct truth_counts {
    int64_t kernels, copies, allocations, regions, samples, markers, counter_values;
    int64_t hip, hsa, rccl, mpi; /* regions and instants by category */
    int64_t arguments;
    int64_t zero_kernels, negative_kernels;
};

/* Times over one GPU, one process or the whole trace; for the latter two, sums over GPUs. */
struct truth_times {
    int64_t kernel_ns, kernel_union_ns, copy_ns, copy_union_ns, exposed_copy_ns, idle_ns;
    int64_t bytes[5]; /* by enum direction */
};

struct truth_gpu {
    int64_t kernels, copies;
    struct spans kernel_spans, copy_spans;
    struct truth_times times;
};

struct truth_process {
    struct rec_process rec;
    const char *host;
    struct truth_counts counts;
    struct truth_times times;
    struct span all, gpu_window; /* end < start: nothing there */
    VEC(struct truth_gpu) gpus;
};

struct truth_kernel {
    const char *name;
    size_t name_n;
    int64_t calls, total_ns, min_ns, max_ns;
};

struct truth *truth_new(struct arena *a);
struct sink *truth_sink(struct truth *t);

/* Results, after the run. */
size_t truth_processes(const struct truth *t);
const struct truth_process *truth_process(const struct truth *t, size_t i);
const struct truth_process *truth_total(const struct truth *t);
size_t truth_kernels(const struct truth *t);
const struct truth_kernel *truth_kernel(const struct truth *t, size_t i); /* by total, then name */
void truth_json(const struct truth *t, struct str *out);

#endif
