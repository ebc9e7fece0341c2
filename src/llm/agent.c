#include "llm/agent.h"

#include <string.h>

#include "base/log.h"
#include "llm/hypothesis.h"
#include "llm/json_copy.h"
#include "llm/transcript.h"

static const char wrap_up[] =
    "Three turns are left. Look up only what you still need, then write your answer.";
static const char last_turn[] =
    "No turns are left: no tool can be called any more. Write your answer now, with what you know.";
static const char go_on[] = "Your answer was empty. Go on: look up what you need, or write it.";
static const char nudge[] =
    "That was no JSON array. Write the hypotheses as a bare JSON array of objects, and nothing "
    "else.";

void agent_init(struct llm_agent *g, struct llm *l, struct run *run, int threads)
{
    *g = (struct llm_agent){.l = l, .max_turns = l->o->max_turns > 0 ? l->o->max_turns : 20};
    if (!run || !run->analysis || l->o->no_tools || l->target.provider->no_tools)
        return;
    struct tool_box_opts o = {.threads = threads,
                              .answer_bytes = AGENT_ANSWER_BYTES,
                              .whole_names = l->redact.mode != REDACT_NONE};
    vec_push(&o.roots, l->arena, "/dev/null"); /* nothing is read but what is there */
    g->box = tool_box_new(&o, l->arena);
    tool_box_add(g->box, run);
}

/* ---- what is offered ---- */

static bool offered(const struct tool *t)
{
    return t->group == TOOL_OWN && !t->not_offered;
}

/* A copy of an object without "trace"; of a schema, without the property of that name. */
static void copy_without_trace(struct jread *j, struct jwrite *w, const char *key, int depth)
{
    if (jr_type(j) == J_ARRAY) {
        jw_open(w, key, '[');
        jr_array(j);
        while (jr_item(j)) {
            if (jr_type(j) != J_STRING) {
                json_copy(j, w, NULL, NULL);
                continue;
            }
            const char *s = jr_strdup(j, w->out->arena);
            if (s && !str_eq(s, "trace"))
                jw_str(w, NULL, s);
        }
        jw_close(w);
        return;
    }
    if (jr_type(j) != J_OBJECT || depth > 1) {
        json_copy(j, w, key, NULL);
        return;
    }
    jw_open(w, key, '{');
    jr_object(j);
    while (jr_key(j)) {
        const char *name = arena_strdup(w->out->arena, j->text);
        if (str_eq(name, "trace"))
            jr_skip(j);
        else
            copy_without_trace(j, w, name, depth + 1);
    }
    jw_close(w);
}

static const char *without_trace(const char *json, struct arena *a)
{
    struct str out;
    struct jwrite w;
    str_init(&out, a);
    jw_init(&w, &out, 0);
    copy_without_trace(jr_text(a, json, strlen(json)), &w, NULL, 0);
    return out.buf;
}

void agent_offer(struct llm_agent *g, struct llm_dialogue *d)
{
    struct arena *a = g->l->arena;
    for (size_t i = 0; g->box && tools[i]; i++) {
        struct str schema;
        struct jwrite w;
        if (!offered(tools[i]))
            continue;
        str_init(&schema, a);
        jw_init(&w, &schema, 0);
        jw_open(&w, NULL, '{');
        tool_input_schema(&w, tools[i]);
        jw_close(&w);
        struct llm_function f = {tools[i]->name, tools[i]->description,
                                 without_trace(schema.buf, a)};
        vec_push(&d->tools, a, f);
    }
}

/* ---- calls ---- */

/* Inside a literal of SQL a quote is written twice. */
static const char *put_back_sql(void *ctx, const char *text, size_t n, bool is_key)
{
    struct redact *r = ctx;
    struct str out;
    const char *copy = arena_strndup(r->arena, text, n);
    if (is_key)
        return copy;
    str_init(&out, r->arena);
    while (*copy) {
        size_t k = redact_placeholder(copy);
        const char *name = k ? redact_restore(r, arena_strndup(r->arena, copy, k), true) : NULL;
        for (const char *p = name; p && *p; p++)
            str_puts(&out, *p == '\'' ? "''" : (const char[]){*p, 0});
        if (!k)
            str_putc(&out, *copy);
        copy += k ? k : 1;
    }
    return out.buf;
}

static const char *put_back(void *ctx, const char *text, size_t n, bool is_key)
{
    struct redact *r = ctx;
    const char *copy = arena_strndup(r->arena, text, n);
    return is_key ? copy : redact_restore(r, copy, true);
}

static bool asked_before(struct llm_agent *g, const char *what)
{
    for (size_t i = 0; i < g->asked.n; i++)
        if (str_eq(g->asked.v[i], what))
            return true;
    vec_push(&g->asked, g->l->arena, what);
    return false;
}

static const char *problem(struct llm_agent *g, const char *text)
{
    struct str out;
    struct jwrite w;
    str_init(&out, g->l->arena);
    jw_init(&w, &out, 0);
    jw_open(&w, NULL, '{');
    jw_str(&w, "error", text);
    jw_close(&w);
    return out.buf;
}

/* What a call comes to, as it is sent back. */
static const char *answer_call(struct llm_agent *g, const struct llm_part *call, bool *failed)
{
    struct arena *a = g->l->arena;
    struct redact *r = &g->l->redact;
    const struct tool *t = g->box ? tool_find(call->name) : NULL;
    struct json_change names = {t && t->takes_sql ? put_back_sql : put_back, r};
    const char *args = json_changed(*call->text ? call->text : "{}", &names, a);
    *failed = true;
    if (!t || !offered(t))
        return problem(g, "there is no such tool");
    if (!args || *args != '{')
        return problem(g, "the arguments are no JSON object");
    if (asked_before(g, arena_printf(a, "%s %s", t->name, args)))
        return problem(g, "this was asked before; the answer stands above");
    args = without_trace(args, a);
    struct tool_answer answer = tool_call(g->box, t->name, args, strlen(args), a);
    *failed = answer.is_error;
    if (!answer.is_error)
        vec_push(&g->answers, a, answer.json);
    const char *sent = redact_json(r, answer.json, t->takes_sql && !answer.is_error);
    return prompt_quoted(sent ? sent : "{}", a);
}

static void answer_calls(struct llm_agent *g, struct llm_dialogue *d)
{
    struct llm_message asked = d->messages.v[d->messages.n - 1];
    size_t made = 0;
    llm_message_add(d, LLM_USER);
    for (size_t i = 0; i < asked.parts.n; i++) {
        const struct llm_part *call = &asked.parts.v[i];
        bool failed = true;
        if (call->kind != LLM_PART_CALL)
            continue;
        const char *json = made++ < AGENT_CALLS_A_TURN
                               ? answer_call(g, call, &failed)
                               : problem(g, "too many calls at once; ask again");
        struct llm_part *p = llm_part_add(d, LLM_PART_RESULT, json);
        p->id = call->id;
        p->name = call->name;
        p->failed = failed;
        g->calls++;
        log_note("turn %lld: %s(%.120s) -> %zu bytes", (long long)g->turns, call->name, call->text,
                 strlen(json));
        transcript_call(g->l, call->name, call->text, json);
    }
}

/* ---- turns ---- */

static void add_text(struct llm_dialogue *d, const char *text)
{
    struct llm_message *last = d->messages.n ? &d->messages.v[d->messages.n - 1] : NULL;
    if (!last || last->role != LLM_USER)
        llm_message_add(d, LLM_USER);
    llm_part_add(d, LLM_PART_TEXT, text);
}

/* Whether the answer is one; if not, the model is told, once. */
static bool satisfied(struct llm_agent *g, struct llm_dialogue *d, const struct llm_answer *a,
                      bool *nudged)
{
    if (!g->wants_array || *nudged || hypotheses_array(a->raw, NULL, g->l->arena))
        return true;
    *nudged = true;
    add_text(d, nudge);
    return false;
}

bool agent_run(struct llm_agent *g, struct llm_dialogue *d, struct llm_answer *out,
               llm_shower *show, void *ctx)
{
    bool nudged = false, was_empty = false;
    d->no_more_calls = false;
    for (g->turns = 1; g->turns <= g->max_turns; g->turns++) {
        if (!llm_exchange(g->l, d, out, show, ctx)) {
            /* models take their turn for over behind the answers of tools, now and then */
            if (out->fault != LLM_FAULT_EMPTY || was_empty || !g->calls)
                return false;
            was_empty = true;
            add_text(d, go_on);
            continue;
        }
        if (!out->calls) {
            if (satisfied(g, d, out, &nudged))
                return true;
            continue;
        }
        if (show && *out->text)
            show(ctx, "\n\n", 2);
        answer_calls(g, d);
        int64_t left = g->max_turns - g->turns;
        if (left == 3)
            add_text(d, wrap_up);
        else if (!left)
            add_text(d, last_turn);
    }
    d->no_more_calls = true;
    bool ok = llm_exchange(g->l, d, out, show, ctx);
    d->no_more_calls = false;
    return ok;
}
