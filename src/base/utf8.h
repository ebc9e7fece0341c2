/*
 * Text for terminals: names in traces are data from strangers.
 *
 * Thread-safety: all functions are pure.
 */
#ifndef GS_BASE_UTF8_H
#define GS_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Decodes one code point at s (n bytes left, n > 0) and sets *len to the bytes used. Malformed
 * input gives U+FFFD and *len 1. Surrogates, overlong forms and values past U+10FFFF are malformed.
 */
uint32_t utf8_decode(const char *s, size_t n, size_t *len);

bool utf8_valid(const char *s, size_t n);

/* True for code points that must not reach a terminal: controls, bidi overrides, line separators.
 */
bool utf8_unsafe(uint32_t c);

/* Columns on a terminal: 0 for combining marks, 2 for wide characters; unsafe ones count as 1. */
int utf8_cell_width(uint32_t c);
size_t utf8_width(const char *s);

/* Appends s with every unsafe code point shown as a visible escape (\n, \x1b, \u202e). */
void utf8_escape(struct str *out, const char *s, size_t n);

/* The same for text of several lines: line feeds and tabs stay. */
void utf8_escape_lines(struct str *out, const char *s, size_t n);

/* The text itself where it is valid, else a copy with U+FFFD for each malformed byte, as JSON has it. */
const char *utf8_to_valid(const char *text, struct arena *a);

/* In place: unsafe and malformed bytes become '?'. For fixed buffers such as error texts. */
void utf8_make_printable(char *s);

/* Appends at most width columns of s, with an ellipsis as the last one where it was cut. */
void utf8_clip(struct str *out, const char *s, size_t width);

/*
 * A text of a stranger as a part of a file name: it leads to no other folder, hides nothing, and can
 * be shown. "../x" becomes "_.._x".
 */
const char *utf8_file_word(const char *text, struct arena *a);

#endif
