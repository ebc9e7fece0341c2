/* JSON values that differ in their numbers only. */
#include "unit.h"

#include <string.h>

#include "base/jread_alike.h"

#define RECORD "{\"kind\": 11, \"at\":{\"x\":256,\"y\":0},\"id\":7 }"

static void numbers_are_taken_apart_and_put_together(void **state)
{
    (void)state;
    struct jalike a;
    char text[256];
    assert_true(jalike_learn(&a, RECORD, strlen(RECORD)));
    assert_int_equal(a.n, 4);
    uint64_t numbers[] = {11, 256, 0, 7};
    assert_int_equal(jalike_print(&a, numbers, text, sizeof(text)), strlen(RECORD));
    assert_string_equal(text, RECORD);
    assert_int_equal(jalike_print(&a, numbers, text, 40), 0);
}

static void what_is_no_record_of_numbers_is_not_learned(void **state)
{
    (void)state;
    static const char *const others[] = {
        "{\"a\": \"text\"}",
        "{\"a\": -1}",
        "{\"a\": 1.5}",
        "{\"a\": 1e9}",
        "{\"a\": [1]}",
        "{\"a\": true}",
        "{\"a\\n\": 1}",
        "{}",
        "{\"a\": 01}",
        "5",
        "{\"a\" 1}",
        "{\"a\": 1234567890123456789}",
        "{\"a",
        "",
    };
    struct jalike a;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        assert_false(jalike_learn(&a, others[i], strlen(others[i])));
}

/* A list of two values: the first one, and whether it was read as alike. */
static bool reads(const char *first, uint64_t *numbers)
{
    struct arena a;
    arena_init(&a);
    struct jalike like;
    assert_true(jalike_learn(&like, RECORD, strlen(RECORD)));
    char *text = arena_printf(&a, "[%s, 5]%400s", first, "");
    struct jread *j = jr_text(&a, text, strlen(text));
    assert_true(jr_array(j) && jr_item(j));
    bool alike = jr_alike(j, &like, numbers);
    if (!alike)
        jr_skip(j); /* nothing was consumed */
    assert_true(jr_item(j));
    assert_int_equal(jr_int(j, 0), 5);
    assert_false(jr_item(j));
    struct gs_error err;
    assert_true(jr_end(j, &err));
    arena_release(&a);
    return alike;
}

static void alike_is_what_differs_in_numbers_only(void **state)
{
    (void)state;
    uint64_t v[JALIKE_NUMBERS];
    assert_true(reads("{\"kind\": 1, \"at\":{\"x\":0,\"y\":999999999999999999},\"id\":10 }", v));
    assert_int_equal(v[0], 1);
    assert_int_equal(v[1], 0);
    assert_true(v[2] == UINT64_C(999999999999999999));
    assert_int_equal(v[3], 10);
    assert_false(reads("{\"kind\": 1, \"at\":{\"x\":0,\"y\":1000000000000000000},\"id\":1 }", v));
    assert_false(reads("{\"kind\":  1, \"at\":{\"x\":0,\"y\":1},\"id\":1 }", v));
    assert_false(reads("{\"kind\": 1, \"at\":{\"x\":0,\"y\":1},\"ids\":1 }", v));
    assert_false(reads("{\"kind\": -1, \"at\":{\"x\":0,\"y\":1},\"id\":1 }", v));
    assert_false(reads("{\"kind\": 1, \"at\":{\"x\":0.5,\"y\":1},\"id\":1 }", v));
    assert_false(reads("{\"kind\": 1, \"at\":{\"x\":null,\"y\":1},\"id\":1 }", v));
    assert_false(reads("{\"kind\": 1}", v));
}

static void too_near_the_end_is_left_to_the_reader(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct jalike like;
    uint64_t v[JALIKE_NUMBERS];
    assert_true(jalike_learn(&like, RECORD, strlen(RECORD)));
    struct jread *j = jr_text(&a, RECORD, strlen(RECORD));
    assert_false(jr_alike(j, &like, v));
    assert_true(jr_object(j));
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(numbers_are_taken_apart_and_put_together),
        unit_test(what_is_no_record_of_numbers_is_not_learned),
        unit_test(alike_is_what_differs_in_numbers_only),
        unit_test(too_near_the_end_is_left_to_the_reader),
    };
    return unit_run(tests);
}
