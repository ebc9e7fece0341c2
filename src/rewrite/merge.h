/*
 * Merge: rocpd databases as one, nothing lost but passwords in recorded commands and environments.
 *
 * Every set of tables (a guid) of every input is copied row by row, with columns that only some
 * versions have; the views of AMD's tools are written over all of them. Ids stay as they are: they are
 * unique within a guid, and all joins go by both.
 *
 *     struct merged m = {0};
 *     ok = rocpd_merge(&m, &(struct merge_opts){&paths, "all.db"}, &set, arena, err);
 */
#ifndef GS_REWRITE_MERGE_H
#define GS_REWRITE_MERGE_H

#include "base/fs_set.h"
#include "base/opt.h"

struct merge_opts {
    const struct opt_list *paths;
    const char *out;
    bool rename; /* a guid that is there already gets another, instead of an error */
};

struct merged {
    size_t files, sets, renamed;
    uint64_t rows, masked;   /* passwords and the like that were hidden */
    VEC(const char *) notes; /* what was left out, and why */
};

bool rocpd_merge(struct merged *m, const struct merge_opts *o, struct fs_set *set,
                 struct arena *arena, struct gs_error *err);

#endif
