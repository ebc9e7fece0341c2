/* The CSV reader: RFC 4180, and what profilers make of it. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/mem.h"
#include "base/str.h"
#include "pieces.h"

/* Every row as [a|b|c]. */
static const char *rows_of(const char *text, size_t n, size_t join, struct arena *a)
{
    struct pieces pieces = {text, n, 3};
    struct csv c;
    struct gs_error err = {0};
    struct str out;
    str_init(&out, a);
    csv_open(&c, pieces_fill, &pieces);
    while (csv_row(&c)) {
        csv_join(&c, join);
        str_putc(&out, '[');
        for (size_t i = 0; i < c.n; i++) {
            size_t length;
            const char *field = csv_text(&c, i, &length);
            str_puts(&out, i ? "|" : "");
            str_put(&out, field, length);
        }
        str_putc(&out, ']');
    }
    if (!csv_end(&c, &err))
        str_puts(&out, err.text);
    csv_release(&c);
    return out.buf;
}

static void check(const char *text, const char *expected)
{
    struct arena a;
    arena_init(&a);
    assert_string_equal(rows_of(text, strlen(text), SIZE_MAX, &a), expected);
    arena_release(&a);
}

static void check_joined(const char *text, size_t join, const char *expected)
{
    struct arena a;
    arena_init(&a);
    assert_string_equal(rows_of(text, strlen(text), join, &a), expected);
    arena_release(&a);
}

static void rows_and_fields_are_told_apart(void **state)
{
    (void)state;
    check("", "");
    check("\n\r\n", "");
    check("a,b\n1,2\n", "[a|b][1|2]");
    check("a,b\r\n1,2\r\n", "[a|b][1|2]");
    check("a,b\n1,2", "[a|b][1|2]");
    check("a,b\n1,", "[a|b][1|]");
    check("\xef\xbb\xbf"
          "a,b\n1,2",
          "[a|b][1|2]");
    check("a\n\n\"\"\n \n", "[a][][ ]");
    check("a,b\n1\n1,2,3\n", "[a|b][1][1|2|3]");
}

static void quotes_protect(void **state)
{
    (void)state;
    check("\"a\",\"b\"\n\"1,2\",\"3\n4\"\n", "[a|b][1,2|3\n4]");
    check("\"a\",\"b\"\r\n\"x\",\"y\"\r\n", "[a|b][x|y]");
    check("a,b\n\"say \"\"hi\"\", ok\",2\n", "[a|b][say \"hi\", ok|2]");
    check("a,b\n\"\"\"\",2\n", "[a|b][\"|2]");
    check("a,b\nx\"y,2\n", "[a|b][x\"y|2]");
}

static void texts_stay_until_the_next_row(void **state)
{
    static const char text[] = "\"a \"\"1\"\"\",\"a \"\"longer\"\" one\"\nb,c\n";
    (void)state;
    struct pieces pieces = {text, sizeof(text) - 1, 3};
    struct csv c;
    csv_open(&c, pieces_fill, &pieces);
    assert_true(csv_row(&c));
    size_t first_n, second_n, again_n;
    const char *first = csv_text(&c, 0, &first_n), *second = csv_text(&c, 1, &second_n);
    const char *again = csv_text(&c, 0, &again_n);
    assert_int_equal(first_n, 5);
    assert_memory_equal(first, "a \"1\"", 5);
    assert_int_equal(second_n, 14);
    assert_memory_equal(second, "a \"longer\" one", 14);
    assert_ptr_equal(again, first);
    assert_int_equal(again_n, first_n);
    csv_release(&c);
}

static void quotes_need_not_be_doubled(void **state)
{
    (void)state;
    check("a,b\n\"f<\"x\">()\",2\n", "[a|b][f<\"x\">()|2]");
    check("a,b\n\"f \"x\"\",2\n3,4\n", "[a|b][f \"x\"|2][3|4]");
    check_joined("a,b\n\"f<\"x\", 1>()\",2\n", 0, "[a|b][f<\"x\", 1>()|2]");
    check_joined("a,b,c\n1,\"g(\"p\",\"q\",\"r\")\",2\n", 1, "[a|b|c][1|g(\"p\",\"q\",\"r\")|2]");
}

static void a_quote_that_never_ends_takes_one_line(void **state)
{
    (void)state;
    check("a,b\n\"x,1\n3,4\n", "[a|b][x,1][3|4]");
    check("a,b\n1,\"x\n3,4\n5,6", "[a|b][1|x][3|4][5|6]");
    struct arena a;
    struct str text, expected;
    arena_init(&a);
    str_init(&text, &a);
    str_init(&expected, &a);
    str_puts(&text, "a,b\n");
    str_puts(&expected, "[a|b]");
    for (int i = 0; i < 100000; i++) {
        str_puts(&text, "\"x,1\n");
        str_puts(&expected, "[x,1]");
    }
    assert_string_equal(rows_of(text.buf, text.len, SIZE_MAX, &a), expected.buf);
    arena_release(&a);
}

static void long_rows_have_a_limit(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    size_t n = 3 * 1024 * 1024;
    char *text = arena_alloc(&a, CSV_ROW_MAX + 16);
    memset(text, 'x', CSV_ROW_MAX + 8);
    memcpy(text, "a\n\"", 3);
    memcpy(text + n, "\"\n1", 3);
    const char *got = rows_of(text, n + 3, SIZE_MAX, &a);
    assert_int_equal(strlen(got), 3 + n - 3 + 2 + 3);
    memset(text + n, 'x', 3);
    assert_non_null(
        strstr(rows_of(text, CSV_ROW_MAX + 8, SIZE_MAX, &a), "a line is too long, line 2"));
    memset(text, ',', CSV_FIELDS_MAX + 8);
    assert_non_null(
        strstr(rows_of(text, CSV_FIELDS_MAX + 8, SIZE_MAX, &a), "too many fields, line 1"));
    arena_release(&a);
}

static void numbers_are_exact(void **state)
{
    (void)state;
    static const char text[] =
        "18446744073709551615,-9223372036854775808, 12 ,0x7fF,1.5,x,,"
        "16384.000000,1e3,-2.5e-3,18446744073709551616,nan,0x,1e400,123456789"
        ".123456789,.5,-,0.25e-9223372036854775808\n";
    struct pieces pieces = {text, sizeof(text) - 1, 1000};
    struct csv c;
    uint64_t u;
    int64_t i;
    double d;
    csv_open(&c, pieces_fill, &pieces);
    assert_true(csv_row(&c));
    assert_true(csv_uint(&c, 0, &u) && u == UINT64_MAX);
    assert_false(csv_int(&c, 0, &i));
    assert_true(csv_int(&c, 1, &i) && i == INT64_MIN);
    assert_true(csv_int(&c, 2, &i) && i == 12);
    assert_true(csv_uint(&c, 3, &u) && u == 0x7ff);
    assert_true(csv_num(&c, 4, &d) && d == 1.5);
    assert_false(csv_int(&c, 4, &i) || csv_int(&c, 5, &i) || csv_int(&c, 6, &i));
    assert_false(csv_num(&c, 5, &d) || csv_num(&c, 6, &d) || csv_int(&c, 99, &i));
    assert_true(csv_num(&c, 7, &d) && d == 16384);
    assert_true(csv_num(&c, 8, &d) && d == 1000);
    assert_true(csv_num(&c, 9, &d) && d == -2.5e-3);
    assert_false(csv_uint(&c, 10, &u));
    assert_false(csv_num(&c, 11, &d) || csv_uint(&c, 12, &u) || csv_num(&c, 13, &d));
    assert_true(csv_num(&c, 14, &d) && d == 123456789.123456789);
    assert_true(csv_num(&c, 15, &d) && d == .5);
    assert_false(csv_num(&c, 16, &d) || csv_int(&c, 16, &i) || csv_num(&c, 17, &d));
    csv_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(rows_and_fields_are_told_apart),
        unit_test(quotes_protect),
        unit_test(texts_stay_until_the_next_row),
        unit_test(quotes_need_not_be_doubled),
        unit_test(a_quote_that_never_ends_takes_one_line),
        unit_test(long_rows_have_a_limit),
        unit_test(numbers_are_exact),
    };
    return unit_run(tests);
}
