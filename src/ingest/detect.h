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

#endif
