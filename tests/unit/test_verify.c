#include <math.h>
#include <string.h>

#include "unit.h"
#include "unit_arena.h"
#include "verify/figure.h"
#include "verify/verify.h"

struct expected_figure {
    const char *text;
    enum dimension dim;
    double value;
};

static void figures_have_units(void **state)
{
    static const struct expected_figure cases[] = {
        {"1.2 s", DIM_TIME, 1.2e9},
        {"927 \xc2\xb5s", DIM_TIME, 927e3},
        {"927us", DIM_TIME, 927e3},
        {"2 h 05 min", DIM_TIME, 7500e9},
        {"3 min 09 s", DIM_TIME, 189e9},
        {"38.7 %", DIM_PCT, 38.7},
        {"38.7 percent", DIM_PCT, 38.7},
        {"1.91 GiB", DIM_BYTES, 1.91 * 1073741824},
        {"4 kB", DIM_BYTES, 4e3},
        {"9.17 GB/s", DIM_RATE, 9.17e9},
        {"3.2x", DIM_RATIO, 3.2},
        {"1.77 times as fast", DIM_RATIO, 1.77},
        {"1,234,567", DIM_NUMBER, 1234567},
        {"12k", DIM_NUMBER, 12e3},
        {"1.8M", DIM_NUMBER, 1.8e6},
        {"-3.5 ms", DIM_TIME, -3.5e6},
        {"1.5e3 ns", DIM_TIME, 1500},
        {"81.7 TFLOP/s", DIM_FLOPS, 81.7e12},
        {"2.1 GHz", DIM_HZ, 2.1e9},
        {"12,34", DIM_NAME, 0},
        {"7.1.2", DIM_NAME, 0},
        {"2026-11-15", DIM_NAME, 0},
        {"MI300X", DIM_NAME, 0},
        {"2048x1x1", DIM_NAME, 0},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct figures found = {0};
        figures_find(&found, cases[i].text, 0, strlen(cases[i].text), &arena);
        assert_int_equal(found.n, 1);
        assert_int_equal(found.v[0].dim, cases[i].dim);
        if (cases[i].dim != DIM_NAME)
            assert_true(fabs(found.v[0].value - cases[i].value) <=
                        1e-9 * fabs(cases[i].value) + 1e-9);
    }
}

static void digits_say_how_exact(void **state)
{
    struct figures f = {0};
    (void)state;
    figures_find(&f, "1.2 s 120 about 100", 0, 19, &arena);
    assert_int_equal(f.n, 3);
    assert_true(figure_fits(&f.v[0], 1.249e9) && figure_fits(&f.v[0], 1.15e9));
    assert_false(figure_fits(&f.v[0], 1.26e9) || figure_fits(&f.v[0], 1.1e9));
    assert_true(figure_fits(&f.v[1], 120));
    assert_false(figure_fits(&f.v[1], 121));
    assert_true(figure_fits(&f.v[2], 104) && !figure_fits(&f.v[2], 110));
}

static void ranges_are_two_figures(void **state)
{
    struct figures f = {0};
    (void)state;
    figures_find(&f, "10-100us", 0, 8, &arena);
    assert_int_equal(f.n, 2);
    /* the unit stands once and is that of both */
    assert_true(f.v[0].value == 10e3 && f.v[1].value == 100e3);
    assert_true(f.v[0].side == SIDE_LOW && f.v[1].side == SIDE_HIGH);
    f.n = 0;
    figures_find(&f, "between 3 and 5 ms", 0, 18, &arena);
    assert_true(f.n == 2 && f.v[0].value == 3e6 && f.v[1].value == 5e6);
    f.n = 0;
    /* a minus sign inside of a word begins no number: 4 to 6 ms */
    figures_find(&f,
                 "4\xe2\x88\x92"
                 "6 ms",
                 0, 8, &arena);
    assert_true(f.n == 2 && f.v[0].value == 4e6 && f.v[1].value == 6e6);
    assert_true(f.v[0].side == SIDE_LOW && f.v[1].side == SIDE_HIGH);
    f.n = 0;
    figures_find(&f, "step 3 and 5 ms", 0, 15, &arena);
    assert_true(f.n == 2 && f.v[0].value == 3 && f.v[0].dim == DIM_NUMBER && !f.v[0].side);
}

static enum figure_verdict verdict(const char *text, enum verify_kind kind)
{
    static const char json[] =
        "{\"tables\": {\"hotspots\": [{\"name\": \"gemm_tile\", \"calls\": 120, \"total_ns\": 145000000},"
        "{\"name\": \"soft_max\", \"calls\": 60, \"total_ns\": 14500000}],"
        "\"idle\": {\"idle_pct\": 18.4, \"busy_pct\": 81.6}}}";
    struct facts *f = facts_new(&arena);
    facts_add_json(f, "test", json, sizeof(json) - 1);
    const struct verification *v = verify_text(text, strlen(text), kind, f, &arena);
    assert_int_equal(v->figures.n, 1);
    assert_int_equal(v->confirmed + v->contradicted + v->not_found, 1);
    const struct checked_figure *one = &v->figures.v[0];
    assert_true(one->at + one->n <= strlen(text));
    return one->verdict;
}

static void words_choose_the_fact(void **state)
{
    (void)state;
    assert_int_equal(verdict("gemm_tile takes 145 ms", VERIFY_TEXT), FIGURE_CONFIRMED);
    assert_int_equal(verdict("gemm_tile takes 14.5 ms", VERIFY_TEXT), FIGURE_CONTRADICTED);
    assert_int_equal(
        verdict("| kernel | calls |\n|---|---|\n| soft\\_max | 60 |\n", VERIFY_MARKDOWN),
        FIGURE_CONFIRMED);
    assert_true(verdict("| kernel | calls |\n|---|---|\n| soft\\_max | 120 |\n", VERIFY_MARKDOWN) !=
                FIGURE_CONFIRMED);
    assert_int_equal(verdict("<p>idle: <b>18.4&nbsp;%</b></p>", VERIFY_HTML), FIGURE_CONFIRMED);
    assert_int_equal(verdict("kernel,calls\n\"soft_max\",60\n", VERIFY_CSV), FIGURE_CONFIRMED);
    assert_int_equal(verdict("kernel;calls\r\nsoft_max;61\r\n", VERIFY_CSV), FIGURE_CONTRADICTED);
    assert_int_equal(verdict("{\"idle_pct\": 18.4}", VERIFY_JSON), FIGURE_CONFIRMED);
    assert_true(verdict("{\"idle_pct\": 81.6}", VERIFY_JSON) != FIGURE_CONFIRMED);
}

static void a_reference_is_strict(void **state)
{
    static const char ours[] = "GPU busy  81.6 %\nidle  18.4 %\nthe rest is silence, 3 of 4\n";
    static const char swapped[] = "GPU busy  18.4 %\nidle  81.6 %\nthe rest is silence, 3 of 4\n";
    struct facts *f = facts_new(&arena);
    (void)state;
    facts_add_json(f, "x", "{\"busy_pct\": 81.6, \"idle_pct\": 18.4}", 36);
    facts_add_reference(f, VERIFY_TEXT, ours, sizeof(ours) - 1);
    const struct verification *same = verify_text(ours, sizeof(ours) - 1, VERIFY_TEXT, f, &arena);
    assert_int_equal(same->confirmed, 4);
    assert_int_equal(same->figures.n, 4);
    const struct verification *other =
        verify_text(swapped, sizeof(swapped) - 1, VERIFY_TEXT, f, &arena);
    assert_int_equal(other->contradicted, 2);
    assert_int_equal(other->confirmed, 2);
    assert_string_equal(other->figures.v[0].right, "81.6 %");
    assert_int_equal(other->figures.v[1].line, 2);
}

static void kinds_are_found(void **state)
{
    (void)state;
    assert_int_equal(verify_kind_of("x.md", "{", 1), VERIFY_MARKDOWN);
    assert_int_equal(verify_kind_of("x.csv", "a,b", 3), VERIFY_CSV);
    assert_int_equal(verify_kind_of("-", " <html>", 7), VERIFY_HTML);
    assert_int_equal(verify_kind_of("-", "{\"a\": 1}", 8), VERIFY_JSON);
    assert_int_equal(verify_kind_of("-", "# Title", 7), VERIFY_MARKDOWN);
    assert_int_equal(verify_kind_of("-", "[HIGH] copies", 13), VERIFY_TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_have_units),     cmocka_unit_test(digits_say_how_exact),
        cmocka_unit_test(ranges_are_two_figures), cmocka_unit_test(words_choose_the_fact),
        cmocka_unit_test(a_reference_is_strict),  cmocka_unit_test(kinds_are_found),
    };
    return cmocka_run_group_tests(tests, arena_begin, arena_end);
}
