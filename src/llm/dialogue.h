/*
 * A dialogue with a language model, as no provider in particular writes it, and what comes back.
 *
 * A dialogue is a system text, messages of parts, and tools. A wire (wire.h) writes it as the body
 * of a request and reads the answer as events: pieces of text, calls of tools, usage, why it
 * stopped. Nothing here knows the network.
 *
 *     struct llm_dialogue d;
 *     llm_dialogue_init(&d, arena);
 *     d.system = "You explain ...";
 *     llm_say(&d, LLM_USER, "Why is the GPU idle?");
 *     wire->body(&out, &d);
 *
 * Everything lives in the arena of the dialogue.
 */
#ifndef GS_LLM_DIALOGUE_H
#define GS_LLM_DIALOGUE_H

#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

enum llm_role { LLM_USER, LLM_MODEL };

enum llm_part_kind {
    LLM_PART_TEXT,
    LLM_PART_CALL,   /* of a tool, by the model; text: its arguments, a JSON object */
    LLM_PART_RESULT, /* of that call; text: JSON */
    LLM_PART_OPAQUE, /* what a provider wants back as it was: signed thoughts; text: JSON */
};

struct llm_part {
    enum llm_part_kind kind;
    const char *text;
    const char *id, *name; /* of calls and results */
    const char *extra;     /* of calls: a signature that goes back with it; NULL: none */
    bool failed;           /* of results: the tool says what is wrong */
};

struct llm_message {
    enum llm_role role;
    VEC(struct llm_part) parts;
};

/* A tool as the model gets to know it. */
struct llm_function {
    const char *name, *description;
    const char *parameters; /* a JSON Schema, of an object */
};

/* How long a model is to think. */
enum llm_effort {
    EFFORT_OWN /* the provider's */,
    EFFORT_LOW,
    EFFORT_MEDIUM,
    EFFORT_HIGH,
    EFFORT_XHIGH,
    EFFORT_MAX
};

/* "low" to "max"; NULL is EFFORT_OWN. */
enum llm_effort llm_effort_of(const char *word);
const char *llm_effort_word(enum llm_effort effort);

struct llm_dialogue {
    struct arena *arena;
    const char *model;
    const char *system;
    VEC(struct llm_message) messages;
    VEC(struct llm_function) tools;
    bool no_more_calls; /* the tools are listed, and must not be called: the last turn */
    int64_t max_tokens; /* of the answer */
    int64_t thinking;   /* budget for thoughts in tokens; 0: none asked for */
    enum llm_effort effort;
    bool stream;
    bool old_limit; /* chat completions: max_tokens, for servers that know no other */
    bool bedrock;   /* the body of Anthropic's model behind AWS: no model, a version */
};

void llm_dialogue_init(struct llm_dialogue *d, struct arena *a);

/* A new message at the end, and a part of the one at the end. */
struct llm_message *llm_message_add(struct llm_dialogue *d, enum llm_role role);
struct llm_part *llm_part_add(struct llm_dialogue *d, enum llm_part_kind kind, const char *text);

/* Both at once; the text is not copied. */
void llm_say(struct llm_dialogue *d, enum llm_role role, const char *text);

/* As OpenAI's servers call it: they know no "max". */
const char *llm_openai_effort(enum llm_effort effort);

struct llm_usage {
    int64_t input, output; /* tokens; input without those read from a cache */
    int64_t cache_read, cache_write;
    double cost; /* in dollars, where the provider says it; NaN */
};

struct jread;
/* A number of tokens, as a server says it: never negative, and sums of them fit. */
int64_t llm_tokens(struct jread *j, int64_t otherwise);

enum llm_stop {
    LLM_STOP_NONE, /* it has not said yet */
    LLM_STOP_END,
    LLM_STOP_CALLS,  /* it waits for the answers of tools */
    LLM_STOP_LENGTH, /* cut at max_tokens */
    LLM_STOP_REFUSED,
};

/* What went wrong, so that callers can tell what may be tried again. */
enum llm_fault {
    LLM_FAULT_NONE,
    LLM_FAULT_NETWORK, /* not reached, cut, stalled */
    LLM_FAULT_AUTH,
    LLM_FAULT_RATE,
    LLM_FAULT_REQUEST, /* the server does not understand what we ask for */
    LLM_FAULT_SERVER,  /* 5xx, redirects, what is no answer at all */
    LLM_FAULT_REFUSED,
    LLM_FAULT_EMPTY,
    LLM_FAULT_TOO_LARGE,
    LLM_FAULT_STOPPED, /* by the user */
};

enum llm_event_kind {
    LLM_EVENT_TEXT,
    LLM_EVENT_CALL, /* whole */
    LLM_EVENT_OPAQUE,
    LLM_EVENT_USAGE,
    LLM_EVENT_STOP,
    LLM_EVENT_NOTE, /* for the person who waits: "busy, again in 2 s" */
    LLM_EVENT_FAULT,
};

/* Texts are valid while it is taken. */
struct llm_event {
    enum llm_event_kind kind;
    const char *text; /* a piece; arguments; JSON; a sentence */
    size_t len;
    const char *id, *name, *extra; /* of a call */
    struct llm_usage usage;
    enum llm_stop stop;
    enum llm_fault fault;
    int status; /* of HTTP; 0: there was none */
};

typedef void llm_taker(void *ctx, const struct llm_event *e);

#endif
