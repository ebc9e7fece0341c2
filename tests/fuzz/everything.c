#include "everything.h"

#include <stdlib.h>

#include "advise/advise.h"
#include "analyze/summary.h"
#include "compare/gate.h"
#include "compare/profile_write.h"
#include "plan/plan.h"
#include "render/analysis_json.h"
#include "render/compare_json.h"
#include "render/html/html.h"
#include "render/render.h"
#include "render/svg.h"
#include "report/chart/chart.h"
#include "report/inventory.h"
#include "report/section.h"

static const struct render_opts plain = {.columns = 80};

static void compared(const struct analysis *a, struct str *out, struct arena *arena)
{
    struct run_profile one, two;
    struct comparison c;
    struct gate gate = {0};
    struct gs_error err = {0};
    struct jwrite w;
    profile_make(&one, a, "one", arena);
    str_clear(out);
    jw_init(&w, out, 0);
    profile_json(&w, &one);
    if (!profile_parse(&two, arena_strndup(arena, out->buf, out->len), out->len, "two", arena,
                       &err))
        abort(); /* what was saved must be read back */
    compare(&c, &one, &two, arena);
    struct subject about = {.comparison = &c, .gate = &gate, .top = 10};
    const struct doc *d = compare_report(&about, NULL, arena, &err);
    render_text(out, d, &plain);
    render_html(out, d);
    jw_init(&w, out, 0);
    compare_json(&w, &c, &gate, NULL);
}

static void planned(const struct analysis *a, struct str *out, struct arena *arena)
{
    struct plan p;
    struct plan_request q = {.analysis = a, .goals = ALL_GOALS, .out = "out", .form = {.rank = -1}};
    const char *app[] = {"./app"};
    struct words command = {app, 1, 1};
    if (!launch_form_find(&q.form, &command, arena))
        abort();
    plan_make(&p, &q, arena);
    struct gs_error err = {0};
    render_text(out, plan_report(&(struct subject){.plan = &p}, NULL, arena, &err), &plain);
}

static void as_text(const struct analysis *a, const struct advice *advice, struct str *out,
                    struct arena *arena, bool page)
{
    struct gs_error err = {0};
    struct subject about = {.a = a, .advice = advice, .top = 10};
    const struct doc *d = analysis_report(&about, NULL, arena, &err);
    if (page) {
        render_html(out, d);
        return;
    }
    render_text(out, d, &plain);
    render_markdown(out, d, NULL);
}

static void as_json(const struct analysis *a, const struct advice *advice, struct str *out,
                    struct arena *arena)
{
    struct jwrite w;
    struct summary s;
    struct gs_error err = {0};
    jw_init(&w, out, 0);
    analysis_json(&w, a, advice, &(struct analysis_json_opts){.top_kernels = 10});
    summary_make(&s, a, arena);
    summary_phases(&s, arena);
    struct subject about = {.a = a, .summary = &s, .top = 10};
    render_text(out, summary_report(&about, NULL, arena, &err), &plain);
}

static void as_charts(const struct analysis *a, struct str *out, struct arena *arena)
{
    for (size_t i = 0; charts[i]; i++)
        if (charts[i]->has(a))
            render_svg(out, chart_draw(charts[i], a, &(struct chart_opts){.top = 12}, arena),
                       &(struct svg_opts){0});
}

static void shown(const struct analysis *a, const struct advice *advice, struct str *out,
                  enum everything_part part, struct arena *arena)
{
    switch (part) {
    case SHOW_TEXT:
    case SHOW_PAGE:
        as_text(a, advice, out, arena, part == SHOW_PAGE);
        break;
    case SHOW_JSON:
        as_json(a, advice, out, arena);
        break;
    case SHOW_CHARTS:
        as_charts(a, out, arena);
        break;
    case SHOW_PLAN:
        planned(a, out, arena);
        break;
    case SHOW_COMPARED:
        compared(a, out, arena);
        break;
    case SHOW_ALL:
        for (part = 0; part < SHOW_ALL; part++)
            shown(a, advice, out, part, arena);
    }
}

void everything(const struct trace *t, enum everything_part part)
{
    struct arena arena;
    struct str out;
    struct inventory inventory;
    arena_init(&arena);
    str_init(&out, &arena);
    inventory_make(&inventory, t, true, 1, &arena);
    render_text(&out, inventory_doc(&inventory, &arena), &plain);
    if (t->kernels.n || t->copies.n) {
        struct analysis_opts o = {.view = {.gpu = -1, .process = -1, .threads = 1},
                                  .short_threshold_ns = 10000,
                                  .max_phases = 12,
                                  .by_gpu = true,
                                  .by_process = true,
                                  .by_stream = true};
        struct analysis *a = arena_new(&arena, struct analysis);
        struct advice advice;
        analysis_run(a, t, &o, &arena);
        advise(&advice, a, NULL, &arena);
        shown(a, &advice, &out, part, &arena);
    }
    arena_release(&arena);
}
