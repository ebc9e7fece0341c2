/*
 * Providers: who can be asked. One const struct in provider/NAME.c and one line in providers.def
 * each; --llm, its help, docs/llm.md and the tests that walk the list come from it.
 *
 * Names of variables that begin with '*' stand for three: GPUSIGHT, ROCINSIGHT and ROCPD in place
 * of it, in this order.
 */
#ifndef GS_LLM_PROVIDER_H
#define GS_LLM_PROVIDER_H

#include "llm/wire.h"

enum { LLM_VARS = 4 };

struct llm_provider {
    const char *name;
    const char *alias;   /* another name for it, or NULL */
    const char *summary; /* a few words */
    const struct llm_wire *wire;
    const char *model;                /* unless one is given; NULL: one must be */
    const char *model_vars[LLM_VARS]; /* that give one, the first that is set */
    const char *key_vars[LLM_VARS];
    const char *no_key;             /* what is sent where there is none; NULL: it is needed */
    const char *key_header;         /* "x-api-key: "; the key follows */
    const char *headers[LLM_VARS];  /* further ones */
    const char *headers_var;        /* with an object of further ones; NULL: none */
    const char *url;                /* base; "%r": the region; NULL: one must be given */
    const char *url_vars[LLM_VARS]; /* that give one */
    const char *path;               /* behind the base; "%m": the model, "%v": the version */
    const char *count_path;         /* where tokens are counted for nothing; NULL: nowhere */
    const char *verify_var;         /* 0, false, no: certificates are not checked; NULL: always */
    const char *no_endpoint;        /* what to do where there is no address */
    int timeout_s;                  /* without a byte */
    bool no_stream;                 /* answers in one piece */
    bool no_tools, bedrock, free;   /* free: nobody asks for money */
    bool old_limit;                 /* max_tokens instead of max_completion_tokens */
    bool thinks;                    /* takes a budget for thoughts */
    const char *program;            /* instead of a server: started for each question */
};

#define PROVIDER(name) extern const struct llm_provider provider_##name;
#include "llm/providers.def"
#undef PROVIDER

/* In the order of providers.def, NULL at the end. */
extern const struct llm_provider *const llm_providers[];

/* By name or alias, '_' and '-' being the same; NULL: there is none. */
const struct llm_provider *llm_provider_find(const char *name);

/* "anthropic|openai|...", in an arena. */
const char *llm_provider_names(struct arena *a);

/* A variable as provider.h names them; NULL: not set, or empty. *which: the one that was. */
const char *llm_env(const char *name, const char **which, struct arena *a);
/* The first of a list that is set. */
const char *llm_env_first(const char *const *names, const char **which, struct arena *a);

#endif
