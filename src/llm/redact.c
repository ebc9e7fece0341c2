#include "llm/redact.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "llm/json_copy.h"

static const char *const kind_words[NAME_KINDS] = {
    [NAME_KERNEL] = "KERNEL", [NAME_MARKER] = "MARKER", [NAME_FUNCTION] = "FUNCTION",
    [NAME_CALL] = "CALL",     [NAME_HOST] = "HOST",     [NAME_USER] = "USER",
    [NAME_PATH] = "PATH",     [NAME_FILE] = "FILE",     [NAME_COMMAND] = "COMMAND",
    [NAME_OTHER] = "NAME",    [NAME_GPU] = "GPU_MODEL", [NAME_TEXT] = "TEXT",
};

enum redact_mode redact_mode_of(const char *word)
{
    return !word || str_eq(word, "names") ? REDACT_NAMES
           : str_eq(word, "all")          ? REDACT_ALL
                                          : REDACT_NONE;
}

void redact_init(struct redact *r, enum redact_mode mode, struct arena *a)
{
    *r = (struct redact){.mode = mode, .arena = a};
    idmap_init(&r->known, a);
}

static uint32_t known(const struct redact *r, const char *text)
{
    return idmap_get(&r->known, hash_bytes(text, strlen(text)));
}

/* Words of our own sentences, keys and commands. */
static const char *const ours[] = {
    "kernel", "kernels", "copy",  "copies", "memory", "device",  "host",  "stream",  "launch",
    "sync",   "time",    "total", "name",   "idle",   "wait",    "busy",  "compute", "gpu",
    "call",   "calls",   "the",   "and",    "of",     "in",      "is",    "to",      "it",
    "trace",  "include", "regex", "output", "format", "command", "share", "none"};

/*
 * "1", "a" and "copy" may be names, too; replacing them everywhere would leave neither numbers nor
 * sentences.
 */
static bool is_name(const char *name, size_t n)
{
    bool letters = false;
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        if (strlen(ours[i]) == n && !memcmp(ours[i], name, n))
            return false;
    for (size_t i = 0; i < n; i++)
        letters |= isalpha((unsigned char)name[i]) || (unsigned char)name[i] >= 0x80;
    return n >= 2 && letters;
}

/* As documents have it: what is no UTF-8 is replaced there. */
static const char *well_formed(const char *name, size_t n, struct arena *a)
{
    struct str out;
    str_init(&out, a);
    for (size_t i = 0, len; i < n; i += len) {
        uint32_t c = utf8_decode(name + i, n - i, &len);
        bool bad = c == 0xfffd && len == 1;
        str_put(&out, bad ? "\xef\xbf\xbd" : name + i, bad ? 3 : len);
    }
    return out.buf;
}

void redact_alias(struct redact *r, uint32_t entry, const char *name)
{
    size_t n = name ? strlen(name) : 0;
    if (entry == NO_INDEX || !n || known(r, name) != NO_INDEX)
        return;
    idmap_put(&r->known, hash_bytes(name, n), entry);
    if (!is_name(name, n)) /* found only where a string is nothing else */
        return;
    vec_push(&r->words, r->arena, ((struct redact_word){name, (uint32_t)n, entry, NO_INDEX}));
    if (!utf8_valid(name, n))
        redact_alias(r, entry, well_formed(name, n, r->arena));
}

uint32_t redact_add(struct redact *r, enum name_kind kind, const char *name, const char *shown)
{
    bool only_all = kind == NAME_CALL || kind == NAME_GPU;
    if (r->mode == REDACT_NONE || !name || !*name || (only_all && r->mode != REDACT_ALL))
        return NO_INDEX;
    uint32_t there = known(r, name);
    if (there != NO_INDEX)
        return there;
    struct redact_entry e = {kind, ++r->numbers[kind], name, shown ? shown : name};
    vec_push(&r->entries, r->arena, e);
    uint32_t entry = (uint32_t)(r->entries.n - 1);
    redact_alias(r, entry, name);
    return entry;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct redact_word *)a)->text, ((const struct redact_word *)b)->text);
}

static bool begins(const struct redact_word *w, const struct redact_word *prefix)
{
    return w->len >= prefix->len && !memcmp(w->text, prefix->text, prefix->len);
}

void redact_seal(struct redact *r)
{
    if (r->words.n)
        qsort(r->words.v, r->words.n, sizeof(*r->words.v), by_text);
    for (size_t i = 1; i < r->words.n; i++) { /* in this order a prefix stands before */
        uint32_t p = (uint32_t)(i - 1);
        while (p != NO_INDEX && !begins(&r->words.v[i], &r->words.v[p]))
            p = r->words.v[p].inside;
        assert(p == NO_INDEX || p < i); /* so the way from word to word inside it ends */
        r->words.v[i].inside = p;
    }
}

/* ---- finding ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Whether `n` bytes at p are not a part of a longer word. */
static bool stands_alone(const char *text, size_t at, size_t n)
{
    if (at && is_word(text[at]) && is_word(text[at - 1]))
        return false;
    return !is_word(text[at + n - 1]) || !is_word(text[at + n]);
}

/* The last word that is not behind `p` in the order; the words that p begins with are its chain. */
static size_t upper(const struct redact *r, const char *p)
{
    const struct redact_word *words = r->words.v;
    size_t lo = 0;
    BISECT(lo, r->words.n, mid, strncmp(words[mid].text, p, words[mid].len) <= 0);
    return lo;
}

static const struct redact_word *longest_at(const struct redact *r, const char *text, size_t at)
{
    size_t i = upper(r, text + at);
    uint32_t w = i ? (uint32_t)(i - 1) : NO_INDEX;
    while (w != NO_INDEX) {
        const struct redact_word *c = &r->words.v[w];
        if (!strncmp(text + at, c->text, c->len) && stands_alone(text, at, c->len))
            return c;
        w = c->inside;
    }
    return NULL;
}

/* A name that was cut: its beginning, and an ellipsis. Sets *n to the length of both. */
static const struct redact_word *cut_at(const struct redact *r, const char *text, size_t at,
                                        size_t *n)
{
    enum { LEAST = 4 };
    const char *dots = strstr(text + at, "\xe2\x80\xa6"), *end = dots;
    const char *three = strstr(text + at, "...");
    if (!end || (three && three < end))
        end = three;
    if (!end || end - (text + at) < LEAST || (at && is_word(text[at]) && is_word(text[at - 1])))
        return NULL;
    size_t len = (size_t)(end - (text + at));
    size_t lo = 0;
    BISECT(lo, r->words.n, mid, strncmp(r->words.v[mid].text, text + at, len) < 0);
    *n = len + 3;
    return lo < r->words.n && !strncmp(r->words.v[lo].text, text + at, len) ? &r->words.v[lo]
                                                                            : NULL;
}

static size_t shared(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/* A name that was cut without a sign of it: so long a beginning is no chance. */
static const struct redact_word *beginning_at(const struct redact *r, const char *text, size_t at,
                                              size_t *n)
{
    enum { LEAST = 24 };
    const struct redact_word *best = NULL;
    if (at && is_word(text[at]) && is_word(text[at - 1]))
        return NULL;
    size_t i = upper(r, text + at);
    *n = LEAST - 1;
    for (size_t k = i ? i - 1 : 0; k <= i && k < r->words.n; k++) {
        size_t same = shared(r->words.v[k].text, text + at);
        if (same > *n) {
            *n = same;
            best = &r->words.v[k];
        }
    }
    while (best && is_word(text[at + *n]) && is_word(text[at + *n - 1]))
        ++*n; /* to the end of the word */
    return best;
}

static void put_placeholder(struct redact *r, struct str *out, uint32_t entry)
{
    const struct redact_entry *e = &r->entries.v[entry];
    str_printf(out, "[%s_%u]", kind_words[e->kind], e->number);
    r->replaced++;
}

/* Something that was not known before: the same text gets the same number again. */
static uint32_t new_entry(struct redact *r, enum name_kind kind, const char *text, size_t n)
{
    const char *name = arena_strndup(r->arena, text, n);
    uint32_t there = known(r, name);
    if (there != NO_INDEX)
        return there;
    struct redact_entry e = {kind, ++r->numbers[kind], name, name};
    vec_push(&r->entries, r->arena, e);
    idmap_put(&r->known, hash_bytes(name, n), (uint32_t)(r->entries.n - 1));
    return (uint32_t)(r->entries.n - 1);
}

/* How much of the text at `at` was replaced; 0: nothing of it is a name. */
static size_t replace_at(struct redact *r, struct str *out, const char *text, size_t at)
{
    enum name_kind kind;
    size_t cut = 0, looks = look_like_name(text, at, &kind);
    const struct redact_word *w = longest_at(r, text, at);
    if (w && w->len >= looks) {
        put_placeholder(r, out, w->entry);
        return w->len;
    }
    if (looks) {
        put_placeholder(r, out, new_entry(r, kind, text + at, looks));
        return looks;
    }
    w = cut_at(r, text, at, &cut);
    if (!w)
        w = beginning_at(r, text, at, &cut);
    if (w)
        put_placeholder(r, out, w->entry);
    return w ? cut : 0;
}

const char *redact_text(struct redact *r, const char *text)
{
    struct str out;
    if (r->mode == REDACT_NONE || !text)
        return text;
    str_init(&out, r->arena);
    for (size_t i = 0; text[i];) {
        /* A placeholder is no text of the trace: it stays. */
        size_t n = replace_at(r, &out, text, i);
        if (!n)
            str_putc(&out, text[i]);
        i += n ? n : 1;
    }
    return out.buf;
}

/* ---- JSON ---- */

struct cells {
    struct redact *r;
    bool whole;
    VEC(const char *) keys; /* of the document: the names of its columns are told twice */
};

static const char *note_key(void *ctx, const char *text, size_t n, bool is_key)
{
    struct cells *c = ctx;
    const char *copy = arena_strndup(c->r->arena, text, n);
    if (is_key)
        vec_push(&c->keys, c->r->arena, copy);
    return copy;
}

static bool names_column(const struct cells *c, const char *text)
{
    for (size_t i = 0; i < c->keys.n && i < 256; i++)
        if (str_eq(c->keys.v[i], text))
            return true;
    return false;
}

/* Words of our own vocabulary: keys, numbers, states. Nothing in them tells who made the trace. */
static bool plain_value(const char *text, size_t n)
{
    bool digits = n > 0;
    for (size_t i = 0; i < n; i++)
        digits &= isdigit((unsigned char)text[i]) || strchr(".-+eE", text[i]);
    return digits || !n;
}

static const char *redact_string(void *ctx, const char *text, size_t n, bool is_key)
{
    const struct cells *c = ctx;
    struct redact *r = c->r;
    if (is_key)
        return arena_strndup(r->arena, text, n);
    const char *copy = arena_strndup(r->arena, text, n);
    if (c->whole && names_column(c, copy))
        return copy;
    uint32_t entry = n ? known(r, copy) : NO_INDEX;
    if (entry == NO_INDEX && c->whole && !plain_value(text, n))
        entry = new_entry(r, NAME_TEXT, text, n);
    if (entry == NO_INDEX)
        return redact_text(r, copy);
    struct str out;
    str_init(&out, r->arena);
    put_placeholder(r, &out, entry);
    return out.buf;
}

const char *redact_json(struct redact *r, const char *json, bool cells)
{
    struct cells c = {.r = r, .whole = cells};
    struct json_change change = {redact_string, &c}, look = {note_key, &c};
    if (r->mode == REDACT_NONE)
        return json;
    if (cells)
        json_changed(json, &look, r->arena);
    return json_changed(json, &change, r->arena);
}

/* ---- putting back ---- */

enum { PLACEHOLDER_MAX = 40 };

/*
 * A placeholder at p, as models write it. Sets *entry; 0: there is none; SIZE_MAX: the text ends
 * before one can tell.
 */
static size_t placeholder_at(const struct redact *r, const char *p, size_t n, uint32_t *entry)
{
    size_t i = 0, escapes = 0;
    if (i < n && p[i] == '\\')
        i++, escapes++;
    bool bracket = i < n && p[i] == '[';
    i += bracket;
    if (escapes && !bracket)
        return i < n || n > 1 ? 0 : SIZE_MAX;
    for (size_t k = 0; k < NAME_KINDS; k++) {
        const char *word = kind_words[k];
        size_t len = strlen(word), m = 0;
        while (m < len && i + m < n && p[i + m] == word[m])
            m++;
        if (i + m == n && m < len + 1)
            return SIZE_MAX;
        if (m < len)
            continue;
        size_t at = i + len, digits;
        at += at < n && p[at] == '\\'; /* "KERNEL\_1" of Markdown */
        if (at >= n)
            return SIZE_MAX;
        if (p[at++] != '_')
            continue;
        uint64_t number = 0;
        for (digits = at; at < n && isdigit((unsigned char)p[at]) && at - digits < 9; at++)
            number = number * 10 + (uint64_t)(p[at] - '0');
        if (at == n)
            return SIZE_MAX;
        if (at == digits || is_word(p[at]))
            continue;
        at += bracket && p[at] == '\\';
        if (at == n)
            return SIZE_MAX;
        if (bracket && p[at] != ']')
            continue;
        at += bracket;
        for (size_t e = 0; e < r->entries.n; e++)
            if (r->entries.v[e].kind == (enum name_kind)k && r->entries.v[e].number == number) {
                *entry = (uint32_t)e;
                return at;
            }
    }
    return 0;
}

size_t redact_placeholder(const char *p)
{
    for (size_t k = 0; *p == '[' && k < NAME_KINDS; k++) {
        size_t len = strlen(kind_words[k]), digits;
        if (strncmp(p + 1, kind_words[k], len) || p[1 + len] != '_')
            continue;
        digits = strspn(p + 2 + len, "0123456789");
        if (digits && p[2 + len + digits] == ']')
            return 3 + len + digits;
    }
    return 0;
}

static bool may_begin(const char *text, size_t i)
{
    return text[i] == '[' || text[i] == '\\' ||
           (isupper((unsigned char)text[i]) && (!i || !is_word(text[i - 1])));
}

/* Puts what can be decided of text[0..n) into out, returns how much that was. */
static size_t restore_some(const struct redact *r, struct str *out, const char *text, size_t n,
                           bool all, bool exact)
{
    size_t i = 0;
    while (i < n) {
        uint32_t entry = 0;
        size_t k = may_begin(text, i) ? placeholder_at(r, text + i, n - i, &entry) : 0;
        if (k == SIZE_MAX && !all && n - i < PLACEHOLDER_MAX)
            return i;
        if (k && k != SIZE_MAX) {
            str_puts(out, exact ? r->entries.v[entry].exact : r->entries.v[entry].shown);
            i += k;
        } else
            str_putc(out, text[i++]);
    }
    return i;
}

const char *redact_restore(const struct redact *r, const char *text, bool exact)
{
    struct str in, out;
    if (r->mode == REDACT_NONE || !text)
        return text;
    str_init(&out, r->arena);
    str_init(&in, r->arena);
    str_puts(&in, text);
    str_putc(&in, '\n'); /* so that a placeholder at the end is seen to end */
    restore_some(r, &out, in.buf, in.len, true, exact);
    out.buf[--out.len] = 0;
    return out.buf;
}

void restore_init(struct restore *s, const struct redact *r, struct arena *a,
                  void (*give)(void *ctx, const char *text, size_t n), void *ctx)
{
    *s = (struct restore){.r = r, .give = give, .ctx = ctx};
    str_init(&s->held, a);
}

void restore_feed(struct restore *s, const char *text, size_t n)
{
    if (s->r->mode == REDACT_NONE) {
        s->give(s->ctx, text, n);
        return;
    }
    struct arena *scratch = arena_scratch();
    struct str out;
    str_put(&s->held, text, n);
    str_init(&out, scratch);
    size_t used = restore_some(s->r, &out, s->held.buf, s->held.len, false, false);
    const char *rest = arena_strndup(scratch, s->held.buf + used, s->held.len - used);
    str_clear(&s->held);
    str_puts(&s->held, rest);
    if (out.len)
        s->give(s->ctx, out.buf, out.len);
    arena_release(scratch);
}

void restore_end(struct restore *s)
{
    if (!s->held.len)
        return;
    const char *rest = redact_restore(s->r, s->held.buf, false);
    str_clear(&s->held);
    s->give(s->ctx, rest, strlen(rest));
}
