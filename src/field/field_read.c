#include <math.h>
#include <string.h>

#include "base/sat.h"
#include "field/field_in.h"

static uint32_t read_u32(struct jread *j)
{
    uint64_t v = bound_bytes(jr_uint(j, 0));
    return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

/* The number of a word; -1: it is none of them. */
static int read_word(struct jread *j, const struct field *f)
{
    return str_word(jr_str(j, NULL), f->words);
}

static void read_set(struct jread *j, const struct field *f, unsigned *set)
{
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        int i = read_word(j, f);
        *set |= i < 0 ? 0 : 1u << i;
    }
}

static void read_field(struct jread *j, const struct field *f, void *row, struct arena *a);

/* A row at the end. */
static void *add_row(const struct field *f, void *row, struct arena *a)
{
    struct field_list list = field_list(f, row);
    list.v = vec_reserve_(a, list.v, &list.cap, list.n + 1, f->of->row_size);
    void *added = list.v + list.n++ * f->of->row_size;
    memcpy((char *)row + f->offset, &list, sizeof(list));
    if (f->of->start)
        memcpy(added, f->of->start, f->of->row_size);
    return added;
}

static void read_list(struct jread *j, const struct field *f, void *row, struct arena *a)
{
    if (!jr_array(j))
        return;
    bool bare = fields_are_bare(f->of);
    void *item = NULL;
    for (size_t i = 0; jr_item(j); i++) {
        size_t place = bare ? i % f->of->n : 0;
        if (!place)
            item = add_row(f, row, a);
        if (bare)
            read_field(j, &f->of->v[place], item, a);
        else
            fields_read(j, f->of, item, a);
    }
}

static void read_map(struct jread *j, const struct field *f, void *row, struct arena *a)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        void *item = add_row(f, row, a);
        const char *name = arena_strndup(a, j->text, j->text_len);
        if (f->type == FIELD_MAP)
            fields_read(j, f->of, item, a);
        else
            read_field(j, &f->of->v[1], item, a);
        *(const char **)((char *)item + f->of->v[0].offset) = name;
    }
}

static void read_ref(struct jread *j, const struct field *f, void *at, struct arena *a)
{
    if (jr_type(j) != J_OBJECT) {
        jr_skip(j);
        return;
    }
    void *row = arena_alloc(a, f->of->row_size);
    memcpy(at, &row, sizeof(row));
    fields_read(j, f->of, row, a);
}

static void read_field(struct jread *j, const struct field *f, void *row, struct arena *a)
{
    void *at = (char *)row + f->offset;
    int i;
    if (f->flag)
        *(bool *)((char *)row + f->flag - 1) = jr_type(j) != J_NULL;
    if (f->divide > 0) { /* a copy of another member, in another unit */
        jr_skip(j);
        return;
    }
    switch (f->type) {
    case FIELD_I64:
        *(int64_t *)at = bound_ns(jr_int(j, 0));
        break;
    case FIELD_U64:
        *(uint64_t *)at = bound_bytes(jr_uint(j, 0));
        break;
    case FIELD_U32:
        *(uint32_t *)at = read_u32(j);
        break;
    case FIELD_I32:
        *(int32_t *)at = (int32_t)jr_int(j, -1);
        break;
    case FIELD_NUM:
        *(double *)at = jr_num(j, NAN);
        break;
    case FIELD_TEXT:
        *(const char **)at = jr_strdup(j, a);
        break;
    case FIELD_BOOL:
        *(bool *)at = jr_bool(j, false);
        break;
    case FIELD_ENUM:
        i = read_word(j, f);
        *(int *)at = i < 0 ? *(int *)at : i;
        break;
    case FIELD_SET:
        read_set(j, f, at);
        break;
    case FIELD_OBJECT:
        fields_read(j, f->of, at, a);
        break;
    case FIELD_REF:
        read_ref(j, f, at, a);
        break;
    case FIELD_LIST:
        read_list(j, f, row, a);
        break;
    case FIELD_MAP:
    case FIELD_PAIRS:
        read_map(j, f, row, a);
        break;
    case FIELD_CHARS:
    case FIELD_FIXED:
    case FIELD_NULL:
    case FIELD_TABLES:
        jr_skip(j);
        break;
    }
}

/* The member whose key was read; false: there is none, nothing is consumed. */
static bool read_member(struct jread *j, const struct fields *f, void *row, struct arena *a)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct field *v = &f->v[i];
        if (v->key && jr_is(j, v->key)) {
            read_field(j, v, row, a);
            return true;
        }
        if (!v->key && v->type == FIELD_OBJECT && read_member(j, v->of, (char *)row + v->offset, a))
            return true;
    }
    return false;
}

void fields_read(struct jread *j, const struct fields *f, void *row, struct arena *a)
{
    if (!jr_object(j))
        return;
    while (jr_key(j))
        if (!read_member(j, f, row, a))
            jr_skip(j);
}
