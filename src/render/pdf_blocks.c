#include "base/sat.h"
#include "render/pdf_in.h"

static enum ink pdf_tone(enum tone tone)
{
    static const enum ink inks[] = {[TONE_PLAIN] = INK_GREY,
                                    [TONE_GOOD] = INK_GREEN,
                                    [TONE_WARN] = INK_ORANGE,
                                    [TONE_BAD] = INK_VERMILLION,
                                    [TONE_INFO] = INK_BLUE};
    return inks[tone];
}

static void box(struct pdf *p, enum ink ink, double x, double y, double w, double h)
{
    cairo_ink(p->cr, ink, THEME_LIGHT);
    cairo.rectangle(p->cr, x, y, w, h);
    cairo.fill(p->cr);
}

/* Lines on a tinted ground with a stripe at the left; one box on each page it reaches. */
static void boxed(struct pdf *p, const struct pdf_font *f, enum ink stripe, const char *text)
{
    struct pdf_lines lines = {0};
    pdf_use(p, f);
    pdf_wrap(p, text, CONTENT_W - 20, &lines);
    for (size_t i = 0; i < lines.all.n;) {
        pdf_need(p, f->leading + 12);
        size_t fit = count_from((BOTTOM - p->y - 12) / f->leading);
        size_t n = lines.all.n - i < fit ? lines.all.n - i : fit;
        box(p, INK_TRACK, MARGIN, p->y, CONTENT_W, (double)n * f->leading + 10);
        box(p, stripe, MARGIN, p->y, 3, (double)n * f->leading + 10);
        pdf_use(p, f);
        for (size_t k = 0; k < n; k++, i++)
            pdf_show(p, INK_TEXT, MARGIN + 12, p->y + 5 + f->size + (double)k * f->leading,
                     lines.all.v[i]);
        p->y += (double)n * f->leading + 10;
    }
    p->y += 6;
}

/* Charts are drawn for a width in pixels; at this size their letters are as small as a table's. */
#define CHART_SCALE 0.72

/* No wider than the text. */
static double scale_of(const struct draw *d)
{
    double fits = CONTENT_W / ((double)d->width / DRAW_UNIT);
    return fits < CHART_SCALE ? fits : CHART_SCALE;
}

static const struct draw *picture_of(struct pdf *p, const struct block *b)
{
    return b->picture ? b->picture : b->draw(b->of, (int)(CONTENT_W / CHART_SCALE), p->arena);
}

static double next_height(struct pdf *p, const struct block *b)
{
    const struct draw *d = picture_of(p, b);
    return d->height / DRAW_UNIT * scale_of(d);
}

/* Never alone at the foot of a page: the picture that follows comes along. */
static double room_of_heading(struct pdf *p, const struct block *b, const struct block *next)
{
    double room = b->level == 2 ? 70 : 50;
    double with_chart = next ? pdf_chart_height(p, next->chart) + 34 : 0;
    if (next && next->kind == BLOCK_PICTURE)
        with_chart = next_height(p, next) + 34;
    return with_chart > room ? with_chart : room;
}

/* The place that contents and outline lead to. */
static void listed_heading(struct pdf *p, const struct block *b, const struct pdf_font *f)
{
    size_t id = p->heading++;
    int level = b->level < 1 ? 1 : b->level;
    struct pdf_heading h = {cairo_safe(p->arena, b->text), level, p->page};
    if (!p->final)
        vec_push(&p->headings, p->arena, h);
    cairo.tag_begin(p->cr, CAIRO_TAG_DEST, arena_printf(p->arena, "name='s%zu'", id));
    pdf_paragraph(p, f, INK_TEXT, MARGIN, CONTENT_W, b->text);
    cairo.tag_end(p->cr, CAIRO_TAG_DEST);
    p->outline[level] = cairo.pdf_surface_add_outline(p->surface, p->outline[level - 1], h.text,
                                                      arena_printf(p->arena, "dest='s%zu'", id),
                                                      level == 1 ? CAIRO_PDF_OUTLINE_FLAG_OPEN : 0);
    for (int deeper = level + 1; deeper < 4; deeper++)
        p->outline[deeper] = p->outline[level];
}

static void heading(struct pdf *p, const struct block *b, const struct block *next)
{
    static const struct pdf_font fonts[] = {
        {CAIRO_FONT, 18, 24, true}, {CAIRO_FONT, 13, 18, true}, {CAIRO_FONT, 10, 14, true}};
    const struct pdf_font *f = &fonts[b->level <= 1 ? 0 : b->level == 2 ? 1 : 2];
    if (p->y > TOP)
        p->y += b->level == 2 ? 14 : 6;
    p->under = b->text;
    pdf_need(p, room_of_heading(p, b, next));
    if (b->level <= PDF_LISTED)
        listed_heading(p, b, f);
    else
        pdf_paragraph(p, f, INK_TEXT, MARGIN, CONTENT_W, b->text);
    if (b->level == 2) {
        box(p, INK_GRID, MARGIN, p->y, CONTENT_W, 0.7);
        p->y += 6;
    }
    p->y += 2;
}

static void facts(struct pdf *p, const struct block *b)
{
    double widest = 0;
    pdf_use(p, &pdf_body);
    for (size_t i = 0; i < b->facts.n; i++) {
        double w = pdf_width(p, b->facts.v[i].label);
        widest = w > widest ? w : widest;
    }
    for (size_t i = 0; i < b->facts.n; i++) {
        pdf_need(p, pdf_body.leading);
        pdf_use(p, &pdf_body);
        pdf_show(p, INK_MUTED, MARGIN, p->y + pdf_body.size, b->facts.v[i].label);
        double before = p->y;
        int page = p->page;
        pdf_paragraph(p, &pdf_body, INK_TEXT, MARGIN + widest + 14, CONTENT_W - widest - 14,
                      b->facts.v[i].value);
        if (p->y == before && p->page == page)
            p->y += pdf_body.leading;
    }
    p->y += 4;
}

static void one_bar(struct pdf *p, const struct bar *b, double labels, double values)
{
    double room = CONTENT_W - labels - values - 16;
    double share = b->share > 1 ? 1 : b->share > 0 ? b->share : 0;
    struct pdf_lines label = {0};
    pdf_need(p, pdf_body.leading);
    pdf_use(p, &pdf_small);
    pdf_wrap(p, b->label, labels, &label);
    pdf_clip(p, &label, 1, labels);
    if (label.all.n)
        pdf_show(p, INK_TEXT, MARGIN, p->y + 9, label.all.v[0]);
    box(p, INK_TRACK, MARGIN + labels + 8, p->y + 2, room, 9);
    box(p, pdf_tone(b->tone), MARGIN + labels + 8, p->y + 2, room * share, 9);
    pdf_show(p, INK_MUTED, MARGIN + labels + room + 16, p->y + 9, cairo_safe(p->arena, b->value));
    p->y += pdf_body.leading;
}

static void bars(struct pdf *p, const struct block *b)
{
    double labels = 40, values = 40;
    pdf_use(p, &pdf_small);
    for (size_t i = 0; i < b->bars.n; i++) {
        double l = pdf_width(p, cairo_safe(p->arena, b->bars.v[i].label));
        double v = pdf_width(p, cairo_safe(p->arena, b->bars.v[i].value));
        labels = l > labels ? l : labels;
        values = v > values ? v : values;
    }
    labels = labels > CONTENT_W / 3.0 ? CONTENT_W / 3.0 : labels;
    for (size_t i = 0; i < b->bars.n; i++)
        one_bar(p, &b->bars.v[i], labels, values);
    p->y += 6;
}

static struct draw *drawn(struct pdf *p, const char *name)
{
    const struct chart *chart = name ? chart_find(name) : NULL;
    const struct analysis *a = p->doc->a;
    if (!a || !chart || !chart->has(a))
        return NULL;
    struct chart_opts o = {.width = (int)(CONTENT_W / CHART_SCALE)};
    o.no_title = p->under && str_eq(p->under, chart->title);
    struct draw *d = chart_draw(chart, a, &o, p->arena);
    if (d->height / DRAW_UNIT * CHART_SCALE <= BOTTOM - TOP - 40)
        return d;
    o.height = (int)((BOTTOM - TOP - 40) / CHART_SCALE);
    return chart_draw(chart, a, &o, p->arena);
}

double pdf_chart_height(struct pdf *p, const char *name)
{
    struct draw *d = drawn(p, name);
    return d ? d->height / DRAW_UNIT * CHART_SCALE : 0;
}

static void show(struct pdf *p, const struct draw *d)
{
    double scale = scale_of(d), high = d->height / DRAW_UNIT * scale;
    pdf_need(p, high);
    cairo.save(p->cr);
    cairo.translate(p->cr, MARGIN, p->y);
    cairo.scale(p->cr, scale, scale);
    cairo_draw(p->cr, d, THEME_LIGHT);
    cairo.restore(p->cr);
    p->y += high + 6;
}

static void picture(struct pdf *p, const struct block *b)
{
    if (b->text && *b->text)
        pdf_paragraph(p, &pdf_small, INK_MUTED, MARGIN, CONTENT_W, b->text);
    show(p, picture_of(p, b));
}

static void pdf_chart(struct pdf *p, const char *name)
{
    struct draw *d = drawn(p, name);
    if (d)
        show(p, d);
}

void pdf_block(struct pdf *p, const struct block *b, const struct block *next)
{
    static const struct pdf_font loud = {CAIRO_FONT, 10.5, 15, true};
    switch (b->kind) {
    case BLOCK_HEADING:
        heading(p, b, next);
        break;
    case BLOCK_TEXT:
        pdf_paragraph(p, &pdf_body, INK_TEXT, MARGIN, CONTENT_W, b->text);
        p->y += 4;
        break;
    case BLOCK_ITEM:
        pdf_need(p, pdf_body.leading);
        pdf_use(p, &pdf_body);
        pdf_show(p, INK_MUTED, MARGIN + 6, p->y + pdf_body.size, "•");
        pdf_paragraph(p, &pdf_body, INK_TEXT, MARGIN + 18, CONTENT_W - 18, b->text);
        p->y += 2;
        break;
    case BLOCK_FACTS:
        facts(p, b);
        break;
    case BLOCK_TABLE:
        pdf_table(p, b);
        break;
    case BLOCK_CALLOUT:
        boxed(p, &loud, pdf_tone(b->tone), b->text);
        break;
    case BLOCK_CODE:
        boxed(p, &pdf_mono, INK_SILVER, b->text);
        break;
    case BLOCK_BARS:
        if (!drawn(p, b->chart))
            bars(p, b);
        pdf_chart(p, b->chart);
        break;
    case BLOCK_PICTURE:
        picture(p, b);
        break;
    case BLOCK_CHART:
        pdf_chart(p, b->chart);
        break;
    default: /* a linear doc has no others */
        break;
    }
}
