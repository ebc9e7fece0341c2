#include "llm/json_copy.h"

#include <math.h>

static const char *changed(const struct json_change *c, const char *text, size_t n, bool is_key)
{
    return c ? c->string(c->ctx, text, n, is_key) : text;
}

/* Moments in ns need all their digits, so integers never pass through a double. */
static void copy_number(struct jread *j, struct jwrite *w, const char *key)
{
    size_t n = 0;
    bool negative = *j->at == '-', integer = true;
    while (j->at + n < j->end && strchr("+-.0123456789eE", j->at[n]))
        integer &= !strchr(".eE", j->at[n++]);
    if (integer && n <= 19)
        jw_int(w, key, jr_int(j, 0));
    else if (integer && !negative && n <= 20)
        jw_uint(w, key, jr_uint(j, 0));
    else
        jw_num(w, key, jr_num(j, NAN));
}

static void copy_string(struct jread *j, struct jwrite *w, const char *key,
                        const struct json_change *c)
{
    size_t n;
    const char *text = jr_str(j, &n);
    if (c)
        jw_str(w, key, changed(c, text, n, false));
    else
        jw_strn(w, key, text, n);
}

static void copy_object(struct jread *j, struct jwrite *w, const char *key,
                        const struct json_change *c)
{
    jw_open(w, key, '{');
    if (jr_object(j))
        while (jr_key(j)) {
            const char *name = changed(c, j->text, j->text_len, true);
            json_copy(j, w, arena_strdup(w->out->arena, name ? name : ""), c);
        }
    jw_close(w);
}

static void copy_array(struct jread *j, struct jwrite *w, const char *key,
                       const struct json_change *c)
{
    jw_open(w, key, '[');
    if (jr_array(j))
        while (jr_item(j))
            json_copy(j, w, NULL, c);
    jw_close(w);
}

void json_copy(struct jread *j, struct jwrite *w, const char *key, const struct json_change *c)
{
    enum jtype type = jr_type(j);
    bool deep = w->depth >= JSON_COPY_DEPTH && (type == J_OBJECT || type == J_ARRAY);
    if (deep || type == J_NULL || type == J_NONE) {
        jr_skip(j);
        jw_null(w, key);
    } else if (type == J_OBJECT)
        copy_object(j, w, key, c);
    else if (type == J_ARRAY)
        copy_array(j, w, key, c);
    else if (type == J_STRING)
        copy_string(j, w, key, c);
    else if (type == J_NUMBER)
        copy_number(j, w, key);
    else
        jw_bool(w, key, jr_bool(j, false));
}

const char *json_changed(const char *text, const struct json_change *c, struct arena *a)
{
    struct arena *scratch = arena_scratch();
    struct jread *j = jr_text(scratch, text, strlen(text));
    struct jwrite w;
    struct str out;
    str_init(&out, a);
    jw_init(&w, &out, 0);
    json_copy(j, &w, NULL, c);
    bool ok = jr_end(j, NULL);
    arena_release(scratch);
    return ok ? out.buf : NULL;
}

bool json_insert(struct jwrite *w, const char *key, const char *text, const struct json_change *c)
{
    struct arena *scratch = arena_scratch();
    bool ok = text && json_changed(text, NULL, scratch);
    struct jread *j = jr_text(scratch, ok ? text : "null", ok ? strlen(text) : 4);
    json_copy(j, w, key, c);
    arena_release(scratch);
    return ok;
}

const char *json_object_or_empty(const char *text, struct arena *a)
{
    const char *copy = text ? json_changed(text, NULL, a) : NULL;
    return copy && *copy == '{' ? copy : "{}";
}
