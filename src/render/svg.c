#include "render/svg.h"

#include <string.h>

#include "base/utf8.h"

struct svg {
    struct str *out;
    const struct svg_opts *o;
};

/* XML has no way to write some characters at all, not even escaped. */
static bool is_noncharacter(uint32_t c)
{
    return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

static void escaped(struct str *out, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0, len; i < n; i += len) {
        uint32_t c = utf8_decode(text + i, n - i, &len);
        if (c == '<')
            str_puts(out, "&lt;");
        else if (c == '>')
            str_puts(out, "&gt;");
        else if (c == '&')
            str_puts(out, "&amp;");
        else if (c == '"')
            str_puts(out, "&quot;");
        else if (c == '\'')
            str_puts(out, "&#39;");
        else if (c == 0xfffd || utf8_unsafe(c) || is_noncharacter(c))
            str_puts(out, "\xEF\xBF\xBD");
        else
            str_put(out, text + i, len);
    }
}

/* Units as pixels, without zeros that say nothing. */
static void number(struct str *out, const char *name, int32_t units)
{
    const char *sign = units < 0 ? "-" : "";
    int32_t u = units < 0 ? -units : units;
    if (u % DRAW_UNIT)
        str_printf(out, " %s=\"%s%d.%d\"", name, sign, u / DRAW_UNIT, u % DRAW_UNIT);
    else
        str_printf(out, " %s=\"%s%d\"", name, sign, u / DRAW_UNIT);
}

static void color(struct svg *s, const char *what, enum ink ink)
{
    uint32_t rgb = ink_rgb(ink, s->o->theme);
    if (s->o->css)
        str_printf(s->out, " %s=\"var(--gs-%s,#%06x)\"", what, ink_name(ink), (unsigned)rgb);
    else
        str_printf(s->out, " %s=\"#%06x\"", what, (unsigned)rgb);
}

/* Ends a shape, with what a pointer over it shows. */
static void end_shape(struct svg *s, const struct draw_item *it, const char *tag)
{
    if (!it->text) {
        str_puts(s->out, "/>\n");
        return;
    }
    str_puts(s->out, "><title>");
    escaped(s->out, it->text);
    str_printf(s->out, "</title></%s>\n", tag);
}

static void text(struct svg *s, const struct draw_item *it)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    str_puts(s->out, "<text");
    number(s->out, "x", it->x);
    number(s->out, "y", it->y);
    number(s->out, "font-size", it->h);
    color(s, "fill", it->ink);
    str_printf(s->out, "%s%s>", anchors[it->anchor], it->bold ? " font-weight=\"bold\"" : "");
    escaped(s->out, it->text);
    str_puts(s->out, "</text>\n");
}

static void line(struct svg *s, const struct draw_item *it)
{
    str_puts(s->out, "<line");
    number(s->out, "x1", it->x);
    number(s->out, "y1", it->y);
    number(s->out, "x2", it->x + it->w);
    number(s->out, "y2", it->y + it->h);
    color(s, "stroke", it->ink);
    str_puts(s->out, "/>\n");
}

static void shape(struct svg *s, const struct draw_item *it)
{
    str_puts(s->out, "<polygon points=\"");
    for (size_t i = 0; i < it->n_points; i++)
        str_printf(s->out, "%s%.1f,%.1f", i ? " " : "", it->points[i].x / (double)DRAW_UNIT,
                   it->points[i].y / (double)DRAW_UNIT);
    str_puts(s->out, "\"");
    color(s, "fill", it->ink);
    end_shape(s, it, "polygon");
}

static void open_link(struct svg *s, const struct draw_item *it)
{
    if (!it->link || !s->o->css)
        return;
    str_puts(s->out, "<a href=\"#");
    escaped(s->out, it->link);
    str_puts(s->out, "\" aria-label=\"");
    escaped(s->out, it->text ? it->text : it->link);
    str_puts(s->out, "\">");
}

static void item(struct svg *s, const struct draw_item *it)
{
    switch (it->kind) {
    case DRAW_RECT:
        open_link(s, it);
        str_puts(s->out, "<rect");
        number(s->out, "x", it->x);
        number(s->out, "y", it->y);
        number(s->out, "width", it->w);
        number(s->out, "height", it->h);
        color(s, "fill", it->ink);
        end_shape(s, it, "rect");
        if (it->link && s->o->css)
            str_puts(s->out, "</a>\n");
        break;
    case DRAW_LINE:
        line(s, it);
        break;
    case DRAW_TEXT:
        text(s, it);
        break;
    case DRAW_SHAPE:
        shape(s, it);
        break;
    }
}

/* A picture whose parts lead somewhere is a group for screen readers: of an image they would
 * hear no part. Inside a page the title is a label: as a <title> it would show over all of it. */
static void open_in_page(struct svg *s, const struct draw *d)
{
    bool links = false;
    for (size_t i = 0; i < d->items.n; i++)
        links |= d->items.v[i].link != NULL;
    str_printf(s->out, "role=\"%s\" aria-label=\"", links ? "group" : "img");
    escaped(s->out, d->title);
    str_puts(s->out, "\"");
    if (s->o->class)
        str_printf(s->out, " class=\"%s\"", s->o->class);
    str_puts(s->out, ">\n");
}

void render_svg(struct str *out, const struct draw *d, const struct svg_opts *o)
{
    struct svg s = {out, o};
    int w = d->width / DRAW_UNIT, h = d->height / DRAW_UNIT;
    if (!o->css)
        str_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    str_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "viewBox=\"0 0 %d %d\" ",
               w, h, w, h);
    if (o->css) {
        open_in_page(&s, d);
    } else {
        str_puts(out, "role=\"img\" font-family=\"'DejaVu Sans', Verdana, sans-serif\">\n<title>");
        escaped(out, d->title);
        str_puts(out, "</title>\n<desc>");
        escaped(out, d->doc);
        str_puts(out, "</desc>\n");
    }
    for (size_t i = 0; i < d->items.n; i++)
        item(&s, &d->items.v[i]);
    str_puts(out, "</svg>\n");
}
