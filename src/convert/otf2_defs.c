#include <stdio.h>
#include <string.h>

#include "convert/otf2_in.h"

OTF2_StringRef otf2_string(struct otf2_out *w, const char *text)
{
    uint64_t key = hash_bytes(text, strlen(text));
    uint32_t ref = idmap_get(&w->string_of, key);
    if (ref != NO_INDEX)
        return ref;
    ref = (uint32_t)w->strings.n;
    vec_push(&w->strings, w->arena, (const char *)arena_strdup(w->arena, text));
    idmap_put(&w->string_of, key, ref);
    return ref;
}

static OTF2_RegionRef region_named(struct otf2_out *w, const char *name, int kind)
{
    OTF2_StringRef string = otf2_string(w, name);
    uint64_t key = (uint64_t)kind << 32 | string;
    uint32_t ref = idmap_get(&w->region_of, key);
    if (ref != NO_INDEX)
        return ref;
    ref = (uint32_t)w->regions.n;
    vec_push(&w->regions, w->arena, ((struct otf2_region){string, kind}));
    idmap_put(&w->region_of, key, ref);
    return ref;
}

OTF2_RegionRef otf2_region(struct otf2_out *w, const char *name, int kind)
{
    uint64_t key = (uint64_t)(uintptr_t)name << 8 | (uint64_t)kind; /* addresses have 56 bits */
    uint32_t ref = idmap_get(&w->region_at, key);
    if (ref == NO_INDEX)
        idmap_put(&w->region_at, key, ref = region_named(w, name, kind));
    return ref;
}

void otf2_groups(struct otf2_out *w)
{
    const struct trace *t = w->t;
    idmap_init(&w->gpu_group, w->arena);
    w->process_group = arena_array(w->arena, uint32_t, t->processes.n + 1);
    for (uint32_t i = 0; i < t->processes.n; i++) {
        const struct process *p = &t->processes.v[i];
        char name[128];
        if (p->rank >= 0)
            snprintf(name, sizeof(name), "MPI Rank %d (pid %lld)", (int)p->rank, (long long)p->pid);
        else
            snprintf(name, sizeof(name), "Process %lld", (long long)p->pid);
        w->process_group[i] = (uint32_t)w->groups.n;
        vec_push(&w->groups, w->arena,
                 ((struct otf2_group){otf2_string(w, name), OTF2_LOCATION_GROUP_TYPE_PROCESS, i}));
    }
}

OTF2_LocationGroupRef otf2_gpu_group(struct otf2_out *w, uint32_t process, uint32_t gpu)
{
    uint64_t key = (uint64_t)process << 32 | gpu;
    uint32_t group = idmap_get(&w->gpu_group, key);
    char name[256];
    if (group != NO_INDEX)
        return group;
    if (gpu == NO_INDEX)
        snprintf(name, sizeof(name), "GPU ?");
    else
        snprintf(name, sizeof(name), "GPU %d%s%.200s", (int)w->t->gpus.v[gpu].index,
                 w->t->gpus.v[gpu].name ? " " : "", trace_str(w->t, w->t->gpus.v[gpu].name));
    group = (uint32_t)w->groups.n;
    vec_push(
        &w->groups, w->arena,
        ((struct otf2_group){otf2_string(w, name), OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, process}));
    idmap_put(&w->gpu_group, key, group);
    return group;
}

const char *otf2_category(int kind)
{
    switch (kind) {
    case REGION_OF_KERNEL:
        return "kernel_dispatch";
    case REGION_OF_COPY:
        return "memory_copy";
    case REGION_OF_ALLOC:
    case REGION_OF_FREE:
        return "memory_allocation";
    case REGION_OF_MARKER:
        return "marker_api";
    default:
        return region_word((enum region_kind)kind);
    }
}

static OTF2_Paradigm paradigm_of(int kind, bool cuda)
{
    switch (kind) {
    case REGION_MPI:
        return OTF2_PARADIGM_MPI;
    case REGION_OPENMP:
        return OTF2_PARADIGM_OPENMP;
    case REGION_OS:
        return OTF2_PARADIGM_PTHREAD;
    case REGION_USER:
    case REGION_PYTHON:
    case REGION_OF_MARKER:
        return OTF2_PARADIGM_USER;
    case REGION_OTHER:
        return OTF2_PARADIGM_UNKNOWN;
    default:
        return cuda ? OTF2_PARADIGM_CUDA : OTF2_PARADIGM_HIP;
    }
}

static OTF2_RegionRole role_of(int kind)
{
    return kind == REGION_OF_COPY     ? OTF2_REGION_ROLE_DATA_TRANSFER
           : kind == REGION_OF_ALLOC  ? OTF2_REGION_ROLE_ALLOCATE
           : kind == REGION_OF_FREE   ? OTF2_REGION_ROLE_DEALLOCATE
           : kind == REGION_OF_MARKER ? OTF2_REGION_ROLE_CODE
                                      : OTF2_REGION_ROLE_FUNCTION;
}

static const struct {
    const char *name, *text;
    OTF2_Type type;
} attributes[OTF2_ATTRIBUTES] = {
    [OTF2_A_CATEGORY] = {"category", "tracing category", OTF2_TYPE_STRING},
    [OTF2_A_CORRELATION] = {"corr_id", "links a call and its work", OTF2_TYPE_INT64},
    [OTF2_A_ID] = {"id", "number of the record", OTF2_TYPE_INT64},
    [OTF2_A_BYTES] = {"bytes", "size", OTF2_TYPE_UINT64},
    [OTF2_A_GRID] = {"grid_size", "work-items", OTF2_TYPE_STRING},
    [OTF2_A_WORKGROUP] = {"workgroup_size", "work-items", OTF2_TYPE_STRING},
    [OTF2_A_LDS] = {"lds_bytes", "local memory of a workgroup", OTF2_TYPE_UINT64},
    [OTF2_A_SCRATCH] = {"scratch_bytes", "private memory of a work-item", OTF2_TYPE_UINT64},
    [OTF2_A_VGPRS] = {"vgprs", "vector registers", OTF2_TYPE_UINT64},
    [OTF2_A_SRC] = {"src_gpu", "GPU it comes from, -1 the host", OTF2_TYPE_INT64},
    [OTF2_A_DST] = {"dst_gpu", "GPU it goes to, -1 the host", OTF2_TYPE_INT64},
    [OTF2_A_OPERATION] = {"operation", "what the profiler calls it", OTF2_TYPE_STRING},
    [OTF2_A_QUEUE] = {"queue", "hardware queue", OTF2_TYPE_INT64},
    [OTF2_A_TID] = {"tid", "thread that caused it", OTF2_TYPE_INT64},
    [OTF2_A_GPU] = {"gpu", "device", OTF2_TYPE_INT64},
    [OTF2_A_ADDRESS] = {"address", "address", OTF2_TYPE_UINT64},
};

static void define_attributes(struct otf2_out *w, OTF2_GlobalDefWriter *g)
{
    for (uint32_t i = 0; i < OTF2_ATTRIBUTES; i++)
        otf2_check(w, OTF2_GlobalDefWriter_WriteAttribute(g, i, otf2_string(w, attributes[i].name),
                                                          otf2_string(w, attributes[i].text),
                                                          attributes[i].type));
}

/* Machines with their processes, which own their GPUs. */
static void define_tree(struct otf2_out *w, OTF2_GlobalDefWriter *g)
{
    const struct trace *t = w->t;
    struct idmap nodes; /* host -> node */
    uint32_t n = 1;
    idmap_init(&nodes, w->arena);
    otf2_check(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, otf2_string(w, "machine"),
                                                           otf2_string(w, "machine"),
                                                           OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < t->processes.n; i++) {
        const char *host = trace_str(t, t->processes.v[i].host);
        if (idmap_get(&nodes, t->processes.v[i].host) != NO_INDEX)
            continue;
        idmap_put(&nodes, t->processes.v[i].host, n);
        otf2_check(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                          g, n, otf2_string(w, *host ? host : "host"), otf2_string(w, "node"), 0));
        otf2_check(w, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                          g, n, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
        n++;
    }
    for (uint32_t i = 0; i < w->groups.n; i++) {
        const struct otf2_group *group = &w->groups.v[i];
        bool device = group->type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
        if (!conversion_takes(w->c, group->process))
            continue;
        otf2_check(w,
                   OTF2_GlobalDefWriter_WriteLocationGroup(
                       g, i, group->name, group->type,
                       idmap_get(&nodes, t->processes.v[group->process].host),
                       device ? w->process_group[group->process] : OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (uint32_t i = 0; i < w->locations.n; i++) {
        const struct otf2_location *l = &w->locations.v[i];
        otf2_check(w,
                   OTF2_GlobalDefWriter_WriteLocation(g, i, l->name, l->type, l->events, l->group));
    }
}

/* Counters, then series: a class of one member each. */
static void define_metrics(struct otf2_out *w, OTF2_GlobalDefWriter *g)
{
    const struct trace *t = w->t;
    for (uint32_t i = 0; i < t->counter_infos.n + t->series.n; i++) {
        bool counter = i < t->counter_infos.n;
        size_t s = i - t->counter_infos.n;
        const char *name = trace_str(t, counter ? t->counter_infos.v[i].name : t->series.v[s].name);
        const char *units =
            trace_str(t, counter ? t->counter_infos.v[i].units : t->series.v[s].units);
        const char *text = counter ? trace_str(t, t->counter_infos.v[i].description) : name;
        otf2_check(w, OTF2_GlobalDefWriter_WriteMetricMember(
                          g, i, otf2_string(w, name), otf2_string(w, text), OTF2_METRIC_TYPE_OTHER,
                          OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0,
                          otf2_string(w, *units ? units : "#")));
        otf2_check(w, OTF2_GlobalDefWriter_WriteMetricClass(g, i, 1, &i, OTF2_METRIC_ASYNCHRONOUS,
                                                            counter ? OTF2_RECORDER_KIND_GPU
                                                                    : OTF2_RECORDER_KIND_ABSTRACT));
    }
}

/* The ranks as the members of MPI_COMM_WORLD: the first thread of each stands for it. */
static void define_ranks(struct otf2_out *w, OTF2_GlobalDefWriter *g)
{
    const struct trace *t = w->t;
    VEC(uint64_t) members = {0}, places = {0};
    for (int32_t rank = 0; rank < (int32_t)t->processes.n; rank++) {
        uint64_t found = UINT64_MAX;
        for (uint32_t i = 0; i < w->locations.n && found == UINT64_MAX; i++) {
            const struct otf2_location *l = &w->locations.v[i];
            if (l->thread != NO_INDEX &&
                t->processes.v[t->threads.v[l->thread].process].rank == rank)
                found = i;
        }
        if (found == UINT64_MAX)
            break;
        vec_push(&members, w->arena, found);
        vec_push(&places, w->arena, (uint64_t)rank);
    }
    if (members.n < 2)
        return;
    otf2_check(w, OTF2_GlobalDefWriter_WriteGroup(
                      g, 0, otf2_string(w, "MPI ranks"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                      OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)members.n, members.v));
    otf2_check(w, OTF2_GlobalDefWriter_WriteGroup(
                      g, 1, otf2_string(w, "MPI_COMM_WORLD"), OTF2_GROUP_TYPE_COMM_GROUP,
                      OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)places.n, places.v));
    otf2_check(w, OTF2_GlobalDefWriter_WriteComm(g, 0, otf2_string(w, "MPI_COMM_WORLD"), 1,
                                                 OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

/* A definition may only name what was defined before it: all strings come first. */
static void collect_strings(struct otf2_out *w)
{
    static const char *const words[] = {"machine",   "node",           "host",
                                        "MPI ranks", "MPI_COMM_WORLD", "#"};
    const struct trace *t = w->t;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        otf2_string(w, words[i]);
    for (size_t i = 0; i < OTF2_ATTRIBUTES; i++) {
        otf2_string(w, attributes[i].name);
        otf2_string(w, attributes[i].text);
    }
    for (size_t i = 0; i < t->processes.n; i++)
        otf2_string(w, trace_str(t, t->processes.v[i].host));
    for (size_t i = 0; i < t->counter_infos.n; i++) {
        otf2_string(w, trace_str(t, t->counter_infos.v[i].name));
        otf2_string(w, trace_str(t, t->counter_infos.v[i].units));
        otf2_string(w, trace_str(t, t->counter_infos.v[i].description));
    }
    for (size_t i = 0; i < t->series.n; i++) {
        otf2_string(w, trace_str(t, t->series.v[i].name));
        otf2_string(w, trace_str(t, t->series.v[i].units));
    }
    for (size_t i = 0; i < w->regions.n; i++)
        otf2_string(w, otf2_category(w->regions.v[i].kind));
}

void otf2_definitions(struct otf2_out *w)
{
    const struct trace *t = w->t;
    bool cuda = trace_vendor(t) == VENDOR_NVIDIA;
    OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(w->archive);
    int64_t origin = t->files.n ? t->files.v[0].origin_ns : 0;
    if (!g) {
        w->failed = true;
        return;
    }
    otf2_check(w, OTF2_GlobalDefWriter_WriteClockProperties(
                      g, 1000000000, otf2_time(w, w->start_ns),
                      (uint64_t)sub_ns(w->end_ns, w->start_ns) + 1,
                      origin ? (uint64_t)add_ns(w->start_ns, origin) : OTF2_UNDEFINED_TIMESTAMP));
    collect_strings(w);
    for (uint32_t i = 0; i < w->strings.n; i++)
        otf2_check(w, OTF2_GlobalDefWriter_WriteString(g, i, w->strings.v[i]));
    define_attributes(w, g);
    define_tree(w, g);
    define_metrics(w, g);
    define_ranks(w, g);
    OTF2_StringRef none = otf2_string(w, "");
    for (uint32_t i = 0; i < w->regions.n; i++) {
        const struct otf2_region *r = &w->regions.v[i];
        otf2_check(w, OTF2_GlobalDefWriter_WriteRegion(g, i, r->name, r->name,
                                                       otf2_string(w, otf2_category(r->kind)),
                                                       role_of(r->kind), paradigm_of(r->kind, cuda),
                                                       OTF2_REGION_FLAG_NONE, none, 0, 0));
    }
    OTF2_Archive_CloseGlobalDefWriter(w->archive, g);
}
