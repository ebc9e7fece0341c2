/*
 * The OTF2 writer, inside: otf2.c (the archive and its events), otf2_defs.c (definitions),
 * otf2_error.c (what libotf2 says of errors), otf2_left.c (folders that were left).
 *
 * Events are written first, one location after the other, so that memory is that of one; then the
 * definitions, when it is known how many events each location has. A location is a thread, a stream
 * of a GPU in a process, or a series of telemetry; where intervals on one of them overlap without
 * nesting, there are further locations of the same name.
 */
#ifndef GS_CONVERT_OTF2_IN_H
#define GS_CONVERT_OTF2_IN_H

#include <otf2/otf2.h>

#include "convert/lanes.h"

/* What a region is, beyond enum region_kind. */
enum {
    REGION_OF_KERNEL = REGION_KINDS,
    REGION_OF_COPY,
    REGION_OF_ALLOC,
    REGION_OF_FREE,
    REGION_OF_MARKER
};

struct otf2_region {
    OTF2_StringRef name;
    int kind;
};

struct otf2_location {
    OTF2_StringRef name;
    OTF2_LocationType type;
    OTF2_LocationGroupRef group;
    uint64_t events;
    uint32_t thread; /* of a thread's first lane; else NO_INDEX */
};

struct otf2_group {
    OTF2_StringRef name;
    OTF2_LocationGroupType type;
    uint32_t process;
};

enum otf2_attribute {
    OTF2_A_CATEGORY,
    OTF2_A_CORRELATION,
    OTF2_A_ID,
    OTF2_A_BYTES,
    OTF2_A_GRID,
    OTF2_A_WORKGROUP,
    OTF2_A_LDS,
    OTF2_A_SCRATCH,
    OTF2_A_VGPRS,
    OTF2_A_SRC,
    OTF2_A_DST,
    OTF2_A_OPERATION,
    OTF2_A_QUEUE,
    OTF2_A_TID,
    OTF2_A_GPU,
    OTF2_A_ADDRESS,
    OTF2_ATTRIBUTES
};

struct otf2_event {
    int64_t ns;
    uint32_t row;
    uint32_t lane; /* twice, plus 1 for an end */
};

struct unfinished;

struct otf2_out {
    struct conversion *c;
    const struct trace *t;
    struct arena *arena;
    OTF2_Archive *archive;
    OTF2_AttributeList *attributes;
    int64_t base_ns, start_ns, end_ns; /* base: what times are written from */
    const char *dir, *name;            /* of the archive while it is made */
    VEC(const char *) strings;
    struct idmap string_of, region_of;
    struct idmap region_at; /* by where its name is and kind: long names are read once */
    VEC(struct otf2_region) regions;
    VEC(struct otf2_location) locations;
    VEC(struct otf2_group) groups;
    uint32_t *process_group;
    struct idmap gpu_group; /* (process, GPU) -> group */
    const struct counter_index *counters;
    VEC(struct otf2_event) events;       /* of the track at hand */
    int track;                           /* what its rows are */
    OTF2_StringRef *extent;              /* by launch, twice: grid and group; 0: not yet */
    VEC(struct unfinished *) unfinished; /* files of the folder, in case a signal comes */
    OTF2_ErrorCode first_error;          /* that libotf2 told, OTF2_SUCCESS for none */
    bool failed, too_many;
};

OTF2_StringRef otf2_string(struct otf2_out *w, const char *text);
OTF2_RegionRef otf2_region(struct otf2_out *w, const char *name, int kind);
OTF2_LocationGroupRef otf2_gpu_group(struct otf2_out *w, uint32_t process, uint32_t gpu);
void otf2_groups(struct otf2_out *w); /* those of processes */
bool otf2_check(struct otf2_out *w, OTF2_ErrorCode code);
/* From now on errors in this thread are those of `w`, or with NULL nobody's. */
void otf2_listen(struct otf2_out *w);
/* Whether anything went wrong, which is in `err` then. */
bool otf2_failed(struct otf2_out *w, const char *path, struct gs_error *err);
const char *otf2_category(int kind);
void otf2_definitions(struct otf2_out *w);

static inline OTF2_TimeStamp otf2_time(const struct otf2_out *w, int64_t ns)
{
    return (OTF2_TimeStamp)ns - (OTF2_TimeStamp)w->base_ns;
}

/* Needs no memory: it may be called because there is none. */
void otf2_remove_tree(const char *dir);
/* Folders of processes that were killed while they wrote this archive. */
void otf2_remove_left(struct otf2_out *w, const char *path);

#endif
