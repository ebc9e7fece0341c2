#include "model/table.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"

static void **array_of(const void *table, const struct column_desc *c)
{
    return (void **)(void *)((char *)(uintptr_t)table + c->offset);
}

/* Bytes behind each column, which nobody may touch. */
enum { FENCE = 64 };

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

/* Where the columns lie when there is room for cap rows instead. */
static void move_columns(void *table, const struct table_desc *desc, char *block, size_t cap)
{
    const struct table *t = table;
    bool up = cap > t->cap; /* then the last one first, so that none is written over */
    for (size_t k = 0; k < desc->n_columns; k++) {
        size_t i = up ? desc->n_columns - 1 - k : k;
        char *to = block + place_of(desc, cap, i);
        if (t->n)
            memmove(to, block + place_of(desc, t->cap, i), t->n * desc->columns[i].size);
        *array_of(table, &desc->columns[i]) = to;
    }
}

/* All columns lie in one block, the first column's: huge pages then serve several of them. */
void table_resize(void *table, const struct table_desc *desc, size_t cap)
{
    struct table *t = table;
    assert(t->n <= t->cap && !t->n_packed);
    if (cap == t->cap || cap < t->n)
        return;
    if (t->lent)
        own_columns(table, desc);
    mem_mul(cap, row_bytes(desc) + 2 * FENCE * desc->n_columns); /* so that no sum overflows */
    char *block = *array_of(table, &desc->columns[0]);
    size_t bytes = place_of(desc, cap, desc->n_columns);
    if (block)
        watch_show(block, place_of(desc, t->cap, desc->n_columns));
    if (cap < t->cap)
        move_columns(table, desc, block, cap);
    block = mem_realloc(block, bytes);
    if (cap < t->cap)
        for (size_t i = 0; i < desc->n_columns; i++)
            *array_of(table, &desc->columns[i]) = block + place_of(desc, cap, i);
    else
        move_columns(table, desc, block, cap);
    for (size_t i = 0; i < desc->n_columns; i++)
        watch_hide(block + place_of(desc, cap, i + 1) - FENCE, FENCE);
    t->cap = cap;
}

void table_reserve(void *table, const struct table_desc *desc, size_t want)
{
    enum { BULK = 4096, LARGE = 1 << 16 };
    struct table *t = table;
    if (want <= t->cap)
        return;
    size_t more = t->cap < LARGE ? t->cap * 2 : t->cap + t->cap / 4;
    table_resize(table, desc, want > more || want - t->n >= BULK ? want : more);
}

void table_fit(void *table, const struct table_desc *desc)
{
    const struct table *t = table;
    if (!t->lent && !t->n_packed && t->cap - t->n > t->n / 16)
        table_resize(table, desc, t->n);
}

bool table_pack_begin(void *table, const struct table_desc *desc, size_t first)
{
    struct table *t = table;
    if (t->lent || t->n_packed || !t->n || first >= desc->n_columns)
        return false;
    t->packed = mem_calloc(desc->n_columns - first, sizeof(*t->packed));
    t->n_packed = desc->n_columns - first;
    return true;
}

void table_pack_column(void *table, const struct table_desc *desc, size_t first, size_t column)
{
    const struct table *t = table;
    const struct column_desc *c = &desc->columns[column];
    packed_make(&t->packed[column - first], *array_of(table, c), c->size, t->n);
}

/* The block loses its end. */
void table_pack_end(void *table, const struct table_desc *desc, size_t first)
{
    struct table *t = table;
    char *block = *array_of(table, &desc->columns[0]);
    watch_show(block, place_of(desc, t->cap, desc->n_columns));
    for (size_t i = first; i < desc->n_columns; i++)
        *array_of(table, &desc->columns[i]) = NULL;
    block = mem_realloc(block, place_of(desc, t->cap, first));
    for (size_t i = 0; i < first; i++) {
        *array_of(table, &desc->columns[i]) = block + place_of(desc, t->cap, i);
        watch_hide(block + place_of(desc, t->cap, i + 1) - FENCE, FENCE);
    }
}

void table_release(void *table, const struct table_desc *desc)
{
    const struct table *t = table;
    for (size_t i = 0; i < t->n_packed; i++)
        packed_release(&t->packed[i]);
    mem_free(t->packed);
    if (!t->lent)
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
