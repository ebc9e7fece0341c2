/*
 * Theoretical occupancy: how many waves (warps) the resources of a kernel leave room for.
 *
 *     struct occupancy o;
 *     if (occupancy_of(&o, &(struct occupancy_in){.hw = hw, .group_threads = 256,
 *                                                 .registers = 128}))
 *         printf("%.0f %% (%s)\n", o.percent, o.arithmetic);     50 % (128 VGPRs → 4 waves/SIMD of
 * 8)
 *
 * It is a ceiling: what a kernel reaches also depends on its grid (see tail_of()) and its balance.
 *
 * Everything is counted per unit, the piece of hardware a work-group must fit into: an SM, a CU, or
 * on RDNA a WGP of two CUs (unless the kernel was compiled with -mcumode; traces do not tell).
 *
 * How: waves of a group go to the SIMDs in turn, the next group goes on where the last one ended,
 * so a unit holds floor(SIMDs × waves per SIMD / waves per group) groups, and a group that is
 * larger than all SIMDs together does not fit at all. Registers limit the waves per SIMD, LDS and
 * group slots the groups per unit. AMD's barrier slots count only groups of more than one wave.
 *
 * Thread-safety: all functions are pure.
 */
#ifndef GS_MODEL_OCCUPANCY_H
#define GS_MODEL_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/hardware.h"

enum occupancy_limit {
    LIMIT_NONE,        /* every wave slot can be filled */
    LIMIT_REGISTERS,   /* VGPRs, NVIDIA registers */
    LIMIT_SGPRS,       /* gfx9 only */
    LIMIT_LDS,         /* LDS, shared memory */
    LIMIT_GROUP_SIZE,  /* the group's waves do not divide the wave slots */
    LIMIT_GROUP_SLOTS, /* too many small groups */
    LIMIT_COUNT
};

/* All values as a trace reports them, per thread or work-item and per group; 0 where unknown. */
struct occupancy_in {
    const struct hardware *hw;
    int64_t group_threads;
    int64_t registers;       /* VGPRs (architectural), NVIDIA registers per thread */
    int64_t accum_registers; /* AMD accumulation VGPRs */
    int64_t sgprs;
    int64_t lds_bytes;     /* static and dynamic, per group */
    int64_t scratch_bytes; /* per thread; said in the text, limits nothing */
    int wave_size;         /* 0: the hardware's own; RDNA kernels may run 64 */
    bool cu_mode;          /* RDNA: a group stays on one CU */
};

enum { OCCUPANCY_TEXT = 256 };

struct occupancy {
    const char *unit;     /* "SM", "CU", "WGP" */
    int cus_per_unit;     /* 2 for a WGP */
    int waves_per_group;  /* of one group */
    int groups;           /* resident per unit */
    int waves, max_waves; /* per unit; percent is their ratio */
    double percent;
    enum occupancy_limit limit;
    /* Waves per unit that each resource alone would allow, not rounded to whole groups. */
    int by_registers, by_sgprs, by_lds, by_group_slots;
    char arithmetic[OCCUPANCY_TEXT]; /* "128 VGPRs → 4 waves/SIMD of 8" */
};

/*
 * False, with a zeroed result, when it cannot be said: no hardware row, no or too large a group,
 * negative values. Zero groups is an answer: the kernel could not have run as described.
 */
bool occupancy_of(struct occupancy *out, const struct occupancy_in *in);

/* "registers", "LDS or shared memory", …; for tables. */
const char *occupancy_limit_label(enum occupancy_limit limit);

/*
 * The tail: groups run in rounds of as many as the device holds, and the last round is rarely
 * full. Assumes groups of equal length. With less than one round the device is never full.
 */
struct tail {
    uint64_t groups, resident; /* in the grid; on the whole device at once */
    uint64_t rounds;
    double last_round_pct; /* how full the last round is */
    double efficiency_pct; /* groups / (rounds × resident) */
};

/* False, with a zeroed result, when nothing fits or a count is 0. */
bool tail_of(struct tail *out, const struct occupancy *o, int cu_count, uint64_t groups);

#endif
