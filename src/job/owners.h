/*
 * Owners: the process that a row of a trace belongs to.
 *
 * By its thread, stream or series. A row that names none is of the process whose file it stands in,
 * where that holds only one: so a trace of several files is divided as if each were read alone.
 *
 * Thread-safety: read-only once made.
 */
#ifndef GS_JOB_OWNERS_H
#define GS_JOB_OWNERS_H

#include "model/trace.h"

struct owners {
    const struct trace *t;
    uint32_t *only;   /* by file (trace.loads): its only process, or NO_INDEX */
    uint32_t *series; /* by series: its process, or NO_INDEX */
};

void owners_find(struct owners *o, const struct trace *t, struct arena *arena);

/* The file a row of a table stands in: owners_load(o, markers, i). NO_INDEX: not known. */
#define owners_load(o, table, row) owners_load_((o), offsetof(struct trace_load, table), (row))
uint32_t owners_load_(const struct owners *o, size_t first, size_t row);

/* NO_INDEX: of none. */
uint32_t owner_of_thread(const struct owners *o, size_t thread);
uint32_t owner_of_stream(const struct owners *o, size_t stream);
uint32_t owner_of_series(const struct owners *o, size_t series);
uint32_t owner_of_kernel(const struct owners *o, size_t row);
uint32_t owner_of_copy(const struct owners *o, size_t row);
uint32_t owner_of_region(const struct owners *o, size_t row);
uint32_t owner_of_marker(const struct owners *o, size_t row);
uint32_t owner_of_message(const struct owners *o, size_t row);
uint32_t owner_of_telemetry(const struct owners *o, size_t row);

#endif
