/*
 * Every number of a model's text, looked for in the analysis, in what the model was told and in what
 * tools answered. What is not there is marked where it stands, and counted.
 */
#include <math.h>
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

enum { ABOUT_BYTES = 300 };

/* What a text is about stands in front of it, in the same sentence. */
static void put_subject(struct str *out, const char *about)
{
    size_t n = strcspn(about, "\n");
    str_put(out, about, n < ABOUT_BYTES ? n : ABOUT_BYTES);
    while (out->len && strchr(" .!?:", out->buf[out->len - 1]))
        out->len--;
    str_puts(out, ": ");
}

/* The text with a mark behind each figure that is not confirmed. `about` may be NULL. */
static const char *marked(struct checking *c, const char *about, const char *text)
{
    size_t n = text ? strlen(text) : 0, head, done;
    struct str all, out;
    if (!n)
        return text;
    str_init(&all, c->arena);
    if (about && *about)
        put_subject(&all, about);
    head = done = all.len;
    str_put(&all, text, n);
    struct verification *v = verify_text(all.buf, all.len, VERIFY_MARKDOWN, c->facts, c->arena);
    text = all.buf;
    n = all.len;
    str_init(&out, c->arena);
    for (size_t i = 0; i < v->figures.n; i++) {
        const struct checked_figure *f = &v->figures.v[i];
        c->out->numbers += f->at >= head;
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
    if (v->too_many)
        str_puts(&out, " [? too many numbers: what follows is not checked] ");
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

static const char *all_marked(struct checking *c, bool names, const char *about, const char *text)
{
    text = marked(c, about, text);
    return names ? names_marked(c, text) : text;
}

/* The share of the time is a number of the model's, too; what follows from it is ours. */
static void check_share(struct checking *c, struct hypothesis *h)
{
    if (isnan(h->runtime_fraction_pct))
        return;
    size_t before = c->out->unfound.n;
    const char *said = arena_printf(c->arena, "%.4g %% of the time", h->runtime_fraction_pct);
    marked(c, h->description, said);
    if (c->out->unfound.n > before)
        vec_push(&h->coercion_notes, c->arena,
                 arena_printf(c->arena, "the analysis has no such share: %s", said));
}

static void check_hypothesis(struct checking *c, bool names, struct hypothesis *h)
{
    const char *about = h->description;
    check_share(c, h);
    h->evidence = all_marked(c, names, about, h->evidence);
    h->suggestion = all_marked(c, names, about, h->suggestion);
    h->description = all_marked(c, names, NULL, about);
}

static void check_difference(struct checking *c, bool names, struct key_difference *k)
{
    const char *about = k->metric;
    k->profile_a = all_marked(c, names, about, k->profile_a);
    k->profile_b = all_marked(c, names, about, k->profile_b);
    k->note = all_marked(c, names, about, k->note);
    k->metric = all_marked(c, names, NULL, about);
}

void explain_check(const struct llm *l, const struct run *run, const struct llm_agent *agent,
                   struct explanation *out)
{
    struct checking c = {facts_new(l->arena), l->arena, out};
    bool names = l->redact.mode != REDACT_NONE;
    if (!out->text && !out->hypotheses.n)
        return;
    if (run && run->analysis)
        facts_add_run(c.facts, run);
    if (l->data)
        facts_add_json(c.facts, "told", l->data, strlen(l->data));
    for (size_t i = 0; i < agent->answers.n; i++)
        facts_add_json(c.facts, "tool", agent->answers.v[i], strlen(agent->answers.v[i]));
    out->text = all_marked(&c, names, NULL, out->text);
    for (size_t i = 0; i < out->hypotheses.n; i++)
        check_hypothesis(&c, names, &out->hypotheses.v[i]);
    for (size_t i = 0; i < out->differences.n; i++)
        check_difference(&c, names, &out->differences.v[i]);
}
