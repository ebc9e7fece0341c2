/* Focus: formulas over counters, every derived metric from raw values, and the roofline. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "metric/roofline.h"

/* A scope from text: "TCC_HIT=30 GRBM_COUNT=1,2,3 $dt_ns=1000", instances between commas. */
struct text_scope {
    const char *text;
    const struct metric_device *device;
};

static bool text_lookup(void *ctx, const struct formula_name *name, double *value)
{
    const struct text_scope *s = ctx;
    size_t n = strlen(name->text);
    for (const char *at = s->text; *at; at += *at == ' ') {
        const char *word = at;
        size_t len = strcspn(at, " ");
        at += len;
        word += word[0] == '$' && name->is_variable;
        if (strncmp(word, name->text, n) != 0 || word[n] != '=')
            continue;
        double v[16];
        size_t count = 0;
        for (const char *p = word + n; p < at && count < ARRAY_LEN(v);) {
            char *end;
            v[count++] = strtod(p + 1, &end);
            p = end;
        }
        if (name->instance >= (int32_t)count)
            return false;
        *value = name->instance >= 0 ? v[name->instance] : reduce_values(v, count, name->reduction);
        return true;
    }
    return name->is_variable && s->device && metric_device_variable(s->device, name->text, value);
}

static double eval_text(const char *formula, const char *values)
{
    struct arena a;
    struct gs_error err = {0};
    const struct formula *f;
    arena_init(&a);
    if (!formula_parse(&f, formula, &a, &err))
        print_error("%s: %s\n", formula, err.text);
    assert_int_equal(err.code, GS_OK);
    struct text_scope s = {values, NULL};
    double v = formula_eval(f, &(struct formula_scope){text_lookup, &s});
    arena_release(&a);
    return v;
}

static void near(double got, double want)
{
    if (isnan(want) ? !isnan(got) : !(fabs(got - want) <= 1e-9 * (1 + fabs(want))))
        print_error("got %.17g, want %.17g\n", got, want);
    assert_true(isnan(want) ? isnan(got) : fabs(got - want) <= 1e-9 * (1 + fabs(want)));
}

static void formulas_compute(void **state)
{
    (void)state;
    static const struct {
        const char *formula, *values;
        double want;
    } cases[] = {
        {"1 + 2 * 3", "", 7},
        {"(1 + 2) * 3", "", 9},
        {"8 - 4 - 2", "", 2}, /* from the left */
        {"16 / 4 / 2", "", 2},
        {"-2 * -3", "", 6},
        {"--2", "", 2},
        {"1.5e3 + .5", "", 1500.5},
        {"2 < 3", "", 1},
        {"2 >= 3", "", 0},
        {"2 == 2 ? 10 : 20", "", 10},
        {"2 != 2 ? 10 : 3 > 1 ? 30 : 40", "", 30},
        {"min(3, 1, 2) + max(3, 1, 2) * 10", "", 31},
        {"sum(1, 2, 3) + avg(2, 4) + mean(6)", "", 15},
        {"abs(-4) + round(2.5) + floor(-0.5) + mod(7, 4)", "", 9}, /* 4 + 3 - 1 + 3 */
        {"A / B", "A=6 B=3", 2},
        {"A / B", "A=6 B=0", NAN},
        {"A + B", "A=6", NAN},
        {"mod(A, 0)", "A=6", NAN},
        {"first(A, B, 3)", "B=4", 4},
        {"first(A / 0, B)", "A=1 B=4", 4},
        {"first(A, B)", "", NAN},
        {"A > 1 ? 2 : 3", "", NAN},
        {"A == A", "A=nan", NAN},
        {"1e300 * 1e300", "", NAN},       /* no infinity */
        {"1 / (1e300 * 1e300)", "", NAN}, /* nor a 0 made of one */
        {"min(A, 1)", "A=nan", NAN},
        {"max(1, A)", "A=nan", NAN},
        /* Instances: sums by default, clocks by maximum, others as asked. */
        {"TCC_HIT", "TCC_HIT=1,2,3", 6},
        {"TCC_HIT_sum", "TCC_HIT=1,2,3", 6},
        {"TCC_HIT_max", "TCC_HIT=1,2,3", 3},
        {"TCC_HIT_min", "TCC_HIT=1,2,3", 1},
        {"TCC_HIT_avr", "TCC_HIT=1,2,3", 2},
        {"TCC_HIT[2]", "TCC_HIT=1,2,3", 3},
        {"TCC_HIT[3]", "TCC_HIT=1,2,3", NAN},
        {"reduce(TCC_HIT, max)", "TCC_HIT=1,2,3", 3},
        {"reduce(GRBM_COUNT,sum)", "GRBM_COUNT=1,2,3", 6},
        {"GRBM_COUNT", "GRBM_COUNT=1,2,3", 3},
        /* A source that only holds the reduced counter. */
        {"TCC_HIT", "TCC_HIT_sum=7", 7},
        {"TCC_HIT_max", "TCC_HIT_sum=7", NAN},
        {"$dt_ns / 2", "$dt_ns=10", 5},
        {"$dt_ns", "dt_ns=10", 10},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        near(eval_text(cases[i].formula, cases[i].values), cases[i].want);
}

static void bad_formulas_are_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "1 +",
        "(1",
        "1)",
        "foo(1)",
        "min()",
        "abs(1, 2)",
        "mod(1)",
        "A[",
        "A[x]",
        "A[1",
        "reduce(A)",
        "reduce(A, median)",
        "1 2",
        "$",
        "1..2",
        "1 ? 2",
        "1e999",
        "A[99999999999]",
        "0x10",
        "\xff",
        "a b",
        "1 < 2 < 3",
    };
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct gs_error err = {0};
        const struct formula *f;
        assert_false(formula_parse(&f, cases[i], &a, &err));
        assert_int_equal(err.code, GS_E_FORMAT);
        assert_non_null(strstr(err.text, "at column "));
    }
    arena_release(&a);
}

static bool parses(struct arena *a, const char *head, const char *part, size_t n, const char *tail)
{
    struct str s;
    const struct formula *f;
    str_init(&s, a);
    str_puts(&s, head);
    for (size_t i = 0; i < n; i++)
        str_puts(&s, part);
    str_puts(&s, tail);
    return formula_parse(&f, s.buf, a, NULL);
}

static void formulas_are_bounded(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    assert_true(parses(&a, "", "(", FORMULA_DEPTH - 1, "1") == false); /* not closed */
    assert_false(parses(&a, "", "(", 100000, "1"));
    assert_true(parses(&a, "1", "+1", FORMULA_OPS / 2 - 1, ""));
    assert_false(parses(&a, "1", "+1", 100000, ""));
    assert_true(parses(&a, "", "-", 100000, "1")); /* needs no stack */
    assert_false(parses(&a, "", "A", FORMULA_NAME_BYTES, ""));
    struct str s;
    const struct formula *f;
    str_init(&s, &a);
    for (int i = 0; i <= FORMULA_NAMES; i++)
        str_printf(&s, "%sA%d", i ? "+" : "", i);
    assert_false(formula_parse(&f, s.buf, &a, NULL));
    arena_release(&a);
}

static const char *missing_of(struct arena *a, const char *formula, const char *values, bool used)
{
    struct str out;
    const struct formula *f;
    size_t n;
    str_init(&out, a);
    assert_true(formula_parse(&f, formula, a, NULL));
    struct text_scope s = {values, NULL};
    struct formula_parts p = formula_parts(f, &(struct formula_scope){text_lookup, &s});
    const struct formula_name *names = formula_names(f, &n);
    for (size_t i = 0; i < n; i++)
        if ((used ? p.used : p.missing) >> i & 1)
            str_printf(&out, "%s%s", out.len ? " " : "", names[i].spelt);
    return out.buf;
}

static void missing_names_are_listed(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    assert_string_equal(missing_of(&a, "A / (B_sum + $c) * A", "", false), "A B_sum $c");
    assert_string_equal(missing_of(&a, "A / B", "A=1", false), "B");
    assert_string_equal(missing_of(&a, "A / B", "A=1", true), "A");
    /* first(): nothing is missing when one part is complete; else the last part, of raw counters.
     */
    assert_string_equal(missing_of(&a, "first(X, A + B)", "A=1 B=1", false), "");
    assert_string_equal(missing_of(&a, "first(X, A + B)", "A=1 B=1", true), "A B");
    assert_string_equal(missing_of(&a, "first(X, A + B)", "", false), "A B");
    assert_string_equal(missing_of(&a, "first(X + Y, A + B)", "A=1", false), "B");
    arena_release(&a);
}

static const struct metric_device *device(const char *arch)
{
    static struct metric_device d;
    /* Round figures, so that the arithmetic below can be followed. */
    d = (struct metric_device){.cu_count = 100, .simd_per_cu = 4, .xcd = 2, .sclk_ghz = 2};
    snprintf(d.arch, sizeof(d.arch), "%s", arch);
    d.hbm_gbps = 1000;
    for (int k = 0; k < FLOP_KINDS; k++)
        d.peak_gflops[k] = 1000 * (k + 1);
    metric_device_complete(&d);
    return &d;
}

/* Every metric, from raw values: the arithmetic stands at the right. 100 CUs, 2 XCDs, 2 GHz. */
static const struct metric_case {
    const char *arch, *id, *values;
    double want;
} metric_cases[] = {
#include "metric_cases.def"
};

static const struct metric *named(const struct metric_set *set, const char *id)
{
    for (size_t i = 0; i < set->n; i++)
        if (str_eq(set->v[i].def->id, id))
            return metric_set_find(set, set->v[i].def->metric);
    return NULL;
}

static void metrics_follow_their_definitions(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(metric_cases); i++) {
        const struct metric_case *c = &metric_cases[i];
        struct arena a;
        struct metric_set set;
        arena_init(&a);
        const struct metric_device *d = device(c->arch);
        metric_set_init(&set, c->arch, &a);
        struct text_scope s = {c->values, d};
        const struct metric *m = named(&set, c->id);
        double got = m ? formula_eval(m->formula, &(struct formula_scope){text_lookup, &s}) : NAN;
        bool ok = isnan(c->want) ? isnan(got) : fabs(got - c->want) <= 1e-9 * (1 + fabs(c->want));
        if (!ok)
            print_error("%s on %s: got %.12g, want %.12g\n", c->id, c->arch, got, c->want);
        assert_true(ok);
        arena_release(&a);
    }
}

static void every_metric_has_a_case(void **state)
{
    (void)state;
    size_t n;
    const struct metric_def *defs = metric_defs(&n);
    for (size_t i = 0; i < n; i++) {
        bool found = false;
        for (size_t k = 0; k < ARRAY_LEN(metric_cases) && !found; k++)
            found = str_eq(metric_cases[k].id, defs[i].id) && !isnan(metric_cases[k].want) &&
                    metric_fits(&defs[i], metric_cases[k].arch);
        if (!found)
            print_error("no case for %s on '%s'\n", defs[i].id, defs[i].archs);
        assert_true(found);
    }
}

static void metric_lines_are_sound(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    size_t n, n_hw;
    const struct metric_def *defs = metric_defs(&n);
    const struct hardware *hw = hardware_table(&n_hw);
    for (size_t i = 0; i < n; i++) {
        const struct formula *f;
        struct gs_error err = {0};
        if (!formula_parse(&f, defs[i].formula, &a, &err))
            print_error("%s: %s\n", defs[i].id, err.text);
        assert_int_equal(err.code, GS_OK);
        assert_true(!*defs[i].peak || formula_parse(&f, defs[i].peak, &a, NULL));
        assert_true(*defs[i].label && *defs[i].doc && metric_group_words[defs[i].group]);
        for (size_t k = 0; k < i; k++) /* one row an architecture */
            for (size_t h = 0; h < n_hw && str_eq(defs[i].id, defs[k].id); h++)
                assert_false(metric_fits(&defs[i], hw[h].arch) &&
                             metric_fits(&defs[k], hw[h].arch));
    }
    arena_release(&a);
}

static void devices_are_filled_from_trace_and_table(void **state)
{
    (void)state;
    struct metric_device d;
    struct gpu gpu = {.cu_count = 304, .clock_mhz = 2000};
    metric_device_make(&d, "amdgcn-amd-amdhsa--gfx942:sramecc+", &gpu,
                       hardware_find("gfx942", "AMD Instinct MI300X", 304));
    assert_string_equal(d.arch, "gfx942");
    near(d.sclk_ghz, 2);      /* the trace first */
    near(d.xcd, 8);           /* then the table */
    near(d.l2_channels, 128); /* 16 x 8 */
    near(d.se_count, 32);     /* 4 x 8 */
    near(d.sqc_count, 160);   /* ceil(304 / 32 / 2) = 5, x 32 */
    near(d.waves_per_cu, 32);
    near(d.hbm_gbps, 5324.8);
    near(d.peak_gflops[FLOP_MAT_FP16], 1307400);
    /* A CPX partition: an eighth of the rates. */
    gpu.cu_count = 38;
    metric_device_make(&d, "gfx942", &gpu, hardware_find("gfx942", "AMD Instinct MI300X", 38));
    near(d.hbm_gbps, 665.6);
    /* Nothing known: every variable is missing. */
    double v;
    metric_device_make(&d, "gfx777", &(struct gpu){0}, NULL);
    assert_false(metric_device_variable(&d, "cu_count", &v));
    assert_false(metric_device_variable(&d, "no_such_thing", &v));
    metric_device_make(&d, NULL, &(struct gpu){0}, NULL);
    assert_string_equal(d.arch, "");
}

/* gfx90a with 100 CUs at 2 GHz: L2 2 x 128 x 32 = 8192, L1 2 x 64 x 100 = 12800, LDS 25600 GB/s. */
static struct roof_point point(struct arena *a, const char *values)
{
    struct metric_set set;
    struct roof_peaks peaks;
    struct roof_point p;
    static struct metric_device d;
    d = *device("gfx90a");
    d.xcd = 1;
    d.l2_channels = 32;
    roof_peaks_theory(&peaks, &d);
    near(peaks.gbps[ROOF_L2], 8192);
    near(peaks.gbps[ROOF_L1], 12800);
    near(peaks.gbps[ROOF_LDS], 25600);
    metric_set_init(&set, "gfx90a", a);
    struct text_scope s = {values, &d};
    roof_point_make(&p, &set, &(struct formula_scope){text_lookup, &s}, &peaks, 1000, a);
    return p;
}

#define NO_FLOPS                                                                                   \
    "SQ_INSTS_VALU_ADD_F16=0 SQ_INSTS_VALU_MUL_F16=0 SQ_INSTS_VALU_TRANS_F16=0 "                   \
    "SQ_INSTS_VALU_FMA_F16=0 SQ_INSTS_VALU_ADD_F64=0 SQ_INSTS_VALU_MUL_F64=0 "                     \
    "SQ_INSTS_VALU_TRANS_F64=0 SQ_INSTS_VALU_FMA_F64=0 SQ_INSTS_VALU_MFMA_MOPS_BF16=0 "            \
    "SQ_INSTS_VALU_MFMA_MOPS_F32=0 SQ_INSTS_VALU_MFMA_MOPS_F64=0 SQ_INSTS_VALU_MFMA_MOPS_I8=0 "
#define F32(fma)                                                                                   \
    "SQ_INSTS_VALU_ADD_F32=0 SQ_INSTS_VALU_MUL_F32=0 SQ_INSTS_VALU_TRANS_F32=0 "                   \
    "SQ_INSTS_VALU_FMA_F32=" fma " "

static void rooflines_say_what_binds(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    /* 500 KiB + 300 KiB in 1000 ns = 819.2 GB/s of 1000; 64 x 2 x 1000 = 128000 FLOP (128 GFLOP/s
       of 2000) and matrix 512 x 100 = 51200 (51.2 of 6000): 6.4 % + 0.8533 % of the time. */
    struct roof_point p = point(&a, "$dt_ns=1000 FETCH_SIZE=500 WRITE_SIZE=300 " NO_FLOPS F32(
                                        "1000") "SQ_INSTS_VALU_MFMA_MOPS_F16=100");
    near(p.bytes[ROOF_HBM], 819200);
    near(p.bandwidth_pct[ROOF_HBM], 81.92);
    near(p.total_flops, 179200);
    near(p.gflops, 179.2);
    near(p.intensity[ROOF_HBM], 0.21875); /* 179200 / 819200 */
    near(p.flop_pct, 6.4 + 5120.0 / 6000);
    near(p.roof_pct[ROOF_HBM], 81.92);
    near(p.roof_pct[ROOF_L2], NAN);
    assert_int_equal(p.main_kind, FLOP_FP32);
    assert_int_equal(p.bound, BOUND_MEMORY);
    assert_int_equal(p.level, ROOF_HBM);
    assert_string_equal(p.why, "HBM at 82 % of peak bandwidth; operations at 7.3 % of peak");
    assert_string_equal(p.not_known, "");

    /* 64 x 2 x 12500 = 1.6 M FLOP = 1600 GFLOP/s, 80 % of 2000; memory at 10.24 %. */
    p = point(&a, "$dt_ns=1000 FETCH_SIZE=100 WRITE_SIZE=0 " F32("12500"));
    near(p.flop_pct, 80);
    near(p.total_flops, NAN); /* the other types were not counted */
    near(p.known_flops, 1600000);
    assert_int_equal(p.bound, BOUND_COMPUTE);
    assert_non_null(strstr(p.not_known, "vector FP64, vector FP16, matrix FP64"));

    /* Little of both, and both known: latency. */
    p = point(&a, "$dt_ns=1000 FETCH_SIZE=100 WRITE_SIZE=0 VALUBusy=20 MfmaUtil=5");
    assert_int_equal(p.bound, BOUND_LATENCY);
    near(p.compute_pct, 20);

    /* Little of one and the other not known: nothing is claimed. */
    p = point(&a, "$dt_ns=1000 FETCH_SIZE=100 WRITE_SIZE=0");
    assert_int_equal(p.bound, BOUND_UNKNOWN);
    p = point(&a, "$dt_ns=1000 VALUBusy=20 MfmaUtil=5");
    assert_int_equal(p.bound, BOUND_UNKNOWN);
    p = point(&a, "$dt_ns=1000 FETCH_SIZE=100 WRITE_SIZE=0 VALUBusy=20"); /* matrix units? */
    assert_int_equal(p.bound, BOUND_UNKNOWN);
    p = point(&a, "");
    assert_int_equal(p.bound, BOUND_UNKNOWN);

    /* The LDS can be the limit too. */
    p = point(&a, "$dt_ns=1000 SQ_LDS_IDX_ACTIVE=150000 SQ_LDS_BANK_CONFLICT=0");
    near(p.bandwidth_pct[ROOF_LDS], 75); /* 150000 x 128 / 1000 = 19200 of 25600 */
    assert_int_equal(p.bound, BOUND_MEMORY);
    assert_int_equal(p.level, ROOF_LDS);
    arena_release(&a);
}

static void counters_have_rules_of_their_own(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum reduction how;
    } cases[] = {
        {"SQ_WAVES", REDUCE_SUM},         {"TCC_HIT_sum", REDUCE_SUM},
        {"GRBM_COUNT", REDUCE_MAX},       {"GRBM_GUI_ACTIVE", REDUCE_MAX},
        {"OccupancyPercent", REDUCE_AVG}, {"L2CacheHit", REDUCE_AVG},
        {"GPU_UTIL", REDUCE_AVG},         {"FETCH_SIZE", REDUCE_SUM},
        {"Wavefronts", REDUCE_SUM},       {"MeanOccupancyPerCU", REDUCE_AVG},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_int_equal(counter_reduction(cases[i].name), cases[i].how);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(formulas_compute),
        unit_test(bad_formulas_are_refused),
        unit_test(formulas_are_bounded),
        unit_test(missing_names_are_listed),
        unit_test(metrics_follow_their_definitions),
        unit_test(every_metric_has_a_case),
        unit_test(metric_lines_are_sound),
        unit_test(devices_are_filled_from_trace_and_table),
        unit_test(rooflines_say_what_binds),
        unit_test(counters_have_rules_of_their_own),
    };
    return unit_run(tests);
}
