#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/name_groups.h"

/* Longer gaps before a kernel are not the price of launching it. */
#define SHORT_GAP_NS LEDGER_QUEUE_NS

enum { BUCKETS = 8, MAX_OFFENDERS = 10 };

static const int64_t limits[BUCKETS - 1] = {1000, 5000, 10000, 50000, 100000, 1000000, 10000000};
static const char *const labels[BUCKETS] = {"0-1us",    "1-5us",     "5-10us", "10-50us",
                                            "50-100us", "100us-1ms", "1-10ms", ">=10ms"};

struct counts {
    const struct analysis *a;
    const struct name_groups *names;
    struct short_offender *by_name;
    struct short_bucket buckets[BUCKETS];
    struct short_kernels *out;
};

static size_t bucket_of(int64_t ns)
{
    size_t b = 0;
    for (size_t i = 0; i < BUCKETS - 1; i++)
        b += ns >= limits[i];
    return b;
}

static void count_kernel(struct counts *c, uint32_t row, int64_t ns, int64_t gap)
{
    struct short_bucket *b = &c->buckets[bucket_of(ns)];
    b->count++;
    b->total_ns = add_ns(b->total_ns, ns);
    if (ns >= c->a->opts.short_threshold_ns)
        return;
    struct short_offender *o = &c->by_name[c->names->of_symbol[c->a->trace->kernels.symbol[row]]];
    o->count++;
    o->total_ns = add_ns(o->total_ns, ns);
    if (gap > 0 && gap < SHORT_GAP_NS)
        c->out->gap_ns = add_ns(c->out->gap_ns, gap);
}

/* Kernels in order of start, with the copies between them, and the end of all work so far. */
static void count_gpu(struct counts *c, const struct view_gpu *g)
{
    const struct view *v = &c->a->view;
    const struct kernels *k = &c->a->trace->kernels;
    const struct copies *m = &c->a->trace->copies;
    bool any = false;
    int64_t until = 0;
    for (size_t i = 0, j = 0; i < g->n_kernels; i++) {
        uint32_t row = g->kernels[i];
        struct span s = view_clip(v, k->start_ns[row], k->end_ns[row]);
        for (; j < g->n_copies && m->start_ns[g->copies[j]] < k->start_ns[row]; j++) {
            struct span copy = view_clip(v, m->start_ns[g->copies[j]], m->end_ns[g->copies[j]]);
            if (!any || copy.end > until)
                until = copy.end;
            any = true;
        }
        count_kernel(c, row, s.end - s.start, any ? s.start - until : 0);
        if (!any || s.end > until)
            until = s.end;
        any = true;
    }
}

static int by_total(const void *left, const void *right)
{
    const struct short_offender *x = left, *y = right;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void list_offenders(struct analysis *a, struct counts *c, struct arena *arena)
{
    size_t n = 0;
    for (size_t i = 0; i < c->names->n; i++) {
        if (!c->by_name[i].count)
            continue;
        c->by_name[n] = c->by_name[i];
        c->by_name[n].name = name_groups_name(c->names, a->trace, i);
        c->by_name[n].avg_us = (double)c->by_name[n].total_ns / (double)c->by_name[n].count / 1000;
        n++;
    }
    if (n)
        qsort(c->by_name, n, sizeof(*c->by_name), by_total);
    for (size_t i = 0; i < n && i < MAX_OFFENDERS; i++)
        vec_push(&a->short_offenders, arena, c->by_name[i]);
    for (size_t i = 0; i < n; i++) {
        a->short_kernels.short_kernel_count += c->by_name[i].count;
        a->short_kernels.short_ns = add_ns(a->short_kernels.short_ns, c->by_name[i].total_ns);
    }
}

static void run(struct analysis *a, struct arena *arena)
{
    struct short_kernels *s = &a->short_kernels;
    const struct name_groups *names = &a->view.names;
    struct arena *temporary = arena_scratch();
    struct counts c = {.a = a, .names = names, .out = s};
    c.by_name = arena_array(temporary, struct short_offender, names->n);
    *s = (struct short_kernels){.threshold_us = (double)a->opts.short_threshold_ns / 1000,
                                .total_kernels = a->view.n_kernels};
    for (size_t g = 0; g < a->view.n_gpus; g++)
        count_gpu(&c, &a->view.gpus[g]);
    list_offenders(a, &c, arena);
    int64_t all = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        c.buckets[b].bucket_label = labels[b];
        all = add_ns(all, c.buckets[b].total_ns);
        vec_push(&a->short_histogram, arena, c.buckets[b]);
    }
    s->short_kernel_pct = percent_of((double)s->short_kernel_count, (double)s->total_kernels);
    s->short_pct_of_kernel_time = percent_of((double)s->short_ns, (double)all);
    arena_release(temporary);
}

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct short_kernels, member, type, label, unit, doc)
static const struct field fields[] = {
    F(threshold_us, FIELD_NUM, "threshold", IN_US,
      "a kernel is short when its duration is below this"),
    F(total_kernels, FIELD_U64, "kernels", NO_UNIT, "number of kernels in the view"),
    F(short_kernel_count, FIELD_U64, "short kernels", NO_UNIT, "kernels with duration < threshold"),
    F(short_kernel_pct, FIELD_NUM, "short", IN_PERCENT, "100 x short_kernel_count / total_kernels"),
    F(short_ns, FIELD_I64, "time in short kernels", IN_NS,
      "sum of the durations of short kernels: work, not waste"),
    F(short_pct_of_kernel_time, FIELD_NUM, "of kernels", IN_PERCENT,
      "100 x short_ns / sum of the durations of all kernels"),
    F(gap_ns, FIELD_I64, "gaps before", IN_NS,
      "sum over short kernels of start - latest end of all kernels and copies that started earlier "
      "on "
      "the same GPU, where that is between 0 and 50 us: the idle time that launching them costs"),
};
#undef F

#define F(member, type, label, unit, doc) FIELD(struct short_bucket, member, type, label, unit, doc)
static const struct field bucket_fields[] = {
    F(bucket_label, FIELD_TEXT, "duration", NO_UNIT,
      "durations in this bucket, lower bound included"),
    F(count, FIELD_U64, "kernels", NO_UNIT, "number of kernels, short or not"),
    F(total_ns, FIELD_I64, "total", IN_NS, "sum of their durations, clipped to the window"),
};
#undef F

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct short_offender, member, type, label, unit, doc)
static const struct field offender_fields[] = {
    F(name, FIELD_TEXT, "kernel", NO_UNIT, "full, demangled name"),
    F(count, FIELD_U64, "short calls", NO_UNIT, "dispatches with duration < threshold"),
    F(avg_us, FIELD_NUM, "mean", IN_US, "total_ns / count / 1000"),
    F(total_ns, FIELD_I64, "total", IN_NS, "sum of the durations of these dispatches"),
};
#undef F

const struct fields short_kernel_fields = FIELDS(
    "short_kernels", "Kernels too short to hide their launch.", struct short_kernels, fields);
const struct fields short_bucket_fields = FIELDS(
    "short_kernel_histogram", "All kernels by duration.", struct short_bucket, bucket_fields);
const struct fields short_offender_fields =
    FIELDS("short_kernel_offenders", "The 10 names with most time in short dispatches, most first.",
           struct short_offender, offender_fields);

const struct analysis_kind analysis_short_kernels = {
    .name = "short_kernels",
    .doc = "How many kernels are so short that launching them costs as much as running them, which "
           "ones, "
           "and how long the GPU idles right before them.",
    .run = run,
    .tables = ANALYSIS_TABLES(ANALYSIS_ONE(short_kernel_fields, short_kernels),
                              ANALYSIS_ROWS(short_bucket_fields, short_histogram),
                              ANALYSIS_ROWS(short_offender_fields, short_offenders)),
};
