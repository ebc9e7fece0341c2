/* The roofline of a workload: its peaks, measured and in theory, and where kernels stand. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "model/names.h"
#include "workload/results_in.h"
#include "workload/workload_in.h"

/* Noise of a measured peak; more than that is no traffic. */
#define MOST_PCT 105.0

static double known(double v)
{
    return isnan(v) ? 0 : v;
}

static void make_device(struct metric_device *d, const struct workload_system *s)
{
    static const struct workload_arch none;
    const struct workload_arch *a = workload_arch(s->arch);
    a = a ? a : &none;
    double clocks = known(s->sclk_mhz) / 1000 * known(s->cu);
    *d = (struct metric_device){
        .cu_count = known(s->cu),
        .simd_per_cu = known(s->simd_per_cu),
        .wave_size = known(s->wave_size),
        .waves_per_cu = known(s->waves_per_cu),
        .xcd = known(s->xcd),
        .se_count = known(s->se),
        .sqc_count = known(s->sqc),
        .sclk_ghz = known(s->sclk_mhz) / 1000,
        .hbm_gbps = known(s->hbm_gbps),
        .l1_line = a->l1_line,
        .l2_line = a->l2_request,
        .l2_channels = known(s->l2_channels),
        .lds_banks = known(s->lds_banks),
        .peak_gflops =
            {
                [FLOP_FP64] = clocks * a->valu_f64,
                [FLOP_FP32] = clocks * a->valu_f32,
                [FLOP_FP16] = clocks * a->valu_f16,
                [FLOP_MAT_FP64] = clocks * a->mfma_f64,
                [FLOP_MAT_FP32] = clocks * a->mfma_f32,
                [FLOP_MAT_FP16] = clocks * a->mfma_f16,
                [FLOP_MAT_BF16] = clocks * a->mfma_bf16,
                [FLOP_MAT_FP8] = clocks * a->mfma_f8,
                [FLOP_MAT_INT8] = clocks * a->mfma_i8,
                [FLOP_MAT_FP4] = clocks * a->mfma_f6f4,
            },
    };
    snprintf(d->arch, sizeof(d->arch), "%.15s", s->arch);
    metric_device_complete(d);
}

/* ---- peaks ---- */

static double measured(const struct workload_peaks *p, const char *name)
{
    for (size_t i = 0; i < p->v.n; i++)
        if (workload_same_name(p->v.v[i].name, name))
            return known(p->v.v[i].value);
    return 0;
}

static void take(double *to, double v)
{
    if (v > 0)
        *to = v;
}

static void add_measured(struct roof_peaks *out, const struct workload_peaks *p)
{
    static const char *const levels[ROOF_LEVELS] = {"HBMBw", "L2Bw", "L1Bw", "LDSBw"};
    static const char *const flops[FLOP_KINDS] = {
        [FLOP_FP64] = "FP64Flops",         [FLOP_FP32] = "FP32Flops",
        [FLOP_FP16] = "FP16Flops",         [FLOP_MAT_FP64] = "MFMAF64Flops",
        [FLOP_MAT_FP32] = "MFMAF32Flops",  [FLOP_MAT_FP16] = "MFMAF16Flops",
        [FLOP_MAT_BF16] = "MFMABF16Flops", [FLOP_MAT_FP8] = "MFMAF8Flops",
        [FLOP_MAT_INT8] = "MFMAI8Ops",     [FLOP_MAT_FP4] = "MFMAF4Flops",
    };
    for (int l = 0; l < ROOF_LEVELS; l++)
        take(&out->gbps[l], measured(p, levels[l]));
    for (int k = 0; k < FLOP_KINDS; k++)
        take(&out->gflops[k], measured(p, flops[k]));
    out->measured = true;
}

static void note(struct workload_report *r, const char *text)
{
    vec_push(&r->notes, r->arena, text);
}

/* The row of the GPU that ran the dispatches, or the first. */
void workload_device(struct workload_report *r)
{
    const struct workload *w = r->w;
    make_device(&r->device, &w->system);
    metric_set_init(&r->set, r->device.arch, r->arena);
    roof_peaks_theory(&r->theory, &r->device);
    r->peaks = r->theory;
    r->device_row = SIZE_MAX;
    if (!w->peaks.n) {
        note(r,
             "roofline.csv is missing: peaks are those of theory, which no kernel quite reaches");
        return;
    }
    int64_t gpu = r->all.n ? w->dispatches.v[r->all.rows[0]].gpu : -1;
    r->device_row = 0;
    for (size_t i = w->peaks.n; i-- > 0;)
        if (w->peaks.v[i].device == gpu)
            r->device_row = i;
    add_measured(&r->peaks, &w->peaks.v[r->device_row]);
    for (int k = 0; k < FLOP_KINDS; k++)
        if (r->theory.gflops[k] > 0 && r->peaks.gflops[k] > r->theory.gflops[k] * MOST_PCT / 100)
            note(r, arena_printf(r->arena,
                                 "roofline.csv has %.0f GFLOP/s for %s, more than clock and units "
                                 "allow (%.0f): doubtful",
                                 r->peaks.gflops[k], flop_kind_label((enum flop_kind)k),
                                 r->theory.gflops[k]));
}

/* ---- a kernel ---- */

struct roof_scope {
    const struct workload_report *r;
    const struct workload_view *v;
    double mean_ns;
};

/* The mean over dispatches with a duration, as it is the mean that the rates are taken of. */
static bool lookup(void *ctx, const struct formula_name *name, double *value)
{
    const struct roof_scope *s = ctx;
    const struct workload *w = s->r->w;
    double sum = 0;
    size_t n = 0;
    if (name->is_variable && str_eq(name->text, "dt_ns")) {
        *value = s->mean_ns;
        return !isnan(s->mean_ns);
    }
    if (name->is_variable)
        return metric_device_variable(&s->r->device, name->text, value);
    if (name->instance >= 0)
        return false;
    /* the sum itself rather than its channels, which are of another pass */
    const struct workload_counter *c = NULL;
    if (name->reduction == REDUCE_SUM)
        c = workload_counter(w, arena_printf(s->r->arena, "%s_sum", name->text), NULL);
    if (!c)
        c = workload_counter(w, name->text, NULL);
    if (!c || (c->by_channel && name->reduction != REDUCE_SUM))
        return false;
    for (size_t i = 0; i < s->v->n; i++) {
        uint32_t row = s->v->rows[i];
        double v = workload_value(c, row, ALL_CHANNELS);
        if (isnan(w->dispatches.v[row].duration_ns) || isnan(v))
            continue;
        sum += v;
        n++;
    }
    *value = n ? sum / (double)n : NAN;
    /* rocprof-compute adds the XCDs up; formulas ask for the cycles of one */
    if (str_starts(name->text, "GRBM_"))
        *value /= s->r->device.xcd > 0 ? s->r->device.xcd : NAN;
    return true;
}

void workload_roof(struct workload_report *r, struct workload_view *v)
{
    struct roof_scope ctx = {r, v, v->mean_ns};
    struct formula_scope scope = {lookup, &ctx};
    roof_point_make(&v->roof, &r->set, &scope, &r->peaks, v->mean_ns, r->arena);
    /*
     * Traffic is counted in whole lines and requests, an upper bound. Above the peak it was less,
     * so that level decides nothing.
     */
    struct roof_peaks sound = r->peaks;
    struct roof_point again;
    bool doubtful = false;
    for (int l = 0; l < ROOF_LEVELS; l++)
        if (v->roof.bandwidth_pct[l] > MOST_PCT) {
            sound.gbps[l] = 0;
            doubtful = true;
            if (v->kernel != NO_INDEX)
                note(r,
                     arena_printf(r->arena,
                                  "%s: %s traffic comes to %.0f %% of the peak, as every access "
                                  "counts as a full line; it is left out of the verdict",
                                  name_short(r->arena, v->name),
                                  roof_level_label((enum roof_level)l), v->roof.bandwidth_pct[l]));
        }
    if (!doubtful)
        return;
    roof_point_make(&again, &r->set, &scope, &sound, v->mean_ns, r->arena);
    v->roof.bound = again.bound;
    v->roof.level = again.level;
    v->roof.why = again.why;
}
