#include "analyze/analysis.h"

#include <string.h>

#include "analyze/pass_window.h"
#include "base/parallel.h"
#include "base/str.h"

const struct analysis_kind *const analysis_kinds[] = {
#define ANALYSIS(name) &analysis_##name,
#include "analyze/analyses.def"
#undef ANALYSIS
    NULL,
};

int32_t analysis_gpu_index(const struct analysis *a, size_t slot)
{
    uint32_t gpu = a->view.gpus[slot].gpu;
    return gpu == NO_INDEX ? -1 : a->trace->gpus.v[gpu].index;
}

struct stage {
    struct analysis *a;
    struct arena *beside;
};

static void run_part(void *ctx, size_t part, int worker)
{
    const struct stage *s = ctx;
    struct analysis *a = s->a;
    (void)worker;
    for (const struct analysis_kind *const *k = analysis_kinds; part && *k; k++)
        if ((*k)->beside)
            (*k)->beside(a, s->beside);
    if (part)
        return;
    ledger_make(&a->ledger, &a->view, true, a->arena);
    quality_check(&a->quality, a->trace, a->view.workers, a->arena);
    capabilities_find(&a->capabilities, a->trace, a->arena);
    for (const struct analysis_kind *const *k = analysis_kinds; *k; k++)
        if (!(*k)->beside)
            (*k)->run(a);
}

void analysis_run(struct analysis *a, const struct trace *t, const struct analysis_opts *o,
                  struct arena *arena)
{
    *a = (struct analysis){.trace = t, .arena = arena, .opts = *o};
    a->hardware = arena_array(arena, const struct hardware *, t->gpus.n + 1);
    for (size_t g = 0; g < t->gpus.n; g++)
        a->hardware[g] = hardware_find(trace_str(t, t->gpus.v[g].arch),
                                       trace_str(t, t->gpus.v[g].name), (int)t->gpus.v[g].cu_count);
    a->times_of = pass_window(&a->opts.view, t, arena);
    view_make(&a->view, t, &a->opts.view, arena);
    struct stage s = {a, arena_child(arena)};
    parallel_for(a->view.workers, 2, run_part, &s);
    for (const struct analysis_kind *const *k = analysis_kinds; *k; k++)
        if ((*k)->beside)
            (*k)->run(a);
}

void analysis_kind_results(const struct analysis_kind *k, const struct analysis *a,
                           struct results *out, struct arena *arena)
{
    typedef VEC(const void) rows; /* of any type */
    const char *keeper = k->keeper ? k->keeper(a) : a;
    for (const struct analysis_table *t = k->tables; t->fields; t++) {
        const char *member = keeper + t->at;
        struct result r = {t->fields, member, 1, t->is_object};
        if (!t->is_object) {
            memcpy(&r.rows, member + offsetof(rows, v), sizeof(r.rows));
            memcpy(&r.n, member + offsetof(rows, n), sizeof(r.n));
        }
        vec_push(out, arena, r);
    }
}

void analysis_results(const struct analysis *a, struct results *out, struct arena *arena)
{
    for (const struct analysis_kind *const *k = analysis_kinds; *k; k++)
        analysis_kind_results(*k, a, out, arena);
}
