#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/name_groups.h"

static int by_total(const void *left, const void *right)
{
    const struct category_row *x = left, *y = right;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return strcmp(kernel_role_labels[x->category], kernel_role_labels[y->category]);
}

static void run(struct analysis *a, struct arena *arena)
{
    const struct view *v = &a->view;
    struct arena *temporary = arena_scratch();
    const uint32_t *rows = kernel_rows(v, temporary);
    uint64_t count[ROLE_COUNT] = {0};
    int64_t total[ROLE_COUNT] = {0}, all = 0;
    for (size_t i = 0; i < v->n_kernels; i++) {
        uint8_t role = v->role[a->trace->kernels.symbol[rows[i]]];
        int64_t ns = kernel_ns(a, rows[i]);
        count[role]++;
        total[role] = add_ns(total[role], ns);
        all = add_ns(all, ns);
    }
    arena_release(temporary);
    double wall = (double)a->breakdown.gpu_span_ns * (double)v->n_gpus;
    for (unsigned role = 0; role < ROLE_COUNT; role++) {
        if (!count[role])
            continue;
        const struct kernel_role_info *info = kernel_role_info((enum kernel_role)role);
        struct category_row row = {
            .category = (enum kernel_role)role,
            .group = info->rocinsight,
            .count = count[role],
            .total_ns = total[role],
            .pct_of_kernel_time = percent_of((double)total[role], (double)all),
            .avg_duration_ns = (int64_t)((uint64_t)total[role] / count[role]),
            .pct_of_total_time = fmin(percent_of((double)total[role], wall), 100),
        };
        vec_push(&a->categories, arena, row);
    }
    if (a->categories.n)
        qsort(a->categories.v, a->categories.n, sizeof(*a->categories.v), by_total);
}

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct category_row, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field fields[] = {
    F(category, FIELD_ENUM, "category", NO_UNIT, "what the kernels do, judged by their names",
      .words = kernel_role_labels),
    F(group, FIELD_TEXT, "group", NO_UNIT,
      "the coarser category of rocinsight and TraceLens reports"),
    F(count, FIELD_U64, "calls", NO_UNIT, "number of kernels"),
    F(total_ns, FIELD_I64, "total", IN_NS, "sum of their durations, clipped to the window"),
    F(pct_of_kernel_time, FIELD_NUM, "of kernels", IN_PERCENT,
      "100 x total_ns / sum of the durations of all kernels"),
    F(avg_duration_ns, FIELD_I64, "mean", IN_NS, "total_ns / count, rounded down"),
    F(pct_of_total_time, FIELD_NUM, "of GPU span", IN_PERCENT,
      "100 x total_ns / (breakdown.gpu_span_ns x GPUs), at most 100: kernels side by side count "
      "several times"),
};
#undef F

const struct fields category_fields =
    FIELDS("kernel_categories", "Kernel time by what kernels do, most time first.",
           struct category_row, fields);

const struct analysis_kind analysis_categories = {
    .name = "categories",
    .doc = "What kind of work fills the kernel time: matrix products, attention, collectives, "
           "element-wise kernels and so on, judged by the kernels' names.",
    .run = run,
    .tables = ANALYSIS_TABLES(ANALYSIS_ROWS(category_fields, categories)),
};
