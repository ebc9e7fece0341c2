/*
 * Files of a session's folder: for its user alone, and whole or not there.
 */
#ifndef GS_SESSION_STORE_H
#define GS_SESSION_STORE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/* A new file under a name that does not matter, on the disk when this returns. */
bool store_stage(const char *path, const char *data, size_t n, int64_t mode, struct gs_error *err);

/* In session.json, the text of a step in which nothing went wrong. */
#define STEP_WELL "well"

/* A file under its name, mode 0600. */
bool store_put(const char *path, const char *data, size_t n, struct arena *a, struct gs_error *err);

const char *store_time(struct arena *a); /* now: "2030-01-31T12:00:00Z" */

#endif
