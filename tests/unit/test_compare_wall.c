/* The clock on the wall, its noise, and work that is the same behind other kernels. */
#include "unit.h"

#include <string.h>

#include "base/str.h"
#include "compare_runs.h"

static void idle_time_counts_beyond_its_noise(void **state)
{
    (void)state;
    static const struct {
        double after, spread;
        enum compare_verdict verdict;
    } cases[] = {{30000, 0.01, COMPARE_SLOWER},
                 {30000, 2, COMPARE_SAME},    /* 3 times as long, as irregular as that */
                 {90000, 2, COMPARE_SLOWER}}; /* 9 times: no accident */
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct runs r;
        start(&r);
        kernel(&r, &r.a, "gemm", 100, 10000, 0);
        kernel(&r, &r.b, "gemm", 100, 10000, 0);
        set_idle(&r.a, 100, 10000, cases[i].spread * 10000);
        set_idle(&r.b, 100, cases[i].after, cases[i].spread * cases[i].after);
        run(&r);
        assert_int_equal(r.c.verdict, cases[i].verdict);
        assert_int_equal(r.c.wall_a_ns, 2000000);
        arena_release(&r.arena);
    }
}

static void values_that_drift_are_not_independent(void **state)
{
    (void)state;
    int64_t v[160];
    double means[16], still[16];
    for (int i = 0; i < 160; i++)
        v[i] = 1000 + (i * 37) % 100;
    assert_float_equal(dependence_of(v, 160), 1, 0);
    for (int i = 0; i < 160; i++)
        v[i] = 1000 + i;
    assert_true(dependence_of(v, 160) > 2);
    assert_float_equal(dependence_of(v, 20), 1, 0); /* too few to say */
    for (int i = 0; i < 16; i++) {
        means[i] = 100 + i;
        still[i] = 100 + (i * 7) % 16;
    }
    assert_true(blocks_error(means, 16) > 2 * blocks_error(still, 16));
    assert_true(isnan(blocks_error(means, 1)));
}

/* ---- the same work ---- */

static void one_factor_over_all_kernels_is_clocks(void **state)
{
    (void)state;
    static const struct {
        double first, second;
        enum compare_verdict verdict;
        bool common;
    } cases[] = {{1.02, 1.02, COMPARE_SAME, true},
                 {1.2, 1.2, COMPARE_SLOWER, true},
                 {9, 9, COMPARE_SLOWER, true},
                 {1.03, 1, COMPARE_SLOWER, false},
                 {0.9, 1.1, COMPARE_SAME, false}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct runs r;
        start(&r);
        kernel(&r, &r.a, "axpy", 100, 10000, 5);
        kernel(&r, &r.a, "dot", 100, 10000, 5);
        kernel(&r, &r.b, "axpy", 100, 10000 * cases[i].first, 5);
        kernel(&r, &r.b, "dot", 100, 10000 * cases[i].second, 5);
        run(&r);
        assert_int_equal(r.c.verdict, cases[i].verdict);
        assert_int_equal(!isnan(r.c.common_ratio), cases[i].common);
        const char *words = cases[i].first > 2 ? "another GPU, clock or size" : "clocks, not code";
        bool said = strstr(r.c.headline, words) != NULL;
        assert_int_equal(said, cases[i].common && cases[i].verdict != COMPARE_SAME);
        arena_release(&r.arena);
    }
}

static void other_kernels_are_compared_by_what_is_the_same(void **state)
{
    (void)state;
    for (int by = 0; by < 4; by++) {
        struct runs r;
        start(&r);
        kernel(&r, &r.a, "hydro_step", 100, 10000, 10);
        kernel(&r, &r.b, "fused_thing", 33, 20000, 10);
        struct run_profile *both[] = {&r.a, &r.b};
        for (int i = 0; i < 2 && by; i++) {
            if (by == 1)
                vec_push(&both[i]->markers, &r.arena,
                         ((struct profile_marker){"step", 10, 500000}));
            if (by == 2)
                vec_push(&both[i]->blocks, &r.arena, ((struct profile_block){100, 900000}));
            if (by == 3)
                vec_push(&both[i]->copies, &r.arena,
                         ((struct copy_row){.kind = COPY_H2D,
                                            .count = 1,
                                            .total_bytes = 64000000,
                                            .total_duration_ns = 1}));
        }
        run(&r);
        assert_int_equal(r.c.comparable, by > 0);
        if (by)
            assert_int_equal(r.c.verdict, COMPARE_FASTER);
        arena_release(&r.arena);
    }
}

static void more_work_items_in_less_time_are_the_same_work(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "scale", 100, 10000, 10);
    kernel(&r, &r.b, "scale", 100, 1000, 10)->work_items = 65536;
    run(&r);
    assert_int_equal(r.c.verdict, COMPARE_FASTER);
    arena_release(&r.arena);
}

static void calls_put_together_are_the_same_work(void **state)
{
    (void)state;
    struct runs r;
    start(&r);
    kernel(&r, &r.a, "scale", 100, 10000, 10);
    kernel(&r, &r.b, "scale", 1, 200000, 10)->work_items = 102400;
    run(&r);
    assert_float_equal(r.c.steps, 1, 0);
    assert_int_equal(r.c.verdict, COMPARE_FASTER);
    assert_int_equal(r.c.change_ns, -800000);
    arena_release(&r.arena);
}

static void repeated_runs_say_what_noise_is(void **state)
{
    (void)state;
    static const double walls[2][3] = {{10000, 10100, 9900}, {10800, 10900, 10700}};
    for (int wide = 0; wide < 2; wide++) {
        struct runs r;
        start(&r);
        struct run_profile all[6], a, b;
        for (int i = 0; i < 6; i++) {
            double ns = walls[i / 3][i % 3];
            all[i] = r.a;
            all[i].label = arena_printf(&r.arena, "run %d", i);
            kernel(&r, &all[i], "gemm", 100, wide && i % 3 == 2 ? 2 * ns : ns, 5);
        }
        profile_join(&a, all, 3, &r.arena);
        profile_join(&b, all + 3, 3, &r.arena);
        assert_int_equal(a.repeats.n, 3);
        compare(&r.c, &a, &b, &r.arena);
        assert_true(r.c.repeated);
        assert_int_equal(r.c.verdict, wide ? COMPARE_SAME : COMPARE_SLOWER);
        arena_release(&r.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(values_that_drift_are_not_independent),
        unit_test(one_factor_over_all_kernels_is_clocks),
        unit_test(other_kernels_are_compared_by_what_is_the_same),
        unit_test(more_work_items_in_less_time_are_the_same_work),
        unit_test(calls_put_together_are_the_same_work),
        unit_test(repeated_runs_say_what_noise_is),
        unit_test(idle_time_counts_beyond_its_noise),
    };
    return unit_run(tests);
}
