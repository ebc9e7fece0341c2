/* Focus of this file: the JSON reader, from memory and from streams cut at every place. */
#include "base/jread.h"
#include "base/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* last: its macro fail() hides the function of err.h */

/* A stream that gives a text in small pieces. */
struct pieces {
    const char *text;
    size_t n, at, piece;
    size_t fail_at; /* an error instead of the byte at this offset; 0: never */
};

static ptrdiff_t fill_pieces(void *ctx, char *buf, size_t n)
{
    struct pieces *p = ctx;
    size_t left = p->n - p->at;
    n = n < p->piece ? n : p->piece;
    n = n < left ? n : left;
    if (p->fail_at && p->at + n > p->fail_at)
        return -1;
    memcpy(buf, p->text + p->at, n);
    p->at += n;
    return (ptrdiff_t)n;
}

/* Writes whatever comes next, in a form that shows every type and value. */
static void dump(struct jread *j, struct str *out, int depth)
{
    size_t n;
    const char *s;
    switch (jr_type(j)) {
    case J_OBJECT:
        str_putc(out, '{');
        if (jr_object(j))
            while (jr_key(j)) {
                str_put(out, j->text, j->text_len);
                str_putc(out, '=');
                dump(j, out, depth + 1);
            }
        str_putc(out, '}');
        return;
    case J_ARRAY:
        str_putc(out, '[');
        if (jr_array(j))
            while (jr_item(j))
                dump(j, out, depth + 1);
        str_putc(out, ']');
        return;
    case J_STRING:
        s = jr_str(j, &n);
        str_printf(out, "s%zu:", n);
        if (s)
            str_put(out, s, n);
        return;
    case J_NUMBER:
        str_printf(out, "#%.17g ", jr_num(j, -1));
        return;
    case J_BOOL:
        str_puts(out, jr_bool(j, false) ? "T" : "F");
        return;
    default:
        jr_skip(j);
        str_puts(out, "N");
    }
}

enum how { DUMP, SKIP, HOWS };

/* Reads text in the given way; out gets the dump and the error, if any. piece 0: from memory. */
static bool run(struct str *out, const char *text, size_t n, size_t piece, enum how how)
{
    struct jread j;
    struct gs_error err = {0};
    struct pieces p = {.text = text, .n = n, .piece = piece};
    str_clear(out);
    if (piece)
        jr_stream(&j, fill_pieces, &p);
    else
        jr_memory(&j, text, n);
    if (how == DUMP)
        dump(&j, out, 0);
    else
        jr_skip(&j);
    bool ok = jr_end(&j, &err);
    assert_int_equal(ok, !jr_failed(&j));
    if (!ok)
        str_printf(out, "!%s", err.text);
    jr_release(&j);
    return ok;
}

/* A copy of exactly n bytes, so that a sanitizer sees a read past the end. */
static char *exact(const char *text, size_t n)
{
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    return copy;
}

/* All ways must agree: memory and pieces on everything, skipping on whether it is good. */
static bool agree(const char *text, size_t n, struct str *first)
{
    struct arena a;
    struct str other;
    arena_init(&a);
    str_init(&other, &a);
    char *copy = exact(text, n);
    bool ok = run(first, copy, n, 0, DUMP);
    for (size_t piece = 1; piece <= 7; piece++) {
        assert_int_equal(run(&other, copy, n, piece, DUMP), ok);
        assert_string_equal(other.buf, first->buf);
    }
    assert_int_equal(run(&other, copy, n, 0, SKIP), ok);
    char *said = arena_strdup(&a, other.buf);
    for (size_t piece = 1; piece <= 7; piece++) {
        assert_int_equal(run(&other, copy, n, piece, SKIP), ok);
        assert_string_equal(other.buf, said);
    }
    if (!ok)
        assert_string_equal(strchr(first->buf, '!'), said);
    free(copy);
    arena_release(&a);
    return ok;
}

static void check(const char *text, const char *want)
{
    struct arena a;
    struct str out;
    arena_init(&a);
    str_init(&out, &a);
    agree(text, strlen(text), &out);
    const char *got = *want == '!' && strchr(out.buf, '!') ? strchr(out.buf, '!') : out.buf;
    if (strcmp(got, want) != 0)
        print_message("text: %s\n", text);
    assert_string_equal(got, want);
    arena_release(&a);
}

static const char DOCUMENT[] =
    "{\n  \"name\": \"void k<4>(int, \\\"x\\\")\",\n  \"pid\": 4711,\n"
    "  \"a key that is longer than thirty-two bytes, so no fast path\" : [ ],\n"
    "  \"times\": [123456789012345, -9223372036854775808, 18446744073709551615, 0.5, 1.25e-3],\n"
    "  \"flags\": {\"a\": true, \"b\": false, \"c\": null, \"d\": {}, \"e\": [[], [{}]]},\n"
    "  \"text\": \"\\u00e9\\ud83d\\ude00\\n\\t\\\\ and a run of plain bytes beyond a vector\"\n}\n";

static void reads_documents(void **state)
{
    (void)state;
    check("0", "#0 ");
    check(" [1,2 , 3]\r\n\t", "[#1 #2 #3 ]");
    check("{}", "{}");
    check("[]", "[]");
    check("{\"\":\"\"}", "{=s0:}");
    check("[{\"a\":[{\"b\":null}]},true,false]", "[{a=[{b=N}]}TF]");
    check("[{},[],{\"x\":{}},[[]]]", "[{}[]{x={}}[[]]]");
    check("{ \"a\" : 1 , \"b\" : 2 }", "{a=#1 b=#2 }");
    check(DOCUMENT, "{name=s19:void k<4>(int, \"x\")pid=#4711 "
                    "a key that is longer than thirty-two bytes, so no fast path=[]"
                    "times=[#123456789012345 #-9.2233720368547758e+18 #1.8446744073709552e+19 "
                    "#0.5 #0.00125 ]flags={a=Tb=Fc=Nd={}e=[[][{}]]}"
                    "text=s50:\xc3\xa9\xf0\x9f\x98\x80\n\t\\ and a run of plain bytes beyond a "
                    "vector}");
}

static void reads_strings(void **state)
{
    (void)state;
    check("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "s8:\"\\/\b\f\n\r\t");
    check("\"\\u0041\\u00E9\\u20ac\\uD83D\\uDE00\"", "s10:A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    check("\"\\ud800\"", "s3:\xef\xbf\xbd");
    check("\"\\udc00\"", "s3:\xef\xbf\xbd");
    check("\"\\ud800x\\udc00\"", "s7:\xef\xbf\xbdx\xef\xbf\xbd");
    check("\"\\ud800\\n\"", "s4:\xef\xbf\xbd\n");
    check("\"\\ud800\\u0041\"", "s4:\xef\xbf\xbd"
                                "A");
    check("\"\\ud800\\ud83d\\ude00\"", "s7:\xef\xbf\xbd\xf0\x9f\x98\x80");
    check("\"\\ud83d\\ude00\\ude00\"", "s7:\xf0\x9f\x98\x80\xef\xbf\xbd");
    check("\"\xff\xc0 kept\x7f\"", "s8:\xff\xc0 kept\x7f");
    struct jread j;
    size_t n;
    jr_memory(&j, "\"a\\u0000b\"", 10);
    assert_memory_equal(jr_str(&j, &n), "a\0b", 4);
    assert_int_equal(n, 3);
    jr_release(&j);
}

static void names_every_problem(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "!bad JSON: the file ends too early, line 1, column 1"},
        {" \n ", "!bad JSON: the file ends too early, line 2, column 2"},
        {"{\n\"a\": 1,\n\"b\": 2 \"c\"", "!bad JSON: expected ',' or '}', line 3, column 8"},
        {"[1 2]", "!bad JSON: expected ',' or ']', line 1, column 4"},
        {"[1}", "!bad JSON: expected ',' or ']', line 1, column 3"},
        {"{\"a\":1]", "!bad JSON: expected ',' or '}', line 1, column 7"},
        {"[1,]", "!bad JSON: expected a value, line 1, column 4"},
        {"[,1]", "!bad JSON: expected a value, line 1, column 2"},
        {"{\"a\":1,}", "!bad JSON: expected a key, line 1, column 8"},
        {"{,}", "!bad JSON: expected a key, line 1, column 2"},
        {"{a:1}", "!bad JSON: expected a key, line 1, column 2"},
        {"{\"a\" 1}", "!bad JSON: expected ':', line 1, column 6"},
        {"{\"a\":}", "!bad JSON: expected a value, line 1, column 6"},
        {"{\"a\"::1}", "!bad JSON: expected a value, line 1, column 6"},
        {"1 2", "!bad JSON: expected nothing more, line 1, column 3"},
        {"{}]", "!bad JSON: expected nothing more, line 1, column 3"},
        {"NaN", "!bad JSON: expected a value, line 1, column 1"},
        {"[Infinity]", "!bad JSON: expected a value, line 1, column 2"},
        {"[-Infinity]", "!bad JSON: bad number, line 1, column 3"},
        {"[nan]", "!bad JSON: expected a value, line 1, column 3"},
        {"[truE]", "!bad JSON: expected a value, line 1, column 5"},
        {"[truefalse]", "!bad JSON: expected ',' or ']', line 1, column 6"},
        {"// no\n1", "!bad JSON: expected a value, line 1, column 1"},
        {"\v1", "!bad JSON: expected a value, line 1, column 1"},
        {"[01]", "!bad JSON: bad number, line 1, column 4"},
        {"[-01]", "!bad JSON: bad number, line 1, column 5"},
        {"[+1]", "!bad JSON: expected a value, line 1, column 2"},
        {"[.5]", "!bad JSON: expected a value, line 1, column 2"},
        {"[1.]", "!bad JSON: bad number, line 1, column 4"},
        {"[1.e3]", "!bad JSON: bad number, line 1, column 4"},
        {"[1e]", "!bad JSON: bad number, line 1, column 4"},
        {"[1e+]", "!bad JSON: bad number, line 1, column 5"},
        {"[-]", "!bad JSON: bad number, line 1, column 3"},
        {"[0x10]", "!bad JSON: expected ',' or ']', line 1, column 3"},
        {"[\"\\x\"]", "!bad JSON: bad escape in a string, line 1, column 4"},
        {"[\"\\u12g4\"]", "!bad JSON: bad escape in a string, line 1, column 7"},
        {"[\"a\nb\"]", "!bad JSON: control character in a string, line 1, column 4"},
        {"[\"a\x1f\"]", "!bad JSON: control character in a string, line 1, column 4"},
        {"['a']", "!bad JSON: expected a value, line 1, column 2"},
        {"\"abc", "!bad JSON: the file ends too early, line 1, column 5"},
        {"\xef\xbb\xbf{}", "!bad JSON: expected a value, line 1, column 1"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        check(cases[i][0], cases[i][1]);
    }
    struct arena a;
    struct str out;
    arena_init(&a);
    str_init(&out, &a);
    assert_false(agree("\"\\\0\"", 4, &out)); /* a NUL is no escape */
    assert_false(agree("\"\0\"", 3, &out));
    assert_false(agree("\0", 1, &out));
    arena_release(&a);
}

/* The same faults far from any edge, where the fast paths run. */
static void fast_paths_see_problems(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\"a\":01",  "\"a\":1.",      "\"a\":1e",     "\"a\":-",   "\"a\":tru",       "\"a\":nulL",
        "\"a\"1",    "a:1",           "\"a\":}",      "\"a\":[,",  "\"a\":[1,]",      "\"a\":{,}",
        "\"a\":1 2", "\"a\":\"\\q\"", "\"a\":\"\1\"", "\"a\":[1}", "\"a\":{\"b\":1]", "\"a\":1,,",
    };
    char text[512], after[201];
    memset(after, ' ', 200);
    after[200] = '\0';
    struct arena a;
    struct str out;
    arena_init(&a);
    str_init(&out, &a);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        int n = snprintf(text, sizeof(text), "[{\"first\": 1, %s, \"last\": 2}%s]", bad[i], after);
        assert_false(agree(text, (size_t)n, &out));
    }
    int n = snprintf(text, sizeof(text), "[{\"a\":-0.5,\n \"b\":1e5,\"c\":\"\\u0041\\n\\\"\"}%s]",
                     after);
    assert_true(agree(text, (size_t)n, &out));
    assert_string_equal(out.buf, "[{a=#-0.5 b=#100000 c=s3:A\n\"}]");
    arena_release(&a);
}

static void decimals_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned decimals;
        int64_t want;
    } cases[] = {
        {"0", 3, 0},
        {"-0.0", 3, 0},
        {"1", 3, 1000},
        {"1.5", 3, 1500},
        {"-1.5", 3, -1500},
        {"0.001", 3, 1},
        {"2241346127369.958", 3, 2241346127369958},
        {"9007199254740993.1", 1, 90071992547409931},
        {"9223372036854775.807", 3, INT64_MAX},
        {"-9223372036854775.808", 3, INT64_MIN},
        {"9223372036854775.808", 3, 99},
        {"9223372036854776", 3, 99},
        {"1.0004", 3, 1000},
        {"1.0005", 3, 1001},
        {"-1.0005", 3, -1001},
        {"1.9999999999999999999999", 3, 2000},
        {"0.0004999999999999999999999", 3, 0},
        {"0.00049e1", 3, 5},
        {"1e3", 3, 1000000},
        {"1.25e-2", 3, 13},
        {"1e-9", 3, 0},
        {"1e-999999999999999", 3, 0},
        {"1e15", 3, 1000000000000000000},
        {"1e16", 3, 99},
        {"1e999999999999999", 3, 99},
        {"12.345", 0, 12},
        {"12.5", 0, 13},
        {"18446744073709551615", 0, 99},
        {"\"12.345\"", 3, 12345},
        {"\"-12.3\"", 3, -12300},
        {"\"12\"", 3, 12000},
        {"\"12.\"", 3, 99},
        {"\".5\"", 3, 99},
        {"\"\"", 3, 99},
        {"\"-\"", 3, 99},
        {"\"1.2.3\"", 3, 99},
        {"\"1e3\"", 3, 99},
        {"null", 3, 99},
        {"[1]", 3, 99},
        {"{}", 3, 99},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[256]; /* long enough behind the number for the fast path, and not */
        for (int padded = 0; padded < 2; padded++) {
            int n = snprintf(text, sizeof(text), "[%s,7%*s]", cases[i].text, padded * 80, "");
            for (size_t piece = 0; piece < 4; piece++) {
                struct jread j;
                struct pieces p = {.text = text, .n = (size_t)n, .piece = piece};
                if (piece)
                    jr_stream(&j, fill_pieces, &p);
                else
                    jr_memory(&j, text, (size_t)n);
                assert_true(jr_array(&j) && jr_item(&j));
                assert_int_equal(jr_fixed(&j, cases[i].decimals, 99), cases[i].want);
                assert_true(jr_item(&j));
                assert_int_equal(jr_fixed(&j, 0, 99), 7);
                assert_false(jr_item(&j));
                assert_true(jr_end(&j, NULL));
                jr_release(&j);
            }
        }
    }
}

static void bad_decimals_are_errors(void **state)
{
    (void)state;
    static const char *const bad[] = {"01.5", "1.",  "1.e3", "-",    "-.5",
                                      "1e",   "NaN", "nan",  "1.5.5"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        char text[256];
        int n = snprintf(text, sizeof(text), "[%s%80s]", bad[i], "");
        struct jread j;
        struct gs_error err = {0};
        jr_memory(&j, text, (size_t)n);
        if (jr_array(&j))
            while (jr_item(&j))
                jr_fixed(&j, 3, 0);
        assert_false(jr_end(&j, &err));
        assert_int_equal(err.code, GS_E_FORMAT);
        jr_release(&j);
    }
}

static void integers_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t i;
        uint64_t u;
    } cases[] = {
        {"0", 0, 0},
        {"-0", 0, 0},
        {"7", 7, 7},
        {"-7", -7, 99},
        {"12345678", 12345678, 12345678},
        {"123456789", 123456789, 123456789},
        {"1234567890123456", 1234567890123456, 1234567890123456},
        {"12345678901234567", 12345678901234567, 12345678901234567},
        {"1234567890123456789", 1234567890123456789, 1234567890123456789},
        {"9007199254740993", 9007199254740993, 9007199254740993},
        {"9223372036854775807", INT64_MAX, INT64_MAX},
        {"9223372036854775808", 99, (uint64_t)INT64_MAX + 1},
        {"-9223372036854775808", INT64_MIN, 99},
        {"-9223372036854775809", 99, 99},
        {"18446744073709551615", 99, UINT64_MAX},
        {"18446744073709551616", 99, 99},
        {"99999999999999999999", 99, 99},
        {"123456789012345678901234567890", 99, 99},
        {"12.0", 12, 12},
        {"-12.000", -12, 99},
        {"1e3", 1000, 1000},
        {"1.5E+1", 15, 15},
        {"120e-1", 12, 12},
        {"12e-1", 99, 99},
        {"0.0012e4", 12, 12},
        {"0e999999999999", 0, 0},
        {"0.000", 0, 0},
        {"1e19", 99, 10000000000000000000u},
        {"1e20", 99, 99},
        {"1e999999999999999999999", 99, 99},
        {"1e-999999999999999999999", 99, 99},
        {"1000000000000000000000000e-24", 1, 1},
        {"18446744073709551615.0", 99, UINT64_MAX},
        {"1.5", 99, 99},
        {"\"12\"", 12, 12},
        {"\"-12\"", -12, 99},
        {"\"18446744073709551615\"", 99, UINT64_MAX},
        {"\"18446744073709551616\"", 99, 99},
        {"\"\"", 99, 99},
        {"\"-\"", 99, 99},
        {"\"12 \"", 99, 99},
        {"\"0x12\"", 99, 99},
        {"true", 99, 99},
        {"null", 99, 99},
        {"[1]", 99, 99},
        {"{\"a\":1}", 99, 99},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (size_t piece = 0; piece <= 7; piece++)
            for (int padded = 0; padded < 2; padded++) {
                char text[256];
                int n = snprintf(text, sizeof(text), "[%s%*s,%s]", cases[i].text, padded * 90, "",
                                 cases[i].text);
                struct pieces p = {.text = text, .n = (size_t)n, .piece = piece};
                struct jread j;
                if (piece)
                    jr_stream(&j, fill_pieces, &p);
                else
                    jr_memory(&j, text, (size_t)n);
                assert_true(jr_array(&j) && jr_item(&j));
                assert_int_equal(jr_int(&j, 99), cases[i].i);
                assert_true(jr_item(&j));
                assert_true(jr_uint(&j, 99) == cases[i].u);
                assert_false(jr_item(&j));
                assert_true(jr_end(&j, NULL));
                jr_release(&j);
            }
}

static void doubles_are_right(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double v;
    } cases[] = {
        {"0", 0},
        {"-1", -1},
        {"0.1", 0.1},
        {"-12.75", -12.75},
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"1E-7", 1e-7},
        {"5e-324", 5e-324},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"1e400", 42},
        {"-1e400", 42},
        {"1e-400", 0},
        {"\"1\"", 42},
        {"true", 42},
        {"9007199254740993", 9007199254740992.0},
        {"0.30000000000000004", 0.30000000000000004},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        {"18446744073709551615", 18446744073709551615.0},
        {"2.2250738585072014e-308", 2.2250738585072014e-308},
        {"0.000000000000000000000000000000000000000000000000000001e54", 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct jread j;
        jr_memory(&j, cases[i].text, strlen(cases[i].text));
        assert_true(jr_num(&j, 42) == cases[i].v);
        assert_true(jr_end(&j, NULL));
        jr_release(&j);
    }
    struct jread j;
    jr_memory(&j, "-0.0", 4);
    assert_true(signbit(jr_num(&j, 42)));
    jr_release(&j);
}

static void wrong_types_are_skipped(void **state)
{
    (void)state;
    const char *text = "[{\"a\":[1]},[2],\"s\",1.5,true,null,7]";
    struct jread j;
    jr_memory(&j, text, strlen(text));
    assert_int_equal(jr_type(&j), J_ARRAY);
    assert_true(jr_array(&j));
    assert_true(jr_item(&j));
    assert_int_equal(jr_type(&j), J_OBJECT);
    assert_int_equal(jr_type(&j), J_OBJECT);
    assert_false(jr_array(&j));
    assert_true(jr_item(&j));
    assert_false(jr_object(&j));
    assert_true(jr_item(&j));
    assert_true(jr_num(&j, 2.5) == 2.5);
    assert_true(jr_item(&j));
    assert_true(jr_bool(&j, true));
    assert_true(jr_item(&j));
    size_t n = 5;
    assert_null(jr_str(&j, &n));
    assert_int_equal(n, 0);
    assert_true(jr_item(&j));
    assert_int_equal(jr_type(&j), J_NULL);
    assert_null(jr_str(&j, NULL));
    assert_true(jr_item(&j));
    assert_false(jr_bool(&j, false));
    assert_false(jr_item(&j));
    assert_int_equal(jr_type(&j), J_NONE);
    assert_true(jr_end(&j, NULL));
    jr_release(&j);
    jr_release(&j);
}

/* What looks like a string may end before its end. */
static void a_cut_string_is_none(void **state)
{
    (void)state;
    struct jread j;
    struct arena a;
    arena_init(&a);
    jr_memory(&j, "[\"ab\", \"cd", 9);
    assert_true(jr_array(&j) && jr_item(&j));
    assert_string_equal(jr_strdup(&j, &a), "ab");
    assert_true(jr_item(&j));
    assert_int_equal(jr_type(&j), J_STRING);
    assert_null(jr_strdup(&j, &a));
    assert_false(jr_end(&j, NULL));
    jr_release(&j);
    arena_release(&a);
}

static void errors_stick(void **state)
{
    (void)state;
    struct jread j;
    struct gs_error err = {0};
    jr_memory(&j, "{\"a\" 1, \"b\": 2}", 15);
    assert_true(jr_error(&j, &err));
    assert_true(jr_object(&j));
    assert_false(jr_key(&j));
    for (int i = 0; i < 2; i++) {
        assert_true(jr_failed(&j));
        assert_int_equal(jr_type(&j), J_NONE);
        assert_false(jr_object(&j) || jr_key(&j) || jr_array(&j) || jr_item(&j));
        assert_false(jr_is(&j, "a"));
        assert_int_equal(jr_int(&j, -3), -3);
        assert_true(jr_uint(&j, 3) == 3 && jr_num(&j, 1.5) == 1.5 && jr_bool(&j, true));
        assert_null(jr_str(&j, NULL));
        jr_skip(&j);
        assert_false(jr_end(&j, &err));
        assert_int_equal(err.code, GS_E_FORMAT);
        assert_string_equal(err.text, "bad JSON: expected ':', line 1, column 6");
        assert_false(jr_error(&j, NULL));
    }
    jr_release(&j);
}

static void stopping_in_the_middle_is_no_end(void **state)
{
    (void)state;
    struct jread j;
    struct gs_error err;
    jr_memory(&j, "[1,2]", 5);
    assert_true(jr_array(&j) && jr_item(&j));
    jr_skip(&j);
    assert_false(jr_key(&j)); /* not in an object: nothing happens */
    assert_false(jr_end(&j, &err));
    jr_release(&j);
    jr_memory(&j, "[1 ", 3);
    assert_true(jr_array(&j) && jr_item(&j));
    jr_skip(&j);
    assert_false(jr_end(&j, &err));
    assert_string_equal(err.text, "bad JSON: the file ends too early, line 1, column 4");
    jr_release(&j);
}

static void truncation_is_seen_at_every_byte(void **state)
{
    (void)state;
    struct arena a;
    struct str out;
    arena_init(&a);
    str_init(&out, &a);
    size_t n = strlen(DOCUMENT) - 1; /* without the last newline */
    assert_true(agree(DOCUMENT, n, &out));
    for (size_t i = 0; i < n; i++) {
        assert_false(agree(DOCUMENT, i, &out));
        assert_non_null(strstr(out.buf, "!bad JSON: the file ends too early, line "));
    }
    arena_release(&a);
}

/* White space before the document moves every byte of it over the edge of the real window. */
static void window_edge_may_cut_anything(void **state)
{
    (void)state;
    enum { WINDOW = 1024 * 1024 };
    size_t n = strlen(DOCUMENT);
    char *text = malloc(WINDOW + n);
    struct arena a;
    struct str want, got;
    arena_init(&a);
    str_init(&want, &a);
    str_init(&got, &a);
    assert_non_null(text);
    memset(text, ' ', WINDOW + n);
    assert_true(run(&want, DOCUMENT, n, 0, DUMP));
    for (size_t before = 0; before <= n; before++) {
        memset(text, ' ', WINDOW);
        memcpy(text + WINDOW - before, DOCUMENT, n);
        assert_true(run(&got, text, WINDOW - before + n, SIZE_MAX, DUMP));
        assert_string_equal(got.buf, want.buf);
        assert_true(run(&got, text, WINDOW - before + n, SIZE_MAX, SKIP));
    }
    free(text);
    arena_release(&a);
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    enum { N = 1000000 };
    char *text = malloc(2 * N);
    struct arena a;
    struct str out;
    arena_init(&a);
    str_init(&out, &a);
    assert_non_null(text);
    memset(text, '[', N);
    memset(text + N, ']', N);
    for (int how = 0; how < HOWS; how++) {
        for (size_t piece = 0; piece <= 8; piece += 4) {
            assert_false(run(&out, text, 2 * N, piece, (enum how)how));
            assert_non_null(strstr(out.buf, "!bad JSON: nested too deeply, line 1, column 1025"));
            assert_true(run(&out, text + N - JREAD_DEPTH, 2 * JREAD_DEPTH, piece, (enum how)how));
            assert_false(run(&out, text, N, piece, (enum how)how));
        }
    }
    for (size_t i = 0; i + 5 <= 2 * N; i += 5)
        memcpy(text + i, "{\"\":[", 5);
    assert_false(run(&out, text, 2 * N, 0, SKIP));
    assert_string_equal(out.buf, "!bad JSON: nested too deeply, line 1, column 2561");
    free(text);
    arena_release(&a);
}

static void strings_have_a_limit(void **state)
{
    (void)state;
    size_t n = JREAD_STRING_MAX + 3;
    char *text = malloc(n);
    struct arena a;
    struct str out;
    arena_init(&a);
    str_init(&out, &a);
    assert_non_null(text);
    memset(text, 'x', n);
    text[0] = text[n - 1] = '"';
    assert_false(run(&out, text, n, 0, DUMP));
    assert_non_null(strstr(out.buf, "!bad JSON: a string is too long, line 1"));
    assert_false(run(&out, text, n, 100000, DUMP));
    assert_true(run(&out, text, n, 100000, SKIP)); /* only what is kept is limited */
    text[n - 2] = '"';
    for (size_t piece = 0; piece <= 1000; piece += 500) {
        struct jread j;
        struct pieces p = {.text = text, .n = n - 1, .piece = piece};
        size_t len;
        if (piece)
            jr_stream(&j, fill_pieces, &p);
        else
            jr_memory(&j, text, n - 1);
        const char *s = jr_str(&j, &len);
        assert_non_null(s);
        assert_int_equal(len, JREAD_STRING_MAX);
        assert_int_equal(strlen(s), len);
        assert_true(jr_end(&j, NULL));
        jr_release(&j);
    }
    free(text);
    arena_release(&a);
}

static void long_numbers_work(void **state)
{
    (void)state;
    size_t n = 3 * 1024 * 1024;
    char *text = malloc(n);
    struct arena a;
    struct str out;
    arena_init(&a);
    str_init(&out, &a);
    assert_non_null(text);
    memset(text, '0', n);
    text[0] = '1';
    text[1] = '.';
    assert_true(run(&out, text, n, SIZE_MAX, DUMP));
    assert_string_equal(out.buf, "#1 ");
    assert_true(run(&out, text, n, 0, SKIP));
    char *huge = malloc(JREAD_STRING_MAX + 1);
    assert_non_null(huge);
    memset(huge, '9', JREAD_STRING_MAX + 1);
    assert_false(run(&out, huge, JREAD_STRING_MAX + 1, 0, DUMP));
    assert_non_null(strstr(out.buf, "a number is too long"));
    assert_true(run(&out, huge, JREAD_STRING_MAX + 1, 0, SKIP));
    free(huge);
    free(text);
    arena_release(&a);
}

static void streams_may_fail(void **state)
{
    (void)state;
    size_t n = strlen(DOCUMENT);
    for (size_t at = 1; at < n; at++) {
        struct pieces p = {.text = DOCUMENT, .n = n, .piece = 3, .fail_at = at};
        struct jread j;
        struct gs_error err = {0};
        jr_stream(&j, fill_pieces, &p);
        jr_skip(&j);
        assert_false(jr_end(&j, &err));
        assert_int_equal(err.code, GS_E_IO);
        jr_release(&j);
    }
}

struct starved {
    struct jread j;
    struct pieces p;
    struct arena a;
};

static void read_starved(void *ctx)
{
    struct starved *s = ctx;
    struct str out;
    str_init(&out, &s->a);
    jr_stream(&s->j, fill_pieces, &s->p);
    dump(&s->j, &out, 0);
}

static void shortage_of_memory_is_an_error(void **state)
{
    (void)state;
    size_t held = mem_held();
    char text[4000];
    memset(text, 'x', sizeof(text));
    text[0] = text[sizeof(text) - 1] = '"';
    int64_t n = 0;
    for (bool ok = false; !ok; n++) {
        struct starved s = {.p = {.text = text, .n = sizeof(text), .piece = 100}};
        struct gs_error err = {0};
        arena_init(&s.a);
        jr_memory(&s.j, NULL, 0);
        mem_fail_after(n);
        ok = mem_guard(read_starved, &s, &err);
        mem_fail_never();
        if (!ok)
            assert_string_equal(err.text, "out of memory");
        jr_release(&s.j);
        arena_release(&s.a);
        assert_int_equal(mem_held(), held);
    }
    assert_true(n > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_documents),
        cmocka_unit_test(reads_strings),
        cmocka_unit_test(names_every_problem),
        cmocka_unit_test(fast_paths_see_problems),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(decimals_are_exact),
        cmocka_unit_test(bad_decimals_are_errors),
        cmocka_unit_test(doubles_are_right),
        cmocka_unit_test(wrong_types_are_skipped),
        cmocka_unit_test(errors_stick),
        cmocka_unit_test(stopping_in_the_middle_is_no_end),
        cmocka_unit_test(truncation_is_seen_at_every_byte),
        cmocka_unit_test(window_edge_may_cut_anything),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(strings_have_a_limit),
        cmocka_unit_test(a_cut_string_is_none),
        cmocka_unit_test(long_numbers_work),
        cmocka_unit_test(streams_may_fail),
        cmocka_unit_test(shortage_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
