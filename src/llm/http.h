/*
 * One request over HTTP, inside the messenger: what is the same whichever way the bytes go.
 *
 * A transport sends the request of an exchange and hands on what comes. What an answer means, when
 * it is too large, when to ask again and what is told to the user is decided here.
 *
 * Whatever the transport: redirects are never followed (where they would lead was not what the user
 * chose, and the key would go along), certificates are checked unless the user said otherwise, only
 * the scheme of the address is spoken, this machine is reached without a proxy, and nothing secret
 * stands in arguments, variables or files.
 */
#ifndef GS_LLM_HTTP_H
#define GS_LLM_HTTP_H

#include "llm/messenger.h"
#include "llm/sse.h"

/* How a transfer ended: the numbers of libcurl, which are the exit codes of curl. */
enum {
    HTTP_OK = 0,
    HTTP_NO_HOST = 6,
    HTTP_NO_CONNECTION = 7,
    HTTP_ODD_REPLY = 8,
    HTTP_NOTHING = 52,
    HTTP_NOT_SENT = 55,
    HTTP_NOT_RECEIVED = 56,
    HTTP_NOT_TRUSTED = 60,
    HTTP_BAD_CA = 77,
};

struct http_exchange {
    struct errand *e;
    /* Filled by the transport: before the first byte of the answer ... */
    long status;
    const char *type, *redirect; /* NULL: not said */
    int64_t retry_after_s;       /* 0: not said */
    /* ... and at the end. */
    int code;
    char problem[256]; /* in words; "": see code */
    /* The answer so far. */
    struct llm_parser parser;
    struct sse sse;
    struct str whole; /* an error, or an answer in one piece */
    size_t received;
    bool stream, begun, too_large;
    double last_byte;
};

/* More of the body; false: the transfer is to be ended. */
bool http_take(struct http_exchange *x, const char *bytes, size_t n);

/* Asked whenever nothing came for a while: whether to go on. */
enum http_state { HTTP_GOES_ON, HTTP_DONE, HTTP_STOPPED, HTTP_STALLED };
enum http_state http_state(const struct http_exchange *x);

struct transport {
    const char *name;
    /*
     * Whether it can be used here, else why not; *program gets the one it runs, which the box must
     * allow.
     */
    bool (*ready)(const char **program, struct arena *a, struct gs_error *err);
    /* The request, to its end: HTTP_DONE, or what http_state() said. */
    enum http_state (*run)(struct http_exchange *x);
};

#define TRANSPORT(name) extern const struct transport transport_##name;
#include "config.h"
#include "llm/transports.def"
#undef TRANSPORT

/* The first that is ready, or the one that *_LLM_TRANSPORT names. NULL: see err. */
const struct transport *transport_find(const char **program, struct arena *a, struct gs_error *err);

/* "Content-Type: ..." and the like, those of the target last; `each` for every one. */
void http_headers(const struct llm_target *t, void (*each)(void *ctx, const char *line), void *ctx);

/* Seconds in which a connection must stand. */
int http_connect_s(const struct llm_target *t);

#endif
