#include "analyze/capability.h"

#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

static bool has_kernels(const struct trace *t)
{
    return t->kernels.n;
}

static bool has_kind(const struct trace *t, enum region_kind kind)
{
    return t->regions.n && memchr(t->regions.kind, (int)kind, t->regions.n);
}

static bool has_api(const struct trace *t)
{
    return has_kind(t, REGION_HIP) || has_kind(t, REGION_HSA);
}

static bool has_links(const struct trace *t)
{
    for (size_t i = 0; i < t->kernels.n; i++)
        if (t->kernels.call[i] != NO_INDEX)
            return true;
    return false;
}

static bool has_copies(const struct trace *t)
{
    return t->copies.n;
}

static bool has_copy_sizes(const struct trace *t)
{
    for (size_t i = 0; i < t->copies.n; i++)
        if (t->copies.bytes[i] != BYTES_UNKNOWN)
            return true;
    return false;
}

static bool has_allocations(const struct trace *t)
{
    return t->allocations.n;
}

static bool has_markers(const struct trace *t)
{
    return t->markers.n;
}

static bool has_counters(const struct trace *t)
{
    return t->counters.n;
}

static bool has_telemetry(const struct trace *t)
{
    return t->telemetry.n;
}

static bool has_mpi(const struct trace *t)
{
    return has_kind(t, REGION_MPI);
}

static bool has_collectives(const struct trace *t)
{
    return has_kind(t, REGION_COLLECTIVE);
}

static bool has_resources(const struct trace *t)
{
    for (size_t i = 0; i < t->symbols.n; i++)
        if (t->symbols.v[i].vgprs)
            return true;
    return false;
}

/* %s is the program and its arguments. */
static const struct {
    const char *key;
    bool (*present)(const struct trace *t);
    const char *answers, *lacking, *amd, *nvidia;
} table[] = {
    {"kernels", has_kernels, "which kernels take the GPU time, and when the GPU is idle",
     "nothing about the GPU's own time", "rocprofv3 --kernel-trace -- %s",
     "nsys profile --trace=cuda %s"},
    {"api", has_api, "what the host was doing while the GPU was idle",
     "why the GPU is idle: launches, synchronisation, allocation", "rocprofv3 --hip-trace -- %s",
     "nsys profile --trace=cuda %s"},
    {"launch_links", has_links, "launch latency and queue delay of each kernel",
     "launch latency, and which call launched a kernel",
     "rocprofv3 --hip-trace --kernel-trace -- %s", "nsys profile --trace=cuda %s"},
    {"copies", has_copies, "time and direction of memory copies",
     "copies: whether data moves at the wrong time",
     "rocprofv3 --memory-copy-trace --kernel-trace -- %s", "nsys profile --trace=cuda %s"},
    {"copy_sizes", has_copy_sizes, "bandwidth of copies against the link", "bandwidth of copies",
     "rocprofv3 --memory-copy-trace --output-format rocpd -- %s", "nsys profile --trace=cuda %s"},
    {"allocations", has_allocations, "allocation churn and memory footprint",
     "allocation churn and memory footprint", "rocprofv3 --memory-allocation-trace -- %s",
     "nsys profile --trace=cuda --cuda-memory-usage=true %s"},
    {"markers", has_markers, "time per part of the program", "which part of the program is slow",
     "rocprofv3 --marker-trace --kernel-trace --hip-trace -- %s",
     "nsys profile --trace=cuda,nvtx %s"},
    {"resources", has_resources, "theoretical occupancy and its limiting resource",
     "occupancy: register use is not recorded",
     "rocprofv3 --kernel-trace --output-format rocpd -- %s", "nsys profile --trace=cuda %s"},
    {"counters", has_counters, "whether a kernel is bound by compute, memory or latency",
     "why a kernel is slow",
     "rocprofv3 --pmc GRBM_GUI_ACTIVE SQ_WAVE_CYCLES SQ_ACTIVE_INST_VALU SQ_WAIT_ANY -- %s",
     "ncu --set full %s"},
    {"telemetry", has_telemetry, "power, clocks and load over time",
     "throttling: power and clocks over time", "ROCPROFSYS_USE_ROCPD=ON rocprof-sys-sample -- %s",
     "nsys profile --trace=cuda --gpu-metrics-device=all %s"},
    {"mpi", has_mpi, "time in MPI calls", "waiting for other ranks in MPI",
     "ROCPROFSYS_USE_MPIP=ON ROCPROFSYS_USE_ROCPD=ON rocprof-sys-run -- %s",
     "nsys profile --trace=cuda,mpi %s"},
    {"collectives", has_collectives, "calls of the collective library",
     "which call started a collective", "rocprofv3 --rccl-trace --kernel-trace -- %s",
     "nsys profile --trace=cuda,nvtx %s"},
};

static bool plain_word(const char *s, size_t n)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
    for (size_t i = 0; i < n; i++)
        if (!s[i] || !strchr(allowed, s[i]))
            return false;
    return n > 0;
}

/* The recorded command has lost its quoting: where it is not plain words, it is not repeated. */
const char *trace_command(const struct trace *t, struct arena *a)
{
    const char *command = t->processes.n ? trace_str(t, t->processes.v[0].command) : "";
    for (const char *p = command; *p;) {
        size_t n = strcspn(p, " ");
        if (n && !plain_word(p, n))
            return "./app";
        p += n + strspn(p + n, " ");
    }
    return *command && strlen(command) < 200 ? arena_strdup(a, command) : "./app";
}

void capabilities_find(struct capabilities *out, const struct trace *t, struct arena *a)
{
    const char *program = trace_command(t, a);
    bool nvidia = trace_vendor(t) == VENDOR_NVIDIA;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        const char *command = nvidia ? table[i].nvidia : table[i].amd;
        const char *hole = strstr(command, "%s");
        struct capability c = {
            .key = table[i].key,
            .present = table[i].present(t),
            .answers = table[i].answers,
            .lacking = table[i].lacking,
            .command = arena_printf(a, "%.*s%s", (int)(hole - command), command, program),
        };
        vec_push(out, a, c);
    }
}

bool capability_has(const struct capabilities *c, const char *key)
{
    for (size_t i = 0; i < c->n; i++)
        if (str_eq(c->v[i].key, key))
            return c->v[i].present;
    return false;
}
