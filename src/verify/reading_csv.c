/*
 * Tables as CSV: a row is a passage, its cells are divided by bars. Rows without figures are titles of
 * the rows below that have as many cells.
 */
#include <ctype.h>
#include <string.h>

#include "verify/reading.h"

/* Commas, semicolons or tabs: what the first line has most of, outside of quotes. */
static char delimiter_of(const char *text, size_t n)
{
    static const char marks[] = {',', ';', '\t'};
    size_t counts[ARRAY_LEN(marks)] = {0};
    bool quoted = false;
    for (size_t i = 0; i < n && (quoted || text[i] != '\n'); i++) {
        quoted ^= text[i] == '"';
        for (size_t k = 0; k < ARRAY_LEN(marks); k++)
            counts[k] += !quoted && text[i] == marks[k];
    }
    return counts[2] > counts[0] ? '\t' : counts[1] > counts[0] ? ';' : ',';
}

/* One cell from i on, into the reading; where it ends. */
static size_t put_cell(struct reading *r, const char *text, size_t i, size_t n, char mark)
{
    size_t at = r->text.len;
    bool quoted = i < n && text[i] == '"';
    for (i += quoted; i < n; i++) {
        if (quoted && text[i] == '"') {
            if (i + 1 < n && text[i + 1] == '"')
                i++;
            else {
                quoted = false;
                continue;
            }
        } else if (!quoted && (text[i] == mark || text[i] == '\n'))
            break;
        if (text[i] != '\r')
            reading_put(r, text[i] == '\n' ? ' ' : text[i], i);
    }
    struct place cell = {at, r->text.len - at};
    while (cell.n && r->text.buf[cell.at] == ' ')
        cell.at++, cell.n--;
    reading_cell(r, cell.at, cell.n);
    return i;
}

static bool begins_with_number(const struct reading *r, const struct place *cell)
{
    const char *t = r->text.buf + cell->at;
    size_t sign = cell->n > 1 && (*t == '-' || *t == '+');
    return cell->n && isdigit((unsigned char)t[sign]);
}

static bool has_number(const struct reading *r, const struct passage *p)
{
    for (size_t c = 0; c < p->n_cells; c++)
        if (begins_with_number(r, &r->cells.v[p->cells + c]))
            return true;
    return false;
}

void reading_csv(struct reading *r, const char *text, size_t n)
{
    char mark = delimiter_of(text, n);
    size_t titles = NO_PASSAGE;
    for (size_t i = 0; i < n && !r->full;) {
        size_t me = r->passages.n, start = r->text.len;
        reading_begin(r)->cells = r->cells.n;
        for (;;) {
            i = put_cell(r, text, i, n, mark);
            reading_put(r, '|', i < n ? i : n - 1);
            if (i >= n || text[i] == '\n')
                break;
            i++;
        }
        struct passage *p = &r->passages.v[me];
        p->n = r->text.len - start;
        p->n_cells = r->cells.n - p->cells;
        reading_put(r, '\n', i < n ? i : n - 1);
        i++;
        if (!has_number(r, p))
            titles = p->n_cells > 1 ? me : NO_PASSAGE;
        else if (titles != NO_PASSAGE && r->passages.v[titles].n_cells == p->n_cells)
            p->titles = titles;
    }
}
