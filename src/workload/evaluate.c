/* Every metric for every view: means over dispatches, peaks, and what was missing. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "workload/results_in.h"

struct ready_metric {
    struct ready value, peak;
};

/* ---- one metric ---- */

static uint32_t count_passes(const struct ready *f, uint64_t used)
{
    uint32_t passes[FORMULA_NAMES], n = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (!(used >> i & 1) || f->sources[i].kind != FROM_COUNTER)
            continue;
        uint32_t k = 0;
        while (k < n && passes[k] != f->sources[i].counter->pass)
            k++;
        if (k == n)
            passes[n++] = f->sources[i].counter->pass;
    }
    return n;
}

/* What people call the facts that formulas use. */
static const char *plain_name(const char *spelt)
{
    static const struct {
        const char *name, *words;
    } facts[] = {{"$dt_ns", "durations of dispatches"},
                 {"$cu_per_gpu", "compute units"},
                 {"$max_sclk", "clock"},
                 {"$num_xcd", "number of XCDs"},
                 {"$total_l2_chan", "L2 channels"},
                 {"$sqc_per_gpu", "scalar caches"},
                 {"$hbm_bw", "memory bandwidth"},
                 {"$l1_line", "L1 line of this architecture"},
                 {"$l2_request", "L2 request of this architecture"},
                 {"$lds_banks_per_cu", "LDS banks"},
                 {"$max_waves_per_cu", "waves per CU"},
                 {"$active_cus", "SQ_BUSY_CU_CYCLES"}};
    for (size_t i = 0; i < ARRAY_LEN(facts); i++)
        if (str_eq(facts[i].name, spelt))
            return facts[i].words;
    return spelt;
}

static void name_missing(struct workload_report *r, struct workload_value *v, const struct ready *f,
                         uint64_t missing)
{
    const char **names = arena_array(r->arena, const char *, f->n + 1);
    for (size_t i = 0; i < f->n; i++)
        if (missing >> i & 1)
            names[v->n_missing++] = plain_name(f->names[i].spelt);
    v->missing = names;
}

/* Whether the peak is one of units that the architecture does not have. */
static bool no_such_unit(const struct workload_report *r, const struct ready *peak)
{
    if (!workload_arch(r->w->system.arch))
        return false;
    for (size_t i = 0; i < peak->n; i++)
        if (peak->sources[i].kind == FROM_NOWHERE && str_starts(peak->names[i].spelt, "$mfma_"))
            return true;
    return false;
}

static void compute(struct workload_report *r, struct workload_value *out, const struct ready *f,
                    const struct ready *peak, const struct workload_view *v)
{
    struct place p = {.w = r->w, .channel = ALL_CHANNELS, .facts = v->facts};
    double sum = 0, sums[FORMULA_NAMES] = {0}, seen[FORMULA_NAMES] = {0};
    *out = (struct workload_value){NAN, NAN, NAN, NAN, NAN, NAN, 0, 0, NULL, 0};
    p.seen = seen;
    for (size_t i = 0; i < v->n; i++) {
        p.row = v->rows[i];
        double x = ready_eval(f, &p);
        if (isnan(x))
            continue;
        for (size_t k = 0; k < f->n; k++)
            sums[k] += seen[k];
        if (!out->dispatches++)
            out->least = out->most = x;
        out->least = x < out->least ? x : out->least;
        out->most = x > out->most ? x : out->most;
        sum += x;
    }
    p.seen = NULL;
    p.row = v->n ? v->rows[0] : 0;
    struct formula_parts parts = ready_parts(f, &p);
    out->passes = count_passes(f, parts.used);
    if (peak->formula)
        out->peak = ready_eval(peak, &p);
    if (!out->dispatches && no_such_unit(r, peak)) {
        const char **why = arena_array(r->arena, const char *, 1);
        *why =
            arena_printf(r->arena, "matrix units for that type, which %s lacks", r->w->system.arch);
        out->missing = why;
        out->n_missing = 1;
        return;
    }
    if (!out->dispatches) {
        name_missing(r, out, f, parts.missing);
        return;
    }
    out->mean = sum / out->dispatches;
    for (size_t k = 0; k < f->n; k++)
        sums[k] /= out->dispatches;
    p.means = sums;
    out->weighted = ready_eval(f, &p);
    if (out->peak > 0)
        out->pct = 100 * out->mean / out->peak;
}

/* ---- one view ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void time_view(struct workload_report *r, struct workload_view *v)
{
    double *all = arena_array(r->arena, double, v->n + 1);
    size_t n = 0;
    double sum = 0;
    v->total_ns = v->mean_ns = v->median_ns = v->least_ns = v->most_ns = v->time_pct = NAN;
    for (size_t i = 0; i < v->n; i++) {
        double ns = r->w->dispatches.v[v->rows[i]].duration_ns;
        if (!isnan(ns)) {
            all[n++] = ns;
            sum += ns;
        }
    }
    if (!n)
        return;
    qsort(all, n, sizeof(*all), by_value);
    v->total_ns = sum;
    v->mean_ns = sum / (double)n;
    v->median_ns = n % 2 ? all[n / 2] : (all[n / 2 - 1] + all[n / 2]) / 2;
    v->least_ns = all[0];
    v->most_ns = all[n - 1];
    v->time_pct = r->all.total_ns > 0 ? 100 * sum / r->all.total_ns : NAN;
}

static void facts_of(struct workload_report *r, struct workload_view *v, const struct ready *facts,
                     size_t n)
{
    v->facts = arena_array(r->arena, double, n);
    for (size_t i = 0; i < n; i++)
        v->facts[i] = NAN;
    for (size_t i = 0; i < n; i++) {
        struct workload_value out;
        compute(r, &out, &facts[i], &(struct ready){0}, v);
        v->facts[i] = out.mean;
    }
}

static void channels_of(struct workload_report *r, const struct ready_metric *all, size_t first,
                        size_t n)
{
    const struct workload_view *v = &r->all;
    struct place p = {.w = r->w, .facts = v->facts};
    for (size_t i = 0; i < r->w->counters.n; i++) {
        const struct workload_counter *c = &r->w->counters.v[i];
        if (c->by_channel && str_starts(c->name, "TCC_") && c->places.n > r->channels)
            r->channels = (uint32_t)c->places.n;
    }
    r->channel_values = arena_array(r->arena, double, n * r->channels + 1);
    for (size_t m = 0; m < n; m++)
        for (uint32_t k = 0; k < r->channels; k++) {
            double sum = 0;
            size_t used = 0;
            p.channel = (int32_t)k;
            for (size_t i = 0; i < v->n; i++) {
                p.row = v->rows[i];
                double x = ready_eval(&all[first + m].value, &p);
                sum += isnan(x) ? 0 : x;
                used += isnan(x) ? 0 : 1;
            }
            r->channel_values[m * r->channels + k] = used ? sum / (double)used : NAN;
        }
}

bool workload_shows(const struct workload_report *r, int panel)
{
    for (size_t i = 0; i < r->panels.n; i++)
        if (r->panels.v[i] == panel)
            return true;
    return !r->panels.n;
}

size_t workload_metric_index(int panel, const char *key)
{
    size_t n;
    const struct workload_metric *m = workload_metrics(&n);
    for (size_t i = 0; i < n; i++)
        if (m[i].panel == panel && str_eq(m[i].key, key))
            return i;
    return SIZE_MAX;
}

const char *workload_title(const struct workload_report *r)
{
    const char *name = r->w->system.name;
    return *name ? name : fs_basename(r->w->dir);
}

const char *workload_unit(const struct workload_report *r, const struct workload_metric *m)
{
    const struct workload_unit_info *u = workload_unit_info(m->unit);
    return u->counted ? arena_printf(r->arena, "%s/%s", u->word, workload_per_words[r->per])
                      : u->word;
}

static void evaluate_all(struct workload_report *r)
{
    size_t n, n_facts, channel_first = SIZE_MAX, channel_n = 0;
    const struct workload_metric *m = workload_metrics(&n);
    const struct workload_fact *f = workload_facts(&n_facts);
    struct ready_metric *ready = arena_array(r->arena, struct ready_metric, n);
    struct ready *facts = arena_array(r->arena, struct ready, n_facts);
    for (size_t i = 0; i < n_facts; i++)
        ready_make(&facts[i], r, f[i].formula, "");
    for (size_t i = 0; i < n; i++) {
        ready_make(&ready[i].value, r, m[i].formula, m[i].level);
        ready_make(&ready[i].peak, r, m[i].peak, "");
        if (m[i].panel == PANEL_CHANNELS) {
            channel_first = channel_n ? channel_first : i;
            channel_n++;
        }
    }
    assert(!channel_n || m[channel_first + channel_n - 1].panel == PANEL_CHANNELS); /* in a row */
    for (size_t k = 0; k <= r->kernels.n; k++) {
        struct workload_view *v = k ? &r->kernels.v[k - 1] : &r->all;
        facts_of(r, v, facts, n_facts);
        v->values = arena_array(r->arena, struct workload_value, n);
        for (size_t i = 0; i < n; i++)
            compute(r, &v->values[i], &ready[i].value, &ready[i].peak, v);
        workload_roof(r, v);
    }
    channels_of(r, ready, channel_first, channel_n);
}

/* ---- kernels ---- */

struct ranked {
    struct workload_view view;
    size_t order;
};

/* Longest first; without durations the one with most dispatches; then as they came. */
static int by_time(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    double s = isnan(x->view.total_ns) ? 0 : x->view.total_ns;
    double t = isnan(y->view.total_ns) ? 0 : y->view.total_ns;
    if (s < t || s > t)
        return s < t ? 1 : -1;
    if (x->view.n != y->view.n)
        return x->view.n < y->view.n ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void rank_kernels(struct workload_report *r, size_t top)
{
    const struct workload *w = r->w;
    size_t kernels = w->kernels.n, n = 0;
    struct ranked *all = arena_array(r->arena, struct ranked, kernels + 1);
    uint32_t **rows = arena_array(r->arena, uint32_t *, kernels + 1);
    for (size_t i = 0; i < r->all.n; i++)
        all[w->dispatches.v[r->all.rows[i]].kernel].view.n++;
    for (size_t k = 0; k < kernels; k++) {
        rows[k] = arena_array(r->arena, uint32_t, all[k].view.n + 1);
        all[k].view.n = 0;
    }
    for (size_t i = 0; i < r->all.n; i++) {
        uint32_t k = w->dispatches.v[r->all.rows[i]].kernel;
        rows[k][all[k].view.n++] = r->all.rows[i];
    }
    for (size_t k = 0; k < kernels; k++) {
        struct workload_view v = {.kernel = (uint32_t)k,
                                  .name = w->kernels.v[k].name,
                                  .rows = rows[k],
                                  .n = all[k].view.n};
        if (!v.n)
            continue;
        time_view(r, &v);
        all[n] = (struct ranked){v, n};
        n++;
    }
    qsort(all, n, sizeof(*all), by_time);
    r->n_kernels = n;
    for (size_t k = 0; k < n && k < top; k++)
        vec_push(&r->kernels, r->arena, all[k].view);
}

static bool counted(const struct workload *w, const char *part)
{
    for (size_t i = 0; i < w->counters.n; i++)
        if (str_has(w->counters.v[i].name, part))
            return true;
    return false;
}

/* Profilers before rocprof-compute 3.6 did not count reads by size on gfx950. */
static void note_reads(struct workload_report *r)
{
    if (str_starts(r->w->system.arch, "gfx95") && counted(r->w, "RDREQ") &&
        !counted(r->w, "RDREQ_128B"))
        vec_push(&r->notes, r->arena,
                 "reads of 128 bytes were not counted as such: traffic from memory may be up to "
                 "twice what is said");
}

bool workload_evaluate(struct workload_report *r, const struct workload *w,
                       const struct workload_opts *o, struct arena *arena, struct gs_error *err)
{
    *r = (struct workload_report){.w = w, .arena = arena, .per = o->per};
    for (size_t i = 0; i < w->notes.n; i++)
        vec_push(&r->notes, arena, w->notes.v[i]);
    note_reads(r);
    if (!workload_select(r, o, err))
        return false;
    r->all.kernel = NO_INDEX;
    time_view(r, &r->all);
    r->all.time_pct = 100;
    workload_device(r);
    rank_kernels(r, o->top ? o->top : 10);
    r->all.name = r->n_kernels == 1 ? r->kernels.v[0].name : "all kernels";
    evaluate_all(r);
    return true;
}
