/*
 * Profiles of runs as JSON documents: written small, read back, and read from a saved
 * `gpusight analyze --format json` as far as that holds what comparing needs.
 */
#ifndef GS_COMPARE_PROFILE_WRITE_H
#define GS_COMPARE_PROFILE_WRITE_H

#include "base/jread.h"
#include "base/jwrite.h"
#include "compare/profile.h"

#define PROFILE_DOCUMENT "gpusight-profile"
#define PROFILE_VERSION 2 /* 1 had no blocks, markers and repeats; it is read as well */

void profile_json(struct jwrite *w, const struct run_profile *p);

/* Whether a file that begins like this is one that profile_read() takes. */
bool profile_is_document(const char *head, size_t n);

/* The same of bytes in memory; `path` is for errors and the label. */
bool profile_parse(struct run_profile *p, const char *data, size_t n, const char *path,
                   struct arena *arena, struct gs_error *err);

bool profile_read(struct run_profile *p, const char *path, struct arena *arena,
                  struct gs_error *err);

#endif
