/* Focus: finding a GPU's row by what traces call it, and occupancy against hand calculations. */
#include "unit.h"

#include <string.h>

#include "base/array.h"
#include "model/hardware.h"
#include "model/occupancy.h"

static void finds_products(void **state)
{
    (void)state;
    static const struct {
        const char *arch, *name;
        int cus;
        const char *product;
    } cases[] = {
        {"gfx942", "AMD Instinct MI300X", 304, "AMD Instinct MI300X"},
        {"gfx942", "AMD Instinct MI300X OAM", 38, "AMD Instinct MI300X"}, /* CPX partition */
        {"gfx942", "AMD Instinct MI325X", 304, "AMD Instinct MI325X"},
        {"amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "AMD Instinct MI210", 104,
         "AMD Instinct MI210"},
        {"gfx90a", "AMD Instinct MI250X/MI250", 110, "AMD Instinct MI250X (one GCD)"},
        {"gfx90a", "AMD Instinct MI250X/MI250", 104, "AMD Instinct MI250 (one GCD)"},
        {"gfx1100", "AMD Radeon RX 7900 XTX", 96, "AMD Radeon RX 7900 XTX"},
        {"gfx1100", "Radeon RX 7900 XT", 0, "AMD Radeon RX 7900 XT"},
        {"8.0", "NVIDIA A100-SXM4-80GB", 108, "NVIDIA A100 SXM 80GB"},
        {"sm_80", "NVIDIA A100 80GB PCIe", 108, "NVIDIA A100 PCIe 80GB"},
        {"80", "NVIDIA A100-SXM4-40GB", 108, "NVIDIA A100 40GB"},
        {"7.0", "Tesla V100-SXM2-32GB", 80, "NVIDIA V100 SXM2"},
        {"7.5", "Tesla T4", 40, "NVIDIA T4"},
        {"sm_90a", "NVIDIA H100 80GB HBM3", 132, "NVIDIA H100 SXM5"},
        {"9.0", "NVIDIA H100 PCIe", 114, "NVIDIA H100 PCIe"},
        {"9.0", "NVIDIA H200", 132, "NVIDIA H200"},
        {"10.0", "NVIDIA B200", 148, "NVIDIA B200"},
        {"12.0", "NVIDIA GeForce RTX 5090", 170, "NVIDIA GeForce RTX 5090"},
        {"8.9", "NVIDIA GeForce RTX 4070 Ti SUPER", 66, "NVIDIA GeForce RTX 4070 Ti SUPER"},
        {NULL, "NVIDIA L40S", 0, "NVIDIA L40S"},
        {"gfx942", "", 228, "AMD Instinct MI300A"}, /* the only one with 228 */
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct hardware *hw = hardware_find(cases[i].arch, cases[i].name, cases[i].cus);
        assert_non_null(hw);
        assert_string_equal(hw->product, cases[i].product);
        assert_false(hw->generic);
    }
}

static void falls_back_to_the_architecture(void **state)
{
    (void)state;
    static const struct {
        const char *arch, *name;
        int cus;
    } cases[] = {
        {"gfx942", "AMD Instinct MI399Z", 304},
        {"gfx942", NULL, 304}, /* MI300X or MI325X? */
        {"gfx942", NULL, 0},
        {"8.6", "NVIDIA GeForce RTX 3080 Laptop GPU", 48},
        {"gfx1102", "AMD Radeon RX 7600M", 28},
        {"8.7", "Orin", 16},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct hardware *hw = hardware_find(cases[i].arch, cases[i].name, cases[i].cus);
        assert_non_null(hw);
        assert_true(hw->generic);
        assert_true(hw->mem_gbps == 0 && hw->waves_per_simd > 0);
    }
    assert_null(hardware_find("gfx1399", "AMD Instinct MI300X", 304));
    assert_null(hardware_find("99.0", NULL, 0));
    assert_null(hardware_find("", "", 0));
    assert_null(hardware_find(NULL, NULL, 0));
    assert_null(hardware_find(NULL, "AMD EPYC 9654", 96));
    assert_null(hardware_find("x86_64", "AMD EPYC 9654", 96));
}

static void rows_are_sane(void **state)
{
    (void)state;
    size_t n;
    const struct hardware *t = hardware_table(&n);
    for (size_t i = 0; i < n; i++) {
        const struct hardware *hw = &t[i];
        assert_true(hw->arch && hw->family && hw->product && hw->keys);
        assert_ptr_equal(hardware_find(hw->arch, hw->product, hw->cu_count), hw);
        assert_true(hw->wave_size > 0 && hw->simds_per_cu > 0 && hw->waves_per_simd > 0);
        assert_true(hw->registers_per_lane > 0 && hw->register_granule > 0);
        assert_true(hw->lds_bytes >= hw->lds_group_bytes && hw->lds_granule_bytes > 0);
        assert_true(hw->groups_max > 0 && hw->cus_per_wgp > 0 && hw->group_threads_max > 0);
        assert_true(hw->generic == (hw->cu_count == 0));
        assert_true(hw->tflops.fp32 >= hw->tflops.fp64);
        if (hw->tflops.mat_fp8 > 0)
            assert_true(hw->tflops.mat_fp8 > hw->tflops.mat_fp16);
        /* vector fp32: 64 to 512 operations per CU and clock, or the table has a slip */
        if (hw->clock_ghz > 0 && hw->tflops.fp32 > 0) {
            double rate = hw->tflops.fp32 * 1e3 / (hw->clock_ghz * hw->cu_count);
            assert_true(rate > 120 && rate < 520);
        }
    }
}

/* threads, VGPRs, accumulators, SGPRs, LDS → waves per unit. */
struct expect {
    const char *arch;
    int threads, registers, accum, sgprs, lds;
    int waves, max;
    enum occupancy_limit limit;
};

static struct occupancy check(const struct expect *e)
{
    struct occupancy o;
    struct occupancy_in in = {
        .hw = hardware_find(e->arch, NULL, 0),
        .group_threads = e->threads,
        .registers = e->registers,
        .accum_registers = e->accum,
        .sgprs = e->sgprs,
        .lds_bytes = e->lds,
    };
    assert_true(occupancy_of(&o, &in));
    if (o.waves != e->waves || o.limit != e->limit)
        print_error("%s %d threads %d+%d registers %d bytes: %d waves, %s\n", e->arch, e->threads,
                    e->registers, e->accum, e->lds, o.waves, o.arithmetic);
    assert_int_equal(o.waves, e->waves);
    assert_int_equal(o.max_waves, e->max);
    assert_int_equal(o.limit, e->limit);
    assert_true(strlen(o.arithmetic) > 0);
    return o;
}

static void occupancy_on_cdna(void **state)
{
    (void)state;
    static const struct expect cases[] = {
        /* gfx908: 256 VGPRs a lane, granule 4, 10 waves × 4 SIMDs. 24 → 10; 25 → 28 → 9;
         * 64 → 4; 84 → 3; 128 → 2; 129 → 132 → 1. */
        {"gfx908", 256, 24, 0, 0, 0, 40, 40, LIMIT_NONE},
        {"gfx908", 256, 25, 0, 0, 0, 36, 40, LIMIT_REGISTERS},
        {"gfx908", 256, 64, 0, 0, 0, 16, 40, LIMIT_REGISTERS},
        {"gfx908", 256, 84, 0, 0, 0, 12, 40, LIMIT_REGISTERS},
        {"gfx908", 256, 128, 0, 0, 0, 8, 40, LIMIT_REGISTERS},
        {"gfx908", 256, 129, 0, 0, 0, 4, 40, LIMIT_REGISTERS},
        /* accumulators have a file of their own: max(64, 128) → 2 */
        {"gfx908", 256, 64, 128, 0, 0, 8, 40, LIMIT_REGISTERS},
        /* SGPRs: 80 → 10, 88 → 9, 96 → 8, 102 → 7 */
        {"gfx908", 64, 24, 0, 80, 0, 40, 40, LIMIT_NONE},
        {"gfx908", 64, 24, 0, 88, 0, 36, 40, LIMIT_SGPRS},
        {"gfx908", 64, 24, 0, 96, 0, 32, 40, LIMIT_SGPRS},
        {"gfx908", 64, 24, 0, 102, 0, 28, 40, LIMIT_SGPRS},

        /* gfx90a: 512 shared, granule 8, 8 waves. 64 → 8; 65 → 72 → 7; 128 → 4; 256 → 2;
         * 128 + 128 = 256 → 2; 100 → 100 + 4 = 104 → 4; 256 + 256 → 1. */
        {"gfx90a", 256, 64, 0, 0, 0, 32, 32, LIMIT_NONE},
        {"gfx90a", 256, 65, 0, 0, 0, 28, 32, LIMIT_REGISTERS},
        {"gfx90a", 256, 128, 0, 0, 0, 16, 32, LIMIT_REGISTERS},
        {"gfx90a", 256, 256, 0, 0, 0, 8, 32, LIMIT_REGISTERS},
        {"gfx90a", 256, 128, 128, 0, 0, 8, 32, LIMIT_REGISTERS},
        {"gfx90a", 256, 97, 4, 0, 0, 16, 32, LIMIT_REGISTERS},
        {"gfx90a", 256, 256, 256, 0, 0, 4, 32, LIMIT_REGISTERS},
        {"gfx90a", 64, 32, 0, 112, 0, 28, 32, LIMIT_SGPRS},
        /* W = 5 waves: 32 slots hold 6 groups = 30 waves */
        {"gfx90a", 320, 32, 0, 0, 0, 30, 32, LIMIT_GROUP_SIZE},
        /* W = 16, 72 VGPRs → 7 × 4 = 28 slots: one group */
        {"gfx90a", 1024, 72, 0, 0, 0, 16, 32, LIMIT_REGISTERS},
        /* W = 5 with 512 registers: 4 slots, the group does not fit */
        {"gfx90a", 320, 256, 256, 0, 0, 0, 32, LIMIT_REGISTERS},

        /* gfx942, 64 KiB LDS in 512 B: 16 KiB → 4 groups × 4 waves; 16 KiB + 1 → 3;
         * 33 KiB → 1; 64 KiB → 1; more than 64 KiB cannot run. */
        {"gfx942", 256, 64, 0, 0, 16384, 16, 32, LIMIT_LDS},
        {"gfx942", 256, 64, 0, 0, 16385, 12, 32, LIMIT_LDS},
        {"gfx942", 256, 64, 0, 0, 33 * 1024, 4, 32, LIMIT_LDS},
        {"gfx942", 1024, 64, 0, 0, 65536, 16, 32, LIMIT_LDS},
        {"gfx942", 256, 64, 0, 0, 65537, 0, 32, LIMIT_LDS},
        {"gfx942", 256, 128, 0, 0, 8192, 16, 32, LIMIT_REGISTERS},
        /* groups of one wave need no barrier: 32 of them; of two waves 16 × 2 = 32 */
        {"gfx942", 64, 32, 0, 0, 0, 32, 32, LIMIT_NONE},
        {"gfx942", 128, 32, 0, 0, 0, 32, 32, LIMIT_NONE},
        {"gfx908", 128, 24, 0, 0, 0, 32, 40, LIMIT_GROUP_SLOTS},

        /* gfx950: 160 KiB in 1280 B. 64 KiB = 65536 → 66560 → 2 groups; 160 KiB → 1. */
        {"gfx950", 256, 64, 0, 0, 65536, 8, 32, LIMIT_LDS},
        {"gfx950", 256, 64, 0, 0, 163840, 4, 32, LIMIT_LDS},
        {"gfx950", 256, 64, 0, 0, 20480, 32, 32, LIMIT_NONE},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        check(&cases[i]);
    assert_string_equal(check(&cases[13]).arithmetic, "128 VGPRs → 4 waves/SIMD of 8");
    assert_string_equal(check(&cases[13]).unit, "CU");
}

/* Per WGP: 4 SIMDs, 128 KiB LDS. */
static void occupancy_on_rdna(void **state)
{
    (void)state;
    static const struct expect cases[] = {
        /* gfx1030: 1024, granule 16, 16 waves × 4. 64 → 16; 65 → 80 → 12; 96 → 10; 128 → 8;
         * 256 → 4. */
        {"gfx1030", 256, 64, 0, 0, 0, 64, 64, LIMIT_NONE},
        {"gfx1030", 256, 65, 0, 0, 0, 48, 64, LIMIT_REGISTERS},
        {"gfx1030", 256, 96, 0, 0, 0, 40, 64, LIMIT_REGISTERS},
        {"gfx1030", 256, 128, 0, 0, 0, 32, 64, LIMIT_REGISTERS},
        {"gfx1030", 256, 256, 0, 0, 0, 16, 64, LIMIT_REGISTERS},
        /* 8 waves a group; 32 KiB → 4 groups; 33 KiB → 3 */
        {"gfx1030", 256, 64, 0, 0, 32768, 32, 64, LIMIT_LDS},
        {"gfx1030", 256, 64, 0, 0, 33000, 24, 64, LIMIT_LDS},
        /* 32 group slots per WGP of two waves each are all 64 */
        {"gfx1030", 64, 32, 0, 0, 0, 64, 64, LIMIT_NONE},
        /* SGPRs never limit */
        {"gfx1030", 256, 64, 0, 128, 0, 64, 64, LIMIT_NONE},
        /* gfx1100: 1536, granule 24. 96 → 16; 97 → 120 → 12; 128 → 144 → 10; 256 → 264 → 5. */
        {"gfx1100", 256, 96, 0, 0, 0, 64, 64, LIMIT_NONE},
        {"gfx1100", 256, 97, 0, 0, 0, 48, 64, LIMIT_REGISTERS},
        {"gfx1100", 256, 128, 0, 0, 0, 40, 64, LIMIT_REGISTERS},
        {"gfx1100", 128, 256, 0, 0, 0, 20, 64, LIMIT_REGISTERS},
        {"gfx1102", 128, 256, 0, 0, 0, 16, 64, LIMIT_REGISTERS},
        /* gfx1010: granule 8, 20 waves: 48 → 20; 56 → 18 */
        {"gfx1010", 128, 48, 0, 0, 0, 80, 80, LIMIT_NONE},
        {"gfx1010", 128, 56, 0, 0, 0, 72, 80, LIMIT_REGISTERS},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(check(&cases[i]).unit, "WGP");

    /* wave64 on gfx1100: 768, granule 12. 96 → 8 waves/SIMD; 256 threads are 4 waves. */
    struct occupancy o;
    struct occupancy_in in = {.hw = hardware_find("gfx1100", NULL, 0),
                              .group_threads = 256,
                              .registers = 96,
                              .wave_size = 64};
    assert_true(occupancy_of(&o, &in));
    assert_int_equal(o.waves_per_group, 4);
    assert_int_equal(o.waves, 32);
    /* CU mode: half of everything; 40 KiB LDS leave one group of 64 KiB */
    in = (struct occupancy_in){
        .hw = in.hw, .group_threads = 256, .cu_mode = true, .lds_bytes = 40 * 1024};
    assert_true(occupancy_of(&o, &in));
    assert_string_equal(o.unit, "CU");
    assert_int_equal(o.max_waves, 32);
    assert_int_equal(o.waves, 8);
}

static void occupancy_on_nvidia(void **state)
{
    (void)state;
    static const struct expect cases[] = {
        /* 65536 registers. 32 × 32 = 1024 a warp → 64; 64 → 2048 → 32; 255 → 8160 → 8192 → 8;
         * 40 → 1280 → 12 per sub-partition = 48; 33 → 1280 as well. */
        {"8.0", 256, 32, 0, 0, 0, 64, 64, LIMIT_NONE},
        {"8.0", 256, 64, 0, 0, 0, 32, 64, LIMIT_REGISTERS},
        {"8.0", 256, 255, 0, 0, 0, 8, 64, LIMIT_REGISTERS},
        {"8.0", 256, 40, 0, 0, 0, 48, 64, LIMIT_REGISTERS},
        {"8.0", 256, 33, 0, 0, 0, 48, 64, LIMIT_REGISTERS},
        /* 72 → 2304 → 16384 / 2304 = 7 per sub-partition = 28: 3 blocks of 8 */
        {"8.0", 256, 72, 0, 0, 0, 24, 64, LIMIT_REGISTERS},
        /* 1024 threads × 128 registers: 16 warps, the block does not fit */
        {"8.0", 1024, 128, 0, 0, 0, 0, 64, LIMIT_REGISTERS},
        /* 32-thread blocks: 32 slots */
        {"8.0", 32, 32, 0, 0, 0, 32, 64, LIMIT_GROUP_SLOTS},
        /* 164 KiB; 48 KiB + 1 KiB = 49 → 3 blocks; 163 KiB + 1 → 1; 40 + 1 → 4 */
        {"8.0", 256, 32, 0, 0, 48 * 1024, 24, 64, LIMIT_LDS},
        {"8.0", 256, 32, 0, 0, 163 * 1024, 8, 64, LIMIT_LDS},
        {"8.0", 256, 32, 0, 0, 40 * 1024, 32, 64, LIMIT_LDS},
        {"8.0", 256, 32, 0, 0, 164 * 1024, 0, 64, LIMIT_LDS},
        /* 7.0: 96 KiB, nothing reserved: 48 KiB → 2; 32 KiB → 3 */
        {"7.0", 256, 32, 0, 0, 0, 64, 64, LIMIT_NONE},
        {"7.0", 256, 32, 0, 0, 48 * 1024, 16, 64, LIMIT_LDS},
        {"7.0", 256, 32, 0, 0, 32 * 1024, 24, 64, LIMIT_LDS},
        /* 7.5: 32 warps, 16 blocks: 64 registers are enough for all */
        {"7.5", 256, 64, 0, 0, 0, 32, 32, LIMIT_NONE},
        {"7.5", 32, 32, 0, 0, 0, 16, 32, LIMIT_GROUP_SLOTS},
        {"7.5", 256, 128, 0, 0, 0, 16, 32, LIMIT_REGISTERS},
        /* 8.6: 48 warps, 16 blocks, 100 KiB. 40 registers → 48; 1024 threads → 32 of 48;
         * 64 threads × 16 blocks = 32 warps. */
        {"8.6", 256, 40, 0, 0, 0, 48, 48, LIMIT_NONE},
        {"8.6", 1024, 32, 0, 0, 0, 32, 48, LIMIT_GROUP_SIZE},
        {"8.6", 64, 32, 0, 0, 0, 32, 48, LIMIT_GROUP_SLOTS},
        {"8.6", 256, 32, 0, 0, 48 * 1024, 16, 48, LIMIT_LDS},
        /* 8.9: 24 blocks: 64 threads fill it */
        {"8.9", 64, 32, 0, 0, 0, 48, 48, LIMIT_NONE},
        {"8.9", 256, 64, 0, 0, 0, 32, 48, LIMIT_REGISTERS},
        /* 9.0 and 10.0: 228 KiB; 227 → 1; 112 + 1 → 2; 168 registers × 384 threads → 12 warps */
        {"9.0", 128, 32, 0, 0, 227 * 1024, 4, 64, LIMIT_LDS},
        {"9.0", 128, 32, 0, 0, 112 * 1024, 8, 64, LIMIT_LDS},
        {"9.0", 384, 168, 0, 0, 0, 12, 64, LIMIT_REGISTERS},
        {"10.0", 256, 64, 0, 0, 0, 32, 64, LIMIT_REGISTERS},
        {"10.0", 256, 32, 0, 0, 56 * 1024, 32, 64, LIMIT_LDS},
        {"12.0", 256, 40, 0, 0, 0, 48, 48, LIMIT_NONE},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(check(&cases[i]).unit, "SM");
    assert_true(check(&cases[2]).percent == 12.5);
    assert_string_equal(check(&cases[1]).arithmetic, "64 registers → 32 warps/SM of 64");
    assert_string_equal(check(&cases[8]).arithmetic,
                        "49 KiB shared memory → 3 blocks/SM of 164 KiB; 3 × 8 = 24 warps/SM of 64");
}

/*
 * The vendors' tables of registers against waves per SIMD (warps per sub-partition), every number
 * of registers tried: LLVM's and AMD's for gfx, the occupancy calculator's for CUDA. {up to,
 * waves}.
 */
static const struct published {
    const char *archs[8];
    int threads; /* one wave; NVIDIA: one warp in each sub-partition */
    struct {
        int registers, waves;
    } steps[12];
} published[] = {
    {{"gfx908"},
     64,
     {{24, 10}, {28, 9}, {32, 8}, {36, 7}, {40, 6}, {48, 5}, {64, 4}, {84, 3}, {128, 2}, {256, 1}}},
    {{"gfx90a", "gfx942", "gfx950"},
     64,
     {{64, 8}, {72, 7}, {80, 6}, {96, 5}, {128, 4}, {168, 3}, {256, 2}}},
    {{"gfx1030"},
     32,
     {{64, 16}, {80, 12}, {96, 10}, {112, 9}, {128, 8}, {144, 7}, {160, 6}, {192, 5}, {256, 4}}},
    {{"gfx1100"},
     32,
     {{96, 16}, {120, 12}, {144, 10}, {168, 9}, {192, 8}, {216, 7}, {240, 6}, {256, 5}}},
    {{"7.0", "8.0", "9.0", "10.0"},
     128,
     {{32, 16},
      {40, 12},
      {48, 10},
      {56, 9},
      {64, 8},
      {72, 7},
      {80, 6},
      {96, 5},
      {128, 4},
      {168, 3},
      {255, 2}}},
    {{"8.6", "8.9"},
     128,
     {{40, 12},
      {48, 10},
      {56, 9},
      {64, 8},
      {72, 7},
      {80, 6},
      {96, 5},
      {128, 4},
      {168, 3},
      {255, 2}}},
    {{"7.5"}, 128, {{64, 8}, {72, 7}, {80, 6}, {96, 5}, {128, 4}, {168, 3}, {255, 2}}},
};

static void occupancy_equals_published_tables(void **state)
{
    (void)state;
    for (size_t t = 0; t < ARRAY_LEN(published); t++)
        for (size_t a = 0; published[t].archs[a]; a++) {
            const struct hardware *hw = hardware_find(published[t].archs[a], NULL, 0);
            int step = 0;
            for (int n = 1; published[t].steps[step].waves; n++) {
                struct occupancy o;
                struct occupancy_in in = {
                    .hw = hw, .group_threads = published[t].threads, .registers = n};
                assert_true(occupancy_of(&o, &in));
                int simds = o.max_waves / hw->waves_per_simd;
                if (o.waves != published[t].steps[step].waves * simds)
                    print_error("%s, %d registers: %s\n", hw->arch, n, o.arithmetic);
                assert_int_equal(o.waves, published[t].steps[step].waves * simds);
                step += n == published[t].steps[step].registers;
            }
        }
}

static void each_resource_is_reported(void **state)
{
    (void)state;
    /* MI300X: 100 VGPRs → 104 → 4 waves/SIMD; 20 KiB LDS → 3 groups of 4 waves wins. */
    static const struct expect e = {"gfx942", 256, 100, 0, 0, 20480, 12, 32, LIMIT_LDS};
    struct occupancy o = check(&e);
    assert_int_equal(o.by_registers, 16);
    assert_int_equal(o.by_sgprs, 32);
    assert_int_equal(o.by_lds, 12);
    assert_int_equal(o.by_group_slots, 32);
    assert_int_equal(o.groups, 3);
    assert_true(o.percent == 37.5);
}

static void refuses_what_cannot_be(void **state)
{
    (void)state;
    struct occupancy o;
    const struct hardware *hw = hardware_find("gfx942", NULL, 0);
    const struct occupancy_in bad[] = {
        {.hw = NULL, .group_threads = 64},
        {.hw = hw, .group_threads = 0},
        {.hw = hw, .group_threads = 1025},
        {.hw = hw, .group_threads = 64, .registers = -1},
        {.hw = hw, .group_threads = 64, .lds_bytes = INT64_MAX},
        {.hw = hw, .group_threads = INT64_MIN},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        assert_false(occupancy_of(&o, &bad[i]));
        assert_int_equal(o.max_waves, 0);
    }
    for (int l = 0; l <= LIMIT_COUNT; l++)
        assert_non_null(occupancy_limit_label((enum occupancy_limit)l));
}

static void tails(void **state)
{
    (void)state;
    /* A100, 64 registers × 256 threads: 4 blocks × 108 SMs = 432 at once. */
    static const struct expect a100 = {"8.0", 256, 64, 0, 0, 0, 32, 64, LIMIT_REGISTERS};
    struct occupancy o = check(&a100);
    struct tail t;
    assert_true(tail_of(&t, &o, 108, 433)); /* one block too many: 433 / 864 */
    assert_int_equal(t.resident, 432);
    assert_int_equal(t.rounds, 2);
    assert_true(t.efficiency_pct > 50.1 && t.efficiency_pct < 50.2);
    assert_true(tail_of(&t, &o, 108, 864));
    assert_true(t.rounds == 2 && t.efficiency_pct == 100 && t.last_round_pct == 100);
    assert_true(tail_of(&t, &o, 108, 108)); /* a quarter of one round */
    assert_true(t.rounds == 1 && t.efficiency_pct == 25 && t.last_round_pct == 25);
    assert_true(tail_of(&t, &o, 108, UINT64_MAX));
    assert_false(tail_of(&t, &o, 108, 0));
    assert_false(tail_of(&t, &o, 0, 10));
    assert_int_equal(t.rounds, 0);
    /* gfx1100, 96 CUs are 48 WGPs of 8 groups */
    static const struct expect xtx = {"gfx1100", 256, 96, 0, 0, 0, 64, 64, LIMIT_NONE};
    o = check(&xtx);
    assert_true(tail_of(&t, &o, 96, 384));
    assert_true(t.resident == 384 && t.rounds == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(finds_products),
        unit_test(falls_back_to_the_architecture),
        unit_test(rows_are_sane),
        unit_test(occupancy_on_cdna),
        unit_test(occupancy_on_rdna),
        unit_test(occupancy_on_nvidia),
        unit_test(occupancy_equals_published_tables),
        unit_test(each_resource_is_reported),
        unit_test(refuses_what_cannot_be),
        unit_test(tails),
    };
    return unit_run(tests);
}
