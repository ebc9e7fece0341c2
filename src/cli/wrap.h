/*
 * Breaking text into lines.
 */
#ifndef GS_CLI_WRAP_H
#define GS_CLI_WRAP_H

#include "base/str.h"

/*
 * Appends the n bytes of text in lines of at most `width` columns, ended by a newline. The first
 * line goes on at column `at`, the others start after `indent` spaces. A word that does not fit
 * in a line has a line of its own.
 */
void wrap_words(struct str *out, const char *text, size_t n, size_t at, size_t indent,
                size_t width);

/*
 * Paragraphs divided by blank lines. Lines of a paragraph that starts with a space are kept as
 * they are (code, tables); the others are filled.
 */
void wrap_paragraphs(struct str *out, const char *text, size_t indent, size_t width);

/*
 * Walks paragraphs: sets *n to the length of the one at *text, moves *text behind it and returns
 * where it begins; NULL at the end.
 */
const char *wrap_next_paragraph(const char **text, size_t *n);

#endif
