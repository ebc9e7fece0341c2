#include "convert/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct converter *const converters[] = {
#define CONVERTER(name) &converter_##name,
#include "convert/converters.def"
#undef CONVERTER
    NULL,
};

const struct converter *converter_find(const char *name)
{
    for (size_t i = 0; converters[i]; i++)
        if (str_eq(name, converters[i]->name) ||
            (converters[i]->other && str_eq(name, converters[i]->other)))
            return converters[i];
    return NULL;
}

const struct converter *converter_by_extension(const char *path)
{
    const struct converter *best = NULL;
    for (size_t i = 0; converters[i]; i++) {
        const char *e = converters[i]->extension;
        if (e && str_ends(path, e) && (!best || strlen(e) > strlen(best->extension)))
            best = converters[i];
    }
    return str_ends(path, ".perfetto-trace") ? &converter_pftrace : best;
}

const char *conversion_path(struct conversion *c, const char *ends)
{
    const char *path = c->path ? c->path : arena_printf(c->set->arena, "%s%s", c->base, ends);
    vec_push(&c->written, c->set->arena, path);
    return path;
}

const char *conversion_kernel_name(const struct conversion *c, size_t kernel)
{
    const struct trace *t = c->trace;
    uint32_t rename = t->launches.v[kernels_launch_at(t, kernel)].rename;
    return trace_str(
        t, c->o->kernel_rename && rename ? rename : t->symbols.v[t->kernels.symbol[kernel]].name);
}

/* Of numbers of a process: nodes, types of agents. */
static uint64_t process_key(uint32_t process, uint32_t number)
{
    return (uint64_t)process << 32 | number;
}

/* Places of agents: files may list many, so they are counted once. */
static void prepare_agents(struct conversion *c)
{
    const struct trace *t = c->trace;
    struct idmap typed;
    idmap_init(&typed, c->arena);
    trace_map_agents(t, &c->agent_of, c->arena);
    c->agent_place = arena_array(c->arena, int64_t, t->agents.n + 1);
    c->agent_type_place = arena_array(c->arena, int64_t, t->agents.n + 1);
    for (uint32_t i = 0; i < t->agents.n; i++) {
        const struct agent *a = &t->agents.v[i];
        uint64_t type = process_key(a->process, (uint32_t)a->type);
        uint32_t of_type = idmap_get(&typed, type);
        of_type = of_type == NO_INDEX ? 0 : of_type;
        c->agent_type_place[i] = of_type;
        idmap_put(&typed, type, of_type + 1);
    }
}

/* The driver's numbers, where they tell the agents of a process apart; else ours. */
static void prepare_nodes(struct conversion *c)
{
    const struct trace *t = c->trace;
    struct idmap seen;
    uint8_t *clash = arena_array(c->arena, uint8_t, t->processes.n + 1);
    idmap_init(&seen, c->arena);
    c->agent_node = arena_array(c->arena, int64_t, t->agents.n + 1);
    for (uint32_t i = 0; i < t->agents.n; i++) {
        const struct agent *a = &t->agents.v[i];
        int64_t node = a->gpu != NO_INDEX ? t->gpus.v[a->gpu].node_id : a->id;
        uint64_t key = process_key(a->process, (uint32_t)node);
        c->agent_node[i] = node;
        if (node < 0 || node > INT32_MAX || idmap_get(&seen, key) != NO_INDEX)
            clash[a->process] = 1;
        idmap_put(&seen, key, i);
    }
    for (uint32_t i = 0; i < t->agents.n; i++) { /* GPUs alike in all processes, hosts behind */
        const struct agent *a = &t->agents.v[i];
        if (clash[a->process])
            c->agent_node[i] =
                a->gpu != NO_INDEX ? (int64_t)a->gpu : (int64_t)t->gpus.n + c->agent_type_place[i];
    }
}

struct placed {
    int64_t node;
    uint32_t process, agent;
};

static int by_node(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->agent > y->agent) - (x->agent < y->agent);
}

/* Logical numbers follow the driver's, as AMD's do: readers take either for the other. */
static void prepare_places(struct conversion *c)
{
    const struct trace *t = c->trace;
    struct placed *v = arena_array(c->arena, struct placed, t->agents.n + 1);
    for (uint32_t i = 0; i < t->agents.n; i++)
        v[i] = (struct placed){c->agent_node[i], t->agents.v[i].process, i};
    qsort(v, t->agents.n, sizeof(*v), by_node);
    for (uint32_t i = 0, first = 0; i < t->agents.n; i++) {
        first = i && v[i].process == v[i - 1].process ? first : i;
        c->agent_place[v[i].agent] = i - first;
    }
}

/* Ids of AMD's profilers are unique among all calls of a process; others have several counters. */
static bool needs_own_ids(const struct trace *t)
{
    for (size_t i = 0; i < t->files.n; i++)
        if (!trace_by_rocprofv3(&t->files.v[i]))
            return true;
    return false;
}

bool convert_write(const struct converter *w, struct conversion *c, struct gs_error *err)
{
    c->arena = arena_scratch();
    prepare_agents(c);
    prepare_nodes(c);
    prepare_places(c);
    c->own_ids = needs_own_ids(c->trace);
    bool ok = w->write(c, err);
    arena_release(c->arena);
    c->arena = NULL;
    return ok;
}

uint32_t conversion_agent(const struct conversion *c, uint32_t process, uint32_t gpu)
{
    return trace_agent_of(&c->agent_of, process, gpu);
}

int64_t agent_number(const struct conversion *c, uint32_t agent)
{
    const struct agent *a = &c->trace->agents.v[agent];
    if (c->o->agent_index == AGENT_ABSOLUTE)
        return c->agent_node[agent];
    if (c->o->agent_index == AGENT_RELATIVE)
        return c->agent_place[agent];
    return a->gpu != NO_INDEX ? c->trace->gpus.v[a->gpu].index : c->agent_type_place[agent];
}

void agent_label(const struct conversion *c, uint32_t agent, char *out, size_t n)
{
    *out = 0;
    if (agent >= c->trace->agents.n)
        return;
    const char *word = "Agent";
    if (c->o->agent_index == AGENT_TYPE_RELATIVE)
        word = c->trace->agents.v[agent].type == AGENT_GPU ? "GPU" : "CPU";
    snprintf(out, n, "%s %lld", word, (long long)agent_number(c, agent));
}

const char *copy_operation(enum copy_kind kind)
{
    static const char *const words[COPY_KINDS] = {
        [COPY_UNKNOWN] = "MEMORY_COPY_NONE",
        [COPY_H2D] = "MEMORY_COPY_HOST_TO_DEVICE",
        [COPY_D2H] = "MEMORY_COPY_DEVICE_TO_HOST",
        [COPY_D2D] = "MEMORY_COPY_DEVICE_TO_DEVICE",
        [COPY_P2P] = "MEMORY_COPY_DEVICE_TO_DEVICE",
        [COPY_H2H] = "MEMORY_COPY_HOST_TO_HOST",
        [COPY_SET] = "MEMSET",
    };
    return kind < COPY_KINDS ? words[kind] : words[COPY_UNKNOWN];
}

const char *alloc_operation(enum alloc_op op, enum alloc_level level)
{
    static const char *const words[3][4] = {
        {"MEMORY_ALLOCATION_ALLOCATE", "MEMORY_ALLOCATION_FREE", "MEMORY_ALLOCATION_REALLOC",
         "MEMORY_ALLOCATION_RECLAIM"},
        {"MEMORY_ALLOCATION_VMEM_ALLOCATE", "MEMORY_ALLOCATION_VMEM_FREE",
         "MEMORY_ALLOCATION_VMEM_REALLOC", "MEMORY_ALLOCATION_VMEM_RECLAIM"},
        {"SCRATCH_MEMORY_ALLOC", "SCRATCH_MEMORY_FREE", "SCRATCH_MEMORY_REALLOC",
         "SCRATCH_MEMORY_ASYNC_RECLAIM"},
    };
    return words[level > LEVEL_SCRATCH ? 0 : level][op > ALLOC_RECLAIM ? 0 : op];
}

const char *region_category(enum region_kind kind, const char *name)
{
    static const char *const words[REGION_KINDS] = {
        [REGION_OTHER] = "OTHER",
        [REGION_HIP] = "HIP_RUNTIME_API_EXT",
        [REGION_HIP_COMPILER] = "HIP_COMPILER_API_EXT",
        [REGION_HSA] = "HSA_CORE_API",
        [REGION_COLLECTIVE] = "RCCL_API",
        [REGION_MPI] = "MPI",
        [REGION_OPENMP] = "OMPT",
        [REGION_OS] = "pthread",
        [REGION_MEDIA] = "ROCDECODE_API_EXT",
        [REGION_DRIVER] = "KFD_EVENTS",
        [REGION_USER] = "user",
        [REGION_PYTHON] = "python",
    };
    if (kind == REGION_HSA && str_starts(name, "hsa_amd_"))
        return "HSA_AMD_EXT_API";
    if (kind == REGION_MEDIA && str_starts(name, "rocJpeg"))
        return "ROCJPEG_API";
    return kind < REGION_KINDS ? words[kind] : words[REGION_OTHER];
}

const char *region_word(enum region_kind kind)
{
    static const char *const words[REGION_KINDS] = {
        [REGION_OTHER] = "other",
        [REGION_HIP] = "hip_api",
        [REGION_HIP_COMPILER] = "hip_compiler_api",
        [REGION_HSA] = "hsa_api",
        [REGION_COLLECTIVE] = "rccl_api",
        [REGION_MPI] = "mpi",
        [REGION_OPENMP] = "openmp",
        [REGION_OS] = "os_api",
        [REGION_MEDIA] = "rocdecode_api",
        [REGION_DRIVER] = "kfd_events",
        [REGION_USER] = "user",
        [REGION_PYTHON] = "python",
    };
    return kind < REGION_KINDS ? words[kind] : words[REGION_OTHER];
}

struct counter_index *counter_index_make(const struct trace *t, struct arena *a)
{
    const struct counters *c = &t->counters;
    if (!c->n)
        return NULL;
    struct counter_index *x = arena_new(a, struct counter_index);
    size_t kinds = t->counter_infos.n;
    uint32_t *at = arena_array(a, uint32_t, kinds + 2), *sorted = arena_array(a, uint32_t, c->n);
    x->of = arena_array(a, uint32_t, t->kernels.n + 2);
    x->rows = arena_array(a, uint32_t, c->n);
    /* Stable, first by counter and then by kernel: each kernel's rows come out by counter. */
    for (size_t i = 0; i < c->n; i++)
        at[c->counter[i] + 1]++;
    for (size_t k = 0; k < kinds; k++)
        at[k + 1] += at[k];
    for (size_t i = 0; i < c->n; i++)
        sorted[at[c->counter[i]]++] = (uint32_t)i;
    for (size_t i = 0; i < c->n; i++)
        if (c->kernel[i] < t->kernels.n)
            x->of[(size_t)c->kernel[i] + 2]++;
    for (size_t k = 0; k < t->kernels.n; k++)
        x->of[k + 2] += x->of[k + 1];
    for (size_t i = 0; i < c->n; i++)
        if (c->kernel[sorted[i]] < t->kernels.n)
            x->rows[x->of[c->kernel[sorted[i]] + 1]++] = sorted[i];
    return x;
}
