/*
 * The ranges of a program by nesting: those of equal path are one node.
 *
 * Ranges of a thread nest in those open around them, below THREAD_ROOT; ranges of a process nest in
 * nothing and hold nothing, below PROCESS_ROOT. Ranges of a node are added by their start. Each thread
 * has a tree of its own, so no two threads share one; they are merged in order of threads.
 */
#ifndef GS_ANALYZE_MARKER_TREE_H
#define GS_ANALYZE_MARKER_TREE_H

#include "analyze/view.h"
#include "base/hash.h"

enum { THREAD_ROOT, PROCESS_ROOT, ROOTS };
enum { KERNELS, COPIES, WORKS }; /* kinds of GPU work */

struct marker_node {
    uint32_t parent, name;
    uint64_t calls, launched[WORKS];
    int64_t wall_ns, sum_ns, gpu_ns[WORKS];
    int64_t until; /* end of its ranges so far */
    int64_t first_ns;
    struct span longest;
};

struct marker_tree {
    VEC(struct marker_node) nodes; /* parents before children */
    struct idmap children;         /* by parent and name */
    struct arena *arena;
};

void marker_tree_init(struct marker_tree *t, struct arena *arena);
/* The node of a name below another one, made when there is none. */
uint32_t marker_child(struct marker_tree *t, uint32_t parent, uint32_t name);
/* One more range of a node: what the view shows of it counts. */
void marker_add_range(struct marker_node *n, const struct view *v, int64_t start, int64_t end);
/* Adds all of a tree to another one. */
void marker_tree_merge(struct marker_tree *to, const struct marker_tree *from);

static inline int64_t marker_length(struct span s)
{
    return sub_ns(s.end, s.start);
}

#endif
