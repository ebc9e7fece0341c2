#include "base/vec.h"

#include <assert.h>

#include "base/mem.h"

void *vec_reserve_(struct arena *a, void *v, size_t *cap, size_t want, size_t size)
{
    if (want <= *cap)
        return v;
    size_t more = *cap * 2 < want ? want : *cap * 2;
    v = arena_grow(a, v, *cap * size, mem_mul(more, size));
    *cap = more;
    assert(v && *cap >= want);
    return v;
}

void *vec_move_(struct arena *a, void *v, size_t *cap, size_t size)
{
    size_t more = *cap ? *cap * 2 : VEC_FIRST_;
    v = arena_move(a, v, *cap * size, mem_mul(more, size));
    *cap = more;
    return v;
}

void *vec_fit_(struct arena *a, void *v, size_t *cap, size_t n, size_t size)
{
    void *fit = n ? arena_move(a, v, *cap * size, n * size) : v;
    if (n)
        *cap = n;
    return fit;
}
