/*
 * Fuzzing what comes from a server: the first byte chooses a wire, the second how the rest is cut
 * into pieces. A stream in any pieces gives the same text; every answer ends in one way; the same
 * bytes as a recording, as hypotheses and as an answer with placeholders harm nobody.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "llm/event_json.h"
#include "llm/hypothesis.h"
#include "llm/json_copy.h"
#include "llm/redact.h"
#include "llm/scrub.h"
#include "llm/sse.h"
#include "llm/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct llm_wire *const wires[] = {&wire_anthropic, &wire_chat, &wire_responses,
                                               &wire_gemini, &wire_claude};

struct seen {
    struct str text;
    size_t ends;
};

static void take(void *ctx, const struct llm_event *e)
{
    struct seen *s = ctx;
    if (e->kind == LLM_EVENT_TEXT)
        str_put(&s->text, e->text, e->len);
    s->ends += e->kind == LLM_EVENT_STOP || e->kind == LLM_EVENT_FAULT;
}

static void take_sse(void *ctx, const char *name, const char *data, size_t n)
{
    struct llm_parser *p = ctx;
    llm_parser_event(p, name, data, n);
}

static void run(struct seen *s, const struct llm_wire *wire, const char *p, size_t n, size_t piece,
                struct arena *a)
{
    static const char *const secrets[] = {"secret-key"};
    struct llm_parser parser;
    struct scrub scrub;
    struct sse sse;
    str_init(&s->text, a);
    s->ends = 0;
    scrub_init(&scrub, secrets, 1, a, take, s);
    llm_parser_init(&parser, wire, a, scrub_take, &scrub);
    sse_init(&sse, a, take_sse, &parser);
    for (size_t i = 0; i < n; i += piece)
        if (!sse_feed(&sse, p + i, n - i < piece ? n - i : piece))
            break;
    sse_end(&sse);
    llm_parser_finish(&parser);
    if (s->ends != 1 || strstr(s->text.buf, secrets[0]))
        abort();
}

static void others(const struct llm_wire *wire, const char *text, size_t n, struct arena *a)
{
    struct seen s;
    struct llm_parser parser;
    struct llm_event e;
    struct explanation x = {0};
    struct redact r;
    str_init(&s.text, a);
    s.ends = 0;
    llm_parser_init(&parser, wire, a, take, &s);
    wire->whole(&parser, text, n);
    llm_parser_finish(&parser);
    if (s.ends != 1)
        abort();
    event_read(jr_text(a, text, n), &e, a);
    hypotheses_read(&x, text, a);
    differences_read(&x, text, a);
    redact_init(&r, REDACT_ALL, a);
    redact_add(&r, NAME_KERNEL, "gemm", NULL);
    redact_seal(&r);
    redact_restore(&r, redact_text(&r, text), false);
    redact_json(&r, text, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct seen whole, pieces;
    if (size < 2)
        return 0;
    arena_init(&a);
    const struct llm_wire *wire = wires[data[0] % ARRAY_LEN(wires)];
    const char *text = arena_strndup(&a, (const char *)data + 2, size - 2);
    run(&whole, wire, text, size - 2, size, &a);
    run(&pieces, wire, text, size - 2, 1 + data[1] % 16, &a);
    if (whole.text.len != pieces.text.len ||
        memcmp(whole.text.buf, pieces.text.buf, whole.text.len))
        abort();
    others(wire, text, strlen(text), &a);
    arena_release(&a);
    return 0;
}
