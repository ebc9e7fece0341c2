#include "metric/roofline.h"

#include <math.h>

#include "base/str.h"

static const char *const level_labels[] = {"HBM", "L2", "L1", "LDS"};
static const char *const bound_labels[] = {"unknown", "compute", "memory", "latency"};

const char *roof_level_label(enum roof_level level)
{
    return level_labels[level];
}

const char *bound_label(enum bound bound)
{
    return bound_labels[bound];
}

/* Rates in giga per second, whose product with the duration is a count. */
static const char *const level_metrics[ROOF_LEVELS] = {"fabric_gbps", "l2_gbps", "l1_gbps",
                                                       "lds_gbps"};
static const char *const flop_metrics[FLOP_KINDS] = {
    [FLOP_FP64] = "valu_f64_gflops",      [FLOP_FP32] = "valu_f32_gflops",
    [FLOP_FP16] = "valu_f16_gflops",      [FLOP_MAT_FP64] = "mfma_f64_gflops",
    [FLOP_MAT_FP32] = "mfma_f32_gflops",  [FLOP_MAT_FP16] = "mfma_f16_gflops",
    [FLOP_MAT_BF16] = "mfma_bf16_gflops", [FLOP_MAT_FP8] = "mfma_f8_gflops",
    [FLOP_MAT_INT8] = "mfma_i8_giops",    [FLOP_MAT_FP4] = "mfma_f6f4_gflops",
};

const char *const roof_metrics[] = {"fabric_gbps", "valu_busy_pct", "mfma_util_pct",
                                    "occupancy_pct", NULL};

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

static void count_flops(struct roof_point *p, const struct metric_set *set,
                        const struct formula_scope *scope, const struct roof_peaks *peaks,
                        double dt_ns, struct arena *arena)
{
    struct str lacks;
    double most = 0;
    bool any = false;
    str_init(&lacks, arena);
    p->main_kind = FLOP_KINDS;
    p->flop_pct = p->known_flops = p->total_flops = NAN;
    double sum = 0, pct = 0;
    bool peaks_known = true, all = true, has_kinds = false;
    for (int k = 0; k < FLOP_KINDS; k++) {
        const struct metric *m = metric_set_find(set, flop_metrics[k]);
        double rate = m ? formula_eval(m->formula, scope) : NAN;
        p->flops[k] = rate * dt_ns;
        has_kinds |= m != NULL;
        if (m && isnan(rate)) {
            str_printf(&lacks, "%s%s", lacks.len ? ", " : "", flop_kind_label((enum flop_kind)k));
            all = false;
        }
        if (isnan(rate))
            continue;
        any = true;
        /* Operations on integers are no FLOPs, but they take the unit's time. */
        sum += k == FLOP_MAT_INT8 ? 0 : p->flops[k];
        double used = share(rate, peaks->gflops[k]);
        if (rate > 0 && isnan(used))
            peaks_known = false;
        else if (rate > 0)
            pct += used;
        if (rate > 0 && used > most) {
            most = used;
            p->main_kind = (enum flop_kind)k;
        }
    }
    p->not_known = lacks.buf;
    if (any)
        p->known_flops = sum;
    if (any && all)
        p->total_flops = sum;
    if (any && peaks_known)
        p->flop_pct = pct;
    if (!has_kinds)
        p->not_known = "all (this architecture does not count them)";
    p->gflops = p->known_flops / dt_ns;
}

static void measure_levels(struct roof_point *p, const struct metric_set *set,
                           const struct formula_scope *scope, const struct roof_peaks *peaks,
                           double dt_ns)
{
    for (int l = 0; l < ROOF_LEVELS; l++) {
        p->gbps[l] = metric_value(set, level_metrics[l], scope);
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
    bool has_matrix = metric_set_find(set, "mfma_util_pct") != NULL;
    return (!isnan(p->total_flops) && !isnan(p->flop_pct)) ||
           (!isnan(p->valu_busy_pct) && (!has_matrix || !isnan(p->mfma_util_pct)));
}

static const char *compute_text(const struct roof_point *p, struct arena *arena)
{
    struct str s;
    str_init(&s, arena);
    if (!isnan(p->flop_pct))
        str_printf(&s, "operations at %.0f %% of peak", p->flop_pct);
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

void roof_point_make(struct roof_point *p, const struct metric_set *set,
                     const struct formula_scope *scope, const struct roof_peaks *peaks,
                     double dt_ns, struct arena *arena)
{
    *p = (struct roof_point){0};
    if (!(dt_ns > 0))
        dt_ns = NAN;
    count_flops(p, set, scope, peaks, dt_ns, arena);
    measure_levels(p, set, scope, peaks, dt_ns);
    p->valu_busy_pct = metric_value(set, "valu_busy_pct", scope);
    p->mfma_util_pct = metric_value(set, "mfma_util_pct", scope);
    p->compute_pct = larger(p->flop_pct, larger(p->valu_busy_pct, p->mfma_util_pct));
    classify(p, set, arena);
}
