/*
 * Reports that answer a question which they name: the question is read from them, asked again, and
 * what we answer is the reference.
 */
#include <string.h>

#include "analyze/domains.h"
#include "cli/asked.h"
#include "cli/reference.h"
#include "cli/summary_domains.h"
#include "compat/tracelens.h"
#include "depend/whatif.h"
#include "render/answer_json.h"
#include "render/plan_json.h"
#include "render/renderers.h"
#include "render/workbook_out.h"

static void add_whatif(const struct verified_text *t, const struct run *run,
                       const struct reading *text)
{
    struct arena *arena = t->cli->arena;
    struct change c;
    if (!run->analysis->depend || !asked_change(&c, text, arena))
        return;
    c.hardware = run->analysis->hardware;
    struct whatif *w = arena_new(arena, struct whatif);
    whatif_make(w, run->analysis, &c, arena);
    struct subject about = {.whatif = w};
    struct report report = report_about(REPORT_WHATIF, &about, arena);
    reference_render(t, &report);
    reference_facts(t, &report);
}

static void add_one_plan(const struct verified_text *t, const struct plan_request *q)
{
    struct plan *p = arena_new(t->cli->arena, struct plan);
    struct gs_error err = {0};
    plan_make(p, q, t->cli->arena);
    if (!plan_check_tools(p, q->tools, &err))
        return;
    /* what the command says of the program that it was not given */
    vec_push(&p->notes, t->cli->arena,
             "no program given: put yours in place of ./app, or behind '--'");
    struct subject about = {.plan = p};
    struct report report = report_about(REPORT_PLAN, &about, t->cli->arena);
    reference_render(t, &report);
    reference_facts(t, &report);
}

static void add_plan(const struct verified_text *t, const struct analysis *a,
                     const struct reading *text)
{
    struct plan_request q;
    if (!asked_plan(&q, text, t->cli->arena))
        return;
    q.analysis = a;
    unsigned tools = q.tools;
    q.tools = 0;
    add_one_plan(t, &q);
    q.tools = tools;
    if (tools)
        add_one_plan(t, &q);
}

void reference_add_plan(const struct verified_text *t, const struct analysis *a)
{
    add_plan(t, a, reading_of(t->text, t->n, t->kind, t->cli->arena));
}

struct asking {
    struct answer *answer;
    struct subject about;
};

static struct doc *answer_doc_form(const struct report *r)
{
    struct asking *k = r->ctx;
    struct gs_error err = {0};
    return answer_doc(k->answer, &k->about, r->arena, &err);
}

static void answer_form(const struct report *r, struct jwrite *w, bool in_page)
{
    (void)in_page;
    const struct asking *k = r->ctx;
    answer_json(w, k->answer);
}

static void add_answer(const struct verified_text *t, const struct run *run,
                       const struct reading *text)
{
    struct arena *arena = t->cli->arena;
    const char *question = asked_question(text, arena);
    if (!question)
        return;
    struct asking *k = arena_new(arena, struct asking);
    k->about = (struct subject){
        .kind = REPORT_ANALYSIS, .a = run->analysis, .advice = &run->advice, .top = 10};
    analysis_results(run->analysis, &k->about.results, arena);
    k->answer = answer_find(&k->about, question, arena);
    struct report report = {.ctx = k,
                            .about = &k->about,
                            .doc = answer_doc_form,
                            .json = answer_form,
                            .kind = "answer"};
    reference_render(t, &report);
}

/* Kernels may have been shown by any of their names. */
static void add_domains(const struct verified_text *t, const struct run *run,
                        const struct reading *text)
{
    const char *regions = asked_domains(text, t->cli->arena);
    for (int i = 0; regions && i < 6; i++) {
        struct domain_args *args = arena_new(t->cli->arena, struct domain_args);
        *args = (struct domain_args){.by_rank = i < 3,
                                     .regions = regions,
                                     .mangled = i % 3 == KERNELS_MANGLED,
                                     .truncated = i % 3 == KERNELS_SHORT};
        if (!args->by_rank && t->kind != VERIFY_CSV)
            break; /* the one has all of the other */
        struct report *r = domains_report(args, &run->trace, t->cli->arena);
        if (r)
            reference_render(t, r);
    }
}

/* Whether a file of CSV begins with the titles of this sheet. */
static bool has_titles(const struct verified_text *t, const struct sheet *s)
{
    struct str line;
    str_init(&line, t->cli->arena);
    sheet_csv(&line, s, 0, t->cli->arena);
    size_t n = line.len - 2; /* without its end */
    return t->n > n && !memcmp(line.buf, t->text, n) && strchr("\r\n", t->text[n]);
}

/* A table of 'gpusight report --csv-dir'. */
static void add_sheets(const struct verified_text *t, const struct run *run)
{
    struct workbook w;
    for (int full = 0; t->kind == VERIFY_CSV && full < 2; full++) {
        struct workbook_opts o = {.kernel_details = true,
                                  .short_kernel_study = true,
                                  .full_names = full,
                                  .histogram_bins = 100};
        tracelens_workbook(&w, run->analysis, &run->advice, &o, t->cli->arena);
        for (size_t i = 0; i < w.sheets.n; i++) {
            if (!has_titles(t, &w.sheets.v[i]))
                continue;
            struct str *text = arena_new(t->cli->arena, struct str);
            str_init(text, t->cli->arena);
            sheet_csv(text, &w.sheets.v[i], SIZE_MAX, t->cli->arena);
            facts_add_reference(t->facts, VERIFY_CSV, text->buf, text->len);
        }
    }
}

void reference_add_asked(const struct verified_text *t, const struct run *run)
{
    struct arena *own = arena_child(t->cli->arena); /* a report may be large, and is read again */
    const struct reading *text = reading_of(t->text, t->n, t->kind, own);
    add_whatif(t, run, text);
    add_plan(t, run->analysis, text);
    add_answer(t, run, text);
    add_domains(t, run, text);
    arena_release(own);
    add_sheets(t, run);
}
