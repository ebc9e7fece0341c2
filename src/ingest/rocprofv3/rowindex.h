/*
 * Rows by id: finds the first row that has an id, among the rows of one process.
 *
 * Profilers count their ids up, so an array does in almost every file; where ids are scattered
 * the rows are sorted and searched. Either way a few bytes a row, for any input.
 */
#ifndef GS_INGEST_ROCPROFV3_ROWINDEX_H
#define GS_INGEST_ROCPROFV3_ROWINDEX_H

#include "base/arena.h"
#include "base/hash.h"

struct rowindex {
    const int64_t *id; /* by row */
    int64_t least, most;
    uint32_t *dense; /* by id - least; NULL: search rows */
    uint32_t *rows;  /* by id, where there is no array */
    size_t n;
};

/*
 * One index a process, over rows [first, n) of id; process[row - first] says whose it is, NO_INDEX
 * leaves a row out. The arena owns the result, which needs id as long as it lives.
 */
struct rowindex *rowindex_make(const int64_t *id, const uint32_t *process, size_t n_processes,
                               size_t first, size_t n, struct arena *a);

uint32_t rowindex_search(const struct rowindex *x, int64_t id);

/* The first row with this id, or NO_INDEX. */
static inline uint32_t rowindex_get(const struct rowindex *x, int64_t id)
{
    if (!x->dense)
        return rowindex_search(x, id);
    return id >= x->least && id <= x->most ? x->dense[id - x->least] : NO_INDEX;
}

#endif
