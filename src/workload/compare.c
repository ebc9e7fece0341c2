#include "workload/compare.h"

#include <math.h>

#include "base/str.h"

double workload_change(double x, double y)
{
    return isnan(x) || isnan(y) || !(fabs(x) > 0) ? NAN : 100 * (y - x) / fabs(x);
}

static const struct workload_view *kernel_named(const struct workload_report *r, const char *name)
{
    for (size_t i = 0; i < r->kernels.n; i++)
        if (str_eq(r->kernels.v[i].name, name))
            return &r->kernels.v[i];
    return NULL;
}

static void check(struct workload_comparison *c, struct arena *arena)
{
    const struct workload_system *a = &c->a->w->system, *b = &c->b->w->system;
    if (!str_eq(a->arch, b->arch))
        vec_push(&c->notes, arena,
                 arena_printf(arena,
                              "A ran on %s, B on %s: counters of one may count something "
                              "else on the other",
                              *a->arch ? a->arch : "an unknown GPU",
                              *b->arch ? b->arch : "an unknown GPU"));
    else if (!str_eq(a->model, b->model))
        vec_push(&c->notes, arena, arena_printf(arena, "A ran on %s, B on %s", a->model, b->model));
    if (c->a->all.n != c->b->all.n)
        vec_push(&c->notes, arena,
                 arena_printf(arena, "A has %zu dispatches, B %zu: only means are compared",
                              c->a->all.n, c->b->all.n));
    if (c->a->per != c->b->per)
        vec_push(&c->notes, arena, "the two are normalized by different units");
}

void workload_compare(struct workload_comparison *c, const struct workload_report *a,
                      const struct workload_report *b, struct arena *arena)
{
    *c = (struct workload_comparison){.a = a, .b = b};
    vec_push(&c->pairs, arena, ((struct workload_pair){"all kernels", &a->all, &b->all}));
    for (size_t i = 0; i < a->kernels.n; i++) {
        const struct workload_view *v = &a->kernels.v[i], *other = kernel_named(b, v->name);
        if (other)
            vec_push(&c->pairs, arena, ((struct workload_pair){v->name, v, other}));
        else
            vec_push(&c->only_a, arena, v->name);
    }
    for (size_t i = 0; i < b->kernels.n; i++)
        if (!kernel_named(a, b->kernels.v[i].name))
            vec_push(&c->only_b, arena, b->kernels.v[i].name);
    check(c, arena);
}
