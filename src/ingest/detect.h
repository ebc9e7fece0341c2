/*
 * Which format is this file? Looks at content only.
 */
#ifndef GS_INGEST_DETECT_H
#define GS_INGEST_DETECT_H

#include "ingest/ingest.h"

/*
 * The format of a file, or NULL with an error that says what the file is instead.
 * Cheap: reads the first bytes and, for a database, its list of tables.
 */
const struct format *detect_format(const char *path, struct arena *a, struct gs_error *err);

/*
 * The same in two steps. The first fails when the file cannot be read; where p->is_sqlite says so
 * it is a database all the same, damaged or locked. The second gives NULL for other kinds of files.
 */
bool detect_probe(struct probe *p, const char *path, struct arena *a, struct gs_error *err);
const struct format *detect_probed(const struct probe *p, struct gs_error *err);

/* The format of that name ("rocpd"), or NULL. */
const struct format *detect_named(const char *name);

#endif
