/* Pictures in the page: draw lists as SVG, in the colours of the theme. */
#include <math.h>

#include "render/html/html_in.h"
#include "render/svg.h"
#include "report/chart/chart.h"
#include "report/chart/parts.h"

static void draw(struct html *h, const struct draw *d, const char *class)
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
    if (!chart || !h->d->a || !chart->has(h->d->a))
        return;
    html(h,
         "<figure class=\"chart\" id=\"chart-%s\"><figcaption><strong>%s.</strong> "
         "%s</figcaption>\n",
         name, chart->title, chart->doc);
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct chart_opts o = {.width = sizes[i].width, .bare = true};
        draw(h, chart_draw(chart, h->d->a, &o, h->arena), sizes[i].class);
    }
    html_raw(h, "</figure>\n");
}

static struct draw *bars_draw(struct html *h, const struct block *b, const char *title, int width)
{
    size_t n = b->bars.n;
    int high = width < CHART_NARROW ? 36 : ROW_HEIGHT;
    struct canvas c = {.d = draw_new(h->arena, width, (int)n * high + 2), .bare = true};
    struct bar_row *rows = arena_array(h->arena, struct bar_row, n + 1);
    double most = 0;
    c.box = (struct box){0, 0, c.d->width, c.d->height};
    c.d->title = title;
    c.d->doc = "";
    for (size_t i = 0; i < n; i++)
        most = fmax(most, b->bars.v[i].share);
    for (size_t i = 0; i < n; i++) {
        const struct bar *v = &b->bars.v[i];
        struct bar_part part = {v->share / (most > 0 ? most : 1), series_ink(0), NULL, NULL};
        part.tip = arena_printf(h->arena, "%s: %s", v->label, v->value);
        rows[i] = (struct bar_row){.label = v->label, .value = v->value, .mark = NAN};
        vec_push(&rows[i].parts, h->arena, part);
    }
    chart_rows(&c, rows, n);
    return c.d;
}

void html_bars(struct html *h, const struct block *b)
{
    const struct chart *chart = b->chart ? chart_find(b->chart) : NULL;
    if (chart && h->d->a && chart->has(h->d->a)) {
        html_chart(h, b->chart);
        return;
    }
    const char *title = b->text && *b->text ? b->text : "Shares";
    html(h, "<figure class=\"chart\"><figcaption>%s</figcaption>\n", title);
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        draw(h, bars_draw(h, b, title, sizes[i].width), sizes[i].class);
    html_raw(h, "</figure>\n");
}

void html_picture(struct html *h, const struct block *b)
{
    html(h, "<figure class=\"chart%s\">", b->beside ? " beside" : "");
    if (b->text && *b->text)
        html(h, "<figcaption>%s</figcaption>\n", b->text);
    if (b->picture)
        draw(h, b->picture, b->beside ? "draw small" : "draw");
    for (size_t i = 0; !b->picture && i < ARRAY_LEN(sizes); i++)
        draw(h, b->draw(b->of, sizes[i].width, h->arena), sizes[i].class);
    html_raw(h, "</figure>\n");
}

/* A half circle that is filled to pct. */
static void gauge(struct html *h, double pct)
{
    const double half_circle = 3.14159265358979 * 40;
    double filled = pct > 100 ? 1 : pct > 0 ? pct / 100 : 0;
    html_raw(h, "<svg viewBox=\"0 0 100 58\" aria-hidden=\"true\">"
                "<path class=\"ring\" d=\"M10 52a40 40 0 0 1 80 0\"/>");
    if (filled > 0)
        html(h,
             "<path class=\"fill\" d=\"M10 52a40 40 0 0 1 80 0\" stroke-dasharray=\"%.2f 200\"/>",
             filled * half_circle);
    html_raw(h, "</svg>\n");
}

void html_card(struct html *h, const struct card *c)
{
    bool round = !isnan(c->pct);
    html(h, "<div class=\"card%s%s\"><h3>%s ", round ? " gauge " : "",
         round ? html_tone(c->tone) : "", c->label);
    html_tip(h, c->label, c->doc);
    html_raw(h, "</h3>\n");
    if (round)
        gauge(h, c->pct);
    html(h, "<p class=\"figure\">%s</p><p class=\"note\">%s</p></div>\n", c->value,
         c->note ? c->note : "");
}
