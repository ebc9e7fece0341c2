/* Communication between GPUs (RCCL, NCCL): how much of it compute hides. */
#include <math.h>

#include "analyze/analysis.h"
#include "base/parallel.h"

struct collective_work {
    const struct view *v;
    uint64_t *kernels; /* by GPU */
};

static void count_gpu(void *ctx, size_t slot, int worker)
{
    (void)worker;
    const struct collective_work *job = ctx;
    const struct view_gpu *g = &job->v->gpus[slot];
    const uint32_t *symbol = job->v->trace->kernels.symbol;
    uint64_t n = 0;
    for (size_t i = 0; i < g->n_kernels; i++)
        n += job->v->kernel_class[symbol[g->kernels[i]]] == KERNEL_COLLECTIVE;
    job->kernels[slot] = n;
}

static bool any_collective(const struct view *v)
{
    for (size_t s = 0; s < v->trace->symbols.n; s++)
        if (v->kernel_class[s] == KERNEL_COLLECTIVE)
            return true;
    return false;
}

static void run(struct analysis *a, struct arena *arena)
{
    (void)arena;
    struct collective_stats *c = &a->collectives;
    struct arena *temporary = arena_scratch();
    struct collective_work job = {&a->view, arena_array(temporary, uint64_t, a->view.n_gpus)};
    if (any_collective(&a->view))
        parallel_for(a->view.workers, a->view.n_gpus, count_gpu, &job);
    for (size_t g = 0; g < a->view.n_gpus; g++) {
        const struct ledger_gpu *l = &a->ledger.gpus[g];
        c->kernels += job.kernels[g];
        c->busy_ns = add_ns(c->busy_ns, l->comm_ns);
        c->hidden_ns = add_ns(c->hidden_ns, l->comm_hidden_ns);
        c->exposed_ns = add_ns(c->exposed_ns, add_ns(l->ns[CAUSE_COMM], l->ns[CAUSE_COMM_WAIT]));
    }
    double whole = (double)a->ledger.window_ns * (double)a->view.n_gpus;
    c->exposed_pct = percent_of((double)c->exposed_ns, whole);
    c->hidden_pct = c->busy_ns > 0 ? percent_of((double)c->hidden_ns, (double)c->busy_ns) : NAN;
    arena_release(temporary);
}

#define R struct collective_stats
static const struct field stat_fields[] = {
    FIELD(R, kernels, FIELD_U64, "kernels", NO_UNIT, "number of collective kernels in the window"),
    FIELD(R, busy_ns, FIELD_I64, "busy time", IN_NS,
          "sum over GPUs of the union of collective kernels in the window"),
    FIELD(R, exposed_ns, FIELD_I64, "exposed", IN_NS,
          "time of the ledger in which a collective runs and no compute kernel does, waiting for "
          "late ranks included"),
    FIELD(
        R, hidden_ns, FIELD_I64, "hidden", IN_NS,
        "sum over GPUs of the time in which a collective and a compute kernel run at once: busy_ns "
        "- exposed_ns"),
    FIELD(R, exposed_pct, FIELD_NUM, "exposed share", IN_PERCENT,
          "100 x exposed_ns / (window x GPUs)"),
    FIELD(R, hidden_pct, FIELD_NUM, "hidden share", IN_PERCENT,
          "100 x hidden_ns / busy_ns; not known without collectives"),
};
#undef R

const struct fields collective_fields =
    FIELDS("collectives", "communication between GPUs", struct collective_stats, stat_fields);

const struct analysis_kind analysis_collectives = {
    .name = "collectives",
    .doc =
        "How long GPUs communicate (RCCL, NCCL kernels) and how much of that runs under compute.",
    .run = run,
    .tables = ANALYSIS_TABLES(ANALYSIS_ONE(collective_fields, collectives)),
};
