/* Which entry it is, and where its columns lie. */
#define _GNU_SOURCE /* realpath */
#include "cache/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/sat.h"
#include "cache/folder.h"
#include "cache/sum.h"

static void add_table(struct entry_columns *out, void *table, const struct table_desc *desc,
                      struct arena *a)
{
    size_t n = ((struct table *)table)->n;
    for (size_t i = 0; n && i < desc->n_columns; i++) {
        const struct column_desc *c = &desc->columns[i];
        out->bytes = (out->bytes + ENTRY_ALIGN - 1) & ~(uint64_t)(ENTRY_ALIGN - 1);
        struct entry_column column = {.rule = cache_column_rule(desc->name, c),
                                      .desc = c,
                                      .table = table,
                                      .rows = n,
                                      .at = out->bytes,
                                      .bytes = (uint64_t)n * c->size,
                                      .first_piece = out->pieces};
        out->bytes = add_bytes(out->bytes, column.bytes);
        out->pieces += (size_t)((column.bytes - 1) / ENTRY_PIECE + 1);
        vec_push(&out->v, a, column);
    }
}

bool entry_columns(struct entry_columns *out, struct trace *t, struct arena *a)
{
    *out = (struct entry_columns){.bytes = 0};
#define ADD(name)                                                                                  \
    if (t->name.n >= NO_INDEX)                                                                     \
        return false;                                                                              \
    add_table(out, &t->name, &name##_desc, a);
    TRACE_TABLES(ADD)
#undef ADD
    return true;
}

const struct entry_column *entry_piece(const struct entry_columns *c, size_t piece, uint64_t *from,
                                       size_t *bytes)
{
    size_t i = 0;
    while (i + 1 < c->v.n && c->v.v[i + 1].first_piece <= piece)
        i++;
    const struct entry_column *column = &c->v.v[i];
    *from = (uint64_t)(piece - column->first_piece) * ENTRY_PIECE;
    uint64_t left = column->bytes - *from;
    *bytes = (size_t)(left < ENTRY_PIECE ? left : ENTRY_PIECE);
    return column;
}

/* The name of the file: two checksums of all that the entry is asked for by. */
static const char *file_name(const struct cache_of *of)
{
    struct cache_sum s[2];
    for (unsigned k = 0; k < 2; k++) {
        cache_sum_init(&s[k]);
        cache_sum_add(&s[k], &k, sizeof(k));
        cache_sum_add(&s[k], of->options, strlen(of->options));
        for (size_t i = 0; i < of->names.n; i++) {
            char *real = realpath(of->names.v[i], NULL); /* one name, several folders */
            cache_sum_add(&s[k], of->names.v[i], strlen(of->names.v[i]));
            cache_sum_add(&s[k], real ? real : "", real ? strlen(real) : 0);
            free(real);
        }
    }
    return arena_printf(of->arena, "%s/%016llx%016llx%s", of->dir,
                        (unsigned long long)cache_sum_end(&s[0]),
                        (unsigned long long)cache_sum_end(&s[1]), CACHE_EXTENSION);
}

struct cache_of *cache_of(const char *dir, const struct cache_inputs *names,
                          const struct cache_inputs *inputs, const char *options, int threads,
                          struct arena *a, struct gs_error *err)
{
    if (!cache_folder(dir, err))
        return NULL;
    struct cache_of *of = arena_new(a, struct cache_of);
    *of = (struct cache_of){.dir = dir,
                            .names = *names,
                            .inputs = *inputs,
                            .options = options,
                            .readable = true,
                            .threads = threads,
                            .arena = a};
    of->path = file_name(of);
    of->identities = arena_array(a, struct identity, inputs->n);
    for (size_t i = 0; i < inputs->n; i++)
        of->readable &= identity_take(&of->identities[i], inputs->v[i]);
    return of;
}
