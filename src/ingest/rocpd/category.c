#include <string.h>

#include "base/str.h"
#include "ingest/rocpd/rocpd.h"

/*
 * Category strings as the profilers write them: rocprofv3 in capitals (buffer kind names),
 * rocprof-sys in lower case. The first prefix that fits wins, so longer ones come first.
 */
static const struct {
    const char *prefix;
    struct category_info info;
} table[] = {
    {"HIP_RUNTIME_API", {CATEGORY_REGION, REGION_HIP, false}},
    {"HIP_COMPILER_API", {CATEGORY_REGION, REGION_HIP_COMPILER, false}},
    {"HIP_", {CATEGORY_REGION, REGION_HIP, false}},
    {"HSA_", {CATEGORY_REGION, REGION_HSA, false}},
    {"MARKER_CONTROL_API", {CATEGORY_REGION, REGION_OTHER, false}},
    {"MARKER_NAME_API", {CATEGORY_REGION, REGION_OTHER, false}},
    {"MARKER_", {CATEGORY_MARKER, REGION_OTHER, false}},
    {"RCCL_", {CATEGORY_REGION, REGION_COLLECTIVE, false}},
    {"ROCDECODE_", {CATEGORY_REGION, REGION_MEDIA, false}},
    {"ROCJPEG_", {CATEGORY_REGION, REGION_MEDIA, false}},
    {"OMPT", {CATEGORY_REGION, REGION_OPENMP, false}},
    {"KFD_", {CATEGORY_REGION, REGION_DRIVER, false}},
    {"MPI", {CATEGORY_REGION, REGION_MPI, false}},
    {"KERNEL_DISPATCH", {CATEGORY_DEVICE, REGION_OTHER, false}},
    {"MEMORY_", {CATEGORY_DEVICE, REGION_OTHER, false}},
    {"SCRATCH_MEMORY", {CATEGORY_DEVICE, REGION_OTHER, false}},
    {"rocm_hip_api", {CATEGORY_REGION, REGION_HIP, true}},
    {"rocm_hip_compiler", {CATEGORY_REGION, REGION_HIP_COMPILER, true}},
    {"rocm_hip", {CATEGORY_REGION, REGION_HIP, true}},
    {"rocm_hsa", {CATEGORY_REGION, REGION_HSA, true}},
    {"rocm_marker", {CATEGORY_MARKER, REGION_OTHER, true}},
    {"rocm_rccl", {CATEGORY_REGION, REGION_COLLECTIVE, true}},
    {"rocm_rocdecode", {CATEGORY_REGION, REGION_MEDIA, true}},
    {"rocm_rocjpeg", {CATEGORY_REGION, REGION_MEDIA, true}},
    {"rocm_ompt", {CATEGORY_REGION, REGION_OPENMP, true}},
    {"rocm_kfd", {CATEGORY_REGION, REGION_DRIVER, true}},
    {"rocm_kernel_dispatch", {CATEGORY_DEVICE, REGION_OTHER, true}},
    {"rocm_memory", {CATEGORY_DEVICE, REGION_OTHER, true}},
    {"rocm_scratch", {CATEGORY_DEVICE, REGION_OTHER, true}},
    {"rocm_counter_collection", {CATEGORY_SERIES, REGION_OTHER, true}},
    {"amd_smi", {CATEGORY_SERIES, REGION_OTHER, true}},
    {"cpu_freq", {CATEGORY_SERIES, REGION_OTHER, true}},
    {"cpu_load", {CATEGORY_SERIES, REGION_OTHER, true}},
    {"process_", {CATEGORY_SERIES, REGION_OTHER, true}},
    {"thread_", {CATEGORY_SERIES, REGION_OTHER, true}},
    {"timer_sampling", {CATEGORY_UNKNOWN, REGION_OTHER, true}},
    {"overflow_sampling", {CATEGORY_UNKNOWN, REGION_OTHER, true}},
    {"mpi", {CATEGORY_REGION, REGION_MPI, true}},
    {"shmem", {CATEGORY_REGION, REGION_MPI, true}},
    {"ucx", {CATEGORY_REGION, REGION_MPI, true}},
    {"pthread", {CATEGORY_REGION, REGION_OS, true}},
    {"kokkos", {CATEGORY_REGION, REGION_USER, true}},
    {"python", {CATEGORY_REGION, REGION_PYTHON, true}},
    {"user", {CATEGORY_REGION, REGION_USER, true}},
    {"host", {CATEGORY_REGION, REGION_USER, true}},
};

struct category_info category_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_starts(name, table[i].prefix))
            return table[i].info;
    return (struct category_info){CATEGORY_UNKNOWN, REGION_OTHER, false};
}
