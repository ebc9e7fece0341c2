/*
 * What a file is known by: which one it is, its size and times, and samples of what is in it.
 *
 * The times a system gives to a file move in steps; a change within one step of the last one does not
 * show. So what is looked at must have been left alone for a while (identity_settled()).
 */
#ifndef GS_CACHE_IDENTITY_H
#define GS_CACHE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct identity {
    uint64_t device, inode;
    int64_t bytes; /* -1: there is no such file */
    int64_t modified_s, modified_ns, changed_s, changed_ns;
    uint64_t samples; /* checksum of its ends and of places between */
};

/* False where it is there and cannot be read. */
bool identity_take(struct identity *out, const char *path);

/* Waits, for no longer than a moment, until a change would show; false where that takes longer. */
bool identity_settled(const struct identity *id);

#endif
