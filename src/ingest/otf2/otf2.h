/*
 * The reader of OTF2 archives, inside: two processes.
 *
 * libotf2 is made for files of friends: what a damaged archive does to it, nobody knows. So a child
 * reads the archive, under limits of memory and time, and writes what it sees into a pipe as plain
 * records (child.c); the parent believes none of them and builds the trace (records.c), with the
 * slices, tracks and categories of the Perfetto reader. If the child dies, that is an error like
 * any other (open.c).
 */
#ifndef GS_INGEST_OTF2_OTF2_H
#define GS_INGEST_OTF2_OTF2_H

#include <stdint.h>

#include "model/trace.h"

enum otf2_record_kind {
    O_STRING = 1, /* a = id, b = length; the text follows */
    O_CLOCK,      /* a = ticks a second, b = realtime of the first, or 0; c = global offset */
    O_NODE,       /* a = id, b = name */
    O_GROUP,      /* a = id, b = name, c = node, d = the group that made it, e = type */
    O_LOCATION,   /* a = id, b = name, c = group, e = type */
    O_REGION,     /* a = id, b = name, c = paradigm, e = role */
    O_METRIC,     /* a = class, b = name, c = unit: of its first member */
    O_ENTER,      /* a = location, b = ticks, c = region; attributes behind */
    O_LEAVE,      /* a = location, b = ticks */
    O_VALUE,      /* a = location, b = ticks, c = class; d = the bits of a double */
    O_END,        /* all was read */
};

enum otf2_note {
    ON_CATEGORY,
    ON_CORRELATION,
    ON_ID,
    ON_BYTES,
    ON_GRID,
    ON_WORKGROUP,
    ON_LDS,
    ON_SCRATCH,
    ON_VGPRS,
    ON_SRC,
    ON_DST,
    ON_OPERATION,
    ON_QUEUE,
    ON_TID,
    ON_GPU,
    ON_ADDRESS,
    ON_NOTES
};

struct otf2_record {
    uint32_t kind, e;
    uint64_t a, b, c, d;
};

/* Behind O_ENTER: which are given, as bits, and their values. Texts are ids of strings. */
struct otf2_notes {
    uint64_t given;
    int64_t value[ON_NOTES];
};

/* Makes a trace of the records that a descriptor gives; the last file of the trace is the archive. */
bool otf2_read(struct trace *t, int fd, const char *path, struct arena *arena,
               struct gs_error *err);

/* Reads the archive and writes records to the descriptor; does not return. */
_Noreturn void otf2_child(const char *path, const char *stem, int fd, uint64_t bytes,
                          uint64_t files);

#endif
