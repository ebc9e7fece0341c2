#include "model/profiler.h"

#include <stddef.h>

const char *const profiler_names[] = {
    [PROFILER_ROCPROFV3] = "rocprofv3",
    [PROFILER_ROCPROF_SYS_RUN] = "rocprof-sys-run",
    [PROFILER_ROCPROF_SYS_SAMPLE] = "rocprof-sys-sample",
    [PROFILER_ROCPROF_COMPUTE] = "rocprof-compute",
    [PROFILER_NSYS] = "nsys",
    [PROFILER_NCU] = "ncu",
    [PROFILERS] = NULL,
};

const char *profiler_name(enum profiler p)
{
    return profiler_names[p];
}

enum vendor profiler_vendor(enum profiler p)
{
    return p == PROFILER_NSYS || p == PROFILER_NCU ? VENDOR_NVIDIA : VENDOR_AMD;
}
