/* The library, where its headers were there at build time and it is installed: loaded when asked for. */
#include <curl/curl.h>

#include <stdio.h>

#include "base/array.h"
#include "base/library.h"
#include "llm/http.h"

#define CURL_FUNCTIONS(F)                                                                          \
    F(easy_cleanup)                                                                                \
    F(easy_getinfo)                                                                                \
    F(easy_init)                                                                                   \
    F(easy_setopt)                                                                                 \
    F(easy_strerror)                                                                               \
    F(global_init)                                                                                 \
    F(multi_add_handle)                                                                            \
    F(multi_info_read)                                                                             \
    F(multi_init)                                                                                  \
    F(multi_perform)                                                                               \
    F(multi_poll)                                                                                  \
    F(multi_remove_handle)                                                                         \
    F(slist_append)                                                                                \
    F(slist_free_all)

/* The process's own, filled by ready(). */
static struct {
#define F(name) __typeof__(&curl_##name) name;
    CURL_FUNCTIONS(F)
#undef F
} curl;

struct call {
    struct http_exchange *x;
    CURL *easy;
    struct curl_slist *headers;
};

/* What is known once the head of the answer has come; libcurl's texts go with its handle. */
static void take_head(const struct call *c)
{
    struct http_exchange *x = c->x;
    char *type = NULL, *to = NULL;
    curl_off_t asked = 0;
    curl.easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &x->status);
    curl.easy_getinfo(c->easy, CURLINFO_CONTENT_TYPE, &type);
    curl.easy_getinfo(c->easy, CURLINFO_REDIRECT_URL, &to);
    curl.easy_getinfo(c->easy, CURLINFO_RETRY_AFTER, &asked);
    x->type = type ? arena_strdup(x->e->arena, type) : NULL;
    x->redirect = to ? arena_strdup(x->e->arena, to) : NULL;
    x->retry_after_s = asked;
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *ctx)
{
    const struct call *c = ctx;
    if (!c->x->begun)
        take_head(c);
    return http_take(c->x, bytes, size * count) ? size * count : 0; /* a short count ends it */
}

static void add_header(void *ctx, const char *line)
{
    struct call *c = ctx;
    c->headers = curl.slist_append(c->headers, line);
}

static void set_up(struct call *call)
{
    const struct errand *e = call->x->e;
    const struct llm_target *t = e->target;
    CURL *c = call->easy;
    struct llm_url u;
    llm_url_parse(&u, e->url, NULL);
    http_headers(t, add_header, call);
    curl.easy_setopt(c, CURLOPT_URL, e->url);
    curl.easy_setopt(c, CURLOPT_PROTOCOLS_STR, u.tls ? "https" : "http");
    curl.easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    curl.easy_setopt(c, CURLOPT_POST, 1L);
    curl.easy_setopt(c, CURLOPT_POSTFIELDS, e->body);
    curl.easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)e->n);
    curl.easy_setopt(c, CURLOPT_HTTPHEADER, call->headers);
    curl.easy_setopt(c, CURLOPT_USERAGENT, "gpusight");
    curl.easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl.easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)http_connect_s(t));
    curl.easy_setopt(c, CURLOPT_ERRORBUFFER, call->x->problem);
    curl.easy_setopt(c, CURLOPT_WRITEFUNCTION, take_bytes);
    curl.easy_setopt(c, CURLOPT_WRITEDATA, call);
    curl.easy_setopt(c, CURLOPT_SSL_VERIFYPEER, t->insecure ? 0L : 1L);
    curl.easy_setopt(c, CURLOPT_SSL_VERIFYHOST, t->insecure ? 0L : 2L);
    curl.easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (t->ca)
        curl.easy_setopt(c, CURLOPT_CAINFO, t->ca);
    if (t->proxy || u.loopback) /* this machine is reached without the proxy of the variables */
        curl.easy_setopt(c, CURLOPT_PROXY, t->proxy ? t->proxy : "");
}
_Static_assert(sizeof(((struct http_exchange *)NULL)->problem) >= CURL_ERROR_SIZE, "room for it");

/* Runs it to its end, the limit of silence, or the wish of the other side. */
static enum http_state transfer(struct call *c, CURLM *multi)
{
    int running = 1, left;
    while (curl.multi_perform(multi, &running), running) {
        struct curl_waitfd control = {.fd = c->x->e->control, .events = CURL_WAIT_POLLIN};
        curl.multi_poll(multi, &control, 1, 500, NULL);
        enum http_state state = http_state(c->x);
        if (state != HTTP_GOES_ON)
            return state;
    }
    for (CURLMsg *m; (m = curl.multi_info_read(multi, &left));)
        if (m->msg == CURLMSG_DONE)
            c->x->code = (int)m->data.result;
    return HTTP_DONE;
}

static enum http_state run(struct http_exchange *x)
{
    static CURLM *multi; /* keeps connections for the next request */
    if (!multi) {
        curl.global_init(CURL_GLOBAL_DEFAULT);
        multi = curl.multi_init();
    }
    struct call c = {.x = x, .easy = curl.easy_init()};
    set_up(&c);
    curl.multi_add_handle(multi, c.easy);
    enum http_state state = transfer(&c, multi);
    take_head(&c);
    if (x->code != HTTP_OK && !x->problem[0])
        snprintf(x->problem, sizeof(x->problem), "%s", curl.easy_strerror((CURLcode)x->code));
    curl.multi_remove_handle(multi, c.easy);
    curl.easy_cleanup(c.easy);
    curl.slist_free_all(c.headers);
    return state;
}

static bool ready(const char **program, struct arena *a, struct gs_error *err)
{
    static const char *const names[] = {
#define F(name) "curl_" #name,
        CURL_FUNCTIONS(F)
#undef F
    };
    (void)program, (void)a;
    return library_load("libcurl.so.4", names, ARRAY_LEN(names), &curl, err);
}

const struct transport transport_libcurl = {.name = "libcurl", .ready = ready, .run = run};
