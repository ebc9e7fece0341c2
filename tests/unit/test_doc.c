/* Docs: what media that cannot fold make of them, and which sections are built. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "made_trace.h"
#include "render/html/html.h"
#include "render/render.h"
#include "report/section.h"

struct row {
    const char *name;
    uint32_t depth;
    int64_t start_ns, change_ns;
    double share, never_known;
    int64_t slack_ns;
};

#define F(member, type, label, unit, ...)                                                          \
    FIELD(struct row, member, type, label, unit, "doc of " #member, ##__VA_ARGS__)
static const struct field list[] = {
    F(name, FIELD_TEXT, "range", NO_UNIT),
    F(depth, FIELD_U32, "depth", NO_UNIT),
    F(start_ns, FIELD_I64, "start", IN_NS, AS_MOMENT),
    F(change_ns, FIELD_I64, "change", IN_NS, AS_CHANGE),
    F(share, FIELD_NUM, "share", IN_PERCENT),
    F(never_known, FIELD_NUM, "unknown", IN_GBPS),
    F(slack_ns, FIELD_I64, "slack", IN_NS, .style = STYLE_FROM_ZERO),
};
#undef F
static const struct fields fields = FIELDS("ranges", "ranges of the run", struct row, list);
static const struct row rows[] = {{"all", 0, 1000, 5000, 100, NAN, -1},
                                  {"part", 1, 3000, -5000, 40, NAN, 7000},
                                  {"other", 1, 4000, 0, 2, NAN, -1}};

static struct doc *made(struct arena *a)
{
    struct doc *d = doc_new(a);
    doc_title(d, "a title");
    doc_about(d, "path", "x.db");
    doc_badge(d, TONE_BAD, "first", "1 high");
    doc_section(d, "first", "First", "The first section");
    doc_rows(d, &(struct result){&fields, rows, 3, false},
             &(struct rows){.shown = "name start_ns change_ns unknown never_known slack_ns",
                            .depth = "depth",
                            .top = 2});
    doc_section(d, "second", "Second", "The second section");
    doc_part(d, "empty", "Nothing is left here");
    doc_open(d, &(struct disclosure){.id = "thing-0", .title = "folded away", .brief = ""});
    doc_text(d, "a detail");
    doc_callout(d, TONE_BAD, "a sentence");
    doc_label(d, "Bad");
    struct draw *picture = draw_new(a, 10, 10);
    draw_rect(picture, INK_BLUE, 0, 0, 1, 1, "2 of 3 µs");
    draw_rect(picture, INK_BLUE, 1, 0, 1, 1, "2 of 3 µs");
    doc_small_picture(d, "sizes", picture);
    doc_close(d);
    doc_open(
        d, &(struct disclosure){.id = "thing-1", .badge = "LOW", .title = "shown", .cost = "3 ms"});
    doc_text(d, "a paragraph");
    doc_jump(d, 5000, 6000, "copy", 12);
    doc_close(d);
    doc_open(d, &(struct disclosure){.id = "thing-2", .title = "in short", .brief = "in brief"});
    doc_text(d, "another detail");
    doc_close(d);
    doc_section(d, "third", "Third", "Only a picture");
    doc_chart(d, "ledger");
    return d;
}

static const char *as_text(const struct doc *d)
{
    struct str out;
    str_init(&out, d->arena);
    render_text(&out, d, &(struct render_opts){.columns = 80});
    return out.buf;
}

static void text_has_columns_that_say_something(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    assert_string_equal(as_text(made(&a)), "a title\n"
                                           "═══════\n"
                                           "path x.db\n"
                                           "  range     start    change    slack\n"
                                           "  all     1.00 µs  +5.00 µs        -\n"
                                           "    part  3.00 µs  -5.00 µs  7.00 µs\n"
                                           "  2 of 3\n"
                                           "\n"
                                           "The second section\n"
                                           "\n"
                                           "[LOW] shown (3 ms)\n"
                                           "a paragraph (copy 12, at 5.00 µs)\n"
                                           "  - in brief\n");
    arena_release(&a);
}

/* Columns stand as they are listed; no text is cut that must not be; what is empty may be wanted. */
static void columns_stand_as_they_are_listed(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct doc *d = doc_new(&a);
    doc_rows(d, &(struct result){&fields, rows, 1, false},
             &(struct rows){.shown = "share name never_known", .empty_too = true});
    assert_string_equal(as_text(d), "    share  range  unknown\n"
                                    "  100.0 %  all          -\n");
    const struct block *b = d->blocks.v[0];
    const size_t *order = doc_column_order(b);
    static const size_t expected[] = {4, 1, 2, 3, 0, 5, 6}; /* those between keep their place */
    for (size_t i = 0; i < ARRAY_LEN(expected); i++)
        assert_int_equal(order[i], expected[i]);
    arena_release(&a);
}

static void what_was_asked_for_has_all_details(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct doc *d = made(&a);
    d->detailed = true;
    const char *text = as_text(d);
    assert_non_null(strstr(text, "The first section\n"));
    assert_non_null(strstr(text, "folded away\na detail\n"));
    assert_non_null(strstr(text, "in short\nanother detail\n"));
    assert_null(strstr(text, "in brief"));
    assert_non_null(strstr(text, "path x.db · 1 high\n"));
    assert_non_null(strstr(text, "2 of 3; ranges of the run\n"));
    assert_non_null(strstr(text, "Nothing is left here\n\nfolded away\n"));
    assert_non_null(strstr(text, "Bad: a sentence\n"));
    assert_non_null(strstr(text, "sizes\n    2 of 3 µs\n"));
    arena_release(&a);
}

static void the_page_has_everything(void **state)
{
    (void)state;
    struct arena a;
    struct str out;
    arena_init(&a);
    str_init(&out, &a);
    render_html(&out, made(&a));
    assert_non_null(strstr(out.buf, "<section id=\"second\""));
    assert_non_null(strstr(out.buf, "<details id=\"thing-0\""));
    assert_non_null(strstr(out.buf, "data-key=\"share\" data-tip=\"doc of share\" class=\"num\" "
                                    "data-share hidden>share</th>"));
    assert_non_null(strstr(out.buf, "data-v=\"-5000\">-5.00 µs</td>"));
    assert_non_null(strstr(out.buf, "<tr data-depth=\"1\">"));
    assert_non_null(strstr(out.buf, ">other</th>"));
    assert_null(strstr(out.buf, "href=\"#timeline\"")); /* there is none to jump to */
    arena_release(&a);
}

static void sections_are_chosen_by_name(void **state)
{
    (void)state;
    struct made m;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    made_kernel(&m, "k", stream, 0, 5000, NO_INDEX);
    struct analysis a = {0};
    struct analysis_opts o = made_options(0, 5000);
    made_analyze(&m, &a, &o);
    struct advice advice;
    advise(&advice, &a, NULL, &m.arena);
    struct gs_error err = {0};
    struct subject s = {.a = &a, .advice = &advice, .top = 10};
    const char *some = as_text(analysis_report(&s, "kernels,copies", &m.arena, &err));
    assert_non_null(strstr(some, "\nKernels\n"));
    assert_non_null(strstr(some, "\nCopies\nThere is nothing about this here.\n"));
    assert_null(strstr(some, "Findings"));
    s = (struct subject){.a = &a, .advice = &advice, .top = 10};
    assert_null(analysis_report(&s, "kernel", &m.arena, &err));
    assert_string_equal(err.text, "no section 'kernel'; did you mean 'kernels'?");
    made_release(&m);
}

struct wide_row {
    uint64_t rank;
    const char *name;
    uint64_t first, second, third, fourth, fifth, sixth;
};
#define T struct wide_row
#define N(member) FIELD(T, member, FIELD_U64, #member, NO_UNIT, "")
static const struct field wide_list[] = {FIELD(T, rank, FIELD_U64, "#", NO_UNIT, ""),
                                         FIELD(T, name, FIELD_TEXT, "name", NO_UNIT, ""),
                                         N(first),
                                         N(second),
                                         N(third),
                                         N(fourth),
                                         N(fifth),
                                         N(sixth)};
static const struct fields wide_fields = FIELDS("wide", "The caption.", T, wide_list);
#undef N
#undef T

/* What is wider than the page stands in parts, each with the columns that say which row it is. */
static void wide_tables_are_divided(void **state)
{
    (void)state;
    static const struct wide_row wide[] = {{1, "a name that is cut", 1000, 2, 3, 4, 5, 6},
                                           {2, "short", 11, 12, 13, 14, 15, 1600}};
    struct arena a;
    struct str out;
    arena_init(&a);
    str_init(&out, &a);
    struct doc *d = doc_new(&a);
    d->detailed = true;
    doc_rows(d, &(struct result){&wide_fields, wide, 2, false}, &(struct rows){.top = 10});
    render_text(&out, d, &(struct render_opts){.columns = 40, .divide = true});
    assert_string_equal(out.buf, "  #  name           first  second  third\n"
                                 "  1  a name that …  1,000       2      3\n"
                                 "  2  short             11      12     13\n"
                                 "\n"
                                 "  #  name           fourth  fifth  sixth\n"
                                 "  1  a name that …       4      5      6\n"
                                 "  2  short              14     15  1,600\n"
                                 "  The caption.\n");
    str_init(&out, &a);
    render_text(&out, d, &(struct render_opts){.columns = 40});
    assert_string_equal(out.buf, "  #  name          first  second  third  fourth  fifth  sixth\n"
                                 "  1  a name that…  1,000       2      3       4      5      6\n"
                                 "  2  short            11      12     13      14     15  1,600\n"
                                 "  The caption.\n");
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_has_columns_that_say_something),
        cmocka_unit_test(columns_stand_as_they_are_listed),
        cmocka_unit_test(wide_tables_are_divided),
        cmocka_unit_test(what_was_asked_for_has_all_details),
        cmocka_unit_test(the_page_has_everything),
        cmocka_unit_test(sections_are_chosen_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
