/* Blocks past a bound of memory: what is in them stays, wherever it lies. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/spill.h"

enum { MIB = 1 << 20, BOUND = 128 };

static bool there_is_a_disk;

static long resident_mib(void)
{
    long pages = 0, all = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024) / 1024;
}

/* The watcher is a thread among others and may be late. A sanitizer has memory of its own. */
static bool settles_below(long mib)
{
#ifdef __SANITIZE_THREAD__
    (void)mib;
    return resident_mib() > 0;
#else
    for (int i = 0; i < 300 && resident_mib() >= mib; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return resident_mib() < mib;
#endif
}

static void a_bound_that_cannot_be_kept_is_refused(void **state)
{
    (void)state;
    struct gs_error err;
    assert_false(spill_limit((uint64_t)(SPILL_LEAST_MIB - 1) * MIB, &err));
    assert_non_null(strstr(err.text, "at least 128 MiB"));
    assert_false(spill_wants(1u << 30, 0));
}

static void small_blocks_and_the_first_ones_stay(void **state)
{
    (void)state;
    struct gs_error err;
    there_is_a_disk = spill_limit((uint64_t)BOUND * MIB, &err);
    if (!there_is_a_disk)
        skip();
    void *small = mem_alloc(1000), *first = mem_alloc(4 * MIB);
    assert_false(spill_has(small) || spill_has(first));
    mem_free(small);
    mem_free(first);
}

static void blocks_keep_what_is_in_them(void **state)
{
    (void)state;
    enum { N = 40, WORDS = 8 * MIB / 8 };
    uint64_t *block[N];
    if (!there_is_a_disk)
        skip();
    size_t before = mem_held();
    for (uint64_t i = 0; i < N; i++) {
        block[i] = mem_calloc(WORDS, 8);
        for (uint64_t k = 0; k < WORDS; k++) {
            assert_true(!block[i][k]);
            block[i][k] = i << 32 | k;
        }
        spill_pace(); /* the watcher is a thread among others */
    }
    assert_true(spill_has(block[N - 1]));
    assert_true(spill_peak() > (uint64_t)(N * 8 - BOUND) * MIB);
    assert_true(settles_below(BOUND + 64)); /* of 320 */
    for (uint64_t i = 0; i < N; i++)
        for (uint64_t k = 0; k < WORDS; k++)
            if (block[i][k] != (i << 32 | k))
                assert_int_equal(block[i][k], i << 32 | k);
    for (size_t i = 0; i < N; i++)
        mem_free(block[i]);
    assert_int_equal(mem_held(), before);
}

static void blocks_that_were_given_back_are_zero_again(void **state)
{
    (void)state;
    if (!there_is_a_disk)
        skip();
    for (int turn = 0; turn < 3; turn++) {
        char *p = mem_calloc(64 * MIB, 1), *q = mem_calloc(64 * MIB, 1);
        assert_true(spill_has(p) && spill_has(q));
        for (size_t i = 0; i < 64 * MIB; i += 4096)
            assert_true(!p[i] && !q[i]);
        memset(p, 1, 64 * MIB);
        memset(q, 2, 64 * MIB);
        mem_free(turn == 1 ? q : p);
        mem_free(turn == 1 ? p : q);
    }
}

static void blocks_grow_with_what_is_in_them(void **state)
{
    (void)state;
    if (!there_is_a_disk)
        skip();
    uint32_t *p = mem_alloc(1000);
    void *between = NULL;
    uint32_t n = 250;
    for (uint32_t i = 0; i < n; i++)
        p[i] = i;
    while (n < 40u * MIB) {
        uint32_t more = n * 3;
        p = mem_realloc(p, (size_t)more * 4);
        for (uint32_t i = n; i < more; i++)
            p[i] = i;
        n = more;
        if (!between && spill_has(p))
            between = mem_calloc(64 * MIB, 1); /* so that it must move */
    }
    assert_true(spill_has(p) && spill_has(between));
    for (uint32_t i = 0; i < n; i++)
        if (p[i] != i)
            assert_int_equal(p[i], i);
    p = mem_realloc(p, 1000);
    assert_int_equal(p[249], 249);
    mem_free(p);
    mem_free(between);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(a_bound_that_cannot_be_kept_is_refused),
        unit_test(small_blocks_and_the_first_ones_stay),
        unit_test(blocks_keep_what_is_in_them),
        unit_test(blocks_that_were_given_back_are_zero_again),
        unit_test(blocks_grow_with_what_is_in_them),
    };
    return unit_run(tests);
}
