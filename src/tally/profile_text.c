/*
 * Profiles of rocprof-sys as text:
 *
 *     |------------------------------------------------------------|
 *     |                REAL-CLOCK TIMER                             |
 *     |------------------------------------------------------------|
 *     |          LABEL          | COUNT | DEPTH |   METRIC   | ...  |
 *     |-------------------------|-------|-------|------------|------|
 *     | |00>>> main             |     1 |     0 | wall_clock | ...  |
 *     | |00>>> |_work           |    12 |     1 | wall_clock | ...  |
 *
 * Names hold bars as well, so rows are divided from the right, where only numbers and words stand. A
 * measure with several values has the columns from METRIC on once for each.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/lines.h"
#include "base/str.h"
#include "tally/tally_in.h"

enum { MOST_COLUMNS = 256 };

enum column { LABEL, COUNT, DEPTH, METRIC, UNITS, SUM, MEAN, MIN, MAX, VAR, STDDEV, SELF, OTHER };

static const char *const titles[OTHER] = {"LABEL", "COUNT", "DEPTH", "METRIC", "UNITS",  "SUM",
                                          "MEAN",  "MIN",   "MAX",   "VAR",    "STDDEV", "% SELF"};

struct piece {
    const char *p;
    size_t n;
};

static struct piece trimmed(const char *p, size_t n)
{
    while (n && (*p == ' ' || *p == '\t'))
        p++, n--;
    while (n && (p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r'))
        n--;
    return (struct piece){p, n};
}

static bool is(struct piece c, const char *word)
{
    return c.n == strlen(word) && !memcmp(c.p, word, c.n);
}

/* The cells of a row with `want` columns, divided from the right; false: it has fewer. */
static bool divide(struct piece line, struct piece *out, size_t want)
{
    if (line.n < 2 || line.p[0] != '|' || line.p[line.n - 1] != '|' || !want)
        return false;
    const char *end = line.p + line.n - 1;
    for (size_t i = want - 1; i > 0; i--) {
        const char *bar = end;
        while (bar > line.p && bar[-1] != '|')
            bar--;
        if (bar <= line.p + 1)
            return false;
        out[i] = trimmed(bar, (size_t)(end - bar));
        end = bar - 1;
    }
    out[0] = (struct piece){line.p + 1, (size_t)(end - line.p - 1)};
    return true;
}

struct header {
    enum column column[MOST_COLUMNS];
    size_t n;
};

/* The row of titles: begins with LABEL, and has a COUNT. */
static bool read_header(struct piece line, struct header *h)
{
    size_t bars = 0;
    struct piece cells[MOST_COLUMNS];
    for (size_t i = 0; i < line.n; i++)
        bars += line.p[i] == '|';
    if (bars < 4 || bars > MOST_COLUMNS || !divide(line, cells, bars - 1))
        return false;
    cells[0] = trimmed(cells[0].p, cells[0].n);
    if (!is(cells[0], titles[LABEL]))
        return false;
    bool counted = false;
    for (h->n = 0; h->n < bars - 1; h->n++) {
        enum column c = 0;
        while (c < OTHER && !is(cells[h->n], titles[c]))
            c++;
        h->column[h->n] = c;
        counted |= c == COUNT;
    }
    return counted;
}

/* The next line of a text in memory. */
static bool next_line(const char **p, const char *end, struct piece *out)
{
    if (*p >= end)
        return false;
    const char *stop = memchr(*p, '\n', (size_t)(end - *p));
    stop = stop ? stop : end;
    *out = trimmed(*p, (size_t)(stop - *p));
    *p = stop + 1;
    return true;
}

static bool detect(const struct probe *p)
{
    const char *at = p->head, *end = p->head + p->n;
    struct piece line;
    struct header h;
    if (p->is_sqlite || memchr(p->head, '\0', p->n))
        return false;
    for (int i = 0; i < 20 && next_line(&at, end, &line); i++)
        if (read_header(line, &h))
            return true;
    return false;
}

/* ---- rows ---- */

static double number(struct piece c)
{
    char text[64], *end;
    if (!c.n || c.n >= sizeof(text))
        return NAN;
    memcpy(text, c.p, c.n);
    text[c.n] = 0;
    double v = strtod(text, &end);
    return *end || isinf(v) ? NAN : v;
}

struct reading {
    struct tally *t;
    const char *path;
    struct header h;
    bool has_header;
    const char *last[64]; /* names of metrics and units, which repeat */
    uint64_t wrong;
};

/* Words that repeat in every row are kept once, so that equal ones are the same. */
static const char *word(struct reading *r, struct piece c)
{
    size_t slot = 0;
    for (size_t i = 0; i < c.n; i++)
        slot = slot * 31 + (unsigned char)c.p[i];
    slot %= ARRAY_LEN(r->last);
    if (!r->last[slot] || strlen(r->last[slot]) != c.n || memcmp(r->last[slot], c.p, c.n) != 0)
        r->last[slot] = arena_strndup(r->t->arena, c.p, c.n);
    return r->last[slot];
}

static void put(struct tally_line *l, enum column c, double v)
{
    double *const to[OTHER] = {
        [SUM] = &l->sum,      [MEAN] = &l->mean,        [MIN] = &l->least,    [MAX] = &l->most,
        [VAR] = &l->variance, [STDDEV] = &l->deviation, [SELF] = &l->self_pct};
    if (c == COUNT)
        l->count = v >= 0 && v < 9e18 ? (int64_t)v : -1;
    else if (to[c])
        *to[c] = v;
}

static void clear_values(struct tally_line *l)
{
    for (enum column c = SUM; c < OTHER; c++)
        put(l, c, NAN);
}

/* What the first column of depths says, else the indent of the label: one depth for all values. */
static int64_t depth_of(const struct header *h, const struct piece *cells, int64_t indent)
{
    for (size_t i = 1; i < h->n; i++) {
        double v = h->column[i] == DEPTH ? number(cells[i]) : NAN;
        if (v >= 0 && v < 1e6)
            return (int64_t)v;
    }
    return indent > 0 ? indent : 0;
}

static void add_row(struct reading *r, struct piece line)
{
    struct piece cells[MOST_COLUMNS];
    struct tally_line l = {.file = r->path, .metric = "", .unit = "", .count = -1};
    int64_t indent;
    size_t value = 0;
    bool open = false;
    if (!divide(line, cells, r->h.n)) {
        r->wrong++;
        return;
    }
    clear_values(&l);
    l.label = tally_label(cells[0].p, cells[0].n, &l, &indent, r->t->arena);
    l.depth = depth_of(&r->h, cells, indent);
    for (size_t i = 1; i < r->h.n; i++) {
        enum column c = r->h.column[i];
        double v = c == METRIC || c == UNITS || c == DEPTH || c == OTHER ? NAN : number(cells[i]);
        if (c == METRIC && open) { /* the next value of this line */
            tally_push(r->t, &l, value++);
            clear_values(&l);
        }
        open |= c == METRIC;
        if (c == METRIC)
            l.metric = word(r, cells[i]);
        else if (c == UNITS)
            l.unit = word(r, cells[i]);
        else if (c != DEPTH && c != OTHER)
            put(&l, c, v);
    }
    tally_push(r->t, &l, value);
}

static void take_line(struct reading *r, struct piece line)
{
    struct header h;
    if (!line.n || line.p[0] != '|' || (line.n > 1 && line.p[1] == '-'))
        return;
    if (read_header(line, &h)) {
        r->h = h;
        r->has_header = true;
        tally_root(r->t);
    } else if (r->has_header) {
        add_row(r, line);
    }
}

static bool read(struct tally *t, const char *path, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct input *in = input_new(temporary, path, err);
    struct reading *r = arena_new(temporary, struct reading);
    struct lines *lines = in ? lines_new(temporary, input_read, in) : NULL;
    size_t n;
    *r = (struct reading){.t = t, .path = path};
    for (const char *text; in && (text = lines_next(lines, &n));)
        take_line(r, trimmed(text, n));
    bool ok = in && lines_end(lines, err) && input_error(in, err);
    if (ok && r->wrong)
        ok = fail(err, GS_E_FORMAT, "%llu rows have fewer columns than the table",
                  (unsigned long long)r->wrong);
    arena_release(temporary);
    return ok;
}

const struct tally_kind tally_profile_text = {"a profile of rocprof-sys as text", detect, read};
