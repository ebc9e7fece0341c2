/* rocpd_op: what the GPU did. The type says whether a row is a kernel or a copy. */
#include <string.h>

#include "base/str.h"
#include "ingest/rpd/rpd.h"

static const struct scan_col op_columns[] = {
    [OP_ID] = {"id", SCAN_INT, false, 0},
    [OP_GPU] = {"gpuId", SCAN_INT, false, RPD_NONE},
    [OP_QUEUE] = {"queueId", SCAN_INT, true, 0},
    [OP_START] = {"start", SCAN_INT, false, RPD_NONE},
    [OP_END] = {"end", SCAN_INT, false, RPD_NONE},
    [OP_NAME] = {"description_id", SCAN_INT, false, RPD_NONE},
    [OP_TYPE] = {"opType_id", SCAN_INT, false, RPD_NONE},
};

enum op_type { OP_NOTHING, OP_KERNEL, OP_COPY };

struct op_job {
    struct rpd *r;
    uint8_t *types;   /* enum op_type, by trace string */
    uint32_t *op_api; /* by row of ops: row of apis */
    uint64_t no_time, no_gpu;
};

static enum op_type type_of(const char *name)
{
    if (str_starts(name, "Copy") || str_starts(name, "Fill") || str_has_fold(name, "memcpy") ||
        str_has_fold(name, "memset"))
        return OP_COPY;
    if (str_starts(name, "Marker") || str_starts(name, "Barrier"))
        return OP_NOTHING;
    return OP_KERNEL;
}

/* ---- what an operation belongs to ---- */

uint32_t rpd_process(const struct rpd *r, uint32_t api)
{
    return api == NO_INDEX ? r->first_process : r->trace->threads.v[r->api_thread[api]].process;
}

const char *rpd_call_args(const struct rpd *r, uint32_t api)
{
    return api == NO_INDEX ? "" : trace_str(r->trace, rpd_string(r, r->apis.col[API_ARGS][api]));
}

uint32_t rpd_stream(struct rpd *r, uint32_t api, uint32_t gpu, int64_t handle)
{
    if (handle == RPD_NONE)
        handle = rpd_argument(rpd_call_args(r, api), "stream");
    handle = handle == RPD_NONE ? -1 : handle;
    uint32_t process = rpd_process(r, api);
    uint64_t key = hash_u64((uint64_t)process << 32 | gpu) ^ (uint64_t)handle;
    uint32_t s = idmap_get(&r->streams, key);
    if (s == NO_INDEX) {
        s = (uint32_t)r->trace->streams.n;
        vec_push(&r->trace->streams, &r->trace->arena,
                 ((struct stream){process, gpu, handle, 0, STREAM_UNKNOWN}));
        idmap_put(&r->streams, key, s);
    }
    return s;
}

uint32_t rpd_queue(struct rpd *r, uint32_t process, uint32_t gpu, int64_t id)
{
    uint64_t key = hash_u64((uint64_t)process << 32 | gpu) ^ (uint64_t)id;
    uint32_t q = idmap_get(&r->queues, key);
    if (q == NO_INDEX) {
        q = (uint32_t)r->trace->queues.n;
        vec_push(&r->trace->queues, &r->trace->arena,
                 ((struct queue){.process = process, .id = id}));
        idmap_put(&r->queues, key, q);
    }
    return q;
}

/* ---- all of it ---- */

static bool link_calls(struct op_job *job, struct gs_error *err)
{
    static const struct scan_col cols[] = {{"id", SCAN_INT, false, 0},
                                           {"api_id", SCAN_INT, false, RPD_NONE},
                                           {"op_id", SCAN_INT, false, RPD_NONE}};
    struct rpd *r = job->r;
    struct rpd_columns links;
    uint64_t dangling = 0;
    if (!rpd_read_columns(r, "rocpd_api_ops", cols, 3, &links, err))
        return false;
    job->op_api = arena_array(r->arena, uint32_t, r->ops.n);
    if (r->ops.n)
        memset(job->op_api, 0xff, r->ops.n * sizeof(uint32_t));
    for (size_t i = 0; i < links.n; i++) {
        uint32_t op = rpd_row(&r->ops, links.col[2][i]), api = rpd_row(&r->apis, links.col[1][i]);
        dangling += op == NO_INDEX || api == NO_INDEX;
        if (op != NO_INDEX && job->op_api[op] == NO_INDEX)
            job->op_api[op] = api;
    }
    trace_note(r->trace, NOTE_DANGLING, dangling,
               "links between calls and operations lead nowhere");
    return true;
}

static size_t classify(struct op_job *job)
{
    struct rpd *r = job->r;
    const struct strings *s = &r->trace->strings;
    size_t kernels = 0;
    job->types = arena_array(r->arena, uint8_t, s->n);
    for (size_t i = 0; i < s->n; i++)
        job->types[i] = (uint8_t)type_of(s->v[i].text);
    for (size_t i = 0; i < r->ops.n; i++)
        kernels += job->types[rpd_string(r, r->ops.col[OP_TYPE][i])] == OP_KERNEL;
    return kernels;
}

static void convert(struct op_job *job)
{
    struct rpd *r = job->r;
    struct rpd_columns *o = &r->ops;
    for (size_t i = 0; i < o->n; i++) {
        uint32_t type = rpd_string(r, o->col[OP_TYPE][i]), api = job->op_api[i];
        if (o->col[OP_START][i] == RPD_NONE)
            o->col[OP_START][i] = o->col[OP_END][i];
        if (o->col[OP_END][i] == RPD_NONE)
            o->col[OP_END][i] = o->col[OP_START][i];
        bool timed = o->col[OP_START][i] != RPD_NONE;
        job->no_time += !timed;
        if (!timed || job->types[type] == OP_NOTHING)
            continue;
        uint32_t gpu = rpd_gpu(r, o->col[OP_GPU][i]);
        job->no_gpu += gpu == NO_INDEX;
        if (job->types[type] == OP_KERNEL)
            rpd_add_kernel(r, i, api, gpu);
        else
            rpd_add_copy(r, i, api, gpu, trace_str(r->trace, type));
    }
    trace_note(r->trace, NOTE_NULL, job->no_time, "operations without times");
    trace_note(r->trace, NOTE_DANGLING, r->nameless, "kernels without a name");
    trace_note(r->trace, NOTE_NULL, job->no_gpu, "operations on no device");
}

bool rpd_read_ops(struct rpd *r, struct gs_error *err)
{
    struct op_job job = {.r = r};
    size_t first = r->trace->kernels.n;
    if (!rpd_read_columns(r, "rocpd_op", op_columns, ARRAY_LEN(op_columns), &r->ops, err) ||
        !rpd_read_kernel_calls(r, err) || !rpd_read_copy_calls(r, err) || !link_calls(&job, err))
        return false;
    size_t kernels = classify(&job);
    trace_room(r->trace, kernels, kernels);
    trace_room(r->trace, copies, r->ops.n - kernels);
    convert(&job);
    launches_finish(&r->launches, r->trace, first);
    return true;
}
