/* Fields: every operation on every type. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "field/field.h"

enum mood { GOOD, BAD };

struct part {
    const char *name;
    uint32_t size;
};

struct pair {
    uint32_t bucket;
    uint64_t count;
};

struct whole {
    int64_t time_ns;
    uint64_t bytes;
    uint32_t calls;
    int32_t rank;
    double share, rate;
    const char *text;
    char grade[2];
    bool yes, has_when;
    enum mood mood;
    unsigned set;
    int64_t when_ns;
    struct part inside, among;
    const struct part *ref, *none;
    VEC(struct part) parts, by_name, named;
    VEC(const char *) texts;
    VEC(uint64_t) counts;
    VEC(struct pair) buckets;
    VEC(const struct part *) refs;
    struct results tables;
    uint64_t zero;
};

static const struct field part_list[] = {
    FIELD(struct part, name, FIELD_TEXT, "name", NO_UNIT, "what it is called"),
    FIELD(struct part, size, FIELD_U32, "size", IN_BYTES, "how large it is"),
};
static const struct fields part_fields = FIELDS("parts", "Parts", struct part, part_list);

static const struct field ref_item[] = {ALL_AT(&part_fields)};
static const struct fields ref_items = FIELDS("refs", "", const struct part *, ref_item);

static const struct field pair_list[] = {
    ALWAYS(struct pair, bucket, FIELD_U32, NULL, ""),
    ALWAYS(struct pair, count, FIELD_U64, NULL, ""),
};
static const struct fields pair_fields = FIELDS("pairs", "", struct pair, pair_list);

static bool is_large(const void *row)
{
    return ((const struct whole *)row)->bytes > 1000;
}

#define T struct whole
static const struct field self_list[] = {
    FIELD(T, calls, FIELD_U32, "calls", NO_UNIT, "again, one level down"),
};
static const struct fields self_fields = FIELDS("self", "", T, self_list);

static const struct field count_item[] = {{.type = FIELD_U64, .null = NULL_NEVER}};
static const struct fields counts = FIELDS("", "", uint64_t, count_item);

static const struct field list[] = {
    FIELD(T, time_ns, FIELD_I64, "time", IN_NS, "how long"),
    FIELD(T, bytes, FIELD_U64, "bytes", IN_BYTES, "how much"),
    FIELD(T, calls, FIELD_U32, "calls", NO_UNIT, "how often"),
    FIELD(T, rank, FIELD_I32, "rank", NO_UNIT, "-1: none"),
    FIELD(T, share, FIELD_NUM, "share", IN_PERCENT, "of the whole"),
    FIELD(T, rate, FIELD_NUM, "rate", IN_GBPS, "how fast"),
    FIELD(T, text, FIELD_TEXT, "text", NO_UNIT, "what | it says"),
    ALWAYS(T, grade, FIELD_CHARS, "grade", "A to F", .words = WORDS("A", "B")),
    FIELD(T, yes, FIELD_BOOL, "yes", NO_UNIT, "or no"),
    ALWAYS(T, mood, FIELD_ENUM, "mood", "", .words = WORDS("good", "bad")),
    ALWAYS(T, set, FIELD_SET, "set", "", .words = WORDS("red", "green", "blue")),
    FIXED("version", "1.0", "of this"),
    {.key = "nothing", .type = FIELD_NULL, .doc = "always null"},
    ALWAYS(T, time_ns, FIELD_I64, "time_s", "in seconds", .divide = 1e9),
    OR_NULL(T, rank, FIELD_I32, "known_rank", "null: none"),
    OR_NULL(T, when_ns, FIELD_I64, "when_ns", "null: not known", .flag = FLAG(T, has_when)),
    OR_NULL(T, bytes, FIELD_U64, "large", "null below 1000", .has = is_large),
    IF_ANY(T, zero, FIELD_U64, "zero", "left out when 0", .least = "2"),
    ALWAYS(T, inside, FIELD_OBJECT, "inside", "a part", .of = &part_fields),
    WITHIN("self", "the same struct", &self_fields),
    SPREAD(T, among, FIELD_OBJECT, &part_fields),
    OR_NULL(T, ref, FIELD_REF, "ref", "a part elsewhere", .of = &part_fields),
    OR_NULL(T, none, FIELD_REF, "none", "no part", .of = &part_fields),
    ALWAYS(T, parts, FIELD_LIST, "parts", "all parts", .of = &part_fields),
    ALWAYS(T, by_name, FIELD_MAP, "by_name", "the same", .of = &part_fields),
    ALWAYS(T, named, FIELD_PAIRS, "named", "only sizes", .of = &part_fields),
    ALWAYS(T, texts, FIELD_LIST, "texts", "words", .of = &field_texts),
    ALWAYS(T, counts, FIELD_LIST, "counts", "numbers", .of = &counts),
    ALWAYS(T, buckets, FIELD_LIST, "buckets", "pairs", .of = &pair_fields),
    ALWAYS(T, refs, FIELD_LIST, "refs", "parts elsewhere", .of = &ref_items),
    ALWAYS(T, tables, FIELD_TABLES, "tables", "whole tables"),
};
static const struct fields whole_fields = FIELDS("whole", "All types", T, list);

static const struct part one = {"one", 1}, two = {"two", 2};

static struct whole make(struct arena *a)
{
    struct whole w = {.time_ns = 1500000, .bytes = 2048, .calls = 1234, .rank = -1};
    w.share = 12.34;
    w.rate = NAN;
    w.text = "a \"word\"";
    strcpy(w.grade, "B");
    w.yes = true;
    w.mood = BAD;
    w.set = 5;
    w.inside = (struct part){"inside", 7};
    w.among = (struct part){"among", 8};
    w.ref = &one;
    vec_push(&w.parts, a, one);
    vec_push(&w.parts, a, two);
    vec_push(&w.by_name, a, one);
    vec_push(&w.named, a, two);
    vec_push(&w.texts, a, "x");
    vec_push(&w.counts, a, 5);
    vec_push(&w.buckets, a, ((struct pair){3, 4}));
    vec_push(&w.buckets, a, ((struct pair){5, 6}));
    vec_push(&w.refs, a, &two);
    struct result rows = {&part_fields, w.parts.v, 1, false};
    vec_push(&w.tables, a, rows);
    return w;
}

static const struct field *named(const char *key)
{
    const struct field *f = fields_find(&whole_fields, key);
    assert_non_null(f);
    return f;
}

static void values_are_those_of_the_struct(void **state)
{
    struct arena *a = *state;
    struct whole w = make(a);
    assert_int_equal(field_get(named("time_ns"), &w).kind, VALUE_INT);
    assert_int_equal(field_get(named("time_ns"), &w).i, 1500000);
    assert_int_equal(field_get(named("bytes"), &w).u, 2048);
    assert_true(field_get(named("time_s"), &w).real == 0.0015);
    assert_int_equal(field_get(named("rate"), &w).kind, VALUE_NONE);
    assert_string_equal(field_get(named("grade"), &w).text, "B");
    assert_string_equal(field_get(named("mood"), &w).text, "bad");
    assert_string_equal(field_get(named("version"), &w).text, "1.0");
    assert_true(field_get(named("yes"), &w).yes);
    assert_int_equal(field_get(named("rank"), &w).i, -1);
    assert_int_equal(field_get(named("known_rank"), &w).kind, VALUE_NONE);
    assert_int_equal(field_get(named("when_ns"), &w).kind, VALUE_NONE);
    assert_int_equal(field_get(named("large"), &w).u, 2048);
    w.bytes = 10;
    w.has_when = true;
    assert_int_equal(field_get(named("large"), &w).kind, VALUE_NONE);
    assert_int_equal(field_get(named("when_ns"), &w).kind, VALUE_INT);
    w.mood = (enum mood)7;
    assert_int_equal(field_get(named("mood"), &w).kind, VALUE_NONE);
    assert_int_equal(field_get(named("parts"), &w).kind, VALUE_NONE);
    assert_null(fields_find(&whole_fields, "name"));
}

static void numbers_are_rounded_where_that_is_asked(void **state)
{
    static const struct field share = ALWAYS(T, share, FIELD_NUM, "", "", .steps = 10);
    static const struct field rate = ALWAYS(T, rate, FIELD_NUM, "", "", .steps = 10);
    struct whole w = make(*state);
    assert_true(field_get(&share, &w).real == 12.3);
    assert_int_equal(field_get(&rate, &w).kind, VALUE_REAL); /* NaN in the struct */
    assert_true(field_get(&rate, &w).real == 0);
}

static void only_numbers_are_numbers(void **state)
{
    struct arena *a = *state;
    struct whole w = make(a);
    assert_true(field_number(named("calls"), &w) == 1234);
    assert_true(field_number(named("rank"), &w) == -1);
    assert_true(isnan(field_number(named("rate"), &w)));
    assert_true(isnan(field_number(named("text"), &w)));
    assert_true(isnan(field_number(named("yes"), &w)));
}

static void people_read_units(void **state)
{
    struct arena *a = *state;
    struct whole w = make(a);
    static const char *const expected[][2] = {
        {"time_ns", "1.50 ms"}, {"bytes", "2.00 KiB"}, {"calls", "1,234"},     {"rank", "-"},
        {"share", "12.3 %"},    {"rate", "-"},         {"text", "a \"word\""}, {"yes", "yes"},
        {"mood", "bad"},        {"set", "red, blue"},  {"grade", "B"},         {"time_s", "0.0015"},
    };
    for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
        assert_string_equal(field_text(named(expected[i][0]), &w, a), expected[i][1]);
        assert_int_equal(field_is_blank(named(expected[i][0]), &w), str_eq(expected[i][1], "-"));
    }
    w.text = NULL;
    w.yes = false;
    assert_string_equal(field_text(named("text"), &w, a), "");
    assert_true(field_is_blank(named("text"), &w));
    assert_string_equal(field_text(named("yes"), &w, a), "no");
}

struct styled {
    double real;
    int64_t whole;
    const char *text;
};

static void a_style_says_how_a_number_looks(void **state)
{
#define S struct styled
    struct arena *a = *state;
    static const struct {
        struct field f;
        struct styled row;
        const char *expected;
    } cases[] = {
        {FIELD(S, whole, FIELD_I64, "", IN_NS, "", AS_CHANGE), {.whole = 1500}, "+1.50 µs"},
        {FIELD(S, whole, FIELD_I64, "", IN_NS, "", AS_CHANGE), {.whole = -1500}, "-1.50 µs"},
        {FIELD(S, real, FIELD_NUM, "", IN_PERCENT, "", AS_CHANGE), {.real = 0.04}, "+0.0 %"},
        {FIELD(S, real, FIELD_NUM, "", IN_PERCENT, "", AS_CHANGE), {.real = 2e7}, "+2.0e+07 %"},
        {FIELD(S, real, FIELD_NUM, "", NO_UNIT, "", AS_CHANGE, .decimals = 1), {.real = 3}, "+3.0"},
        {FIELD(S, real, FIELD_NUM, "", IN_PERCENT, "", AS_CHANGE), {.real = NAN}, "-"},
        {FIELD(S, whole, FIELD_I64, "", IN_NS, "", .style = STYLE_FROM_ZERO), {.whole = -1}, "-"},
        {FIELD(S, whole, FIELD_I64, "", IN_NS, "", .style = STYLE_FROM_ZERO), {.whole = 0}, "0 ns"},
        {FIELD(S, whole, FIELD_I64, "", IN_MHZ, "", .style = STYLE_OVER_ZERO), {.whole = 0}, "-"},
        {FIELD(S, whole, FIELD_I64, "", IN_MHZ, "", .style = STYLE_OVER_ZERO),
         {.whole = 2100},
         "2100 MHz"},
        {FIELD(S, real, FIELD_NUM, "", IN_GBPS, "", AS_FIGURE), {.real = 12345.6}, "12,346"},
        {FIELD(S, real, FIELD_NUM, "", IN_GBPS, "", AS_FIGURE), {.real = -12345.6}, "-12,346"},
        {FIELD(S, real, FIELD_NUM, "", IN_GBPS, "", AS_FIGURE), {.real = 123.45}, "123.5"},
        {FIELD(S, real, FIELD_NUM, "", IN_GBPS, "", AS_FIGURE), {.real = 1.256}, "1.26"},
        {FIELD(S, real, FIELD_NUM, "", IN_GBPS, "", AS_FIGURE), {.real = 0.01234}, "0.0123"},
        {FIELD(S, real, FIELD_NUM, "", IN_GBPS, "", AS_FIGURE), {.real = 7}, "7"},
        {FIELD(S, real, FIELD_NUM, "", IN_GBPS, "", AS_FIGURE), {.real = 2e15}, "2.000e+15"},
        {FIELD(S, real, FIELD_NUM, "", IN_NS, "", AS_DECIMALS(1)), {.real = 1234.56}, "1234.6"},
        {FIELD(S, whole, FIELD_I64, "", IN_NS, "", AS_DECIMALS(1)), {.whole = 1234}, "1234"},
        {FIELD(S, real, FIELD_NUM, "", IN_NS, "", .style = STYLE_EXACT), {.real = 0.1}, "0.1"},
        {FIELD(S, real, FIELD_NUM, "", IN_NS, "", .style = STYLE_EXACT), {.real = NAN}, ""},
        {FIELD(S, text, FIELD_TEXT, "", NO_UNIT, ""), {.text = "-7"}, "-7"},
    };
#undef S
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *expected = cases[i].expected;
        assert_string_equal(field_text(&cases[i].f, &cases[i].row, a), expected);
        assert_int_equal(field_is_blank(&cases[i].f, &cases[i].row),
                         !*expected || str_eq(expected, "-"));
    }
}

static void programs_read_all_digits(void **state)
{
    struct arena *a = *state;
    struct whole w = make(a);
    struct str s;
    char buf[VALUE_MAX];
    static const char *const keys[] = {"time_ns", "bytes", "rank", "share",
                                       "rate",    "yes",   "text", "inside"};
    str_init(&s, a);
    w.bytes = UINT64_MAX;
    w.share = 0.1;
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        str_puts(&s, value_exact(field_get(named(keys[i]), &w), buf));
        str_putc(&s, ';');
    }
    assert_string_equal(s.buf, "1500000;18446744073709551615;-1;0.1;;true;a \"word\";;");
}

static const char json[] =
    "{\"time_ns\":1500000,\"bytes\":2048,\"calls\":1234,\"rank\":-1,\"share\":12.34,\"rate\":null,"
    "\"text\":\"a "
    "\\\"word\\\"\",\"grade\":\"B\",\"yes\":true,\"mood\":\"bad\",\"set\":[\"red\",\"blue\"],"
    "\"version\":\"1.0\","
    "\"nothing\":null,\"time_s\":0.0015,\"known_rank\":null,\"when_ns\":null,\"large\":2048,"
    "\"inside\":{\"name\":\"inside\",\"size\":7},\"self\":{\"calls\":1234},"
    "\"name\":\"among\",\"size\":8,\"ref\":{\"name\":\"one\",\"size\":1},\"none\":null,"
    "\"parts\":[{\"name\":\"one\",\"size\":1},{\"name\":\"two\",\"size\":2}],"
    "\"by_name\":{\"one\":{\"name\":\"one\",\"size\":1}},\"named\":{\"two\":2},"
    "\"texts\":[\"x\"],\"counts\":[5],\"buckets\":[3,4,5,6],\"refs\":[{\"name\":\"two\",\"size\":2}"
    "],"
    "\"tables\":{\"parts\":[{\"name\":\"one\",\"size\":1}]}}";

static const char *write(const struct whole *w, struct arena *a)
{
    struct str s;
    struct jwrite j;
    str_init(&s, a);
    jw_init(&j, &s, 0);
    fields_write(&j, NULL, &whole_fields, w);
    return s.buf;
}

/* Without the blanks that a writer may put between words. */
static const char *dense(const char *text, struct arena *a)
{
    struct str s;
    bool quoted = false;
    str_init(&s, a);
    for (const char *p = text; *p; p++) {
        if (*p == '"' && p[-1] != '\\')
            quoted = !quoted;
        if (quoted || (*p != ' ' && *p != '\n'))
            str_putc(&s, *p);
    }
    return s.buf;
}

static void json_has_every_member(void **state)
{
    struct arena *a = *state;
    struct whole w = make(a);
    assert_string_equal(dense(write(&w, a), a), json);
    w.zero = 3;
    assert_non_null(strstr(dense(write(&w, a), a), "\"large\":2048,\"zero\":3,\"inside\""));
}

static void read_into(struct whole *w, const char *text, struct arena *a)
{
    struct jread j;
    struct gs_error err = {0};
    jr_memory(&j, text, strlen(text));
    fields_read(&j, &whole_fields, w, a);
    assert_true(jr_end(&j, &err));
    jr_release(&j);
}

static void what_was_written_is_read_back(void **state)
{
    struct arena *a = *state;
    struct whole from = make(a), w = {0};
    from.has_when = true;
    from.when_ns = -5;
    read_into(&w, write(&from, a), a);
    assert_true(w.has_when);
    assert_int_equal(w.when_ns, -5);
    assert_true(isnan(w.rate));
    assert_null(w.none);
    assert_int_equal(w.buckets.n, 2);
    assert_int_equal(w.buckets.v[1].count, 6);
    strcpy(w.grade, "B"); /* chars, nameless references and tables are not read */
    memcpy(&w.refs, &from.refs, sizeof(w.refs));
    w.tables = from.tables;
    assert_string_equal(write(&w, a), write(&from, a));
}

static void what_does_not_fit_is_left_out(void **state)
{
    struct arena *a = *state;
    struct whole w = {0};
    read_into(&w,
              "{\"calls\": 99999999999, \"rank\": \"x\", \"share\": [], \"text\": 3, \"more\": {},"
              " \"mood\": \"odd\", \"set\": [\"green\", \"pink\", 3], \"ref\": 5, \"parts\": [7, "
              "{\"size\": 2}], \"by_name\": [],"
              " \"when_ns\": null, \"buckets\": [1]}",
              a);
    assert_int_equal(w.calls, UINT32_MAX);
    assert_int_equal(w.rank, -1);
    assert_true(isnan(w.share));
    assert_null(w.text);
    assert_int_equal(w.mood, GOOD);
    assert_int_equal(w.set, 2);
    assert_null(w.ref);
    assert_int_equal(w.parts.n, 2);
    assert_null(w.parts.v[0].name);
    assert_int_equal(w.parts.v[1].size, 2);
    assert_int_equal(w.by_name.n, 0);
    assert_false(w.has_when);
    assert_int_equal(w.buckets.n, 1);
    assert_int_equal(w.buckets.v[0].count, 0);
}

static void rows_begin_as_the_table_says(void **state)
{
    struct arena *a = *state;
    static const struct part begun = {"unnamed", 9};
    const struct fields parts = {"", "", part_list, 2, sizeof(struct part), &begun};
    struct {
        VEC(struct part) v;
    } row = {0};
    const struct field v = {.key = "v", .type = FIELD_LIST, .of = &parts, .null = NULL_NEVER};
    const struct fields rows = {"", "", &v, 1, sizeof(row), NULL};
    struct jread j;
    const char text[] = "{\"v\": [{}, {\"size\": 1}]}";
    jr_memory(&j, text, strlen(text));
    fields_read(&j, &rows, &row, a);
    jr_release(&j);
    assert_string_equal(row.v.v[0].name, "unnamed");
    assert_int_equal(row.v.v[0].size, 9);
    assert_int_equal(row.v.v[1].size, 1);
}

static void has(const char *schema, const char *part)
{
    assert_non_null(strstr(schema, part));
}

static void the_schema_describes_every_type(void **state)
{
    struct arena *a = *state;
    struct whole w = make(a);
    struct str s;
    struct jwrite j;
    str_init(&s, a);
    jw_init(&j, &s, 0);
    jw_open(&j, NULL, '{');
    fields_schema(&j, &whole_fields, &w);
    jw_close(&j);
    const char *d = dense(s.buf, a);
    has(d, "\"time_ns\":{\"description\":\"how long\",\"type\":\"integer\",\"x-unit\":\"ns\"}");
    has(d, "\"share\":{\"description\":\"of the whole\",\"type\":[\"number\",\"null\"]");
    has(d, "\"grade\":{\"description\":\"A to F\",\"type\":\"string\",\"enum\":[\"A\",\"B\"]}");
    has(d, "\"mood\":{\"type\":\"string\",\"enum\":[\"good\",\"bad\"]}");
    has(d, "\"set\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"red\",\"green\","
           "\"blue\"]}}");
    has(d, "\"bytes\":{\"description\":\"how much\",\"type\":\"integer\",\"minimum\":0,");
    has(d, "\"nothing\":{\"description\":\"always null\",\"type\":\"null\"}");
    has(d, "\"time_s\":{\"description\":\"in seconds\",\"type\":\"number\"}");
    has(d, "\"known_rank\":{\"description\":\"null: none\",\"type\":[\"integer\",\"null\"]}");
    has(d, "\"ref\":{\"description\":\"a part elsewhere\",\"type\":[\"object\",\"null\"],"
           "\"properties\":{\"name\"");
    has(d, "\"parts\":{\"description\":\"all parts\",\"type\":\"array\",\"items\":{\"type\":"
           "\"object\",\"properties\"");
    has(d, "\"by_name\":{\"description\":\"the same\",\"type\":\"object\","
           "\"additionalProperties\":{\"type\":\"object\"");
    has(d, "\"named\":{\"description\":\"only sizes\",\"type\":\"object\","
           "\"additionalProperties\":{\"description\":\"how large it is\",\"type\":\"integer\"");
    has(d,
        "\"texts\":{\"description\":\"words\",\"type\":\"array\",\"items\":{\"type\":\"string\"}}");
    has(d, "\"tables\":{\"description\":\"whole tables\",\"type\":\"object\",\"properties\":"
           "{\"parts\":{\"description\":\"Parts\",\"type\":\"array\"");
    has(d, "\"large\",\"inside\",\"self\",\"name\",\"size\",\"ref\""); /* required; not zero */
    has(d, "\"zero\":{\"description\":\"left out when 0\",\"type\":\"integer\",\"minimum\":2}");
}

static void the_reference_has_every_field(void **state)
{
    struct arena *a = *state;
    struct str s;
    str_init(&s, a);
    fields_doc(&s, &part_fields, true);
    assert_string_equal(s.buf, "\n### parts\n\nParts. One object.\n\n"
                               "| field | unit | meaning |\n|---|---|---|\n"
                               "| `name` |  | what it is called |\n"
                               "| `size` | bytes | how large it is |\n");
    str_clear(&s);
    fields_doc(&s, &whole_fields, false);
    assert_non_null(strstr(s.buf, "| `text` |  | what \\| it says |\n"));
    assert_non_null(strstr(s.buf, "| `self` |  | the same struct |\n| `name` |  | what it is"));
}

static void tables_are_found_by_key(void **state)
{
    struct arena *a = *state;
    struct whole w = make(a);
    assert_ptr_equal(results_find(&w.tables, "parts"), &w.tables.v[0]);
    assert_null(results_find(&w.tables, "others"));
}

static int begin(void **state)
{
    static struct arena a;
    arena_init(&a);
    *state = &a;
    return 0;
}

static int end(void **state)
{
    arena_release(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_are_those_of_the_struct, begin, end),
        cmocka_unit_test_setup_teardown(numbers_are_rounded_where_that_is_asked, begin, end),
        cmocka_unit_test_setup_teardown(only_numbers_are_numbers, begin, end),
        cmocka_unit_test_setup_teardown(people_read_units, begin, end),
        cmocka_unit_test_setup_teardown(a_style_says_how_a_number_looks, begin, end),
        cmocka_unit_test_setup_teardown(programs_read_all_digits, begin, end),
        cmocka_unit_test_setup_teardown(json_has_every_member, begin, end),
        cmocka_unit_test_setup_teardown(what_was_written_is_read_back, begin, end),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_left_out, begin, end),
        cmocka_unit_test_setup_teardown(rows_begin_as_the_table_says, begin, end),
        cmocka_unit_test_setup_teardown(the_schema_describes_every_type, begin, end),
        cmocka_unit_test_setup_teardown(the_reference_has_every_field, begin, end),
        cmocka_unit_test_setup_teardown(tables_are_found_by_key, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
