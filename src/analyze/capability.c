#include "analyze/capability.h"

#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "model/kernel_role.h"

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

/* ---- whether a capture could bring what is absent ---- */

static bool always(const struct trace *t)
{
    (void)t;
    return true;
}

/* A name among the calls of the runtime. */
static bool calls(const struct trace *t, const char *part)
{
    struct arena *temporary = arena_scratch();
    uint8_t *seen = arena_array(temporary, uint8_t, t->strings.n + 1);
    bool found = false;
    for (size_t i = 0; i < t->regions.n && !found; i++) {
        uint32_t name = t->regions.name[i];
        if (name >= t->strings.n || seen[name])
            continue;
        seen[name] = 1;
        found = str_has_fold(trace_str(t, name), part);
    }
    arena_release(temporary);
    return found;
}

/* Where calls are recorded and none of them copies, there is nothing to capture. */
static bool may_copy(const struct trace *t)
{
    return !has_api(t) || calls(t, "memcpy");
}

static bool may_allocate(const struct trace *t)
{
    return !has_api(t) || calls(t, "alloc");
}

/* Kernels reach a GPU by the runtime's launches, or by HSA, which has no call for it. */
static bool runs_kernels(const struct trace *t)
{
    return t->kernels.n || !has_kind(t, REGION_HIP) || calls(t, "launch");
}

/* Both sides are there: the same capture in the same format would not link them either. */
static bool may_link(const struct trace *t)
{
    if (!t->kernels.n || !has_api(t))
        return runs_kernels(t);
    enum trace_format f = t->files.n ? t->files.v[0].format : TRACE_UNKNOWN;
    return f != TRACE_ROCPD && f != TRACE_NSYS && f != TRACE_KINETO;
}

static bool starts_with_mpi(const char *command)
{
    static const char *const launchers[] = {"mpirun", "mpiexec", "srun", "orterun", "jsrun"};
    size_t n = strcspn(command, " ");
    while (n && memchr(command, '/', n)) {
        size_t folder = strcspn(command, "/") + 1;
        command += folder;
        n -= folder;
    }
    for (size_t i = 0; i < ARRAY_LEN(launchers); i++)
        if (n == strlen(launchers[i]) && !memcmp(command, launchers[i], n))
            return true;
    return false;
}

/* Signs of MPI: its launcher, or the variables it gives to its ranks. "RANK" is torchrun's. */
static bool may_use_mpi(const struct trace *t)
{
    static const char *const signs[] = {"OMPI_", "PMI", "MV2_", "SLURM_", "MPI"};
    for (size_t p = 0; p < t->processes.n; p++) {
        const struct process *v = &t->processes.v[p];
        if (starts_with_mpi(trace_str(t, v->command)))
            return true;
        for (size_t i = 0; v->rank >= 0 && v->rank_source && i < ARRAY_LEN(signs); i++)
            if (str_starts(v->rank_source, signs[i]))
                return true;
    }
    return false;
}

/* Each name once: the symbols of many processes share theirs. */
static bool may_collect(const struct trace *t)
{
    struct arena *temporary = arena_scratch();
    bool *seen = arena_array(temporary, bool, t->strings.n + 1), found = false;
    for (size_t i = 0; i < t->symbols.n && !found; i++) {
        bool *name = &seen[t->symbols.v[i].name];
        found = !*name && kernel_role_of(trace_str(t, t->symbols.v[i].name)) == ROLE_COLLECTIVE;
        *name = true;
    }
    arena_release(temporary);
    return found;
}

/* %s is the program and its arguments. Every command brings all that its answer needs. */
static const struct {
    const char *key;
    bool (*present)(const struct trace *t);
    bool (*wanted)(const struct trace *t); /* of one that is not present */
    const char *answers, *lacking, *amd, *nvidia;
} table[CAPABILITIES] = {
    [CAPABLE_KERNELS] = {"kernels", has_kernels, runs_kernels,
                         "which kernels take the GPU time, and when the GPU is idle",
                         "nothing about the GPU's own time", "rocprofv3 --kernel-trace -- %s",
                         "nsys profile --trace=cuda %s"},
    [CAPABLE_API] = {"api", has_api, always, "what the host was doing while the GPU was idle",
                     "why the GPU is idle: launches, synchronisation, allocation",
                     "rocprofv3 --hip-trace --kernel-trace -- %s", "nsys profile --trace=cuda %s"},
    [CAPABLE_LINKS] = {"launch_links", has_links, may_link,
                       "launch latency and queue delay of each kernel",
                       "launch latency, and which call launched a kernel",
                       "rocprofv3 --hip-trace --kernel-trace --output-format rocpd -- %s",
                       "nsys profile --trace=cuda %s"},
    [CAPABLE_COPIES] = {"copies", has_copies, may_copy, "time and direction of memory copies",
                        "copies: whether data moves at the wrong time",
                        "rocprofv3 --memory-copy-trace --kernel-trace -- %s",
                        "nsys profile --trace=cuda %s"},
    [CAPABLE_COPY_SIZES] = {"copy_sizes", has_copy_sizes, has_copies,
                            "bandwidth of copies against the link", "bandwidth of copies",
                            "rocprofv3 --memory-copy-trace --output-format rocpd -- %s",
                            "nsys profile --trace=cuda %s"},
    [CAPABLE_ALLOCATIONS] = {"allocations", has_allocations, may_allocate,
                             "allocation churn and memory footprint",
                             "allocation churn and memory footprint",
                             "rocprofv3 --memory-allocation-trace --hip-trace --kernel-trace -- %s",
                             "nsys profile --trace=cuda --cuda-memory-usage=true %s"},
    [CAPABLE_MARKERS] = {"markers", has_markers, always, "time per part of the program",
                         "which part of the program is slow",
                         "rocprofv3 --marker-trace --kernel-trace --hip-trace -- %s",
                         "nsys profile --trace=cuda,nvtx %s"},
    [CAPABLE_RESOURCES] = {"resources", has_resources, has_kernels,
                           "theoretical occupancy and its limiting resource",
                           "occupancy: register use is not recorded",
                           "rocprofv3 --kernel-trace --output-format rocpd -- %s",
                           "nsys profile --trace=cuda %s"},
    [CAPABLE_COUNTERS] = {"counters", has_counters, runs_kernels,
                          "whether a kernel is bound by compute, memory or latency",
                          "why a kernel is slow",
                          "rocprofv3 --pmc GRBM_GUI_ACTIVE SQ_WAVE_CYCLES SQ_ACTIVE_INST_VALU "
                          "SQ_WAIT_ANY -- %s",
                          "ncu --set full %s"},
    [CAPABLE_TELEMETRY] = {"telemetry", has_telemetry, always, "power, clocks and load over time",
                           "throttling: power and clocks over time",
                           "ROCPROFSYS_USE_ROCPD=ON rocprof-sys-sample -- %s",
                           "nsys profile --trace=cuda --gpu-metrics-device=all %s"},
    [CAPABLE_MPI] = {"mpi", has_mpi, may_use_mpi, "time in MPI calls",
                     "waiting for other ranks in MPI",
                     "ROCPROFSYS_USE_MPIP=ON ROCPROFSYS_USE_ROCPD=ON rocprof-sys-run -- %s",
                     "nsys profile --trace=cuda,mpi %s"},
    [CAPABLE_COLLECTIVES] = {"collectives", has_collectives, may_collect,
                             "calls of the collective library", "which call started a collective",
                             "rocprofv3 --rccl-trace --kernel-trace -- %s",
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

/*
 * The recorded command has lost its quoting: where it is not plain words, it is not repeated. Some
 * formats only have a name for a row of their timeline, which nobody can run.
 */
const char *trace_own_command(const struct trace *t, struct arena *a)
{
    const struct process *first = t->processes.n ? &t->processes.v[0] : NULL;
    const char *command = first && !first->only_named ? trace_str(t, first->command) : "";
    for (const char *p = command; *p;) {
        size_t n = strcspn(p, " ");
        if (n && !plain_word(p, n))
            return NULL;
        p += n + strspn(p + n, " ");
    }
    return *command && strlen(command) < 200 ? arena_strdup(a, command) : NULL;
}

const char *trace_command(const struct trace *t, struct arena *a)
{
    const char *own = trace_own_command(t, a);
    return own ? own : "./app";
}

void capabilities_find(struct capabilities *out, const struct trace *t, struct arena *a)
{
    const char *program = trace_command(t, a);
    bool nvidia = trace_vendor(t) == VENDOR_NVIDIA;
    for (enum capability_id i = 0; i < CAPABILITIES; i++) {
        const char *command = nvidia ? table[i].nvidia : table[i].amd;
        const char *hole = strstr(command, "%s");
        struct capability c = {
            .id = i,
            .key = table[i].key,
            .present = table[i].present(t),
            .answers = table[i].answers,
            .lacking = table[i].lacking,
            .command = arena_printf(a, "%.*s%s", (int)(hole - command), command, program),
        };
        c.wanted = !c.present && table[i].wanted(t);
        vec_push(out, a, c);
    }
}

void capabilities_words(struct capabilities *out, enum vendor vendor, struct arena *a)
{
    struct trace *none = arena_new(a, struct trace);
    vec_push(&none->gpus, a, ((struct gpu){.vendor = vendor}));
    capabilities_find(out, none, a);
}

const char *capability_key(enum capability_id id)
{
    return table[id].key;
}

bool capability_has(const struct capabilities *c, enum capability_id id)
{
    return id < c->n && c->v[id].present;
}
