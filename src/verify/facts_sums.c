/*
 * What every profiler sums up by name: calls, total, mean, median, shortest, longest and deviation of
 * kernels, copies, host calls and markers. Our own tables have most of it, each its own part.
 */
#include <math.h>

#include "analyze/domains.h"
#include "run/run.h"
#include "verify/facts.h"

#define F(member, type, key, unit, doc)                                                            \
    FIELD_AS(struct domain_row, member, type, key, key, unit, doc)
static const struct field sums_list[] = {
    F(name, FIELD_TEXT, "name", NO_UNIT, "what is summed"),
    F(calls, FIELD_U64, "calls", NO_UNIT, "how many"),
    F(duration_ns, FIELD_I64, "total", IN_NS, "sum of their durations"),
    F(average_ns, FIELD_NUM, "mean", IN_NS, "total by calls"),
    F(median_ns, FIELD_NUM, "median", IN_NS, "in the middle"),
    F(percent, FIELD_NUM, "share", IN_PERCENT, "of all in the table"),
    F(min_ns, FIELD_I64, "min", IN_NS, "shortest"),
    F(max_ns, FIELD_I64, "max", IN_NS, "longest"),
    F(std_dev_ns, FIELD_NUM, "deviation", IN_NS, "of a sample; 0 for one call, as others have it"),
};
#undef F

void facts_add_sums(struct facts *f, const struct run *run)
{
    struct domain_tables tables = {0};
    struct domain_opts o = {.medians = true};
    struct gs_error err = {0};
    if (!domains_make(&tables, &run->trace, &o, f->arena, &err))
        return;
    for (size_t i = 0; i < tables.v.n; i++) {
        const struct domain_table *t = &tables.v.v[i];
        struct fields *fields = arena_new(f->arena, struct fields);
        *fields = (struct fields)FIELDS("", "", struct domain_row, sums_list);
        fields->key = t->key;
        for (size_t k = 0; k < t->rows.n; k++) {
            if (isnan(t->rows.v[k].std_dev_ns))
                t->rows.v[k].std_dev_ns = 0;
            if (t->is_domains)
                t->rows.v[k].median_ns = NAN;
        }
        struct results one = {0};
        struct result r = {.fields = fields, .rows = t->rows.v, .n = t->rows.n};
        vec_push(&one, f->arena, r);
        facts_add_results(f, &one);
    }
}
