/* Names in a narrow column that would all be cut to the same text. */
#include "unit.h"

#include "render/tell_apart.h"

enum { WIDTH = 16 };

static void check(const char **cells, size_t n, const char *const *want)
{
    struct arena arena;
    arena_init(&arena);
    tell_apart(cells, n, 1, WIDTH, &arena);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(cells[i], want[i]);
    arena_release(&arena);
}

/* A quarter of the column is the start; the renderer cuts the end. */
static void what_differs_is_shown(void **state)
{
    (void)state;
    const char *cells[] = {"space::range_kernel<first_of_them>", "short",
                           "space::range_kernel<second_of_them>"};
    static const char *const want[] = {"spac…first_of_them>", "short", "spac…second_of_them>"};
    check(cells, 3, want);
}

/* "317" is as wide as it is; the start gets the other 13 columns, "…" included. */
static void a_short_end_leaves_room_for_the_start(void **state)
{
    (void)state;
    const char *cells[] = {"aten::is_nonzero, op_id = 317", "aten::is_nonzero, op_id = 42"};
    static const char *const want[] = {"aten::is_non…317", "aten::is_nonz…42"};
    check(cells, 2, want);
}

/* The first cut shows "elem…4, imple" twice; the second goes on to where those two differ. */
static void alike_after_a_cut_are_cut_again(void **state)
{
    (void)state;
    const char *cells[] = {"elementwise_kernel<4, implementation<alpha_functor>>",
                           "elementwise_kernel<4, implementation<beta_functor>>",
                           "elementwise_kernel<2, implementation<alpha_functor>>"};
    static const char *const want[] = {"elem…alpha_functor>>", "elem…beta_functor>>",
                                       "elem…2, implementation<alpha_functor>>"};
    check(cells, 3, want);
}

static void equal_and_different_texts_stay(void **state)
{
    (void)state;
    const char *cells[] = {"the_same_long_name_twice", "the_same_long_name_twice",
                           "another_name_that_is_long", "  indented name, first one", ""};
    static const char *const want[] = {"the_same_long_name_twice", "the_same_long_name_twice",
                                       "another_name_that_is_long", "  indented name, first one",
                                       ""};
    check(cells, 5, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(what_differs_is_shown),
        unit_test(a_short_end_leaves_room_for_the_start),
        unit_test(alike_after_a_cut_are_cut_again),
        unit_test(equal_and_different_texts_stay),
    };
    return unit_run(tests);
}
