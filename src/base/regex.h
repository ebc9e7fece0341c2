/*
 * Regular expressions: whether a text has what one describes. Extended ones, as POSIX has them, byte
 * by byte, with \w \W \s \S \d \D \b \B \< \> besides, and without back-references.
 *
 *     const char *why;
 *     struct regex *r = regex_new("^void .*gemm_[0-9]+", arena, &why);
 *     if (r && regex_found(r, name))
 *
 * That of the C library is not used, since what it takes cannot be known before: it makes gigabytes
 * of `((a{1000}){1000}){1000}` and of some short ones more, and ends the process on others. Here an
 * expression has at most REGEX_MOST steps, with its repeats written out, and all of them are tried
 * side by side: a text costs at most its length times that.
 *
 * Thread-safety: regex_found() by any number of threads.
 */
#ifndef GS_BASE_REGEX_H
#define GS_BASE_REGEX_H

#include <stdbool.h>

#include "base/arena.h"

enum { REGEX_MOST = 8000, REGEX_DEEP = 100 };

struct regex;

/* NULL: *why is what is wrong with it. */
struct regex *regex_new(const char *text, struct arena *arena, const char **why);

bool regex_found(const struct regex *r, const char *text);

#endif
