#include <ctype.h>
#include <string.h>

#include "verify/reading.h"

struct md {
    struct reading *r;
    const char *text;
    size_t heading, titles;
    bool in_code;
};

static const struct {
    const char *name;
    char is;
} entities[] = {{"&lt;", '<'},   {"&gt;", '>'},   {"&amp;", '&'},
                {"&quot;", '"'}, {"&#39;", '\''}, {"&#124;", '|'}};

/* Without escapes, entities and emphasis. */
static void put_inline(struct md *m, size_t i, size_t end)
{
    const char *t = m->text;
    while (i < end) {
        if (t[i] == '\\' && i + 1 < end && ispunct((unsigned char)t[i + 1])) {
            reading_put(m->r, t[i + 1], i + 1);
            i += 2;
            continue;
        }
        size_t e = 0;
        while (e < ARRAY_LEN(entities) &&
               (end - i < strlen(entities[e].name) ||
                memcmp(t + i, entities[e].name, strlen(entities[e].name)) != 0))
            e++;
        if (e < ARRAY_LEN(entities)) {
            reading_put(m->r, entities[e].is, i);
            i += strlen(entities[e].name);
            continue;
        }
        if (t[i] == '*' || t[i] == '`') { /* emphasis and code */
            i++;
            continue;
        }
        if (t[i] != '\r')
            reading_put(m->r, t[i], i);
        i++;
    }
}

static bool is_rule(const char *line, size_t n)
{
    bool dash = false;
    for (size_t i = 0; i < n; i++) {
        if (!strchr("|-: \r", line[i]))
            return false;
        dash |= line[i] == '-';
    }
    return dash;
}

static void add_row(struct md *m, size_t i, size_t end)
{
    struct reading *r = m->r;
    size_t me = r->passages.n;
    struct passage *p = reading_begin(r);
    p->heading = m->heading;
    p->cells = r->cells.n;
    p->titles = m->titles;
    size_t start = r->text.len;
    if (i < end && m->text[i] == '|')
        i++;
    while (i < end) {
        size_t stop = i;
        while (stop < end && m->text[stop] != '|')
            stop += m->text[stop] == '\\' && stop + 1 < end ? 2 : 1;
        size_t from = i, to = stop;
        while (from < to && isspace((unsigned char)m->text[from]))
            from++;
        while (to > from && isspace((unsigned char)m->text[to - 1]))
            to--;
        size_t at = r->text.len;
        put_inline(m, from, to);
        if (stop < end || r->text.len > at)
            reading_cell(r, at, r->text.len - at);
        reading_put(r, '|', stop);
        i = stop + 1;
    }
    p = &r->passages.v[me];
    p->n_cells = r->cells.n - p->cells;
    p->n = r->text.len - start;
    reading_put(r, '\n', end);
    if (m->titles == NO_PASSAGE)
        m->titles = me;
}

static void add_line(struct md *m, size_t i, size_t end)
{
    struct reading *r = m->r;
    size_t me = r->passages.n, start = r->text.len, mark = i;
    bool code = m->in_code || (end - i > 4 && !memcmp(m->text + i, "    ", 4));
    while (mark < end && (m->text[mark] == '#' || m->text[mark] == '>'))
        mark++;
    bool is_heading = mark > i && m->text[i] == '#' && !code;
    struct passage *p = reading_begin(r);
    p->code = code;
    p->is_heading = is_heading;
    p->heading = m->heading;
    while (mark < end && m->text[mark] == ' ')
        mark++;
    if (code)
        for (size_t k = i; k < end; k++)
            reading_put(r, m->text[k], k);
    else
        put_inline(m, mark, end);
    p = &r->passages.v[me];
    p->n = r->text.len - start;
    reading_put(r, '\n', end);
    if (is_heading)
        m->heading = me;
    const struct passage *before = me ? &r->passages.v[me - 1] : NULL;
    if (before && before->n && !before->n_cells && !before->is_heading && !before->code && p->n &&
        !is_heading && !code && !strchr("-*", m->text[i]))
        r->passages.v[me - 1].goes_on = me;
}

void reading_markdown(struct reading *r, const char *text, size_t n)
{
    struct md m = {.r = r, .text = text, .heading = NO_PASSAGE, .titles = NO_PASSAGE};
    for (size_t i = 0; i < n && !r->full;) {
        const char *nl = memchr(text + i, '\n', n - i);
        size_t end = nl ? (size_t)(nl - text) : n, from = i;
        while (from < end && text[from] == ' ')
            from++;
        bool fence =
            end - from >= 3 && (!memcmp(text + from, "```", 3) || !memcmp(text + from, "~~~", 3));
        bool row = !m.in_code && from < end && text[from] == '|';
        if (!row)
            m.titles = NO_PASSAGE;
        if (fence)
            m.in_code = !m.in_code;
        else if (row && !is_rule(text + from, end - from))
            add_row(&m, from, end);
        else if (!row)
            add_line(&m, i, end);
        i = end + 1;
    }
}
