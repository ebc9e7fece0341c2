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
