#include "base/str.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

void str_init(struct str *s, struct arena *a)
{
    *s = (struct str){.arena = a};
    str_room(s, 63);
}

void str_clear(struct str *s)
{
    s->len = 0;
    s->buf[0] = 0;
}

char *str_room(struct str *s, size_t n)
{
    assert(s->arena && (s->len < s->cap || !s->cap)); /* the NUL has room */
    if (n > PTRDIFF_MAX / 4 || s->len > PTRDIFF_MAX / 4)
        mem_exhausted();
    size_t want = s->len + n + 1;
    if (want > s->cap) {
        size_t cap = s->cap * 2 > want ? s->cap * 2 : want;
        s->buf = arena_move(s->arena, s->buf, s->cap, cap);
        s->cap = cap;
    }
    return s->buf + s->len;
}

void str_put(struct str *s, const char *p, size_t n)
{
    if (!n)
        return;
    memcpy(str_room(s, n), p, n);
    s->len += n;
    s->buf[s->len] = 0;
}

void str_puts(struct str *s, const char *text)
{
    str_put(s, text, strlen(text));
}

void str_putc(struct str *s, char c)
{
    str_put(s, &c, 1);
}

void str_fill(struct str *s, char c, size_t n)
{
    memset(str_room(s, n), c, n);
    s->len += n;
    s->buf[s->len] = 0;
}

void str_vprintf(struct str *s, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    size_t room = s->cap - s->len;
    int n = vsnprintf(s->buf + s->len, room, fmt, ap);
    if (n > 0 && (size_t)n >= room)
        vsnprintf(str_room(s, (size_t)n), (size_t)n + 1, fmt, again);
    if (n > 0)
        s->len += (size_t)n;
    va_end(again);
}

void str_printf(struct str *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    str_vprintf(s, fmt, ap);
    va_end(ap);
}

bool str_eq(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

int str_word(const char *word, const char *const *words)
{
    for (int i = 0; word && words[i]; i++)
        if (str_eq(word, words[i]))
            return i;
    return -1;
}

bool str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

bool str_has(const char *s, const char *part)
{
    return strstr(s, part) != NULL;
}

bool str_has_fold(const char *s, const char *part)
{
    size_t n = strlen(part);
    int first = tolower((unsigned char)*part);
    for (; *s; s++)
        if (tolower((unsigned char)*s) == first && strncasecmp(s, part, n) == 0)
            return true;
    return n == 0;
}
