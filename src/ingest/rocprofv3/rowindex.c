#include "ingest/rocprofv3/rowindex.h"

#include <string.h>

#include "base/sort.h"

static void build(struct rowindex *x, uint32_t *rows, struct arena *a)
{
    x->least = INT64_MAX;
    x->most = INT64_MIN;
    for (size_t i = 0; i < x->n; i++) {
        int64_t id = x->id[rows[i]];
        x->least = id < x->least ? id : x->least;
        x->most = id > x->most ? id : x->most;
    }
    x->rows = rows;
    uint64_t range = (uint64_t)x->most - (uint64_t)x->least;
    if (!x->n)
        return;
    if (range >= x->n * 4 + 1024) {
        sort_rows(rows, x->n, x->id, a);
        return;
    }
    x->dense = arena_array(a, uint32_t, (size_t)range + 1);
    memset(x->dense, 0xff, ((size_t)range + 1) * sizeof(*x->dense));
    for (size_t i = x->n; i-- > 0;)
        x->dense[x->id[rows[i]] - x->least] = rows[i];
}

struct rowindex *rowindex_make(const int64_t *id, const uint32_t *process, size_t n_processes,
                               size_t first, size_t n, struct arena *a)
{
    struct rowindex *all = arena_array(a, struct rowindex, n_processes);
    uint32_t **rows = arena_array(a, uint32_t *, n_processes);
    for (size_t i = first; i < n; i++)
        if (process[i - first] != NO_INDEX)
            all[process[i - first]].n++;
    for (size_t p = 0; p < n_processes; p++) {
        rows[p] = arena_array(a, uint32_t, all[p].n);
        all[p].n = 0;
    }
    for (size_t i = first; i < n; i++) {
        uint32_t p = process[i - first];
        if (p != NO_INDEX)
            rows[p][all[p].n++] = (uint32_t)i;
    }
    for (size_t p = 0; p < n_processes; p++) {
        all[p].id = id;
        build(&all[p], rows[p], a);
    }
    return all;
}

uint32_t rowindex_search(const struct rowindex *x, int64_t id)
{
    size_t lo = 0;
    BISECT(lo, x->n, mid, x->id[x->rows[mid]] < id);
    return lo < x->n && x->id[x->rows[lo]] == id ? x->rows[lo] : NO_INDEX;
}
