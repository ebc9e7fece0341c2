/*
 * The workbook: all tables of a report as sheets, for spreadsheets and for programs.
 *
 * A sheet is a field table (field/field.h) with rows, so XLSX and CSV hold the same cells. Long
 * tables are made row by row when they are written and never stand in memory as a whole.
 *
 *     struct workbook w = {.arena = arena};
 *     workbook_fill(&w, analysis, advice);
 *     for (size_t i = 0; i < w.sheets.n; i++)
 *         sheet_row(&w.sheets.v[i], 0, scratch);
 */
#ifndef GS_REPORT_WORKBOOK_H
#define GS_REPORT_WORKBOOK_H

#include "advise/advise.h"

/* Rows that Excel has in a sheet, the titles among them. */
enum { SHEET_ROWS = 1048576 };

enum sheet_chart { SHEET_NO_CHART, SHEET_BARS, SHEET_COLUMNS };

struct sheet {
    const char *name, *doc;
    const struct fields *fields;
    const void *rows;
    size_t n;
    /* Fills row i at `row` (fields->row_size bytes, zeroed); NULL: `rows` has them. */
    void (*fill)(const struct sheet *s, size_t i, void *row);
    const void *context;
    bool exact_titles; /* columns are called what fields say, without a unit behind */
    enum sheet_chart chart;
    size_t chart_label, chart_value, chart_rows; /* columns, and how many rows at most */
};

struct workbook {
    VEC(struct sheet) sheets;
    struct arena *arena;
    uint64_t detail_bytes; /* of names in kernel_details, where every dispatch has one */
};

/* The ledger, findings and results, behind the sheets that are there already. */
void workbook_fill(struct workbook *w, const struct analysis *a, const struct advice *advice);

/* Row i: in the sheet itself, or made in `scratch` (fields->row_size bytes). */
const void *sheet_row(const struct sheet *s, size_t i, void *scratch);

/* The title of a column: the label, and its unit where the label does not have it. */
const char *sheet_title(const struct sheet *s, size_t column, struct arena *a);

/* For the functions that make sheets. */
struct sheet *workbook_add(struct workbook *w, const char *name, const char *doc,
                           const struct fields *fields, const void *rows, size_t n);
void workbook_ledger(struct workbook *w, const struct analysis *a);
void workbook_findings(struct workbook *w, const struct advice *advice);

#endif
