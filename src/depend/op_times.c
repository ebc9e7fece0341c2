#include "depend/op_times.h"

void op_times_make(struct op_times *t, size_t n, struct arena *a)
{
    struct op_times fresh = {.arena = a};
    idmap_init(&fresh.place, a);
    fresh.groups = arena_array(a, struct times_group, n / TIMES_GROUP + 1);
    fresh.start = arena_array(a, uint32_t, n + 1);
    fresh.length = arena_array(a, uint32_t, n + 1);
    fresh.above = arena_array(a, uint8_t, n + 1);
    *t = fresh;
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

int64_t op_length_long(const struct op_times *t, uint32_t op)
{
    return t->longer.v[idmap_get(&t->place, op)];
}

void op_set_length_long(struct op_times *t, uint32_t op, int64_t ns)
{
    uint32_t place = idmap_get(&t->place, op);
    if (place == NO_INDEX) { /* in this order: where there is no memory for one, nothing is wrong */
        vec_push_alone(&t->longer, t->arena, ns);
        idmap_put(&t->place, op, (uint32_t)t->longer.n - 1);
    } else {
        t->longer.v[place] = ns;
    }
    t->length[op] = LENGTH_LONG;
}
