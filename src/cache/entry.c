/* Which entry it is, what is in it, and where its columns lie. */
#define _GNU_SOURCE /* realpath */
#include "cache/entry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sat.h"
#include "cache/folder.h"
#include "cache/sum.h"

/* ---- what is small ---- */

void entry_pack_origin(struct pack *p, struct cache_of *of)
{
    PACK_VEC(p, &of->names, pack_text);
    pack_text(p, &of->options);
    PACK_VEC(p, &of->inputs, pack_text);
    for (size_t i = 0; i < of->inputs.n; i++)
        PACK(p, of->identities[i]);
}

static void pack_file(struct pack *p, struct trace_file *f)
{
    const char **texts[] = {&f->path, &f->schema_version, &f->tool_version,
                            &f->guid, &f->reader,         &f->reader_reason};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        pack_text(p, texts[i]);
    PACK(p, f->format);
    PACK(p, f->flavor);
    PACK(p, f->bytes);
    PACK(p, f->origin_ns);
    p->bad |= !f->path || (unsigned)f->format >= TRACE_FORMATS || (unsigned)f->flavor >= WRITERS;
}

/* A pointer is of use to nobody: the text goes beside the row. */
static void pack_process(struct pack *p, struct process *v)
{
    struct process row = *v;
    row.rank_source = NULL;
    PACK(p, row);
    if (p->out) {
        pack_text(p, &v->rank_source);
        return;
    }
    pack_text(p, &row.rank_source);
    *v = row;
}

static void pack_note(struct pack *p, struct note *v)
{
    PACK(p, v->kind);
    PACK(p, v->count);
    pack_text(p, &v->text);
    p->bad |= v->kind > NOTE_OTHER || !v->text;
}

static void pack_lists(struct pack *p, struct trace *t)
{
    PACK_VEC(p, &t->processes, pack_process);
#define LIST(list, type)                                                                           \
    if ((void *)&t->list != (void *)&t->processes)                                                 \
        PACK_FLAT(p, &t->list);                                                                    \
    p->bad |= t->list.n >= NO_INDEX;
    CACHE_LISTS(LIST)
#undef LIST
    PACK_VEC(p, &t->notes, pack_note);
    PACK_FLAT(p, &t->loads);
    for (size_t i = 0; i < t->loads.n; i++)
        p->bad |= t->loads.v[i].processes > t->processes.n;
}

/* Texts that no row refers to are left out, and keep their numbers: secrets may be among them. */
static void write_strings(struct pack *p, const struct trace *t)
{
    const bool *used = cache_strings_used(t, p->out->arena);
    pack_count(p, t->strings.n, 1);
    for (size_t i = 0; i < t->strings.n; i++) {
        uint32_t len = used[i] ? t->strings.v[i].len : 0;
        PACK(p, len);
    }
    for (size_t i = 0; i < t->strings.n; i++)
        str_put(p->out, used[i] ? t->strings.v[i].text : "",
                used[i] ? (size_t)t->strings.v[i].len + 1 : 1);
}

/* The first string is "", as in every trace. Others that are empty were used by nobody. */
static void read_strings(struct pack *p, struct trace *t)
{
    size_t n = pack_count(p, 0, sizeof(uint32_t));
    const char *lengths = pack_here(p, n * sizeof(uint32_t));
    p->bad |= n < 1 || n >= NO_INDEX;
    if (!p->bad)
        vec_reserve(&t->strings, &t->arena, n);
    for (size_t i = 0; i < n && !p->bad; i++) {
        uint32_t len;
        memcpy(&len, lengths + i * sizeof(len), sizeof(len));
        const char *text = pack_here(p, (size_t)len + 1);
        if (!text || text[len] || memchr(text, 0, len) || (!i && len))
            p->bad = true;
        else if (len)
            strings_place(&t->strings, text, len);
        else if (i)
            strings_skip(&t->strings);
    }
}

void entry_pack_trace(struct pack *p, struct trace *t)
{
    PACK(p, t->masked_values);
    PACK(p, t->lifted_calls);
    PACK(p, t->sample_records);
    PACK(p, t->counter_records);
    PACK_VEC(p, &t->files, pack_file);
    if (p->out)
        write_strings(p, t);
    else
        read_strings(p, t);
    pack_lists(p, t);
#define ROWS(name) PACK(p, t->name.n);
    TRACE_TABLES(ROWS)
#undef ROWS
}

/* ---- the columns ---- */

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
    assert(piece < c->pieces);
    size_t i = 0;
    while (i + 1 < c->v.n && c->v.v[i + 1].first_piece <= piece)
        i++;
    const struct entry_column *column = &c->v.v[i];
    *from = (uint64_t)(piece - column->first_piece) * ENTRY_PIECE;
    assert(*from < column->bytes && column->at % ENTRY_ALIGN == 0);
    uint64_t left = column->bytes - *from;
    *bytes = (size_t)(left < ENTRY_PIECE ? left : ENTRY_PIECE);
    return column;
}

/* ---- the file ---- */

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
