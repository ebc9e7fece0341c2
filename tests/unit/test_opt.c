/* The command line: every kind of option, abbreviations, errors. */
#include "unit.h"

#include <string.h>

#include "base/opt.h"

struct settings {
    bool json, jobs_only;
    int64_t count, free_int;
    double ratio;
    const char *output, *reader;
    enum { RED, GREEN, BLUE } ink;
    struct opt_list include;
};

static const struct opt table[] = {
    OPT_FLAG(struct settings, json, 'j', "json", "print JSON"),
    OPT_FLAG(struct settings, jobs_only, 'J', "jobs-only", "jobs"),
    OPT_INT(struct settings, count, 'n', "count", 1, 100, "N", "how many"),
    OPT_INT(struct settings, free_int, 0, "any", 0, 0, "N", "any number"),
    OPT_NUM(struct settings, ratio, 0, "ratio", 0, 1, "R", "a part"),
    OPT_TEXT(struct settings, output, 'o', "output", "FILE", "where to"),
    OPT_CHOICE(struct settings, reader, 0, "reader", "auto|fast|check", "how"),
    OPT_WORD(struct settings, ink, 0, "ink", "red|green|blue", "which"),
    OPT_LIST(struct settings, include, 'I', "include", "NAME", "also"),
    OPT_END,
};

static struct arena arena;
static struct settings s;
static struct opt_list operands;
static struct gs_error err;
static bool help;

/* Parses the words of a line, divided by single spaces. */
static bool parse(const char *line)
{
    char *argv[32], *text = arena_strdup(&arena, line);
    int argc = 0;
    for (char *p = strtok(text, " "); p; p = strtok(NULL, " "))
        argv[argc++] = p;
    s = (struct settings){.count = 7, .reader = "auto"};
    operands = (struct opt_list){0};
    err = (struct gs_error){0};
    return opt_parse(table, &s, argc, argv, &operands, &help, &arena, &err);
}

static void assert_refused(const char *line, const char *message)
{
    assert_false(parse(line));
    assert_int_equal(err.code, GS_E_USAGE);
    assert_string_equal(err.text, message);
}

static void every_kind_is_stored(void **state)
{
    (void)state;
    assert_true(parse(
        "--json --count=3 --ratio 0.5 --output=a=b --reader fast --ink blue -I x --include=y"));
    assert_true(s.json && !s.jobs_only);
    assert_int_equal(s.count, 3);
    assert_true(s.ratio == 0.5);
    assert_string_equal(s.output, "a=b");
    assert_string_equal(s.reader, "fast");
    assert_int_equal(s.ink, BLUE);
    assert_int_equal(s.include.n, 2);
    assert_string_equal(s.include.v[0], "x");
    assert_string_equal(s.include.v[1], "y");
}

static void absent_options_keep_defaults(void **state)
{
    (void)state;
    assert_true(parse(""));
    assert_int_equal(s.count, 7);
    assert_string_equal(s.reader, "auto");
    assert_null(s.output);
    assert_false(help);
}

static void letters_may_be_joined(void **state)
{
    (void)state;
    assert_true(parse("-jJn5 -ofile -o last"));
    assert_true(s.json && s.jobs_only);
    assert_int_equal(s.count, 5);
    assert_string_equal(s.output, "last");
}

static void operands_may_be_mixed_in(void **state)
{
    (void)state;
    assert_true(parse("a --json b - -n 2 c -- --json -x"));
    assert_int_equal(operands.n, 6);
    assert_string_equal(operands.v[0], "a");
    assert_string_equal(operands.v[2], "-");
    assert_string_equal(operands.v[4], "--json");
    assert_string_equal(operands.v[5], "-x");
}

static void unambiguous_abbreviations_work(void **state)
{
    (void)state;
    assert_true(parse("--js --cou 9 --rea=check"));
    assert_true(s.json);
    assert_int_equal(s.count, 9);
    assert_string_equal(s.reader, "check");
    assert_refused("--j", "option '--j' is ambiguous; '--json' or '--jobs-only'?");
}

static void help_is_known_everywhere(void **state)
{
    (void)state;
    assert_true(parse("--help") && help);
    assert_true(parse("-h") && help);
    assert_true(parse("x -jh") && help);
    assert_true(parse("-- --help") && !help);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    assert_refused("--ink gre", "option '--ink' must be one of red|green|blue, not 'gre'");
    assert_refused("--outptu=x", "unknown option '--outptu'; did you mean '--output'?");
    assert_refused("--frobnicate", "unknown option '--frobnicate'; see --help");
    assert_refused("-z", "unknown option '-z'; see --help");
    assert_refused("--json=1", "option '--json' takes no value");
    assert_refused("--output", "option '--output' needs a value (FILE)");
    assert_refused("-o", "option '--output' needs a value (FILE)");
    assert_refused("--reader=slow", "option '--reader' must be one of auto|fast|check, not 'slow'");
    assert_refused("--reader=", "option '--reader' must be one of auto|fast|check, not ''");
    assert_refused("--reader=aut", "option '--reader' must be one of auto|fast|check, not 'aut'");
}

static void numbers_are_checked(void **state)
{
    (void)state;
    assert_refused("-n 0", "option '--count' must be between 1 and 100, not '0'");
    assert_refused("-n 101", "option '--count' must be between 1 and 100, not '101'");
    assert_refused("-n 5x", "option '--count' needs a number, not '5x'");
    assert_refused("--count=", "option '--count' needs a number, not ''");
    assert_refused("--any 99999999999999999999",
                   "option '--any' needs a number, not '99999999999999999999'");
    assert_refused("--ratio nan", "option '--ratio' needs a number, not 'nan'");
    assert_refused("--ratio 1.5", "option '--ratio' must be between 0 and 1, not '1.5'");
    assert_true(parse("--any -9223372036854775808"));
    assert_true(s.free_int == INT64_MIN);
}

static void the_nearest_word_is_near(void **state)
{
    (void)state;
    static const char *const words[] = {"info", "synth", "compare", NULL};
    assert_string_equal(opt_nearest("inof", words), "info");
    assert_string_equal(opt_nearest("sinth", words), "synth");
    assert_string_equal(opt_nearest("compere", words), "compare");
    assert_null(opt_nearest("xyzzy", words));
    assert_null(opt_nearest("", words));
    char much[200];
    memset(much, 'x', sizeof(much) - 1);
    much[sizeof(much) - 1] = 0;
    opt_nearest(much, words); /* no matter what, as long as it returns */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(every_kind_is_stored),
        unit_test(absent_options_keep_defaults),
        unit_test(letters_may_be_joined),
        unit_test(operands_may_be_mixed_in),
        unit_test(unambiguous_abbreviations_work),
        unit_test(help_is_known_everywhere),
        unit_test(mistakes_are_named),
        unit_test(numbers_are_checked),
        unit_test(the_nearest_word_is_near),
    };
    arena_init(&arena);
    int failed = unit_run(tests);
    arena_release(&arena);
    return failed;
}
