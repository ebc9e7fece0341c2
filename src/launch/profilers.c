#include "launch/profilers.h"

#include <glob.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"
#include "base/vec.h"
#include "launch/child.h"
#include "plan/goals.h"

static const unsigned tools[PROFILERS] = {
    [PROFILER_ROCPROFV3] = TOOL_ROCPROFV3,
    [PROFILER_ROCPROF_SYS_RUN] = TOOL_ROCPROF_SYS,
    [PROFILER_ROCPROF_SYS_SAMPLE] = TOOL_ROCPROF_SYS,
    [PROFILER_ROCPROF_COMPUTE] = TOOL_ROCPROF_COMPUTE,
    [PROFILER_NSYS] = TOOL_NSYS,
    [PROFILER_NCU] = TOOL_NCU,
};

/* Where vendors install without touching PATH; the newest last, so from the end. */
static void usual_folders(struct words *out, struct arena *a)
{
    static const char *const patterns[] = {"/opt/rocm/bin",
                                           "/opt/rocm-*/bin",
                                           "/usr/local/cuda/bin",
                                           "/usr/local/cuda-*/bin",
                                           "/opt/nvidia/nsight-systems/*/bin",
                                           "/opt/nvidia/nsight-systems/*/target-linux-x64",
                                           "/opt/nvidia/nsight-compute/*"};
    for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
        glob_t g;
        if (glob(patterns[i], 0, NULL, &g) != 0)
            continue;
        for (size_t k = g.gl_pathc; k > 0; k--)
            vec_push(out, a, (const char *)arena_strdup(a, g.gl_pathv[k - 1]));
        globfree(&g);
    }
    vec_push(out, a, (const char *)NULL);
}

static void find_vendor(struct profilers *p)
{
    bool amd = access("/dev/kfd", F_OK) == 0, nvidia = access("/dev/nvidiactl", F_OK) == 0;
    unsigned of_amd = TOOL_ROCPROFV3 | TOOL_ROCPROF_SYS | TOOL_ROCPROF_COMPUTE;
    p->vendor = VENDOR_UNKNOWN;
    p->why = "no GPU and no profiler found";
    if (amd != nvidia) {
        p->vendor = amd ? VENDOR_AMD : VENDOR_NVIDIA;
        p->why = amd ? "by /dev/kfd" : "by /dev/nvidiactl";
    } else if (p->tools) {
        p->vendor = p->tools & of_amd ? VENDOR_AMD : VENDOR_NVIDIA;
        p->why = "by the profilers that are installed";
    }
}

void profilers_find(struct profilers *p, struct arena *a)
{
    struct words folders = {0};
    *p = (struct profilers){0};
    usual_folders(&folders, a);
    for (enum profiler i = 0; i < PROFILERS; i++) {
        p->path[i] = program_find(profiler_name(i), folders.v, a);
        p->tools |= p->path[i] ? tools[i] : 0;
    }
    find_vendor(p);
    for (enum profiler i = 0; i < PROFILERS; i++)
        if (p->vendor != VENDOR_UNKNOWN && profiler_vendor(i) != p->vendor)
            p->tools &= ~tools[i];
}
