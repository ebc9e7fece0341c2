/* Anthropic's Messages, also behind AWS Bedrock. */
#include "llm/json_copy.h"
#include "llm/wire.h"

/* ---- out ---- */

/* So far the request is the same as last time: the provider may keep its state. */
static void cache_mark(struct jwrite *w)
{
    jw_open(w, "cache_control", '{');
    jw_str(w, "type", "ephemeral");
    jw_close(w);
}

/* The last part of the two newest messages of ours: with the system text three marks of four. */
static bool marked(const struct llm_dialogue *d, size_t message, size_t part)
{
    const struct llm_message *m = &d->messages.v[message];
    size_t newer = 0;
    for (size_t i = message + 1; i < d->messages.n; i++)
        newer += d->messages.v[i].role == LLM_USER;
    return m->role == LLM_USER && part + 1 == m->parts.n && newer < 2 && d->tools.n;
}

static void write_part(struct jwrite *w, const struct llm_dialogue *d, size_t message, size_t part)
{
    const struct llm_part *p = &d->messages.v[message].parts.v[part];
    if (p->kind == LLM_PART_OPAQUE) {
        json_insert(w, NULL, p->text, NULL);
        return;
    }
    jw_open(w, NULL, '{');
    if (p->kind == LLM_PART_TEXT) {
        jw_str(w, "type", "text");
        jw_str(w, "text", p->text);
    } else if (p->kind == LLM_PART_CALL) {
        jw_str(w, "type", "tool_use");
        jw_str(w, "id", p->id);
        jw_str(w, "name", p->name);
        json_insert(w, "input", json_object_or_empty(p->text, w->out->arena), NULL);
    } else {
        jw_str(w, "type", "tool_result");
        jw_str(w, "tool_use_id", p->id);
        jw_str(w, "content", p->text);
        if (p->failed)
            jw_bool(w, "is_error", true);
    }
    if (marked(d, message, part))
        cache_mark(w);
    jw_close(w);
}

static const struct llm_message_words words = {"messages", "content", "assistant"};

static void write_tool(struct jwrite *w, const struct llm_function *t)
{
    llm_write_tool(w, t, "input_schema");
}

static void write_tools(struct jwrite *w, const struct llm_dialogue *d)
{
    if (!d->tools.n)
        return;
    llm_write_tools(w, "tools", d, write_tool);
    if (d->no_more_calls) {
        jw_open(w, "tool_choice", '{');
        jw_str(w, "type", "none");
        jw_close(w);
    }
}

static void write_thinking(struct jwrite *w, const struct llm_dialogue *d)
{
    if (!d->thinking && !d->effort)
        return;
    jw_open(w, "thinking", '{');
    jw_str(w, "type", d->thinking ? "enabled" : "adaptive");
    if (d->thinking)
        jw_int(w, "budget_tokens", d->thinking);
    jw_close(w);
    if (d->effort) {
        jw_open(w, "output_config", '{');
        jw_str(w, "effort", llm_effort_word(d->effort));
        jw_close(w);
    }
}

static void body(struct str *out, const struct llm_dialogue *d)
{
    struct jwrite w;
    jw_init(&w, out, 0);
    jw_open(&w, NULL, '{');
    if (d->bedrock)
        jw_str(&w, "anthropic_version", "bedrock-2023-05-31");
    else
        jw_str(&w, "model", d->model);
    jw_int(&w, "max_tokens", d->max_tokens + d->thinking);
    if (d->stream && !d->bedrock)
        jw_bool(&w, "stream", true);
    write_thinking(&w, d);
    if (d->system && *d->system) {
        jw_open(&w, "system", '[');
        jw_open(&w, NULL, '{');
        jw_str(&w, "type", "text");
        jw_str(&w, "text", d->system);
        cache_mark(&w);
        jw_close(&w);
        jw_close(&w);
    }
    write_tools(&w, d);
    llm_write_messages(&w, &words, d, write_part);
    jw_close(&w);
}

/* ---- in ---- */

static void read_stop(struct llm_parser *p, struct jread *j)
{
    const char *word = jr_str(j, NULL);
    if (!word)
        return;
    p->stop = str_eq(word, "max_tokens") || str_eq(word, "model_context_window_exceeded")
                  ? LLM_STOP_LENGTH
              : str_eq(word, "refusal")  ? LLM_STOP_REFUSED
              : str_eq(word, "tool_use") ? LLM_STOP_CALLS
                                         : LLM_STOP_END;
}

/* A part of an event, or of a whole answer. */
struct block {
    const char *type, *text, *id, *name, *signature, *input, *data;
};

static void read_block(struct llm_parser *p, struct jread *j, struct block *b)
{
    *b = (struct block){0};
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "type"))
            b->type = llm_keep(p, j);
        else if (jr_is(j, "text") || jr_is(j, "thinking") || jr_is(j, "partial_json"))
            b->text = llm_keep(p, j);
        else if (jr_is(j, "id"))
            b->id = llm_keep(p, j);
        else if (jr_is(j, "name"))
            b->name = llm_keep(p, j);
        else if (jr_is(j, "signature"))
            b->signature = llm_keep(p, j);
        else if (jr_is(j, "data"))
            b->data = llm_keep(p, j);
        else if (jr_is(j, "input"))
            b->input = llm_keep_json(p, j);
        else if (jr_is(j, "stop_reason"))
            read_stop(p, j);
        else
            jr_skip(j);
    }
}

static void give_thought(struct llm_parser *p, bool hidden, const char *text, const char *signature)
{
    struct str out;
    struct jwrite w;
    str_init(&out, p->arena);
    jw_init(&w, &out, 0);
    jw_open(&w, NULL, '{');
    jw_str(&w, "type", hidden ? "redacted_thinking" : "thinking");
    jw_str(&w, hidden ? "data" : "thinking", text);
    if (!hidden)
        jw_str(&w, "signature", signature);
    jw_close(&w);
    llm_give_opaque(p, out.buf);
}

static void start_block(struct llm_parser *p, int64_t index, const struct block *b)
{
    if (!b->type)
        return;
    if (str_eq(b->type, "text") && b->text)
        llm_give_text(p, b->text, strlen(b->text));
    if (str_eq(b->type, "redacted_thinking") && b->data)
        give_thought(p, true, b->data, NULL);
    if (!str_eq(b->type, "tool_use") && !str_eq(b->type, "thinking"))
        return;
    struct llm_open *o = llm_open_at(p, index, true);
    if (!o)
        return;
    o->is_call = str_eq(b->type, "tool_use");
    o->id = b->id;
    o->name = b->name;
    if (!o->is_call && b->text)
        llm_open_add(p, o, b->text, strlen(b->text));
}

static void more_of_block(struct llm_parser *p, int64_t index, const struct block *b)
{
    if (!b->type)
        return;
    if (str_eq(b->type, "text_delta")) {
        if (b->text)
            llm_give_text(p, b->text, strlen(b->text));
        return;
    }
    struct llm_open *o = llm_open_at(p, index, false);
    if (o && str_eq(b->type, "signature_delta"))
        o->extra = b->signature;
    else if (o && b->text)
        llm_open_add(p, o, b->text, strlen(b->text));
}

static void stop_block(struct llm_parser *p, int64_t index)
{
    struct llm_open *o = llm_open_at(p, index, false);
    if (!o)
        return;
    if (o->is_call)
        llm_open_call(p, o);
    else if (o->extra)
        give_thought(p, false, o->text.buf, o->extra);
    o->done = true;
}

static void message_key(struct llm_parser *p, struct jread *j)
{
    if (jr_is(j, "usage"))
        llm_read_tokens(p, j);
    else
        jr_skip(j);
}

/* One event: what it is may stand behind what belongs to it. */
static void event(struct llm_parser *p, const char *name, const char *data, size_t n)
{
    if (p->failed)
        return;
    (void)name; /* "type" says the same */
    struct arena *scratch = arena_scratch();
    struct jread *j = jr_text(scratch, data, n);
    const char *type = "";
    int64_t index = 0;
    struct block b = {0};
    bool object = jr_object(j);
    while (object && jr_key(j)) {
        if (jr_is(j, "type"))
            type = llm_keep(p, j);
        else if (jr_is(j, "index"))
            index = jr_int(j, 0);
        else if (jr_is(j, "content_block") || jr_is(j, "delta"))
            read_block(p, j, &b);
        else if (jr_is(j, "usage"))
            llm_read_tokens(p, j);
        else if (jr_is(j, "message") && jr_type(j) == J_OBJECT) {
            jr_object(j);
            while (jr_key(j))
                message_key(p, j);
        } else
            jr_skip(j);
    }
    bool ok = jr_end(j, NULL) && object;
    arena_release(scratch);
    if (!ok) {
        llm_give_fault(p, LLM_FAULT_SERVER, 0, "the server sent an event that is no JSON");
        return;
    }
    type = type ? type : "";
    if (str_eq(type, "content_block_start"))
        start_block(p, index, &b);
    else if (str_eq(type, "content_block_delta"))
        more_of_block(p, index, &b);
    else if (str_eq(type, "content_block_stop"))
        stop_block(p, index);
    else if (str_eq(type, "message_stop"))
        p->ended = p->closed = true;
    else if (str_eq(type, "error")) {
        const char *kind, *text = llm_error_text(data, n, &kind, p->arena);
        llm_ended_by(p, kind, text);
    }
}

static void whole_key(struct llm_parser *p, struct jread *j)
{
    if (jr_is(j, "usage"))
        llm_read_tokens(p, j);
    else if (jr_is(j, "stop_reason")) {
        read_stop(p, j);
        p->ended = true;
    } else if (jr_is(j, "content") && jr_type(j) == J_ARRAY) {
        jr_array(j);
        while (jr_item(j)) {
            struct block b;
            read_block(p, j, &b);
            if (!b.type)
                continue;
            if (str_eq(b.type, "text") && b.text)
                llm_give_text(p, b.text, strlen(b.text));
            else if (str_eq(b.type, "thinking") && b.text && b.signature)
                give_thought(p, false, b.text, b.signature);
            else if (str_eq(b.type, "redacted_thinking") && b.data)
                give_thought(p, true, b.data, NULL);
            else if (str_eq(b.type, "tool_use"))
                llm_give_call(p, b.id, b.name, b.input, NULL);
        }
    } else
        jr_skip(j);
}

static void whole(struct llm_parser *p, const char *text, size_t n)
{
    llm_read_object(p, text, n, whole_key);
}

const struct llm_wire wire_anthropic = {"Anthropic Messages", body, event, whole};
