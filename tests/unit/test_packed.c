/* Columns in little room: packed ones, sparse ones, and tables whose last columns are packed. */
#include "unit.h"

#include <string.h>

#include "base/sparse.h"
#include "made_trace.h"

enum { MOST = 3 * PACKED_ROWS + 17 };

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 16;
}

/* The i-th value of a shape. */
static int64_t value(int shape, int i, uint64_t *seed)
{
    switch (shape) {
    case 0:
        return 1000 + i; /* count up */
    case 1:
        return 1000 - 3 * (int64_t)i; /* down */
    case 2:
        return 7 * (int64_t)i + (int64_t)(next_random(seed) % 5); /* with holes */
    case 3:
        return ((int64_t)(i % 3) << 40) + i; /* blocks that take turns */
    case 4:
        return (int64_t)(next_random(seed) << 32 ^ next_random(seed)); /* anything */
    case 5:
        return i % 2 ? INT64_MAX : INT64_MIN;
    default:
        return 5;
    }
}

static void packed_values_are_those_that_were_given(void **state)
{
    (void)state;
    static const int lengths[] = {1, 2, 3, PACKED_ROWS - 1, PACKED_ROWS, PACKED_ROWS + 1, MOST};
    static int64_t wide[MOST];
    static uint32_t narrow[MOST];
    for (int shape = 0; shape <= 6; shape++) {
        for (size_t l = 0; l < ARRAY_LEN(lengths); l++) {
            uint64_t seed = (uint64_t)shape;
            size_t n = (size_t)lengths[l];
            struct packed p, q;
            for (size_t i = 0; i < n; i++) {
                wide[i] = value(shape, (int)i, &seed);
                narrow[i] = i % 7 ? (uint32_t)wide[i] : NO_INDEX;
            }
            packed_make(&p, wide, sizeof(*wide), n);
            packed_make(&q, narrow, sizeof(*narrow), n);
            for (size_t i = 0; i < n; i++) {
                assert_int_equal(packed_get(&p, i), wide[i]);
                assert_int_equal(packed_get(&q, i), narrow[i]);
            }
            if (n == MOST && (shape < 2 || shape == 6)) /* nothing lies off the line */
                assert_true(p.bytes < n);
            packed_release(&p);
            packed_release(&q);
        }
    }
}

static void a_sparse_column_tells_what_the_dense_one_did(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct arena a;
    uint32_t dense[N];
    struct sparse s = {0};
    assert_int_equal(sparse_get(&s, 17), NO_INDEX); /* all zero: nothing is there */
    arena_init(&a);
    for (int share = 0; share <= 100; share += 20) { /* percent that is something */
        uint64_t seed = (uint64_t)share;
        size_t n = 0;
        for (size_t i = 0; i < N; i++) {
            bool some = next_random(&seed) % 100 < (uint64_t)share;
            dense[i] = some ? (uint32_t)next_random(&seed) : NO_INDEX;
            n += dense[i] != NO_INDEX;
        }
        sparse_make(&s, dense, N, &a);
        assert_int_equal(s.n, n);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(sparse_get(&s, i), dense[i]);
            assert_int_equal(sparse_has(&s, i), dense[i] != NO_INDEX);
        }
        struct sparse marks;
        uint32_t before = 0;
        sparse_marks(&marks, N, &a);
        for (size_t i = N; i-- > 0;)
            for (int times = 0; dense[i] != NO_INDEX && times < 2; times++)
                sparse_mark(&marks, i);
        sparse_marked(&marks, N);
        assert_int_equal(marks.n, n);
        size_t last = N, next[N + 1];
        next[N] = N;
        for (size_t i = N; i-- > 0;)
            next[i] = dense[i] != NO_INDEX ? i : next[i + 1];
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(sparse_has(&marks, i), dense[i] != NO_INDEX);
            if (dense[i] != NO_INDEX)
                assert_int_equal(sparse_row(&marks, before, N), i);
            if (dense[i] != NO_INDEX)
                assert_int_equal(sparse_place(&marks, i), before++);
            last = dense[i] != NO_INDEX ? i : last;
            if (last < N)
                assert_int_equal(sparse_last(&marks, i), last);
            assert_int_equal(sparse_next(&marks, i, N), next[i]);
            size_t end = i + (size_t)share;
            if (end <= N)
                assert_int_equal(sparse_next(&marks, i, end), next[i] < end ? next[i] : end);
        }
        sparse_unmark(&marks, N);
        sparse_mark(&marks, N - 1);
        sparse_marked(&marks, N);
        assert_int_equal(marks.n, 1);
        assert_int_equal(sparse_next(&marks, 0, N), N - 1);
    }
    arena_release(&a);
}

static void a_packed_table_tells_the_same(void **state)
{
    (void)state;
    enum { N = 700 };
    struct made m;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    for (int i = 0; i < N; i++) {
        uint32_t call = made_call(&m, "hipLaunchKernel", US(i), US(i) + 5);
        made_kernel(&m, i % 2 ? "a" : "b", stream, US(i), US(i) + 7, call);
    }
    made_copy(&m, COPY_H2D, stream, 0, US(1), NO_INDEX);
    struct trace *t = &m.t;
    for (int i = 0; i < N; i++) {
        t->kernels.id[i] = 1000 + 3 * i;
        t->kernels.queue[i] = (uint32_t)i % 4;
        t->kernels.thread[i] = i % 5 ? 0 : NO_INDEX;
    }
    for (int twice = 0; twice < 3; twice++) {
        for (int i = 0; i < N; i++) {
            assert_int_equal(kernels_id_at(t, (size_t)i), 1000 + 3 * i);
            assert_int_equal(kernels_queue_at(t, (size_t)i), i % 4);
            assert_int_equal(kernels_thread_at(t, (size_t)i), i % 5 ? 0 : NO_INDEX);
            assert_int_equal(regions_id_at(t, (size_t)i), i);
            assert_int_equal(t->kernels.start_ns[i], US(i));
            assert_int_equal(t->kernels.call[i], i);
            assert_int_equal(t->regions.end_ns[i], US(i) + 5);
        }
        assert_int_equal(copies_thread_at(t, 0), 0);
        trace_pack(t, 1 + twice);
        assert_null(t->kernels.id);
        assert_null(t->regions.id);
    }
    made_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_values_are_those_that_were_given),
        cmocka_unit_test(a_sparse_column_tells_what_the_dense_one_did),
        cmocka_unit_test(a_packed_table_tells_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
