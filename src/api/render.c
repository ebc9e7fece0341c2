/* Reports into the caller's sink, what-if and comparisons. */
#include <string.h>

#include "api/api.h"
#include "base/mem.h"
#include "base/str.h"
#include "compare/compare.h"
#include "compare/gate.h"
#include "compare/profile.h"
#include "compat/rocinsight.h"
#include "depend/change_words.h"
#include "depend/whatif.h"
#include "render/compare_json.h"
#include "render/html/html.h"
#include "render/renderers.h"
#include "report/section.h"

static const struct opt form_table[] = {
    OPT_TEXT(struct api_form, sections, 0, "sections", "", ""),
    OPT_TEXT(struct api_form, shown, 0, "table-columns", "", ""),
    OPT_WORD(struct api_form, json_profile, 0, "json-profile", "gpusight|rocinsight", ""),
    OPT_INT(struct api_form, top, 0, "top-kernels", 1, 1000000, "", ""),
    OPT_INT(struct api_form, timeline_limit, 0, "timeline-limit", 0, 1e9, "", ""),
    OPT_INT(struct api_form, columns, 0, "columns", 40, 1000, "", ""),
    OPT_END,
};

bool api_form_options(struct api_form *form, const struct gs_option *options, struct arena *a,
                      struct gs_error *err)
{
    *form = (struct api_form){.top = 10, .timeline_limit = HTML_TIMELINE_LIMIT};
    return api_options(form_table, form, options, a, err);
}

static bool put(gs_sink_fn *sink, void *ctx, const struct str *text, struct gs_error *err)
{
    return sink(ctx, text->buf, text->len) || fail(err, GS_E_IO, "the sink took no more");
}

bool api_render(struct report *r, const char *format, const struct api_form *form, gs_sink_fn *sink,
                void *ctx, struct gs_error *err)
{
    const struct renderer *f = renderer_find(format);
    struct render_opts layout = {.columns = form->columns ? (int)form->columns : 80,
                                 .divide = form->columns != 0};
    struct str text;
    if (!f || !f->render || (f->has && !f->has(r)))
        return fail(err, GS_E_USAGE,
                    "cannot write this as '%s'; forms are text, json, markdown, "
                    "html and pdf",
                    format);
    r->sections = form->sections;
    r->columns = form->shown;
    str_init(&text, r->arena);
    return f->render(r, &text, &layout, err) && put(sink, ctx, &text, err);
}

/* ---- the analysis ---- */

struct rendering {
    gs_run *run;
    gs_comparison *comparison;
    const char *format;
    const struct gs_option *options;
    gs_sink_fn *sink;
    void *ctx;
    struct gs_error *err;
    struct api_form form;
};

static void analysis_form(const struct report *r, struct jwrite *w, bool in_page)
{
    const struct rendering *c = r->ctx;
    const struct run *run = c->run->run;
    struct analysis_json_opts o = run_json_opts(run, (size_t)c->form.top, in_page);
    if (!in_page && c->form.json_profile == JSON_ROCINSIGHT)
        rocinsight_json(w, run->analysis, &run->advice, &o);
    else
        analysis_json(w, run->analysis, &run->advice, &o);
}

static void render_run(void *ctx)
{
    struct rendering *c = ctx;
    const struct run *run = c->run->run;
    struct arena *a = arena_scratch();
    if (!api_form_options(&c->form, c->options, a, c->err))
        return;
    if (c->run->sums) {
        api_render_untimed(c->run, c->format, &c->form, c->sink, c->ctx, a, c->err);
        return;
    }
    if (c->run->instead.kind) {
        api_render_beside(run, c->format, &c->form, c->sink, c->ctx, a, c->err);
        return;
    }
    if (!api_analyzed(c->run, c->err))
        return;
    struct subject about = subject_of_run(run, (size_t)c->form.top);
    about.timeline_limit = (uint64_t)c->form.timeline_limit;
    struct report r = {.ctx = c,
                       .arena = a,
                       .about = &about,
                       .make = analysis_report,
                       .json = analysis_form,
                       .kind = "analysis"};
    api_render(&r, c->format, &c->form, c->sink, c->ctx, c->err);
}

static bool render(struct rendering *c, void (*how)(void *), pthread_mutex_t *lock, gs_task *task,
                   struct gs_error *err)
{
    struct gs_error own;
    c->err = err ? err : &own;
    pthread_mutex_lock(lock);
    bool ok = api_call(task, how, c, c->err);
    pthread_mutex_unlock(lock);
    return ok;
}

bool gs_render(gs_run *run, const char *format, const struct gs_option *options, gs_sink_fn *sink,
               void *ctx, gs_task *task, struct gs_error *err)
{
    struct rendering c = {
        .run = run, .format = format, .options = options, .sink = sink, .ctx = ctx};
    return render(&c, render_run, &run->lock, task, err);
}

/* ---- what if ---- */

struct whatif_opts {
    struct change_words change;
};

static const struct opt whatif_table[] = {CHANGE_OPTS(struct whatif_opts), OPT_END};

static bool make_whatif(struct rendering *c, struct whatif *w, struct arena *a)
{
    struct whatif_opts o = {.change.noun = "option '"};
    struct change change = {0};
    int64_t rank;
    if (!api_analyzed(c->run, c->err) || !api_options(whatif_table, &o, c->options, a, c->err) ||
        !change_read(&change, &o.change, &rank, a, c->err))
        return false;
    const struct analysis *an = c->run->run->analysis;
    if (!change_of_run(&change, &o.change, an, c->err))
        return false;
    if (!an->depend)
        return fail(c->err, GS_E_EMPTY, "nothing to replay: no GPU work, or opened without replay");
    whatif_make(w, an, &change, a);
    return true;
}

static void run_whatif(void *ctx)
{
    struct rendering *c = ctx;
    struct arena *a = arena_scratch();
    struct whatif w = {0};
    struct str text;
    struct jwrite jw;
    if (!make_whatif(c, &w, a))
        return;
    str_init(&text, a);
    jw_init(&jw, &text, 2);
    fields_write(&jw, NULL, &whatif_document_fields, &w);
    put(c->sink, c->ctx, &text, c->err);
}

bool gs_whatif(gs_run *run, const struct gs_option *changes, gs_sink_fn *sink, void *ctx,
               gs_task *task, struct gs_error *err)
{
    struct gs_error own;
    struct rendering c = {
        .run = run, .options = changes, .sink = sink, .ctx = ctx, .err = err ? err : &own};
    pthread_mutex_lock(&run->lock); /* there is room for one replay at a time */
    bool ok = api_call(task, run_whatif, &c, c.err);
    pthread_mutex_unlock(&run->lock);
    return ok;
}

/* ---- comparison ---- */

struct gs_comparison {
    struct arena arena;
    pthread_mutex_t lock;
    struct run_profile a, b;
    struct comparison c;
    struct gate gate;
};

struct comparing {
    gs_comparison *out;
    gs_run *const *runs[2];
    size_t n[2];
    struct gs_error *err;
};

static bool join(struct comparing *c, int side, struct run_profile *out)
{
    struct arena *a = &c->out->arena;
    struct run_profile *all = arena_array(a, struct run_profile, c->n[side]);
    for (size_t i = 0; i < c->n[side]; i++) {
        const struct run *r = c->runs[side][i]->run;
        if (!api_has_trace(c->runs[side][i], c->err))
            return false;
        if (!r->trace.kernels.n && !r->trace.copies.n)
            return fail(c->err, GS_E_EMPTY, "no GPU work in '%s'", r->trace.files.v[0].path);
        profile_make(&all[i], r->analysis, arena_strdup(a, r->trace.files.v[0].path), a);
    }
    profile_join(out, all, c->n[side], a);
    return true;
}

static void make_comparison(void *ctx)
{
    struct comparing *c = ctx;
    if (!c->n[0] || !c->n[1]) {
        fail(c->err, GS_E_USAGE, "give at least one run of each");
        return;
    }
    if (join(c, 0, &c->out->a) && join(c, 1, &c->out->b))
        compare(&c->out->c, &c->out->a, &c->out->b, &c->out->arena);
}

gs_comparison *gs_compare(gs_run *const *a, size_t n_a, gs_run *const *b, size_t n_b, gs_task *task,
                          struct gs_error *err)
{
    struct gs_error own;
    struct comparing c = {.runs = {a, b}, .n = {n_a, n_b}, .err = err ? err : &own};
    for (int side = 0; side < 2; side++) /* each with the lock of its own */
        for (size_t i = 0; i < c.n[side]; i++)
            if (!gs_analyze(c.runs[side][i], task, c.err))
                return NULL;
    if (!(c.out = api_new(sizeof(*c.out), c.err)))
        return NULL;
    arena_init(&c.out->arena);
    pthread_mutex_init(&c.out->lock, NULL);
    if (api_call(task, make_comparison, &c, c.err))
        return c.out;
    gs_comparison_close(c.out);
    return NULL;
}

void gs_comparison_close(gs_comparison *c)
{
    if (!c)
        return;
    arena_release(&c->arena);
    pthread_mutex_destroy(&c->lock);
    mem_free(c);
}

const char *gs_comparison_verdict(const gs_comparison *c)
{
    return compare_verdict_name(c->c.verdict);
}

const char *gs_comparison_headline(const gs_comparison *c)
{
    return c->c.headline;
}

double gs_comparison_change_pct(const gs_comparison *c)
{
    return c->c.wall_change_pct;
}

static void render_comparison(void *ctx)
{
    struct rendering *c = ctx;
    struct arena *a = arena_scratch();
    if (!api_form_options(&c->form, c->options, a, c->err))
        return;
    struct subject about = {
        .comparison = &c->comparison->c, .gate = &c->comparison->gate, .top = (size_t)c->form.top};
    struct report r = report_about(REPORT_COMPARISON, &about, a);
    api_render(&r, c->format, &c->form, c->sink, c->ctx, c->err);
}

bool gs_comparison_render(gs_comparison *comparison, const char *format,
                          const struct gs_option *options, gs_sink_fn *sink, void *ctx,
                          gs_task *task, struct gs_error *err)
{
    struct rendering c = {
        .comparison = comparison, .format = format, .options = options, .sink = sink, .ctx = ctx};
    return render(&c, render_comparison, &comparison->lock, task, err);
}
