/*
 * Which format is this file? Looks at content only.
 */
#ifndef GS_INGEST_DETECT_H
#define GS_INGEST_DETECT_H

#include "ingest/ingest.h"

/*
 * The first bytes of a file and, of a database, the names of its tables. Fails when it cannot be read;
 * where p->is_sqlite says so it is a database all the same, damaged or locked.
 */
bool detect_probe(struct probe *p, const char *path, struct arena *a, struct gs_error *err);

/* Whether the first line of a text, taken as one of a CSV file, is a header of ours. */
struct csv;
bool detect_header(const struct probe *p, bool (*is_ours)(struct csv *first));

/*
 * What files turned out to be, so that nobody looks twice: a command asks first whether an operand is
 * a table of sums, then of which format it is. One that has changed since is looked at again. NULL
 * stands for a memory that keeps nothing.
 */
struct sightings;
struct sightings *sightings_new(struct arena *a);

struct sighting {
    const struct format *format; /* NULL: none of ours, or it cannot be read; `why` says which */
    bool readable, is_sqlite;
    struct gs_error why;
};

/* From memory, or by looking. */
void detect_look(struct sighting *out, struct sightings *seen, const char *path);

/* By looking; `p` has what was seen, for others who know files. Its head belongs to the arena. */
void detect_look_at(struct sighting *out, struct sightings *seen, struct probe *p, const char *path,
                    struct arena *a);

/* The format of that name ("rocpd"), or NULL. */
const struct format *detect_named(const char *name);

#endif
