#include "llm/http.h"

#include <string.h>
#include <time.h>

enum {
    ANSWER_MAX = 16 * 1024 * 1024, /* bytes of a response */
    WHOLE_MAX = 4 * 1024 * 1024,   /* of one that is no stream */
    WAIT_MAX_S = 60,               /* that a server may make us wait before the next try */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- ways ---- */

static const struct transport *const transports[] = {
#define TRANSPORT(name) &transport_##name,
#include "llm/transports.def"
#undef TRANSPORT
};

const struct transport *transport_find(const char **program, struct arena *a, struct gs_error *err)
{
    const char *which, *wanted = llm_env("*_LLM_TRANSPORT", &which, a);
    struct str missing;
    str_init(&missing, a);
    if (ARRAY_LEN(transports) == 1 && !wanted)
        str_puts(&missing, "this build has no libcurl");
    *program = NULL;
    for (size_t i = 0; i < ARRAY_LEN(transports); i++) {
        struct gs_error why;
        if (wanted && !str_eq(wanted, transports[i]->name))
            continue;
        if (transports[i]->ready(program, a, &why))
            return transports[i];
        str_printf(&missing, "%s%s", missing.len ? " and " : "", why.text);
    }
    if (!missing.len)
        fail(err, GS_E_USAGE, "this build has no '%.40s' (%s); leave it unset", wanted, which);
    else
        fail(err, GS_E_NETWORK,
             "no way to the network: %s; install curl, or ask '--llm claude-code'", missing.buf);
    return NULL;
}

void http_headers(const struct llm_target *t, void (*each)(void *ctx, const char *line), void *ctx)
{
    each(ctx, "Content-Type: application/json");
    each(ctx, t->provider->no_stream ? "Accept: application/json"
                                     : "Accept: text/event-stream, application/json");
    each(ctx, "Expect:"); /* none: the body goes at once */
    for (size_t i = 0; i < t->headers.n; i++)
        each(ctx, t->headers.v[i]);
}

int http_connect_s(const struct llm_target *t)
{
    return t->timeout_s < 30 ? t->timeout_s : 30;
}

/* ---- what comes ---- */

static void take_sse(void *ctx, const char *name, const char *data, size_t n)
{
    struct http_exchange *x = ctx;
    llm_parser_event(&x->parser, name, data, n);
}

/* A stream says so, or does not look like one document. */
static void look_at_first(struct http_exchange *x, const char *bytes, size_t n)
{
    size_t i = 0;
    x->begun = true;
    while (i < n && strchr(" \t\r\n", bytes[i]))
        i++;
    bool document = i < n && (bytes[i] == '{' || bytes[i] == '[' || bytes[i] == '<');
    x->stream =
        x->status == 200 && ((x->type && str_has_fold(x->type, "event-stream")) || !document);
}

bool http_take(struct http_exchange *x, const char *bytes, size_t n)
{
    x->last_byte = now();
    x->received += n;
    if (!x->begun)
        look_at_first(x, bytes, n);
    if (x->received > ANSWER_MAX || (!x->stream && x->whole.len + n > WHOLE_MAX))
        x->too_large = true;
    else if (!x->stream)
        str_put(&x->whole, bytes, n);
    else if (!sse_feed(&x->sse, bytes, n))
        x->too_large = true;
    return !x->too_large && !x->parser.failed;
}

enum http_state http_state(const struct http_exchange *x)
{
    if (x->parser.closed) /* whether the server hangs up or not */
        return HTTP_DONE;
    if (errand_interrupted(x->e, 0))
        return HTTP_STOPPED;
    return now() - x->last_byte > x->e->target->timeout_s ? HTTP_STALLED : HTTP_GOES_ON;
}

/* ---- what it means ---- */

static bool worth_another_try(const struct http_exchange *x)
{
    if (x->parser.busy)
        return true;
    if (x->begun || x->status)
        return x->status == 408 || x->status == 429 || x->status >= 500;
    return x->code == HTTP_NO_CONNECTION || x->code == HTTP_NOTHING || x->code == HTTP_NOT_SENT ||
           x->code == HTTP_NOT_RECEIVED || x->code == HTTP_NO_HOST;
}

static void fault_of_status(struct http_exchange *x)
{
    const struct llm_target *t = x->e->target;
    const char *kind, *said = llm_error_text(x->whole.buf, x->whole.len, &kind, x->e->arena);
    const char *colon = said ? ": " : "", *name = t->provider->name;
    int s = (int)x->status;
    said = said ? said : "";
    if (s >= 300 && s < 400) {
        llm_give_fault(&x->parser, LLM_FAULT_SERVER, s,
                       "'%s' redirects (%d) to '%s', which is not followed; give the address "
                       "itself with '--llm-url'",
                       t->host, s, x->redirect ? x->redirect : "");
    } else if (s == 401 || s == 403)
        llm_give_fault(&x->parser, LLM_FAULT_AUTH, s, "%s refused the key (%d)%s%s; check %s", name,
                       s, colon, said,
                       t->key_from                ? t->key_from
                       : t->provider->key_vars[0] ? t->provider->key_vars[0]
                                                  : "the account");
    else if (s == 429)
        llm_give_fault(&x->parser, LLM_FAULT_RATE, s, "%s allows no more requests now (429)%s%s",
                       name, colon, said);
    else if (s == 404)
        llm_give_fault(&x->parser, LLM_FAULT_REQUEST, s,
                       "'%s' knows no such address or model (404)%s%s; check '--llm-model' and "
                       "'--llm-url'",
                       t->host, colon, said);
    else
        llm_give_fault(&x->parser, s < 500 ? LLM_FAULT_REQUEST : LLM_FAULT_SERVER, s,
                       "'%s' answered with an error (%d)%s%s", t->host, s, colon, said);
}

static void fault_of_network(struct http_exchange *x)
{
    const struct llm_target *t = x->e->target;
    const char *why = x->problem;
    bool tls = x->code == HTTP_NOT_TRUSTED || x->code == HTTP_BAD_CA;
    if (tls)
        llm_give_fault(&x->parser, LLM_FAULT_NETWORK, 0,
                       "the certificate of '%s' is not trusted: %s; give its authority with "
                       "'--llm-ca'",
                       t->host, why);
    else if (x->begun)
        llm_give_fault(&x->parser, LLM_FAULT_NETWORK, 0, "the answer of '%s' was cut off: %s",
                       t->host, why);
    else
        llm_give_fault(&x->parser, LLM_FAULT_NETWORK, 0, "cannot reach '%s': %s", t->host, why);
}

static void finish(struct http_exchange *x, enum http_state how)
{
    const struct llm_target *t = x->e->target;
    if (x->parser.busy) {
        x->parser.failed = false;
        if (how != HTTP_STOPPED)
            llm_give_fault(&x->parser, LLM_FAULT_SERVER, 0, "%s", x->parser.busy);
    }
    if (x->parser.failed)
        return;
    if (how == HTTP_STOPPED)
        llm_give_fault(&x->parser, LLM_FAULT_STOPPED, 0, "stopped");
    else if (how == HTTP_STALLED && !x->parser.ended)
        llm_give_fault(&x->parser, LLM_FAULT_NETWORK, 0, "'%s' sent nothing for %d s", t->host,
                       t->timeout_s);
    else if (x->too_large)
        llm_give_fault(&x->parser, LLM_FAULT_TOO_LARGE, 0, "the answer of '%s' is too large",
                       t->host);
    else if (x->status && x->status != 200)
        fault_of_status(x);
    else if (x->code != HTTP_OK && !x->parser.ended)
        fault_of_network(x);
    else {
        if (x->stream)
            sse_end(&x->sse);
        else if (x->whole.len)
            x->parser.wire->whole(&x->parser, x->whole.buf, x->whole.len);
        else
            x->parser.ended = true; /* and empty */
        llm_parser_finish(&x->parser);
    }
}

static void say_wait(struct errand *e, const char *why, double seconds)
{
    const char *text = arena_printf(e->arena, "%s; again in %.1f s", why, seconds);
    e->take(e->ctx, &(struct llm_event){.kind = LLM_EVENT_NOTE, .text = text, .len = strlen(text)});
}

/* Seconds until the next try; < 0: there is none. */
static double wait_before(const struct http_exchange *x, int tries)
{
    if (tries >= x->e->target->retries || !worth_another_try(x) || x->retry_after_s > WAIT_MAX_S)
        return -1;
    return x->retry_after_s > 0 ? (double)x->retry_after_s
                                : 0.5 * (double)(1 << (tries < 6 ? tries : 6));
}

/* True: it is to be tried again. */
static bool attempt(struct errand *e, int tries)
{
    struct http_exchange *x = arena_new(e->arena, struct http_exchange);
    x->e = e;
    llm_parser_init(&x->parser, e->wire, e->arena, e->take, e->ctx);
    sse_init(&x->sse, e->arena, take_sse, x);
    str_init(&x->whole, e->arena);
    x->last_byte = now();
    enum http_state how = e->transport->run(x);
    double wait_s = how == HTTP_DONE && !x->too_large ? wait_before(x, tries) : -1;
    if (wait_s >= 0) {
        const char *why =
            x->parser.busy ? x->parser.busy
            : x->status    ? arena_printf(e->arena, "'%s' answered %ld", e->target->host, x->status)
                           : x->problem;
        say_wait(e, why, wait_s);
        if (errand_interrupted(e, (int)(wait_s * 1000))) {
            how = HTTP_STOPPED;
            wait_s = -1;
        }
    }
    if (wait_s < 0)
        finish(x, how);
    return wait_s >= 0;
}

void http_run(struct errand *e)
{
    for (int tries = 0; attempt(e, tries); tries++)
        ;
}
