/*
 * Changes as people and programs write them: a name and a value, as the options of
 * `gpusight whatif` are called.
 *
 *     struct change c = {0};
 *     ok = change_read(&c, "remove", "sync", arena, &err) &&
 *          change_read(&c, "kernel", "gemm=0.5x", arena, &err);
 *
 * "graph", "pinned", "prefetch" and "rank-typical" take "yes" and "no".
 */
#ifndef GS_DEPEND_CHANGE_TEXT_H
#define GS_DEPEND_CHANGE_TEXT_H

#include "base/err.h"
#include "depend/replay.h"

bool change_read(struct change *c, const char *name, const char *value, struct arena *arena,
                 struct gs_error *err);

/* The names that change_read() knows, NULL at the end, and what each means. */
struct change_name {
    const char *name, *value, *doc;
};
extern const struct change_name change_names[];

#endif
