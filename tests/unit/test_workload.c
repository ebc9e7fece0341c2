#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "report/workload_report.h"

/* ---- folders ---- */

struct made {
    struct arena arena;
    char dir[32];
    struct workload w;
    struct workload_report r;
};

static void put(struct made *m, const char *name, const char *text)
{
    FILE *f = fopen(arena_printf(&m->arena, "%s/%s", m->dir, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void start(struct made *m)
{
    arena_init(&m->arena);
    strcpy(m->dir, "/tmp/gpusight-unit-XXXXXX");
    assert_non_null(mkdtemp(m->dir));
}

static void finish(struct made *m)
{
    static const char *const names[] = {"pmc_perf.csv", "sysinfo.csv", "roofline.csv",
                                        "SQ_LEVEL_WAVES.csv"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        unlink(arena_printf(&m->arena, "%s/%s", m->dir, names[i]));
    rmdir(m->dir);
    arena_release(&m->arena);
}

static void evaluate(struct made *m, const struct workload_opts *o)
{
    struct gs_error err = {0};
    const char *dir;
    assert_true(workload_find(m->dir, &m->arena, &dir));
    assert_true(workload_read(&m->w, dir, &m->arena, &err));
    assert_true(workload_evaluate(&m->r, &m->w, o, &m->arena, &err));
}

static const struct workload_value *value(const struct made *m, int panel, const char *key)
{
    size_t i = workload_metric_index(panel, key);
    assert_true(i != SIZE_MAX);
    return &m->r.all.values[i];
}

static void assert_near(double a, double b)
{
    if (isnan(a) && isnan(b))
        return;
    if (!(fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b)))) {
        print_error("%.17g is not %.17g\n", a, b);
        assert_true(false);
    }
}

#define SYSTEM                                                                                     \
    "gpu_arch,gpu_model,cu_per_gpu,simd_per_cu,se_per_gpu,wave_size,max_waves_per_cu,max_sclk,"    \
    "max_mclk,total_l2_chan,lds_banks_per_cu,sqc_per_gpu,num_xcd,num_hbm_channels,hbm_bw\n"

/* ---- every metric ---- */

static const struct metric_case {
    int panel;
    const char *key;
    double value, peak;
} cases[] = {
#define RAW(name, n)
#define LEVEL(name, n)
#define CHANNEL(name, n)
#define CASE(panel, key, value, peak) {panel, #key, value, peak},
#include "workload_cases.def"
#undef RAW
#undef LEVEL
#undef CHANNEL
#undef CASE
};
enum { CASES = ARRAY_LEN(cases) };

static void make_cases(struct made *m)
{
    static const char names[] = "Dispatch_ID,Kernel_Name,Grid_Size,Workgroup_Size,"
                                "LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,"
                                "Start_Timestamp,End_Timestamp"
#define RAW(name, n) "," #name
#define LEVEL(name, n) "," #name ",SQ_ACCUM_PREV_HIRES"
#define CHANNEL(name, n) "," #name "[0]"
#define CASE(panel, key, value, peak)
#include "workload_cases.def"
#undef RAW
#undef LEVEL
#undef CHANNEL
                                "\n0,k,6400,256,512,16,24,8,32,5000,6000"
#define RAW(name, n) "," #n
#define LEVEL(name, n) ",0," #n
#define CHANNEL(name, n) "," #n
#include "workload_cases.def"
#undef RAW
#undef LEVEL
#undef CHANNEL
#undef CASE
                                "\n";
    put(m, "pmc_perf.csv", names);
    put(m, "sysinfo.csv", SYSTEM "gfx90a,MI210,100,4,8,64,32,1000,1000,32,32,50,2,50,1600\n");
}

static void every_metric_is_what_its_formula_says(void **state)
{
    (void)state;
    struct made m;
    size_t n;
    const struct workload_metric *all = workload_metrics(&n);
    start(&m);
    make_cases(&m);
    evaluate(&m, &(struct workload_opts){0});
    assert_int_equal(n, CASES);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(all[i].panel, cases[i].panel);
        assert_string_equal(all[i].key, cases[i].key);
        const struct workload_value *v = value(&m, cases[i].panel, cases[i].key);
        if (fabs(v->mean - cases[i].value) > 1e-9 * fabs(cases[i].value) || isnan(v->mean))
            print_error("panel %d, %s:\n", cases[i].panel, cases[i].key);
        assert_near(v->mean, cases[i].value);
        assert_near(v->weighted, v->mean);
        assert_near(v->peak, cases[i].peak);
        assert_int_equal(v->n_missing, 0);
    }
    assert_int_equal(m.r.channels, 1);
    finish(&m);
}

static void every_formula_can_be_read(void **state)
{
    (void)state;
    struct arena a;
    size_t n;
    const struct workload_metric *all = workload_metrics(&n);
    arena_init(&a);
    for (size_t i = 0; i < n; i++) {
        const struct formula *f;
        struct gs_error err = {0};
        for (int newer = 0; newer < 2; newer++)
            assert_true(
                formula_parse(&f, panels_formula(all[i].formula, newer, "SQ_WAVES", &a), &a, &err));
        assert_true(!*all[i].peak || formula_parse(&f, all[i].peak, &a, &err));
        assert_non_null(workload_panel(all[i].panel));
        for (size_t k = 0; k < i; k++) /* keys are unique in a panel */
            assert_false(all[k].panel == all[i].panel && str_eq(all[k].key, all[i].key));
    }
    arena_release(&a);
}

/* ---- what only MI300 has ---- */

static void mi300_counts_its_own_way(void **state)
{
    (void)state;
    struct made m;
    start(&m);
    put(&m, "pmc_perf.csv",
        "Dispatch_ID,Kernel_Name,TCC_BUBBLE_sum,TCC_EA0_RDREQ_sum,TCC_EA0_RDREQ_32B_sum,"
        "TCC_EA0_WRREQ_sum,TCC_EA0_WRREQ_64B_sum,TCC_EA0_RD_UNCACHED_32B_sum,"
        "TCP_TOTAL_CACHE_ACCESSES_sum,TCC_REQ_sum,SQ_WAVES,GRBM_GUI_ACTIVE,SQ_ACTIVE_INST_VALU,"
        "Start_Timestamp,End_Timestamp\n"
        "0,k.kd,10,100,20,50,40,40,1000,500,8,16000,1216,0,100\n");
    put(&m, "sysinfo.csv", SYSTEM "gfx942,MI300X_A1,304,4,32,64,32,2100,1300,128,32,160,8,128,\n");
    evaluate(&m, &(struct workload_opts){0});
    /* 128 * 10 + 64 * (100 - 10 - 20) + 32 * 20 = 6400 bytes in 100 ns */
    assert_near(value(&m, 2, "fabric_read_bw")->mean, 64);
    /* 1.3 GHz * 32 B * 128 channels */
    assert_near(value(&m, 2, "fabric_read_bw")->peak, 5324.8);
    /* 64 * 40 + 32 * 10 = 2880 bytes */
    assert_near(value(&m, 2, "fabric_write_bw")->mean, 28.8);
    /* lines of 128 bytes: 1000 * 128 / 100; 2.1 * 128 * 304 at most */
    assert_near(value(&m, 2, "l1_bw")->mean, 1280);
    assert_near(value(&m, 2, "l1_bw")->peak, 81715.2);
    assert_near(value(&m, 2, "l2_bw")->mean, 640);
    /* 40 of 4 * 10 + 2 * 70 + 20 = 200 pieces of 32 bytes */
    assert_near(value(&m, 17, "uncached_read")->mean, 20);
    /* 8 XCDs add up to 16000 cycles: 100 * 1216 / (2000 * 304) */
    assert_near(value(&m, 2, "valu_util")->mean, 0.2);
    assert_string_equal(m.r.kernels.v[0].name, "k");
    finish(&m);
}

/* Names of what is missing are those of the architecture. */
static void missing_counters_are_called_as_there(void **state)
{
    (void)state;
    static const char *const archs[] = {"gfx90a", "gfx942"};
    static const char *const names[] = {"TCC_EA_WRREQ_64B_sum", "TCC_EA0_WRREQ_64B_sum"};
    for (size_t i = 0; i < 2; i++) {
        struct made m;
        start(&m);
        put(&m, "pmc_perf.csv", "Dispatch_ID,Kernel_Name,BeginNs,EndNs\n0,k,1,2\n");
        put(&m, "sysinfo.csv", arena_printf(&m.arena, "gpu_arch\n%s\n", archs[i]));
        evaluate(&m, &(struct workload_opts){0});
        assert_string_equal(value(&m, 2, "fabric_write_bw")->missing[0], names[i]);
        finish(&m);
    }
    struct arena a;
    arena_init(&a);
    assert_string_equal(panels_formula("{TCC_EA_X|2} / $denom + {3|4}", true, "W", &a),
                        "TCC_EA0_X / W + 3");
    assert_string_equal(panels_formula("{TCC_EA_X|2} / $denom + {3|4}", false, "W", &a),
                        "2 / W + 4");
    arena_release(&a);
}

/* ---- passes, means, filters ---- */

static void passes_are_told_apart(void **state)
{
    (void)state;
    struct made m;
    start(&m);
    put(&m, "pmc_perf.csv",
        "Dispatch_ID,Kernel_Name,wave_size,TCC_HIT_sum,TCC_MISS_sum,wave_size_1,SQC_DCACHE_HITS,"
        "wave_size_2,SQC_DCACHE_MISSES,SQ_LEVEL_WAVES,SQ_ACCUM_PREV_HIRES_2,GRBM_GUI_ACTIVE\n"
        "0,k,64,1,3,64,1,64,1,0,640,10\n");
    put(&m, "sysinfo.csv", SYSTEM "gfx90a,MI210,100,4,8,64,32,1000,1000,32,32,50,1,50,1600\n");
    evaluate(&m, &(struct workload_opts){0});
    assert_int_equal(m.w.passes, 3);
    assert_int_equal(value(&m, 2, "l2_hit")->passes, 1);
    assert_int_equal(value(&m, 2, "sl1d_hit")->passes, 2);
    assert_int_equal(value(&m, 2, "wave_occupancy")->passes, 1);
    assert_near(value(&m, 2, "wave_occupancy")->mean, 64);
    assert_true(isnan(value(&m, 2, "ipc")->mean));
    assert_int_equal(value(&m, 2, "ipc")->n_missing, 2);
    assert_string_equal(value(&m, 2, "ipc")->missing[0], "SQ_INSTS");
    assert_string_equal(value(&m, 2, "l2_bw")->missing[1], "durations of dispatches");
    finish(&m);
}

/* Three dispatches of two kernels: 50, 100 and 25 % hits. */
static void make_three(struct made *m, const char *last)
{
    put(m, "pmc_perf.csv",
        arena_printf(&m->arena,
                     "Dispatch_ID,Kernel_Name,TCC_HIT_sum,TCC_MISS_sum,"
                     "Start_Timestamp,End_Timestamp\n"
                     "4,short,50,50,100,200\n"
                     "5,short,1000,0,300,500\n"
                     "6,%s,10,30,1000,2000\n",
                     last));
    put(m, "sysinfo.csv", SYSTEM "gfx90a,MI210,100,4,8,64,32,1000,1000,32,32,50,1,50,1600\n");
}

static void filters_choose_dispatches(void **state)
{
    (void)state;
    struct made m;
    struct gs_error err = {0};
    static const char *const panels[] = {"2,17", "3"};
    start(&m);
    make_three(&m, "a long one");
    evaluate(&m, &(struct workload_opts){.panels = panels, .n_panels = 2});
    assert_near(value(&m, 2, "l2_hit")->mean, (50 + 100 + 25) / 3.0);
    assert_near(value(&m, 2, "l2_hit")->weighted, 100 * 1060 / 1140.0);
    assert_string_equal(m.r.kernels.v[0].name, "a long one");
    assert_near(m.r.kernels.v[0].time_pct, 100 * 1000 / 1300.0);
    assert_near(m.r.kernels.v[1].median_ns, 150);
    assert_true(workload_shows(&m.r, 17) && workload_shows(&m.r, 3) && !workload_shows(&m.r, 5));
    evaluate(&m, &(struct workload_opts){.kernel = "SHORT"});
    assert_near(value(&m, 2, "l2_hit")->mean, 75);
    evaluate(&m, &(struct workload_opts){.kernel = "1"});
    assert_near(value(&m, 2, "l2_hit")->mean, 25);
    evaluate(&m, &(struct workload_opts){.dispatches = "5-6,4"});
    assert_int_equal(m.r.all.n, 3);
    evaluate(&m, &(struct workload_opts){.kernel = "short", .dispatches = "5-6"});
    assert_near(value(&m, 2, "l2_hit")->mean, 100);
    static const struct workload_opts wrong[] = {
        {.kernel = "nothing"}, {.kernel = "3"},
        {.kernel = ""},        {.dispatches = "3"},
        {.dispatches = "x"},   {.dispatches = "5,"},
        {.dispatches = ""},    {.kernel = "short", .dispatches = "6"}};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        assert_false(workload_evaluate(&m.r, &m.w, &wrong[i], &m.arena, &err));
        assert_int_equal(err.code, GS_E_USAGE);
    }
    finish(&m);
}

static void two_workloads_are_compared_by_name(void **state)
{
    (void)state;
    struct made a, b;
    struct workload_comparison c;
    start(&a);
    start(&b);
    make_three(&a, "old");
    make_three(&b, "new");
    evaluate(&a, &(struct workload_opts){0});
    evaluate(&b, &(struct workload_opts){0});
    workload_compare(&c, &a.r, &b.r, &a.arena);
    assert_int_equal(c.pairs.n, 2);
    assert_string_equal(c.pairs.v[1].name, "short");
    assert_string_equal(c.only_a.v[0], "old");
    assert_string_equal(c.only_b.v[0], "new");
    assert_near(workload_change(4, 5), 25);
    assert_near(workload_change(-4, -5), -25);
    assert_true(isnan(workload_change(0, 5)) && isnan(workload_change(NAN, 5)));
    finish(&a);
    finish(&b);
}

/* ---- the roofline ---- */

static void measured_peaks_and_verdicts(void **state)
{
    (void)state;
    struct made m;
    start(&m);
    make_cases(&m);
    put(&m, "roofline.csv",
        "device,HBMBw,HBMBwLow,hbmBwHigh,FP32Flops,MFMAI8Ops,MFMAFI8OpsLow\n"
        "0,8,7,9,20000,30,29\n");
    evaluate(&m, &(struct workload_opts){0});
    assert_true(m.r.peaks.measured);
    assert_near(m.r.peaks.gbps[ROOF_HBM], 8);
    assert_near(m.r.peaks.gflops[FLOP_FP32], 20000);
    assert_near(m.r.theory.gflops[FLOP_FP32], 25600);
    assert_near(m.r.peaks.gflops[FLOP_FP64], 12800); /* not measured: theory */
    assert_near(m.w.peaks.v[0].v.v[2].low, 29);
    /* read 5760 and written 2880 bytes in 1000 ns: 8.64 of 8 GB/s is more than can be */
    const struct roof_point *p = &m.r.kernels.v[0].roof;
    assert_near(p->gbps[ROOF_HBM], 8.64);
    assert_true(p->bandwidth_pct[ROOF_HBM] > 105 && p->bound != BOUND_MEMORY);
    finish(&m);
}

static void clocks_may_have_units(void **state)
{
    (void)state;
    struct made m;
    start(&m);
    make_three(&m, "k");
    put(&m, "sysinfo.csv", "gpu_arch,max_sclk,max_mclk,numCU\ngfx90a,1.7 GHz,1600Mhz,104\n");
    evaluate(&m, &(struct workload_opts){0});
    assert_near(m.w.system.sclk_mhz, 1700);
    assert_near(m.w.system.mclk_mhz, 1600);
    assert_near(m.w.system.cu, 104);
    finish(&m);
}

/* ---- the chart in characters ---- */

static void all_lines_of_the_memory_chart_are_as_wide(void **state)
{
    (void)state;
    struct made m;
    size_t lines = 0;
    start(&m);
    make_cases(&m);
    evaluate(&m, &(struct workload_opts){0});
    const char *text = workload_memory_text(&m.r, &m.arena);
    for (const char *p = text; strchr(p, '\n'); p = strchr(p, '\n') + 1, lines++) {
        size_t wide = 0;
        for (const char *q = p; *q != '\n'; q++)
            wide += (*q & 0xc0) != 0x80;
        assert_int_equal(wide, 4 * 17 + 3 * 3);
    }
    assert_int_equal(lines, 24);
    assert_non_null(strstr(text, "│Hit      75.0 %│") ? text : strstr(text, "│Hit        75 %│"));
    assert_true(workload_memory_draw(&m.r, 0, &m.arena)->items.n > 100);
    finish(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(every_metric_is_what_its_formula_says),
        unit_test(every_formula_can_be_read),
        unit_test(mi300_counts_its_own_way),
        unit_test(missing_counters_are_called_as_there),
        unit_test(passes_are_told_apart),
        unit_test(filters_choose_dispatches),
        unit_test(two_workloads_are_compared_by_name),
        unit_test(measured_peaks_and_verdicts),
        unit_test(clocks_may_have_units),
        unit_test(all_lines_of_the_memory_chart_are_as_wide),
    };
    return unit_run(tests);
}
