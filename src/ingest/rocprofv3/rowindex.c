#include "ingest/rocprofv3/rowindex.h"

#include <string.h>

#include "base/sort.h"

/* An array where the ids lie close together, else a list to sort. */
static void make_room(struct rowindex *x, const int64_t *id, struct arena *a)
{
    uint64_t range = (uint64_t)x->most - (uint64_t)x->least;
    x->id = id;
    if (!x->n)
        return;
    if (range >= x->n * 4 + 1024) {
        x->rows = arena_array(a, uint32_t, x->n);
        return;
    }
    x->dense = arena_array(a, uint32_t, (size_t)range + 1);
    memset(x->dense, 0xff, ((size_t)range + 1) * sizeof(*x->dense));
}

struct rowindex *rowindex_make(const int64_t *id, const uint32_t *process, size_t n_processes,
                               size_t first, size_t n, struct arena *a)
{
    struct rowindex *all = arena_array(a, struct rowindex, n_processes);
    for (size_t p = 0; p < n_processes; p++)
        all[p] = (struct rowindex){.least = INT64_MAX, .most = INT64_MIN};
    for (size_t i = first; i < n; i++) {
        if (process[i - first] == NO_INDEX)
            continue;
        struct rowindex *x = &all[process[i - first]];
        x->least = id[i] < x->least ? id[i] : x->least;
        x->most = id[i] > x->most ? id[i] : x->most;
        x->n++;
    }
    for (size_t p = 0; p < n_processes; p++)
        make_room(&all[p], id, a);
    size_t *left = arena_array(a, size_t, n_processes);
    for (size_t p = 0; p < n_processes; p++)
        left[p] = all[p].n;
    for (size_t i = n; i-- > first;) { /* the first of equal ones stays */
        uint32_t p = process[i - first];
        if (p != NO_INDEX && all[p].dense)
            all[p].dense[id[i] - all[p].least] = (uint32_t)i;
        else if (p != NO_INDEX)
            all[p].rows[--left[p]] = (uint32_t)i;
    }
    for (size_t p = 0; p < n_processes; p++)
        if (all[p].rows)
            sort_rows(all[p].rows, all[p].n, id, a);
    return all;
}

uint32_t rowindex_search(const struct rowindex *x, int64_t id)
{
    size_t lo = 0;
    BISECT(lo, x->n, mid, x->id[x->rows[mid]] < id);
    return lo < x->n && x->id[x->rows[lo]] == id ? x->rows[lo] : NO_INDEX;
}
