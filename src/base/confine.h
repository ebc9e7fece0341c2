/*
 * A process that reads only below some folders, whatever paths it is given and whatever they turn
 * into before they are opened.
 *
 *     confine_to(folders, n);                 once, before anything foreign is looked at
 *
 * fs_open() and the reader of databases ask about each descriptor after it is open: the name that
 * the system has for the open file decides, so neither links nor a race can lead outside.
 *
 * This is state of the process, as its files are. Thread-safety: confine_allows(), once set.
 */
#ifndef GS_BASE_CONFINE_H
#define GS_BASE_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

/* The folders without links in them; the arena must outlive all reading. Files are allowed, too. */
void confine_to(const char *const *folders, size_t n, struct arena *arena);

/* Whether the open file may be read; `path` is for the error. Always true without confine_to(). */
bool confine_allows(int fd, const char *path, struct gs_error *err);

#endif
