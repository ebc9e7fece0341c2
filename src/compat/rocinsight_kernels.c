/* The parts of rocinsight's document that came with its version 0.3.0. */
#include <math.h>

#include "base/sat.h"
#include "base/str.h"
#include "compat/rocinsight_json.h"

void rocinsight_timeline(struct rocinsight *d)
{
    struct jwrite *w = d->w;
    const struct timeline *t = &d->advice->overview.timeline;
    jw_open(w, "interval_timeline", '{');
    jw_int(w, "total_wall_ns", t->total_wall_ns);
    jw_int(w, "true_compute_ns", t->true_compute_ns);
    rocinsight_pct(w, "true_compute_pct", t->true_compute_pct);
    jw_int(w, "exposed_memcpy_ns", t->exposed_memcpy_ns);
    rocinsight_pct(w, "exposed_memcpy_pct", t->exposed_memcpy_pct);
    jw_int(w, "idle_ns", t->idle_ns);
    rocinsight_pct(w, "idle_pct", t->idle_pct);
    jw_close(w);
}

/* Our roles are finer: those it has one word for are added up, in order of the first. */
void rocinsight_categories(struct rocinsight *d)
{
    struct jwrite *w = d->w;
    const struct analysis *a = d->a;
    jw_open(w, "kernel_categories", '[');
    for (size_t i = 0; i < a->categories.n; i++) {
        struct category_row sum = a->categories.v[i];
        bool seen = false;
        for (size_t k = 0; k < a->categories.n; k++) {
            const struct category_row *r = &a->categories.v[k];
            if (k == i || !str_eq(r->group, sum.group))
                continue;
            seen |= k < i;
            sum.count += r->count;
            sum.total_ns = add_ns(sum.total_ns, r->total_ns);
            sum.pct_of_kernel_time += r->pct_of_kernel_time;
            sum.pct_of_total_time += r->pct_of_total_time;
        }
        if (seen)
            continue;
        jw_open(w, NULL, '{');
        jw_str(w, "category", sum.group);
        jw_uint(w, "count", sum.count);
        jw_int(w, "total_ns", sum.total_ns);
        rocinsight_pct(w, "pct_of_kernel_time", sum.pct_of_kernel_time);
        jw_int(w, "avg_duration_ns", (int64_t)((uint64_t)sum.total_ns / sum.count));
        rocinsight_pct(w, "pct_of_total_time", sum.pct_of_total_time);
        jw_close(w);
    }
    jw_close(w);
}

/* "Wasted" is what it calls the time of short kernels; its readers compare it with its own. */
void rocinsight_short_kernels(struct rocinsight *d)
{
    static const char *const labels[] = {"0-1μs", "1-5μs", "5-10μs"};
    struct jwrite *w = d->w;
    const struct analysis *a = d->a;
    const struct short_kernels *s = &a->short_kernels;
    jw_open(w, "short_kernels", '{');
    jw_num(w, "threshold_us", s->threshold_us);
    jw_uint(w, "total_kernels", s->total_kernels);
    jw_uint(w, "short_kernel_count", s->short_kernel_count);
    rocinsight_pct(w, "short_kernel_pct", s->short_kernel_pct);
    jw_int(w, "wasted_ns", s->short_ns);
    rocinsight_pct(w, "wasted_pct_of_kernel_time", s->short_pct_of_kernel_time);
    jw_open(w, "histogram", '[');
    for (size_t i = 0; i < 3 && i < a->short_histogram.n; i++) {
        if (!a->short_histogram.v[i].count)
            continue;
        jw_open(w, NULL, '{');
        jw_str(w, "bucket_label", labels[i]);
        jw_uint(w, "count", a->short_histogram.v[i].count);
        jw_close(w);
    }
    jw_close(w);
    jw_open(w, "top_offenders", '[');
    for (size_t i = 0; i < a->short_offenders.n; i++) {
        const struct short_offender *o = &a->short_offenders.v[i];
        jw_open(w, NULL, '{');
        jw_str(w, "name", o->name);
        jw_uint(w, "count", o->count);
        jw_num(w, "avg_us", rocinsight_rounded(o->avg_us, 1000));
        jw_int(w, "total_wasted_ns", o->total_ns);
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
}
