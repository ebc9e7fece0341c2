/*
 * Shared libraries that are loaded when they are needed: most commands need none, starting is faster
 * without them, and a machine that has not got one can do everything else.
 *
 *     #define FUNCTIONS(F) F(PQfinish) F(PQclear)
 *     struct functions {
 *     #define F(name) __typeof__(&name) name;
 *         FUNCTIONS(F)
 *     #undef F
 *     };
 *     static const char *const names[] = {
 *     #define F(name) #name,
 *         FUNCTIONS(F)
 *     #undef F
 *     };
 *     struct functions f;
 *     if (!library_load("libpq.so.5", names, ARRAY_LEN(names), &f, err)) ...
 *
 * What is loaded stays until the process ends. Thread-safety: any thread.
 */
#ifndef GS_BASE_LIBRARY_H
#define GS_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* `functions`: a struct of pointers in the order of the names; all of them are filled, or none. */
bool library_load(const char *file, const char *const *names, size_t n, void *functions,
                  struct gs_error *err);

#endif
