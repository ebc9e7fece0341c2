/*
 * Claims: of our findings, of a model's answer, of files with either.
 */
#include <math.h>
#include <string.h>

#include "advise/rule.h"
#include "base/fs.h"
#include "base/jread.h"
#include "evaluate/evaluate.h"

enum { FILE_MAX = 256 << 20 };

void claims_of_advice(struct eval_run *r, const struct advice *a, struct arena *arena)
{
    for (size_t i = 0; i < a->findings.n; i++) {
        const struct finding *f = a->findings.v[i];
        if (f->priority == PRIORITY_INFO)
            continue;
        struct eval_claim c = {.title = f->title,
                               .type = bottleneck_name(f->bottleneck),
                               .rule = f->id,
                               .share_pct = f->runtime_fraction_pct,
                               .minor = f->priority == PRIORITY_LOW};
        c.text = arena_printf(arena, "%s %s", f->issue ? f->issue : "",
                              f->suggestion ? f->suggestion : "");
        vec_push(&r->claims, arena, c);
    }
}

static void add_hypothesis(struct eval_run *r, const struct hypothesis *h, struct arena *arena)
{
    struct eval_claim c = {.title = h->description ? h->description : "",
                           .type = h->bottleneck_type ? h->bottleneck_type : "other",
                           .share_pct = h->runtime_fraction_pct,
                           .hypothesis = *h};
    c.text = arena_printf(arena, "%s\n%s\n%s", c.title, h->evidence ? h->evidence : "",
                          h->suggestion ? h->suggestion : "");
    /* A share of a phase is no share of the run. */
    if (h->phase && !str_eq(h->phase, "whole_profile") && *h->phase)
        c.share_pct = NAN;
    vec_push(&r->claims, arena, c);
}

void claims_of_explanation(struct eval_run *r, const struct explanation *x, struct arena *arena)
{
    for (size_t i = 0; i < x->hypotheses.n; i++)
        add_hypothesis(r, &x->hypotheses.v[i], arena);
}

/* ---- files ---- */

static void read_hypothesis(struct jread *j, struct eval_run *r, struct arena *a)
{
    struct hypothesis h = {
        .runtime_fraction_pct = NAN, .speedup_lower_pct = NAN, .speedup_upper_pct = NAN};
    const char *rule = NULL, *title = NULL;
    enum priority priority = PRIORITY_MEDIUM;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "bottleneck_type"))
            h.bottleneck_type = jr_strdup(j, a);
        else if (jr_is(j, "phase"))
            h.phase = jr_strdup(j, a);
        else if (jr_is(j, "description") || jr_is(j, "issue"))
            h.description = jr_strdup(j, a);
        else if (jr_is(j, "evidence") && jr_type(j) == J_STRING)
            h.evidence = jr_strdup(j, a);
        else if (jr_is(j, "suggestion"))
            h.suggestion = jr_strdup(j, a);
        else if (jr_is(j, "runtime_fraction_pct"))
            h.runtime_fraction_pct = jr_num(j, NAN);
        else if (jr_is(j, "id"))
            rule = jr_strdup(j, a);
        else if (jr_is(j, "rule"))
            rule = jr_strdup(j, a);
        else if (jr_is(j, "title"))
            title = jr_strdup(j, a);
        else if (jr_is(j, "priority"))
            priority = priority_of(jr_str(j, NULL));
        else
            jr_skip(j);
    }
    if (priority == PRIORITY_INFO)
        return;
    add_hypothesis(r, &h, a);
    struct eval_claim *c = &r->claims.v[r->claims.n - 1];
    c->rule = rule;
    c->minor = priority == PRIORITY_LOW;
    if (title)
        c->title = title;
}

static void read_list(struct jread *j, struct eval_run *r, struct arena *a)
{
    if (jr_array(j))
        while (jr_item(j))
            read_hypothesis(j, r, a);
}

static const struct mapping *read_file(const char *path, struct arena *a, struct gs_error *err)
{
    return fs_read_in(a, path, FILE_MAX, err);
}

bool claims_of_file(struct eval_run *r, const char *path, struct arena *arena, struct gs_error *err)
{
    const struct mapping *m = read_file(path, arena, err);
    struct jread j;
    bool found = false;
    if (!m)
        return false;
    jr_memory(&j, (const char *)m->data, m->size);
    if (jr_type(&j) == J_ARRAY) {
        read_list(&j, r, arena);
        found = true;
    } else if (jr_object(&j))
        while (jr_key(&j)) {
            if (jr_is(&j, "hypotheses") || jr_is(&j, "recommendations")) {
                read_list(&j, r, arena);
                found = true;
            } else
                jr_skip(&j);
        }
    bool ok = jr_end(&j, err);
    jr_release(&j);
    if (!ok)
        return wrap(err, "cannot read '%s'", path);
    return found || fail(err, GS_E_FORMAT,
                         "no hypotheses in '%s'; a list of them, or an object with the key "
                         "'hypotheses', is needed",
                         path);
}

static const struct eval_truth *truth_of(const struct evaluation *e, const char *run_id)
{
    for (size_t i = 0; run_id && i < e->truths.n; i++)
        if (str_eq(e->truths.v[i].run_id, run_id))
            return &e->truths.v[i];
    return NULL;
}

static void read_scores(struct jread *j, struct eval_run *r, struct arena *a)
{
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        struct eval_score s = {.score = -1};
        if (jr_type(j) == J_NUMBER)
            s.score = jr_int(j, -1);
        else if (jr_object(j))
            while (jr_key(j)) {
                if (jr_is(j, "score"))
                    s.score = jr_int(j, -1);
                else if (jr_is(j, "explanation"))
                    s.explanation = jr_strdup(j, a);
                else
                    jr_skip(j);
            }
        if (s.score > 2)
            s.score = -1;
        vec_push(&r->scores, a, s);
    }
}

/* The run may come before or behind its id, so it is read first and then given its truth. */
static void read_run(struct evaluation *e, struct jread *j)
{
    struct eval_run *r = arena_new(e->arena, struct eval_run);
    const char *id = NULL;
    *r = (struct eval_run){.rank = -1, .coverage_pct = NAN, .error_points = NAN};
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "run_id"))
            id = jr_strdup(j, e->arena);
        else if (jr_is(j, "hypotheses"))
            read_list(j, r, e->arena);
        else if (jr_is(j, "suggestion_scores"))
            read_scores(j, r, e->arena);
        else if (jr_is(j, "repeat"))
            r->repeat = jr_int(j, 0);
        else if (jr_is(j, "elapsed_s"))
            r->elapsed_s = jr_num(j, 0);
        else if (jr_is(j, "input_tokens"))
            r->input_tokens = jr_int(j, 0);
        else if (jr_is(j, "output_tokens"))
            r->output_tokens = jr_int(j, 0);
        else if (jr_is(j, "error"))
            r->error = jr_strdup(j, e->arena);
        else
            jr_skip(j);
    }
    r->truth = truth_of(e, id);
    if (!r->truth || r->repeat < 0 || r->repeat > 1000)
        return;
    vec_push(&e->runs, e->arena, r);
    if (r->repeat + 1 > e->repeats)
        e->repeats = r->repeat + 1;
}

bool evaluation_read(struct evaluation *e, const char *path, struct gs_error *err)
{
    const struct mapping *m = read_file(path, e->arena, err);
    struct jread j;
    if (!m)
        return false;
    jr_memory(&j, (const char *)m->data, m->size);
    if (jr_object(&j))
        while (jr_key(&j)) {
            if (jr_is(&j, "runs") && jr_array(&j))
                while (jr_item(&j))
                    read_run(e, &j);
            else if (jr_is(&j, "metadata") && jr_object(&j))
                while (jr_key(&j)) {
                    if (jr_is(&j, "model")) {
                        const char *who = jr_strdup(&j, e->arena);
                        e->who = who ? who : e->who;
                    } else
                        jr_skip(&j);
                }
            else if (!jr_is(&j, "runs") && !jr_is(&j, "metadata"))
                jr_skip(&j);
        }
    bool ok = jr_end(&j, err);
    jr_release(&j);
    if (!ok)
        return wrap(err, "cannot read '%s'", path);
    return e->runs.n || fail(err, GS_E_FORMAT, "no run of '%s' has a truth in '%s'", path,
                             e->folder ? e->folder : ".");
}
