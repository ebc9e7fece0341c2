#include "analyze/name_groups.h"

void name_groups_make(struct name_groups *g, const struct trace *t, struct arena *a)
{
    struct arena *temporary = arena_scratch();
    uint32_t *of_name = arena_array(temporary, uint32_t, t->strings.n); /* group + 1 */
    *g = (struct name_groups){.of_symbol = arena_array(a, uint32_t, t->symbols.n),
                              .symbol = arena_array(a, uint32_t, t->symbols.n)};
    for (size_t s = 0; s < t->symbols.n; s++) {
        uint32_t *group = &of_name[t->symbols.v[s].name];
        if (!*group) {
            g->symbol[g->n++] = (uint32_t)s;
            *group = (uint32_t)g->n;
        }
        g->of_symbol[s] = *group - 1;
    }
    arena_release(temporary);
}

const uint32_t *kernel_rows(const struct view *v, struct arena *a)
{
    if (v->n_gpus == 1)
        return v->gpus[0].kernels;
    uint32_t *rows = arena_array(a, uint32_t, v->n_kernels);
    struct arena *temporary = arena_scratch();
    size_t words = v->trace->kernels.n / 64 + 1, n = 0;
    uint64_t *in_view = arena_array(temporary, uint64_t, words);
    for (size_t g = 0; g < v->n_gpus; g++)
        for (size_t i = 0; i < v->gpus[g].n_kernels; i++)
            in_view[v->gpus[g].kernels[i] / 64] |= UINT64_C(1) << v->gpus[g].kernels[i] % 64;
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = in_view[w]; bits; bits &= bits - 1)
            rows[n++] = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
    arena_release(temporary);
    return rows;
}
