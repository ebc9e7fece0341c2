#include "metric/roofline.h"

#include <math.h>

#include "base/sat.h"
#include "base/str.h"

const char *const roof_level_labels[] = {"HBM", "L2", "L1", "LDS", NULL};
const char *const bound_labels[] = {"unknown", "compute", "memory", "latency", NULL};

const char *roof_level_label(enum roof_level level)
{
    return roof_level_labels[level];
}

const char *bound_label(enum bound bound)
{
    return bound_labels[bound];
}

/* Rates in giga per second, whose product with the duration is a count. */
const enum metric_id roof_level_metrics[ROOF_LEVELS] = {METRIC_fabric_gbps, METRIC_l2_gbps,
                                                        METRIC_l1_gbps, METRIC_lds_gbps};
static const enum metric_id flop_metrics[FLOP_KINDS] = {
    [FLOP_FP64] = METRIC_valu_f64_gflops,      [FLOP_FP32] = METRIC_valu_f32_gflops,
    [FLOP_FP16] = METRIC_valu_f16_gflops,      [FLOP_MAT_FP64] = METRIC_mfma_f64_gflops,
    [FLOP_MAT_FP32] = METRIC_mfma_f32_gflops,  [FLOP_MAT_FP16] = METRIC_mfma_f16_gflops,
    [FLOP_MAT_BF16] = METRIC_mfma_bf16_gflops, [FLOP_MAT_FP8] = METRIC_mfma_f8_gflops,
    [FLOP_MAT_INT8] = METRIC_mfma_i8_giops,    [FLOP_MAT_FP4] = METRIC_mfma_f6f4_gflops,
};

const enum metric_id roof_metrics[] = {METRIC_fabric_gbps, METRIC_valu_busy_pct,
                                       METRIC_mfma_util_pct, METRIC_occupancy_pct, NO_METRIC};

void roof_peaks_theory(struct roof_peaks *peaks, const struct metric_device *d)
{
    *peaks = (struct roof_peaks){0};
    peaks->gbps[ROOF_HBM] = d->hbm_gbps;
    peaks->gbps[ROOF_L2] = d->sclk_ghz * d->l2_line * d->l2_channels;
    peaks->gbps[ROOF_L1] = d->sclk_ghz * d->l1_line * d->cu_count;
    peaks->gbps[ROOF_LDS] = d->sclk_ghz * d->cu_count * 4 * d->lds_banks;
    for (int k = 0; k < FLOP_KINDS; k++)
        peaks->gflops[k] = d->peak_gflops[k];
}

static double share(double rate, double peak)
{
    return peak > 0 ? 100 * rate / peak : NAN;
}

static double larger(double x, double y)
{
    return isnan(x) ? y : isnan(y) ? x : x > y ? x : y;
}

/* What the use of the units adds up to, type by type. */
struct flop_sum {
    double flops, pct, most;
    bool any, all, peaks_known;
    struct str lacks;
};

static void add_kind(struct roof_point *p, struct flop_sum *s, enum flop_kind k, double rate,
                     double peak, double dt_ns)
{
    p->flops[k] = rate * dt_ns;
    if (isnan(rate)) {
        str_printf(&s->lacks, "%s%s", s->lacks.len ? ", " : "", flop_kind_label(k));
        s->all = false;
        return;
    }
    s->any = true;
    /* Operations on integers are no FLOPs, but they take the unit's time. */
    s->flops += k == FLOP_MAT_INT8 ? 0 : p->flops[k];
    if (!(rate > 0))
        return;
    double used = share(rate, peak);
    s->peaks_known &= !isnan(used);
    s->pct += isnan(used) ? 0 : used;
    if (used > s->most) {
        s->most = used;
        p->main_kind = k;
    }
}

static void count_flops(struct roof_point *p, const struct metric_set *set,
                        const struct roof_source *source, const struct roof_peaks *peaks,
                        double dt_ns, struct arena *arena)
{
    struct flop_sum s = {.all = true, .peaks_known = true};
    bool has_kinds = false;
    str_init(&s.lacks, arena);
    p->main_kind = FLOP_KINDS;
    for (int k = 0; k < FLOP_KINDS; k++) {
        const struct metric *m = metric_set_find(set, flop_metrics[k]);
        p->flops[k] = NAN;
        has_kinds |= m != NULL;
        if (m)
            add_kind(p, &s, (enum flop_kind)k, source->value(source->ctx, m), peaks->gflops[k],
                     dt_ns);
    }
    p->not_known = has_kinds ? s.lacks.buf : "all (this architecture does not count them)";
    p->known_flops = s.any ? s.flops : NAN;
    p->total_flops = s.any && s.all ? s.flops : NAN;
    p->flop_pct = s.any && s.peaks_known ? s.pct : NAN;
    p->gflops = p->known_flops / dt_ns;
}

static double value_of(const struct metric_set *set, enum metric_id id,
                       const struct roof_source *source)
{
    const struct metric *m = metric_set_find(set, id);
    return m ? source->value(source->ctx, m) : NAN;
}

static void measure_levels(struct roof_point *p, const struct metric_set *set,
                           const struct roof_source *source, const struct roof_peaks *peaks,
                           double dt_ns)
{
    for (int l = 0; l < ROOF_LEVELS; l++) {
        p->gbps[l] = value_of(set, roof_level_metrics[l], source);
        p->bytes[l] = p->gbps[l] * dt_ns;
        p->intensity[l] = p->bytes[l] > 0 ? p->known_flops / p->bytes[l] : NAN;
        p->bandwidth_pct[l] = share(p->gbps[l], peaks->gbps[l]);
        p->roof_pct[l] =
            isnan(p->bandwidth_pct[l]) ? NAN : larger(p->bandwidth_pct[l], p->flop_pct);
    }
}

/* The level with the highest share; ROOF_LEVELS when none is known. */
static enum roof_level busiest_level(const struct roof_point *p)
{
    enum roof_level best = ROOF_LEVELS;
    for (int l = 0; l < ROOF_LEVELS; l++)
        if (!isnan(p->bandwidth_pct[l]) &&
            (best == ROOF_LEVELS || p->bandwidth_pct[l] > p->bandwidth_pct[best]))
            best = (enum roof_level)l;
    return best;
}

/* Latency is what remains: it needs both sides known, not just not seen. */
static bool compute_is_known(const struct roof_point *p, const struct metric_set *set)
{
    bool has_matrix = metric_set_find(set, METRIC_mfma_util_pct) != NULL;
    return (!isnan(p->total_flops) && !isnan(p->flop_pct)) ||
           (!isnan(p->valu_busy_pct) && (!has_matrix || !isnan(p->mfma_util_pct)));
}

static const char *compute_text(const struct roof_point *p, struct arena *arena)
{
    struct str s;
    str_init(&s, arena);
    if (!isnan(p->flop_pct))
        str_printf(&s, "operations at %.*f %% of peak", p->flop_pct < 10, p->flop_pct);
    if (!isnan(p->valu_busy_pct))
        str_printf(&s, "%svector units busy %.0f %%", s.len ? ", " : "", p->valu_busy_pct);
    if (!isnan(p->mfma_util_pct))
        str_printf(&s, "%smatrix units busy %.0f %%", s.len ? ", " : "", p->mfma_util_pct);
    if (!s.len)
        str_puts(&s, "use of compute units not known");
    return s.buf;
}

static void classify(struct roof_point *p, const struct metric_set *set, struct arena *arena)
{
    enum roof_level top = busiest_level(p);
    double memory = top == ROOF_LEVELS ? NAN : p->bandwidth_pct[top];
    const char *compute = compute_text(p, arena);
    const char *traffic =
        top == ROOF_LEVELS
            ? "memory traffic not known"
            : arena_printf(arena, "%s at %.0f %% of peak bandwidth", roof_level_label(top), memory);
    p->level = top;
    if (memory >= ROOF_BOUND_PCT && !(p->compute_pct > memory)) {
        p->bound = BOUND_MEMORY;
        p->why = arena_printf(arena, "%s; %s", traffic, compute);
    } else if (p->compute_pct >= ROOF_BOUND_PCT) {
        p->bound = BOUND_COMPUTE;
        p->why = arena_printf(arena, "%s; %s", compute, traffic);
    } else if (!isnan(p->bandwidth_pct[ROOF_HBM]) && compute_is_known(p, set)) {
        p->bound = BOUND_LATENCY;
        p->why = arena_printf(arena, "neither reaches %.0f %%: %s; %s", ROOF_BOUND_PCT, traffic,
                              compute);
    } else {
        p->bound = BOUND_UNKNOWN;
        p->why = arena_printf(arena, "%s; %s", traffic, compute);
    }
}

void roof_point_from(struct roof_point *p, const struct metric_set *set,
                     const struct roof_source *source, const struct roof_peaks *peaks, double dt_ns,
                     struct arena *arena)
{
    *p = (struct roof_point){0};
    if (!(dt_ns > 0))
        dt_ns = NAN;
    count_flops(p, set, source, peaks, dt_ns, arena);
    measure_levels(p, set, source, peaks, dt_ns);
    p->valu_busy_pct = value_of(set, METRIC_valu_busy_pct, source);
    p->mfma_util_pct = value_of(set, METRIC_mfma_util_pct, source);
    p->compute_pct = larger(p->flop_pct, larger(p->valu_busy_pct, p->mfma_util_pct));
    classify(p, set, arena);
}

static double eval(void *ctx, const struct metric *metric)
{
    return formula_eval(metric->formula, ctx);
}

void roof_point_make(struct roof_point *p, const struct metric_set *set,
                     const struct formula_scope *scope, const struct roof_peaks *peaks,
                     double dt_ns, struct arena *arena)
{
    struct formula_scope copy = *scope;
    roof_point_from(p, set, &(struct roof_source){eval, &copy}, peaks, dt_ns, arena);
}
