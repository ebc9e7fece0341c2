/*
 * A folder for the files of a group of tests, with a path for the one that most of them need:
 *
 *     return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
 *
 * Whoever includes it defines _GNU_SOURCE before anything else (nftw).
 */
#ifndef GS_TESTS_SCRATCH_H
#define GS_TESTS_SCRATCH_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

static char dir[64], path[96];

static int scratch_make(void **state)
{
    (void)state;
    snprintf(dir, sizeof(dir), "/tmp/gpusight-unit-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    snprintf(path, sizeof(path), "%s/x.db", dir);
    return 0;
}

static int scratch_remove_one(const char *name, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(name);
}

static int scratch_remove(void **state)
{
    (void)state;
    return nftw(dir, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Into that path. */
static inline void scratch_write(const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

#endif
