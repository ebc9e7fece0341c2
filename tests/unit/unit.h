/*
 * What every unit test includes first: cmocka with the headers it needs.
 *
 *     static void sums_are_right(void **state)
 *     {
 *         (void)state;
 *         assert_int_equal(1 + 1, 2);
 *     }
 *     ...
 *     const struct CMUnitTest tests[] = {unit_test(sums_are_right)};
 *     return unit_run(tests);
 *
 * The name of a test says what holds when it passes.
 */
#ifndef GS_TESTS_UNIT_H
#define GS_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* fail() is ours, from base/err.h; cmocka's fail_msg() is gone with it: assert something. */
#undef fail

#undef unit_test
#define unit_test(f) cmocka_unit_test(f)
#define unit_run(tests) cmocka_run_group_tests(tests, NULL, NULL)

#endif
