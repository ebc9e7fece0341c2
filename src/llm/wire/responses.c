/* OpenAI's Responses. Nothing is kept at the server ("store": false): the dialogue is sent whole. */
#include "llm/json_copy.h"
#include "llm/wire.h"

/* ---- out ---- */

static void write_part(struct jwrite *w, const struct llm_part *p, enum llm_role role)
{
    if (p->kind == LLM_PART_OPAQUE) {
        json_insert(w, NULL, p->text, NULL);
        return;
    }
    jw_open(w, NULL, '{');
    if (p->kind == LLM_PART_TEXT) {
        jw_str(w, "role", role == LLM_USER ? "user" : "assistant");
        jw_str(w, "content", p->text);
    } else if (p->kind == LLM_PART_CALL) {
        jw_str(w, "type", "function_call");
        jw_str(w, "call_id", p->id);
        jw_str(w, "name", p->name);
        jw_str(w, "arguments", p->text);
    } else {
        jw_str(w, "type", "function_call_output");
        jw_str(w, "call_id", p->id);
        jw_str(w, "output", p->text);
    }
    jw_close(w);
}

static void write_tool(struct jwrite *w, const struct llm_function *t)
{
    jw_str(w, "type", "function");
    llm_write_tool(w, t, "parameters");
    jw_bool(w, "strict", false);
}

static void write_tools(struct jwrite *w, const struct llm_dialogue *d)
{
    if (!d->tools.n)
        return;
    llm_write_tools(w, "tools", d, write_tool);
    jw_str(w, "tool_choice", d->no_more_calls ? "none" : "auto");
}

static bool thinks(const char *model)
{
    return str_starts(model, "gpt-5") || str_starts(model, "o1") || str_starts(model, "o3") ||
           str_starts(model, "o4");
}

static void body(struct str *out, const struct llm_dialogue *d)
{
    struct jwrite w;
    jw_init(&w, out, 0);
    jw_open(&w, NULL, '{');
    jw_str(&w, "model", d->model);
    jw_int(&w, "max_output_tokens", d->max_tokens);
    if (d->stream)
        jw_bool(&w, "stream", true);
    jw_bool(&w, "store", false);
    if (d->effort) {
        jw_open(&w, "reasoning", '{');
        jw_str(&w, "effort", llm_openai_effort(d->effort));
        jw_close(&w);
    }
    if (thinks(d->model) && d->tools.n) { /* thoughts come back sealed, and go with the next turn */
        jw_open(&w, "include", '[');
        jw_str(&w, NULL, "reasoning.encrypted_content");
        jw_close(&w);
    }
    if (d->system && *d->system)
        jw_str(&w, "instructions", d->system);
    write_tools(&w, d);
    jw_open(&w, "input", '[');
    for (size_t i = 0; i < d->messages.n; i++)
        for (size_t k = 0; k < d->messages.v[i].parts.n; k++)
            write_part(&w, &d->messages.v[i].parts.v[k], d->messages.v[i].role);
    jw_close(&w);
    jw_close(&w);
}

/* ---- in ---- */

static void content_key(struct llm_parser *p, struct jread *j)
{
    if (jr_is(j, "text") || jr_is(j, "refusal")) {
        bool refusal = jr_is(j, "refusal");
        const char *s = llm_keep(p, j);
        if (s && refusal)
            llm_give_refusal(p, s, strlen(s));
        else if (s)
            llm_give_text(p, s, strlen(s));
    } else
        jr_skip(j);
}

struct item {
    const char *type, *id, *name, *arguments;
};

/* An item of the output. Messages came in pieces before; `whole`: they did not. */
static void take_item(struct llm_parser *p, const char *json, bool whole)
{
    struct item it = {0};
    struct jread *j = jr_text(p->arena, json, strlen(json));
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "type"))
            it.type = llm_keep(p, j);
        else if (jr_is(j, "call_id"))
            it.id = llm_keep(p, j);
        else if (jr_is(j, "name"))
            it.name = llm_keep(p, j);
        else if (jr_is(j, "arguments"))
            it.arguments = llm_keep(p, j);
        else if (whole && jr_is(j, "content") && jr_type(j) == J_ARRAY) {
            jr_array(j);
            while (jr_item(j))
                if (jr_object(j))
                    while (jr_key(j))
                        content_key(p, j);
        } else
            jr_skip(j);
    }
    if (it.type && str_eq(it.type, "function_call"))
        llm_give_call(p, it.id, it.name, it.arguments, NULL);
    else if (it.type && str_eq(it.type, "reasoning") && str_has(json, "encrypted_content"))
        llm_give_opaque(p, json);
}

static void response_key(struct llm_parser *p, struct jread *j, bool whole)
{
    if (jr_is(j, "usage") && jr_type(j) == J_OBJECT)
        llm_read_usage(p, j, "input_tokens", "output_tokens", "input_tokens_details");
    else if (jr_is(j, "status")) {
        const char *word = llm_keep(p, j);
        p->ended |= word && (str_eq(word, "completed") || str_eq(word, "incomplete"));
    } else if (jr_is(j, "incomplete_details") && jr_type(j) == J_OBJECT) {
        const char *why = llm_keep_json(p, j);
        p->stop = str_has(why, "content_filter") ? LLM_STOP_REFUSED : LLM_STOP_LENGTH;
    } else if (jr_is(j, "error") && jr_type(j) == J_OBJECT)
        llm_read_error(p, j);
    else if (whole && jr_is(j, "output") && jr_type(j) == J_ARRAY) {
        jr_array(j);
        while (jr_item(j))
            take_item(p, llm_keep_json(p, j), true);
    } else
        jr_skip(j);
}

static void whole_key(struct llm_parser *p, struct jread *j)
{
    response_key(p, j, true);
}

static void whole(struct llm_parser *p, const char *text, size_t n)
{
    llm_read_object(p, text, n, whole_key);
}

struct event_parts {
    const char *type, *delta, *item, *response, *message, *code;
};

static void give_event(struct llm_parser *p, const struct event_parts *e)
{
    if (!e->type)
        return;
    if (str_eq(e->type, "response.output_text.delta") && e->delta)
        llm_give_text(p, e->delta, strlen(e->delta));
    else if (str_eq(e->type, "response.refusal.delta") && e->delta)
        llm_give_refusal(p, e->delta, strlen(e->delta));
    else if (str_eq(e->type, "response.output_item.done") && e->item)
        take_item(p, e->item, false);
    else if (str_eq(e->type, "error"))
        llm_ended_by(p, e->code ? e->code : "", e->message);
    else if ((str_eq(e->type, "response.completed") || str_eq(e->type, "response.incomplete") ||
              str_eq(e->type, "response.failed")) &&
             e->response) {
        struct jread *j = jr_text(p->arena, e->response, strlen(e->response));
        if (jr_object(j))
            while (jr_key(j))
                response_key(p, j, false);
        p->ended = p->closed = true;
    }
}

static void event(struct llm_parser *p, const char *name, const char *data, size_t n)
{
    (void)name; /* "type" says the same */
    struct event_parts e = {0};
    if (p->failed || (n == 6 && !memcmp(data, "[DONE]", 6)))
        return;
    struct arena *scratch = arena_scratch();
    struct jread *j = jr_text(scratch, data, n);
    bool object = jr_object(j);
    while (object && jr_key(j)) {
        if (jr_is(j, "type"))
            e.type = llm_keep(p, j);
        else if (jr_is(j, "delta") && jr_type(j) == J_STRING)
            e.delta = llm_keep(p, j);
        else if (jr_is(j, "message") && jr_type(j) == J_STRING)
            e.message = llm_keep(p, j);
        else if (jr_is(j, "code") && jr_type(j) == J_STRING)
            e.code = llm_keep(p, j);
        else if (jr_is(j, "item") && jr_type(j) == J_OBJECT)
            e.item = llm_keep_json(p, j);
        else if (jr_is(j, "response") && jr_type(j) == J_OBJECT)
            e.response = llm_keep_json(p, j);
        else
            jr_skip(j);
    }
    bool ok = jr_end(j, NULL) && object;
    arena_release(scratch);
    if (ok)
        give_event(p, &e);
    else
        llm_give_fault(p, LLM_FAULT_SERVER, 0, "the server sent an event that is no JSON");
}

const struct llm_wire wire_responses = {"OpenAI Responses", body, event, whole};
