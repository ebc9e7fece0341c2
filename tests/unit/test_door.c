/* Numbers at the edge of 64 bits: the helpers that hold them, and the door every trace passes. */
#include "unit.h"

#include <math.h>

#include "base/sat.h"
#include "base/str.h"
#include "ingest/door.h"

static const int64_t edges[] = {0,
                                1,
                                -1,
                                INT64_C(1) << 60,
                                INT64_C(1) << 61,
                                INT64_C(1) << 62,
                                QUANTITY_MOST,
                                -QUANTITY_MOST,
                                MOMENT_MOST,
                                MOMENT_LEAST,
                                INT64_MAX,
                                INT64_MIN,
                                1760000000000000000};

enum { N = ARRAY_LEN(edges) };

static int64_t exact(__int128 v)
{
    return v > QUANTITY_MOST ? QUANTITY_MOST : v < -QUANTITY_MOST ? -QUANTITY_MOST : (int64_t)v;
}

static void sums_stop_at_the_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++) {
            __int128 a = edges[i], b = edges[k];
            assert_true(add_ns(edges[i], edges[k]) == exact(a + b));
            assert_true(sub_ns(edges[i], edges[k]) == exact(a - b));
            assert_true(mul_ns(edges[i], edges[k]) == exact(a * b));
        }
    assert_true(add_bytes(UINT64_MAX, 1) == QUANTITY_MOST);
    assert_true(add_bytes(QUANTITY_MOST, QUANTITY_MOST) == QUANTITY_MOST);
    assert_true(add_bytes(40, 2) == 42);
}

static void moments_never_differ_by_too_much(void **state)
{
    (void)state;
    assert_true(MOMENT_MOST - MOMENT_LEAST == QUANTITY_MOST);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++) {
            __int128 apart = (__int128)bound_moment(edges[i]) - bound_moment(edges[k]);
            assert_true(apart <= QUANTITY_MOST && apart >= -QUANTITY_MOST);
        }
    assert_true(bound_moment(1760000000000000000) == 1760000000000000000);
}

static void doubles_become_integers(void **state)
{
    (void)state;
    static const double odd[] = {0, -1, 0.9, -0.9, 1e15, 1e300, -1e300, INFINITY, -INFINITY, NAN};
    static const int64_t ns[] = {
        0, -1, 0, 0, 1000000000000000, QUANTITY_MOST, -QUANTITY_MOST, QUANTITY_MOST, -QUANTITY_MOST,
        0};
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        assert_true(ns_from(odd[i]) == ns[i]);
        assert_true(count_from(odd[i]) == (uint64_t)(ns[i] > 0 ? ns[i] : 0));
        int32_t place = int_from(odd[i]);
        assert_true(place <= 1 << 30 && place >= -(1 << 30));
    }
    assert_int_equal(int_from(-12.9), -12);
    assert_int_equal(int_from(NAN), 0);
}

static void add_kernel(struct trace *t, int64_t start, int64_t end)
{
    trace_room(t, kernels, 1);
    size_t i = t->kernels.n++;
    t->kernels.start_ns[i] = start;
    t->kernels.end_ns[i] = end;
    t->kernels.id[i] = INT64_MIN;
}

static void add_copy(struct trace *t, uint64_t bytes)
{
    trace_room(t, copies, 1);
    size_t i = t->copies.n++;
    t->copies.start_ns[i] = t->copies.end_ns[i] = 5;
    t->copies.bytes[i] = bytes;
}

static void the_door_cuts_what_is_too_large(void **state)
{
    (void)state;
    struct trace t;
    trace_init(&t);
    add_kernel(&t, 1760000000000000000, 1760000000000000001);
    add_kernel(&t, INT64_MIN, INT64_MAX);
    add_copy(&t, BYTES_UNKNOWN);
    add_copy(&t, UINT64_MAX - 1);
    add_copy(&t, 0);
    door_pass(&t, 2);
    assert_true(t.kernels.start_ns[0] == 1760000000000000000);
    assert_true(t.kernels.end_ns[0] == 1760000000000000001);
    assert_true(t.kernels.start_ns[1] == MOMENT_LEAST && t.kernels.end_ns[1] == MOMENT_MOST);
    assert_true(t.kernels.id[1] == INT64_MIN); /* a name, not a time */
    assert_true(t.copies.bytes[0] == BYTES_UNKNOWN && t.copies.bytes[2] == 0);
    assert_true(t.copies.bytes[1] == QUANTITY_MOST);
    assert_int_equal(t.notes.n, 2);
    assert_int_equal(t.notes.v[0].kind, NOTE_RANGE);
    assert_int_equal(t.notes.v[0].count, 2);
    assert_int_equal(t.notes.v[1].count, 1);
    trace_release(&t);
}

/* In the last row of a chunk and behind it, with any number of threads. */
static void the_door_sees_every_row(void **state)
{
    (void)state;
    enum { ROWS = (1 << 19) + 3 };
    for (int workers = 1; workers <= 3; workers++) {
        struct trace t;
        trace_init(&t);
        trace_room(&t, samples, ROWS);
        t.samples.n = ROWS;
        for (size_t i = 0; i < ROWS; i++)
            t.samples.time_ns[i] = (int64_t)i;
        t.samples.time_ns[(1 << 18) - 1] = INT64_MAX;
        t.samples.time_ns[ROWS - 1] = INT64_MIN;
        door_pass(&t, workers);
        for (size_t i = 0; i < ROWS; i++)
            assert_true(t.samples.time_ns[i] == (i == (1 << 18) - 1 ? MOMENT_MOST
                                                 : i == ROWS - 1    ? MOMENT_LEAST
                                                                    : (int64_t)i));
        assert_int_equal(t.notes.v[0].count, 2);
        trace_release(&t);
    }
}

static void the_door_hides_passwords(void **state)
{
    (void)state;
    struct trace t;
    trace_init(&t);
    struct process p = {.command = strings_add(&t.strings, "./app --password=x --token y")};
    vec_push(&t.processes, &t.arena, p);
    p.command = strings_add(&t.strings, "./app --steps 4");
    vec_push(&t.processes, &t.arena, p);
    door_pass(&t, 1);
    assert_string_equal(trace_str(&t, t.processes.v[0].command),
                        "./app --password=*** --token ***");
    assert_string_equal(trace_str(&t, t.processes.v[1].command), "./app --steps 4");
    assert_int_equal(t.masked_values, 2);
    assert_int_equal(t.notes.n, 0); /* nothing is wrong with the data */
    trace_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_stop_at_the_limit),
        cmocka_unit_test(moments_never_differ_by_too_much),
        cmocka_unit_test(doubles_become_integers),
        cmocka_unit_test(the_door_cuts_what_is_too_large),
        cmocka_unit_test(the_door_sees_every_row),
        cmocka_unit_test(the_door_hides_passwords),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
