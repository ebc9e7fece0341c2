#include "base/csv.h"

#include <string.h>

#include "base/mem.h"
#include "base/watch.h"

enum {
    WINDOW = 1024 * 1024,
    QUOTED_LINES_MAX = 64 * 1024, /* bytes a quoted text with line breaks may have */
    MISSES_MAX = 64,
};

void csv_open(struct csv *c, csv_fill *fill, void *ctx)
{
    memset(c, 0, sizeof(*c));
    c->fill = fill;
    c->fill_ctx = ctx;
    c->next_line = 1;
}

void csv_release(struct csv *c)
{
    mem_free(c->buf);
    mem_free(c->field);
    memset(c, 0, sizeof(*c));
}

static void release_it(void *c)
{
    csv_release(c);
}

struct csv *csv_new(struct arena *a, csv_fill *fill, void *ctx)
{
    struct csv *c = arena_new(a, struct csv);
    csv_open(c, fill, ctx);
    arena_defer(a, release_it, c);
    return c;
}

static bool problem(struct csv *c, const char *text)
{
    if (!c->problem)
        c->problem = text;
    c->n = 0;
    return false;
}

/* More bytes behind the unread ones, which move to the front; false: there are none. */
static bool refill(struct csv *c)
{
    if (c->last)
        return false;
    watch_show(c->buf, c->cap);
    if (c->at) {
        memmove(c->buf, c->buf + c->at, c->end - c->at);
        c->end -= c->at;
        c->at = 0;
    }
    if (c->end == c->cap) {
        if (c->cap >= CSV_ROW_MAX)
            return problem(c, "a line is too long");
        c->cap = c->cap ? c->cap * 2 : WINDOW;
        c->buf = mem_realloc(c->buf, c->cap);
    }
    size_t before = c->end;
    while (c->end < c->cap && !c->last) { /* full, so that long rows are not looked at too often */
        ptrdiff_t n = c->fill(c->fill_ctx, c->buf + c->end, c->cap - c->end);
        if (n < 0 || (size_t)n > c->cap - c->end) {
            c->unreadable = true;
            return problem(c, "the input cannot be read");
        }
        c->last = n == 0;
        c->end += (size_t)n;
    }
    return c->end > before;
}

static bool add_field(struct csv *c, const char *p, size_t n, bool quoted)
{
    if (c->n == CSV_FIELDS_MAX)
        return problem(c, "a line has too many fields");
    if (c->n == c->field_cap) {
        c->field_cap = c->field_cap ? c->field_cap * 2 : 64;
        c->field = mem_realloc(c->field, mem_mul(c->field_cap, sizeof(*c->field)));
    }
    c->field[c->n++] = (struct csv_field){p, n, quoted};
    return true;
}

/*
 * The closing quote of the field whose text begins at p, or NULL: not in sight. `all` says that
 * nothing comes behind end, so that its last byte can be judged.
 */
static const char *closing_quote(const struct csv *c, const char *p, const char *end, bool all)
{
    const char *start = p;
    while (p < end && (p = memchr(p, '"', (size_t)(end - p)))) {
        if (p + 1 == end)
            return all ? p : NULL;
        if (p[1] == ',' || p[1] == '\n')
            break;
        if (p[1] == '\r' && (p + 2 == end || p[2] == '\n')) {
            if (p + 2 == end && !all)
                return NULL;
            break;
        }
        p += p[1] == '"' && !c->plain ? 2 : 1;
    }
    if (!p || p >= end)
        return NULL;
    if (p - start > QUOTED_LINES_MAX && memchr(start, '\n', (size_t)(p - start)))
        return NULL;
    return p;
}

enum outcome { ROW, MORE, OPEN }; /* a row; bytes are missing; a quote is not closed */

/*
 * Takes the row at p apart; *next gets where the one after it begins, or the text behind a quote
 * that is not closed.
 */
static enum outcome take_row(struct csv *c, const char *p, const char *end, bool all,
                             const char **next)
{
    for (c->n = 0;;) {
        const char *text = p, *stop;
        bool quoted = p < end && *p == '"';
        if (quoted) {
            text++;
            stop = closing_quote(c, text, end, all);
            if (!stop) {
                *next = text;
                return all || (size_t)(end - p) > QUOTED_LINES_MAX ? OPEN : MORE;
            }
            p = stop + 1;
            if (p < end && *p == '\r')
                p++;
        } else {
            while (p < end && *p != ',' && *p != '\n')
                p++;
            stop = p > text && p[-1] == '\r' && (p == end || *p == '\n') ? p - 1 : p;
        }
        if (p == end && !all)
            return MORE;
        if (!add_field(c, text, (size_t)(stop - text), quoted))
            return ROW;
        if (p == end || *p != ',') {
            *next = p < end && *p == '\n' ? p + 1 : p;
            return ROW;
        }
        p++;
    }
}

/* The row again, as one line in which quotes are never escaped. */
static enum outcome take_line(struct csv *c, const char **next)
{
    const char *p = c->buf + c->at, *end = c->buf + c->end;
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop && !c->last)
        return MORE;
    stop = stop ? stop : end;
    c->plain = true;
    if (take_row(c, p, stop, true, next) == OPEN) /* then the text is all of the line */
        add_field(c, *next, (size_t)(stop - *next), false);
    *next = stop < end ? stop + 1 : stop;
    return ROW;
}

static enum outcome next_row(struct csv *c, const char **next)
{
    c->plain = false;
    if (c->misses >= MISSES_MAX)
        return take_line(c, next);
    enum outcome o = take_row(c, c->buf + c->at, c->buf + c->end, c->last, next);
    bool odd = c->columns && c->n != c->columns;
    if (o == MORE || (o == ROW && (!odd || c->problem)))
        return o;
    bool open = o == OPEN;
    o = take_line(c, next);
    c->misses += open && o == ROW;
    return o;
}

static uint64_t count_lines(const char *p, const char *end)
{
    uint64_t n = 0;
    while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
        n++;
        p++;
    }
    return n;
}

static bool blank(const struct csv *c)
{
    return c->n == 1 && !c->field[0].n && !c->field[0].quoted;
}

bool csv_row(struct csv *c)
{
    static const char mark[] = "\xef\xbb\xbf";
    while (!c->problem) {
        const char *next = NULL;
        c->n = 0;
        watch_hide(c->buf, c->at);
        if (!c->columns && !c->at)
            while (c->end < 3 && refill(c)) {
            }
        if (!c->columns && !c->at && c->end >= 3 && !memcmp(c->buf, mark, 3))
            c->at = 3;
        if (c->at == c->end && !refill(c))
            return false;
        c->line = c->next_line;
        enum outcome o = next_row(c, &next);
        if (o == MORE) {
            refill(c);
            continue;
        }
        if (c->problem)
            return false;
        c->next_line += count_lines(c->buf + c->at, next);
        c->at = (size_t)(next - c->buf);
        if (blank(c))
            continue;
        if (!c->columns)
            c->columns = c->n;
        return true;
    }
    return false;
}

void csv_join(struct csv *c, size_t i)
{
    if (!c->columns || c->n <= c->columns || i >= c->columns)
        return;
    size_t surplus = c->n - c->columns;
    struct csv_field *f = &c->field[i], *last = &c->field[i + surplus];
    f->n = (size_t)(last->p + last->n - f->p);
    if (f->quoted && !last->quoted && f->p[f->n - 1] == '"') /* the one that closes the text */
        f->n--;
    memmove(f + 1, last + 1, (c->n - i - surplus - 1) * sizeof(*f));
    c->n -= surplus;
}

/* The row's own bytes are changed, once: what was given out before stays as it is. */
static void unescape(struct csv *c, struct csv_field *f)
{
    char *to = c->buf + (f->p - c->buf);
    size_t n = 0;
    for (size_t k = 0; k < f->n; k++) {
        to[n++] = f->p[k];
        k += f->p[k] == '"' && k + 1 < f->n && f->p[k + 1] == '"';
    }
    f->n = n;
    f->quoted = false;
}

const char *csv_text(struct csv *c, size_t i, size_t *n)
{
    if (i >= c->n) {
        *n = 0;
        return "";
    }
    struct csv_field *f = &c->field[i];
    if (f->quoted && !c->plain && memchr(f->p, '"', f->n))
        unescape(c, f);
    *n = f->n;
    return f->p;
}

ptrdiff_t csv_head_read(void *head, char *buf, size_t n)
{
    struct csv_head *h = head;
    n = n < h->n ? n : h->n;
    memcpy(buf, h->p, n);
    h->p += n;
    h->n -= n;
    return (ptrdiff_t)n;
}

bool csv_end(const struct csv *c, struct gs_error *err)
{
    if (!c->problem)
        return true;
    if (c->unreadable)
        return fail(err, GS_E_IO, "%s", c->problem);
    return fail(err, GS_E_FORMAT, "bad CSV: %s, line %llu", c->problem,
                (unsigned long long)c->line);
}
