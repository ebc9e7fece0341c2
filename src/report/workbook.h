/*
 * The workbook: all tables of a report as sheets, for spreadsheets and for programs.
 *
 * A sheet is a field table (field/field.h) with rows, so XLSX and CSV hold the same cells. Long
 * tables are made row by row when they are written and never stand in memory as a whole.
 *
 * The first sheets are TraceLens' rocprof report, with its names, columns and order and without its
 * mistakes: times are in the units their titles say, and cumulative shares rise to 100.
 *
 *     struct workbook w;
 *     workbook_make(&w, analysis, advice, &opts, arena);
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

struct workbook_opts {
    bool kernel_details, short_kernel_study, disable_kernel_summary;
    bool full_names;         /* group by full names instead of rocprofv3's truncated ones */
    uint64_t topk_kernels;   /* dispatches in kernel_details, longest first; 0: all */
    uint64_t histogram_bins; /* of the short kernels */
};

void workbook_make(struct workbook *w, const struct analysis *a, const struct advice *advice,
                   const struct workbook_opts *o, struct arena *arena);

/* Row i: in the sheet itself, or made in `scratch` (fields->row_size bytes). */
const void *sheet_row(const struct sheet *s, size_t i, void *scratch);

/* The title of a column: the label, and its unit where the label does not have it. */
const char *sheet_title(const struct sheet *s, size_t column, struct arena *a);

/* For the functions that make sheets. */
struct sheet *workbook_add(struct workbook *w, const char *name, const char *doc,
                           const struct fields *fields, const void *rows, size_t n);
void workbook_tracelens(struct workbook *w, const struct analysis *a,
                        const struct workbook_opts *o);
void workbook_ledger(struct workbook *w, const struct analysis *a);
void workbook_findings(struct workbook *w, const struct advice *advice);

/* What rocprofv3 calls the truncated name: without parameters, template arguments, namespaces. */
const char *kernel_truncated_name(struct arena *a, const char *full);

/* TraceLens' category of a name. Ours, which knows more, is kernel_role_of(). */
const char *tracelens_category(const char *name);

#endif
