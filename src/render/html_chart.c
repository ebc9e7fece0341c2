/* Pictures in the page: draw lists as SVG, in the colours of the theme. */
#include <math.h>

#include "render/html_in.h"
#include "render/svg.h"
#include "report/chart/parts.h"

void html_inks(struct str *style)
{
    static const char *const rules[] = {
        ":root{", ":root[data-theme='dark']{",
        "@media (prefers-color-scheme: dark){:root:not([data-theme]){"};
    for (int i = 0; i < 3; i++) {
        str_puts(style, rules[i]);
        for (enum ink ink = 0; ink < INKS; ink++)
            str_printf(style, "--gs-%s:#%06x;", ink_name(ink),
                       (unsigned)ink_rgb(ink, i ? THEME_DARK : THEME_LIGHT));
        str_puts(style, i == 2 ? "}}\n" : "}\n");
    }
}

void html_draw(struct html *h, const struct draw *d, const char *class)
{
    render_svg(h->out, d, &(struct svg_opts){.css = true, .class = class});
}

/*
 * Three sizes, of which the style shows the one that fits the window: a picture made smaller would
 * have letters that nobody can read.
 */
static const struct {
    int width;
    const char *class;
} sizes[] = {{960, "draw wide"}, {640, "draw middle"}, {340, "draw narrow"}};

void html_chart(struct html *h, const char *name)
{
    const struct chart *chart = chart_find(name);
    if (!chart || !chart->has(h->a))
        return;
    html(h,
         "<figure class=\"chart\" id=\"chart-%s\"><figcaption><strong>%s.</strong> "
         "%s</figcaption>\n",
         name, chart->title, chart->doc);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct chart_opts o = {.width = sizes[i].width, .bare = true};
        html_draw(h, chart_draw(chart, h->a, &o, h->arena), sizes[i].class);
    }
    html_raw(h, "</figure>\n");
}

static struct draw *bars_draw(struct html *h, const char *title, const struct html_bar *bars,
                              size_t n, int width)
{
    int high = width < CHART_NARROW ? 36 : ROW_HEIGHT;
    struct canvas c = {.d = draw_new(h->arena, width, (int)n * high + 2), .bare = true};
    struct bar_row *rows = arena_array(h->arena, struct bar_row, n + 1);
    double most = 0;
    c.box = (struct box){0, 0, c.d->width, c.d->height};
    c.d->title = title;
    c.d->doc = "";
    for (size_t i = 0; i < n; i++)
        most = fmax(most, bars[i].size);
    for (size_t i = 0; i < n; i++) {
        struct bar_part part = {bars[i].size / (most > 0 ? most : 1), series_ink(0), NULL, NULL};
        part.tip = arena_printf(h->arena, "%s: %s", bars[i].label, bars[i].value);
        rows[i] = (struct bar_row){.label = bars[i].label, .value = bars[i].value, .mark = NAN};
        vec_push(&rows[i].parts, h->arena, part);
    }
    chart_rows(&c, rows, n);
    return c.d;
}

void html_bars(struct html *h, const char *title, const struct html_bar *bars, size_t n)
{
    html(h, "<figure class=\"chart\"><figcaption>%s</figcaption>\n", title);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        html_draw(h, bars_draw(h, title, bars, n, sizes[i].width), sizes[i].class);
    html_raw(h, "</figure>\n");
}

void html_gauge(struct html *h, const char *label, const char *doc, double pct, const char *note,
                const char *tone)
{
    const double half_circle = 3.14159265358979 * 40;
    double filled = pct < 0 || isnan(pct) ? 0 : pct > 100 ? 1 : pct / 100;
    html(h, "<div class=\"card gauge %s\"><h3>%s ", tone, label);
    html_tip(h, label, doc);
    html_raw(h, "</h3>\n<svg viewBox=\"0 0 100 58\" aria-hidden=\"true\">"
                "<path class=\"ring\" d=\"M10 52a40 40 0 0 1 80 0\"/>");
    if (filled > 0)
        html(h,
             "<path class=\"fill\" d=\"M10 52a40 40 0 0 1 80 0\" stroke-dasharray=\"%.2f 200\"/>",
             filled * half_circle);
    html(h, "</svg>\n<p class=\"figure\">%s</p><p class=\"note\">%s</p></div>\n", html_pct(h, pct),
         note);
}
