/*
 * The pieces of the capture planner: passes, words for shells, names of kernels, launchers, the
 * table of options, and plans for every goal on every GPU.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "advise/rule.h"
#include "argv_fault.h"
#include "base/str.h"
#include "metric/counters.h"
#include "metric/pack.h"
#include "plan/plan.h"
#include "plan/quote.h"
#include "unit_arena.h"

/* ---- passes ---- */

static struct pack_counter one(const char *name, const char *block, int limit)
{
    return (struct pack_counter){name, block, 1, limit};
}

static const char *join(const struct pass *p)
{
    struct str s;
    str_init(&s, &arena);
    for (size_t i = 0; i < p->counters.n; i++)
        str_printf(&s, "%s%s", i ? " " : "", p->counters.v[i]);
    return s.buf;
}

/* TA has 2 counters, GRBM 2: five of TA need three passes, the two of GRBM fit in the first. */
static void the_fullest_block_decides_how_many_passes(void **state)
{
    (void)state;
    struct pack_counter c[] = {one("A1", "TA", 2),  one("A2", "TA", 2), one("G1", "GRBM", 2),
                               one("A3", "TA", 2),  one("A4", "TA", 2), one("A5", "TA", 2),
                               one("G2", "GRBM", 2)};
    struct passes p = {0};
    assert_int_equal(pack_least(c, 7), 3);
    pack(&p, c, 7, NULL, 0, &arena);
    assert_int_equal(p.n, 3);
    assert_string_equal(join(&p.v[0]), "A1 A2 G1 G2");
    assert_string_equal(join(&p.v[1]), "A3 A4");
    assert_string_equal(join(&p.v[2]), "A5");
}

/*
 * Four of a block of 4 and two of a block of 2, in groups (C1 C2), (C3 D1), (C4 D2), (E1 E2) with E
 * of one at a time: two passes by E. (C1 C2), then each E somewhere, then (C3 D1)...: all fit in
 * the first pass but E2; its group cannot be whole.
 */
static void groups_stay_together_where_they_fit(void **state)
{
    (void)state;
    struct pack_counter c[] = {one("C1", "C", 4), one("C2", "C", 4), one("C3", "C", 4),
                               one("C4", "C", 4), one("D1", "D", 2), one("D2", "D", 2),
                               one("E1", "E", 1), one("E2", "E", 1)};
    size_t a[] = {0, 1}, b[] = {2, 4}, d[] = {3, 5}, e[] = {6, 7};
    struct pack_group g[] = {{a, 2}, {b, 2}, {d, 2}, {e, 2}};
    struct passes p = {0};
    pack(&p, c, 8, g, 4, &arena);
    assert_int_equal(p.n, 2);
    assert_string_equal(join(&p.v[0]), "C1 C2 C3 C4 D1 D2 E1");
    assert_string_equal(join(&p.v[1]), "E2");
}

/*
 * A clock that two ratios share: blocks of 1, so N1 and N2 are in different passes; the clock is
 * counted in both, and each ratio is of one run.
 */
static void a_shared_counter_is_repeated_to_keep_ratios_whole(void **state)
{
    (void)state;
    struct pack_counter c[] = {one("N1", "N", 1), one("CLOCK", "G", 2), one("N2", "N", 1)};
    size_t a[] = {0, 1}, b[] = {2, 1};
    struct pack_group g[] = {{a, 2}, {b, 2}};
    struct passes p = {0};
    pack(&p, c, 3, g, 2, &arena);
    assert_int_equal(p.n, 2);
    assert_string_equal(join(&p.v[0]), "N1 CLOCK");
    assert_string_equal(join(&p.v[1]), "CLOCK N2");
}

/* 3 + 2 of 4 do not fit together; 5 of 4 never does and is left out. */
static void wide_counters_take_their_slots(void **state)
{
    (void)state;
    struct pack_counter c[] = {{"WRITE", "T", 2, 4}, {"FETCH", "T", 3, 4}, {"WIDE", "T", 5, 4}};
    struct passes p = {0};
    pack(&p, c, 3, NULL, 0, &arena);
    assert_int_equal(p.n, 2);
    assert_string_equal(join(&p.v[0]), "FETCH");
    assert_string_equal(join(&p.v[1]), "WRITE");
    struct passes none = {0};
    pack(&none, c, 0, NULL, 0, &arena);
    assert_int_equal(none.n, 0);
}

static unsigned random_state = 7;
static size_t below(size_t n)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 16) % n;
}

static void check_passes(const struct passes *p, const struct pack_counter *c, size_t n)
{
    for (size_t k = 0; k < p->n; k++)
        for (size_t i = 0; i < n; i++) {
            int in_block = 0, twice = 0;
            for (size_t m = 0; m < p->v[k].counters.n; m++) {
                twice += str_eq(p->v[k].counters.v[m], c[i].name);
                for (size_t x = 0; x < n; x++)
                    in_block +=
                        str_eq(c[x].name, p->v[k].counters.v[m]) && str_eq(c[x].block, c[i].block);
            }
            assert_true(in_block <= c[i].limit && twice <= 1);
        }
}

/* Any set with any groups: limits hold, all are there, and no division needs fewer passes. */
static void any_set_obeys_limits_in_the_fewest_passes(void **state)
{
    (void)state;
    enum { MOST = 40, ROUNDS = 300 };
    static const char *const blocks[] = {"SQ", "TA", "TCC", "GRBM", "SPI"};
    static const int limits[] = {8, 2, 4, 2, 6};
    for (int round = 0; round < ROUNDS; round++) {
        struct pack_counter c[MOST];
        struct pack_group g[10];
        size_t n = below(MOST) + 1, n_groups = below(10);
        for (size_t i = 0; i < n; i++) {
            size_t b = below(5);
            c[i] = one(arena_printf(&arena, "C%zu", i), blocks[b], limits[b]);
        }
        for (size_t i = 0; i < n_groups; i++) {
            size_t *v = arena_array(&arena, size_t, 6), members = 0;
            for (size_t k = below(6) + 1; k > 0; k--) {
                size_t x = below(n), seen = 0;
                for (size_t m = 0; m < members; m++)
                    seen += v[m] == x;
                if (!seen)
                    v[members++] = x;
            }
            g[i] = (struct pack_group){v, members};
        }
        struct passes p = {0};
        pack(&p, c, n, g, n_groups, &arena);
        assert_int_equal(p.n, pack_least(c, n));
        check_passes(&p, c, n);
        for (size_t i = 0; i < n; i++) {
            size_t there = 0;
            for (size_t k = 0; k < p.n; k++)
                for (size_t m = 0; m < p.v[k].counters.n; m++)
                    there += str_eq(p.v[k].counters.v[m], c[i].name);
            assert_true(there >= 1);
        }
    }
}

/* ---- words and names ---- */

static void a_shell_reads_words_back(void **state)
{
    (void)state;
    assert_string_equal(shell_word(&arena, "./app"), "./app");
    assert_string_equal(shell_word(&arena, "a b"), "'a b'");
    assert_string_equal(shell_word(&arena, ""), "''");
    assert_string_equal(shell_word(&arena, "it's"), "'it'\\''s'");
    assert_string_equal(shell_word(&arena, "$HOME"), "'$HOME'");
    assert_string_equal(shell_word(&arena, "~"), "'~'");
    assert_string_equal(shell_word(&arena, "a\nb"), "'a\nb'");
    assert_string_equal(shell_word(&arena, "%q{X}"), "'%q{X}'");
}

static void kernel_names_become_harmless_regexes(void **state)
{
    (void)state;
    assert_string_equal(kernel_regex(&arena, "void gemm<float, 4>(int*)", true), "gemm.float..4.");
    assert_string_equal(kernel_regex(&arena, "void gemm<float, 4>(int*)", false), "gemm");
    assert_string_equal(kernel_regex(&arena, "void (anonymous namespace)::step(int)", true),
                        ".anonymous.namespace.::step");
    assert_string_equal(kernel_regex(&arena, "vec*add[0].kd", true), "vec.add.0.");
    assert_string_equal(kernel_regex(&arena, "add(float*) [clone .kd]", true), "add");
    assert_string_equal(kernel_regex(&arena, "first\nsecond", true), "first");
    assert_string_equal(kernel_regex(&arena, "(int)", true), "");
    assert_string_equal(kernel_regex(&arena, "\xc3\xa9\xc3\xa9", true), "");
    char *wide = arena_alloc(&arena, 4097);
    memset(wide, 'x', 4096);
    assert_int_equal(strlen(kernel_regex(&arena, wide, true)), 96);

    assert_string_equal(kernel_identifier(&arena, "void ns::gemm<float>(int)"), "gemm");
    assert_string_equal(kernel_identifier(&arena, "add.kd"), "add");
    assert_string_equal(kernel_identifier(&arena, "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32"),
                        "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32");
    assert_string_equal(kernel_identifier(&arena, "-x"), "");
}

/* ---- launchers ---- */

static const char *divided(const char *command)
{
    struct words w = {0};
    struct launch_form how = {.rank = -1};
    words_split(&w, command, &arena);
    if (!launch_form_find(&how, &w, &arena))
        return "?";
    return arena_printf(&arena, "%s | %s", shell_line(&arena, &how.launcher),
                        shell_line(&arena, &how.app));
}

static void the_program_behind_a_launcher_is_found(void **state)
{
    (void)state;
    assert_string_equal(divided("srun -n 4 -N2 --gpus-per-task=1 ./app -n 3"),
                        "srun -n 4 -N2 --gpus-per-task=1 | ./app -n 3");
    assert_string_equal(divided("/usr/bin/srun --exclusive ./app"),
                        "/usr/bin/srun --exclusive | ./app");
    assert_string_equal(divided("mpirun -np 8 --mca btl tcp -x A=1 ./app"),
                        "mpirun -np 8 --mca btl tcp -x A=1 | ./app");
    assert_string_equal(divided("mpiexec -n 2 -- ./app"), "mpiexec -n 2 -- | ./app");
    assert_string_equal(divided("mpirun -n 1 ./a : -n 2 ./b"), "?");
    assert_string_equal(divided("srun -n 4"), "?");
    assert_string_equal(divided("./app srun"), " | ./app srun");
    assert_string_equal(divided("-n 4"), "?");
    assert_string_equal(divided("srun -n 4 -- -x"), "?");
}

/* ---- commands ---- */

static const char *fault(const char *command)
{
    struct words w = {0};
    words_split(&w, command, &arena);
    return tool_argv_fault(&w, &arena);
}

static void only_real_options_pass(void **state)
{
    (void)state;
    assert_null(fault("rocprofv3 --kernel-trace --pmc SQ_WAVES GRBM_COUNT -- ./app -x"));
    assert_null(fault("nsys profile --trace=cuda --output=x ./app -y"));
    assert_null(fault("env ROCPROFSYS_USE_ROCPD=ON rocprof-sys-run -- ./app"));
    assert_non_null(fault("rocprofv3 --pc-sampling -- ./app"));
    assert_non_null(fault("rocprofv3 --kernel-names x -- ./app"));
    assert_non_null(fault("rocprofv3 --kernel-trace ./app"));
    assert_non_null(fault("rocprofv3 --pmc -- ./app"));
    assert_non_null(fault("rocprofv3 --output-format xml -- ./app"));
    assert_non_null(fault("rocprofv3 --kernel-trace --"));
    assert_non_null(fault("nsys profile --trace cuda ./app"));
    assert_non_null(fault("nsys profile --sample=cpu ./app"));
    assert_non_null(fault("nsys --trace=cuda ./app"));
    assert_non_null(fault("ncu --set full -- ./app"));
    assert_non_null(fault("env NO_SUCH=1 rocprof-sys-run -- ./app"));
    assert_non_null(fault("gprof ./app"));
}

/* ---- plans ---- */

static void check_counters(const struct capture *c, const char *arch)
{
    unsigned family = family_of(arch);
    const struct pass none = {0}, *pass = c->passes.n ? c->passes.v : &none;
    assert_true(c->passes.n <= 1);
    for (size_t i = 0; i < pass->counters.n; i++) {
        struct pack_counter k, other;
        int slots = 0, twice = 0;
        assert_true(counter_find(&k, pass->counters.v[i], family));
        for (size_t m = 0; m < pass->counters.n; m++) {
            assert_true(counter_find(&other, pass->counters.v[m], family));
            slots += str_eq(other.block, k.block) ? other.slots : 0;
            twice += str_eq(other.name, k.name);
        }
        assert_true(slots <= k.limit && k.limit == block_limit(family, k.block));
        assert_int_equal(twice, 1);
    }
}

/* Every goal, alone and all, on every GPU of the table, with and without a launcher. */
static void every_plan_can_be_run(void **state)
{
    (void)state;
    size_t n;
    const struct hardware *hw = hardware_table(&n);
    const char *const app[] = {"./app", "a b"};
    for (size_t i = 0; i < n; i++)
        for (size_t g = 0; g <= GOALS; g++)
            for (unsigned tools = 0; tools <= TOOL_NCU; tools += TOOL_ROCPROF_COMPUTE) {
                struct plan_request q = {.gpu = &hw[i], .out = "out", .kernel = "x"};
                struct plan p;
                q.goals = g < GOALS ? 1u << g : ALL_GOALS;
                q.tools = tools;
                q.form = (struct launch_form){.app = {(const char **)app, 2, 2}, .rank = -1};
                plan_make(&p, &q, &arena);
                for (size_t k = 0; k < p.captures.n; k++) {
                    const char *why = tool_argv_fault(&p.captures.v[k].command.argv, &arena);
                    if (why)
                        print_message("%s: %s\n", why, p.captures.v[k].command.text);
                    assert_null(why);
                    check_counters(&p.captures.v[k], hw[i].arch);
                    assert_true(p.captures.v[k].goals && p.captures.v[k].answers.n);
                }
            }
}

/* Each counter is of a block that each of its families has, and fits into it. */
static void the_tables_agree(void **state)
{
    (void)state;
    for (unsigned f = 0; f < FAMILIES; f++)
        for (size_t r = 0; r < n_plan_ratios; r++)
            for (size_t i = 0; i < RATIO_MOST && plan_ratios[r].counters[i]; i++) {
                struct pack_counter c;
                bool known = counter_find(&c, plan_ratios[r].counters[i], 1u << f);
                assert_true(!known || (c.limit > 0 && c.slots <= c.limit));
            }
    /* No ratio names a counter that no GPU has. */
    for (size_t r = 0; r < n_plan_ratios; r++)
        for (size_t i = 0; i < RATIO_MOST && plan_ratios[r].counters[i]; i++) {
            struct pack_counter c;
            assert_true(counter_find(&c, plan_ratios[r].counters[i], (1u << FAMILIES) - 1));
        }
    assert_int_equal(family_of("gfx90a:sramecc+:xnack-"), GFX90A);
    assert_int_equal(family_of("gfx9999"), 0);
    assert_int_equal(family_of(""), 0);
    assert_true(counter_same("TCC_HIT", "TCC_HIT_sum"));
    assert_false(counter_same("TCC_HIT", "TCC_MISS"));
}

/* Every rule has goals, or is known to need none. */
static void every_rule_has_goals_or_needs_none(void **state)
{
    (void)state;
    static const char *const none[] = {
        "blit-kernels", "profiling-scope",      "recording-paused", "slow-down",
        "startup",      "stream-serialisation", "warmup",           NULL};
    for (size_t i = 0; rules[i]; i++) {
        bool expected = true;
        for (size_t k = 0; none[k]; k++)
            expected &= !str_eq(none[k], rules[i]->name);
        if (expected != (rules[i]->goals != 0))
            print_message("goals of rule %s\n", rules[i]->name);
        assert_int_equal(expected, rules[i]->goals != 0);
    }
    assert_null(rule_named("no-such-rule"));
    unsigned found = 0;
    struct gs_error err = {0};
    assert_true(goals_parse(&found, "roofline,mpi", &err));
    assert_int_equal(found, ON(roofline) | ON(mpi));
    assert_true(goals_parse(&found, "all", &err));
    assert_int_equal(found, ALL_GOALS);
    assert_false(goals_parse(&found, "roofline,", &err));
    assert_false(goals_parse(&found, "speed", &err));
    assert_non_null(strstr(err.text, "roofline"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, arena_begin, arena_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_fullest_block_decides_how_many_passes),
        TEST(groups_stay_together_where_they_fit),
        TEST(a_shared_counter_is_repeated_to_keep_ratios_whole),
        TEST(wide_counters_take_their_slots),
        TEST(any_set_obeys_limits_in_the_fewest_passes),
        TEST(a_shell_reads_words_back),
        TEST(kernel_names_become_harmless_regexes),
        TEST(the_program_behind_a_launcher_is_found),
        TEST(only_real_options_pass),
        TEST(every_plan_can_be_run),
        TEST(the_tables_agree),
        TEST(every_rule_has_goals_or_needs_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
