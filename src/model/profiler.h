/*
 * The profilers whose commands we write and run.
 */
#ifndef GS_MODEL_PROFILER_H
#define GS_MODEL_PROFILER_H

#include "model/vendor.h"

enum profiler {
    PROFILER_ROCPROFV3,
    PROFILER_ROCPROF_SYS_RUN,
    PROFILER_ROCPROF_SYS_SAMPLE,
    PROFILER_ROCPROF_COMPUTE,
    PROFILER_NSYS,
    PROFILER_NCU,
    PROFILERS
};

extern const char *const profiler_names[];  /* of their programs; NULL at the end */
const char *profiler_name(enum profiler p); /* "rocprofv3" */
enum vendor profiler_vendor(enum profiler p);

#endif
