/*
 * Filling and wrapping errors; the type itself is public, see gpusight/error.h.
 *
 *     if (fd < 0)
 *         return fail(err, GS_E_IO, "cannot open '%s': %s", path, strerror(errno));
 *     if (!db_open(&db, path, err))
 *         return wrap(err, "cannot read '%s'", path);
 *
 * Both always return false, so that they can stand behind `return`.
 * Text from traces may be passed as a string argument, never as the format.
 */
#ifndef GS_BASE_ERR_H
#define GS_BASE_ERR_H

#include "gpusight/error.h"

bool fail(struct gs_error *err, enum gs_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "fmt: " before the text err already has, unless it begins so, and keeps its code. */
bool wrap(struct gs_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
