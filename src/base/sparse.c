#include "base/sparse.h"

#include <string.h>

#include "base/array.h"

void sparse_make(struct sparse *s, const uint32_t *dense, size_t rows, struct arena *a)
{
    *s = (struct sparse){0};
    for (size_t i = 0; i < rows; i++)
        s->n += dense[i] != NO_INDEX;
    if (!s->n)
        return;
    uint32_t *v = arena_array(a, uint32_t, s->n), n = 0;
    sparse_marks(s, rows, a);
    for (size_t i = 0; i < rows; i++) {
        if (dense[i] == NO_INDEX)
            continue;
        sparse_mark(s, i);
        v[n++] = dense[i];
    }
    sparse_marked(s, rows);
    s->v = v;
}

void sparse_marks(struct sparse *s, size_t rows, struct arena *a)
{
    *s = (struct sparse){.has = arena_array(a, uint64_t, rows / 64 + 1),
                         .before = arena_array(a, uint32_t, rows / 64 + 1)};
}

size_t sparse_row(const struct sparse *s, uint32_t place, size_t rows)
{
    size_t word = 0;
    BISECT(word, rows / 64 + 1, mid, s->before[mid] <= place);
    word--; /* the last one that begins at that place or before it */
    uint64_t bits = s->has[word];
    for (uint32_t i = s->before[word]; i < place; i++)
        bits &= bits - 1;
    return word * 64 + (size_t)__builtin_ctzll(bits);
}

void sparse_unmark(struct sparse *s, size_t rows)
{
    memset(s->has, 0, (rows / 64 + 1) * sizeof(*s->has));
    s->n = 0;
}

void sparse_marked(struct sparse *s, size_t rows)
{
    uint32_t n = 0;
    for (size_t i = 0; i <= rows / 64; i++) {
        s->before[i] = n;
        n += bits_set(s->has[i]);
    }
    s->n = n;
}
