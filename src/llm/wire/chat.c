/* Chat completions: OpenAI's older interface, and that of everything compatible with it. */
#include "llm/json_copy.h"
#include "llm/wire.h"

/* ---- out ---- */

static void write_calls(struct jwrite *w, const struct llm_message *m)
{
    bool open = false;
    for (size_t i = 0; i < m->parts.n; i++) {
        const struct llm_part *p = &m->parts.v[i];
        if (p->kind != LLM_PART_CALL)
            continue;
        if (!open)
            jw_open(w, "tool_calls", '[');
        open = true;
        jw_open(w, NULL, '{');
        jw_str(w, "id", p->id);
        jw_str(w, "type", "function");
        jw_open(w, "function", '{');
        jw_str(w, "name", p->name);
        jw_str(w, "arguments", p->text);
        jw_close(w);
        jw_close(w);
    }
    if (open)
        jw_close(w);
}

static const char *joined_text(const struct llm_message *m, struct arena *a)
{
    struct str out;
    str_init(&out, a);
    for (size_t i = 0; i < m->parts.n; i++)
        if (m->parts.v[i].kind == LLM_PART_TEXT) {
            if (out.len)
                str_puts(&out, "\n\n");
            str_puts(&out, m->parts.v[i].text);
        }
    return out.buf;
}

static void write_message(struct jwrite *w, const struct llm_message *m)
{
    const char *text = joined_text(m, w->out->arena);
    for (size_t i = 0; i < m->parts.n; i++) {
        const struct llm_part *p = &m->parts.v[i];
        if (p->kind != LLM_PART_RESULT)
            continue;
        jw_open(w, NULL, '{');
        jw_str(w, "role", "tool");
        jw_str(w, "tool_call_id", p->id);
        jw_str(w, "content", p->text);
        jw_close(w);
    }
    bool calls = false;
    for (size_t i = 0; i < m->parts.n; i++)
        calls |= m->parts.v[i].kind == LLM_PART_CALL;
    if (!*text && !calls)
        return;
    jw_open(w, NULL, '{');
    jw_str(w, "role", m->role == LLM_USER ? "user" : "assistant");
    jw_str(w, "content", *text ? text : NULL);
    write_calls(w, m);
    jw_close(w);
}

static void write_tool(struct jwrite *w, const struct llm_function *t)
{
    jw_str(w, "type", "function");
    jw_open(w, "function", '{');
    llm_write_tool(w, t, "parameters");
    jw_close(w);
}

static void write_tools(struct jwrite *w, const struct llm_dialogue *d)
{
    if (!d->tools.n)
        return;
    llm_write_tools(w, "tools", d, write_tool);
    jw_str(w, "tool_choice", d->no_more_calls ? "none" : "auto");
}

static void body(struct str *out, const struct llm_dialogue *d)
{
    struct jwrite w;
    jw_init(&w, out, 0);
    jw_open(&w, NULL, '{');
    jw_str(&w, "model", d->model);
    jw_int(&w, d->old_limit ? "max_tokens" : "max_completion_tokens", d->max_tokens);
    if (d->effort)
        jw_str(&w, "reasoning_effort", llm_openai_effort(d->effort));
    if (d->stream) {
        jw_bool(&w, "stream", true);
        jw_open(&w, "stream_options", '{');
        jw_bool(&w, "include_usage", true);
        jw_close(&w);
    }
    write_tools(&w, d);
    jw_open(&w, "messages", '[');
    if (d->system && *d->system) {
        jw_open(&w, NULL, '{');
        jw_str(&w, "role", "system");
        jw_str(&w, "content", d->system);
        jw_close(&w);
    }
    for (size_t i = 0; i < d->messages.n; i++)
        write_message(&w, &d->messages.v[i]);
    jw_close(&w);
    jw_close(&w);
}

/* ---- in ---- */

static void read_function(struct llm_parser *p, struct jread *j, struct llm_open *o)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        size_t n;
        const char *s;
        if (jr_is(j, "name")) {
            if ((s = llm_keep(p, j)) && *s)
                o->name = s;
        } else if (jr_is(j, "arguments") && jr_type(j) == J_STRING) {
            if ((s = jr_str(j, &n)))
                llm_open_add(p, o, s, n);
        } else
            jr_skip(j);
    }
}

static void read_call(struct llm_parser *p, struct jread *j, int64_t position)
{
    /* Servers that send whole calls leave the index out; those that stream put it first. */
    struct llm_open *o = NULL;
    const char *id = NULL;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "index"))
            position = jr_int(j, position);
        else if (jr_is(j, "id"))
            id = llm_keep(p, j);
        else if (jr_is(j, "function") && (o = llm_open_at(p, position, true))) {
            o->is_call = true;
            read_function(p, j, o);
        } else
            jr_skip(j);
    }
    if (o && id)
        o->id = id;
}

/* Text, or a list of parts with texts. */
static void read_content(struct llm_parser *p, struct jread *j)
{
    size_t n;
    if (jr_type(j) == J_STRING) {
        const char *s = jr_str(j, &n);
        if (s)
            llm_give_text(p, s, n);
    } else if (jr_type(j) == J_ARRAY) {
        jr_array(j);
        while (jr_item(j))
            if (jr_object(j))
                while (jr_key(j)) {
                    const char *s = jr_is(j, "text") ? llm_keep(p, j) : (jr_skip(j), NULL);
                    if (s)
                        llm_give_text(p, s, strlen(s));
                }
    } else
        jr_skip(j);
}

static void read_message(struct llm_parser *p, struct jread *j)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "content"))
            read_content(p, j);
        else if (jr_is(j, "refusal") && jr_type(j) == J_STRING) {
            size_t n;
            const char *s = jr_str(j, &n);
            if (n)
                llm_give_refusal(p, s, n);
        } else if (jr_is(j, "tool_calls") && jr_type(j) == J_ARRAY) {
            int64_t position = 0;
            jr_array(j);
            while (jr_item(j))
                read_call(p, j, position++);
        } else
            jr_skip(j);
    }
}

static void give_calls(struct llm_parser *p)
{
    for (size_t i = 0; i < p->open.n; i++)
        llm_open_call(p, p->open.v[i]);
}

static void read_choice(struct llm_parser *p, struct jread *j)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "delta") || jr_is(j, "message"))
            read_message(p, j);
        else if (jr_is(j, "finish_reason") && jr_type(j) == J_STRING) {
            const char *word = jr_str(j, NULL);
            if (word && p->stop != LLM_STOP_REFUSED)
                p->stop = str_eq(word, "length")           ? LLM_STOP_LENGTH
                          : str_eq(word, "content_filter") ? LLM_STOP_REFUSED
                                                           : LLM_STOP_END;
            p->ended = true;
        } else
            jr_skip(j);
    }
}

static void key(struct llm_parser *p, struct jread *j)
{
    if (jr_is(j, "choices") && jr_type(j) == J_ARRAY) {
        llm_read_first(p, j, read_choice);
    } else if (jr_is(j, "usage") && jr_type(j) == J_OBJECT)
        llm_read_usage(p, j, "prompt_tokens", "completion_tokens", "prompt_tokens_details");
    else if (jr_is(j, "error") && jr_type(j) == J_OBJECT)
        llm_read_error(p, j);
    else
        jr_skip(j);
}

static void event(struct llm_parser *p, const char *name, const char *data, size_t n)
{
    (void)name;
    if (n == 6 && !memcmp(data, "[DONE]", 6))
        p->ended = p->closed = true;
    else
        llm_read_object(p, data, n, key);
    if (p->ended)
        give_calls(p);
}

static void whole(struct llm_parser *p, const char *text, size_t n)
{
    llm_read_object(p, text, n, key);
    if (p->ended)
        give_calls(p);
}

const struct llm_wire wire_chat = {"chat completions", body, event, whole};
