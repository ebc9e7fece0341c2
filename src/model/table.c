#include "model/table.h"

#include <string.h>

#include "base/mem.h"

static void **array_of(const void *table, const struct column_desc *c)
{
    return (void **)(void *)((char *)(uintptr_t)table + c->offset);
}

/* Bytes behind each column, which nobody may touch. */
enum { FENCE = 64 };

#ifndef __has_feature /* gcc */
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

/* Where a column begins in the block of a table with room for cap rows. */
static size_t place_of(const struct table_desc *desc, size_t cap, size_t column)
{
    size_t at = 0;
    for (size_t i = 0; i < column; i++)
        at += ((cap * desc->columns[i].size + FENCE - 1) & ~(size_t)(FENCE - 1)) + FENCE;
    return at;
}

static size_t row_bytes(const struct table_desc *desc)
{
    size_t row = 0;
    for (size_t i = 0; i < desc->n_columns; i++)
        row += desc->columns[i].size;
    return row;
}

/* Columns that were lent, copied into a block of their own. */
static void own_columns(void *table, const struct table_desc *desc)
{
    struct table *t = table;
    mem_mul(t->cap, row_bytes(desc) + 2 * FENCE * desc->n_columns);
    char *block = mem_alloc(place_of(desc, t->cap, desc->n_columns));
    for (size_t i = 0; i < desc->n_columns; i++) {
        char *to = block + place_of(desc, t->cap, i);
        memcpy(to, *array_of(table, &desc->columns[i]), t->cap * desc->columns[i].size);
        *array_of(table, &desc->columns[i]) = to;
    }
    t->lent = false;
}

/* All columns lie in one block, the first column's: huge pages then serve several of them. */
void table_reserve(void *table, const struct table_desc *desc, size_t want)
{
    struct table *t = table;
    if (want <= t->cap)
        return;
    size_t cap = want > t->cap * 2 ? want : t->cap * 2;
    mem_mul(cap, row_bytes(desc) + 2 * FENCE * desc->n_columns); /* so that no sum overflows */
    if (t->lent) {
        own_columns(table, desc);
        if (want <= t->cap)
            return;
    }
    char *block = *array_of(table, &desc->columns[0]);
    block = mem_realloc(block, place_of(desc, cap, desc->n_columns));
    for (size_t i = desc->n_columns; i-- > 0;) { /* each moves up, the last one first */
        size_t size = desc->columns[i].size;
        char *to = block + place_of(desc, cap, i);
        if (t->cap)
            memmove(to, block + place_of(desc, t->cap, i), t->cap * size);
        *array_of(table, &desc->columns[i]) = to;
    }
    for (size_t i = 0; i < desc->n_columns; i++)
        ASAN_POISON_MEMORY_REGION(block + place_of(desc, cap, i + 1) - FENCE, FENCE);
    t->cap = cap;
}

void table_release(void *table, const struct table_desc *desc)
{
    if (!((struct table *)table)->lent)
        mem_free(*array_of(table, &desc->columns[0]));
    for (size_t i = 0; i < desc->n_columns; i++)
        *array_of(table, &desc->columns[i]) = NULL;
    *(struct table *)table = (struct table){0};
}

size_t table_bytes(const void *table, const struct table_desc *desc)
{
    return row_bytes(desc) * ((const struct table *)table)->cap;
}

bool table_differs(const void *a, const void *b, const struct table_desc *desc, const char **column,
                   size_t *row)
{
    const struct table *ta = a, *tb = b;
    *column = "rows";
    *row = ta->n < tb->n ? ta->n : tb->n;
    if (ta->n != tb->n)
        return true;
    for (size_t i = 0; i < desc->n_columns && ta->n; i++) {
        const struct column_desc *c = &desc->columns[i];
        const char *pa = *array_of(a, c), *pb = *array_of(b, c);
        if (!memcmp(pa, pb, ta->n * c->size))
            continue;
        *column = c->name;
        for (*row = 0; !memcmp(pa + *row * c->size, pb + *row * c->size, c->size);)
            ++*row;
        return true;
    }
    return false;
}
