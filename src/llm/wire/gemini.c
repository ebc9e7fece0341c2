/* Google Gemini: generateContent, streamed as server-sent events. */
#include "llm/json_copy.h"
#include "llm/wire.h"

/* ---- out ---- */

/* Only ids that the server has given: see llm_give_call() for the others. */
static void write_id(struct jwrite *w, const struct llm_part *p)
{
    size_t digits = p->id && str_starts(p->id, LLM_OWN_ID) ? strlen(LLM_OWN_ID) : 0;
    bool own = digits && strspn(p->id + digits, "0123456789") == strlen(p->id + digits);
    if (p->id && !own)
        jw_str(w, "id", p->id);
}

static void write_part(struct jwrite *w, const struct llm_dialogue *d, size_t message, size_t part)
{
    const struct llm_part *p = &d->messages.v[message].parts.v[part];
    if (p->kind == LLM_PART_OPAQUE) {
        json_insert(w, NULL, p->text, NULL);
        return;
    }
    jw_open(w, NULL, '{');
    if (p->kind == LLM_PART_TEXT)
        jw_str(w, "text", p->text);
    else if (p->kind == LLM_PART_CALL) {
        jw_open(w, "functionCall", '{');
        write_id(w, p);
        jw_str(w, "name", p->name);
        json_insert(w, "args", json_object_or_empty(p->text, w->out->arena), NULL);
        jw_close(w);
        if (p->extra)
            jw_str(w, "thoughtSignature", p->extra);
    } else {
        jw_open(w, "functionResponse", '{');
        write_id(w, p);
        jw_str(w, "name", p->name);
        jw_open(w, "response", '{');
        if (!json_insert(w, p->failed ? "error" : "result", p->text, NULL))
            jw_str(w, "text", p->text);
        jw_close(w);
        jw_close(w);
    }
    jw_close(w);
}

static const struct llm_message_words words = {"contents", "parts", "model"};

static void write_tool(struct jwrite *w, const struct llm_function *t)
{
    llm_write_tool(w, t, "parametersJsonSchema");
}

static void write_tools(struct jwrite *w, const struct llm_dialogue *d)
{
    if (!d->tools.n)
        return;
    jw_open(w, "tools", '[');
    jw_open(w, NULL, '{');
    llm_write_tools(w, "functionDeclarations", d, write_tool);
    jw_close(w);
    jw_close(w);
    jw_open(w, "toolConfig", '{');
    jw_open(w, "functionCallingConfig", '{');
    jw_str(w, "mode", d->no_more_calls ? "NONE" : "AUTO");
    jw_close(w);
    jw_close(w);
}

/* Models before Gemini 3 take a budget instead of a level; -1 is as much as they want. */
static void write_thinking(struct jwrite *w, const struct llm_dialogue *d)
{
    bool low = d->effort == EFFORT_LOW, medium = d->effort == EFFORT_MEDIUM;
    jw_open(w, "thinkingConfig", '{');
    if (str_starts(d->model, "gemini-2"))
        jw_int(w, "thinkingBudget", low ? 1024 : medium ? 8192 : -1);
    else
        jw_str(w, "thinkingLevel", llm_effort_word(low || medium ? d->effort : EFFORT_HIGH));
    jw_close(w);
}

static void body(struct str *out, const struct llm_dialogue *d)
{
    struct jwrite w;
    jw_init(&w, out, 0);
    jw_open(&w, NULL, '{');
    if (d->system && *d->system) {
        jw_open(&w, "systemInstruction", '{');
        jw_open(&w, "parts", '[');
        jw_open(&w, NULL, '{');
        jw_str(&w, "text", d->system);
        jw_close(&w);
        jw_close(&w);
        jw_close(&w);
    }
    write_tools(&w, d);
    jw_open(&w, "generationConfig", '{');
    jw_int(&w, "maxOutputTokens", d->max_tokens);
    if (d->effort)
        write_thinking(&w, d);
    jw_close(&w);
    llm_write_messages(&w, &words, d, write_part);
    jw_close(&w);
}

/* ---- in ---- */

static void read_usage(struct llm_parser *p, struct jread *j)
{
    int64_t thoughts = 0, text = 0;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "promptTokenCount"))
            p->usage.input = llm_tokens(j, 0);
        else if (jr_is(j, "candidatesTokenCount"))
            text = llm_tokens(j, 0);
        else if (jr_is(j, "thoughtsTokenCount"))
            thoughts = llm_tokens(j, 0);
        else if (jr_is(j, "cachedContentTokenCount"))
            p->usage.cache_read = llm_tokens(j, 0);
        else
            jr_skip(j);
    }
    p->usage.output = thoughts + text;
    if (p->usage.cache_read <= p->usage.input)
        p->usage.input -= p->usage.cache_read;
}

struct part {
    const char *text, *id, *name, *args, *signature;
    bool thought;
};

static void read_call(struct llm_parser *p, struct jread *j, struct part *part)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "name"))
            part->name = llm_keep(p, j);
        else if (jr_is(j, "id"))
            part->id = llm_keep(p, j);
        else if (jr_is(j, "args"))
            part->args = llm_keep_json(p, j);
        else
            jr_skip(j);
    }
}

/* A text may be signed, too, as a rule in an empty part behind it: it goes back in one. */
static void give_signature(struct llm_parser *p, const char *signature)
{
    struct str out;
    struct jwrite w;
    str_init(&out, p->arena);
    jw_init(&w, &out, 0);
    jw_open(&w, NULL, '{');
    jw_str(&w, "text", "");
    jw_str(&w, "thoughtSignature", signature);
    jw_close(&w);
    llm_give_opaque(p, out.buf);
}

static void read_part(struct llm_parser *p, struct jread *j)
{
    struct part part = {0};
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "text"))
            part.text = llm_keep(p, j);
        else if (jr_is(j, "thought"))
            part.thought = jr_bool(j, false);
        else if (jr_is(j, "thoughtSignature"))
            part.signature = llm_keep(p, j);
        else if (jr_is(j, "functionCall"))
            read_call(p, j, &part);
        else
            jr_skip(j);
    }
    if (part.name)
        llm_give_call(p, part.id, part.name, part.args, part.signature);
    else if (part.text && !part.thought)
        llm_give_text(p, part.text, strlen(part.text));
    if (!part.name && part.signature && !part.thought)
        give_signature(p, part.signature);
}

static void read_content(struct llm_parser *p, struct jread *j)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "parts") && jr_type(j) == J_ARRAY) {
            jr_array(j);
            while (jr_item(j))
                read_part(p, j);
        } else
            jr_skip(j);
    }
}

static enum llm_stop stop_of(const char *word)
{
    return str_eq(word, "MAX_TOKENS") ? LLM_STOP_LENGTH
           : str_eq(word, "STOP")     ? LLM_STOP_END
           : str_eq(word, "SAFETY") || str_eq(word, "RECITATION") ||
                   str_eq(word, "PROHIBITED_CONTENT") || str_eq(word, "BLOCKLIST") ||
                   str_eq(word, "SPII")
               ? LLM_STOP_REFUSED
               : LLM_STOP_END;
}

static void read_candidate(struct llm_parser *p, struct jread *j)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "content"))
            read_content(p, j);
        else if (jr_is(j, "finishReason") && jr_type(j) == J_STRING) {
            const char *word = llm_keep(p, j);
            if (!word) /* it is broken */
                return;
            p->stop = stop_of(word);
            p->why = str_eq(word, "STOP") ? NULL : word;
            p->ended = true;
        } else
            jr_skip(j);
    }
}

static void read_feedback(struct llm_parser *p, struct jread *j)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "blockReason") && jr_type(j) == J_STRING) {
            const char *why = llm_keep(p, j);
            if (!why)
                return;
            llm_give_refusal(p, why, strlen(why));
            p->ended = true;
        } else
            jr_skip(j);
    }
}

static void key(struct llm_parser *p, struct jread *j)
{
    if (jr_is(j, "candidates") && jr_type(j) == J_ARRAY) {
        llm_read_first(p, j, read_candidate);
    } else if (jr_is(j, "usageMetadata"))
        read_usage(p, j);
    else if (jr_is(j, "promptFeedback"))
        read_feedback(p, j);
    else if (jr_is(j, "error"))
        llm_read_error(p, j);
    else
        jr_skip(j);
}

static void whole(struct llm_parser *p, const char *text, size_t n)
{
    llm_read_object(p, text, n, key);
}

const struct llm_wire wire_gemini = {"Gemini generateContent", body, NULL, whole};
