/*
 * index.yaml: the list of a package (NAME.rpdb), which stands for the files it names.
 */
#ifndef GS_INGEST_INDEX_H
#define GS_INGEST_INDEX_H

#include "base/err.h"
#include "base/fs.h"

/* Whether the file is such a list, by content. */
bool index_is(const char *path);

/* The files it names, as paths from here. Fails when there is none, or a line makes no sense. */
bool index_read(struct fs_list *out, const char *path, struct arena *a, struct gs_error *err);

#endif
