#include "depend/op_times.h"

void op_lengths_make(struct op_lengths *l, size_t n, struct arena *a)
{
    struct op_lengths fresh = {.arena = a};
    fresh.wide = arena_array(a, int64_t *, n / TIMES_GROUP + 1);
    fresh.v = arena_array(a, uint32_t, n + 1);
    *l = fresh;
}

void op_times_make(struct op_times *t, size_t n, struct arena *a)
{
    struct op_times fresh = {.arena = a};
    op_lengths_make(&fresh.lengths, n, a);
    fresh.groups = arena_array(a, struct times_group, n / TIMES_GROUP + 1);
    fresh.start = arena_array(a, uint32_t, n + 1);
    fresh.above = arena_array(a, uint8_t, n + 1);
    *t = fresh;
}

/* What stands elsewhere, or is small, would only be taken again: then all of it stays. */
void op_times_drop(struct op_times *t, size_t n)
{
    struct op_times old = *t;
    if (!op_times_made(&old))
        return;
    for (size_t g = 0; g <= n / TIMES_GROUP; g++)
        if (old.groups[g].wide || old.lengths.wide[g])
            return;
    if (!arena_give_back(old.arena, old.above, (n + 1) * sizeof(*old.above)))
        return;
    *t = (struct op_times){0};
    arena_give_back(old.arena, old.start, (n + 1) * sizeof(*old.start));
    arena_give_back(old.arena, old.lengths.v, (n + 1) * sizeof(*old.lengths.v));
}

/* The group stays so, also when it is set again. */
void op_set_start_wide(struct op_times *t, uint32_t op, int64_t ns)
{
    struct times_group *g = &t->groups[op / TIMES_GROUP];
    if (!g->wide) {
        int64_t *wide = arena_array(t->arena, int64_t, TIMES_GROUP);
        for (uint32_t i = 0; i < op % TIMES_GROUP; i++)
            wide[i] = op_start(t, op - op % TIMES_GROUP + i);
        g->wide = wide;
    }
    g->wide[op % TIMES_GROUP] = ns;
}

int64_t op_lengths_long(const struct op_lengths *l, uint32_t op)
{
    return l->wide[op / TIMES_GROUP][op % TIMES_GROUP];
}

/* In this order: where there is no memory for one, nothing is wrong. */
void op_lengths_set_long(struct op_lengths *l, uint32_t op, int64_t ns)
{
    int64_t **group = &l->wide[op / TIMES_GROUP];
    if (!*group)
        *group = arena_array(l->arena, int64_t, TIMES_GROUP);
    (*group)[op % TIMES_GROUP] = ns;
    l->v[op] = LENGTH_LONG;
}
