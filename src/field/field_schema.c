#include <stdlib.h>

#include "field/field_in.h"

static const char *const types[] = {
    [FIELD_I64] = "integer",   [FIELD_U64] = "integer",  [FIELD_U32] = "integer",
    [FIELD_I32] = "integer",   [FIELD_NUM] = "number",   [FIELD_TEXT] = "string",
    [FIELD_CHARS] = "string",  [FIELD_BOOL] = "boolean", [FIELD_ENUM] = "string",
    [FIELD_SET] = "array",     [FIELD_FIXED] = "string", [FIELD_NULL] = "null",
    [FIELD_OBJECT] = "object", [FIELD_REF] = "object",   [FIELD_LIST] = "array",
    [FIELD_MAP] = "object",    [FIELD_PAIRS] = "object", [FIELD_TABLES] = "object",
};

static bool may_be_null(const struct field *f)
{
    return f->null == NULL_MAYBE ||
           (f->null == NULL_BY_TYPE && (f->type == FIELD_NUM || f->type == FIELD_TEXT));
}

static void write_type(struct jwrite *w, const struct field *f)
{
    const char *name = f->divide > 0 ? "number" : types[f->type];
    if (!may_be_null(f)) {
        jw_str(w, "type", name);
        return;
    }
    jw_open(w, "type", '[');
    jw_str(w, NULL, name);
    jw_str(w, NULL, "null");
    jw_close(w);
}

static void write_least(struct jwrite *w, const struct field *f)
{
    bool counts = f->type == FIELD_U64 || f->type == FIELD_U32;
    if (f->least || counts)
        jw_int(w, "minimum", f->least ? strtoll(f->least, NULL, 10) : 0);
}

static void write_words(struct jwrite *w, const struct field *f)
{
    jw_open(w, "enum", '[');
    for (const char *const *word = f->words; *word; word++)
        jw_str(w, NULL, *word);
    if (may_be_null(f))
        jw_null(w, NULL);
    jw_close(w);
}

static void write_value(struct jwrite *w, const struct field *f, const void *row);

/* A row of a list, or the value of a map. */
static void write_item(struct jwrite *w, const char *key, const struct fields *f)
{
    jw_open(w, key, '{');
    if (fields_are_bare(f)) {
        write_value(w, f->v, NULL);
    } else {
        jw_str(w, "type", "object");
        fields_schema(w, f, NULL);
    }
    jw_close(w);
}

static void write_tables(struct jwrite *w, const struct results *all)
{
    jw_open(w, "properties", '{');
    for (size_t i = 0; i < all->n; i++) {
        const struct result *r = &all->v[i];
        struct field table = {.type = r->is_object ? FIELD_OBJECT : FIELD_LIST,
                              .doc = r->fields->doc,
                              .of = r->fields};
        jw_open(w, r->fields->key, '{');
        write_value(w, &table, NULL);
        jw_close(w);
    }
    jw_close(w);
    jw_open(w, "required", '[');
    for (size_t i = 0; i < all->n; i++)
        jw_str(w, NULL, all->v[i].fields->key);
    jw_close(w);
    jw_bool(w, "additionalProperties", false);
}

static void write_value(struct jwrite *w, const struct field *f, const void *row)
{
    if (f->doc && *f->doc)
        jw_str(w, "description", f->doc);
    write_type(w, f);
    write_least(w, f);
    if (f->type == FIELD_SET) {
        struct field word = {.type = FIELD_TEXT, .words = f->words, .null = NULL_NEVER};
        jw_open(w, "items", '{');
        write_value(w, &word, NULL);
        jw_close(w);
    } else if (f->words) {
        write_words(w, f);
    }
    if (f->type == FIELD_OBJECT || f->type == FIELD_REF)
        fields_schema(w, f->of, f->type == FIELD_OBJECT && row ? field_target(f, row) : NULL);
    if (f->type == FIELD_LIST || f->type == FIELD_MAP)
        write_item(w, f->type == FIELD_LIST ? "items" : "additionalProperties", f->of);
    if (f->type == FIELD_PAIRS) {
        jw_open(w, "additionalProperties", '{');
        write_value(w, &f->of->v[1], NULL);
        jw_close(w);
    }
    if (f->type == FIELD_TABLES && row)
        write_tables(w, field_target(f, row));
    if (f->unit != NO_UNIT)
        jw_str(w, "x-unit", unit_word(f->unit));
}

static void write_properties(struct jwrite *w, const struct fields *f, const void *row)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct field *v = &f->v[i];
        if (field_is_spread(v))
            write_properties(w, v->of, NULL);
        if (field_is_spread(v) || field_is_spread_pairs(v))
            continue;
        jw_open(w, v->key, '{');
        write_value(w, v, row);
        jw_close(w);
    }
}

static void write_required(struct jwrite *w, const struct fields *f)
{
    for (size_t i = 0; i < f->n; i++) {
        if (field_is_spread(&f->v[i]))
            write_required(w, f->v[i].of);
        else if (f->v[i].null != NULL_OMITTED && !field_is_spread_pairs(&f->v[i]))
            jw_str(w, NULL, f->v[i].key);
    }
}

/* What may stand there under other names. */
static void write_others(struct jwrite *w, const struct fields *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (field_is_spread_pairs(&f->v[i])) {
            jw_open(w, "additionalProperties", '{');
            write_value(w, &f->v[i].of->v[1], NULL);
            jw_close(w);
            return;
        }
    jw_bool(w, "additionalProperties", false);
}

void fields_schema(struct jwrite *w, const struct fields *f, const void *example)
{
    jw_open(w, "properties", '{');
    write_properties(w, f, example);
    jw_close(w);
    jw_open(w, "required", '[');
    write_required(w, f);
    jw_close(w);
    write_others(w, f);
}

void fields_schema_document(struct str *out, const char *id, const char *title, const char *doc,
                            const struct fields *f)
{
    struct jwrite w;
    jw_init(&w, out, 2);
    jw_open(&w, NULL, '{');
    jw_str(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    jw_str(&w, "$id", id);
    jw_str(&w, "title", title);
    jw_str(&w, "description", doc);
    jw_str(&w, "type", "object");
    fields_schema(&w, f, NULL);
    jw_close(&w);
}
