/*
 * The parts of profile_read().
 */
#ifndef GS_COMPARE_PROFILE_READ_H
#define GS_COMPARE_PROFILE_READ_H

#include "compare/profile_write.h"

struct reading {
    struct jread j;
    struct run_profile *p;
    struct arena *arena;
    struct results tables;
    VEC(struct resource_row) resources; /* of an analysis document */
    VEC(struct phase_row) phases;       /* the same */
    int64_t version;                    /* of a profile; 0: none was given */
    bool is_profile, has_kernels, has_hotspots, has_ledger;
};

const char *read_text(struct reading *r); /* NULL: no string */

/* A member of a row, by its field descriptor; false: it has no such field, nothing is consumed. */
bool read_member(struct reading *r, const struct fields *f, void *row);
void read_object(struct reading *r, const struct fields *f, void *row);

#define READ_ROWS(r, fields, list)                                                                 \
    do {                                                                                           \
        if (jr_array(&(r)->j))                                                                     \
            while (jr_item(&(r)->j))                                                               \
                read_object((r), (fields), vec_add((list), (r)->arena));                           \
    } while (0)

void read_kernels(struct reading *r);
void read_hotspots(struct reading *r);  /* of an analysis, as kernels */
void join_resources(struct reading *r); /* of an analysis, to its kernels */
void finish_kernels(struct run_profile *p);

/* profile_phases.c */
void read_durations(struct reading *r, struct profile_buckets *out);
void read_phases(struct reading *r);
void finish_phases(struct reading *r); /* those of the profile, or of the analysis */

#endif
