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

/* From so many bytes on the system moves them page by page: often costs little, empty room more. */
enum { VEC_LARGE = 4 << 20 };

void *vec_move_(struct arena *a, void *v, size_t *cap, size_t size)
{
    size_t more = !*cap ? VEC_FIRST_ : *cap < VEC_LARGE / size ? *cap * 2 : *cap + *cap / 4;
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
