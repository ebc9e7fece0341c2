/*
 * Tables of plain text: columns that stand under each other, as terminals and profilers print them.
 */
#include <ctype.h>
#include <string.h>

#include "verify/figure.h"
#include "verify/reading.h"

enum { COLUMNS_MAX = 64 };

/* The length of a mark that divides cells: a bar, a box line or two spaces. */
static size_t divider(const char *p, size_t n)
{
    if (*p == '|')
        return 1;
    if (n >= 3 && (!memcmp(p, "\xe2\x94\x82", 3) || !memcmp(p, "\xe2\x94\x83", 3) ||
                   !memcmp(p, "\xe2\x95\x91", 3)))
        return 3;
    return n >= 2 && p[0] == ' ' && p[1] == ' ' ? 2 : 0;
}

static size_t split(struct reading *r, const struct passage *p)
{
    size_t first = r->cells.n, i = p->at, end = p->at + p->n;
    const char *t = r->text.buf;
    while (i < end) {
        size_t d = divider(t + i, end - i);
        if (d || t[i] == ' ') {
            i += d ? d : 1;
            continue;
        }
        size_t start = i;
        while (i < end && !divider(t + i, end - i))
            i++;
        size_t stop = i;
        while (stop > start && t[stop - 1] == ' ')
            stop--;
        reading_cell(r, start, stop - start);
    }
    return r->cells.n - first;
}

static bool without_figures(const struct reading *r, const struct passage *p)
{
    bool letters = false;
    for (size_t c = 0; c < p->n_cells; c++) {
        const struct place *cell = &r->cells.v[p->cells + c];
        if (isdigit((unsigned char)r->text.buf[cell->at]))
            return false;
        for (size_t i = 0; i < cell->n; i++)
            letters |= isalpha((unsigned char)r->text.buf[cell->at + i]) != 0;
    }
    return letters;
}

/* "-----  -------": the columns are where the dashes are. */
static size_t ruler(const struct reading *r, const struct passage *p, struct place *spans)
{
    size_t n = 0, i = p->at, end = p->at + p->n;
    const char *t = r->text.buf;
    while (i < end && n < COLUMNS_MAX) {
        if (t[i] == ' ') {
            i++;
            continue;
        }
        size_t start = i;
        while (i < end && t[i] == '-')
            i++;
        if (i - start < 2)
            return 0;
        spans[n++] = (struct place){start - p->at, i - start};
    }
    return n;
}

static void cut(struct reading *r, struct passage *p, const struct place *spans, size_t n)
{
    p->cells = r->cells.n;
    for (size_t c = 0; c < n; c++) {
        size_t from = spans[c].at, to = c + 1 < n ? spans[c].at + spans[c].n : p->n;
        /* numbers may stand out to the left of their dashes */
        struct place cell = {p->at + (from < p->n ? from : p->n), 0};
        size_t stop = to < p->n ? to : p->n;
        cell.n = from < stop ? stop - from : 0;
        while (cell.n && r->text.buf[cell.at] == ' ')
            cell.at++, cell.n--;
        while (cell.n && r->text.buf[cell.at + cell.n - 1] == ' ')
            cell.n--;
        reading_cell(r, cell.at, cell.n);
    }
    p->n_cells = r->cells.n - p->cells;
}

static void cut_by_ruler(struct reading *r, size_t at, const struct place *spans, size_t n)
{
    /* titles may be shorter or longer than their dashes: two spaces divide them as well */
    struct passage *titles = &r->passages.v[at - 1];
    titles->cells = r->cells.n;
    titles->n_cells = split(r, titles);
    if (titles->n_cells != n)
        cut(r, titles, spans, n);
    for (size_t i = at + 1; i < r->passages.n && r->passages.v[i].n; i++) {
        cut(r, &r->passages.v[i], spans, n);
        r->passages.v[i].titles = at - 1;
    }
}

void reading_find_columns(struct reading *r)
{
    size_t titles = NO_PASSAGE;
    struct place spans[COLUMNS_MAX];
    for (size_t i = 0; i < r->passages.n; i++) {
        struct passage *p = &r->passages.v[i];
        if (!p->n)
            titles = NO_PASSAGE;
        if (p->titles != NO_PASSAGE || !p->n || p->code)
            continue;
        size_t dashes = i ? ruler(r, p, spans) : 0;
        if (dashes > 1) {
            cut_by_ruler(r, i, spans, dashes);
            continue;
        }
        p->cells = r->cells.n;
        p->n_cells = split(r, p);
        if (p->n_cells < 2) {
            r->cells.n = p->cells;
            p->n_cells = 0;
        } else if (without_figures(r, p) &&
                   (titles == NO_PASSAGE || p->n_cells != r->passages.v[titles].n_cells))
            titles = i;
        else if (titles != NO_PASSAGE && r->passages.v[titles].n_cells == p->n_cells)
            p->titles = titles;
    }
}
