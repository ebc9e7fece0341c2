/*
 * Inside the PDF renderer: a page that text, tables and charts are set on from top to bottom.
 */
#ifndef GS_RENDER_PDF_IN_H
#define GS_RENDER_PDF_IN_H

#include "render/cairo_draw.h"
#include "report/chart/chart.h"
#include "report/doc.h"

/* Points: A4 with margins; text between TOP and BOTTOM. */
enum { PAGE_W = 595, PAGE_H = 842, MARGIN = 48, TOP = 62, BOTTOM = PAGE_H - 58 };
enum { CONTENT_W = PAGE_W - 2 * MARGIN };

/* Headings of deeper levels are not in the contents. */
enum { PDF_LISTED = 3 };

struct pdf_heading {
    const char *text;
    int level, page;
};

struct pdf {
    cairo_surface_t *surface;
    cairo_t *cr;
    struct arena *arena;
    const struct doc *doc;
    const char *title;
    double y;
    int page, pages;                  /* pages: of the pass before, 0 in the first */
    VEC(struct pdf_heading) headings; /* of the pass before */
    size_t heading;                   /* the next one */
    int outline[4];                   /* parents by level */
    const char *under;                /* text of the last heading */
    bool final;
};

struct pdf_font {
    const char *family;
    double size, leading;
    bool bold;
};

extern const struct pdf_font pdf_body, pdf_small, pdf_mono;

struct pdf_lines {
    VEC(const char *) all;
};

/* Starts a new page when less than `room` is left. */
void pdf_need(struct pdf *p, double room);
void pdf_next_page(struct pdf *p);

void pdf_use(struct pdf *p, const struct pdf_font *f);
double pdf_width(struct pdf *p, const char *text); /* in the font in use */

/* The text in lines no wider than `width`; words that are longer are broken. */
void pdf_wrap(struct pdf *p, const char *text, double width, struct pdf_lines *out);

/* At most `most` lines; an ellipsis where there were more. */
void pdf_clip(struct pdf *p, struct pdf_lines *lines, size_t most, double width);

void pdf_show(struct pdf *p, enum ink ink, double x, double y, const char *text);

/* A paragraph at x; moves down, over pages where it must. */
void pdf_paragraph(struct pdf *p, const struct pdf_font *f, enum ink ink, double x, double width,
                   const char *text);

void pdf_table(struct pdf *p, const struct block *b);
/* `next` is the block that follows, or NULL. */
void pdf_block(struct pdf *p, const struct block *b, const struct block *next);

/* What a chart takes, in points; 0 when there is nothing to draw. */
double pdf_chart_height(struct pdf *p, const char *name);

#endif
