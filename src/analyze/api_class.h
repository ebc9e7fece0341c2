/*
 * What a host call does, judged by its name: launch, wait, copy, allocate, load code...
 * The names are data, in api_class.c; HIP, HSA, CUDA runtime and driver alike.
 */
#ifndef GS_ANALYZE_API_CLASS_H
#define GS_ANALYZE_API_CLASS_H

#include "model/trace.h"

enum api_class {
    API_OTHER,
    API_LAUNCH,     /* kernels, graphs, collectives */
    API_SYNC,       /* waits for the GPU */
    API_COPY,       /* copies and waits for the end */
    API_COPY_ASYNC, /* only enqueues */
    API_ALLOC,      /* allocates or frees */
    API_MODULE,     /* loads or compiles code, starts the runtime */
    API_EVENT,      /* records, queries or waits for events */
    API_COMM,       /* MPI */
    API_IO,         /* operating system */
    API_CREATE,     /* creates or destroys streams, events and their like */
    API_HOST,       /* instrumented program code: says where, not why */
    API_CLASSES
};

enum api_class api_class_of(const char *name, enum region_kind kind);
extern const char *const api_class_names[]; /* NULL at the end */
const char *api_class_name(enum api_class c);

#endif
