/* Small charts as SVG inside the page; colours are classes, so both themes work. */
#include <math.h>

#include "render/html_in.h"

static double largest(const struct html_bar *bars, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = bars[i].size > most ? bars[i].size : most;
    return most;
}

static double share(double size, double most)
{
    return most > 0 && size > 0 ? size / most : 0;
}

void html_bars(struct html *h, const char *title, const struct html_bar *bars, size_t n)
{
    double most = largest(bars, n);
    html(h, "<figure class=\"chart\"><figcaption>%s</figcaption>\n<ul class=\"bars\">\n", title);
    for (size_t i = 0; i < n; i++) {
        html(h, "<li><span class=\"label\">%s</span>", bars[i].label);
        html(h,
             "<svg class=\"bar\" width=\"100%%\" height=\"14\" aria-hidden=\"true\">"
             "<rect class=\"back\" width=\"100%%\" height=\"14\" rx=\"2\"/>"
             "<rect class=\"%s\" width=\"%.2f%%\" height=\"14\" rx=\"2\"/></svg>",
             bars[i].class ? bars[i].class : "c-plain", 100 * share(bars[i].size, most));
        html(h, "<span class=\"value\">%s</span></li>\n", bars[i].value);
    }
    html_raw(h, "</ul></figure>\n");
}

void html_columns(struct html *h, const char *title, const struct html_bar *bars, size_t n,
                  const char *low, const char *high)
{
    enum { WIDTH = 480, HEIGHT = 96, AXIS = 18 };
    double most = largest(bars, n), step = (double)WIDTH / (double)n;
    html(h, "<figure class=\"chart columns\"><figcaption>%s</figcaption>\n", title);
    html(h, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", WIDTH, HEIGHT + AXIS,
         title);
    for (size_t i = 0; i < n; i++) {
        double height = share(bars[i].size, most) * (HEIGHT - 4);
        if (bars[i].size > 0 && height < 1)
            height = 1;
        html(h, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">",
             bars[i].class ? bars[i].class : "c-plain", (double)i * step + 1, HEIGHT - height,
             step > 3 ? step - 2 : step, height);
        html(h, "<title>%s: %s</title></rect>\n", bars[i].label, bars[i].value);
    }
    html(h, "<line class=\"axis\" x1=\"0\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>", HEIGHT, WIDTH, HEIGHT);
    html(h, "<text class=\"tick\" x=\"0\" y=\"%d\">%s</text>", HEIGHT + AXIS - 4, low);
    html(h, "<text class=\"tick end\" x=\"%d\" y=\"%d\">%s</text></svg></figure>\n", WIDTH,
         HEIGHT + AXIS - 4, high);
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
