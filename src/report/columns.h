/*
 * Which columns of tables are shown: every table has more than the few that are of use to most.
 * The page offers the others; for text, Markdown and PDF they are asked for by --columns.
 *
 *     if (!columns_choose(d, "all", err)) ...                 all that have something in them
 *     if (!columns_choose(d, "name,copies.link_gbps", err))   these, in this order
 *     if (!columns_choose(d, "+p95_ns", err))                 and this one, at the end
 *
 * A name is the key of a field or the label over its column, in any case, and may say its table.
 * Tables without a column of these names stay as they are.
 */
#ifndef GS_REPORT_COLUMNS_H
#define GS_REPORT_COLUMNS_H

#include "base/err.h"
#include "report/doc.h"

/* False: no table of the doc has such a column; the error names those there are. */
bool columns_choose(struct doc *d, const char *names, struct gs_error *err);

/*
 * What would have to be asked for so that tables have the heads that a text has: its lines in which
 * every cell is the label of a column of one table. NULL: nothing, or nothing that is not shown.
 * `parts`: tables may be divided, so that several heads are those of one.
 */
const char *columns_of_text(const struct doc *d, const char *text, size_t n, bool parts);

/* All of them: table, key, label, whether it is shown without being asked for, and its meaning. */
struct doc *columns_list(const struct doc *d);

#endif
