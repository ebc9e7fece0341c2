/*
 * What formulas may ask about a device: its variables.
 *
 *     $dt_ns         length of the dispatch (the caller's, not here)
 *     $cu_count $simd_per_cu $wave_size $waves_per_cu $xcd $se_count $sqc_count
 *     $sclk_ghz      highest clock of the compute units
 *     $hbm_gbps      peak of device memory
 *     $l1_line $l2_line (bytes) $l2_channels $lds_banks
 *     $peak_fp64 $peak_fp32 $peak_fp16 $peak_mat_fp64 ... $peak_mat_int8 $peak_mat_fp4 (GFLOP/s)
 *
 * Every number is 0 where not known, and then the variable is missing.
 */
#ifndef GS_METRIC_DEVICE_H
#define GS_METRIC_DEVICE_H

#include <stdbool.h>

#include "base/unit.h"
#include "model/hardware.h"
#include "model/trace.h"

/* Types of numbers that have a peak of their own; names in device.c, keep the order. */
enum flop_kind {
    FLOP_FP64,
    FLOP_FP32,
    FLOP_FP16,
    FLOP_MAT_FP64,
    FLOP_MAT_FP32,
    FLOP_MAT_FP16,
    FLOP_MAT_BF16,
    FLOP_MAT_FP8,
    FLOP_MAT_INT8,
    FLOP_MAT_FP4, /* FP6 and FP4 */
    FLOP_KINDS
};

struct metric_device {
    char arch[16]; /* "gfx942"; "" unknown */
    double cu_count, simd_per_cu, wave_size, waves_per_cu, xcd, se_count, sqc_count;
    double sclk_ghz, hbm_gbps;
    double l1_line, l2_line, l2_channels, lds_banks;
    double peak_gflops[FLOP_KINDS];
};

/*
 * From what a trace says about a GPU, and the table (hw may be NULL) for the rest. Rates of the
 * table are scaled when the trace shows a partition of the GPU.
 */
void metric_device_make(struct metric_device *d, const char *arch, const struct gpu *gpu,
                        const struct hardware *hw);

/* Fills what the architecture fixes or follows from other members, where it is still 0. */
void metric_device_complete(struct metric_device *d);

/* The value of $name, without the `$`; false when there is none. */
bool metric_device_variable(const struct metric_device *d, const char *name, double *value);

/* "vector FP32", "matrix BF16". */
const char *flop_kind_label(enum flop_kind kind);
enum unit flop_kind_unit(enum flop_kind kind); /* of operations per second */

#endif
