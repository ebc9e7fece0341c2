/*
 * The messenger: a process of its own that talks with the provider, so that the one that reads
 * traces needs no network and never holds a key.
 *
 * It is started before any foreign file is opened. From then on this process may go into its box
 * (no sockets, no programs; cli/sandbox.h); all it can do is hand bodies of requests to the
 * messenger, which sends them to the one address that was decided at the start, and take events
 * from it. Retries, time-outs and limits are the messenger's. It ends with this process.
 *
 *     struct messenger *m = messenger_start(&target, confine, ctx, arena, err);
 *     messenger_ask(m, body, n, take, take_ctx);
 *
 * messenger_ask() returns when the answer has ended: its last event is LLM_EVENT_STOP or
 * LLM_EVENT_FAULT, always. SIGINT meanwhile ends the request, not the process; a second one does.
 */
#ifndef GS_LLM_MESSENGER_H
#define GS_LLM_MESSENGER_H

#include "llm/target.h"

struct messenger;

/*
 * Called in the new process, before it does anything: `ca` are certificates that it reads, `program`
 * is one that it runs; both may be NULL.
 */
typedef void messenger_confine(void *ctx, const char *ca, const char *program);

/* `confine` may be NULL. */
struct messenger *messenger_start(const struct llm_target *t, messenger_confine *confine, void *ctx,
                                  struct arena *a, struct gs_error *err);
void messenger_ask(struct messenger *m, const char *body, size_t n, llm_taker *take, void *ctx);
/* The same, to where tokens are counted. */
void messenger_count(struct messenger *m, const char *body, size_t n, llm_taker *take, void *ctx);

/* ---- inside the messenger ---- */

struct transport;

struct errand {
    const struct llm_target *target;
    const struct transport *transport; /* the way to a server; NULL: the target is a program */
    const char *program;               /* that the transport runs, or NULL */
    const char *url;
    const struct llm_wire *wire;
    const char *body;
    size_t n;
    struct arena *arena; /* of this errand */
    llm_taker *take;
    void *ctx;
    int control; /* readable: the other side wants this one to end, or is gone */
};

/* One request, with its retries; ends with an event that is the last. */
void http_run(struct errand *e);
void program_run(struct errand *e);

/* True: something came from the other side. Waits so long; < 0: without end. */
bool errand_interrupted(const struct errand *e, int wait_ms);

#endif
