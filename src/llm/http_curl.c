/*
 * One request over HTTPS, inside the messenger.
 *
 * Redirects are never followed: where they would lead was not what the user chose, and the key
 * would go along. Certificates are checked. Answers are taken as they come, up to ANSWER_MAX.
 */
#include <curl/curl.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "llm/messenger.h"
#include "llm/sse.h"

enum {
    ANSWER_MAX = 16 * 1024 * 1024, /* bytes of a response */
    WHOLE_MAX = 4 * 1024 * 1024,   /* of one that is no stream */
    WAIT_MAX_S = 60,               /* that a server may make us wait before the next try */
};

struct attempt {
    struct errand *e;
    CURL *curl;
    struct llm_parser parser;
    struct sse sse;
    struct str whole; /* an error, or an answer in one piece */
    long status;
    size_t received;
    bool stream, begun, too_large;
    double last_byte;
    char problem[CURL_ERROR_SIZE];
};

bool llm_has_network(void)
{
    return true;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- what comes ---- */

static void take_sse(void *ctx, const char *name, const char *data, size_t n)
{
    struct attempt *a = ctx;
    a->parser.wire->event(&a->parser, name, data, n);
}

/* A stream says so, or does not look like one document. */
static void look_at_first(struct attempt *a, const char *bytes, size_t n)
{
    const char *type = NULL;
    size_t i = 0;
    a->begun = true;
    curl_easy_getinfo(a->curl, CURLINFO_RESPONSE_CODE, &a->status);
    curl_easy_getinfo(a->curl, CURLINFO_CONTENT_TYPE, &type);
    while (i < n && strchr(" \t\r\n", bytes[i]))
        i++;
    bool document = i < n && (bytes[i] == '{' || bytes[i] == '[' || bytes[i] == '<');
    a->stream = a->status == 200 && ((type && str_has_fold(type, "event-stream")) || !document);
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *ctx)
{
    struct attempt *a = ctx;
    size_t n = size * count;
    a->last_byte = now();
    a->received += n;
    if (!a->begun)
        look_at_first(a, bytes, n);
    if (a->received > ANSWER_MAX || (!a->stream && a->whole.len + n > WHOLE_MAX)) {
        a->too_large = true;
        return 0;
    }
    if (!a->stream)
        str_put(&a->whole, bytes, n);
    else if (!sse_feed(&a->sse, bytes, n)) {
        a->too_large = true;
        return 0;
    }
    return a->parser.failed ? 0 : n; /* a short count ends the transfer */
}

/* ---- how it is asked ---- */

static struct curl_slist *headers_of(const struct llm_target *t)
{
    struct curl_slist *list = NULL;
    list = curl_slist_append(list, "Content-Type: application/json");
    list = curl_slist_append(list, t->provider->no_stream ? "Accept: application/json"
                                                          : "Accept: text/event-stream, "
                                                            "application/json");
    list = curl_slist_append(list, "Expect:");
    for (size_t i = 0; i < t->headers.n; i++)
        list = curl_slist_append(list, t->headers.v[i]);
    return list;
}

static void set_up(struct attempt *a, struct curl_slist *headers)
{
    const struct llm_target *t = a->e->target;
    CURL *c = a->curl;
    struct llm_url u;
    llm_url_parse(&u, a->e->url, NULL);
    curl_easy_setopt(c, CURLOPT_URL, a->e->url);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, u.tls ? "https" : "http");
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(c, CURLOPT_POST, 1L);
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, a->e->body);
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)a->e->n);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "gpusight");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)(t->timeout_s < 30 ? t->timeout_s : 30));
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, a->problem);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, a);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, t->insecure ? 0L : 1L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, t->insecure ? 0L : 2L);
    curl_easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (t->ca)
        curl_easy_setopt(c, CURLOPT_CAINFO, t->ca);
    if (t->proxy || u.loopback) /* this machine is reached without the proxy of the variables */
        curl_easy_setopt(c, CURLOPT_PROXY, t->proxy ? t->proxy : "");
}

enum transfer { TRANSFER_DONE, TRANSFER_STOPPED, TRANSFER_STALLED };

/* Runs it to its end, the limit of silence, or the wish of the other side. */
static enum transfer transfer(struct attempt *a, CURLM *multi, CURLcode *rc)
{
    int running = 1;
    a->last_byte = now();
    *rc = CURLE_OK;
    while (curl_multi_perform(multi, &running), running) {
        struct curl_waitfd control = {.fd = a->e->control, .events = CURL_WAIT_POLLIN};
        curl_multi_poll(multi, &control, 1, 500, NULL);
        if (a->parser.closed) /* whether the server hangs up or not */
            return TRANSFER_DONE;
        if (errand_interrupted(a->e, 0))
            return TRANSFER_STOPPED;
        if (now() - a->last_byte > a->e->target->timeout_s)
            return TRANSFER_STALLED;
    }
    int left;
    for (CURLMsg *m; (m = curl_multi_info_read(multi, &left));)
        if (m->msg == CURLMSG_DONE)
            *rc = m->data.result;
    return TRANSFER_DONE;
}

/* ---- what it means ---- */

static bool worth_another_try(const struct attempt *a, CURLcode rc)
{
    if (a->parser.busy)
        return true;
    if (a->begun || a->status)
        return a->status == 408 || a->status == 429 || a->status >= 500;
    return rc == CURLE_COULDNT_CONNECT || rc == CURLE_GOT_NOTHING || rc == CURLE_SEND_ERROR ||
           rc == CURLE_RECV_ERROR || rc == CURLE_COULDNT_RESOLVE_HOST;
}

static void fault_of_status(struct attempt *a)
{
    const struct llm_target *t = a->e->target;
    const char *kind, *said = llm_error_text(a->whole.buf, a->whole.len, &kind, a->e->arena);
    const char *colon = said ? ": " : "", *name = t->provider->name;
    int s = (int)a->status;
    char *to = NULL;
    said = said ? said : "";
    if (s >= 300 && s < 400) {
        curl_easy_getinfo(a->curl, CURLINFO_REDIRECT_URL, &to);
        llm_give_fault(&a->parser, LLM_FAULT_SERVER, s,
                       "'%s' redirects (%d) to '%s', which is not followed; give the address "
                       "itself with '--llm-url'",
                       t->host, s, to ? to : "");
    } else if (s == 401 || s == 403)
        llm_give_fault(&a->parser, LLM_FAULT_AUTH, s, "%s refused the key (%d)%s%s; check %s", name,
                       s, colon, said,
                       t->key_from                ? t->key_from
                       : t->provider->key_vars[0] ? t->provider->key_vars[0]
                                                  : "the account");
    else if (s == 429)
        llm_give_fault(&a->parser, LLM_FAULT_RATE, s, "%s allows no more requests now (429)%s%s",
                       name, colon, said);
    else if (s == 404)
        llm_give_fault(&a->parser, LLM_FAULT_REQUEST, s,
                       "'%s' knows no such address or model (404)%s%s; check '--llm-model' and "
                       "'--llm-url'",
                       t->host, colon, said);
    else
        llm_give_fault(&a->parser, s < 500 ? LLM_FAULT_REQUEST : LLM_FAULT_SERVER, s,
                       "'%s' answered with an error (%d)%s%s", t->host, s, colon, said);
}

static void fault_of_network(struct attempt *a, CURLcode rc)
{
    const struct llm_target *t = a->e->target;
    const char *why = a->problem[0] ? a->problem : curl_easy_strerror(rc);
    bool tls = rc == CURLE_PEER_FAILED_VERIFICATION || rc == CURLE_SSL_CACERT_BADFILE;
    if (tls)
        llm_give_fault(&a->parser, LLM_FAULT_NETWORK, 0,
                       "the certificate of '%s' is not trusted: %s; give its authority with "
                       "'--llm-ca'",
                       t->host, why);
    else if (a->begun)
        llm_give_fault(&a->parser, LLM_FAULT_NETWORK, 0, "the answer of '%s' was cut off: %s",
                       t->host, why);
    else
        llm_give_fault(&a->parser, LLM_FAULT_NETWORK, 0, "cannot reach '%s': %s", t->host, why);
}

static void finish(struct attempt *a, enum transfer how, CURLcode rc)
{
    const struct llm_target *t = a->e->target;
    if (a->parser.busy) {
        a->parser.failed = false;
        if (how != TRANSFER_STOPPED)
            llm_give_fault(&a->parser, LLM_FAULT_SERVER, 0, "%s", a->parser.busy);
    }
    if (a->parser.failed)
        return;
    if (how == TRANSFER_STOPPED)
        llm_give_fault(&a->parser, LLM_FAULT_STOPPED, 0, "stopped");
    else if (how == TRANSFER_STALLED && !a->parser.ended)
        llm_give_fault(&a->parser, LLM_FAULT_NETWORK, 0, "'%s' sent nothing for %d s", t->host,
                       t->timeout_s);
    else if (a->too_large)
        llm_give_fault(&a->parser, LLM_FAULT_TOO_LARGE, 0, "the answer of '%s' is too large",
                       t->host);
    else if (a->status && a->status != 200)
        fault_of_status(a);
    else if (rc != CURLE_OK && !a->parser.ended)
        fault_of_network(a, rc);
    else {
        if (a->stream)
            sse_end(&a->sse);
        else if (a->whole.len)
            a->parser.wire->whole(&a->parser, a->whole.buf, a->whole.len);
        else
            a->parser.ended = true; /* and empty */
        llm_parser_finish(&a->parser);
    }
}

static void say_wait(struct errand *e, const char *why, double seconds)
{
    const char *text = arena_printf(e->arena, "%s; again in %.1f s", why, seconds);
    e->take(e->ctx, &(struct llm_event){.kind = LLM_EVENT_NOTE, .text = text, .len = strlen(text)});
}

/* Seconds until the next try; < 0: there is none. */
static double wait_before(const struct attempt *a, CURLcode rc, int tries)
{
    curl_off_t asked = 0;
    if (tries >= a->e->target->retries || !worth_another_try(a, rc))
        return -1;
    curl_easy_getinfo(a->curl, CURLINFO_RETRY_AFTER, &asked);
    if (asked > WAIT_MAX_S)
        return -1;
    return asked > 0 ? (double)asked : 0.5 * (double)(1 << (tries < 6 ? tries : 6));
}

/* True: it is to be tried again. */
static bool attempt(struct errand *e, CURLM *multi, int tries)
{
    struct attempt *a = arena_new(e->arena, struct attempt);
    CURLcode rc;
    a->e = e;
    a->curl = curl_easy_init();
    llm_parser_init(&a->parser, e->wire, e->arena, e->take, e->ctx);
    sse_init(&a->sse, e->arena, take_sse, a);
    str_init(&a->whole, e->arena);
    struct curl_slist *headers = headers_of(e->target);
    set_up(a, headers);
    curl_multi_add_handle(multi, a->curl);
    enum transfer how = transfer(a, multi, &rc);
    curl_easy_getinfo(a->curl, CURLINFO_RESPONSE_CODE, &a->status);
    double wait_s = how == TRANSFER_DONE && !a->too_large ? wait_before(a, rc, tries) : -1;
    if (wait_s >= 0) {
        const char *why =
            a->parser.busy ? a->parser.busy
            : a->status    ? arena_printf(e->arena, "'%s' answered %ld", e->target->host, a->status)
                           : a->problem;
        say_wait(e, why, wait_s);
        if (errand_interrupted(e, (int)(wait_s * 1000))) {
            how = TRANSFER_STOPPED;
            wait_s = -1;
        }
    }
    if (wait_s < 0)
        finish(a, how, rc);
    curl_multi_remove_handle(multi, a->curl);
    curl_easy_cleanup(a->curl);
    curl_slist_free_all(headers);
    return wait_s >= 0;
}

void http_run(struct errand *e)
{
    static CURLM *multi;
    if (!multi) {
        curl_global_init(CURL_GLOBAL_DEFAULT);
        multi = curl_multi_init();
    }
    for (int tries = 0; attempt(e, multi, tries); tries++)
        ;
}
