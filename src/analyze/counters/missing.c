/* Which counters a question still needs, and in how many passes they can be had. */
#include <math.h>

#include "analyze/counters/counters_in.h"
#include "base/str.h"
#include "metric/counters.h"
#include "metric/metrics.h"

enum { METRICS_MOST = 16 };

static const struct question {
    const char *text;
    enum metric_id metrics[METRICS_MOST];
} questions[] = {
    {"whether compute, memory or latency binds a kernel",
     {METRIC_fabric_gbps, METRIC_valu_busy_pct, METRIC_mfma_util_pct}},
    {"achieved occupancy", {METRIC_occupancy_pct}},
    {"arithmetic intensity, for the roofline",
     {METRIC_fabric_gbps, METRIC_valu_f64_gflops, METRIC_valu_f32_gflops, METRIC_valu_f16_gflops,
      METRIC_mfma_f64_gflops, METRIC_mfma_f32_gflops, METRIC_mfma_f16_gflops,
      METRIC_mfma_bf16_gflops, METRIC_mfma_f8_gflops, METRIC_mfma_i8_giops,
      METRIC_mfma_f6f4_gflops}},
    {"how well the caches serve", {METRIC_l1_hit_pct, METRIC_l2_hit_pct}},
    {"bank conflicts of the LDS", {METRIC_lds_conflict_pct}},
    {"what waves wait for", {METRIC_wait_pct, METRIC_issue_wait_pct}},
};

typedef VEC(const char *) name_list;

static void add_name(name_list *list, struct arena *arena, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(list->v[i], name))
            return;
    vec_push(list, arena, name);
}

/* Adds the counters that a question lacks for a kernel; facts about the GPU cannot be captured. */
static bool lacks(const struct counter_facts *f, const struct question *q, name_list *list)
{
    bool any = false;
    for (int i = 0; i < METRICS_MOST && q->metrics[i]; i++) {
        const struct metric *m = metric_set_find(f->metrics, q->metrics[i]);
        if (!m)
            continue;
        struct counter_value v = counter_value_of(f, m->formula);
        size_t n;
        const struct formula_name *names = formula_names(m->formula, &n);
        for (size_t k = 0; k < n; k++)
            if (v.missing >> k & 1 && !names[k].is_variable) {
                add_name(list, f->arena, names[k].spelt);
                any = true;
            }
    }
    return any;
}

static const char *joined(const name_list *list, struct arena *arena)
{
    struct str s;
    str_init(&s, arena);
    for (size_t i = 0; i < list->n; i++)
        str_printf(&s, "%s%s", i ? " " : "", list->v[i]);
    return s.buf;
}

const char *counter_missing_text(struct counter_run *r, const struct counter_facts *f)
{
    name_list list = {0};
    lacks(f, &questions[0], &list);
    return joined(&list, r->arena);
}

/* In as few runs of the program as the blocks of this GPU allow; what it has not is left out. */
static void divide(struct passes *out, const struct trace *t, const name_list *list,
                   struct arena *arena)
{
    VEC(struct pack_counter) wanted = {0};
    const char *arch = "";
    for (size_t g = t->gpus.n; g-- > 0;)
        if (t->gpus.v[g].used)
            arch = trace_str(t, t->gpus.v[g].arch);
    for (size_t i = 0; i < list->n; i++) {
        struct pack_counter c;
        if (counter_find(&c, list->v[i], family_of(arch)))
            vec_push(&wanted, arena, c);
    }
    pack(out, wanted.v, wanted.n, NULL, 0, arena);
}

void counter_missing_find(struct counter_run *r)
{
    struct arena *arena = r->arena;
    for (size_t q = 0; q < ARRAY_LEN(questions); q++) {
        struct counter_missing row = {.question = questions[q].text};
        name_list list = {0};
        for (size_t k = 0; k < r->join.n_kernels; k++) {
            const struct join_kernel *kernel = &r->join.kernels[k];
            /* A verdict that stands needs nothing more. */
            if (q == 0 && r->out->kernels.v[k].bound != BOUND_UNKNOWN)
                continue;
            struct counter_facts f =
                counter_facts_of(r, kernel->sums, kernel->passes, kernel->joined, kernel->gpu);
            row.kernels += lacks(&f, &questions[q], &list);
        }
        if (!list.n)
            continue;
        struct passes passes = {0};
        struct str capture;
        divide(&passes, r->a->trace, &list, arena);
        str_init(&capture, arena);
        for (size_t p = 0; p < passes.n; p++) {
            str_puts(&capture, p ? "; " : "");
            for (size_t c = 0; c < passes.v[p].counters.n; c++)
                str_printf(&capture, "%s%s", c ? " " : "", passes.v[p].counters.v[c]);
        }
        row.counters = joined(&list, arena);
        row.passes = (uint32_t)passes.n;
        row.capture = capture.buf;
        vec_push(&r->out->missing, arena, row);
    }
}
