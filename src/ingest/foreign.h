/*
 * Files that are no traces for us, but that people will give: what they are, and what to do.
 */
#ifndef GS_INGEST_FOREIGN_H
#define GS_INGEST_FOREIGN_H

#include "ingest/ingest.h"

/* False where the file is none of those we know by sight; else the error says it. */
bool foreign_explain(const struct probe *p, struct gs_error *err);

#endif
