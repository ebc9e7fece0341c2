#include "synth/signatures.h"

const char *const api_function[API_COUNT] = {
    [API_LAUNCH] = "hipLaunchKernel",
    [API_MEMCPY] = "hipMemcpy",
    [API_MEMCPY_ASYNC] = "hipMemcpyAsync",
    [API_MEMSET] = "hipMemset",
    [API_MEMSET_ASYNC] = "hipMemsetAsync",
    [API_MALLOC] = "hipMalloc",
    [API_MALLOC_ASYNC] = "hipMallocAsync",
    [API_HOST_MALLOC] = "hipHostMalloc",
    [API_FREE] = "hipFree",
    [API_FREE_ASYNC] = "hipFreeAsync",
    [API_HOST_FREE] = "hipHostFree",
    [API_DEVICE_SYNC] = "hipDeviceSynchronize",
    [API_STREAM_SYNC] = "hipStreamSynchronize",
    [API_EVENT_SYNC] = "hipEventSynchronize",
    [API_EVENT_RECORD] = "hipEventRecord",
    [API_STREAM_WAIT] = "hipStreamWaitEvent",
    [API_GRAPH_LAUNCH] = "hipGraphLaunch",
    [API_EXT_LAUNCH] = "hipExtLaunchKernel",
    [API_OTHER] = "",
};

const char *const hsa_function[HSA_NAMES] = {
    "hsa_queue_load_read_index_relaxed", "hsa_queue_add_write_index_screlease",
    "hsa_signal_store_screlease",        "hsa_signal_load_relaxed",
    "hsa_amd_signal_async_handler",      "hsa_signal_silent_store_relaxed",
};

/* Letters: d destination, s source, p pointer to a pointer, f function, g grid, w workgroup,
 * l LDS bytes, z size, k copy kind, t stream, e event, v value, x flags, h graph. */
static const char *const shape[API_COUNT] = {
    [API_LAUNCH] = "fgwlt",     [API_MEMCPY] = "dszk",       [API_MEMCPY_ASYNC] = "dszkt",
    [API_MEMSET] = "dvz",       [API_MEMSET_ASYNC] = "dvzt", [API_MALLOC] = "pz",
    [API_MALLOC_ASYNC] = "pzt", [API_HOST_MALLOC] = "pzx",   [API_FREE] = "d",
    [API_FREE_ASYNC] = "dt",    [API_HOST_FREE] = "d",       [API_DEVICE_SYNC] = "",
    [API_STREAM_SYNC] = "t",    [API_EVENT_SYNC] = "e",      [API_EVENT_RECORD] = "et",
    [API_STREAM_WAIT] = "tex",  [API_GRAPH_LAUNCH] = "ht",   [API_EXT_LAUNCH] = "fgwlt",
    [API_OTHER] = "z",
};

static struct rec_arg dim3(const char *name, const int64_t v[3])
{
    return (struct rec_arg){"dim3", name, ARG_DIM3, (uint64_t)v[0], (uint32_t)v[1], (uint32_t)v[2]};
}

static struct rec_arg one(char letter, const struct call *c)
{
    int64_t blocks[3];
    for (int i = 0; i < 3; i++)
        blocks[i] = c->wg[i] > 0 ? c->grid[i] / c->wg[i] : c->grid[i];
    switch (letter) {
    case 'd':
        return (struct rec_arg){"void*", "dst", ARG_POINTER, c->pointer, 0, 0};
    case 's':
        return (struct rec_arg){"const void*", "src", ARG_POINTER, c->other, 0, 0};
    case 'p':
        return (struct rec_arg){"void**", "ptr", ARG_POINTER, c->other, 0, 0};
    case 'f':
        return (struct rec_arg){"const void*", "function_address", ARG_POINTER, c->pointer, 0, 0};
    case 'g':
        return dim3("numBlocks", blocks);
    case 'w':
        return dim3("dimBlocks", c->wg);
    case 'l':
        return (struct rec_arg){"size_t", "sharedMemBytes", ARG_INT, (uint64_t)c->lds, 0, 0};
    case 'z':
        return (struct rec_arg){"size_t", "sizeBytes", ARG_INT, (uint64_t)c->size, 0, 0};
    case 'k':
        return (struct rec_arg){"hipMemcpyKind", "kind", ARG_COPY_KIND, (uint64_t)c->kind, 0, 0};
    case 't':
        return (struct rec_arg){"hipStream_t", "stream", ARG_POINTER, c->stream, 0, 0};
    case 'e':
        return (struct rec_arg){"hipEvent_t", "event", ARG_POINTER, c->other, 0, 0};
    case 'v':
        return (struct rec_arg){"int", "value", ARG_INT, 0, 0, 0};
    case 'h':
        return (struct rec_arg){"hipGraphExec_t", "graphExec", ARG_POINTER, c->other, 0, 0};
    default:
        return (struct rec_arg){"unsigned int", "flags", ARG_INT, 0, 0, 0};
    }
}

size_t call_args(enum api_id api, const struct call *c, struct rec_arg *args)
{
    size_t n = 0;
    if (api == API_OTHER && !c->size)
        return 0; /* most small functions have none */
    for (const char *p = shape[api]; *p; p++)
        args[n++] = one(*p, c);
    return n;
}
