#include <stdlib.h>

#include "analyze/analysis.h"

/* The cause with the largest part, the earlier one in the ledger's order at a draw. */
static const char *main_cause(const int64_t *ns)
{
    enum cause best = 0;
    for (enum cause c = 1; c < CAUSES; c++)
        if (ns[c] > ns[best])
            best = c;
    return ns[best] > 0 ? cause_info(best)->label : NULL;
}

static void fill_histogram(struct analysis *a, struct arena *arena)
{
    for (size_t b = 0; b < GAP_BUCKETS; b++) {
        struct gap_bucket sum = {0};
        for (size_t g = 0; g < a->ledger.n_gpus; g++) {
            const struct gap_bucket *part = &a->ledger.gpus[g].buckets[b];
            sum.count += part->count;
            sum.total_ns = add_ns(sum.total_ns, part->total_ns);
            for (enum cause c = 0; c < CAUSES; c++)
                sum.ns[c] = add_ns(sum.ns[c], part->ns[c]);
        }
        struct gap_row row = {gap_bucket_label(b), sum.count, sum.total_ns, main_cause(sum.ns)};
        vec_push(&a->gaps, arena, row);
    }
}

static int longest_first(const void *left, const void *right)
{
    const struct gap *x = *(const struct gap *const *)left, *y = *(const struct gap *const *)right;
    int64_t a = x->end_ns - x->start_ns, b = y->end_ns - y->start_ns;
    if (a != b)
        return a > b ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->gpu < y->gpu ? -1 : x->gpu > y->gpu;
}

/* Each GPU's list is long enough: what is not among its longest is not among those of all. */
static void fill_longest(struct analysis *a, struct arena *arena)
{
    const struct trace *t = a->trace;
    VEC(const struct gap *) all = {0};
    struct arena *temporary = arena_scratch();
    for (size_t g = 0; g < a->ledger.n_gpus; g++)
        for (size_t i = 0; i < a->ledger.gpus[g].n_top; i++)
            vec_push(&all, temporary, &a->ledger.gpus[g].top[i]);
    if (all.n)
        qsort(all.v, all.n, sizeof(*all.v), longest_first);
    for (size_t i = 0; i < all.n && i < TOP_GAPS; i++) {
        const struct gap *gap = all.v[i];
        struct long_gap row = {
            .start_ns = gap->start_ns,
            .end_ns = gap->end_ns,
            .duration_ns = gap->end_ns - gap->start_ns,
            .gpu = analysis_gpu_index(a, gap->gpu),
            .main_cause = main_cause(gap->ns),
        };
        if (gap->next_kernel != NO_INDEX)
            row.next_kernel = trace_str(t, t->symbols.v[t->kernels.symbol[gap->next_kernel]].name);
        vec_push(&a->long_gaps, arena, row);
    }
    arena_release(temporary);
}

static void run(struct analysis *a, struct arena *arena)
{
    fill_histogram(a, arena);
    fill_longest(a, arena);
}

#define F(member, type, label, unit, doc) FIELD(struct gap_row, member, type, label, unit, doc)
static const struct field histogram_fields[] = {
    F(label, FIELD_TEXT, "length", NO_UNIT, "lengths in this bucket, lower bound included"),
    F(count, FIELD_U64, "gaps", NO_UNIT,
      "stretches between two pieces of work of one GPU in which neither kernel nor copy runs, over "
      "all GPUs; start-up and tail are none"),
    F(total_ns, FIELD_I64, "total", IN_NS, "sum of their lengths"),
    F(main_cause, FIELD_TEXT, "main cause", NO_UNIT,
      "the ledger's cause with the largest share of total_ns; none in an empty bucket"),
};
#undef F

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct long_gap, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field longest_fields[] = {
    F(start_ns, FIELD_I64, "start", IN_NS, "end of the work before the gap", AS_MOMENT),
    F(end_ns, FIELD_I64, "end", IN_NS, "start of the work after the gap", AS_MOMENT),
    F(duration_ns, FIELD_I64, "duration", IN_NS, "end_ns - start_ns"),
    F(gpu, FIELD_I32, "GPU", NO_UNIT, "index of the GPU on its host; -1 when it is not listed"),
    F(main_cause, FIELD_TEXT, "main cause", NO_UNIT,
      "the ledger's cause with the largest share of it"),
    F(next_kernel, FIELD_TEXT, "next kernel", NO_UNIT,
      "full name of the kernel that ends the gap; none when a copy does"),
};
#undef F

static const struct fields histogram_table =
    FIELDS("idle_gaps", "Gaps in the GPUs' work by length.", struct gap_row, histogram_fields);
const struct fields long_gap_fields =
    FIELDS("long_gaps", "The 16 longest gaps over all GPUs, longest first.", struct long_gap,
           longest_fields);

const struct analysis_kind analysis_gaps = {
    .name = "gaps",
    .doc = "How the idle time between pieces of work is distributed: many short gaps point to "
           "launches, few long ones to the host.",
    .run = run,
    .tables = ANALYSIS_TABLES(ANALYSIS_ROWS(histogram_table, gaps),
                              ANALYSIS_ROWS(long_gap_fields, long_gaps)),
};
