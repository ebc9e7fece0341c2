/*
 * Reading C++ names without a grammar: tokens, bracket groups, and where the name proper is.
 *
 * Names are cut off by tools, written by hand or not C++ at all, so brackets may be unbalanced and
 * '<' may be a comparison. Every function takes any bytes; walking a name with them is linear.
 *
 * Thread-safety: all functions are pure.
 */
#ifndef GS_MODEL_NAME_SCAN_H
#define GS_MODEL_NAME_SCAN_H

#include <stdbool.h>

/* Letters, digits, '_', '$', '~', '\'' and every byte of a non-ASCII character. */
bool name_is_word(char c);

/*
 * The end of the token at p < end: a word, "::", "->", or one byte. "operator" takes its symbol
 * with it ("operator()", "operator<<", "operator< " before template arguments).
 */
const char *name_token(const char *p, const char *end);

/* Whether the token [p, next) can be followed by template arguments or parameters. */
bool name_is_callable(const char *p, const char *next);

/*
 * The position behind the bracket group that opens at p. A group that never closes ends at
 * `end`, with *closed false; closed may be NULL.
 */
const char *name_group(const char *p, const char *end, bool *closed);

/*
 * The "::" that follows a function's parameter list ending at p, when that function is only the
 * scope of something local ("f(int) const::{lambda()#1}"); else NULL.
 */
const char *name_scope(const char *p, const char *end);

/*
 * The name proper: without return type, parameters and " [clone …]". Names that are not C++ come
 * whole, with `plain` set.
 */
struct name_head {
    const char *at, *end;
    bool plain;
};
struct name_head name_head(const char *full);

#endif
