#include <assert.h>
#include <string.h>

#include "field/field_in.h"

static bool is_list(const struct field *f)
{
    return f->type == FIELD_LIST || f->type == FIELD_MAP || f->type == FIELD_PAIRS;
}

/* Nothing to say: the key of a NULL_OMITTED is left out as well. */
static bool is_empty(const struct field *f, const void *row)
{
    if (!field_has(f, row))
        return true;
    if (f->has || f->flag)
        return false;
    if (is_list(f))
        return !field_list(f, row).n;
    if (f->type == FIELD_OBJECT || f->type == FIELD_REF)
        return !field_target(f, row);
    struct field_value v = field_get(f, row);
    return v.kind == VALUE_NONE || (v.kind == VALUE_INT && !v.i) ||
           (v.kind == VALUE_UINT && !v.u) || (v.kind == VALUE_BOOL && !v.yes);
}

static void write_field(struct jwrite *w, const char *key, const struct field *f, const void *row);

static const char *key_of(const struct fields *f, const void *row)
{
    struct field_value v = field_get(&f->v[0], row);
    return v.kind == VALUE_TEXT ? v.text : "";
}

static void write_list(struct jwrite *w, const char *key, const struct field *f, const void *row)
{
    struct field_list list = field_list(f, row);
    assert(list.n <= list.cap || !list.cap); /* a VEC; one that is lent has no room */
    assert(f->type != FIELD_PAIRS || f->of->n == 2);
    if (f->type == FIELD_LIST) {
        fields_write_rows(w, key, f->of, list.v, list.n);
        return;
    }
    bool open = !field_is_spread_pairs(f);
    if (open)
        jw_open(w, key, '{');
    for (size_t i = 0; i < list.n; i++) {
        const void *item = list.v + i * f->of->row_size;
        if (f->type == FIELD_MAP)
            fields_write(w, key_of(f->of, item), f->of, item);
        else
            write_field(w, key_of(f->of, item), &f->of->v[1], item);
    }
    if (open)
        jw_close(w);
}

static void write_set(struct jwrite *w, const char *key, const struct field *f, const void *row)
{
    unsigned set = *(const unsigned *)((const char *)row + f->offset);
    jw_open(w, key, '[');
    for (unsigned i = 0; f->words[i]; i++)
        if (set & (1u << i))
            jw_str(w, NULL, f->words[i]);
    jw_close(w);
}

static void write_tables(struct jwrite *w, const char *key, const struct results *all)
{
    jw_open(w, key, '{');
    for (size_t i = 0; i < all->n; i++)
        result_write(w, &all->v[i]);
    jw_close(w);
}

static void write_scalar(struct jwrite *w, const char *key, struct field_value v)
{
    switch (v.kind) {
    case VALUE_INT:
        jw_int(w, key, v.i);
        break;
    case VALUE_UINT:
        jw_uint(w, key, v.u);
        break;
    case VALUE_REAL:
        jw_num(w, key, v.real);
        break;
    case VALUE_TEXT:
        jw_str(w, key, v.text);
        break;
    case VALUE_BOOL:
        jw_bool(w, key, v.yes);
        break;
    case VALUE_NONE:
        jw_null(w, key);
        break;
    }
}

static void write_field(struct jwrite *w, const char *key, const struct field *f, const void *row)
{
    if (f->null == NULL_OMITTED && is_empty(f, row))
        return;
    const void *target = field_has(f, row) ? field_target(f, row) : NULL;
    if (field_is_spread(f)) {
        if (target)
            fields_write_members(w, f->of, target);
    } else if (!target)
        jw_null(w, key);
    else if (is_list(f))
        write_list(w, key, f, row);
    else if (f->type == FIELD_OBJECT || f->type == FIELD_REF)
        fields_write(w, key, f->of, target);
    else if (f->type == FIELD_SET)
        write_set(w, key, f, row);
    else if (f->type == FIELD_TABLES)
        write_tables(w, key, target);
    else
        write_scalar(w, key, field_get(f, row));
}

void fields_write_members(struct jwrite *w, const struct fields *f, const void *row)
{
    for (size_t i = 0; i < f->n; i++)
        write_field(w, f->v[i].key, &f->v[i], row);
}

void fields_write(struct jwrite *w, const char *key, const struct fields *f, const void *row)
{
    jw_open(w, key, '{');
    fields_write_members(w, f, row);
    jw_close(w);
}

void fields_write_rows(struct jwrite *w, const char *key, const struct fields *f, const void *rows,
                       size_t n)
{
    bool bare = fields_are_bare(f);
    jw_open(w, key, '[');
    for (size_t i = 0; i < n; i++) {
        const void *row = (const char *)rows + i * f->row_size;
        if (bare)
            fields_write_members(w, f, row);
        else
            fields_write(w, NULL, f, row);
    }
    jw_close(w);
}

void result_write(struct jwrite *w, const struct result *r)
{
    if (r->is_object)
        fields_write(w, r->fields->key, r->fields, r->rows);
    else
        fields_write_rows(w, r->fields->key, r->fields, r->rows, r->n);
}
