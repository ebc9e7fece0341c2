#include "advise/measured.h"

#include <string.h>

#include "base/str.h"
#include "metric/roofline.h"

#define LEAST_TIME_PCT 5.0

const struct counter_kernel *measured_kernel(const struct analysis *a, uint32_t name_id)
{
    for (size_t i = 0; i < a->counters.kernels.n; i++)
        if (a->counters.kernels.v[i].name_id == name_id)
            return &a->counters.kernels.v[i];
    return NULL;
}

/* Time of all its dispatches in the window, measured or not. */
static int64_t measured_time(const struct analysis *a, const struct counter_kernel *k)
{
    int64_t ns = 0;
    for (size_t i = 0; i < a->hotspots.n; i++) /* one each, unless they are split by GPU */
        if (a->hotspots.v[i].name_id == k->name_id)
            ns = add_ns(ns, a->hotspots.v[i].total_duration_ns);
    return ns;
}

const struct counter_kernel *measured_worst(const struct analysis *a,
                                            double (*lost)(const struct counter_kernel *k))
{
    const struct counter_kernel *worst = NULL;
    double most = -1;
    for (size_t i = 0; i < a->counters.kernels.n; i++) {
        const struct counter_kernel *k = &a->counters.kernels.v[i];
        uint32_t symbol = a->trace->kernels.symbol[k->slowest];
        double ns = (double)measured_time(a, k);
        if (a->view.kernel_class[symbol] == KERNEL_COMPUTE && lost(k) >= 0 &&
            percent_of(ns, (double)a->breakdown.gpu_time_ns) >= LEAST_TIME_PCT &&
            (double)ns * lost(k) > most) {
            most = (double)ns * lost(k);
            worst = k;
        }
    }
    return worst;
}

void finding_claim_measured(struct finding *f, const struct counter_kernel *k, double lost)
{
    finding_claim(f, CAUSE_COMPUTE, ns_from((double)measured_time(f->analysis, k) * lost));
    if (lost > 0 && lost < 1) /* all of it is no promise: nobody knows what is left */
        finding_change_kernel(f, k->name_id, 1 - lost);
}

const struct counter_kernel *finding_of_measured(struct finding *f, const struct analysis *a,
                                                 double (*lost)(const struct counter_kernel *k))
{
    const struct counter_kernel *k = measured_worst(a, lost);
    if (!k)
        return NULL;
    finding_claim_measured(f, k, lost(k));
    finding_scope_kernel(f, k->short_name);
    return k;
}

void finding_at_measured(struct finding *f, const struct counter_kernel *k)
{
    const struct kernels *rows = &f->analysis->trace->kernels;
    const struct view *v = &f->analysis->view;
    if (rows->start_ns[k->slowest] >= v->start_ns && rows->end_ns[k->slowest] <= v->end_ns)
        finding_at_kernel(f, k->slowest, "longest measured call");
}

static void capture_words(struct finding *f, const char *words, const char *kernel, const char *why)
{
    enum { MOST = 32 };
    const char *list[MOST + 1] = {0};
    size_t n = 0;
    while (*words && n < MOST) {
        size_t len = strcspn(words, " ");
        list[n++] = arena_strndup(f->arena, words, len);
        words += len + (words[len] == ' ');
    }
    finding_capture_counters(f, list, kernel, why);
}

static bool nothing(void *ctx, const struct formula_name *name, double *value)
{
    (void)ctx;
    *value = 1;
    return name->is_variable;
}

/* The counters that the metrics of a verdict are made of on an architecture. */
static const char *verdict_counters(const char *arch, struct arena *arena)
{
    struct metric_set set;
    struct formula_scope none = {nothing, NULL};
    struct str out;
    str_init(&out, arena);
    metric_set_init(&set, arch, arena);
    for (size_t i = 0; roof_metrics[i]; i++) {
        const struct metric *m = metric_set_find(&set, roof_metrics[i]);
        size_t n = 0;
        const struct formula_name *names = m ? formula_names(m->formula, &n) : NULL;
        uint64_t missing = m ? formula_parts(m->formula, &none).missing : 0;
        for (size_t k = 0; k < n; k++)
            if (missing >> k & 1)
                str_printf(&out, "%s%s", out.len ? " " : "", names[k].spelt);
    }
    return out.buf;
}

void finding_capture_verdict(struct finding *f, const struct counter_kernel *k, uint32_t row,
                             const char *kernel, const char *why)
{
    const struct trace *t = f->analysis->trace;
    if (k) {
        capture_words(f, k->missing, kernel, why);
        return;
    }
    uint32_t gpu = t->streams.v[t->kernels.stream[row]].gpu;
    struct metric_device d;
    metric_device_make(&d, gpu < t->gpus.n ? trace_str(t, t->gpus.v[gpu].arch) : "",
                       &(struct gpu){0}, NULL);
    capture_words(f, verdict_counters(d.arch, f->arena), kernel, why);
}

void finding_sure_measured(struct finding *f, const struct counter_kernel *k, double most)
{
    if (k->cross_pass)
        finding_sure(f, most - 0.15, "measured, but in passes %s, and held against peaks by theory",
                     k->passes);
    else
        finding_sure(f, most, "measured in one pass, and held against peaks by theory");
}
