/*
 * Repair: what is left of a trace whose writer was ended, as a new file.
 *
 * JSON that was cut: everything up to the last whole element is kept, and what was open is closed.
 * Databases: a journal or a write-ahead log that was left behind is applied, and pages that are missing
 * or damaged cost the rows on them, not the table.
 */
#ifndef GS_REWRITE_REPAIR_H
#define GS_REWRITE_REPAIR_H

#include <stdint.h>

#include "base/fs_set.h"
#include "base/vec.h"

struct repaired {
    uint64_t bytes_kept, bytes_lost; /* of JSON */
    uint64_t rows, tables;           /* of databases */
    bool log;                        /* a journal or log was applied */
    bool whole;                      /* nothing was wrong */
    VEC(const char *) notes;
};

bool repair_file(struct repaired *r, const char *path, const char *out, struct fs_set *set,
                 struct arena *arena, struct gs_error *err);

#endif
