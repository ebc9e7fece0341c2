#include "llm/event_json.h"

#include <math.h>

/* No answer has more. */
#define TOKENS_MOST (INT64_C(1) << 50)

const char *const llm_stop_names[] = {"none", "end", "calls", "length", "refused", NULL};
const char *const llm_fault_names[] = {"none",      "network", "auth",    "rate",
                                       "request",   "server",  "refused", "empty",
                                       "too_large", "stopped", NULL};

static void write_call(struct jwrite *w, const struct llm_event *e)
{
    jw_open(w, "call", '{');
    jw_str(w, "id", e->id);
    jw_str(w, "name", e->name);
    jw_strn(w, "arguments", e->text, e->len);
    if (e->extra)
        jw_str(w, "extra", e->extra);
    jw_close(w);
}

static void write_usage(struct jwrite *w, const struct llm_usage *u)
{
    jw_open(w, "usage", '{');
    jw_int(w, "input", u->input);
    jw_int(w, "output", u->output);
    jw_int(w, "cache_read", u->cache_read);
    jw_int(w, "cache_write", u->cache_write);
    if (!isnan(u->cost))
        jw_num(w, "cost", u->cost);
    jw_close(w);
}

void event_write(struct jwrite *w, const struct llm_event *e)
{
    jw_open(w, NULL, '{');
    switch (e->kind) {
    case LLM_EVENT_TEXT:
        jw_strn(w, "text", e->text, e->len);
        break;
    case LLM_EVENT_NOTE:
        jw_strn(w, "note", e->text, e->len);
        break;
    case LLM_EVENT_OPAQUE:
        jw_strn(w, "opaque", e->text, e->len);
        break;
    case LLM_EVENT_CALL:
        write_call(w, e);
        break;
    case LLM_EVENT_USAGE:
        write_usage(w, &e->usage);
        break;
    case LLM_EVENT_STOP:
        jw_str(w, "stop", llm_stop_names[e->stop]);
        break;
    case LLM_EVENT_FAULT:
        jw_str(w, "fault", llm_fault_names[e->fault]);
        jw_int(w, "status", e->status);
        jw_strn(w, "text", e->text, e->len);
        break;
    }
    jw_close(w);
}

int64_t llm_tokens(struct jread *j, int64_t otherwise)
{
    int64_t n = jr_int(j, otherwise);
    return n < 0 ? 0 : n < TOKENS_MOST ? n : TOKENS_MOST;
}

static int word_index(const char *const *words, const char *word)
{
    for (int i = 0; word && words[i]; i++)
        if (str_eq(words[i], word))
            return i;
    return 0;
}

static void read_call(struct jread *j, struct llm_event *e, struct arena *a)
{
    if (!jr_object(j))
        return;
    e->kind = LLM_EVENT_CALL;
    while (jr_key(j)) {
        const char **to = jr_is(j, "id")          ? &e->id
                          : jr_is(j, "name")      ? &e->name
                          : jr_is(j, "arguments") ? &e->text
                          : jr_is(j, "extra")     ? &e->extra
                                                  : NULL;
        if (to)
            *to = jr_strdup(j, a);
        else
            jr_skip(j);
    }
}

static void read_usage(struct jread *j, struct llm_event *e)
{
    if (!jr_object(j))
        return;
    e->kind = LLM_EVENT_USAGE;
    while (jr_key(j)) {
        struct llm_usage *u = &e->usage;
        int64_t *to = jr_is(j, "input")         ? &u->input
                      : jr_is(j, "output")      ? &u->output
                      : jr_is(j, "cache_read")  ? &u->cache_read
                      : jr_is(j, "cache_write") ? &u->cache_write
                                                : NULL;
        if (to)
            *to = llm_tokens(j, 0);
        else if (jr_is(j, "cost"))
            u->cost = jr_num(j, NAN);
        else
            jr_skip(j);
    }
}

bool event_read(struct jread *j, struct llm_event *e, struct arena *a)
{
    bool known = false, fault = false;
    *e = (struct llm_event){.kind = LLM_EVENT_TEXT, .usage.cost = NAN};
    if (!jr_object(j))
        return false;
    while (jr_key(j)) {
        bool mine = true;
        if (jr_is(j, "text"))
            e->text = jr_strdup(j, a);
        else if (jr_is(j, "note") || jr_is(j, "opaque")) {
            e->kind = jr_is(j, "note") ? LLM_EVENT_NOTE : LLM_EVENT_OPAQUE;
            e->text = jr_strdup(j, a);
        } else if (jr_is(j, "call"))
            read_call(j, e, a);
        else if (jr_is(j, "usage"))
            read_usage(j, e);
        else if (jr_is(j, "stop")) {
            e->kind = LLM_EVENT_STOP;
            e->stop = (enum llm_stop)word_index(llm_stop_names, jr_strdup(j, a));
        } else if (jr_is(j, "fault")) {
            fault = true;
            e->fault = (enum llm_fault)word_index(llm_fault_names, jr_strdup(j, a));
        } else if (jr_is(j, "status"))
            e->status = (int)jr_int(j, 0);
        else {
            mine = false;
            jr_skip(j);
        }
        known |= mine;
    }
    if (fault)
        e->kind = LLM_EVENT_FAULT;
    if (!e->text)
        e->text = "";
    if (e->kind == LLM_EVENT_CALL && (!e->id || !e->name))
        return false;
    e->len = strlen(e->text);
    return known;
}
