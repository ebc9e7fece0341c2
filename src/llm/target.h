/*
 * Whom to ask, decided before anything is read: provider, model, address, key.
 *
 * The key comes from a variable or from a file that only its owner can read, never from the command
 * line. It is put into the headers of the target, which only the messenger (messenger.h) uses;
 * llm_target_forget() wipes it from this process once that one runs, llm_forget_environment() from
 * its variables once all messengers do.
 */
#ifndef GS_LLM_TARGET_H
#define GS_LLM_TARGET_H

#include "base/err.h"
#include "base/opt.h"
#include "llm/provider.h"

/* As given on the command line; NULL and 0: not given. */
struct llm_opts {
    const char *provider; /* "openai", "openai:gpt-5", "auto", or a model */
    const char *spec;     /* --model of PerfAdvisor: the same */
    const char *model, *private_model, *local, *local_model;
    const char *url, *key_file, *refused_key;
    const char *proxy, *ca;
    const char *effort, *redact, *price;
    const char *record, *replay;
    const char *log_file, *transcript_file, *archive;
    const char *guide;
    int64_t thinking, timeout_s, retries, max_tokens, max_turns, compact_every;
    bool exact_count, preview, yes, no_tools, agent, app_knowledge, log, transcript;
};

struct llm_target {
    const struct llm_provider *provider;
    const char *model;
    const char *why;       /* the provider was chosen: "ANTHROPIC_API_KEY is set" */
    const char *url;       /* whole; NULL for programs */
    const char *count_url; /* where tokens are counted; NULL: nowhere */
    const char *host;
    const char *program;  /* path of it; NULL for servers */
    const char *key_from; /* what to check when it is refused */
    const char *proxy, *ca;
    VEC(const char *) headers; /* "name: value" */
    char *key_line;            /* the one with the key; NULL: none */
    VEC(const char *) secrets; /* never to be shown */
    int timeout_s, retries;
    bool insecure; /* certificates are not checked: the user said so */
};

/* Whether these options ask for a model at all. */
bool llm_asked(const struct llm_opts *o);

/*
 * `offline`: nothing will be sent (preview, replay), so no key is needed. `say_user`: a private
 * server may be told who asks.
 */
bool llm_target_find(struct llm_target *t, const struct llm_opts *o, bool offline, bool say_user,
                     struct arena *a, struct gs_error *err);

/* The path of a program, as a shell would find it; NULL: it is not there. */
const char *llm_find_program(const char *name, struct arena *a);

/* Wipes the key of the target. */
void llm_target_forget(struct llm_target *t);

/* Wipes all keys that providers know from the environment of this process. */
void llm_forget_environment(struct arena *a);

/* Scheme and host of an address; false: it is none that we use. */
struct llm_url {
    bool tls, loopback;
    char host[256];
};
bool llm_url_parse(struct llm_url *u, const char *url, struct gs_error *err);

/* The key of a file that only its owner may read. */
const char *llm_key_file(const char *path, struct arena *a, struct gs_error *err);

#endif
