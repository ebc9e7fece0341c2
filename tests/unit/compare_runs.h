/*
 * Two runs made by hand, for tests of comparing them.
 */
#ifndef GS_TESTS_COMPARE_RUNS_H
#define GS_TESTS_COMPARE_RUNS_H

#include <math.h>

#include "compare/compare_in.h"

struct runs {
    struct arena arena;
    struct run_profile a, b;
    struct comparison c;
};

static inline struct profile_kernel *kernel(struct runs *r, struct run_profile *p, const char *name,
                                            uint64_t calls, double ns, double error)
{
    struct profile_kernel k = {
        .name = name,
        .short_name = name,
        .category = ROLE_OTHER,
        .calls = calls,
        .total_duration_ns = (int64_t)((double)calls * ns),
        .avg_duration_ns = ns,
        .std_dev_ns = error * 1e6, /* outliers: the middle half is taken */
        .median_ns = (int64_t)ns,
        .typical_ns = ns,
        .error_ns = error,
        .work_items = 1024,
        .grid = "1024x1x1",
        .occupancy_pct = NAN,
    };
    vec_push(&p->kernels, &r->arena, k);
    p->cause_ns[CAUSE_COMPUTE] += k.total_duration_ns;
    p->breakdown.kernel_sum_ns += k.total_duration_ns;
    p->breakdown.window_ns += k.total_duration_ns;
    return &p->kernels.v[p->kernels.n - 1];
}

static inline void start(struct runs *r)
{
    *r = (struct runs){0};
    arena_init(&r->arena);
    struct run_profile *both[] = {&r->a, &r->b};
    for (int i = 0; i < 2; i++) {
        struct profile_gpu g = {"AMD Instinct MI300X", "gfx942", VENDOR_AMD, 304, 2100};
        both[i]->label = i ? "b" : "a";
        both[i]->has_gaps = true;
        both[i]->breakdown.gpu_count = 1;
        vec_push(&both[i]->gpus, &r->arena, g);
        vec_push(&both[i]->capabilities, &r->arena, ((struct profile_capability){"api", true}));
    }
}

static inline void run(struct runs *r)
{
    compare(&r->c, &r->a, &r->b, &r->arena);
}

static inline void set_idle(struct run_profile *p, uint64_t gaps, double mean, double spread)
{
    p->cause_ns[CAUSE_SYNC] = (int64_t)((double)gaps * mean);
    p->gap_count[CAUSE_SYNC] = gaps;
    p->gap_sq[CAUSE_SYNC] = (double)gaps * (mean * mean + spread * spread);
}

#endif
