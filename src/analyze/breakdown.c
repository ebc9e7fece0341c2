#include <math.h>

#include "analyze/analysis.h"

static int64_t sum_of_kind(const struct ledger *l, enum cause_kind kind)
{
    int64_t sum = 0;
    for (enum cause c = 0; c < CAUSES; c++)
        if (cause_info(c)->kind == kind)
            sum = add_ns(sum, l->ns[c]);
    return sum;
}

static void add_gpus(struct breakdown *b, const struct view *v, const struct ledger *l)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t g = 0; g < l->n_gpus; g++) {
        const struct ledger_gpu *gpu = &l->gpus[g];
        b->gpu_time_ns = add_ns(b->gpu_time_ns, l->window_ns);
        b->busy_ns = add_ns(b->busy_ns, gpu->busy_ns);
        b->kernel_ns = add_ns(b->kernel_ns, gpu->kernel_ns);
        b->kernel_sum_ns = add_ns(b->kernel_sum_ns, gpu->kernel_sum_ns);
        b->copy_ns = add_ns(b->copy_ns, gpu->copy_ns);
        if (!gpu->busy_ns)
            continue;
        first = gpu->first_ns < first ? gpu->first_ns : first;
        last = gpu->last_ns > last ? gpu->last_ns : last;
    }
    if (last > first)
        b->gpu_span_ns = last - first - view_paused(v, first, last);
}

static void run(struct analysis *a, struct arena *arena)
{
    (void)arena;
    const struct ledger *l = &a->ledger;
    struct breakdown *b = &a->breakdown;
    *b = (struct breakdown){.window_ns = l->window_ns, .gpu_count = (uint32_t)l->n_gpus};
    b->not_recorded_ns = view_window(&a->view) - l->window_ns;
    add_gpus(b, &a->view, l);
    b->exposed_comm_ns = add_ns(l->ns[CAUSE_COMM], l->ns[CAUSE_COMM_WAIT]);
    b->exposed_copy_ns = sub_ns(sum_of_kind(l, CAUSE_EXPOSED), b->exposed_comm_ns);
    b->idle_ns = sum_of_kind(l, CAUSE_IDLE);
    b->busy_pct = percent_of((double)b->busy_ns, (double)b->gpu_time_ns);
    b->kernel_pct = percent_of((double)b->kernel_ns, (double)b->gpu_time_ns);
    b->idle_pct = percent_of((double)b->idle_ns, (double)b->gpu_time_ns);
    b->concurrency = b->kernel_ns ? (double)b->kernel_sum_ns / (double)b->kernel_ns : NAN;
    b->sync_blocked_ns = view_call_time(&a->view, 1u << API_SYNC | 1u << API_COPY);
    b->sync_blocked_pct = percent_of((double)b->sync_blocked_ns, (double)b->window_ns);
}

#define F(member, type, label, unit, doc) FIELD(struct breakdown, member, type, label, unit, doc)
static const struct field fields[] = {
    F(window_ns, FIELD_I64, "window", IN_NS,
      "end - start of the analyzed window, without not_recorded_ns"),
    F(not_recorded_ns, FIELD_I64, "not recorded", IN_NS,
      "of end - start: the program had told the profiler to pause, and nothing is recorded; no "
      "account has it"),
    F(gpu_span_ns, FIELD_I64, "GPU span", IN_NS,
      "last end - first start of kernels and copies over all GPUs, clipped to the window, "
      "without pauses of the recording"),
    F(gpu_time_ns, FIELD_I64, "GPU time", IN_NS,
      "window_ns x gpu_count: what the ledger distributes"),
    F(gpu_count, FIELD_U32, "GPUs", NO_UNIT, "number of GPUs in the view"),
    F(busy_ns, FIELD_I64, "busy time", IN_NS,
      "sum over GPUs of the union of kernels and copies; busy_ns + idle_ns = gpu_time_ns"),
    F(kernel_ns, FIELD_I64, "kernels", IN_NS, "sum over GPUs of the union of kernels"),
    F(kernel_sum_ns, FIELD_I64, "kernel sum", IN_NS,
      "sum of the durations of all kernels, overlaps counted several times"),
    F(copy_ns, FIELD_I64, "copies", IN_NS,
      "sum over GPUs of the union of copies, under kernels or not"),
    F(exposed_copy_ns, FIELD_I64, "exposed copies", IN_NS,
      "sum of the ledger's copy_* causes: copies while no other work runs on the GPU"),
    F(exposed_comm_ns, FIELD_I64, "exposed communication", IN_NS,
      "sum of the ledger's communication causes: collectives while no compute kernel runs"),
    F(idle_ns, FIELD_I64, "idle", IN_NS,
      "sum of the ledger's idle causes: neither kernel nor copy runs, start-up and tail included"),
    F(busy_pct, FIELD_NUM, "busy", IN_PERCENT, "100 x busy_ns / gpu_time_ns"),
    F(kernel_pct, FIELD_NUM, "kernel share", IN_PERCENT, "100 x kernel_ns / gpu_time_ns"),
    F(idle_pct, FIELD_NUM, "idle share", IN_PERCENT, "100 x idle_ns / gpu_time_ns"),
    F(concurrency, FIELD_NUM, "concurrency", NO_UNIT,
      "kernel_sum_ns / kernel_ns: kernels that run at once while any runs; unknown without "
      "kernels"),
    F(sync_blocked_ns, FIELD_I64, "host waits", IN_NS,
      "union over all threads of the outermost calls that wait for the GPU (synchronisation and "
      "blocking copies), clipped to the window"),
    F(sync_blocked_pct, FIELD_NUM, "host waits share", IN_PERCENT,
      "100 x sync_blocked_ns / window_ns"),
};
#undef F

const struct fields breakdown_fields =
    FIELDS("breakdown", "The totals of the window.", struct breakdown, fields);

const struct analysis_kind analysis_breakdown = {
    .name = "breakdown",
    .doc =
        "How much of the time the GPUs were computing, moving data and idle, and how long the host "
        "waited for them.",
    .run = run,
    .early = true,
    .tables = ANALYSIS_TABLES(ANALYSIS_ONE(breakdown_fields, breakdown)),
};
