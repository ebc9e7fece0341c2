/*
 * Every number of a model's text, looked for in the analysis, in what the model was told and in what
 * tools answered. What is not there is marked where it stands, and counted.
 */
#include <string.h>

#include "llm/explain.h"
#include "verify/verify.h"

struct checking {
    struct facts *facts;
    struct arena *arena;
    struct explanation *out;
};

static const char *said_of(const struct checked_figure *f, struct arena *a)
{
    bool other = f->verdict == FIGURE_CONTRADICTED && f->right;
    return other ? arena_printf(a, "%s (the analysis has %s)", f->shown, f->right) : f->shown;
}

/* The text with a mark behind each figure that is not confirmed. */
static const char *marked(struct checking *c, const char *text)
{
    size_t n = text ? strlen(text) : 0, done = 0;
    struct str out;
    if (!n)
        return text;
    struct verification *v = verify_text(text, n, VERIFY_MARKDOWN, c->facts, c->arena);
    c->out->numbers += v->figures.n;
    str_init(&out, c->arena);
    for (size_t i = 0; i < v->figures.n; i++) {
        const struct checked_figure *f = &v->figures.v[i];
        if (f->verdict == FIGURE_CONFIRMED || f->at + f->n > n || f->at < done)
            continue;
        str_put(&out, text + done, f->at + f->n - done);
        done = f->at + f->n;
        if (f->verdict == FIGURE_CONTRADICTED && f->right)
            str_printf(&out, " [? %s]", f->right);
        else
            str_puts(&out, " [?]");
        vec_push(&c->out->unfound, c->arena, said_of(f, c->arena));
    }
    str_put(&out, text + done, n - done);
    return out.buf;
}

/* Placeholders that are left stand for nothing: the model has made them up. */
static const char *names_marked(struct checking *c, const char *text)
{
    struct str out;
    if (!text)
        return NULL;
    str_init(&out, c->arena);
    while (*text) {
        size_t n = redact_placeholder(text);
        str_put(&out, text, n ? n : 1);
        if (n) {
            str_puts(&out, " [?]");
            vec_push(&c->out->unfound, c->arena, arena_strndup(c->arena, text, n));
            c->out->numbers++;
        }
        text += n ? n : 1;
    }
    return out.buf;
}

void explain_check(const struct llm *l, const struct run *run, const struct llm_agent *agent,
                   struct explanation *out)
{
    struct checking c = {facts_new(l->arena), l->arena, out};
    if (!out->text && !out->hypotheses.n)
        return;
    if (run && run->analysis)
        facts_add_run(c.facts, run);
    if (l->data)
        facts_add_json(c.facts, "told", l->data, strlen(l->data));
    for (size_t i = 0; i < agent->answers.n; i++)
        facts_add_json(c.facts, "tool", agent->answers.v[i], strlen(agent->answers.v[i]));
    out->text = marked(&c, out->text);
    if (l->redact.mode != REDACT_NONE)
        out->text = names_marked(&c, out->text);
    for (size_t i = 0; i < out->hypotheses.n; i++) {
        struct hypothesis *h = &out->hypotheses.v[i];
        h->description = marked(&c, h->description);
        h->evidence = marked(&c, h->evidence);
    }
}
