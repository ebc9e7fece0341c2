/* The kinds of files that repair.c knows. */
#ifndef GS_REWRITE_REPAIR_IN_H
#define GS_REWRITE_REPAIR_IN_H

#include "rewrite/repair.h"

bool repair_json(struct repaired *r, const char *path, const char *out, struct fs_set *set,
                 struct arena *arena, struct gs_error *err);
bool repair_database(struct repaired *r, const char *path, const char *out, struct fs_set *set,
                     struct arena *arena, struct gs_error *err);

#endif
