/* Tables in PDF: cells in several lines, the head again on each page; what is too wide is divided. */
#include <math.h>
#include <string.h>

#include "render/pdf_in.h"

/* More than MOST_ROWS are a hundred pages that nobody prints, and cairo holds all of them at once. */
enum { GAP = 8, LEAST_COLUMN = 60, CELL_LINES = 3, MOST_ROWS = 5000 };
#define PAD 2.5

static const struct pdf_font head = {CAIRO_FONT, 7.5, 10.5, true};

struct grid {
    struct pdf *p;
    const struct block *b;
    double *width; /* by column */
    size_t cells;  /* so many of the block's are set */
    struct table_part part;
};

static bool may_shrink(const struct block *b, size_t c)
{
    return b->columns.v[c].kind == COLUMN_TEXT;
}

/* As wide as the cells want. */
static void measure(struct grid *g)
{
    const struct block *b = g->b;
    size_t n = b->columns.n;
    pdf_use(g->p, &head);
    for (size_t c = 0; c < n; c++)
        g->width[c] = pdf_width(g->p, b->columns.v[c].title) + 1;
    pdf_use(g->p, &pdf_small);
    for (size_t i = 0; i < g->cells; i++) {
        const char *cell = b->cells.v[i];
        double w =
            strlen(cell) > 400 ? CONTENT_W : pdf_width(g->p, cairo_safe(g->p->arena, cell)) + 1;
        if (w > g->width[i % n])
            g->width[i % n] = w;
    }
}

/* The widest text columns give way until all fit; false: they cannot. */
static bool fit(struct grid *g)
{
    const struct block *b = g->b;
    size_t n = b->columns.n;
    double total = GAP * (double)(n - 1);
    for (size_t c = 0; c < n; c++)
        total += g->width[c];
    while (total > CONTENT_W) {
        size_t widest = n;
        for (size_t c = 0; c < n; c++)
            if (g->width[c] > LEAST_COLUMN && (widest == n || g->width[c] > g->width[widest]) &&
                (may_shrink(b, c) || g->width[c] > CONTENT_W / 2))
                widest = c;
        if (widest == n)
            return false;
        double over = total - CONTENT_W, step = over < 4 ? over : 4;
        g->width[widest] -= step;
        total -= step;
    }
    return true;
}

static void draw_cell(struct grid *g, size_t c, double x, double y, const struct pdf_lines *lines,
                      enum ink ink)
{
    for (size_t i = 0; i < lines->all.n; i++) {
        const char *text = lines->all.v[i];
        double shift =
            g->b->columns.v[c].kind == COLUMN_NUMBER ? g->width[c] - pdf_width(g->p, text) : 0;
        pdf_show(g->p, ink, x + shift, y + pdf_small.size + (double)i * pdf_small.leading, text);
    }
}

static void rule(const struct grid *g, enum ink ink, double y)
{
    struct pdf *p = g->p;
    double end = MARGIN - GAP;
    for (size_t i = 0; i < g->part.n; i++)
        end += g->width[g->part.shown[i]] + GAP;
    cairo_ink(p->cr, ink, THEME_LIGHT);
    cairo.set_line_width(p->cr, 0.5);
    cairo.move_to(p->cr, MARGIN, y);
    cairo.line_to(p->cr, end, y);
    cairo.stroke(p->cr);
}

static void draw_head(struct grid *g)
{
    double x = MARGIN;
    for (size_t i = 0; i < g->part.n; i++) {
        size_t c = g->part.shown[i];
        struct pdf_lines one = {0};
        pdf_use(g->p, &head);
        vec_push(&one.all, g->p->arena, g->b->columns.v[c].title);
        draw_cell(g, c, x, g->p->y, &one, INK_TEXT);
        x += g->width[c] + GAP;
    }
    g->p->y += head.leading + PAD;
    rule(g, INK_MUTED, g->p->y);
    g->p->y += PAD;
}

static void draw_row(struct grid *g, const char *const *cells)
{
    struct pdf *p = g->p;
    size_t most = 1;
    struct pdf_lines *lines = arena_array(p->arena, struct pdf_lines, g->b->columns.n);
    pdf_use(p, &pdf_small);
    for (size_t i = 0; i < g->part.n; i++) {
        size_t c = g->part.shown[i];
        size_t indent = strspn(cells[c], " ");
        pdf_wrap(p, cells[c], g->width[c] - 4.0 * (double)indent / 2, &lines[c]);
        pdf_clip(p, &lines[c], CELL_LINES, g->width[c]);
        most = lines[c].all.n > most ? lines[c].all.n : most;
    }
    double high = (double)most * pdf_small.leading + 2 * PAD;
    if (p->y + high > BOTTOM) {
        pdf_next_page(p);
        draw_head(g);
        pdf_use(p, &pdf_small);
    }
    double x = MARGIN;
    for (size_t i = 0; i < g->part.n; i++) {
        size_t c = g->part.shown[i];
        double indent = 4.0 * (double)strspn(cells[c], " ") / 2;
        draw_cell(g, c, x + indent, p->y + PAD / 2, &lines[c], INK_TEXT);
        x += g->width[c] + GAP;
    }
    p->y += high;
    rule(g, INK_GRID, p->y - PAD / 2);
}

void pdf_table(struct pdf *p, const struct block *b)
{
    size_t n = b->columns.n;
    if (!n)
        return;
    size_t rows = b->cells.n / n, most = rows < MOST_ROWS ? rows : MOST_ROWS;
    struct grid g = {.p = p, .b = b, .width = arena_array(p->arena, double, n), .cells = most * n};
    measure(&g);
    g.part = (struct table_part){.width = g.width,
                                 .gap = GAP,
                                 .room = fit(&g) ? INFINITY : CONTENT_W,
                                 .shown = arena_array(p->arena, size_t, n)};
    for (size_t from = 0, next; from < n; from = next) {
        next = doc_table_part(&g.part, b, from);
        pdf_need(p, head.leading + 3 * pdf_small.leading);
        draw_head(&g);
        for (size_t i = 0; i < g.cells; i += n)
            draw_row(&g, b->cells.v + i);
        p->y += next < n ? 6 : 0;
    }
    p->y += b->text && *b->text ? 2 : 0;
    if (b->text && *b->text)
        pdf_paragraph(p, &pdf_small, INK_MUTED, MARGIN, CONTENT_W, b->text);
    if (most < rows)
        pdf_paragraph(
            p, &pdf_small, INK_MUTED, MARGIN, CONTENT_W,
            arena_printf(p->arena, "%zu of %zu rows; the text and the JSON have all", most, rows));
    p->y += 6;
}
