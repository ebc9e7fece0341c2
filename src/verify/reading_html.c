/*
 * The visible text of a page, titles and labels of its drawings, and the JSON in its scripts.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "verify/reading.h"

enum { TAG_MAX = 16 };

struct page {
    struct reading *r;
    const char *text;
    size_t i, n;
    size_t heading, titles, me; /* me: the open passage; NO_PASSAGE */
    size_t row;                 /* the first cell of the row that is open; NO_PASSAGE */
    bool in_cell, code, is_heading;
};

static void close_passage(struct page *g)
{
    struct reading *r = g->r;
    if (g->me == NO_PASSAGE)
        return;
    struct passage *p = &r->passages.v[g->me];
    p->n = r->text.len - p->at;
    while (p->n && isspace((unsigned char)r->text.buf[p->at + p->n - 1]))
        p->n--;
    if (!p->n && g->me + 1 == r->passages.n)
        r->passages.n--;
    reading_put(r, '\n', g->i);
    g->me = NO_PASSAGE;
}

static void open_passage(struct page *g)
{
    struct passage *p = reading_begin(g->r);
    p->heading = g->heading;
    p->code = g->code;
    p->is_heading = g->is_heading;
    g->me = g->r->passages.n - 1;
    if (g->is_heading)
        g->heading = g->me;
}

static void put(struct page *g, char c, size_t source)
{
    struct str *t = &g->r->text;
    bool blank = isspace((unsigned char)c);
    if (g->me == NO_PASSAGE) {
        if (blank)
            return;
        open_passage(g);
    }
    if (blank && t->len > g->r->passages.v[g->me].at && t->buf[t->len - 1] == ' ')
        return;
    reading_put(g->r, blank ? ' ' : c, source);
}

static const struct {
    const char *name, *is;
} entities[] = {{"lt;", "<"},           {"gt;", ">"},           {"amp;", "&"},
                {"quot;", "\""},        {"apos;", "'"},         {"nbsp;", " "},
                {"micro;", "\xc2\xb5"}, {"times;", "\xc3\x97"}, {"ndash;", "\xe2\x80\x93"}};

/* At '&'; how long it is. */
static size_t entity(struct page *g, size_t i, size_t end)
{
    const char *t = g->text;
    for (size_t e = 0; e < ARRAY_LEN(entities); e++) {
        size_t len = strlen(entities[e].name);
        if (end - i > len && !memcmp(t + i + 1, entities[e].name, len)) {
            for (const char *c = entities[e].is; *c; c++)
                put(g, *c, i);
            return len + 1;
        }
    }
    if (end - i > 3 && t[i + 1] == '#') {
        char *stop;
        char digits[12] = {0};
        memcpy(digits, t + i + 2, end - i - 2 < 11 ? end - i - 2 : 11);
        bool hex = digits[0] == 'x' || digits[0] == 'X';
        unsigned long c = strtoul(digits + hex, &stop, hex ? 16 : 10);
        if (*stop == ';') {
            put(g, c < 0x80 && c >= 0x20 ? (char)c : ' ', i);
            return (size_t)(stop - digits) + 3;
        }
    }
    put(g, '&', i);
    return 1;
}

static void put_text(struct page *g, size_t i, size_t end)
{
    while (i < end) {
        if (g->text[i] == '&')
            i += entity(g, i, end);
        else {
            put(g, g->text[i], i);
            i++;
        }
    }
}

/* The value of an attribute of the tag text[i..end). */
static bool attribute(const struct page *g, size_t i, size_t end, const char *name, size_t *at,
                      size_t *n)
{
    size_t len = strlen(name);
    for (; i + len + 2 < end; i++) {
        if (!isspace((unsigned char)g->text[i]) || strncasecmp(g->text + i + 1, name, len) != 0 ||
            g->text[i + 1 + len] != '=')
            continue;
        char quote = g->text[i + 2 + len];
        if (quote != '"' && quote != '\'')
            continue;
        *at = i + 3 + len;
        const char *stop = memchr(g->text + *at, quote, end - *at);
        *n = stop ? (size_t)(stop - g->text) - *at : 0;
        return stop;
    }
    return false;
}

static bool one_of(const char *tag, const char *list)
{
    size_t n = strlen(tag);
    for (const char *p = list; n && (p = strstr(p, tag)); p += n)
        if ((p == list || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
            return true;
    return false;
}

/* Behind the tag that closes `tag`; the contents end at *inner. */
static size_t find_end(const struct page *g, size_t i, const char *tag, size_t *inner)
{
    size_t len = strlen(tag);
    for (; i + len + 2 < g->n; i++)
        if (g->text[i] == '<' && g->text[i + 1] == '/' && !strncasecmp(g->text + i + 2, tag, len)) {
            *inner = i;
            const char *close = memchr(g->text + i, '>', g->n - i);
            return close ? (size_t)(close - g->text) + 1 : g->n;
        }
    *inner = g->n;
    return g->n;
}

static void script(struct page *g, size_t tag, size_t body, size_t inner)
{
    size_t at, n;
    if (attribute(g, tag, body, "type", &at, &n) && n == 16 &&
        !memcmp(g->text + at, "application/json", 16))
        reading_json(g->r, g->text + body, inner - body, body);
}

static void end_row(struct page *g)
{
    struct reading *r = g->r;
    close_passage(g);
    if (g->row == NO_PASSAGE)
        return;
    /* the cells are passages of their own so far: they become one */
    size_t first = g->row, n = r->passages.n - first;
    g->row = NO_PASSAGE;
    if (!n)
        return;
    size_t cells = r->cells.n;
    for (size_t i = 0; i < n; i++)
        reading_cell(r, r->passages.v[first + i].at, r->passages.v[first + i].n);
    struct passage *p = &r->passages.v[first], *last = &r->passages.v[first + n - 1];
    p->n = last->at + last->n - p->at;
    p->cells = cells;
    p->n_cells = r->cells.n - cells;
    r->passages.n = first + 1;
    if (g->titles == NO_PASSAGE)
        g->titles = first;
    else
        p->titles = g->titles;
}

static void tag_opens(struct page *g, const char *tag)
{
    if (one_of(tag, "b strong em i code span a small sup sub u kbd label tspan"))
        return;
    if (one_of(tag, "td th")) {
        close_passage(g);
        /* an empty cell is one nevertheless */
        open_passage(g);
        reading_put(g->r, ' ', g->i);
        g->in_cell = true;
        return;
    }
    if (g->in_cell && !one_of(tag, "tr table"))
        return;
    close_passage(g);
    if (one_of(tag, "table"))
        g->titles = NO_PASSAGE;
    if (one_of(tag, "tr"))
        end_row(g), g->row = g->r->passages.n;
    if (tag[0] == 'h' && isdigit((unsigned char)tag[1]))
        g->is_heading = true;
    if (one_of(tag, "pre"))
        g->code = true;
}

static void tag_closes(struct page *g, const char *tag)
{
    if (one_of(tag, "b strong em i code span a small sup sub u kbd label tspan"))
        return;
    if (one_of(tag, "td th")) {
        if (g->me != NO_PASSAGE) { /* cells stay, even if there is nothing in them */
            struct passage *p = &g->r->passages.v[g->me];
            p->n = g->r->text.len - p->at;
            reading_put(g->r, '\n', g->i);
            g->me = NO_PASSAGE;
        }
        g->in_cell = false;
        return;
    }
    if (one_of(tag, "tr table"))
        end_row(g);
    if (g->in_cell)
        return;
    close_passage(g);
    if (tag[0] == 'h' && isdigit((unsigned char)tag[1]))
        g->is_heading = false;
    if (one_of(tag, "pre"))
        g->code = false;
}

/* What is read aloud or shown when the mouse is over it. */
static void labels(struct page *g, size_t i, size_t end)
{
    static const char *const names[] = {"aria-label", "title", "alt"};
    for (size_t k = 0; k < 3; k++) {
        size_t at, n;
        if (g->in_cell || !attribute(g, i, end, names[k], &at, &n))
            continue;
        close_passage(g);
        put_text(g, at, at + n);
        close_passage(g);
    }
}

struct tag {
    char name[TAG_MAX];
    bool closes;
    size_t attributes, end; /* in the text */
};

/* At '<'. */
static struct tag tag_at(const struct page *g, size_t i)
{
    struct tag t = {.closes = i + 1 < g->n && g->text[i + 1] == '/'};
    size_t n = 0;
    for (i += 1 + t.closes; i < g->n && isalnum((unsigned char)g->text[i]); i++)
        if (n + 1 < sizeof(t.name))
            t.name[n++] = (char)tolower((unsigned char)g->text[i]);
    t.attributes = i;
    char quote = 0;
    for (; i < g->n && (quote || g->text[i] != '>'); i++) {
        char c = g->text[i];
        if (quote ? c == quote : c == '"' || c == '\'')
            quote = quote ? 0 : c;
    }
    t.end = i < g->n ? i + 1 : g->n;
    return t;
}

static bool holds_no_text(const struct tag *t)
{
    return !t->closes && one_of(t->name, "script style");
}

static void read_tag(struct page *g)
{
    struct tag t = tag_at(g, g->i);
    if (holds_no_text(&t)) {
        size_t inner, after = find_end(g, t.end, t.name, &inner);
        close_passage(g);
        if (t.name[1] == 'c')
            script(g, t.attributes, t.end, inner);
        g->i = after;
        return;
    }
    if (t.name[0] && t.closes)
        tag_closes(g, t.name);
    else if (t.name[0]) {
        tag_opens(g, t.name);
        labels(g, t.attributes, t.end);
    }
    g->i = t.end;
}

static bool is_shown_column(const struct page *g, const struct tag *t)
{
    size_t at, n;
    return !t->closes && one_of(t->name, "th") &&
           attribute(g, t->attributes, t->end, "scope", &at, &n) && n == 3 &&
           !memcmp(g->text + at, "col", 3) &&
           !text_find(g->text + t->attributes, t->end - t->attributes, " hidden");
}

void reading_html_heads(struct str *out, const char *text, size_t n)
{
    const struct page g = {.text = text, .n = n};
    size_t inner;
    for (const char *p = text; (p = memchr(p, '<', n - (size_t)(p - text)));) {
        struct tag t = tag_at(&g, (size_t)(p - text));
        const char *label = text + t.end, *over = memchr(label, '<', n - t.end);
        if (is_shown_column(&g, &t) && over)
            str_printf(out, "%.*s|", over - label < 100 ? (int)(over - label) : 0, label);
        else if (t.closes && one_of(t.name, "tr") && out->len && out->buf[out->len - 1] != '\n')
            str_putc(out, '\n');
        p = holds_no_text(&t) ? text + find_end(&g, t.end, t.name, &inner) : label;
    }
}

void reading_html(struct reading *r, const char *text, size_t n)
{
    struct page g = {.r = r,
                     .text = text,
                     .n = n,
                     .heading = NO_PASSAGE,
                     .titles = NO_PASSAGE,
                     .me = NO_PASSAGE,
                     .row = NO_PASSAGE};
    while (g.i < n && !r->full) {
        if (n - g.i >= 4 && !memcmp(text + g.i, "<!--", 4)) {
            const char *stop = text_find(text + g.i, n - g.i, "-->");
            g.i = stop ? (size_t)(stop - text) + 3 : n;
        } else if (text[g.i] == '<')
            read_tag(&g);
        else {
            const char *next = memchr(text + g.i, '<', n - g.i);
            size_t end = next ? (size_t)(next - text) : n;
            put_text(&g, g.i, end);
            g.i = end;
        }
    }
    end_row(&g);
}
