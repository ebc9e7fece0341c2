#include "analyze/api_class.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

/*
 * Words of API names behind the vendor prefix (hip, cuda, cu, hsa_amd, hsa), compared without case
 * from the start; the first row that fits wins, so special cases stand before general ones.
 */
static const struct {
    const char *word;
    enum api_class class;
} table[] = {
    /* launches */
    {"LaunchHostFunc", API_OTHER},
    {"Launch", API_LAUNCH},
    {"ModuleLaunch", API_LAUNCH},
    {"ExtLaunch", API_LAUNCH},
    {"ExtModuleLaunch", API_LAUNCH},
    {"HccModuleLaunch", API_LAUNCH},
    {"GraphLaunch", API_LAUNCH},
    {"GridLaunch", API_LAUNCH},
    {"PushCallConfiguration", API_LAUNCH},
    {"PopCallConfiguration", API_LAUNCH},
    {"queue_add_write_index", API_LAUNCH},
    {"signal_store", API_LAUNCH},
    /* waits */
    {"DeviceSynchronize", API_SYNC},
    {"ThreadSynchronize", API_SYNC},
    {"CtxSynchronize", API_SYNC},
    {"StreamSynchronize", API_SYNC},
    {"EventSynchronize", API_SYNC},
    {"signal_wait", API_SYNC},
    {"wait_any", API_SYNC},
    /* copies */
    {"MemcpyAsync", API_COPY_ASYNC},
    {"memory_async_copy", API_COPY_ASYNC},
    {"memory_copy", API_COPY},
    {"Memcpy", API_COPY},
    {"Memset", API_COPY_ASYNC},
    {"memory_fill", API_COPY_ASYNC},
    /* memory */
    {"MemPrefetch", API_COPY_ASYNC},
    {"MallocAsync", API_ALLOC},
    {"Malloc", API_ALLOC},
    {"Free", API_ALLOC},
    {"HostMalloc", API_ALLOC},
    {"HostAlloc", API_ALLOC},
    {"HostFree", API_ALLOC},
    {"HostRegister", API_ALLOC},
    {"HostUnregister", API_ALLOC},
    {"ExtMalloc", API_ALLOC},
    {"MemAlloc", API_ALLOC},
    {"MemHostAlloc", API_ALLOC},
    {"MemHostRegister", API_ALLOC},
    {"MemHostUnregister", API_ALLOC},
    {"MemPool", API_ALLOC},
    {"ArrayCreate", API_ALLOC},
    {"Array3DCreate", API_ALLOC},
    {"ArrayDestroy", API_ALLOC},
    {"MipmappedArray", API_ALLOC},
    {"IpcOpenMemHandle", API_ALLOC},
    {"IpcCloseMemHandle", API_ALLOC},
    {"ImportExternal", API_ALLOC},
    {"DestroyExternal", API_ALLOC},
    {"GraphicsRegister", API_ALLOC},
    {"GraphicsGLRegister", API_ALLOC},
    {"GraphicsUnregister", API_ALLOC},
    {"MemFree", API_ALLOC},
    {"MemCreate", API_ALLOC},
    {"MemMap", API_ALLOC},
    {"MemUnmap", API_ALLOC},
    {"MemRelease", API_ALLOC},
    {"MemAddress", API_ALLOC},
    {"memory_pool_allocate", API_ALLOC},
    {"memory_pool_free", API_ALLOC},
    {"memory_allocate", API_ALLOC},
    {"memory_free", API_ALLOC},
    {"memory_lock", API_ALLOC},
    {"memory_unlock", API_ALLOC},
    {"agents_allow_access", API_ALLOC},
    /* code and start-up */
    {"Module", API_MODULE},
    {"Library", API_MODULE},
    {"Link", API_MODULE},
    {"RegisterFatBinary", API_MODULE},
    {"UnregisterFatBinary", API_MODULE},
    {"RegisterFunction", API_MODULE},
    {"RegisterVar", API_MODULE},
    {"executable_", API_MODULE},
    {"code_object", API_MODULE},
    {"init", API_MODULE},
    {"Init", API_MODULE},
    {"GetDeviceProperties", API_MODULE},
    {"GetDeviceCount", API_MODULE},
    {"SetDevice", API_MODULE},
    {"PrimaryCtx", API_MODULE},
    {"CtxCreate", API_MODULE},
    {"DevicePrimaryCtx", API_MODULE},
    {"iterate_agents", API_MODULE},
    {"GraphInstantiate", API_MODULE},
    {"queue_create", API_MODULE},
    {"FuncGetAttributes", API_MODULE},
    {"KernelGet", API_MODULE},
    {"GraphUpload", API_MODULE},
    /* streams, events: made and given back */
    {"StreamCreate", API_CREATE},
    {"ExtStreamCreate", API_CREATE},
    {"StreamDestroy", API_CREATE},
    {"EventCreate", API_CREATE},
    {"EventDestroy", API_CREATE},
    {"CtxDestroy", API_CREATE},
    {"DeviceReset", API_CREATE},
    {"CreateTextureObject", API_CREATE},
    {"DestroyTextureObject", API_CREATE},
    {"TexObject", API_CREATE},
    {"queue_destroy", API_CREATE},
    {"signal_create", API_CREATE},
    {"signal_destroy", API_CREATE},
    /* events and streams */
    {"Event", API_EVENT},
    {"Stream", API_EVENT},
    {"signal_", API_EVENT},
};

static const char *without_prefix(const char *name)
{
    static const char *const prefixes[] = {"__hip", "__cuda", "hip", "cuda", "hsa_amd_", "hsa_"};
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
        if (str_starts(name, prefixes[i]))
            return name + strlen(prefixes[i]);
    if (name[0] == 'c' && name[1] == 'u' && isupper((unsigned char)name[2]))
        return name + 2;
    return name;
}

static enum api_class by_name(const char *name)
{
    if (str_starts(name, "hiprtc") || str_starts(name, "nvrtc"))
        return API_MODULE;
    const char *word = without_prefix(name);
    bool async = str_has(name, "Async");
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        if (strncasecmp(word, table[i].word, strlen(table[i].word)))
            continue;
        return table[i].class == API_COPY && async ? API_COPY_ASYNC : table[i].class;
    }
    return API_OTHER;
}

enum api_class api_class_of(const char *name, enum region_kind kind)
{
    switch (kind) {
    case REGION_HIP:
    case REGION_HIP_COMPILER:
    case REGION_HSA:
        return by_name(name);
    case REGION_MPI:
        return API_COMM;
    case REGION_COLLECTIVE: /* its host calls only enqueue kernels */
        return API_LAUNCH;
    case REGION_OS:
        return API_IO;
    case REGION_USER:
    case REGION_PYTHON:
    case REGION_OPENMP:
        return API_HOST;
    default:
        return API_OTHER;
    }
}

const char *const api_class_names[] = {
    [API_OTHER] = "other",
    [API_LAUNCH] = "launch",
    [API_SYNC] = "sync",
    [API_COPY] = "copy",
    [API_COPY_ASYNC] = "copy (async)",
    [API_ALLOC] = "allocation",
    [API_MODULE] = "module load",
    [API_EVENT] = "events and streams",
    [API_CREATE] = "streams and events made",
    [API_COMM] = "communication",
    [API_IO] = "I/O",
    [API_HOST] = "program",
    [API_CLASSES] = NULL,
};

const char *api_class_name(enum api_class c)
{
    return api_class_names[(unsigned)c < API_CLASSES ? c : API_OTHER];
}
