/*
 * An arena for the tests of a file, made before and released after each of them, or all:
 *
 *     const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(f, arena_begin, arena_end)};
 *     return cmocka_run_group_tests(tests, arena_begin, arena_end);
 */
#ifndef GS_TESTS_UNIT_ARENA_H
#define GS_TESTS_UNIT_ARENA_H

#include "base/arena.h"

static struct arena arena;

static int arena_begin(void **state)
{
    (void)state;
    arena_init(&arena);
    return 0;
}

static int arena_end(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

#endif
