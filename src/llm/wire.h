/*
 * Wires: how a dialogue is written for a kind of server, and how its answer is read. Several
 * providers share one: everything that is "compatible with OpenAI" speaks chat completions.
 *
 *     struct llm_parser p;
 *     llm_parser_init(&p, wire, arena, take, ctx);
 *     llm_parser_event(&p, name, data, n)     for each event of a stream, or
 *     wire->whole(&p, text, n)                for an answer in one piece
 *     llm_parser_finish(&p)              an answer without an end is a fault
 *
 * Answers come from a stranger: sizes are bounded (LLM_TEXT_MAX, LLM_CALLS_MAX), malformed UTF-8
 * becomes U+FFFD, malformed JSON is a fault, and after a fault nothing more is taken.
 */
#ifndef GS_LLM_WIRE_H
#define GS_LLM_WIRE_H

#include "base/jread.h"
#include "base/jwrite.h"
#include "llm/dialogue.h"

enum {
    LLM_TEXT_MAX = 1024 * 1024, /* of an answer: text, thoughts and arguments together */
    LLM_CALLS_MAX = 64,         /* of tools, in one answer */
};

/* A call or a thought that is still arriving. */
struct llm_open {
    int64_t index;
    bool is_call;
    const char *id, *name, *extra;
    struct str text; /* arguments, or the thought */
    bool done;
};

struct llm_parser {
    const struct llm_wire *wire;
    struct arena *arena;
    llm_taker *take;
    void *ctx;
    VEC(struct llm_open *) open;
    struct llm_usage usage;
    enum llm_stop stop;
    const char *why; /* the server's word, where it is none of those; NULL */
    struct str refusal;
    size_t taken; /* bytes */
    size_t calls, texts;
    bool ended;       /* the server said so */
    bool closed;      /* and nothing more will come */
    bool failed;      /* a fault was given */
    const char *busy; /* that fault, not given yet: nothing had come, and another try may do */
};

struct llm_wire {
    const char *name;
    void (*body)(struct str *out, const struct llm_dialogue *d);
    void (*event)(struct llm_parser *p, const char *name, const char *data,
                  size_t n); /* NULL: whole */
    void (*whole)(struct llm_parser *p, const char *text, size_t n);
};

extern const struct llm_wire wire_anthropic, wire_responses, wire_chat, wire_gemini, wire_claude,
    wire_count;

void llm_parser_init(struct llm_parser *p, const struct llm_wire *wire, struct arena *a,
                     llm_taker *take, void *ctx);
void llm_parser_event(struct llm_parser *p, const char *name, const char *data, size_t n);
/* Usage, why it stopped, or what is wrong: no end, no text and no call, a refusal. */
void llm_parser_finish(struct llm_parser *p);

/* ---- for wires ---- */

void llm_give_text(struct llm_parser *p, const char *text, size_t n);
void llm_give_refusal(struct llm_parser *p, const char *text, size_t n);
void llm_give_opaque(struct llm_parser *p, const char *json);
void llm_give_call(struct llm_parser *p, const char *id, const char *name, const char *arguments,
                   const char *extra);
void llm_give_fault(struct llm_parser *p, enum llm_fault fault, int status, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Calls without an id of the server get one of this kind, with a number behind. */
#define LLM_OWN_ID "call_"

/*
 * The value of "error", in the middle of a stream. Where nothing of the answer has come and the
 * server only was too busy, the request may be made again: p->busy.
 */
void llm_read_error(struct llm_parser *p, struct jread *j);
void llm_ended_by(struct llm_parser *p, const char *kind, const char *text);

/* The one with this index, or a new one; NULL: there are too many. */
struct llm_open *llm_open_at(struct llm_parser *p, int64_t index, bool make);
/* More of it; false: it has become too large. */
bool llm_open_add(struct llm_parser *p, struct llm_open *o, const char *text, size_t n);
/* Gives it as a call. */
void llm_open_call(struct llm_parser *p, struct llm_open *o);

/* A string of the reader, kept; NULL where the value is none. */
const char *llm_keep(struct llm_parser *p, struct jread *j);
/* Any value, as JSON. */
const char *llm_keep_json(struct llm_parser *p, struct jread *j);

/* Usage as OpenAI counts it: what was cached is part of the input, and stands in an object of its own. */
void llm_read_usage(struct llm_parser *p, struct jread *j, const char *input, const char *output,
                    const char *details);

/* The numbers of tokens, as Anthropic's service and program give them. */
void llm_read_tokens(struct llm_parser *p, struct jread *j);

/* The name and description of a tool, and the schema of its parameters under `key`. */
void llm_write_tool(struct jwrite *w, const struct llm_function *t, const char *key);

/* The messages: an object each, with a role and a list `parts`, whose items one() writes. */
struct llm_message_words {
    const char *list, *parts, *model; /* what the model's role is called */
};
void llm_write_messages(struct jwrite *w, const struct llm_message_words *words,
                        const struct llm_dialogue *d,
                        void (*one)(struct jwrite *w, const struct llm_dialogue *d, size_t message,
                                    size_t part));

/* All of them, an object each, whose members one() writes. */
void llm_write_tools(struct jwrite *w, const char *key, const struct llm_dialogue *d,
                     void (*one)(struct jwrite *w, const struct llm_function *t));

/*
 * {"error": {"message": ..., "type": ...}} in any of the forms that servers use; the message, or
 * NULL. `kind` gets type, status or code, or "".
 */
const char *llm_error_text(const char *json, size_t n, const char **kind, struct arena *a);

/* Of an array only the first item counts: nobody has asked for more than one answer. */
void llm_read_first(struct llm_parser *p, struct jread *j,
                    void (*each)(struct llm_parser *p, struct jread *j));

/* Reads an answer of one object: each(p, j) for every key, jr_skip() is up to it. */
void llm_read_object(struct llm_parser *p, const char *data, size_t n,
                     void (*each)(struct llm_parser *p, struct jread *j));

#endif
