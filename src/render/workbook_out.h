/*
 * Workbooks as files.
 *
 * Cells are data from strangers. In XLSX a text is written as a text and never as a formula, so
 * nothing of it is evaluated. CSV has no types: a text that a spreadsheet would take for a formula
 * (it starts with = + - @ or their wide forms) gets an apostrophe before it; numbers never do. In
 * both, control characters, bidirectional controls and malformed bytes are shown as escapes (\x1b).
 */
#ifndef GS_RENDER_WORKBOOK_OUT_H
#define GS_RENDER_WORKBOOK_OUT_H

#include "base/err.h"
#include "base/fs_set.h"
#include "base/str.h"
#include "report/workbook.h"

/*
 * One file a sheet: SHEET.csv in `dir`, which is made; all appear with the rest of the set. RFC
 * 4180: commas, quotes where needed, CRLF, a line of titles, UTF-8 without a mark.
 */
bool render_csv(const struct workbook *w, const char *dir, struct fs_set *set,
                struct gs_error *err);

/* One of them, appended to a text: the titles and the first `rows` rows. */
void sheet_csv(struct str *out, const struct sheet *s, size_t rows, struct arena *arena);

/*
 * An Excel workbook. Rows go to the file as they are made, so memory does not grow with them. A
 * sheet that Excel cannot hold (1,048,576 rows) goes on in NAME_2, NAME_3...; *split counts those.
 */
bool render_xlsx(const struct workbook *w, const char *path, size_t *split, struct fs_set *set,
                 struct gs_error *err);

/* The text of a cell, safe to show; cut to `most` UTF-16 units (0: not at all). Overwrites *out. */
void workbook_text(struct str *out, const char *text, size_t most);

#endif
