/* Regular expressions, against those of the C library: the same ones fit the same texts. */
#include "unit.h"

#include <regex.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/regex.h"
#include "base/str.h"
#include "unit_arena.h"

enum { DEEP = 3 };

static uint64_t seed;

static unsigned chance(unsigned below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % below;
}

static void put_choice(struct str *s, int deep);

static void put_atom(struct str *s, int deep)
{
    static const char *const atoms[] = {"a",       "b",
                                        "ab",      ".",
                                        "[ab]",    "[^a]",
                                        "[b-d]",   "[]a]",
                                        "[^]",     "[[:alpha:]_]",
                                        "[a\\-c]", "[[:digit:].]",
                                        "[-c]",    "_",
                                        "\\.",     "\\(",
                                        "\\w",     "\\W",
                                        "}"};
    switch (chance(deep ? 5 : 4)) {
    case 4:
        str_putc(s, '(');
        put_choice(s, deep - 1);
        str_putc(s, ')');
        break;
    default: {
        const char *atom = atoms[chance(ARRAY_LEN(atoms))];
        str_puts(s, str_eq(atom, "[^]") ? "[^]b]" : atom);
    }
    }
}

static void put_sequence(struct str *s, int deep)
{
    static const char *const repeats[] = {"*",    "+",    "?",    "{2}", "{1,2}",
                                          "{0,}", "{,2}", "{2,}", "*?"};
    for (unsigned n = chance(4); n + 1; n--) {
        if (deep == DEEP && !chance(8)) { /* the C library errs where they are repeated */
            str_puts(s, chance(2) ? "^" : "$");
            continue;
        }
        put_atom(s, deep);
        if (!chance(3))
            str_puts(s, repeats[chance(ARRAY_LEN(repeats))]);
    }
}

static void put_choice(struct str *s, int deep)
{
    put_sequence(s, deep);
    for (; !chance(3); put_sequence(s, deep))
        str_putc(s, '|');
}

static void random_ones_fit_what_they_fit_in_the_c_library(void **state)
{
    static const char *const letters = "aabbcd_.(1] -\\";
    int hits = 0, all = 0;
    (void)state;
    seed = 1;
    for (int i = 0; i < 20000; i++) {
        struct arena own;
        struct str s;
        const char *why;
        regex_t theirs;
        arena_init(&own);
        str_init(&s, &own);
        put_choice(&s, DEEP);
        struct regex *ours = regex_new(s.buf, &own, &why);
        bool taken = ours && regcomp(&theirs, s.buf, REG_EXTENDED | REG_NOSUB) == 0;
        if (!taken)
            print_error("'%s' is refused: %s\n", s.buf, why);
        assert_true(taken);
        for (int k = 0; k < 8; k++) {
            char text[12];
            size_t n = chance(sizeof(text));
            for (size_t c = 0; c < n; c++)
                text[c] = letters[chance((unsigned)strlen(letters))];
            text[n] = 0;
            bool hit = regex_found(ours, text);
            bool alike = hit == (regexec(&theirs, text, 0, NULL, 0) == 0);
            if (!alike)
                print_error("'%s' in '%s': %d\n", s.buf, text, hit);
            assert_true(alike);
            hits += hit;
            all++;
        }
        regfree(&theirs);
        arena_release(&own);
    }
    assert_in_range(hits, all / 4, 3 * all / 4); /* both answers are tried */
}

static bool found(const char *regex, const char *text)
{
    const char *why;
    struct regex *r = regex_new(regex, &arena, &why);
    if (!r)
        print_error("'%s' is refused: %s\n", regex, why);
    assert_non_null(r);
    return regex_found(r, text);
}

static void words_and_classes_are_those_of_ascii(void **state)
{
    (void)state;
    assert_true(found("\\bgemm\\b", "void gemm<half>"));
    assert_false(found("\\bgemm\\b", "void gemms<half>"));
    assert_true(found("\\<tile_\\d+\\>", "gemm::tile_128(int)"));
    assert_false(found("\\<ile", "tile"));
    assert_true(found("\\Bile\\>", "tile"));
    assert_true(found("^\\S+\\s\\D+$", "void gemm"));
    assert_false(found("\\w", "\xC3\xA9"));
    assert_true(found("^..$", "\xC3\xA9")); /* bytes */
    assert_true(found("", ""));
    assert_true(found("^$", ""));
    assert_false(found("^$", "a"));
    assert_true(found("b$", "ab"));
    assert_true(found("a|^b|c$", "xxc"));
    assert_true(found("a)b", "a)b")); /* as POSIX has it */
}

static void what_is_wrong_is_said(void **state)
{
    static const struct {
        const char *regex, *part;
    } cases[] = {
        {"(a", "without ')'"},
        {"[a", "without ']'"},
        {"[b-a]", "ends before"},
        {"a{3,2}", "ends before"},
        {"a{x}", "is none of"},
        {"a{1", "is none of"},
        {"a{,}", "is none of"},
        {"*a", "nothing stands"},
        {"a|+", "nothing stands"},
        {"(a)\\1", "back-refer"},
        {"\\q", "letter behind"},
        {"a\\", "ends in a backslash"},
        {"[[:word:]]", "a class in"},
        {"((){30000}){30000}", "too long"},
        {"a{30001}", "too long"},
        {"((a{1,1000}){1,1000}){1000}", "too long"},
        {"a{2}{2}{2}{2}{2}{2}{2}{2}{2}{2}{2}{2}", "in a row"},
        {"((a{1\\,1000}){1\\,1000}){1\\,1000}", "is none of"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *why = NULL;
        if (regex_new(cases[i].regex, &arena, &why) || !strstr(why, cases[i].part))
            print_error("'%s': %s\n", cases[i].regex, why ? why : "taken");
        assert_non_null(why);
        assert_non_null(strstr(why, cases[i].part));
    }
}

/* `n` times a text. */
static const char *times(const char *text, size_t n)
{
    struct str s;
    str_init(&s, &arena);
    for (size_t i = 0; i < n; i++)
        str_puts(&s, text);
    return s.buf;
}

static void limits_hold_what_multiplies_and_nothing_else(void **state)
{
    const char *why;
    (void)state;
    assert_true(found("a{7000}|^b", "b"));
    assert_true(found("((((.{4}){4}){4}){4}){4}", times("x", 1024)));
    assert_false(found("((((.{4}){4}){4}){4}){4}", times("x", 1023)));
    assert_true(found("((((((g+)+)+)+)+)+)+$", "ggg"));
    assert_true(found(arena_printf(&arena, "a%s", times("*", 100000)), ""));
    assert_true(found(arena_printf(&arena, "^a%s$", times("?+", 50000)), "aaa"));
    assert_true(found(arena_printf(&arena, "%sz", times("kernel_of_some_length|", 300)), "z"));
    const char *deep = arena_printf(&arena, "%sa%s", times("(", 100), times(")", 100));
    assert_true(found(deep, "a"));
    assert_null(regex_new(arena_printf(&arena, "(%s)", deep), &arena, &why));
    assert_non_null(strstr(why, "too deep"));
}

/* The C library makes an automaton of 2^600 states of the first one. */
static void time_is_that_of_the_lengths(void **state)
{
    static const char *const slow[] = {"(a|b)*a(a|b){600}c", "(a*)*c", "(a|aa|aaa)*c", "(.*){20}c"};
    const char *text = times("ab", 5000);
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(slow); i++) {
        clock_t start = clock();
        assert_false(found(slow[i], text));
        assert_true(clock() - start <
                    5 * CLOCKS_PER_SEC); /* 10,000 bytes, at most 3,000 steps each */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_ones_fit_what_they_fit_in_the_c_library, arena_begin,
                                        arena_end),
        cmocka_unit_test_setup_teardown(words_and_classes_are_those_of_ascii, arena_begin,
                                        arena_end),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_said, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(limits_hold_what_multiplies_and_nothing_else, arena_begin,
                                        arena_end),
        cmocka_unit_test_setup_teardown(time_is_that_of_the_lengths, arena_begin, arena_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
