/*
 * Inside the XLSX renderer: a workbook of libxlsxwriter and how its cells look.
 */
#ifndef GS_RENDER_XLSX_IN_H
#define GS_RENDER_XLSX_IN_H

#include <xlsxwriter.h>

#include "render/workbook_out.h"

enum { XLSX_TEXT = 32767 }; /* characters that Excel has in a cell */

enum xlsx_look {
    LOOK_TEXT,
    LOOK_PLAIN,
    LOOK_COUNT,
    LOOK_MICRO,
    LOOK_MILLI,
    LOOK_PERCENT,
    LOOK_REAL,
    LOOKS
};

struct xlsx {
    lxw_workbook *book;
    lxw_format *head, *looks[LOOKS];
    struct str text, literal; /* of the cell at hand */
    struct arena *arena;
    lxw_error error;    /* the first */
    VEC(int64_t) bytes; /* by page: what its rows took */
};

void xlsx_formats(struct xlsx *x);
enum xlsx_look xlsx_look(const struct field *f);

/* Rows [first, first + n) of a sheet on a page of its own. */
lxw_worksheet *xlsx_page(struct xlsx *x, const struct sheet *s, const char *name, size_t first,
                         size_t n);
void xlsx_chart(struct xlsx *x, const struct sheet *s, lxw_worksheet *page, const char *name,
                size_t n);

/* True when the archive has pages 1 to n and page i holds at least least[i - 1] bytes. */
bool xlsx_is_whole(const char *path, const int64_t *least, size_t n);

#endif
