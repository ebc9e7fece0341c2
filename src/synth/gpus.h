/*
 * What a generated GPU looks like: defaults per product, all of which the `gpu` statement can
 * change. Sources of the figures: docs/synth.md.
 */
#ifndef GS_SYNTH_GPUS_H
#define GS_SYNTH_GPUS_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_spec {
    const char *model;   /* the word in .trace files */
    const char *arch;    /* agent name: gfx942 */
    const char *product; /* AMD Instinct MI300X */
    int64_t cu, xcc, wave, waves_per_simd, simd_per_cu, lds_kib, clock_mhz;
    int64_t gfx_version, device_id;
    int64_t memory_bytes, memory_mhz, memory_bits;
    int64_t memory_bw, link_bw, peer_bw; /* bytes per second, one direction */
    int64_t idle_watts, peak_watts;
    bool nvidia;
};

enum { GPU_MODELS = 9 };

/* In the order of the words of the key `model` in language.def. */
extern const struct gpu_spec gpu_models[GPU_MODELS];

#endif
