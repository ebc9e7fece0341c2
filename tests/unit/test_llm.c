/* Language models: what needs no server. tests/llm/ has the rest. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "llm/hypothesis.h"
#include "llm/redact.h"
#include "llm/scrub.h"
#include "llm/sse.h"
#include "llm/target.h"
#include "llm/wire.h"
#include "unit_arena.h"

/* ---- events ---- */

static void put_event(void *ctx, const char *name, const char *data, size_t n)
{
    str_printf(ctx, "%s=%.*s|", name, (int)n, data);
}

static const char *events_of(const char *text, size_t piece)
{
    struct sse s;
    struct str *out = arena_new(&arena, struct str);
    size_t n = strlen(text);
    str_init(out, &arena);
    sse_init(&s, &arena, put_event, out);
    for (size_t i = 0; i < n; i += piece)
        assert_true(sse_feed(&s, text + i, n - i < piece ? n - i : piece));
    sse_end(&s);
    return out->buf;
}

static void events_are_the_same_in_pieces_of_any_size(void **state)
{
    (void)state;
    static const char text[] =
        ": comment\r\nevent: a\r\ndata: 1\r\ndata:2\r\n\r\nid: 7\rdata: x\r\r"
        "event: none\n\ndata\n\ndata: last";
    for (size_t piece = 1; piece < sizeof(text); piece++)
        assert_string_equal(events_of(text, piece), "a=1\n2|=x|=|=last|");
}

static void an_event_without_end_is_refused(void **state)
{
    (void)state;
    struct sse s;
    struct str out;
    static char much[65536];
    memset(much, 'x', sizeof(much));
    str_init(&out, &arena);
    sse_init(&s, &arena, put_event, &out);
    size_t fed = 0;
    while (fed < 2 * (size_t)SSE_MAX && sse_feed(&s, much, sizeof(much)))
        fed += sizeof(much);
    assert_in_range(fed, SSE_MAX - 2 * sizeof(much), SSE_MAX);
}

/* ---- redaction ---- */

static void make_names(struct redact *r, enum redact_mode mode)
{
    redact_init(r, mode, &arena);
    uint32_t e = redact_add(r, NAME_KERNEL, "void ns::gemm_tile<float>(int)", "gemm_tile<float>");
    redact_alias(r, e, "gemm_tile<float>");
    redact_alias(r, e, "gemm_tile");
    redact_add(r, NAME_KERNEL, "gemm_tile_small", NULL);
    redact_add(r, NAME_KERNEL, "a_very_long_name_of_a_kernel_that_was_cut_somewhere", NULL);
    redact_add(r, NAME_MARKER, "step 1", NULL);
    redact_add(r, NAME_MARKER, "step 12", NULL);
    redact_add(r, NAME_MARKER, "7", NULL);
    redact_add(r, NAME_HOST, "node-7", NULL);
    redact_add(r, NAME_CALL, "hipMemcpy", NULL);
    redact_seal(r);
}

static void names_are_replaced_as_words_the_longest_first(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"gemm_tile_small and gemm_tile", "[KERNEL_2] and [KERNEL_1]"},
        {"void ns::gemm_tile<float>(int) took 7 ms", "[KERNEL_1] took 7 ms"},
        {"xgemm_tile gemm_tiles", "xgemm_tile gemm_tiles"},
        {"in step 12, step 1.", "in [MARKER_2], [MARKER_1]."},
        {"step 123", "step 123"},
        {"on node-7: 3 GB/s", "on [HOST_1]: 3 GB/s"},
        {"void ns::gemm_t\xe2\x80\xa6 is cut", "[KERNEL_1] is cut"},
        {"--regex a_very_long_name_of_a_kernel_that_was_c --", "--regex [KERNEL_3] --"},
        {"see /home/ann/x.db, ok", "see [PATH_1], ok"},
        {"copies/compute and 12/s", "copies/compute and 12/s"},
        {"mail ann@site.org or 10.0.0.1", "mail [USER_1] or [HOST_2]"},
        {"hipMemcpy", "hipMemcpy"},
        {"", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct redact r;
        make_names(&r, REDACT_NAMES);
        assert_string_equal(redact_text(&r, cases[i][0]), cases[i][1]);
    }
    struct redact odd;
    redact_init(&odd, REDACT_NAMES, &arena);
    redact_add(&odd, NAME_KERNEL, "bad_\xff_name", NULL);
    redact_seal(&odd);
    assert_string_equal(redact_text(&odd, "bad_\xef\xbf\xbd_name"), "[KERNEL_1]");
    struct redact all, none;
    make_names(&all, REDACT_ALL);
    assert_string_equal(redact_text(&all, "hipMemcpy"), "[CALL_1]");
    make_names(&none, REDACT_NONE);
    assert_string_equal(redact_text(&none, "gemm_tile /home/ann"), "gemm_tile /home/ann");
}

static void strings_of_json_are_replaced_and_numbers_stay_exact(void **state)
{
    (void)state;
    struct redact r;
    make_names(&r, REDACT_NAMES);
    assert_string_equal(redact_json(&r,
                                    "{\"gemm_tile\": \"gemm_tile\", \"ns\": 1700000000123456789,"
                                    " \"x\": [\"7\", 7, 0.1, null, true, \"a\\nb\"]}",
                                    false),
                        "{\"gemm_tile\": \"[KERNEL_1]\", \"ns\": 1700000000123456789, \"x\": "
                        "[\"[MARKER_3]\", 7, 0.1, null, true, \"a\\nb\"]}");
    assert_string_equal(redact_json(&r, "[\"secret\", \"12.5\", \"secret\"]", true),
                        "[\"[TEXT_1]\", \"12.5\", \"[TEXT_1]\"]");
    assert_null(redact_json(&r, "{\"a\": ", false));
}

static void put_text(void *ctx, const char *text, size_t n)
{
    str_put(ctx, text, n);
}

static void names_are_put_back_over_the_ends_of_pieces(void **state)
{
    (void)state;
    static const char text[] = "[KERNEL_1], KERNEL_2. \\[MARKER\\_1\\] [KERNEL_9] [x] K [MARKER_2";
    static const char want[] =
        "gemm_tile<float>, gemm_tile_small. step 1 [KERNEL_9] [x] K [step 12";
    struct redact r;
    make_names(&r, REDACT_NAMES);
    for (size_t piece = 1; piece < sizeof(text); piece++) {
        struct restore s;
        struct str out;
        str_init(&out, &arena);
        restore_init(&s, &r, &arena, put_text, &out);
        for (size_t i = 0; i < sizeof(text) - 1; i += piece)
            restore_feed(&s, text + i, sizeof(text) - 1 - i < piece ? sizeof(text) - 1 - i : piece);
        restore_end(&s);
        assert_string_equal(out.buf, want);
    }
    assert_string_equal(redact_restore(&r, "[KERNEL_1]", true), "void ns::gemm_tile<float>(int)");
}

/* ---- secrets ---- */

static void take_text(void *ctx, const struct llm_event *e)
{
    str_put(ctx, e->text, e->len);
}

static void a_secret_in_pieces_is_never_shown(void **state)
{
    (void)state;
    static const char *const secrets[] = {"sk-abcabcabd"};
    static const char text[] = "the key sk-abcabcabcabd, sk-abc and sk-abcabcabd.";
    for (size_t piece = 1; piece < sizeof(text); piece++) {
        struct scrub s;
        struct str out;
        str_init(&out, &arena);
        scrub_init(&s, secrets, 1, &arena, take_text, &out);
        for (size_t i = 0; i < sizeof(text) - 1; i += piece) {
            size_t n = sizeof(text) - 1 - i < piece ? sizeof(text) - 1 - i : piece;
            scrub_take(&s, &(struct llm_event){.kind = LLM_EVENT_TEXT, .text = text + i, .len = n});
        }
        scrub_take(&s, &(struct llm_event){.kind = LLM_EVENT_STOP, .text = "", .len = 0});
        assert_string_equal(out.buf, "the key sk-abcabcabcabd, sk-abc and ***.");
    }
}

/* ---- answers that break off ---- */

static void count_ends(void *ctx, const struct llm_event *e)
{
    *(int *)ctx += e->kind == LLM_EVENT_STOP || e->kind == LLM_EVENT_FAULT;
}

/* Cut anywhere, and with a byte that no text may hold in place of each: one end, whatever came. */
static void broken_answers_end_once(void **state)
{
    (void)state;
    static const struct {
        const struct llm_wire *wire;
        const char *text;
    } answers[] = {
        {&wire_gemini,
         "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\",\"thoughtSignature\":\"b\"},"
         "{\"functionCall\":{\"name\":\"info\",\"args\":{}}}]},\"finishReason\":\"SAFETY\"}]}"},
        {&wire_gemini, "{\"promptFeedback\":{\"blockReason\":\"OTHER\"}}"},
        {&wire_chat, "{\"choices\":[{\"message\":{\"content\":\"a\",\"refusal\":\"b\"},"
                     "\"finish_reason\":\"length\"}]}"},
        {&wire_responses,
         "{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":["
         "{\"type\":\"output_text\",\"text\":\"a\"}]}]}"},
        {&wire_anthropic, "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
                          "{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"info\",\"input\":{}}],"
                          "\"stop_reason\":\"refusal\"}"},
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
        size_t n = strlen(answers[i].text);
        char *text = arena_strdup(&arena, answers[i].text);
        for (size_t at = 0; at <= 2 * n; at++) {
            struct llm_parser p;
            int ends = 0;
            char was = text[at % n];
            bool cut = at <= n;
            text[at % n] = cut ? was : '\x01';
            llm_parser_init(&p, answers[i].wire, &arena, count_ends, &ends);
            answers[i].wire->whole(&p, text, cut ? at : n);
            llm_parser_finish(&p);
            text[at % n] = was;
            assert_int_equal(ends, 1);
        }
    }
}

/* ---- hypotheses ---- */

static void bounds_are_those_of_amdahl(void **state)
{
    (void)state;
    static const double cases[][3] = {{50, 33.3, 100}, {20, 11.1, 25}, {40, 25, 66.7}, {0, 0, 0}};
    double lower, upper;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        amdahl_bounds(cases[i][0], &lower, &upper);
        assert_true(fabs(lower - cases[i][1]) < 0.01 && fabs(upper - cases[i][2]) < 0.01);
    }
    amdahl_bounds(100, &lower, &upper);
    assert_true(fabs(lower - 100) < 0.01 && isnan(upper));
    amdahl_bounds(NAN, &lower, &upper);
    assert_true(isnan(lower) && isnan(upper));
}

static void an_array_is_found_in_any_text(void **state)
{
    (void)state;
    struct explanation e = {0};
    assert_true(hypotheses_read(&e, "as [asked]:\n```json\n[{\"phase\": \"p\"}, 7]\n```", &arena));
    assert_int_equal(e.hypotheses.n, 1);
    assert_string_equal(e.hypotheses.v[0].phase, "p");
    assert_string_equal(e.hypotheses.v[0].bottleneck_type, "other");
    assert_false(hypotheses_read(&e, "none [here", &arena));
    assert_false(hypotheses_read(&e, "", &arena));
}

/* ---- addresses ---- */

static void only_addresses_of_servers_are_taken(void **state)
{
    (void)state;
    struct llm_url u;
    assert_true(llm_url_parse(&u, "https://host.example:8443/v1", NULL));
    assert_true(u.tls && !u.loopback);
    assert_string_equal(u.host, "host.example");
    assert_true(llm_url_parse(&u, "http://[::1]:11434/v1", NULL) && u.loopback && !u.tls);
    assert_true(llm_url_parse(&u, "http://127.0.0.1", NULL) && u.loopback);
    static const char *const bad[] = {"file:///etc/passwd", "https://",  "https://u:p@host/",
                                      "https://ho st/",     "http:///x", ""};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(llm_url_parse(&u, bad[i], NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(events_are_the_same_in_pieces_of_any_size),
        unit_test(an_event_without_end_is_refused),
        unit_test(names_are_replaced_as_words_the_longest_first),
        unit_test(strings_of_json_are_replaced_and_numbers_stay_exact),
        unit_test(names_are_put_back_over_the_ends_of_pieces),
        unit_test(a_secret_in_pieces_is_never_shown),
        unit_test(broken_answers_end_once),
        unit_test(bounds_are_those_of_amdahl),
        unit_test(an_array_is_found_in_any_text),
        unit_test(only_addresses_of_servers_are_taken),
    };
    return cmocka_run_group_tests(tests, arena_begin, arena_end);
}
