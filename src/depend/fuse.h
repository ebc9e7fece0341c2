/*
 * Kernels that could be one: chains of elementwise kernels, and the kernels of an optimizer that
 * works on one tensor at a time.
 *
 *     struct fusable f;
 *     fuse_find(&f, view, FUSE_CHAINS, NULL, false, temporary);
 *     f.kernels, f.saved_ns                  // for findings
 *
 *     float *share = ...;                    // by kernels row, all 1
 *     fuse_find(&f, view, FUSE_OPTIMIZER, share, cautious, temporary);
 *     share[row]                             // of its time; 0: part of the one before it
 */
#ifndef GS_DEPEND_FUSE_H
#define GS_DEPEND_FUSE_H

#include "analyze/view.h"

/* Bits: what is fused. */
enum fuse_what { FUSE_CHAINS = 1, FUSE_OPTIMIZER = 2 };

/* Kernels that become one. */
struct fuse_group {
    uint32_t first, last; /* kernels rows */
    uint32_t n;
    int64_t ns; /* their time */
};

struct fusable {
    uint64_t groups, kernels, names; /* names: of an optimizer's kernels, the common ones */
    uint64_t steps;                  /* of an optimizer */
    int64_t ns, saved_ns;            /* time of the kernels, and what of it goes */
    double moving_ns;                /* of chains: time that only moves data which stays in
                                        registers then */
    struct fuse_group longest;
};

/* `share` may be NULL; the likely shares, or with `cautious` those of the bad side. */
void fuse_find(struct fusable *out, const struct view *v, unsigned what, float *share,
               bool cautious, struct arena *temporary);

#endif
