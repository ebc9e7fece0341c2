/*
 * PC samples: where waves were at moments of time, by kernel, instruction and source line.
 *
 * A share of samples is an estimate. Each comes with the 95 % interval of Wilson's score, which
 * holds for few samples too, and for samples that are independent; below PC_ENOUGH samples a row is
 * marked: its share means nothing yet.
 */
#ifndef GS_ANALYZE_PC_SAMPLING_H
#define GS_ANALYZE_PC_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum { PC_ENOUGH = 30 };

struct pc_stats {
    const char *method;    /* "host trap", "stochastic", "both"; NULL: no samples */
    uint64_t samples;      /* in the view, valid */
    uint64_t invalid;      /* without address and instruction: set aside */
    uint64_t outside;      /* not in the window, on the GPU or of the process asked for */
    uint64_t unattributed; /* of a dispatch that is not in the trace */
    uint64_t issued, stalled;
    double issued_pct; /* of issued + stalled; NaN with host trap */
    double mean_waves; /* on the SIMD; NaN: not recorded */
    bool enough;
};

struct pc_kernel_row {
    uint32_t rank;
    const char *kernel; /* short; NULL: not in the trace */
    uint64_t samples;
    double pct, low_pct, high_pct; /* of all samples, and its interval */
    uint64_t instructions;         /* different ones that were hit */
    double issued_pct;
    const char *top_stall;
    double top_stall_pct; /* of its samples without an issue */
    double mean_lanes;
    int64_t total_ns; /* of its dispatches in the trace */
    bool enough;
};

struct pc_instruction_row {
    uint32_t rank;
    const char *kernel;
    uint64_t code_object, offset; /* both 0: the file does not say */
    const char *instruction, *source;
    uint64_t samples;
    double pct, low_pct, high_pct;
    double pct_of_kernel;
    double issued_pct;
    const char *top_stall;
    double top_stall_pct;
    double mean_lanes;
    bool enough;
};

struct pc_line_row {
    const char *source, *kernel, *instruction; /* the instruction with most samples */
    uint64_t samples;
    double pct, low_pct, high_pct;
    double issued_pct;
    bool enough;
};

struct pc_reason_row {
    const char *state; /* "issued" or "not issued" */
    const char *what;  /* type of the instruction, or the reason */
    const char *meaning;
    uint64_t samples;
    double pct, low_pct, high_pct; /* of the samples that say whether one was issued */
    bool enough;
};

struct pc_pipe_row {
    const char *pipe;
    uint64_t issue, stall; /* samples in which the arbiter issued to it; in which it was held up */
    double stall_pct;      /* of issue + stall */
};

struct pc_sampling {
    struct pc_stats stats;
    VEC(struct pc_kernel_row) kernels;
    VEC(struct pc_instruction_row) instructions;
    VEC(struct pc_line_row) lines;
    VEC(struct pc_reason_row) reasons;
    VEC(struct pc_pipe_row) pipes;
};

/* Wilson's interval for `hits` of `n`, in percent, at 95 %. */
void pc_interval(uint64_t hits, uint64_t n, double *low_pct, double *high_pct);

#endif
