/* Traces as tests have them: by their paths, all into one. */
#ifndef TEST_LOAD_PATHS_H
#define TEST_LOAD_PATHS_H

#include "ingest/ingest.h"

static inline bool load_paths(struct trace *t, const struct opt_list *paths,
                              const struct ingest_opts *o, struct gs_error *err)
{
    struct ingest_files files = {0};
    return ingest_find(&files, paths, NULL, &t->arena, err) && ingest_load_files(t, &files, o, err);
}

#endif
