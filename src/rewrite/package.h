/*
 * Packages: a folder NAME.rpdb with the databases of a job and index.yaml, which names them and stands
 * for them wherever a trace is asked for.
 */
#ifndef GS_REWRITE_PACKAGE_H
#define GS_REWRITE_PACKAGE_H

#include "base/fs_set.h"
#include "base/opt.h"

enum package_way { PACKAGE_NAMES, PACKAGE_COPY, PACKAGE_MOVE };

struct packaged {
    size_t files;
    uint64_t bytes;
};

/* `folder` must be new or empty. With PACKAGE_NAMES the files stay where they are. */
bool package_make(struct packaged *p, const struct opt_list *paths, const char *folder,
                  enum package_way way, struct arena *arena, struct gs_error *err);

#endif
