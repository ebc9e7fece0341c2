/*
 * gpusight plot TRACE... --chart NAME -o FILE: one chart as a picture.
 */
#include <string.h>

#include "base/human.h"
#include "base/str.h"
#include "cli/analyze_workload.h"
#include "cli/analyzed.h"
#include "cli/output.h"
#include "render/picture.h"
#include "render/render.h"
#include "render/svg.h"
#include "report/chart/chart.h"

#define PICTURE_FORMS "svg|png|draw" /* the names of forms[] */

struct plot_opts {
    struct analyzed_opts in;
    const char *chart, *output, *format;
    enum theme theme;
    int64_t width, height, top;
    bool list;
};

/* Every chart that has data, into a folder. */
static bool wants_all(const struct plot_opts *o)
{
    return str_eq(o->chart, "all");
}

static const struct opt opts[] = {
    OPT_GROUP("The picture"),
    OPT_TEXT(struct plot_opts, chart, 'c', "chart", "NAME",
             "which chart, see --list; all: every one that has data, into the folder -o names"),
    OPT_NAMES(NAMES_OUTPUT, struct plot_opts, output, 'o', "output", "FILE",
              "where to write; the extension (.svg, .png) says what (- : SVG on standard output)"),
    OPT_CHOICE(struct plot_opts, format, 0, "format", PICTURE_FORMS,
               "when the extension does not say; draw lists the shapes as text"),
    OPT_INT(struct plot_opts, width, 0, "width", CHART_LEAST, CHART_MOST, "PIXELS",
            "width of the picture (800)"),
    OPT_INT(struct plot_opts, height, 0, "height", CHART_LEAST / 2, CHART_MOST, "PIXELS",
            "height of the picture (what the data asks for)"),
    OPT_WORD(struct plot_opts, theme, 0, "theme", "light|dark", "colours (light)"),
    OPT_INT(struct plot_opts, top, 0, "top", 1, 1000, "N", "rows in ranked charts (12)"),
    OPT_FLAG(struct plot_opts, list, 0, "list", "list the charts and end"),
    OPT_GROUP("What to analyze"),
    ANALYZED_OPTS(struct plot_opts),
    OPT_END,
};

static void defaults(void *settings)
{
    struct plot_opts *o = settings;
    *o = (struct plot_opts){.in = ANALYZED_DEFAULTS, .chart = "ledger", .output = "-"};
}

struct call {
    struct cli *cli;
    const struct plot_opts *o;
    struct output_opts none;
    struct output *out;
    struct gs_error *err;
};

struct listed {
    const char *name, *title;
};

#define T struct listed
PART(listed_fields, T, FIELD(T, name, FIELD_TEXT, "chart", NO_UNIT, "its name", UNCUT),
     FIELD(T, title, FIELD_TEXT, "shows", NO_UNIT, "its title", UNCUT));
#undef T

static bool list_charts(struct cli *cli, struct gs_error *err)
{
    struct doc *d = doc_new(cli->arena);
    VEC(struct listed) rows = {0};
    struct str out;
    for (size_t i = 0; charts[i]; i++)
        vec_push(&rows, cli->arena, ((struct listed){charts[i]->name, charts[i]->title}));
    doc_rows(d, RESULT(listed_fields, rows), &(struct rows){.key = "charts"});
    str_init(&out, cli->arena);
    struct render_opts layout = output_layout(cli, "-");
    render_text(&out, d, &layout);
    return output_print(&out, err);
}

/* The forms of pictures, as renderers.def has those of reports. */
static bool as_svg(struct str *out, const struct draw *d, enum theme theme, struct gs_error *err)
{
    (void)err;
    render_svg(out, d, &(struct svg_opts){.theme = theme});
    return true;
}

static bool as_shapes(struct str *out, const struct draw *d, enum theme theme, struct gs_error *err)
{
    (void)theme, (void)err;
    draw_dump(out, d);
    return true;
}

struct picture_form {
    const char *name, *extensions;
    bool binary;
    bool (*render)(struct str *out, const struct draw *d, enum theme theme, struct gs_error *err);
};
static const struct picture_form forms[] = {{"svg", "svg", false, as_svg},
                                            {"png", "png", true, render_png},
                                            {"draw", "txt|draw", false, as_shapes}};
enum { N_FORMS = ARRAY_LEN(forms) };

/* By the name of the output, for one picture; NULL: none of theirs. */
static const struct picture_form *form_of_name(const struct plot_opts *o)
{
    const char *extension = path_extension(o->output);
    if (!extension || wants_all(o) || fs_out_is_direct(o->output))
        return &forms[0];
    for (size_t i = 0; i < N_FORMS; i++)
        if (has_extension(forms[i].extensions, extension))
            return &forms[i];
    return NULL;
}

static const struct picture_form *form_of(const struct plot_opts *o, struct gs_error *err)
{
    const struct picture_form *named = form_of_name(o), *form = o->format ? NULL : named;
    for (size_t i = 0; o->format && i < N_FORMS; i++)
        if (str_eq(forms[i].name, o->format))
            form = &forms[i];
    if (!form)
        fail(err, GS_E_USAGE,
             "cannot tell the format from '%s'; end it in .svg or .png, or give --format",
             o->output);
    else if (o->format && path_extension(o->output) && !wants_all(o) &&
             !fs_out_is_direct(o->output) &&
             ((named && named != form) || renderer_by_extension(o->output)) &&
             !has_extension(form->extensions, path_extension(o->output)))
        fail(err, GS_E_USAGE, "cannot write %s into '%s'; end the name in .%.*s", form->name,
             o->output, (int)strcspn(form->extensions, "|"), form->extensions);
    else if (!form->binary || wants_all(o) || output_binary_allowed(o->output, form->name, err))
        return form;
    return NULL;
}

static bool write_picture(struct call *c, const struct draw *d, const struct picture_form *form,
                          const char *path)
{
    struct str *out = arena_new(c->cli->arena, struct str);
    str_init(out, c->cli->arena);
    return form->render(out, d, c->o->theme, c->err) &&
           fs_set_write(&c->out->set, path, out->buf, out->len, c->err);
}

static bool plot_one(struct call *c, const struct analysis *a, const struct chart *chart,
                     const struct picture_form *format, const char *path)
{
    struct chart_opts co = {
        .width = (int)c->o->width, .height = (int)c->o->height, .top = (size_t)c->o->top};
    return write_picture(c, chart_draw(chart, a, &co, c->cli->arena), format, path);
}

static bool plot_all(struct call *c, const struct analysis *a, const struct picture_form *format)
{
    if (!fs_set_folder(&c->out->set, c->o->output, c->err))
        return false;
    size_t n = 0;
    for (size_t i = 0; charts[i]; i++) {
        const char *path =
            arena_printf(c->cli->arena, "%s/%s.%s", c->o->output, charts[i]->name, format->name);
        if (!charts[i]->has(a))
            continue;
        if (!plot_one(c, a, charts[i], format, path))
            return false;
        n++;
    }
    output_note(c->out, "wrote %zu file%s into %s", n, human_s(n), c->o->output);
    return true;
}

static bool plot_workload(struct call *c, const char *dir, const struct picture_form *format)
{
    const struct draw *d = workload_plot(c->cli, dir, c->o->chart, (int)c->o->width, c->err);
    return d && write_picture(c, d, format, c->o->output);
}

static bool plot_trace(struct call *c, const struct chart *chart, const struct picture_form *format)
{
    struct run_opts ro = cli_run_opts(c->cli, &c->o->in);
    struct run *r = cli_run(c->cli, &ro, c->err);
    if (!r)
        return false;
    return chart ? plot_one(c, r->analysis, chart, format, c->o->output)
                 : plot_all(c, r->analysis, format);
}

static bool find_chart(const struct plot_opts *o, const struct chart **chart, struct gs_error *err)
{
    bool all = wants_all(o);
    const char *near = chart_nearest(o->chart);
    *chart = all ? NULL : chart_find(o->chart);
    if (!*chart && !all && near)
        return fail(err, GS_E_USAGE, "unknown chart '%s'; did you mean '%s'?", o->chart, near);
    if (!*chart && !all)
        return fail(err, GS_E_USAGE, "unknown chart '%s'; 'gpusight plot --list' has them",
                    o->chart);
    return !all || !str_eq(o->output, "-") ||
           fail(err, GS_E_USAGE, "all charts need a folder; give one with -o");
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct call *c = arena_new(cli->arena, struct call);
    *c = (struct call){.cli = cli, .o = settings, .err = err};
    const struct plot_opts *o = c->o;
    const struct chart *chart = NULL;
    const char *workload;
    if (o->list)
        return list_charts(cli, err);
    if (!cli->operands.n)
        return fail(err, GS_E_USAGE, "no trace given; see 'gpusight plot --help'");
    const struct picture_form *format = form_of(o, err);
    c->out = format ? output_begin(cli, &c->none, RENDERER_CHOICES, err) : NULL;
    if (!c->out)
        return false;
    if (workload_operand(&cli->operands, cli->arena, &workload)) {
        if (!plot_workload(c, workload, format))
            return false;
    } else if (!find_chart(o, &chart, err) || !plot_trace(c, chart, format)) {
        return false;
    }
    if (!wants_all(o) && !fs_out_is_direct(o->output))
        output_note(c->out, "wrote %s", o->output);
    return output_finish(c->out, err);
}

const struct command command_plot = {
    .name = "plot",
    .summary = "a chart of a trace as SVG or PNG",
    .operands = "[TRACE...]",
    .doc =
        "Draws one chart of what 'gpusight analyze' finds: where the GPU time went, the kernels "
        "that take longest, the timeline, idle gaps by cause, copies against their link and more; "
        "--list names them.\n\n"
        "Text in SVG stays text and uses whatever sans-serif font the reader has. PNG needs a "
        "gpusight built with cairo. Colours are told apart by colour-blind readers too. A chart "
        "there is no data for says so.\n\n"
        "A folder of rocprof-compute has the charts memory and roofline.",
    .examples =
        "gpusight plot results.db --chart ledger -o ledger.svg  # for a web page\n"
        "gpusight plot results.db --chart timeline --width 1600 --theme dark -o t.png  # for a "
        "slide\n"
        "gpusight plot results.db --chart all -o charts  # all of them, into a folder",
    .opts = opts,
    .settings_size = sizeof(struct plot_opts),
    .defaults = defaults,
    .run = run,
    .spreads = true,
};
