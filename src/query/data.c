/* What is derived from a trace before its rows are shown. */
#include <string.h>

#include "base/str.h"
#include "cache/layout.h"
#include "query/query_in.h"

const char *const query_words[WORDS_IN_ALL] = {
    [WORD_REGION + REGION_OTHER] = "OTHER",
    [WORD_REGION + REGION_HIP] = "HIP_RUNTIME_API",
    [WORD_REGION + REGION_HIP_COMPILER] = "HIP_COMPILER_API",
    [WORD_REGION + REGION_HSA] = "HSA_API",
    [WORD_REGION + REGION_COLLECTIVE] = "RCCL_API",
    [WORD_REGION + REGION_MPI] = "MPI",
    [WORD_REGION + REGION_OPENMP] = "OMPT",
    [WORD_REGION + REGION_OS] = "OS",
    [WORD_REGION + REGION_MEDIA] = "ROCDECODE_API",
    [WORD_REGION + REGION_DRIVER] = "KFD",
    [WORD_REGION + REGION_USER] = "USER",
    [WORD_REGION + REGION_PYTHON] = "PYTHON",
    [WORD_MARKER] = "MARKER_CORE_RANGE_API",
    [WORD_KERNEL] = "KERNEL_DISPATCH",
    [WORD_COPY] = "MEMORY_COPY",
    [WORD_ALLOCATION] = "MEMORY_ALLOCATION",
    [WORD_SCRATCH] = "SCRATCH_MEMORY",
    [WORD_SAMPLE] = "SAMPLE",
    [WORD_TELEMETRY] = "TELEMETRY",
    [WORD_COUNTER] = "COUNTER_COLLECTION",
    [WORD_COPY_KIND + COPY_UNKNOWN] = "MEMORY_COPY_NONE",
    [WORD_COPY_KIND + COPY_H2D] = "MEMORY_COPY_HOST_TO_DEVICE",
    [WORD_COPY_KIND + COPY_D2H] = "MEMORY_COPY_DEVICE_TO_HOST",
    [WORD_COPY_KIND + COPY_D2D] = "MEMORY_COPY_DEVICE_TO_DEVICE",
    [WORD_COPY_KIND + COPY_P2P] = "MEMORY_COPY_DEVICE_TO_DEVICE",
    [WORD_COPY_KIND + COPY_H2H] = "MEMORY_COPY_HOST_TO_HOST",
    [WORD_COPY_KIND + COPY_SET] = "MEMORY_SET",
};

const struct qtable *const query_tables_of_traces[] = {query_rocpd_lists, query_rocpd_tables,
                                                       query_rocpd_views, query_rows, NULL};

static void split_markers(struct qdata *d, struct arena *a)
{
    const struct markers *m = &d->t->markers;
    d->ranges = arena_array(a, uint32_t, m->n);
    d->instants = arena_array(a, uint32_t, m->n);
    for (size_t i = 0; i < m->n; i++) {
        if (m->kind[i] == MARKER_INSTANT)
            d->instants[d->n_instants++] = (uint32_t)i;
        else
            d->ranges[d->n_ranges++] = (uint32_t)i;
    }
}

static void number_hosts(struct qdata *d, struct arena *a)
{
    const struct trace *t = d->t;
    struct idmap seen;
    idmap_init(&seen, a);
    d->host = arena_array(a, uint32_t, t->processes.n + 1);
    d->host_process = arena_array(a, uint32_t, t->processes.n + 1);
    for (size_t p = 0; p < t->processes.n; p++) {
        uint32_t at = idmap_get(&seen, t->processes.v[p].host);
        if (at == NO_INDEX) {
            d->host_process[d->n_hosts] = (uint32_t)p;
            idmap_put(&seen, t->processes.v[p].host, at = (uint32_t)++d->n_hosts);
        }
        d->host[p] = at;
    }
}

static void name_files(struct qdata *d, struct arena *a)
{
    const struct trace *t = d->t;
    d->guid = arena_array(a, const char *, t->files.n + 1);
    for (size_t i = 0; i < t->files.n; i++) {
        const char *guid = t->files.v[i].guid;
        d->guid[i] = guid && *guid ? guid : arena_printf(a, "trace-%zu", i + 1);
    }
}

static void find_agents(struct qdata *d, struct arena *a)
{
    const struct trace *t = d->t;
    bool *has = arena_array(a, bool, t->gpus.n + 1);
    trace_map_agents(t, &d->agent_of, a);
    for (size_t i = 0; i < t->agents.n; i++) {
        if (t->agents.v[i].gpu < t->gpus.n)
            has[t->agents.v[i].gpu] = true;
    }
    d->bare_gpus = arena_array(a, uint32_t, t->gpus.n + 1);
    for (size_t i = 0; i < t->gpus.n; i++)
        if (!has[i])
            d->bare_gpus[d->n_bare++] = (uint32_t)i;
}

void qdata_make(struct qdata *d, const struct trace *t, struct arena *a)
{
    *d = (struct qdata){.t = t, .n_regions = t->regions.n - t->lifted_calls};
    split_markers(d, a);
    number_hosts(d, a);
    name_files(d, a);
    find_agents(d, a);
    d->used = cache_strings_used(t, a);
    d->markers_at = d->n_regions;
    d->samples_at = d->markers_at + t->markers.n;
    d->kernels_at = d->samples_at + t->samples.n;
    d->copies_at = d->kernels_at + t->kernels.n;
    d->allocations_at = d->copies_at + t->copies.n;
}

int64_t q_pid(const struct qdata *d, uint32_t process)
{
    return process < d->t->processes.n ? d->t->processes.v[process].pid : NONE;
}

int64_t q_rank(const struct qdata *d, uint32_t process)
{
    return process < d->t->processes.n && d->t->processes.v[process].rank >= 0
               ? d->t->processes.v[process].rank
               : NONE;
}

int64_t q_nid(const struct qdata *d, uint32_t process)
{
    return process < d->t->processes.n ? d->host[process] : NONE;
}

static uint32_t file_of(const struct qdata *d, uint32_t process)
{
    uint32_t file = process < d->t->processes.n ? d->t->processes.v[process].file : NO_INDEX;
    return file < d->t->files.n ? file : d->t->files.n == 1 ? 0 : NO_INDEX;
}

const char *q_guid(const struct qdata *d, uint32_t process)
{
    uint32_t file = file_of(d, process);
    return file == NO_INDEX ? NULL : d->guid[file];
}

const char *q_trace(const struct qdata *d, uint32_t process)
{
    uint32_t file = file_of(d, process);
    return file == NO_INDEX ? NULL : d->t->files.v[file].path;
}

int64_t q_tid(const struct qdata *d, uint32_t thread)
{
    return thread < d->t->threads.n ? d->t->threads.v[thread].tid : NONE;
}

int64_t q_gpu(const struct qdata *d, uint32_t gpu)
{
    return gpu < d->t->gpus.n ? d->t->gpus.v[gpu].index : NONE;
}

int64_t q_node(const struct qdata *d, uint32_t gpu)
{
    return gpu < d->t->gpus.n ? d->t->gpus.v[gpu].node_id : NONE;
}

int64_t q_agent(const struct qdata *d, uint32_t process, uint32_t gpu)
{
    if (gpu >= d->t->gpus.n)
        return NONE;
    uint32_t agent = trace_agent_of(&d->agent_of, process, gpu);
    return agent == NO_INDEX ? (int64_t)gpu : d->t->agents.v[agent].id;
}

int64_t q_call_id(const struct qdata *d, uint32_t call)
{
    return call < d->t->regions.n ? regions_id_at(d->t, call) : NONE;
}

int64_t q_word(const struct qdata *d, enum word w)
{
    return (int64_t)d->t->strings.n + 1 + (int64_t)w;
}
