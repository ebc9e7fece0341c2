#include "base/sparse.h"

void sparse_make(struct sparse *s, const uint32_t *dense, size_t rows, struct arena *a)
{
    *s = (struct sparse){0};
    for (size_t i = 0; i < rows; i++)
        s->n += dense[i] != NO_INDEX;
    if (!s->n)
        return;
    s->has = arena_array(a, uint64_t, rows / 64 + 1);
    s->before = arena_array(a, uint32_t, rows / 64 + 1);
    s->v = arena_array(a, uint32_t, s->n);
    uint32_t n = 0;
    for (size_t i = 0; i < rows; i++) {
        if (i % 64 == 0)
            s->before[i / 64] = n;
        if (dense[i] == NO_INDEX)
            continue;
        s->has[i / 64] |= UINT64_C(1) << (i % 64);
        s->v[n++] = dense[i];
    }
}
