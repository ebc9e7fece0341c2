/*
 * The document of a profile, as it stands in JSON; an analysis document is read as one, too.
 */
#ifndef GS_RENDER_PROFILE_DOC_H
#define GS_RENDER_PROFILE_DOC_H

#include "compare/profile_write.h"

struct profile_cause {
    const char *cause;
    int64_t ns;
    double gap_sq;
    uint64_t gap_count;
    bool has_gaps;
};

struct profile_doc {
    const char *document;
    int64_t version; /* of a profile; 0: none was given */
    struct run_profile p;
    VEC(struct profile_cause) causes;
    /* only in analyses */
    VEC(struct resource_row) resources;
    VEC(struct phase_row) phases;
    VEC(struct profile_kernel) hotspots; /* they have the same keys, as far as they go */
    bool has_kernels, has_hotspots;
};

extern const struct fields profile_document_fields;

/* What was read, made harmless and whole: profile_finish.c, profile_phases.c. */
void profile_finish_kernels(struct profile_doc *d, struct arena *arena);
void profile_finish_phases(struct profile_doc *d, struct arena *arena);

#endif
