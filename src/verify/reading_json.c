/*
 * Values of a JSON document as passages, each with its path and the texts beside it.
 */
#include <ctype.h>
#include <string.h>

#include "base/hash.h"
#include "verify/reading.h"

/* A path is told apart by this many bytes: a document made to harm must not multiply. */
enum { DEPTH = 256, NAMES_MAX = 600, PATH_BYTES = 1000, KEY_BYTES = 200 };

struct scan {
    struct reading *r;
    const char *text;
    size_t i, n, from;
    int depth;
    struct str path, key, escaped; /* the two are used again for each */
    VEC(const char *) keys;        /* each is kept once: a document repeats few of them */
    struct idmap known;            /* hash to place in keys */
};

static bool value(struct scan *s, const char *key, uint32_t object);

static void space(struct scan *s)
{
    while (s->i < s->n && isspace((unsigned char)s->text[s->i]))
        s->i++;
}

static bool take(struct scan *s, char c)
{
    space(s);
    if (s->i >= s->n || s->text[s->i] != c)
        return false;
    s->i++;
    return true;
}

static int hex(const char *p)
{
    int v = 0;
    for (int i = 0; i < 4; i++) {
        int c = tolower((unsigned char)p[i]);
        if (!isxdigit(c))
            return -1;
        v = v * 16 + (isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    return v;
}

static void put_code_point(struct str *out, int c)
{
    if (c < 0x80)
        str_putc(out, (char)c);
    else if (c < 0x800) {
        str_putc(out, (char)(0xc0 | c >> 6));
        str_putc(out, (char)(0x80 | (c & 63)));
    } else {
        str_putc(out, (char)(0xe0 | c >> 12));
        str_putc(out, (char)(0x80 | (c >> 6 & 63)));
        str_putc(out, (char)(0x80 | (c & 63)));
    }
}

/* Behind the quote. Into the reading, or into a key. */
static bool string(struct scan *s, struct str *key)
{
    struct str *one = &s->escaped;
    while (s->i < s->n && s->text[s->i] != '"') {
        size_t at = s->i;
        char c = s->text[s->i++];
        if (c != '\\') {
            if (key)
                str_putc(key, c);
            else
                reading_put(s->r, c == '\n' ? ' ' : c, s->from + at);
            continue;
        }
        if (s->i >= s->n)
            return false;
        c = s->text[s->i++];
        static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
        const char *known = strchr(from, c);
        str_clear(one);
        if (c == 'u') {
            int code = s->n - s->i >= 4 ? hex(s->text + s->i) : -1;
            if (code < 0)
                return false;
            s->i += 4;
            put_code_point(one, code);
        } else
            str_putc(one, known && c ? to[known - from] : c);
        for (size_t k = 0; k < one->len; k++) {
            char b = one->buf[k];
            if (key)
                str_putc(key, b);
            else
                reading_put(s->r, b, s->from + at);
        }
    }
    return s->i++ < s->n;
}

static struct passage *begin(struct scan *s, const char *key, uint32_t object)
{
    struct passage *p = reading_begin(s->r);
    p->path = arena_strndup(s->r->arena, s->path.buf,
                            s->path.len < PATH_BYTES ? s->path.len : PATH_BYTES);
    s->r->path_size += s->path.len < PATH_BYTES ? s->path.len : PATH_BYTES;
    p->key = key;
    p->object = object;
    return p;
}

static void end(struct scan *s, size_t me)
{
    struct passage *p = &s->r->passages.v[me];
    p->n = s->r->text.len - p->at;
    reading_put(s->r, '\n', s->from + s->i);
}

/* Texts name what stands beside them; sentences do not. */
static void add_name(struct scan *s, uint32_t object, size_t me)
{
    const struct passage *p = &s->r->passages.v[me];
    if (object == NO_INDEX || !text_is_name(s->r->text.buf + p->at, p->n))
        return;
    struct json_object *o = &s->r->objects.v[object];
    if (!o->names.buf)
        str_init(&o->names, s->r->arena);
    if (o->names.len < NAMES_MAX) {
        str_put(&o->names, s->r->text.buf + p->at, p->n);
        str_putc(&o->names, '\n');
    }
}

static bool scalar(struct scan *s, const char *key, uint32_t object)
{
    size_t me = s->r->passages.n;
    if (take(s, '"')) {
        begin(s, key, object);
        bool ok = string(s, NULL);
        end(s, me);
        add_name(s, object, me);
        return ok;
    }
    size_t start = s->i;
    while (s->i < s->n && (isalnum((unsigned char)s->text[s->i]) || strchr("+-.", s->text[s->i])))
        s->i++;
    if (s->i == start)
        return false;
    begin(s, key, object)->is_number = true;
    for (size_t k = start; k < s->i; k++)
        reading_put(s->r, s->text[k], s->from + k);
    end(s, me);
    return true;
}

static const char *kept_key(struct scan *s)
{
    if (s->key.len > KEY_BYTES)
        s->key.buf[s->key.len = KEY_BYTES] = 0;
    uint64_t hash = hash_bytes(s->key.buf, s->key.len);
    uint32_t at = idmap_get(&s->known, hash);
    if (at != NO_INDEX && str_eq(s->keys.v[at], s->key.buf))
        return s->keys.v[at];
    const char *key = arena_strdup(s->r->arena, s->key.buf);
    idmap_put(&s->known, hash, (uint32_t)s->keys.n);
    vec_push(&s->keys, s->r->arena, key);
    return key;
}

static bool members(struct scan *s, uint32_t parent)
{
    struct json_object o = {.parent = parent};
    uint32_t me = (uint32_t)s->r->objects.n;
    vec_push_alone(&s->r->objects, s->r->arena, o);
    if (take(s, '}'))
        return true;
    do {
        size_t old = s->path.len;
        str_clear(&s->key);
        if (!take(s, '"') || !string(s, &s->key) || !take(s, ':'))
            return false;
        const char *key = kept_key(s);
        str_printf(&s->path, "%s%s", old ? "." : "", key);
        if (!value(s, key, me))
            return false;
        s->path.len = old;
        s->path.buf[old] = 0;
    } while (take(s, ','));
    return take(s, '}');
}

static bool items(struct scan *s, const char *key, uint32_t object)
{
    size_t index = 0;
    if (take(s, ']'))
        return true;
    do {
        size_t old = s->path.len;
        str_printf(&s->path, "[%zu]", index++);
        if (!value(s, key, object))
            return false;
        s->path.len = old;
        s->path.buf[old] = 0;
    } while (take(s, ','));
    return take(s, ']');
}

static bool value(struct scan *s, const char *key, uint32_t object)
{
    space(s);
    if (s->i >= s->n || s->depth >= DEPTH || s->r->full)
        return false;
    char c = s->text[s->i];
    if (c != '{' && c != '[')
        return scalar(s, key, object);
    s->i++;
    s->depth++;
    bool ok = c == '{' ? members(s, object) : items(s, key, object);
    s->depth--;
    return ok;
}

bool reading_json(struct reading *r, const char *json, size_t n, size_t from)
{
    struct scan s = {.r = r, .text = json, .n = n, .from = from};
    str_init(&s.path, r->arena);
    str_init(&s.key, r->arena);
    str_init(&s.escaped, r->arena);
    idmap_init(&s.known, r->arena);
    bool ok = value(&s, "", NO_INDEX);
    space(&s);
    /* Lines of JSON one below the other are a document as well. */
    while (ok && s.i < n && json[s.i] == '{') {
        ok = value(&s, "", NO_INDEX);
        space(&s);
    }
    return ok && s.i >= n;
}
