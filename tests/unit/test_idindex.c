/* Ids of any shape: sorted pairs, and 64-bit ids as numbers of 32 bits. */
#include "unit.h"

#include <stdlib.h>

#include "base/idblocks.h"
#include "base/idindex.h"
#include "base/parallel.h"

enum { N = 5000 };

/* The i-th id of a shape; each shape gives another id for each i. */
static int64_t dense(int i)
{
    return 100 + i;
}

static int64_t blocks(int i)
{
    return ((int64_t)(i % 3) << 40) + i;
}

static int64_t scattered(int i)
{
    return (int64_t)((uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static int64_t falling(int i)
{
    return INT64_MAX - 7 * (int64_t)i;
}

static int64_t extremes(int i)
{
    return i == 0 ? INT64_MIN : i == 1 ? INT64_MAX : i == 2 ? 0 : i;
}

static int64_t (*const shapes[])(int) = {dense, blocks, scattered, falling, extremes};

static void every_id_is_found_whatever_the_shape(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    for (size_t s = 0; s < ARRAY_LEN(shapes); s++) {
        struct idindex x;
        int64_t *id = arena_array(&a, int64_t, N);
        uint32_t *value = arena_array(&a, uint32_t, N);
        for (int i = 0; i < N; i++) {
            id[i] = shapes[s](i);
            value[i] = 3 * (uint32_t)i;
        }
        assert_int_equal(idindex_make(&x, id, value, N, &a), 0);
        for (int i = 0; i < N; i++)
            assert_int_equal(idindex_get(&x, shapes[s](i)), 3 * i);
        assert_int_equal(idindex_get(&x, 98), shapes[s] == extremes ? 3 * 98 : NO_INDEX);
        assert_int_equal(idindex_get(&x, INT64_MAX - 1), NO_INDEX);
    }
    arena_release(&a);
}

static void the_first_of_several_wins(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    int64_t sorted[] = {1, 1, 4, 4, 4, 9}, mixed[] = {9, 4, 1, 4, 9, 1, 1};
    struct idindex x;
    assert_int_equal(idindex_make(&x, sorted, NULL, 6, &a), 3);
    assert_int_equal(idindex_get(&x, 1), 0);
    assert_int_equal(idindex_get(&x, 4), 2);
    assert_int_equal(idindex_get(&x, 9), 5);
    assert_int_equal(idindex_make(&x, mixed, NULL, 7, &a), 4);
    assert_int_equal(idindex_get(&x, 9), 0);
    assert_int_equal(idindex_get(&x, 4), 1);
    assert_int_equal(idindex_get(&x, 1), 2);
    assert_int_equal(idindex_make(&x, NULL, NULL, 0, &a), 0);
    assert_int_equal(idindex_get(&x, 0), NO_INDEX);
    arena_release(&a);
}

static void floors_are_the_last_not_above(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    int64_t id[] = {-5, 10, 20, (int64_t)1 << 50};
    struct idindex x;
    idindex_make(&x, id, NULL, 4, &a);
    assert_int_equal(idindex_floor(&x, INT64_MIN), NO_INDEX);
    assert_int_equal(idindex_floor(&x, -6), NO_INDEX);
    assert_int_equal(idindex_floor(&x, -5), 0);
    assert_int_equal(idindex_floor(&x, 9), 0);
    assert_int_equal(idindex_floor(&x, 10), 1);
    assert_int_equal(idindex_floor(&x, (int64_t)1 << 49), 2);
    assert_int_equal(idindex_floor(&x, INT64_MAX), 3);
    arena_release(&a);
}

static void small_ids_stay_and_blocks_are_told_apart(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct idblocks *b = idblocks_new(&a);
    struct idblocks_seen seen = {0};
    int64_t far = (int64_t)1 << 40, low = (1 << IDBLOCK_BITS) - 1;
    assert_int_equal(idblocks_number(b, &seen, 0), 0);
    assert_int_equal(idblocks_number(b, &seen, low), low);
    uint32_t one = idblocks_number(b, &seen, far), two = idblocks_number(b, &seen, -1);
    assert_int_equal(one, 1 << IDBLOCK_BITS);
    assert_int_equal(two, (2 << IDBLOCK_BITS) + low);
    struct idblocks_seen other = {0};
    assert_int_equal(idblocks_number(b, &other, far + 5), one + 5);
    for (int64_t i = 3; i < IDBLOCKS_MOST - 1; i++)
        assert_int_not_equal(idblocks_number(b, &seen, far + (i << IDBLOCK_BITS)), NO_INDEX);
    assert_int_equal(idblocks_number(b, &seen, far << 1), NO_INDEX);
    assert_int_equal(idblocks_number(b, &seen, far), one);
    arena_release(&a);
}

struct numbering {
    struct idblocks *blocks;
    struct idblocks_seen seen[4];
    uint32_t number[2000];
};

static void number_some(void *ctx, size_t i, int worker)
{
    struct numbering *n = ctx;
    int64_t id = (int64_t)(i % 1000) << IDBLOCK_BITS | 7;
    n->number[i] = idblocks_number(n->blocks, &n->seen[worker], id);
}

static void threads_agree_on_numbers(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct numbering *n = arena_new(&a, struct numbering);
    n->blocks = idblocks_new(&a);
    parallel_for(4, 2000, number_some, n);
    uint8_t *taken = arena_array(&a, uint8_t, IDBLOCKS_MOST);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(n->number[i], n->number[i + 1000]);
        assert_int_equal(taken[n->number[i] >> IDBLOCK_BITS]++, 0);
    }
    arena_release(&a);
}

/* The range of ids needs all 64 bits, and there are fewer than a group takes. */
static void two_ids_may_be_as_far_apart_as_can_be(void **state)
{
    (void)state;
    struct arena a;
    struct idindex x;
    int64_t id[] = {INT64_MIN, INT64_MAX};
    uint32_t value[] = {7, 8};
    arena_init(&a);
    assert_int_equal(idindex_make(&x, id, value, 2, &a), 0);
    assert_int_equal(idindex_get(&x, INT64_MIN), 7);
    assert_int_equal(idindex_get(&x, INT64_MAX), 8);
    assert_int_equal(idindex_get(&x, 0), NO_INDEX);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(every_id_is_found_whatever_the_shape),
        unit_test(the_first_of_several_wins),
        unit_test(floors_are_the_last_not_above),
        unit_test(small_ids_stay_and_blocks_are_told_apart),
        unit_test(threads_agree_on_numbers),
        unit_test(two_ids_may_be_as_far_apart_as_can_be),
    };
    return unit_run(tests);
}
