#include "metric/device.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

static const struct {
    const char *variable, *label;
} kinds[FLOP_KINDS] = {
    [FLOP_FP64] = {"peak_fp64", "vector FP64"},
    [FLOP_FP32] = {"peak_fp32", "vector FP32"},
    [FLOP_FP16] = {"peak_fp16", "vector FP16"},
    [FLOP_MAT_FP64] = {"peak_mat_fp64", "matrix FP64"},
    [FLOP_MAT_FP32] = {"peak_mat_fp32", "matrix FP32"},
    [FLOP_MAT_FP16] = {"peak_mat_fp16", "matrix FP16"},
    [FLOP_MAT_BF16] = {"peak_mat_bf16", "matrix BF16"},
    [FLOP_MAT_FP8] = {"peak_mat_fp8", "matrix FP8"},
    [FLOP_MAT_INT8] = {"peak_mat_int8", "matrix INT8"},
    [FLOP_MAT_FP4] = {"peak_mat_fp4", "matrix FP6/FP4"},
};

const char *flop_kind_label(enum flop_kind kind)
{
    return kinds[kind].label;
}

enum unit flop_kind_unit(enum flop_kind kind)
{
    return kind == FLOP_MAT_INT8 ? IN_GIOPS : IN_GFLOPS;
}

/* What an architecture fixes; the first row whose name begins the architecture's. */
static const struct arch_facts {
    const char *arch;
    int waves_per_cu, wave_size, simd_per_cu;
    int l1_line, l2_line, channels_per_xcd, lds_banks;
    int se_per_xcd, cus_per_sqc;
} arch_facts[] = {
    /* Banks of gfx950's LDS: unsure. */
    {"gfx908", 40, 64, 4, 64, 64, 32, 32, 8, 3},  {"gfx90a", 32, 64, 4, 64, 128, 32, 32, 8, 2},
    {"gfx94", 32, 64, 4, 128, 128, 16, 32, 4, 2}, {"gfx95", 32, 64, 4, 128, 128, 16, 32, 4, 2},
    {"gfx90", 40, 64, 4, 64, 64, 16, 32, 4, 3},   {"gfx101", 40, 32, 2, 128, 128, 0, 32, 0, 0},
    {"gfx103", 32, 32, 2, 128, 128, 0, 32, 0, 0}, {"gfx11", 32, 32, 2, 128, 128, 0, 32, 0, 0},
    {"gfx12", 32, 32, 2, 128, 128, 0, 32, 0, 0},
};

static void keep(double *to, double value)
{
    if (!(*to > 0) && value > 0)
        *to = value;
}

void metric_device_complete(struct metric_device *d)
{
    const struct arch_facts *f = NULL;
    for (size_t i = 0; i < ARRAY_LEN(arch_facts) && !f; i++)
        if (str_starts(d->arch, arch_facts[i].arch))
            f = &arch_facts[i];
    if (!f)
        return;
    keep(&d->waves_per_cu, f->waves_per_cu);
    keep(&d->wave_size, f->wave_size);
    keep(&d->simd_per_cu, f->simd_per_cu);
    keep(&d->l1_line, f->l1_line);
    keep(&d->l2_line, f->l2_line);
    keep(&d->lds_banks, f->lds_banks);
    if (str_starts(d->arch, "gfx90"))
        keep(&d->xcd, 1);
    keep(&d->l2_channels, f->channels_per_xcd * d->xcd);
    keep(&d->se_count, f->se_per_xcd * d->xcd);
    if (f->cus_per_sqc && d->se_count > 0)
        keep(&d->sqc_count, ceil(d->cu_count / d->se_count / f->cus_per_sqc) * d->se_count);
}

static void add_hardware(struct metric_device *d, const struct hardware *hw)
{
    double share = hw->cu_count > 0 && d->cu_count > 0 ? fmin(d->cu_count / hw->cu_count, 1) : 1;
    const double tflops[FLOP_KINDS] = {
        [FLOP_FP64] = hw->tflops.fp64,         [FLOP_FP32] = hw->tflops.fp32,
        [FLOP_FP16] = hw->tflops.fp16,         [FLOP_MAT_FP64] = hw->tflops.mat_fp64,
        [FLOP_MAT_FP32] = hw->tflops.mat_fp32, [FLOP_MAT_FP16] = hw->tflops.mat_fp16,
        [FLOP_MAT_BF16] = hw->tflops.mat_bf16, [FLOP_MAT_FP8] = hw->tflops.mat_fp8,
        [FLOP_MAT_INT8] = hw->tflops.mat_int8, [FLOP_MAT_FP4] = hw->tflops.mat_fp4,
    };
    for (int k = 0; k < FLOP_KINDS; k++)
        keep(&d->peak_gflops[k], tflops[k] * 1000 * share);
    keep(&d->hbm_gbps, hw->mem_gbps * share);
    keep(&d->cu_count, hw->cu_count);
    keep(&d->xcd, hw->xcc_count);
    keep(&d->sclk_ghz, hw->clock_ghz);
    keep(&d->wave_size, hw->wave_size);
    keep(&d->simd_per_cu, hw->simds_per_cu);
    keep(&d->waves_per_cu, hw->simds_per_cu * hw->waves_per_simd);
}

void metric_device_make(struct metric_device *d, const char *arch, const struct gpu *gpu,
                        const struct hardware *hw)
{
    *d = (struct metric_device){0};
    const char *gfx = strstr(arch ? arch : "", "gfx");
    size_t n = gfx ? strspn(gfx, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;
    snprintf(d->arch, sizeof(d->arch), "%.*s", (int)(n < 15 ? n : 15), gfx ? gfx : "");
    d->cu_count = gpu->cu_count;
    d->simd_per_cu = gpu->simd_per_cu;
    d->wave_size = gpu->wave_size;
    d->waves_per_cu = (double)gpu->simd_per_cu * gpu->max_waves_per_simd;
    d->xcd = gpu->xcc_count;
    d->sclk_ghz = gpu->clock_mhz / 1000.0;
    if (hw)
        add_hardware(d, hw);
    metric_device_complete(d);
}

bool metric_device_variable(const struct metric_device *d, const char *name, double *value)
{
#define V(member)                                                                                  \
    {                                                                                              \
#member, offsetof(struct metric_device, member)                                            \
    }
    static const struct {
        const char *name;
        size_t at;
    } list[] = {V(cu_count), V(simd_per_cu), V(wave_size), V(waves_per_cu), V(xcd),
                V(se_count), V(sqc_count),   V(sclk_ghz),  V(hbm_gbps),     V(l1_line),
                V(l2_line),  V(l2_channels), V(lds_banks)};
#undef V
    double found = 0;
    for (size_t i = 0; i < ARRAY_LEN(list); i++)
        if (str_eq(list[i].name, name))
            memcpy(&found, (const char *)d + list[i].at, sizeof(found));
    for (int k = 0; k < FLOP_KINDS; k++)
        if (str_eq(kinds[k].variable, name))
            found = d->peak_gflops[k];
    *value = found;
    return found > 0;
}
