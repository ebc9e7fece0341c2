#include <stdlib.h>

#include "base/str.h"
#include "tool/ask.h"

/*
 * Arguments are checked before they are read: what a client meant and wrote wrongly is told, not
 * passed over. Null stands for "not given".
 */
struct check {
    const struct fields *params;
    struct jread *j;
    const char *key; /* of the value that is looked at */
    struct gs_error *err;
};

static const struct field *find(const struct fields *f, const char *key)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct field *inner = f->v[i].key ? NULL : find(f->v[i].of, key);
        if (inner || (f->v[i].key && str_eq(f->v[i].key, key)))
            return inner ? inner : &f->v[i];
    }
    return NULL;
}

static void list_keys(const struct fields *f, struct str *out)
{
    for (size_t i = 0; i < f->n; i++) {
        if (!f->v[i].key)
            list_keys(f->v[i].of, out);
        else
            str_printf(out, "%s%s", out->len ? ", " : "", f->v[i].key);
    }
}

static bool unknown(struct check *c, struct arena *arena)
{
    struct str keys;
    str_init(&keys, arena);
    list_keys(c->params, &keys);
    return fail(c->err, GS_E_USAGE, "unknown argument '%s'; %s%s", c->key,
                keys.len ? "there are " : "the tool takes none", keys.buf);
}

static bool wrong(struct check *c, const char *wanted)
{
    return fail(c->err, GS_E_USAGE, "argument '%s' must be %s", c->key, wanted);
}

static bool check_integer(struct check *c, const struct field *f)
{
    bool counts = f->type == FIELD_U64;
    if (jr_type(c->j) != J_NUMBER)
        return wrong(c, counts ? "a whole number" : "an integer");
    int64_t least = f->least ? strtoll(f->least, NULL, 10) : counts ? 0 : INT64_MIN + 1;
    int64_t v = jr_int(c->j, INT64_MIN);
    if (v == INT64_MIN)
        return wrong(c, "an integer of 64 bits");
    return v >= least || fail(c->err, GS_E_USAGE, "argument '%s' must be %lld at least, not %lld",
                              c->key, (long long)least, (long long)v);
}

static bool check_word(struct check *c, const struct field *f, struct arena *arena)
{
    size_t n;
    const char *s = jr_str(c->j, &n);
    struct str words;
    if (s && strlen(s) != n)
        return wrong(c, "a text without zero bytes");
    if (!s || !f->words)
        return true;
    str_init(&words, arena);
    for (const char *const *w = f->words; *w; w++) {
        if (str_eq(s, *w))
            return true;
        str_printf(&words, "%s%s", words.len ? ", " : "", *w);
    }
    return fail(c->err, GS_E_USAGE, "argument '%s' must be one of %s, not '%.80s'", c->key,
                words.buf, s);
}

static bool check_value(struct check *c, const struct field *f, struct arena *arena)
{
    enum jtype type = jr_type(c->j);
    switch (f->type) {
    case FIELD_I64:
    case FIELD_U64:
        return check_integer(c, f);
    case FIELD_BOOL:
        jr_skip(c->j);
        return type == J_BOOL || wrong(c, "true or false");
    case FIELD_LIST:
        if (!jr_array(c->j))
            return wrong(c, "a list of texts");
        while (jr_item(c->j))
            if (jr_type(c->j) != J_STRING || !check_word(c, f, arena))
                return wrong(c, "a list of texts");
        return true;
    default:
        if (type != J_STRING)
            return wrong(c, "a text");
        return check_word(c, f, arena);
    }
}

static bool check_all(struct check *c, struct arena *arena)
{
    if (jr_type(c->j) != J_OBJECT) {
        jr_skip(c->j);
        return jr_end(c->j, c->err) &&
               fail(c->err, GS_E_USAGE, "the arguments must be a JSON object");
    }
    jr_object(c->j);
    while (jr_key(c->j)) {
        c->key = arena_strndup(arena, c->j->text, c->j->text_len);
        const struct field *f = find(c->params, c->key);
        if (!f)
            return unknown(c, arena);
        if (jr_type(c->j) == J_NULL)
            jr_skip(c->j);
        else if (!check_value(c, f, arena))
            return false;
    }
    return jr_end(c->j, c->err);
}

static bool check_required(const struct fields *f, const struct tool_args *a, struct gs_error *err)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct field *v = &f->v[i];
        if (!v->key ? !check_required(v->of, a, err)
                    : v->null == NULL_NEVER && v->type == FIELD_TEXT &&
                          !*(const char *const *)(const void *)((const char *)a + v->offset))
            return v->key ? fail(err, GS_E_USAGE, "argument '%s' is missing", v->key) : false;
    }
    return true;
}

bool tool_args_read(struct tool_args *out, const struct fields *params, const char *json,
                    size_t len, struct arena *arena, struct gs_error *err)
{
    struct check *c = arena_new(arena, struct check);
    *out = (struct tool_args){0};
    c->params = params;
    c->err = err;
    if (!len) {
        json = "{}";
        len = 2;
    }
    c->j = jr_text(arena, json, len);
    if (!check_all(c, arena))
        return false;
    fields_read(jr_text(arena, json, len), params, out, arena);
    return check_required(params, out, err);
}
