/*
 * The summary of a trace: what `gpusight summary` shows, in the words and units of PerfAdvisor's
 * first stage, with its mistakes corrected. Several GPUs are never merged: times are unions
 * per GPU, summed, and shares are of span x GPUs.
 */
#ifndef GS_ANALYZE_SUMMARY_H
#define GS_ANALYZE_SUMMARY_H

#include "analyze/analysis.h"

struct kernel_summary {
    const struct hotspot *hotspot;
    double registers, lds_bytes; /* means over dispatches; NaN: not recorded */
    double wave_fill;            /* threads of a dispatch / threads the GPU holds, at most 1 */
    double mean_launch_ns, max_launch_ns; /* launch latency; NaN: no dispatch is linked */
};

/* Numbers a device has; NaN where not known. */
struct device_summary {
    const char *vendor, *host, *name, *arch, *capability;
    int32_t index;
    double cu_count, threads_per_cu, peak_gbps, memory_gib, l2_mib, group_threads, group_registers;
    double group_lds_kib, group_lds_optin_kib, clock_mhz;
    double utilization_pct; /* kernels, of the window */
};

struct summary;

/* A phase, and the summary of that part of the run; its list of phases is empty. */
struct phase_summary {
    const struct phase_row *row;
    const struct summary *summary;
};

struct summary {
    const struct analysis *a;
    VEC(struct kernel_summary) kernels;
    VEC(struct device_summary) devices;
    VEC(const struct api_row *) mpi;
    VEC(const struct marker_row *) markers;
    int64_t sync_ns; /* union over threads of synchronising calls */
    int64_t gap_ns;  /* sum of gaps between work */
    VEC(struct phase_summary) phases;
};

/* Without phases: they are added by summary_phases(). */
void summary_make(struct summary *s, const struct analysis *a, struct arena *arena);
void summary_phases(struct summary *s, struct arena *arena);
/* Only its markers. */
void summary_markers(struct summary *s, const struct analysis *a, struct arena *arena);

#endif
