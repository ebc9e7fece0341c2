/* Tables that are wider than the page, as several below each other. */
#include "report/doc.h"

/* The columns that say which row it is: the first text, and a number before it. */
static size_t leading_columns(const struct block *b)
{
    bool numbered = b->columns.n > 2 && b->columns.v[0].kind == COLUMN_NUMBER &&
                    b->columns.v[1].kind != COLUMN_NUMBER;
    return numbered ? 2 : 1;
}

size_t doc_table_part(struct table_part *p, const struct block *b, size_t from)
{
    size_t lead = from ? leading_columns(b) : 0;
    double total = 0;
    p->n = 0;
    for (size_t c = 0; c < b->columns.n; c++) {
        bool leads = c < lead;
        if (!leads && c < from)
            continue;
        if (!leads && p->n > lead && total + p->width[c] > p->room)
            return c;
        p->shown[p->n++] = c;
        total += p->width[c] + p->gap;
    }
    return b->columns.n;
}
