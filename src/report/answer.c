#include "report/answer.h"

#include <string.h>
#include <strings.h>

#include "advise/rule.h"
#include "base/human.h"

struct scored {
    size_t score, index;
};

/* The best of n things, the first of equals first; 0 is none. Returns how many. */
static size_t best_of(struct scored *top, size_t most, size_t n, const size_t *scores)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = kept;
        if (!scores[i])
            continue;
        while (at && top[at - 1].score < scores[i])
            at--;
        if (at >= most)
            continue;
        kept += kept < most;
        memmove(&top[at + 1], &top[at], (kept - at - 1) * sizeof(*top));
        top[at] = (struct scored){scores[i], i};
    }
    return kept;
}

static void find_findings(struct answer *out, const struct subject *s,
                          const struct question_words *w, struct arena *a)
{
    size_t n = s->advice->findings.n;
    size_t *scores = arena_array(a, size_t, n + 1);
    struct scored top[ANSWER_FINDINGS];
    for (size_t i = 0; i < n; i++) {
        const struct finding *f = s->advice->findings.v[i];
        scores[i] = 4 * words_in(w, f->title) + 2 * words_in(w, f->category) +
                    2 * words_in(w, f->rule ? f->rule->name : "") + 4 * words_in(w, f->id) +
                    words_in(w, f->issue);
        if (out->general && i < 3 && !w->n)
            scores[i] += 3 - i;
    }
    size_t k = best_of(top, ANSWER_FINDINGS, n, scores);
    for (size_t i = 0; i < k; i++)
        vec_push(&out->findings, a, s->advice->findings.v[top[i].index]);
}

static void find_causes(struct answer *out, const struct subject *s, const struct question_words *w,
                        struct arena *a)
{
    double whole = (double)s->a->breakdown.gpu_time_ns;
    for (enum cause c = 0; c < CAUSES; c++) {
        const struct cause_info *info = cause_info(c);
        int64_t ns = s->a->ledger.ns[c];
        if (ns && (words_in(w, info->label) || words_in(w, info->key)))
            vec_push(&out->causes, a,
                     ((struct answer_cause){info->label, info->doc, ns,
                                            whole > 0 ? 100 * (double)ns / whole : 0}));
    }
}

/* Kernels whose name holds a word of the question, as people shorten names. */
static void find_kernels(struct answer *out, const struct subject *s,
                         const struct question_words *w, struct arena *a)
{
    for (size_t i = 0; i < s->a->hotspots.n && out->kernels.n < ANSWER_KERNELS; i++) {
        const struct hotspot *h = &s->a->hotspots.v[i];
        bool named = str_has(out->question, h->name) || str_has(out->question, h->short_name);
        for (size_t k = 0; k < w->n && !named; k++)
            named = strlen(w->v[k]) >= 4 && !str_eq(w->v[k], "kernels") &&
                    str_has_fold(h->name, w->v[k]);
        if (named)
            vec_push(&out->kernels, a, h);
    }
}

static void figure(struct answer *out, const struct question_words *w, const char *keys,
                   const char *label, const char *value, struct arena *a)
{
    if (words_in(w, keys))
        vec_push(&out->figures, a, ((struct answer_figure){label, value}));
}

static void find_figures(struct answer *out, const struct subject *s,
                         const struct question_words *w, struct arena *a)
{
    const struct breakdown *b = &s->a->breakdown;
    figure(out, w, "window wall runtime", "window", value_ns(a, b->window_ns), a);
    figure(out, w, "busy utilization", "GPU busy",
           arena_printf(a, "%s, %s of %s", value_pct(a, b->busy_pct), value_ns(a, b->busy_ns),
                        value_ns(a, b->gpu_time_ns)),
           a);
    figure(
        out, w, "idle", "idle",
        arena_printf(a, "%s, %s of GPU time", value_pct(a, b->idle_pct), value_ns(a, b->idle_ns)),
        a);
    figure(out, w, "kernels dispatches launches", "kernels",
           arena_printf(a, "%s, %s busy, %zu name%s", value_count(a, s->a->view.n_kernels),
                        value_ns(a, b->kernel_ns), s->a->hotspots.n, human_s(s->a->hotspots.n)),
           a);
    figure(out, w, "copies copy", "copies",
           arena_printf(a, "%s, %s, %s of it exposed", value_count(a, s->a->view.n_copies),
                        value_ns(a, b->copy_ns), value_ns(a, b->exposed_copy_ns)),
           a);
    figure(out, w, "sync host", "host waits",
           arena_printf(a, "%s, %s of the window", value_pct(a, b->sync_blocked_pct),
                        value_ns(a, b->sync_blocked_ns)),
           a);
    figure(out, w, "quality grade", "data quality",
           arena_printf(a, "%c, %d of 100 points", s->a->quality.grade, s->a->quality.points), a);
}

static void find_sections(struct answer *out, const struct subject *s,
                          const struct question_words *w, struct arena *a)
{
    static const char *const names[] = {"ranks",   "path",      "phases",  "kernels", "counters",
                                        "copies",  "gaps",      "host",    "markers", "gpus",
                                        "streams", "telemetry", "quality", "missing"};
    for (size_t i = 0; i < ARRAY_LEN(names) && out->sections.n < ANSWER_SECTIONS; i++)
        if (words_in(w, names[i]) && section_has(s, names[i]))
            vec_push(&out->sections, a, names[i]);
}

/* Only then: names of figures are common words, too. */
static bool asks_for_meaning(const char *question)
{
    static const char *const signs[] = {"what is", "what's", "what are",   "what does", "mean",
                                        "explain", "define", "definition", "_"};
    for (size_t i = 0; i < ARRAY_LEN(signs); i++)
        if (str_has_fold(question, signs[i]))
            return true;
    return false;
}

static void find_terms(struct answer *out, const struct question_words *w, struct arena *a)
{
    struct terms all;
    if (!asks_for_meaning(out->question))
        return;
    terms_list(&all, a);
    for (size_t k = 0; k < w->n; k++)
        for (size_t i = 0; i < all.n && out->terms.n < ANSWER_TERMS; i++) {
            const struct term *t = &all.v[i];
            bool exact =
                !strcasecmp(t->name, w->v[k]) || (t->alias && !strcasecmp(t->alias, w->v[k]));
            bool part = (t->kind == TERM_METRIC || t->kind == TERM_COUNTER) &&
                        str_starts(t->name, w->v[k]) && t->name[strlen(w->v[k])] == '_';
            if ((exact || part) && t->doc && *t->doc)
                vec_push(&out->terms, a, ((struct answer_term){t->name, t->doc}));
        }
}

struct answer *answer_find(const struct subject *s, const char *question, struct arena *a)
{
    struct answer *out = arena_new(a, struct answer);
    struct question_words w;
    words_of(&w, question, a);
    out->question = question;
    out->answered_by = "analysis";
    out->verdict = s->advice->verdict.headline;
    out->general = w.general || !w.n;
    find_findings(out, s, &w, a);
    find_causes(out, s, &w, a);
    find_kernels(out, s, &w, a);
    find_figures(out, s, &w, a);
    find_sections(out, s, &w, a);
    find_terms(out, &w, a);
    out->nothing = !out->general && !out->findings.n && !out->causes.n && !out->kernels.n &&
                   !out->figures.n && !out->sections.n && !out->terms.n;
    return out;
}

/* ---- as a doc ---- */

static void put_finding(const struct finding *f, struct doc *d)
{
    doc_heading(d, 3, "[%s] %s", priority_name(f->priority), f->title);
    doc_text(d, "%s", f->issue);
    if (f->claimed_ns)
        doc_fact(d, "costs", "%s, %s of the GPU time", value_ns(d->arena, f->claimed_ns),
                 value_pct(d->arena, f->runtime_fraction_pct));
    if (f->suggestion)
        doc_fact(d, "do", "%s", f->suggestion);
    doc_fact(d, "sure", "%.0f %%: %s", 100 * f->confidence,
             f->confidence_reason ? f->confidence_reason : "");
    doc_fact(d, "rule", "%s", f->id);
    for (size_t i = 0; i < f->evidence.n && i < 3; i++)
        doc_item(d, "%s", f->evidence.v[i].text);
}

static void put_kernels(const struct answer *a, struct doc *d)
{
    VEC(struct hotspot) rows = {0};
    for (size_t i = 0; i < a->kernels.n; i++)
        vec_push(&rows, d->arena, *a->kernels.v[i]);
    doc_rows(d, RESULT(hotspot_fields, rows),
             &(struct rows){.caption = "kernels of that name",
                            .shown = "short_name calls total_duration_ns avg_duration_ns "
                                     "max_duration_ns pct_of_total"});
}

static void put_model(const struct explanation *e, struct doc *d)
{
    doc_callout(d, e->unfound.n || e->problem ? TONE_WARN : TONE_INFO,
                "These are the words of a language model (%s, %s), not of the analysis.%s%s",
                e->provider, e->model, e->problem ? " " : "", e->problem ? e->problem : "");
    doc_label(d, "Language model");
    doc_checked(d, e);
    if (e->text)
        doc_markdown(d, e->text);
}

static void put_found(const struct answer *a, struct doc *d)
{
    struct arena *arena = d->arena;
    for (size_t i = 0; i < a->figures.n; i++)
        doc_fact(d, a->figures.v[i].label, "%s", a->figures.v[i].value);
    for (size_t i = 0; i < a->causes.n; i++)
        doc_explained(d, a->causes.v[i].cause, a->causes.v[i].doc, "%s, %s of the GPU time",
                      value_ns(arena, a->causes.v[i].ns), value_pct(arena, a->causes.v[i].pct));
    if (a->kernels.n)
        put_kernels(a, d);
    for (size_t i = 0; i < a->findings.n; i++)
        put_finding(a->findings.v[i], d);
    for (size_t i = 0; i < a->terms.n; i++)
        doc_item(d, "%s: %s", a->terms.v[i].term, a->terms.v[i].doc);
}

struct doc *answer_doc(const struct answer *a, struct subject *s, struct arena *arena,
                       struct gs_error *err)
{
    struct doc *d = doc_new(arena);
    struct str names;
    d->a = s->a;
    doc_title(d, "%s", a->question);
    if (a->explanation && a->explanation->text) {
        put_model(a->explanation, d);
        return d;
    }
    doc_text(d, "%s",
             a->nothing ? "Nothing in the analysis goes by these words. Ask for findings, "
                          "kernels, copies, gaps, host calls, markers, a term of 'gpusight "
                          "explain', or with '--llm'."
                        : "Answered from the analysis, without a language model.");
    if (a->general || a->nothing)
        doc_callout(d, TONE_INFO, "%s", a->verdict);
    put_found(a, d);
    str_init(&names, arena);
    for (size_t i = 0; i < a->sections.n; i++)
        str_printf(&names, "%s%s", i ? "," : "", a->sections.v[i]);
    if (a->sections.n && !sections_build(d, s, names.buf, err))
        return NULL;
    return d;
}
