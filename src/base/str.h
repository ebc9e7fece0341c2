/*
 * Str: a growing text buffer in an arena. `buf` is never NULL and always NUL-terminated after
 * str_init(); it may hold NUL bytes inside, `len` counts.
 *
 *     struct str s;
 *     str_init(&s, arena);
 *     str_printf(&s, "%zu kernels", n);
 *     str_puts(&s, "\n");
 */
#ifndef GS_BASE_STR_H
#define GS_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct str {
    char *buf;
    size_t len, cap;
    struct arena *arena;
};

void str_init(struct str *s, struct arena *a);
void str_clear(struct str *s); /* empty again, memory kept */
void str_put(struct str *s, const char *p, size_t n);
void str_puts(struct str *s, const char *text);
void str_putc(struct str *s, char c);
void str_fill(struct str *s, char c, size_t n);
void str_printf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_vprintf(struct str *s, const char *fmt, va_list ap);

/* Room for n more bytes; returns where to write them. Then add to len what was written. */
char *str_room(struct str *s, size_t n);

/* Small things on C strings that the standard library lacks. */
bool str_eq(const char *a, const char *b);
/* The place of a word among those of a list with NULL at the end; -1: it is none, or NULL. */
int str_word(const char *word, const char *const *words);
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
bool str_has(const char *s, const char *part);
bool str_has_fold(const char *s, const char *part); /* ASCII case folded */

#endif
