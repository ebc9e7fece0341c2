/* Pictures in the page: draw lists as SVG, in the colours of the theme. */
#include <math.h>

#include "render/html_in.h"
#include "render/svg.h"

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
void html_chart(struct html *h, const char *name)
{
    static const struct {
        int width;
        const char *class;
    } sizes[] = {{960, "draw wide"}, {640, "draw middle"}, {340, "draw narrow"}};
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
