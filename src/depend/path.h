/*
 * The critical path of a replay: the chain of nodes and of ways between them that sets its length.
 *
 * Walked backwards from the end, always to what a node waited for last. Every nanosecond between
 * start and end has exactly one step, so that the kinds add up to the whole. Slack is how much
 * later an op could have ended without the whole taking longer: 0 on the path.
 */
#ifndef GS_DEPEND_PATH_H
#define GS_DEPEND_PATH_H

#include "depend/replay.h"

/* What the time of a step is: PATH(id, key, label, doc). */
enum path_kind {
#define PATH(id, key, label, doc) PATH_##id,
#include "depend/path.def"
#undef PATH
    PATH_KINDS
};

struct path_info {
    const char *key, *label, *doc;
};

const struct path_info *path_info(enum path_kind k);

struct path_step {
    enum path_kind kind;
    int64_t start, ns; /* from the start of the view */
    uint32_t op, call; /* whose time it is; NO_INDEX: of none */
};

typedef void path_fn(void *ctx, const struct path_step *step);

/* Calls fn for every step, from the end to the start; steps of no length are left out. */
void path_walk(const struct replay *r, path_fn *fn, void *ctx);

/* Nanoseconds by kind; they add up to r->end_ns - r->start_ns. */
void path_compose(const struct replay *r, int64_t ns[PATH_KINDS]);

/* The largest kind of a composition. */
enum path_kind path_largest(const int64_t ns[PATH_KINDS]);

/* By op: slack in ns of the recorded run, at least 0. `recorded` is as replay_recorded() left it. */
struct op_lengths *path_slack(const struct replay *recorded, struct arena *arena);

#endif
