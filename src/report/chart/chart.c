#include "report/chart/chart.h"

#include "base/opt.h"
#include "report/chart/parts.h"

const struct chart *const charts[] = {
#define CHART(name) &chart_##name,
#include "report/chart/charts.def"
#undef CHART
    NULL,
};

static const char *const names[] = {
#define CHART(name) #name,
#include "report/chart/charts.def"
#undef CHART
    NULL,
};

const struct chart *chart_find(const char *name)
{
    for (size_t i = 0; charts[i]; i++)
        if (str_eq(charts[i]->name, name))
            return charts[i];
    return NULL;
}

const char *chart_nearest(const char *name)
{
    return opt_nearest(name, names);
}

enum { MARGIN = 16, TITLE_SIZE = 15, TITLE_HEIGHT = 30, TOP_ROWS = 12 };

static int clamp(int v, int least, int most)
{
    return v < least ? least : v > most ? most : v;
}

/* The doc under the picture, as many lines as it takes. */
static int32_t footnote(struct canvas *c, const char *text)
{
    struct str lines[4];
    size_t n = 0;
    for (const char *p = text; *p && n < 4; n++) {
        str_init(&lines[n], c->d->arena);
        size_t best = 0;
        for (size_t i = 0;; i++) {
            if (p[i] && p[i] != ' ')
                continue;
            const char *part = arena_strndup(c->d->arena, p, i);
            if (best && draw_text_width(part, LABEL_SIZE) > c->box.w)
                break;
            best = i;
            if (!p[i])
                break;
        }
        str_put(&lines[n], p, best);
        p += best;
        p += *p == ' ';
    }
    int32_t high = PX(15) * (int32_t)n, y = c->box.y + c->box.h - high + PX(11);
    for (size_t i = 0; i < n; i++, y += PX(15))
        draw_text(c->d, INK_MUTED, c->box.x, y, LABEL_SIZE, ANCHOR_START, lines[i].buf);
    return high + PX(8);
}

struct draw *chart_draw(const struct chart *chart, const struct analysis *a,
                        const struct chart_opts *o, struct arena *arena)
{
    size_t top = o->top ? o->top : TOP_ROWS;
    bool has = chart->has(a);
    int width = clamp(o->width ? o->width : CHART_WIDTH, CHART_LEAST, CHART_MOST);
    int title = o->no_title || o->bare ? 0 : TITLE_HEIGHT, margin = o->bare ? 0 : MARGIN;
    int notes = o->bare ? 0 : width >= 600 ? 38 : 68;
    int content = has ? chart->height(a, top) : 30;
    if (width < CHART_NARROW)
        content += content / 2; /* labels stand above bars, legends have one column */
    int height = clamp(o->height ? o->height : content + title + notes + 2 * margin,
                       CHART_LEAST / 2, CHART_MOST);
    struct draw *d = draw_new(arena, width, height);
    d->title = chart->title;
    d->doc = chart->doc;
    if (!o->bare)
        draw_rect(d, INK_PAGE, 0, 0, d->width, d->height, NULL);
    struct canvas c = {.d = d, .a = a, .top = top, .bare = o->bare};
    c.box = (struct box){PX(margin), PX(margin), d->width - PX(2 * margin), 0};
    c.box.h = d->height - PX(2 * margin);
    if (title) {
        draw_text(d, INK_TEXT, c.box.x, c.box.y + PX(13), TITLE_SIZE, ANCHOR_START,
                  draw_fit(arena, chart->title, TITLE_SIZE, c.box.w));
        draw_bold(d);
        c.box.y += PX(title);
        c.box.h -= PX(title);
    }
    if (!has) {
        draw_text(d, INK_MUTED, c.box.x, c.box.y + PX(16), 13, ANCHOR_START, chart->absent);
        return d;
    }
    if (!o->bare && c.box.h > PX(80))
        c.box.h -= footnote(&c, chart->doc);
    chart->draw(&c);
    if (o->bare)
        draw_trim(d, 2);
    return d;
}
