/*
 * A session with a language model: opened before any trace is read, used after it was analyzed.
 *
 *     struct llm *l = llm_open(&opts, confine, ctx, arena, err);       NULL: see err
 *     ...the traces are read, in the box...
 *     redact_run(&l->redact, run); redact_seal(&l->redact);
 *     struct llm_answer a;
 *     llm_exchange(l, &dialogue, &a, show, ctx);
 *
 * The dialogue holds what is sent, so it has placeholders; what is shown has the names again.
 * Nothing is sent with --llm-preview and --llm-replay.
 */
#ifndef GS_LLM_SESSION_H
#define GS_LLM_SESSION_H

#include "guide/guide.h"
#include "llm/messenger.h"
#include "llm/redact.h"

struct journal;
struct replay_file;

struct llm {
    struct arena *arena;
    const struct llm_opts *o;
    struct llm_target target;
    struct messenger *messenger; /* NULL: nothing is sent */
    struct redact redact;
    struct guide guide;
    struct journal *record, *log, *transcript;
    struct replay_file *replayed;
    struct llm_usage usage; /* of all requests so far */
    int64_t thinking;       /* of the variable */
    size_t requests;
    const char *brief_system; /* the instructions with less of the guide; NULL: none */
    const char *data; /* what the model was told, with its names: JSON, for those who check */
    bool old_limit, no_effort, no_tools; /* what the server was found not to know */
};

struct llm_answer {
    const char *text; /* with the names put back */
    const char *raw;  /* as it came */
    size_t calls;     /* of tools, in the last message of the dialogue */
    enum llm_stop stop;
    enum llm_fault fault;
    int status;
    const char *fault_text; /* a sentence; NULL: all is well */
};

/* Text as it comes, names put back. */
typedef void llm_shower(void *ctx, const char *text, size_t n);

struct llm *llm_open(const struct llm_opts *o, messenger_confine *confine, void *ctx,
                     struct arena *a, struct gs_error *err);

/* A dialogue with what the options say about it. */
void llm_begin(struct llm *l, struct llm_dialogue *d);

/*
 * Sends the dialogue and appends what was answered, as a message of the model. False: there is a
 * fault; what came before it is in the answer and not in the dialogue. `show` may be NULL.
 */
bool llm_exchange(struct llm *l, struct llm_dialogue *d, struct llm_answer *out, llm_shower *show,
                  void *ctx);

/* The body as it would be sent. */
const char *llm_body(const struct llm *l, const struct llm_dialogue *d, size_t *n, struct arena *a);

/* Tokens of the dialogue, counted by the provider; -1: it cannot, or did not. */
int64_t llm_count(struct llm *l, const struct llm_dialogue *d);

/* Whether nothing must be sent, and the body be shown instead. */
static inline bool llm_only_preview(const struct llm *l)
{
    return l->o->preview;
}

/* For a failed exchange: the error of a command. */
bool llm_failed(const struct llm *l, const struct llm_answer *a, struct gs_error *err);

#endif
