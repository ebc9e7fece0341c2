/* Charts as pictures, and source code that is looked at without a trace. */
#include "render/picture.h"
#include "api/api.h"
#include "base/str.h"
#include "compat/rocinsight.h"
#include "render/renderers.h"
#include "render/source_json.h"
#include "render/svg.h"
#include "report/chart/chart.h"
#include "report/section.h"

/* ---- charts ---- */

struct plot_opts {
    enum theme theme;
    enum { PLOT_SVG, PLOT_PNG } format;
    int64_t width, height, top;
};

static const struct opt plot_table[] = {
    OPT_WORD(struct plot_opts, theme, 0, "theme", "light|dark", ""),
    OPT_WORD(struct plot_opts, format, 0, "format", "svg|png", ""),
    OPT_INT(struct plot_opts, width, 0, "width", CHART_LEAST, CHART_MOST, "", ""),
    OPT_INT(struct plot_opts, height, 0, "height", CHART_LEAST / 2, CHART_MOST, "", ""),
    OPT_INT(struct plot_opts, top, 0, "top", 1, 1000, "", ""),
    OPT_END,
};

struct plotting {
    gs_run *run;
    const char *chart;
    const struct gs_option *options;
    gs_sink_fn *sink;
    void *ctx;
    struct gs_error *err;
};

static bool draw_into(struct str *out, const struct plotting *c, const struct chart *chart,
                      struct arena *a)
{
    struct plot_opts o = {0};
    if (!api_options(plot_table, &o, c->options, a, c->err))
        return false;
    struct chart_opts co = {(int)o.width, (int)o.height, (size_t)o.top, false, false};
    const struct draw *d = c->run->sums ? api_draw_untimed(c->run, c->chart, co.width, a, c->err)
                                        : chart_draw(chart, c->run->run->analysis, &co, a);
    if (!d)
        return false;
    if (o.format == PLOT_PNG)
        return render_png(out, d, o.theme, c->err);
    render_svg(out, d, &(struct svg_opts){.theme = o.theme});
    return true;
}

static void run_plot(void *ctx)
{
    struct plotting *c = ctx;
    struct arena *a = arena_scratch();
    const struct chart *chart = chart_find(c->chart);
    struct str out;
    str_init(&out, a);
    if (!c->run->sums && !api_analyzed(c->run, c->err))
        return;
    if (!chart && !c->run->sums)
        fail(c->err, GS_E_USAGE, "no chart is called '%s'; gs_chart_name() lists them", c->chart);
    else if (draw_into(&out, c, chart, a) && !c->sink(c->ctx, out.buf, out.len))
        fail(c->err, GS_E_IO, "the sink took no more");
}

const char *gs_chart_name(size_t i)
{
    for (size_t k = 0; charts[k]; k++)
        if (k == i)
            return charts[k]->name;
    return NULL;
}

bool gs_plot(gs_run *run, const char *chart, const struct gs_option *options, gs_sink_fn *sink,
             void *ctx, gs_task *task, struct gs_error *err)
{
    struct gs_error own;
    struct plotting c = {run, chart, options, sink, ctx, err ? err : &own};
    pthread_mutex_lock(&run->lock);
    bool ok = api_call(task, run_plot, &c, c.err);
    pthread_mutex_unlock(&run->lock);
    return ok;
}

/* ---- source code ---- */

struct scanning {
    const char *dir, *format;
    const struct gs_option *options;
    gs_sink_fn *sink;
    void *ctx;
    struct gs_error *err;
    struct api_form form;
    struct run *run;
};

static void scan_form(const struct report *r, struct jwrite *w, bool in_page)
{
    const struct scanning *c = r->ctx;
    struct analysis_json_opts o = {0};
    if (!in_page && c->form.json_profile == JSON_ROCINSIGHT)
        rocinsight_source_json(w, c->run->source, &o);
    else
        source_json_document(w, c->run->source, &o);
}

static void run_scan(void *ctx)
{
    struct scanning *c = ctx;
    struct arena *a = arena_scratch();
    struct run_opts ro = RUN_DEFAULTS;
    ro.source_dir = c->dir;
    if (!api_form_options(&c->form, c->options, a, c->err))
        return;
    c->run = run_make(&ro, a, c->err);
    if (!c->run)
        return;
    struct subject about = {.source = c->run->source, .top = (size_t)c->form.top};
    struct report r = {.ctx = c,
                       .arena = a,
                       .about = &about,
                       .make = source_report,
                       .json = scan_form,
                       .kind = "scan"};
    api_render(&r, c->format, &c->form, c->sink, c->ctx, c->err);
}

bool gs_scan_source(const char *dir, const char *format, const struct gs_option *options,
                    gs_sink_fn *sink, void *ctx, gs_task *task, struct gs_error *err)
{
    struct gs_error own;
    struct scanning c = {.dir = dir,
                         .format = format,
                         .options = options,
                         .sink = sink,
                         .ctx = ctx,
                         .err = err ? err : &own};
    return api_call(task, run_scan, &c, c.err);
}
