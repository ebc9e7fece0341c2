/*
 * The API functions that the simulator calls by itself: name, category and arguments, so that
 * generated regions carry what a profiler would have written.
 */
#ifndef GS_SYNTH_SIGNATURES_H
#define GS_SYNTH_SIGNATURES_H

#include "synth/sink.h"

enum api_id {
    API_LAUNCH,
    API_MEMCPY,
    API_MEMCPY_ASYNC,
    API_MEMSET,
    API_MEMSET_ASYNC,
    API_MALLOC,
    API_MALLOC_ASYNC,
    API_HOST_MALLOC,
    API_FREE,
    API_FREE_ASYNC,
    API_HOST_FREE,
    API_DEVICE_SYNC,
    API_STREAM_SYNC,
    API_EVENT_SYNC,
    API_EVENT_RECORD,
    API_STREAM_WAIT,
    API_GRAPH_LAUNCH,
    API_EXT_LAUNCH,
    API_OTHER, /* `api NAME`: generic arguments */
    API_COUNT
};

enum { HSA_NAMES = 6, MAX_ARGS = 8 };

/* What the arguments are made of. */
struct call {
    uint32_t name; /* 0: the usual one; else `api=` */
    uint64_t pointer, other;
    int64_t size;
    uint64_t stream;
    int kind;
    int64_t wg[3], grid[3];
    int64_t lds;
    struct rec_sync sync;
};

extern const char *const api_function[API_COUNT];
extern const char *const hsa_function[HSA_NAMES];

/* Fills args (MAX_ARGS of them) and returns their number. */
size_t call_args(enum api_id api, const struct call *c, struct rec_arg *args);

#endif
