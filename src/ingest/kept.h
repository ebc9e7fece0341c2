/*
 * What the cache must know of traces: their files, and all that a reader's result depends on.
 */
#ifndef GS_INGEST_KEPT_H
#define GS_INGEST_KEPT_H

#include "cache/cache.h"
#include "ingest/ingest.h"

/* NULL, with the error, where the folder of the cache is refused. */
struct cache_of *kept_of(const struct ingest_files *files, const struct ingest_opts *o,
                         struct arena *a, struct gs_error *err);

#endif
