#include "llm/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "llm/json_copy.h"

void llm_parser_init(struct llm_parser *p, const struct llm_wire *wire, struct arena *a,
                     llm_taker *take, void *ctx)
{
    *p = (struct llm_parser){.wire = wire, .arena = a, .take = take, .ctx = ctx};
    p->usage.cost = NAN;
    str_init(&p->refusal, a);
}

void llm_give_fault(struct llm_parser *p, enum llm_fault fault, int status, const char *fmt, ...)
{
    if (p->failed)
        return;
    ARENA_FORMATTED(text, p->arena);
    p->failed = true;
    p->take(p->ctx, &(struct llm_event){.kind = LLM_EVENT_FAULT,
                                        .text = text,
                                        .len = strlen(text),
                                        .fault = fault,
                                        .status = status});
}

/* Counts against what an answer may hold; false: it is more. */
static bool count(struct llm_parser *p, size_t n)
{
    p->taken += n;
    if (p->taken > LLM_TEXT_MAX)
        llm_give_fault(p, LLM_FAULT_TOO_LARGE, 0, "the answer is larger than 1 MiB");
    return !p->failed;
}

/* Well-formed and without NUL: what is kept, shown and sent back is text. */
static const char *cleaned(struct llm_parser *p, const char *text, size_t *n)
{
    if (utf8_valid(text, *n) && !memchr(text, 0, *n))
        return arena_strndup(p->arena, text, *n);
    struct str out;
    str_init(&out, p->arena);
    for (size_t i = 0, len; i < *n; i += len) {
        uint32_t c = utf8_decode(text + i, *n - i, &len);
        bool bad = !c || (c == 0xfffd && len == 1);
        str_put(&out, bad ? "\xef\xbf\xbd" : text + i, bad ? 3 : len);
    }
    *n = out.len;
    return out.buf;
}

void llm_give_text(struct llm_parser *p, const char *text, size_t n)
{
    if (p->failed || !n || !count(p, n))
        return;
    const char *clean = cleaned(p, text, &n);
    p->texts++;
    p->take(p->ctx, &(struct llm_event){.kind = LLM_EVENT_TEXT, .text = clean, .len = n});
}

void llm_give_refusal(struct llm_parser *p, const char *text, size_t n)
{
    if (p->failed || !count(p, n))
        return;
    const char *clean = cleaned(p, text, &n);
    str_put(&p->refusal, clean, n);
    p->stop = LLM_STOP_REFUSED;
}

void llm_give_opaque(struct llm_parser *p, const char *json)
{
    size_t n = strlen(json);
    if (p->failed || !count(p, n))
        return;
    p->take(p->ctx, &(struct llm_event){.kind = LLM_EVENT_OPAQUE, .text = json, .len = n});
}

void llm_give_call(struct llm_parser *p, const char *id, const char *name, const char *arguments,
                   const char *extra)
{
    if (p->failed)
        return;
    if (++p->calls > LLM_CALLS_MAX) {
        llm_give_fault(p, LLM_FAULT_TOO_LARGE, 0, "the answer calls more than %d tools at once",
                       LLM_CALLS_MAX);
        return;
    }
    size_t n = arguments ? strlen(arguments) : 0;
    const char *clean = n ? cleaned(p, arguments, &n) : "{}";
    p->take(p->ctx, &(struct llm_event){
                        .kind = LLM_EVENT_CALL,
                        .id = id && *id ? id : arena_printf(p->arena, LLM_OWN_ID "%zu", p->calls),
                        .name = name ? name : "",
                        .text = clean,
                        .len = strlen(clean),
                        .extra = extra});
}

struct llm_open *llm_open_at(struct llm_parser *p, int64_t index, bool make)
{
    for (size_t i = 0; i < p->open.n; i++)
        if (p->open.v[i]->index == index && !p->open.v[i]->done)
            return p->open.v[i];
    if (!make || p->failed)
        return NULL;
    if (p->open.n >= 4 * LLM_CALLS_MAX) {
        llm_give_fault(p, LLM_FAULT_TOO_LARGE, 0, "the answer has too many parts");
        return NULL;
    }
    struct llm_open *o = arena_new(p->arena, struct llm_open);
    o->index = index;
    str_init(&o->text, p->arena);
    vec_push(&p->open, p->arena, o);
    return o;
}

bool llm_open_add(struct llm_parser *p, struct llm_open *o, const char *text, size_t n)
{
    if (!count(p, n))
        return false;
    str_put(&o->text, text, n);
    return true;
}

void llm_open_call(struct llm_parser *p, struct llm_open *o)
{
    if (!o->done && o->is_call)
        llm_give_call(p, o->id, o->name, o->text.buf, o->extra);
    o->done = true;
}

const char *llm_keep(struct llm_parser *p, struct jread *j)
{
    size_t n;
    const char *text = jr_str(j, &n);
    return text ? cleaned(p, text, &n) : NULL; /* what it becomes is counted then */
}

const char *llm_keep_json(struct llm_parser *p, struct jread *j)
{
    struct str out;
    struct jwrite w;
    str_init(&out, p->arena);
    jw_init(&w, &out, 0);
    json_copy(j, &w, NULL, NULL);
    return out.buf;
}

static void read_details(struct llm_parser *p, struct jread *j)
{
    if (jr_object(j))
        while (jr_key(j)) {
            if (jr_is(j, "cached_tokens"))
                p->usage.cache_read = llm_tokens(j, 0);
            else
                jr_skip(j);
        }
}

void llm_read_usage(struct llm_parser *p, struct jread *j, const char *input, const char *output,
                    const char *details)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, input)) {
            p->usage.input = llm_tokens(j, 0);
        } else if (jr_is(j, output)) {
            p->usage.output = llm_tokens(j, 0);
        } else if (jr_is(j, details)) {
            read_details(p, j);
        } else {
            jr_skip(j);
        }
    }
    if (p->usage.cache_read <= p->usage.input)
        p->usage.input -= p->usage.cache_read;
}

void llm_read_tokens(struct llm_parser *p, struct jread *j)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        int64_t *to = jr_is(j, "input_tokens")                  ? &p->usage.input
                      : jr_is(j, "output_tokens")               ? &p->usage.output
                      : jr_is(j, "cache_read_input_tokens")     ? &p->usage.cache_read
                      : jr_is(j, "cache_creation_input_tokens") ? &p->usage.cache_write
                                                                : NULL;
        if (to)
            *to = llm_tokens(j, *to);
        else
            jr_skip(j);
    }
}

void llm_write_tool(struct jwrite *w, const struct llm_function *t, const char *key)
{
    jw_str(w, "name", t->name);
    jw_str(w, "description", t->description);
    json_insert(w, key, t->parameters, NULL);
}

void llm_write_messages(struct jwrite *w, const struct llm_message_words *words,
                        const struct llm_dialogue *d,
                        void (*one)(struct jwrite *w, const struct llm_dialogue *d, size_t message,
                                    size_t part))
{
    jw_open(w, words->list, '[');
    for (size_t i = 0; i < d->messages.n; i++) {
        const struct llm_message *m = &d->messages.v[i];
        jw_open(w, NULL, '{');
        jw_str(w, "role", m->role == LLM_USER ? "user" : words->model);
        jw_open(w, words->parts, '[');
        for (size_t k = 0; k < m->parts.n; k++)
            one(w, d, i, k);
        jw_close(w);
        jw_close(w);
    }
    jw_close(w);
}

void llm_write_tools(struct jwrite *w, const char *key, const struct llm_dialogue *d,
                     void (*one)(struct jwrite *w, const struct llm_function *t))
{
    jw_open(w, key, '[');
    for (size_t i = 0; i < d->tools.n; i++) {
        jw_open(w, NULL, '{');
        one(w, &d->tools.v[i]);
        jw_close(w);
    }
    jw_close(w);
}

void llm_parser_event(struct llm_parser *p, const char *name, const char *data, size_t n)
{
    if (p->wire->event)
        p->wire->event(p, name, data, n);
    else
        p->wire->whole(p, data, n);
}

void llm_read_first(struct llm_parser *p, struct jread *j,
                    void (*each)(struct llm_parser *p, struct jread *j))
{
    jr_array(j);
    for (size_t i = 0; jr_item(j); i++)
        if (i)
            jr_skip(j);
        else
            each(p, j);
}

void llm_read_object(struct llm_parser *p, const char *data, size_t n,
                     void (*each)(struct llm_parser *p, struct jread *j))
{
    if (p->failed)
        return;
    struct arena *scratch = arena_scratch(); /* one event of very many */
    struct jread *j = jr_text(scratch, data, n);
    bool object = jr_type(j) == J_OBJECT;
    if (jr_object(j))
        while (jr_key(j))
            each(p, j);
    bool ok = jr_end(j, NULL) && object;
    arena_release(scratch);
    if (!ok)
        llm_give_fault(p, LLM_FAULT_SERVER, 0, "the server sent something that is no answer");
}

static bool is_busy(const char *kind)
{
    static const char *const words[] = {"overloaded_error", "api_error",    "rate_limit_error",
                                        "timeout_error",    "server_error", "rate_limit_exceeded",
                                        "UNAVAILABLE",      "INTERNAL",     "RESOURCE_EXHAUSTED"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_eq(kind, words[i]))
            return true;
    int status = atoi(kind);
    return status >= 500 || status == 429;
}

void llm_ended_by(struct llm_parser *p, const char *kind, const char *text)
{
    const char *said = arena_printf(p->arena, "the server ended the answer: %s",
                                    text ? text : "it did not say why");
    if (p->failed)
        return;
    if (!p->taken && !p->calls && is_busy(kind)) {
        p->busy = said;
        p->failed = true;
    } else
        llm_give_fault(p, LLM_FAULT_SERVER, 0, "%s", said);
}

void llm_read_error(struct llm_parser *p, struct jread *j)
{
    struct str out;
    struct jwrite w;
    const char *kind;
    str_init(&out, p->arena);
    jw_init(&w, &out, 0);
    json_copy(j, &w, NULL, NULL);
    const char *text = llm_error_text(out.buf, out.len, &kind, p->arena);
    llm_ended_by(p, kind, text);
}

void llm_parser_finish(struct llm_parser *p)
{
    if (p->failed)
        return;
    p->take(p->ctx, &(struct llm_event){.kind = LLM_EVENT_USAGE, .usage = p->usage});
    if (p->stop == LLM_STOP_REFUSED)
        llm_give_fault(p, LLM_FAULT_REFUSED, 0, "the model refused to answer%s%s",
                       p->refusal.len ? ": " : "", p->refusal.buf);
    else if (!p->ended)
        llm_give_fault(p, LLM_FAULT_NETWORK, 0, "the answer was cut off: the connection ended");
    else if (!p->texts && !p->calls && p->stop != LLM_STOP_LENGTH)
        llm_give_fault(p, LLM_FAULT_EMPTY, 0, "the answer is empty%s%s%s", p->why ? " ('" : "",
                       p->why ? p->why : "", p->why ? "')" : "");
    else if (!p->texts && !p->calls)
        llm_give_fault(p, LLM_FAULT_EMPTY, 0,
                       "the answer is empty: all tokens went into thoughts; raise "
                       "'--llm-max-tokens'");
    else
        p->take(p->ctx, &(struct llm_event){.kind = LLM_EVENT_STOP,
                                            .stop = p->calls  ? LLM_STOP_CALLS
                                                    : p->stop ? p->stop
                                                              : LLM_STOP_END});
}

/* ---- errors ---- */

struct error_words {
    const char *message, *kind;
};

static const char *string_of(struct jread *j, struct arena *a)
{
    if (jr_type(j) == J_NUMBER)
        return arena_printf(a, "%lld", (long long)jr_int(j, 0));
    return jr_strdup(j, a);
}

/* Words say more than numbers, and anything more than that it is an error. */
static bool says_more(const char *kind, const char *than)
{
    bool number = *kind && !kind[strspn(kind, "0123456789")];
    return !than || str_eq(than, "error") || (!number && !than[strspn(than, "0123456789")]);
}

static void error_object(struct jread *j, struct error_words *e, struct arena *a, int depth)
{
    while (jr_key(j)) {
        const char *v;
        if (jr_is(j, "error") && depth < 3) {
            if (jr_type(j) == J_OBJECT) {
                jr_object(j);
                error_object(j, e, a, depth + 1);
            } else if ((v = string_of(j, a)))
                e->message = v;
        } else if (jr_is(j, "message") || jr_is(j, "detail")) {
            if ((v = string_of(j, a)))
                e->message = v;
        } else if (jr_is(j, "type") || jr_is(j, "status") || jr_is(j, "code")) {
            if ((v = string_of(j, a)) && says_more(v, e->kind))
                e->kind = v;
        } else
            jr_skip(j);
    }
}

const char *llm_error_text(const char *json, size_t n, const char **kind, struct arena *a)
{
    struct jread *j = jr_text(a, json, n);
    struct error_words e = {0};
    if (jr_type(j) == J_ARRAY) { /* Gemini answers with a list of one */
        jr_array(j);
        jr_item(j);
    }
    if (jr_object(j))
        error_object(j, &e, a, 0);
    *kind = e.kind ? e.kind : "";
    return e.message;
}
