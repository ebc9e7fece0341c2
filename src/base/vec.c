#include "base/vec.h"

#include <assert.h>

#include "base/mem.h"

void *vec_reserve_(struct arena *a, void *v, size_t *cap, size_t want, size_t size)
{
    if (want <= *cap)
        return v;
    size_t more = *cap < 8 ? 8 : *cap * 2;
    if (more < want)
        more = want;
    v = arena_grow(a, v, *cap * size, mem_mul(more, size));
    *cap = more;
    assert(v && *cap >= want);
    return v;
}
