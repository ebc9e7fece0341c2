#include "depend/shifts.h"

void shifts_drop(struct shifts *s)
{
    struct shifts old = *s;
    *s = (struct shifts){0};
    if (old.off)
        arena_give_back(old.arena, old.off, old.n * sizeof(*old.off));
}

void shifts_make(struct shifts *s, size_t n, struct arena *a)
{
    struct shifts fresh = {.n = n, .arena = a};
    shifts_drop(s);
    fresh.groups = arena_array(a, struct shifts_group, n / SHIFTS_GROUP + 1);
    fresh.off = arena_array(a, int32_t, n);
    *s = fresh;
    shifts_forget(s);
}

void shifts_forget(struct shifts *s)
{
    for (size_t i = 0; i < s->n; i++)
        s->off[i] = SHIFT_UNKNOWN;
    for (size_t g = 0; g <= s->n / SHIFTS_GROUP; g++)
        s->groups[g].some = false;
}

void shifts_set_wide(struct shifts *s, uint32_t i, int64_t ns)
{
    struct shifts_group *g = &s->groups[i / SHIFTS_GROUP];
    if (!g->wide)
        g->wide = arena_array(s->arena, int64_t, SHIFTS_GROUP);
    g->wide[i % SHIFTS_GROUP] = ns;
    s->off[i] = SHIFT_WIDE;
}
