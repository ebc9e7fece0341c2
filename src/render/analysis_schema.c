#include <string.h>

#include "base/arena.h"
#include "render/analysis_json_in.h"

struct schema {
    struct jwrite w;
    struct results tables; /* of an empty analysis: their fields are all that counts */
};

/* A type without its last `n` letters. */
struct type {
    const char *text;
    size_t n;
};

static bool ends(struct type t, const char *suffix)
{
    size_t n = strlen(suffix);
    return t.n >= n && !memcmp(t.text + t.n - n, suffix, n);
}

static struct type inner(struct type t, const char *suffix)
{
    return (struct type){t.text, t.n - strlen(suffix)};
}

static void write_type(struct jwrite *w, const char *name, size_t n, bool or_null)
{
    if (!or_null) {
        jw_strn(w, "type", name, n);
        return;
    }
    jw_open(w, "type", '[');
    jw_strn(w, NULL, name, n);
    jw_str(w, NULL, "null");
    jw_close(w);
}

static void write_words(struct jwrite *w, const char *words, bool or_null)
{
    jw_open(w, "enum", '[');
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, "|");
        jw_strn(w, NULL, p, n);
        p += n + (p[n] == '|');
    }
    if (or_null)
        jw_null(w, NULL);
    jw_close(w);
}

/* ---- fields ---- */

static void write_field(struct jwrite *w, const struct field *f)
{
    static const struct {
        const char *name;
        bool or_null;
    } types[] = {[FIELD_I64] = {"integer", false}, [FIELD_U64] = {"integer", false},
                 [FIELD_U32] = {"integer", false}, [FIELD_I32] = {"integer", false},
                 [FIELD_NUM] = {"number", true},   [FIELD_TEXT] = {"string", true},
                 [FIELD_BOOL] = {"boolean", false}};
    jw_open(w, f->key, '{');
    write_type(w, types[f->type].name, strlen(types[f->type].name), types[f->type].or_null);
    jw_str(w, "description", f->doc);
    if (*f->unit)
        jw_str(w, "x-unit", f->unit);
    jw_close(w);
}

static void write_member(struct schema *s, const char *key, const struct member *m);

/* properties and required: first the fields, then the members. */
static void write_properties(struct schema *s, const struct fields *f, const struct member *members)
{
    struct jwrite *w = &s->w;
    jw_open(w, "properties", '{');
    for (size_t i = 0; f && i < f->n; i++)
        write_field(w, &f->v[i]);
    for (const struct member *m = members; m && m->key; m++)
        write_member(s, m->key, m);
    jw_close(w);
    jw_open(w, "required", '[');
    for (size_t i = 0; f && i < f->n; i++)
        jw_str(w, NULL, f->v[i].key);
    for (const struct member *m = members; m && m->key; m++)
        jw_str(w, NULL, m->key);
    jw_close(w);
    jw_bool(w, "additionalProperties", false);
}

/* ---- members ---- */

static void write_tables(struct schema *s)
{
    struct jwrite *w = &s->w;
    write_type(w, "object", 6, false);
    jw_open(w, "properties", '{');
    for (size_t i = 0; i < s->tables.n; i++) {
        const struct result *r = &s->tables.v[i];
        jw_open(w, r->fields->key, '{');
        jw_str(w, "description", r->fields->doc);
        if (!r->is_object) {
            jw_str(w, "type", "array");
            jw_open(w, "items", '{');
        }
        jw_str(w, "type", "object");
        write_properties(s, r->fields, NULL);
        if (!r->is_object)
            jw_close(w);
        jw_close(w);
    }
    jw_close(w);
    jw_open(w, "required", '[');
    for (size_t i = 0; i < s->tables.n; i++)
        jw_str(w, NULL, s->tables.v[i].fields->key);
    jw_close(w);
    jw_bool(w, "additionalProperties", false);
}

static void write_value(struct schema *s, const struct member *m, struct type t)
{
    struct jwrite *w = &s->w;
    bool or_null = ends(t, "?");
    if (or_null)
        t = inner(t, "?");
    if (ends(t, "[]") || ends(t, "{}")) {
        bool array = ends(t, "[]");
        write_type(w, array ? "array" : "object", array ? 5 : 6, or_null);
        jw_open(w, array ? "items" : "additionalProperties", '{');
        write_value(s, m, inner(t, "[]"));
        jw_close(w);
        return;
    }
    if (ends(t, "tables")) {
        write_tables(s);
        return;
    }
    write_type(w, t.text, t.n, or_null);
    if (m->words)
        write_words(w, m->words, or_null);
    const struct result *table = m->table ? results_find(&s->tables, m->table) : NULL;
    if (ends(t, "object"))
        write_properties(s, table ? table->fields : m->fields, m->members);
}

static void write_member(struct schema *s, const char *key, const struct member *m)
{
    jw_open(&s->w, key, '{');
    if (*m->doc)
        jw_str(&s->w, "description", m->doc);
    write_value(s, m, (struct type){m->type, strlen(m->type)});
    jw_close(&s->w);
}

static void write_form(struct schema *s, const char *title, const struct member *members)
{
    jw_open(&s->w, NULL, '{');
    jw_str(&s->w, "title", title);
    jw_str(&s->w, "type", "object");
    write_properties(s, NULL, members);
    jw_close(&s->w);
}

void analysis_json_schema(struct str *out)
{
    struct schema s = {0};
    struct analysis *none = arena_new(out->arena, struct analysis);
    analysis_results(none, &s.tables, out->arena);
    jw_init(&s.w, out, 2);
    jw_open(&s.w, NULL, '{');
    jw_str(&s.w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    jw_str(&s.w, "$id", "urn:gpusight:analysis:" ANALYSIS_SCHEMA_VERSION);
    jw_str(&s.w, "title", "gpusight analysis");
    jw_str(&s.w, "description",
           "What 'gpusight analyze --format json' writes. Times are integers in nanoseconds; null "
           "means that it cannot be said. Made by 'gpusight --generate schema'.");
    jw_open(&s.w, "oneOf", '[');
    write_form(&s, "of a trace", analysis_members);
    write_form(&s, "of source code alone", source_only_members);
    write_form(&s, "of a thread trace alone", att_only_members);
    jw_close(&s.w);
    jw_close(&s.w);
}
