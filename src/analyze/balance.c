/* Whether the GPUs share the work evenly. */
#include "analyze/analysis.h"

static int64_t idle_ns(const struct ledger_gpu *l)
{
    int64_t ns = 0;
    for (enum cause c = 0; c < CAUSES; c++)
        if (cause_info(c)->kind == CAUSE_IDLE)
            ns = add_ns(ns, l->ns[c]);
    return ns;
}

static struct gpu_row make_row(const struct analysis *a, size_t slot)
{
    const struct view_gpu *g = &a->view.gpus[slot];
    const struct ledger_gpu *l = &a->ledger.gpus[slot];
    const struct gpu *gpu = g->gpu == NO_INDEX ? NULL : &a->trace->gpus.v[g->gpu];
    return (struct gpu_row){
        .gpu = analysis_gpu_index(a, slot),
        .name = gpu ? trace_str(a->trace, gpu->name) : "",
        .host = gpu ? trace_str(a->trace, gpu->host) : "",
        .busy_ns = l->busy_ns,
        .compute_ns = l->ns[CAUSE_COMPUTE],
        .idle_ns = idle_ns(l),
        .busy_pct = percent_of((double)l->busy_ns, (double)a->ledger.window_ns),
        .kernels = g->n_kernels,
        .copies = g->n_copies,
    };
}

static void run(struct analysis *a, struct arena *arena)
{
    struct balance *b = &a->balance;
    *b = (struct balance){.gpus = (uint32_t)a->view.n_gpus, .busiest = -1, .idlest = -1};
    for (size_t g = 0; g < a->view.n_gpus; g++)
        vec_push(&a->gpus, arena, make_row(a, g));
    if (!a->gpus.n)
        return;
    const struct gpu_row *most = &a->gpus.v[0], *least = most;
    double sum = 0;
    for (size_t g = 0; g < a->gpus.n; g++) {
        const struct gpu_row *row = &a->gpus.v[g];
        most = row->compute_ns > most->compute_ns ? row : most;
        least = row->compute_ns < least->compute_ns ? row : least;
        sum += (double)row->compute_ns;
    }
    for (size_t g = 0; g < a->gpus.n; g++)
        b->lost_ns = add_ns(b->lost_ns, most->compute_ns - a->gpus.v[g].compute_ns);
    b->busiest = most->gpu;
    b->idlest = least->gpu;
    b->imbalance_pct =
        percent_of((double)(most->compute_ns - least->compute_ns), sum / (double)a->gpus.n);
}

#define R struct gpu_row
static const struct field row_fields[] = {
    FIELD(R, gpu, FIELD_I32, "GPU", NO_UNIT,
          "number of the GPU; -1 where the trace does not list it"),
    FIELD(R, name, FIELD_TEXT, "name", NO_UNIT, "product name"),
    FIELD(R, host, FIELD_TEXT, "host", NO_UNIT, "host it is in"),
    FIELD(R, busy_ns, FIELD_I64, "busy time", IN_NS,
          "union of its kernels and copies in the window"),
    FIELD(R, compute_ns, FIELD_I64, "compute", IN_NS,
          "time of the ledger in which a kernel runs that is neither a collective nor a runtime "
          "copy"),
    FIELD(R, idle_ns, FIELD_I64, "idle", IN_NS,
          "sum of the ledger's idle causes: window - busy_ns"),
    FIELD(R, busy_pct, FIELD_NUM, "busy", IN_PERCENT, "100 x busy_ns / window"),
    FIELD(R, kernels, FIELD_U64, "kernels", NO_UNIT, "number of kernels in the window"),
    FIELD(R, copies, FIELD_U64, "copies", NO_UNIT, "number of copies in the window"),
};
#undef R

#define R struct balance
static const struct field stat_fields[] = {
    FIELD(R, gpus, FIELD_U32, "GPUs", NO_UNIT, "number of GPUs that are analyzed"),
    FIELD(R, imbalance_pct, FIELD_NUM, "imbalance", IN_PERCENT,
          "100 x (largest - smallest compute_ns) / mean compute_ns of the GPUs"),
    FIELD(R, lost_ns, FIELD_I64, "lost", IN_NS,
          "sum over GPUs of largest compute_ns - compute_ns: what they could compute while the "
          "busiest one does"),
    FIELD(R, busiest, FIELD_I32, "busiest", NO_UNIT,
          "number of the GPU with the largest compute_ns; -1 without GPUs"),
    FIELD(R, idlest, FIELD_I32, "idlest", NO_UNIT,
          "number of the GPU with the smallest compute_ns; -1 without GPUs"),
};
#undef R

static const struct fields rows_table =
    FIELDS("gpus", "the GPUs that are analyzed", struct gpu_row, row_fields);
static const struct fields stats_table =
    FIELDS("balance", "how evenly GPUs compute", struct balance, stat_fields);

const struct analysis_kind analysis_balance = {
    .name = "balance",
    .doc = "Whether the GPUs compute equally long, and how much time the less busy ones have to "
           "spare.",
    .run = run,
    .tables = ANALYSIS_TABLES(ANALYSIS_ROWS(rows_table, gpus), ANALYSIS_ONE(stats_table, balance)),
};
