#include "model/table.h"

#include <string.h>

#include "base/mem.h"

static void **array_of(const void *table, const struct column_desc *c)
{
    return (void **)(void *)((char *)(uintptr_t)table + c->offset);
}

void table_reserve(void *table, const struct table_desc *desc, size_t want)
{
    struct table *t = table;
    if (want <= t->cap)
        return;
    size_t cap = want > t->cap * 2 ? want : t->cap * 2;
    for (size_t i = 0; i < desc->n_columns; i++) {
        void **p = array_of(table, &desc->columns[i]);
        *p = mem_realloc(*p, mem_mul(cap, desc->columns[i].size));
    }
    t->cap = cap;
}

void table_release(void *table, const struct table_desc *desc)
{
    for (size_t i = 0; i < desc->n_columns; i++) {
        void **p = array_of(table, &desc->columns[i]);
        mem_free(*p);
        *p = NULL;
    }
    *(struct table *)table = (struct table){0};
}

size_t table_bytes(const void *table, const struct table_desc *desc)
{
    size_t row = 0;
    for (size_t i = 0; i < desc->n_columns; i++)
        row += desc->columns[i].size;
    return row * ((const struct table *)table)->cap;
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
