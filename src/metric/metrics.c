#include "metric/metrics.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

const char *const metric_group_words[] = {"device", "occupancy", "compute",  "flops",  "lds", "l1",
                                          "l2",     "fabric",    "frontend", "stalls", NULL};

#define METRIC(id, label, unit, group, archs, formula, peak, doc)                                  \
    {METRIC_##id, #id, label, unit, group, archs, formula, peak, doc},
#define ALSO METRIC
static const struct metric_def defs[] = {
#include "metric/metrics.def"
};
enum { DEFS = ARRAY_LEN(defs) };

const struct metric_def *metric_defs(size_t *n)
{
    *n = DEFS;
    return defs;
}

bool metric_fits(const struct metric_def *def, const char *arch)
{
    for (const char *at = def->archs; *at;) {
        size_t n = strcspn(at, " ");
        if (strncmp(arch, at, n) == 0)
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

const char *metric_archs(const struct metric_def *def, struct arena *arena)
{
    struct str s;
    str_init(&s, arena);
    for (const char *at = def->archs; *at;) {
        size_t n = strcspn(at, " ");
        str_printf(&s, "%s%.*s*", s.len ? ", " : "", (int)n, at);
        at += n + (at[n] == ' ');
    }
    return s.buf;
}

void metric_set_init(struct metric_set *set, const char *arch, struct arena *arena)
{
    *set = (struct metric_set){.v = arena_array(arena, struct metric, DEFS)};
    for (size_t i = 0; i < DEFS; i++) {
        struct metric *m = &set->v[set->n];
        /* A line that does not read is a mistake of ours; a unit test reads them all. */
        if (!metric_fits(&defs[i], arch) ||
            !formula_parse(&m->formula, defs[i].formula, arena, NULL))
            continue;
        m->def = &defs[i];
        if (*defs[i].peak)
            (void)formula_parse(&m->peak, defs[i].peak, arena, NULL);
        set->n++;
    }
}

const struct metric *metric_set_find(const struct metric_set *set, enum metric_id id)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->v[i].def->metric == id)
            return &set->v[i];
    return NULL;
}
