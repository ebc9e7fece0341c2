/*
 * Inside the XLSX renderer: an archive of XML parts (ECMA-376), each written as it is made.
 *
 *     package.c   what is in the archive, and in which order
 *     page.c      a worksheet, row by row
 *     cell.c      texts and numbers as cells
 *     look.c      how cells look
 *     chart.c     a chart beside a table
 *
 * A page is a worksheet: a sheet of the report, or a part of one that Excel cannot hold. All pages
 * and charts are known before the first is written, so nothing is written twice or kept.
 */
#ifndef GS_RENDER_XLSX_XLSX_IN_H
#define GS_RENDER_XLSX_XLSX_IN_H

#include "base/zip.h"
#include "render/workbook_out.h"

enum { XLSX_TEXT = 32767 }; /* characters that Excel has in a cell */

/* Namespaces that several parts name. */
#define XLSX_XML "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define XLSX_MAIN "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define XLSX_DRAWING "http://schemas.openxmlformats.org/drawingml/2006/main"
#define XLSX_CHART "http://schemas.openxmlformats.org/drawingml/2006/chart"
#define XLSX_LINKS "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define XLSX_PACKAGE "http://schemas.openxmlformats.org/package/2006"

enum xlsx_look {
    LOOK_NONE,
    LOOK_HEAD, /* of titles */
    LOOK_TEXT,
    LOOK_PLAIN,
    LOOK_COUNT,
    LOOK_MICRO,
    LOOK_MILLI,
    LOOK_PERCENT,
    LOOK_REAL,
    LOOKS
};

struct xlsx_page {
    const struct sheet *sheet;
    const char *name; /* letters, digits and '_': formulas need no quotes around it */
    size_t first, n;  /* rows of the sheet */
    size_t chart;     /* its number, from 1; 0: none */
};

struct xlsx {
    struct zip *zip;
    struct arena *arena;
    VEC(struct xlsx_page) pages;
    size_t charts;
    struct str out;  /* of the part at hand, what is not in the archive yet */
    struct str text; /* of the cell at hand */
};

/* Begins and ends a part; between them its XML is appended to x->out. */
void xlsx_begin(struct xlsx *x, const char *name, int flags);
void xlsx_end(struct xlsx *x);
/* Hands x->out to the archive when there is much of it. */
void xlsx_flush(struct xlsx *x);

void xlsx_put_page(struct xlsx *x, const struct xlsx_page *p);
void xlsx_put_chart(struct xlsx *x, const struct xlsx_page *p); /* and where it stands */
void xlsx_put_styles(struct xlsx *x);

enum xlsx_look xlsx_look(const struct field *f);

/* A cell; nothing where there is no value. Rows count from 1, columns from 0. */
struct xlsx_cell {
    size_t row, column;
    enum xlsx_look look;
};
void xlsx_put_value(struct xlsx *x, struct xlsx_cell at, const struct field *f, const void *row);
void xlsx_put_text(struct xlsx *x, struct xlsx_cell at, const char *text);

/* "B7"; of at most XLSX_PLACE bytes. Returns its length. */
enum { XLSX_PLACE = 32 };
size_t xlsx_place(char *out, size_t row, size_t column);

/* A text between tags, or in an attribute. */
void xlsx_escape(struct str *out, const char *text);

#endif
