/*
 * What GPUs can do: one table for both vendors, in hardware.def.
 *
 * A trace often says more about its device than the table (compute units, clocks, link widths);
 * prefer the trace, and ask here for what no trace says: peak rates, allocation granules, links.
 *
 *     const struct hardware *hw = hardware_find("gfx942", "AMD Instinct MI300X", 304);
 *     if (hw && !hw->generic) ... hw->mem_gbps ...
 *
 * 0 means "not known, or the device has none" in every number; never compute a share of 0.
 * Rates are dense (no 2:4 sparsity), at boost clock, per device as traces see one (a GCD on MI250).
 * Bandwidths are GB/s of 10^9 bytes; links count one direction.
 *
 * Both vendors share the words of the struct: cu is an SM, a wave a warp, a group a thread block,
 * LDS shared memory, a SIMD one of an SM's four sub-partitions.
 *
 * Thread-safety: all functions; rows are constant and live for ever.
 */
#ifndef GS_MODEL_HARDWARE_H
#define GS_MODEL_HARDWARE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/vendor.h"

/* Registers of matrix instructions (AMD accumulation registers). */
enum register_files {
    REGISTERS_ONE,      /* no other kind */
    REGISTERS_SEPARATE, /* gfx908: as many again, counted apart */
    REGISTERS_SHARED,   /* gfx90a and later: both from one file */
};

struct hardware {
    enum vendor vendor;
    const char *arch;    /* "gfx942", "sm_80" */
    const char *family;  /* "CDNA 3", "Ampere" */
    const char *product; /* "AMD Instinct MI300X"; "" in a generic row */
    const char *keys;    /* the words a product name must hold, lower case */
    bool generic;        /* only what the architecture fixes is known */

    /* The device. */
    int cu_count, xcc_count;
    double clock_ghz;
    double mem_gib, mem_gbps, l2_mib, mall_mib; /* mall: Infinity Cache */

    /* Limits of residency, see occupancy.h. */
    int wave_size;          /* the native one; RDNA also runs 64 */
    int simds_per_cu;       /* per CU or SM */
    int waves_per_simd;     /* at most */
    int registers_per_lane; /* per SIMD, for waves of wave_size */
    int register_granule;   /* per lane */
    int registers_max;      /* a wave can have; AMD: of one kind */
    enum register_files register_files;
    int sgprs_per_simd;                        /* 0: no limit to residency */
    int cus_per_wgp;                           /* 2: a work-group may use both CUs and their LDS */
    int lds_bytes;                             /* per CU or SM */
    int lds_group_bytes;                       /* one group can have */
    int lds_granule_bytes, lds_reserved_bytes; /* reserved by the system in every group */
    int groups_max;                            /* per CU or SM */
    bool groups_of_one_free; /* AMD: groups of one wave need no barrier and do not count */
    int group_threads_max;

    /* Peak TFLOPS (TOPS for integers): vector units, then matrix or tensor units. */
    struct {
        double fp64, fp32, fp16;
        double mat_fp64, mat_fp32, mat_tf32, mat_fp16, mat_bf16, mat_fp8, mat_int8, mat_fp4;
    } tflops;

    /* Links. */
    double host_gbps;      /* PCIe, or NVLink-C2C where that is the way to the host */
    double peer_link_gbps; /* xGMI or NVLink, per link */
    int peer_links;
};

/*
 * The row for a device. arch: "gfx942", "gfx90a:sramecc+:xnack-", "8.0", "sm_80", "80", or NULL
 * when only the product is known. product may be NULL; cu_count 0 means unknown, it decides between
 * rows a product name cannot tell apart ("MI250X/MI250").
 *
 * A product that is not in the table gives the architecture's generic row; so does no product at
 * all, unless the CU count fits one row only. NULL for an architecture that is not in the table.
 *
 * A partition of a GPU (MI300X in CPX mode, MIG) gives the whole GPU's row: scale rates by
 * cu_count / hw->cu_count.
 */
const struct hardware *hardware_find(const char *arch, const char *product, int cu_count);

/* All rows, generic ones included, for documentation and tests. */
const struct hardware *hardware_table(size_t *n);

#endif
