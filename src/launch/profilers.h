/*
 * Which profilers this machine has, and which of them fits it.
 *
 *     struct profilers p;
 *     profilers_find(&p, arena);
 *     p.path[PROFILER_NSYS]; // "/usr/local/cuda/bin/nsys", or NULL
 */
#ifndef GS_LAUNCH_PROFILERS_H
#define GS_LAUNCH_PROFILERS_H

#include "base/arena.h"
#include "base/err.h"
#include "model/profiler.h"
#include "plan/command.h"

struct profilers {
    const char *path[PROFILERS]; /* NULL: not there */
    unsigned tools;              /* TOOL_... of plan/goals.h */
    enum vendor vendor;          /* of the GPU of this machine, else of the profilers there are */
    const char *why;             /* "by /dev/kfd" */
};

void profilers_find(struct profilers *p, struct arena *a);

/* ---- Python programs bring a profiler of their own ---- */

enum wrapper { WRAPPER_NONE, WRAPPER_TORCH, WRAPPER_JAX };

/*
 * The framework that a command's script imports; WRAPPER_NONE for other programs. `at` is the index
 * of the script, or of "-m".
 */
enum wrapper wrapper_find(const struct words *app, size_t *at, struct arena *a);

/* Writes the wrapper into the folder and puts it in front of the script. */
bool wrapper_put(struct words *app, size_t at, enum wrapper which, const char *folder,
                 struct arena *a, struct gs_error *err);

#endif
