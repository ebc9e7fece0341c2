/*
 * Demangle: libiberty in bounds, for names of strangers.
 *
 *     const char *text = demangle(arena, "_ZN2at6native3fooIfEEvPT_", 25);    or NULL
 *
 * libiberty knows no limits of its own that serve us: with its recursion limit on, it refuses any
 * name of 1 KiB, which template libraries exceed all the time; with the limit off, a few bytes
 * ask for gigabytes of stack or output, or for more steps than there is time. So each need is
 * bounded before it is met (demangle.c says how); a name that may need more gives NULL.
 *
 * Thread-safety: any thread, each with its own arena.
 */
#ifndef GS_MODEL_DEMANGLE_H
#define GS_MODEL_DEMANGLE_H

#include <stddef.h>

#include "base/arena.h"

enum {
    DEMANGLE_NAME_MAX = 16 * 1024, /* bytes of a mangled name */
    DEMANGLE_GROWTH = 64,          /* bytes of result for each byte of name, */
    DEMANGLE_FREE = 1024,          /* and so many for any */
};

/* `mangled` has n bytes and a NUL behind them; the result lives in the arena. */
const char *demangle(struct arena *a, const char *mangled, size_t n);

#endif
