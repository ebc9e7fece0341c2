/* Text out: UTF-8, numbers for people, JSON. */
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/jwrite.h"
#include "base/utf8.h"

static struct arena arena;

static const char *escaped(const char *s, size_t n)
{
    struct str out;
    str_init(&out, &arena);
    utf8_escape(&out, s, n);
    return out.buf;
}

static const char *clipped(const char *s, size_t width)
{
    struct str out;
    str_init(&out, &arena);
    utf8_clip(&out, s, width);
    return out.buf;
}

static void well_formed_text_is_decoded(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t c;
    } cases[] = {{"a", 'a'},
                 {"\xc2\x80", 0x80},
                 {"é", 0xE9},
                 {"中", 0x4E2D},
                 {"\xef\xbf\xbf", 0xFFFF},
                 {"🚀", 0x1F680},
                 {"\xed\x9f\xbf", 0xD7FF},
                 {"\xf4\x8f\xbf\xbf", 0x10FFFF}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t len;
        assert_int_equal(utf8_decode(cases[i].text, strlen(cases[i].text), &len), cases[i].c);
        assert_int_equal(len, strlen(cases[i].text));
        assert_true(utf8_valid(cases[i].text, len));
    }
}

static void malformed_text_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {"\x80",
                                        "\xc0\x80",
                                        "\xc1\xbf",
                                        "\xe0\x80\x80",
                                        "\xed\xa0\x80",
                                        "\xf0\x80\x80\x80",
                                        "\xf4\x90\x80\x80",
                                        "\xf5\x80\x80\x80",
                                        "\xff",
                                        "\xe4\xb8",
                                        "\xc3",
                                        "\xc3(",
                                        "\xe4(\xad"};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t len;
        assert_int_equal(utf8_decode(cases[i], strlen(cases[i]), &len), 0xFFFD);
        assert_int_equal(len, 1);
        assert_false(utf8_valid(cases[i], strlen(cases[i])));
    }
    assert_true(utf8_valid("", 0));
    assert_true(utf8_valid("\xef\xbf\xbd", 3)); /* U+FFFD itself is fine */
}

static void widths_are_terminal_columns(void **state)
{
    (void)state;
    assert_int_equal(utf8_width("abc"), 3);
    assert_int_equal(utf8_width("µs"), 2);
    assert_int_equal(utf8_width("中文"), 4);
    assert_int_equal(utf8_width("e\xcc\x81"), 1);
    assert_int_equal(utf8_width("🚀"), 2);
    assert_int_equal(utf8_width(""), 0);
}

static void unsafe_characters_become_visible(void **state)
{
    (void)state;
    assert_string_equal(escaped("a\nb\tc", 5), "a\\nb\\tc");
    assert_string_equal(escaped("\033[31m", 5), "\\x1b[31m");
    assert_string_equal(escaped("\0x", 2), "\\x00x");
    assert_string_equal(escaped("\xe2\x80\xae", 3), "\\u202e");
    assert_string_equal(escaped("\xff\xc3\xa9", 3), "\\xffé");
    char text[] = "a\033b\xe2\x80\xae\xff";
    utf8_make_printable(text);
    assert_string_equal(text, "a?b????");
}

static void long_text_is_cut_with_an_ellipsis(void **state)
{
    (void)state;
    assert_string_equal(clipped("kernel", 6), "kernel");
    assert_string_equal(clipped("kernel", 5), "kern…");
    assert_string_equal(clipped("中文字", 4), "中…");
    assert_string_equal(clipped("中文字", 5), "中文…");
    assert_string_equal(clipped("kernel", 1), "…");
    assert_string_equal(clipped("kernel", 0), "");
}

static void numbers_for_people(void **state)
{
    (void)state;
    char b[HUMAN_MAX];
    assert_string_equal(human_time(b, 0), "0 ns");
    assert_string_equal(human_time(b, 999), "999 ns");
    assert_string_equal(human_time(b, 1250), "1.25 µs");
    assert_string_equal(human_time(b, -3400000), "-3.40 ms");
    assert_string_equal(human_time(b, 999600), "1.00 ms");
    assert_string_equal(human_time(b, 12100000000), "12.1 s");
    assert_string_equal(human_time(b, 125000000000), "2 min 05 s");
    assert_string_equal(human_time(b, 7500000000000), "2 h 05 min");
    assert_string_equal(human_time(b, INT64_MIN), "-2562047 h 47 min");
    assert_string_equal(human_bytes(b, 0), "0 B");
    assert_string_equal(human_bytes(b, 1536), "1.50 KiB");
    assert_string_equal(human_bytes(b, UINT64_MAX), "16.0 EiB");
    assert_string_equal(human_count(b, 7), "7");
    assert_string_equal(human_count(b, 1234567), "1,234,567");
    assert_string_equal(human_count(b, UINT64_MAX), "18,446,744,073,709,551,615");
    assert_string_equal(human_rate(b, 12.34e9), "12.3 GB/s");
    assert_string_equal(human_rate(b, 0), "0.00 B/s");
    assert_string_equal(human_rate(b, NAN), "-");
    assert_string_equal(human_pct(b, 12.34), "12.3 %");
    assert_string_equal(human_pct(b, 0), "0.0 %");
    assert_string_equal(human_pct(b, 0.01), "<0.1 %");
    assert_string_equal(human_pct(b, INFINITY), "-");
}

static void json_is_laid_out(void **state)
{
    (void)state;
    struct str out;
    struct jwrite w;
    for (int indent = 0; indent <= 2; indent += 2) {
        str_init(&out, &arena);
        jw_init(&w, &out, indent);
        jw_open(&w, NULL, '{');
        jw_str(&w, "name", "a");
        jw_open(&w, "list", '[');
        jw_int(&w, NULL, INT64_MIN);
        jw_uint(&w, NULL, UINT64_MAX);
        jw_close(&w);
        jw_open(&w, "empty", '{');
        jw_close(&w);
        jw_bool(&w, "yes", true);
        jw_null(&w, "none");
        jw_str(&w, "no text", NULL);
        jw_close(&w);
        assert_string_equal(out.buf, indent
                                         ? "{\n"
                                           "  \"name\": \"a\",\n"
                                           "  \"list\": [\n"
                                           "    -9223372036854775808,\n"
                                           "    18446744073709551615\n"
                                           "  ],\n"
                                           "  \"empty\": {},\n"
                                           "  \"yes\": true,\n"
                                           "  \"none\": null,\n"
                                           "  \"no text\": null\n"
                                           "}\n"
                                         : "{\"name\": \"a\", \"list\": [-9223372036854775808, "
                                           "18446744073709551615], \"empty\": {}, \"yes\": true, "
                                           "\"none\": null, \"no text\": null}");
    }
}

static const char *quoted(const char *s, size_t n)
{
    struct str out;
    str_init(&out, &arena);
    jw_quote(&out, s, n);
    return out.buf;
}

static void json_strings_are_escaped(void **state)
{
    (void)state;
    assert_string_equal(quoted("a\"b\\c/d", 7), "\"a\\\"b\\\\c/d\"");
    assert_string_equal(quoted("\n\t\r\0\x1f\x7f", 6), "\"\\n\\t\\u000d\\u0000\\u001f\\u007f\"");
    assert_string_equal(quoted("é中🚀", 9), "\"é中🚀\"");
    assert_string_equal(quoted("\xe2\x80\xa8", 3), "\"\\u2028\"");
    assert_string_equal(quoted("a\xff"
                               "b\xc3",
                               4),
                        "\"a\xef\xbf\xbd"
                        "b\xef\xbf\xbd\"");
    assert_string_equal(quoted("", 0), "\"\"");
}

static const char *number(double v)
{
    struct str out;
    struct jwrite w;
    str_init(&out, &arena);
    jw_init(&w, &out, 0);
    jw_num(&w, NULL, v);
    return out.buf;
}

static void json_numbers_read_back_equal(void **state)
{
    (void)state;
    assert_string_equal(number(0.1), "0.1");
    assert_string_equal(number(12), "12");
    assert_string_equal(number(NAN), "null");
    assert_string_equal(number(-INFINITY), "null");
    static const double hard[] = {1.0 / 3, 1e300, 5e-324, 123456789.123456789, -0.0};
    for (size_t i = 0; i < ARRAY_LEN(hard); i++)
        assert_true(strtod(number(hard[i]), NULL) == hard[i]);
}

/* Digit by digit until it reads back equal. */
static void assert_shortest(double v)
{
    char text[40];
    int digits = 5;
    do
        snprintf(text, sizeof(text), "%.*g", ++digits, v);
    while (strtod(text, NULL) != v);
    assert_string_equal(number(v), text);
}

static void json_numbers_have_the_fewest_digits(void **state)
{
    (void)state;
    static const double scale[] = {1e-20, 1e-3, 1, 1e3, 1e4, 1e10, 1e15, 1e22};
    uint64_t x = 1;
    for (int i = 0; i < 20000; i++) {
        double any;
        x = x * 6364136223846793005u + 1442695040888963407u;
        memcpy(&any, &x, sizeof(any));
        if (isfinite(any))
            assert_shortest(any);
        assert_shortest((double)(int64_t)(x >> (1 + i % 63)) / scale[i % 8]); /* few digits */
        assert_shortest(-(double)(x % 1000) * scale[i % 8]);
    }
    assert_shortest(DBL_MIN);
    assert_shortest(DBL_MAX);
    assert_shortest(5e-324);
    assert_string_equal(number(1e6), "1e+06");
    assert_string_equal(number(123456), "123456");
    assert_string_equal(number(9007199254740993.0), "9007199254740992");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(json_numbers_have_the_fewest_digits),
        unit_test(well_formed_text_is_decoded),
        unit_test(malformed_text_is_refused),
        unit_test(widths_are_terminal_columns),
        unit_test(unsafe_characters_become_visible),
        unit_test(long_text_is_cut_with_an_ellipsis),
        unit_test(numbers_for_people),
        unit_test(json_is_laid_out),
        unit_test(json_strings_are_escaped),
        unit_test(json_numbers_read_back_equal),
    };
    arena_init(&arena);
    int failed = unit_run(tests);
    arena_release(&arena);
    return failed;
}
