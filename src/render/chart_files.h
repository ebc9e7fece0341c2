/*
 * The charts that a doc names, as SVG files of a set: DIR/NAME.svg. The folder is made.
 */
#ifndef GS_RENDER_CHART_FILES_H
#define GS_RENDER_CHART_FILES_H

#include "base/fs_set.h"
#include "report/doc.h"

bool chart_files_write(const struct doc *d, const char *dir, struct fs_set *set,
                       struct gs_error *err);

/*
 * How `dir` is reached from the folder of `file` ("-": from the current one), both relative to the
 * current folder or both absolute; otherwise `dir` itself.
 */
const char *chart_files_link(const char *dir, const char *file, struct arena *a);

#endif
