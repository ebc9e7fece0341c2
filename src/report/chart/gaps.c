#include <math.h>

#include "base/sat.h"
#include "report/chart/parts.h"

static void sum_bucket(const struct analysis *a, size_t b, struct gap_bucket *sum)
{
    *sum = (struct gap_bucket){0};
    for (size_t g = 0; g < a->ledger.n_gpus; g++) {
        const struct gap_bucket *part = &a->ledger.gpus[g].buckets[b];
        sum->count += part->count;
        sum->total_ns = add_ns(sum->total_ns, part->total_ns);
        for (enum cause k = 0; k < CAUSES; k++)
            sum->ns[k] = add_ns(sum->ns[k], part->ns[k]);
    }
}

static bool has(const struct analysis *a)
{
    for (size_t i = 0; i < a->gaps.n; i++)
        if (a->gaps.v[i].count)
            return true;
    return false;
}

static int height(const struct analysis *a, size_t top)
{
    (void)a;
    (void)top;
    return 250;
}

static void legend(struct canvas *c, const bool *used)
{
    VEC(struct legend_item) items = {0};
    for (enum cause k = 0; k < CAUSES; k++)
        if (used[k])
            vec_push(&items, c->d->arena,
                     ((struct legend_item){cause_ink(k), cause_info(k)->label}));
    chart_legend(c, items.v, items.n);
}

static void draw(struct canvas *c)
{
    struct gap_bucket sums[GAP_BUCKETS];
    struct bar_row columns[GAP_BUCKETS] = {0};
    bool used[CAUSES] = {0};
    double most = 1;
    for (size_t b = 0; b < GAP_BUCKETS; b++) {
        sum_bucket(c->a, b, &sums[b]);
        most = fmax(most, (double)sums[b].total_ns);
    }
    for (size_t b = 0; b < GAP_BUCKETS; b++) {
        columns[b].label = gap_bucket_label(b);
        columns[b].value =
            !sums[b].count ? ""
                           : arena_printf(c->d->arena, "%s in %s", chart_ns(c, sums[b].total_ns),
                                          chart_count(c, sums[b].count));
        for (enum cause k = 0; k < CAUSES; k++) {
            struct bar_part part = {(double)sums[b].ns[k] / most, cause_ink(k), NULL, NULL};
            part.tip = arena_printf(c->d->arena, "%s: %s", cause_info(k)->label,
                                    chart_ns(c, sums[b].ns[k]));
            if (sums[b].ns[k] <= 0)
                continue;
            used[k] = true;
            vec_push(&columns[b].parts, c->d->arena, part);
        }
    }
    legend(c, used);
    chart_columns(c, columns, GAP_BUCKETS);
}

const struct chart chart_gaps = {
    .name = "gaps",
    .title = "Idle gaps between work, by length and cause",
    .doc =
        "Height is the idle time in gaps of that length, over all GPUs; start-up and tail are not "
        "gaps.",
    .absent = "no idle gap between work",
    .has = has,
    .height = height,
    .draw = draw,
};
