#include "advise/rule.h"
#include "base/human.h"
#include "base/str.h"

/* Matrix units must be so much faster than the plain ones for this to be worth a word. */
#define LEAST_RATIO 1.5

/*
 * Libraries say in a kernel's name which units it uses: sgemm, simt and ffma are plain FP32,
 * tf32 and 16-bit types are matrix units.
 */
static bool is_plain(const char *name)
{
    static const char *const matrix[] = {"tf32", "tensorop", "hmma",  "gmma",
                                         "f16",  "_h_",      "s1688", "s16816"};
    for (size_t i = 0; i < ARRAY_LEN(matrix); i++)
        if (str_has_fold(name, matrix[i]))
            return false;
    return str_has_fold(name, "sgemm") ||
           (str_has_fold(name, "gemm") &&
            (str_has_fold(name, "ffma") || str_has_fold(name, "simt")));
}

static const struct hardware *hardware_of(const struct analysis *a, uint32_t kernel)
{
    uint32_t stream = a->trace->kernels.stream[kernel];
    uint32_t gpu = stream < a->trace->streams.n ? a->trace->streams.v[stream].gpu : NO_INDEX;
    return gpu < a->trace->gpus.n ? a->hardware[gpu] : NULL;
}

static bool counts(const struct analysis *a, const struct hotspot *h)
{
    const struct hardware *hw = hardware_of(a, h->slowest);
    bool matrix = a->view.role[h->symbol] == ROLE_GEMM || a->view.role[h->symbol] == ROLE_CONV;
    return matrix && is_plain(h->name) && hw && hw->tflops.fp32 > 0 &&
           hw->tflops.mat_tf32 >= LEAST_RATIO * hw->tflops.fp32;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    const struct hotspot *first = NULL;
    double won = 0, ratio = 1;
    for (size_t i = 0; i < a->hotspots.n; i++) {
        const struct hotspot *h = &a->hotspots.v[i];
        if (!counts(a, h))
            continue;
        const struct hardware *hw = hardware_of(a, h->slowest);
        double factor = hw->tflops.fp32 / hw->tflops.mat_tf32;
        if (hw->tflops.mat_bf16 > hw->tflops.mat_tf32) /* at best, with 16 bits */
            finding_change(f)->scale_hope = 1 - hw->tflops.mat_tf32 / hw->tflops.mat_bf16;
        won += (double)h->total_duration_ns * (1 - factor);
        finding_change_kernel(f, h->name_id, factor);
        if (!first) {
            first = h;
            ratio = 1 / factor;
        }
    }
    if (!first || share_pct(a, (int64_t)won) < LEAST_SHARE_PCT)
        return false;
    char time[HUMAN_MAX];
    const struct hardware *hw = hardware_of(a, first->slowest);
    finding_claim(f, CAUSE_COMPUTE, (int64_t)won);
    finding_scope_kernel(f, first->short_name);
    finding_issue(f,
                  "%s computes matrix products with plain FP32 units (%s); TF32 matrix units are "
                  "%.1f times as fast",
                  first->short_name, human_time(time, first->total_duration_ns), ratio);
    finding_because(f, "hotspots.pct_of_total", first->pct_of_total, LEAST_SHARE_PCT, IN_PERCENT,
                    "%.0f %% of the kernel time, by a kernel whose name says plain FP32",
                    first->pct_of_total);
    finding_because(f, "hardware.tf32_tflops", hw->tflops.mat_tf32, hw->tflops.fp32, IN_TFLOPS,
                    "%s: %.0f TFLOPS with TF32 matrix units, %.0f without", hw->product,
                    hw->tflops.mat_tf32, hw->tflops.fp32);
    finding_at_kernel(f, first->slowest, "longest call");
    finding_suggest(f, "let the library use matrix units, where 10 bits of mantissa are enough");
    finding_action(f, "PyTorch: torch.set_float32_matmul_precision('high'); cuBLAS: "
                      "CUBLAS_TF32_TENSOR_OP_MATH");
    finding_action(f, "or compute in bf16 or fp16 with mixed precision");
    finding_action(f, "check the results: TF32 rounds inputs to 10 bits");
    finding_sure(f, 0.85,
                 "the name says which units are used; that it reaches the same share of "
                 "their peak is an estimate");
    return true;
}

const struct rule rule_plain_matrix = {
    .name = "plain-matrix",
    .id = "GS-MATRIX-001",
    .category = ABOUT_COMPUTE_UNITS,
    .title = "matrix products on plain FP32 units",
    .bottleneck = BOTTLENECK_COMPUTE,
    .action = ACTION_RUNTIME,
    .needs = NEED_KERNELS,
    .goals = ON(compute),
    .gain = 0.9,
    .specific = true,
    .eval = eval,
    .doc = "Fires when matrix kernels whose names say that they use plain FP32 units (sgemm, simt, "
           "ffma) take time on a GPU whose matrix units are at least 1.5 times as fast with TF32. "
           "Claims what the ratio of both peaks leaves over, for the same share of the peak.",
};
