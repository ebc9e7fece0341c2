/* A thread trace and the trace of the run: one kernel by its name in both. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/advise.h"
#include "advise/rule.h"
#include "att/att.h"
#include "base/str.h"

const struct hotspot *att_hotspot(const struct analysis *a, const struct att_kernel *k)
{
    for (size_t h = 0; h < a->hotspots.n; h++) {
        const struct hotspot *r = &a->hotspots.v[h];
        const char *mangled = r->symbol < a->trace->symbols.n
                                  ? trace_str(a->trace, a->trace->symbols.v[r->symbol].mangled)
                                  : "";
        if (str_eq(r->name, k->name) || (*mangled && str_eq(mangled, k->mangled)))
            return r;
    }
    return NULL;
}

/* Kernels of the trace first, by what they cost there: one dispatch says nothing about that. */
static int by_rank(const void *a, const void *b)
{
    const struct att_kernel *x = a, *y = b;
    uint32_t i = (uint32_t)x->rank, j = (uint32_t)y->rank; /* -1 is last */
    bool ran_x = x->hits > 0, ran_y = y->hits > 0;
    if (ran_x != ran_y)
        return ran_x ? -1 : 1;
    if (i != j)
        return i < j ? -1 : 1;
    if (x->wave_cycles != y->wave_cycles)
        return x->wave_cycles > y->wave_cycles ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* ---- findings ---- */

/* In front of the fourth, so that reports that show five have it. */
static void add_evidence(struct finding *f, const struct att_finding *e, size_t at)
{
    const char *text = arena_printf(f->arena, "thread trace: %s, %s", e->title, e->text);
    struct evidence evidence = {.text = text,
                                .metric = "thread_trace.kernels.stall_classes.pct_of_time",
                                .value = e->pct_of_time,
                                .threshold = NAN,
                                .unit = IN_PERCENT,
                                .gpu = -1,
                                .id = -1};
    vec_push(&f->evidence, f->arena, evidence);
    for (size_t i = f->evidence.n - 1; i > at; i--) {
        f->evidence.v[i] = f->evidence.v[i - 1];
        f->evidence.v[i - 1] = evidence;
    }
}

/* What the instructions say belongs to findings about tuning that kernel. */
static void cite(struct finding *f, const struct att_kernel *k)
{
    enum { CITED = 2, PLACE = 2 };
    if (!f->rule->tuning || !f->kernel || !str_eq(f->kernel, k->short_name))
        return;
    for (size_t i = 0; i < k->findings.n && i < CITED; i++) {
        add_evidence(f, &k->findings.v[i], PLACE + i);
        vec_push(&f->actions, f->arena, k->findings.v[i].advice);
    }
}

void att_join(struct att *t, const struct analysis *a, struct advice *advice)
{
    for (size_t i = 0; i < t->kernels.n; i++) {
        struct att_kernel *k = &t->kernels.v[i];
        const struct hotspot *r = att_hotspot(a, k);
        if (!r)
            continue;
        k->rank = (int32_t)r->rank;
        k->calls = r->calls;
        k->total_ns = r->total_duration_ns;
        k->pct_of_kernel_time = r->pct_of_total;
        for (size_t f = 0; f < advice->findings.n; f++)
            cite(advice->findings.v[f], k);
    }
    if (t->kernels.n)
        qsort(t->kernels.v, t->kernels.n, sizeof(*t->kernels.v), by_rank);
}
