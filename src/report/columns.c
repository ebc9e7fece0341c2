#include "report/columns.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/opt.h"
#include "base/str.h"
#include "report/value.h"

/* A column that was asked for. */
struct wanted {
    const char *name, *table; /* table NULL: of any */
    bool more;                /* "+name": beside those that are shown anyway */
    bool found;
};

struct wanted_list {
    struct wanted *v;
    size_t n, cap;
};

static bool is_table(const struct block *b)
{
    return b->kind == BLOCK_TABLE && b->result;
}

static bool can_be_shown(const struct block *b, const struct field *f)
{
    return f->key && !value_listed(b->rows.never, f->key);
}

static const char *table_key(const struct block *b)
{
    return b->rows.key ? b->rows.key : b->result->fields->key;
}

/* ---- what is asked for ---- */

static const char *trimmed(const char *p, size_t n, struct arena *a)
{
    while (n && isspace((unsigned char)*p))
        p++, n--;
    while (n && isspace((unsigned char)p[n - 1]))
        n--;
    return arena_strndup(a, p, n);
}

static bool has_table(const struct doc *d, const char *key)
{
    for (size_t i = 0; i < d->blocks.n; i++)
        if (is_table(d->blocks.v[i]) && !strcasecmp(table_key(d->blocks.v[i]), key))
            return true;
    return false;
}

static void read_names(struct wanted_list *out, const struct doc *d, const char *names)
{
    for (const char *p = names; *p; p += *p == ',') {
        size_t n = strcspn(p, ",");
        struct wanted w = {.name = trimmed(p, n, d->arena)};
        p += n;
        w.more = *w.name == '+';
        w.name += w.more;
        const char *dot = strchr(w.name, '.');
        const char *table = dot ? arena_strndup(d->arena, w.name, (size_t)(dot - w.name)) : NULL;
        if (table && has_table(d, table)) {
            w.table = table;
            w.name = dot + 1;
        }
        if (*w.name)
            vec_push(out, d->arena, w);
    }
}

/* ---- tables ---- */

static const struct field *field_of(const struct block *b, const struct wanted *w)
{
    const struct fields *f = b->result->fields;
    if (w->table && strcasecmp(w->table, table_key(b)) != 0)
        return NULL;
    for (int by_label = 0; by_label < 2; by_label++)
        for (size_t i = 0; i < f->n; i++)
            if (can_be_shown(b, &f->v[i]) &&
                !strcasecmp(by_label ? f->v[i].label : f->v[i].key, w->name))
                return &f->v[i];
    return NULL;
}

static void put_key(struct str *out, const char *key)
{
    if (!value_listed(out->buf, key))
        str_printf(out, "%s%s", out->len ? " " : "", key);
}

static void choose(struct block *b, struct wanted_list *list, struct arena *a)
{
    struct str only, more;
    str_init(&only, a);
    str_init(&more, a);
    for (size_t i = 0; i < list->n; i++) {
        const struct field *f = field_of(b, &list->v[i]);
        if (!f)
            continue;
        list->v[i].found = true;
        put_key(list->v[i].more ? &more : &only, f->key);
    }
    if (!only.len && !more.len)
        return;
    b->rows.asked = arena_printf(a, "%s %s", only.len ? only.buf : "", more.len ? more.buf : "");
    const char *first = only.len ? only.buf : b->rows.shown;
    if (first) /* all are, otherwise */
        b->rows.shown = more.len ? arena_printf(a, "%s %s", first, more.buf) : first;
}

static bool says_something(const struct block *b, const struct field *f)
{
    for (size_t i = 0; i < b->result->n; i++)
        if (!field_is_blank(f, (const char *)b->result->rows + i * b->result->fields->row_size))
            return true;
    return false;
}

/* Those that are shown anyway come first, as they do in the page. */
static void choose_all(struct block *b, struct arena *a)
{
    const struct fields *f = b->result->fields;
    struct str keys;
    if (!b->rows.shown)
        return;
    str_init(&keys, a);
    str_puts(&keys, b->rows.shown);
    for (size_t i = 0; i < f->n; i++)
        if (can_be_shown(b, &f->v[i]) && says_something(b, &f->v[i]))
            put_key(&keys, f->v[i].key);
    b->rows.shown = keys.buf;
}

/* ---- names that nothing has ---- */

enum { MOST_NAMED = 60 }; /* more than that is no error message any more */

static bool unknown(const struct doc *d, const struct wanted *w, struct gs_error *err)
{
    const char *of = w->table ? w->table : "", *dot = w->table ? "." : "", *name = w->name;
    VEC(const char *) words = {0}; /* keys and labels */
    struct str seen, all;
    size_t n = 0;
    str_init(&seen, d->arena);
    str_init(&all, d->arena);
    for (size_t i = 0; i < d->blocks.n; i++)
        for (size_t k = 0; is_table(d->blocks.v[i]) && k < d->blocks.v[i]->result->fields->n; k++) {
            const struct field *f = &d->blocks.v[i]->result->fields->v[k];
            if (!can_be_shown(d->blocks.v[i], f) || value_listed(seen.buf, f->key) ||
                (w->table && strcasecmp(w->table, table_key(d->blocks.v[i])) != 0))
                continue;
            put_key(&seen, f->key);
            str_printf(&all, "%s%s", n++ ? ", " : "", f->key);
            vec_push(&words, d->arena, f->key);
            vec_push(&words, d->arena, f->label);
        }
    vec_push(&words, d->arena, NULL);
    const char *near = opt_nearest(name, words.v);
    if (near)
        return fail(err, GS_E_USAGE, "no column '%s%s%s'; did you mean '%s%s%s'?", of, dot, name,
                    of, dot, near);
    if (!n)
        return fail(err, GS_E_USAGE, "no column '%s'; there is no table here", name);
    if (n > MOST_NAMED)
        return fail(err, GS_E_USAGE, "no column '%s'; see '--list-columns', which lists %zu", name,
                    n);
    return fail(err, GS_E_USAGE, "no column '%s%s%s'; columns are %s", of, dot, name, all.buf);
}

bool columns_choose(struct doc *d, const char *names, struct gs_error *err)
{
    struct wanted_list list = {0};
    bool all = !strcasecmp(names, "all");
    if (!all)
        read_names(&list, d, names);
    if (!all && !list.n)
        return fail(err, GS_E_USAGE, "no column is named; see '--list-columns'");
    for (size_t i = 0; i < d->blocks.n; i++) {
        if (!is_table(d->blocks.v[i]))
            continue;
        if (all)
            choose_all(d->blocks.v[i], d->arena);
        else
            choose(d->blocks.v[i], &list, d->arena);
    }
    for (size_t i = 0; i < list.n; i++)
        if (!list.v[i].found)
            return unknown(d, &list.v[i], err);
    return true;
}

/* ---- what a text shows ---- */

/* Each line is held against each table: so much of a text is looked at. */
enum { LONGEST_HEAD = 4096, LOOKED_AT = 1 << 20, MOST_HEADS = 2000 };

/* The next cell of a line: up to a bar, or two blanks. False: no more. */
static bool next_cell(const char **at, const char *end, const char **cell, size_t *n)
{
    const char *p = *at;
    while (p < end && (isspace((unsigned char)*p) || *p == '|'))
        p++;
    *cell = p;
    while (p < end && *p != '|' && !(*p == ' ' && (p + 1 == end || p[1] == ' ')) && *p != '\r')
        p++;
    *n = (size_t)(p - *cell);
    while (*n && (*cell)[*n - 1] == ' ')
        --*n;
    *at = p;
    return *n;
}

/* Markdown escapes with backslashes, which no label has. */
static bool is_label(const char *label, const char *cell, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (cell[i] != '\\' && *label++ != cell[i])
            return false;
    return !*label;
}

static const struct field *field_with_label(const struct block *b, const char *label, size_t n)
{
    const struct fields *f = b->result->fields;
    for (size_t i = 0; i < f->n; i++)
        if (can_be_shown(b, &f->v[i]) && is_label(f->v[i].label, label, n))
            return &f->v[i];
    return NULL;
}

/* How many columns a line has that is a head of this table; 0: it is none. With `out`, their keys. */
static size_t read_head(const struct block *b, const char *line, const char *end, struct str *out)
{
    const char *cell;
    size_t n, keys = 0;
    for (; next_cell(&line, end, &cell, &n); keys++) {
        const struct field *f = field_with_label(b, cell, n);
        if (!f)
            return 0;
        if (out)
            str_printf(out, "%s%s.%s", keys ? "," : "", table_key(b), f->key);
    }
    return keys;
}

struct line {
    const char *at, *end;
};

struct lines {
    struct line *v;
    size_t n, cap;
};

/* Whether a line is the head that this table has anyway. */
static bool is_usual_head(const struct block *b, const char *line, const char *end)
{
    const size_t *order = doc_column_order(b);
    const char *cell;
    size_t n;
    for (size_t i = 0; i < b->result->fields->n; i++) {
        const struct field *f = &b->result->fields->v[order[i]];
        if (doc_column_shown(b, order[i]) &&
            (!next_cell(&line, end, &cell, &n) || !is_label(f->label, cell, n)))
            return false;
    }
    return !next_cell(&line, end, &cell, &n);
}

/* Lines that are a head of some table, and, but for `usual_too`, not one that is there unasked. */
static void find_heads(struct lines *out, const struct doc *d, const char *text, size_t n,
                       bool usual_too)
{
    const char *end = text + n;
    size_t heads = 0;
    for (const char *line = text, *next; line < end && heads < MOST_HEADS; line = next + 1) {
        bool head = false, usual = false;
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next : end;
        for (size_t i = 0; next - line <= LONGEST_HEAD && !usual && i < d->blocks.n; i++) {
            const struct block *b = d->blocks.v[i];
            if (!is_table(b) || read_head(b, line, next, NULL) < 2) /* one word is no head */
                continue;
            head = true;
            usual = is_usual_head(b, line, next);
        }
        heads += head;
        if (head && (usual_too || !usual))
            vec_push(out, d->arena, ((struct line){line, next}));
    }
}

/* Whether two heads begin with the same label, as those of the parts of one table do. */
static bool begin_alike(const struct line *x, const struct line *y)
{
    const char *p = x->at, *q = y->at, *a, *b;
    size_t n, m;
    return next_cell(&p, x->end, &a, &n) && next_cell(&q, y->end, &b, &m) && n == m &&
           !memcmp(a, b, n);
}

/* The longest of them that is one of this table; with `parts`, all that begin like that one. */
static void add_head(struct str *out, const struct block *b, const struct lines *heads, bool parts)
{
    const struct line *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < heads->n; i++) {
        size_t keys = read_head(b, heads->v[i].at, heads->v[i].end, NULL);
        if (keys > most) {
            best = &heads->v[i];
            most = keys;
        }
    }
    if (!best)
        return;
    for (size_t i = 0; i < heads->n; i++) {
        const struct line *h = &heads->v[i];
        if (h != best && !(parts && begin_alike(h, best) && read_head(b, h->at, h->end, NULL)))
            continue;
        if (out->len)
            str_putc(out, ',');
        read_head(b, h->at, h->end, out);
    }
}

const char *columns_of_text(const struct doc *d, const char *text, size_t n, bool parts)
{
    struct str out, seen;
    struct lines heads = {0};
    str_init(&out, d->arena);
    str_init(&seen, d->arena);
    find_heads(&heads, d, text, n < LOOKED_AT ? n : LOOKED_AT, parts);
    for (size_t i = 0; heads.n && i < d->blocks.n; i++) {
        const struct block *b = d->blocks.v[i];
        if (!is_table(b) || value_listed(seen.buf, table_key(b)))
            continue;
        put_key(&seen, table_key(b));
        add_head(&out, b, &heads, parts);
    }
    return out.len ? out.buf : NULL;
}

/* ---- all there are ---- */

struct listed {
    const char *table, *column, *label, *doc;
    bool shown;
};

#define T struct listed
PART(listed_fields, T, FIELD(T, table, FIELD_TEXT, "table", NO_UNIT, "its key", UNCUT),
     FIELD(T, column, FIELD_TEXT, "column", NO_UNIT, "as --columns takes it", UNCUT),
     FIELD(T, label, FIELD_TEXT, "label", NO_UNIT, "over it", UNCUT),
     FIELD(T, shown, FIELD_BOOL, "shown", NO_UNIT, "without being asked for", UNCUT),
     FIELD(T, doc, FIELD_TEXT, "meaning", NO_UNIT, "what is in it"));
#undef T

struct doc *columns_list(const struct doc *from)
{
    struct doc *d = doc_new(from->arena);
    struct str seen;
    VEC(struct listed) rows = {0};
    str_init(&seen, d->arena);
    for (size_t i = 0; i < from->blocks.n; i++) {
        const struct block *b = from->blocks.v[i];
        if (!is_table(b) || value_listed(seen.buf, table_key(b)))
            continue;
        put_key(&seen, table_key(b));
        for (size_t k = 0; k < b->result->fields->n; k++) {
            const struct field *f = &b->result->fields->v[k];
            if (can_be_shown(b, f))
                vec_push(&rows, d->arena,
                         ((struct listed){table_key(b), f->key, f->label, f->doc,
                                          doc_column_shown(b, k)}));
        }
    }
    if (!rows.n)
        doc_text(d, "There is no table here.");
    doc_rows(d, RESULT(listed_fields, rows), &(struct rows){.key = "columns", .wide = true});
    return d;
}
