#include "analyze/marker_tree.h"

void marker_tree_init(struct marker_tree *t, struct arena *arena)
{
    *t = (struct marker_tree){.arena = arena};
    idmap_init(&t->children, arena);
    for (size_t i = 0; i < ROOTS; i++)
        vec_push(&t->nodes, arena, ((struct marker_node){.parent = NO_INDEX}));
}

uint32_t marker_child(struct marker_tree *t, uint32_t parent, uint32_t name)
{
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t child = idmap_get(&t->children, key);
    if (child != NO_INDEX)
        return child;
    child = (uint32_t)t->nodes.n;
    vec_push(&t->nodes, t->arena,
             ((struct marker_node){.parent = parent, .name = name, .until = INT64_MIN}));
    idmap_put(&t->children, key, child);
    return child;
}

void marker_add_range(struct marker_node *n, const struct view *v, int64_t start, int64_t end)
{
    struct span s = view_clip(v, start, end);
    if (!n->calls || s.start < n->first_ns)
        n->first_ns = s.start;
    if (!n->calls || marker_length(s) > marker_length(n->longest))
        n->longest = s;
    n->calls++;
    n->sum_ns = add_ns(n->sum_ns, marker_length(s));
    if (end > n->until) {
        int64_t from = start > n->until ? start : n->until;
        n->wall_ns = add_ns(n->wall_ns, marker_length(view_clip(v, from, end)));
        n->until = end;
    }
}

static void add_node(struct marker_node *to, const struct marker_node *from)
{
    if (!to->calls || from->first_ns < to->first_ns)
        to->first_ns = from->first_ns;
    if (!to->calls || marker_length(from->longest) > marker_length(to->longest))
        to->longest = from->longest;
    to->calls += from->calls;
    to->wall_ns = add_ns(to->wall_ns, from->wall_ns);
    to->sum_ns = add_ns(to->sum_ns, from->sum_ns);
    for (size_t w = 0; w < WORKS; w++) {
        to->launched[w] += from->launched[w];
        to->gpu_ns[w] = add_ns(to->gpu_ns[w], from->gpu_ns[w]);
    }
}

void marker_tree_merge(struct marker_tree *to, const struct marker_tree *from)
{
    struct arena *temporary = arena_scratch();
    uint32_t *map = arena_array(temporary, uint32_t, from->nodes.n);
    for (uint32_t i = 0; i < from->nodes.n; i++) {
        const struct marker_node *n = &from->nodes.v[i];
        map[i] = i < ROOTS ? i : marker_child(to, map[n->parent], n->name);
        if (i >= ROOTS)
            add_node(&to->nodes.v[map[i]], n);
    }
    arena_release(temporary);
}
