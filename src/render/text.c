#include <math.h>
#include <string.h>

#include "base/sat.h"
#include "base/utf8.h"
#include "render/render.h"
#include "render/tell_apart.h"

enum { GAP = 2, LEAST_TEXT_COLUMN = 12, MOST_BAR = 24, LEAST_BAR = 8, LEAST_PIECE = 16 };
enum { TEXT_PART = 3 }; /* of a divided table: a text may take a third of the page */

struct text {
    struct str *out;
    const struct render_opts *o;
    struct arena *arena;
    enum block_kind after; /* kind of the block before */
};

static const char *color_of(enum tone tone)
{
    static const char *const codes[] = {[TONE_PLAIN] = "",
                                        [TONE_GOOD] = "\033[32m",
                                        [TONE_WARN] = "\033[33m",
                                        [TONE_BAD] = "\033[31m",
                                        [TONE_INFO] = "\033[36m"};
    return codes[tone];
}

static void style(struct text *t, const char *code)
{
    if (t->o->color && *code)
        str_puts(t->out, code);
}

static const char *escaped(struct text *t, const char *s)
{
    struct str e;
    str_init(&e, t->arena);
    utf8_escape(&e, s, strlen(s));
    return e.buf;
}

static size_t page_width(const struct text *t)
{
    return t->o->columns < 40 ? 40 : (size_t)t->o->columns;
}

/* Writes a word that is longer than a line, in pieces. */
static size_t put_long_word(struct text *t, const char *word, size_t at, size_t indent)
{
    size_t width = page_width(t), n = strlen(word);
    for (size_t i = 0, len; i < n; i += len) {
        size_t w = (size_t)utf8_cell_width(utf8_decode(word + i, n - i, &len));
        if (at + w > width) {
            str_putc(t->out, '\n');
            str_fill(t->out, ' ', indent);
            at = indent;
        }
        str_put(t->out, word + i, len);
        at += w;
    }
    return at;
}

/* Writes words of s, wrapped; following lines start with `indent` spaces. */
static void wrapped(struct text *t, const char *s, size_t at, size_t indent)
{
    size_t width = page_width(t);
    bool first = true;
    while (*(s += strspn(s, " "))) {
        size_t n = strcspn(s, " ");
        const char *word = arena_strndup(t->arena, s, n);
        size_t w = utf8_width(word);
        bool fits = indent + w <= width;
        if (!first && at + 1 + w > width && (fits || width - at < LEAST_PIECE)) {
            str_putc(t->out, '\n');
            str_fill(t->out, ' ', indent);
            at = indent;
        } else if (!first) {
            str_putc(t->out, ' ');
            at++;
        }
        at = put_long_word(t, word, at, indent);
        s += n;
        first = false;
    }
    str_putc(t->out, '\n');
}

static void pad(struct text *t, const char *s, size_t width, bool right)
{
    size_t w = utf8_width(s);
    if (right && w < width)
        str_fill(t->out, ' ', width - w);
    str_puts(t->out, s);
    if (!right && w < width)
        str_fill(t->out, ' ', width - w);
}

static void heading(struct text *t, const struct block *b)
{
    const char *s = escaped(t, b->text);
    if (t->out->len && (b->level < 4 || t->after == BLOCK_TABLE || t->after == BLOCK_BARS))
        str_putc(t->out, '\n');
    style(t, "\033[1m");
    if (t->o->divide && b->level > 1)
        wrapped(t, s, 0, 0);
    else
        str_printf(t->out, "%s\n", s);
    style(t, "\033[0m");
    if (b->level == 1) {
        for (size_t i = utf8_width(s); i > 0; i--)
            str_puts(t->out, "═");
        str_putc(t->out, '\n');
    }
}

/* As they are, but for what a terminal must not see. */
static void lines(struct text *t, const char *text)
{
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "\n");
        str_printf(t->out, "  %s\n", escaped(t, arena_strndup(t->arena, p, n)));
        p += n + (p[n] == '\n');
    }
}

static void callout(struct text *t, const struct block *b)
{
    static const char *const signs[] = {[TONE_PLAIN] = "•",
                                        [TONE_GOOD] = "✓",
                                        [TONE_WARN] = "!",
                                        [TONE_BAD] = "✗",
                                        [TONE_INFO] = "i"};
    style(t, color_of(b->tone));
    str_printf(t->out, "%s ", signs[b->tone]);
    wrapped(t, escaped(t, b->text), 2, 2);
    style(t, b->tone == TONE_PLAIN ? "" : "\033[0m");
}

/* Numbers that stand for themselves, in as few lines as they take. */
static void numbers(struct text *t, const struct block *b)
{
    size_t at = 0, width = page_width(t);
    for (size_t i = 0; i < b->facts.n; i++) {
        const char *s =
            arena_printf(t->arena, "%s %s", b->facts.v[i].label, escaped(t, b->facts.v[i].value));
        size_t w = utf8_width(s);
        if (at && at + 3 + w <= width) {
            str_printf(t->out, " · %s", s);
            at += 3 + w;
            continue;
        }
        str_puts(t->out, at ? "\n  " : "  ");
        at = GAP + w <= width ? GAP + w : 0;
        if (at)
            str_puts(t->out, s);
        else
            wrapped(t, s, GAP, GAP);
    }
    if (at)
        str_putc(t->out, '\n');
}

static void facts(struct text *t, const struct block *b)
{
    bool explained = true;
    for (size_t i = 0; i < b->facts.n; i++)
        explained &= b->facts.v[i].doc != NULL;
    if (explained) {
        numbers(t, b);
        return;
    }
    size_t widest = 0;
    for (size_t i = 0; i < b->facts.n; i++) {
        size_t w = utf8_width(b->facts.v[i].label);
        widest = w > widest ? w : widest;
    }
    for (size_t i = 0; i < b->facts.n; i++) {
        str_puts(t->out, "  ");
        pad(t, b->facts.v[i].label, widest + GAP, false);
        wrapped(t, escaped(t, b->facts.v[i].value), widest + 2 + GAP, widest + 2 + GAP);
    }
}

/* As wide as their cells. */
static void measure(const struct block *b, const char *const *cells, double *width)
{
    size_t n = b->columns.n;
    for (size_t c = 0; c < n; c++)
        width[c] = (double)utf8_width(b->columns.v[c].title);
    for (size_t i = 0; i < b->cells.n; i++)
        width[i % n] = fmax(width[i % n], (double)utf8_width(cells[i]));
}

/* Columns of text are cut until the page fits; false: it does not. */
static bool fit(const struct text *t, const struct block *b, double *width)
{
    size_t n = b->columns.n;
    double total = 0;
    for (size_t c = 0; c < n; c++)
        total += width[c] + GAP;
    for (; total > (double)page_width(t); total--) {
        size_t widest = n;
        for (size_t c = 0; c < n; c++)
            if (b->columns.v[c].kind == COLUMN_TEXT && width[c] > LEAST_TEXT_COLUMN &&
                (widest == n || width[c] > width[widest]))
                widest = c;
        if (widest == n)
            return false;
        width[widest]--;
    }
    return true;
}

/* In parts there is room for more of a text than in one line with all others. */
static void widen(const struct text *t, const struct block *b, const char *const *cells,
                  double *width)
{
    measure(b, cells, width);
    for (size_t c = 0; c < b->columns.n; c++)
        if (b->columns.v[c].kind == COLUMN_TEXT)
            width[c] = fmin(width[c], floor((double)page_width(t) / TEXT_PART));
}

static void table_row(struct text *t, const struct block *b, const char *const *cells,
                      const struct table_part *part)
{
    for (size_t i = 0; i < part->n; i++) {
        size_t c = part->shown[i], width = (size_t)part->width[c];
        bool number = b->columns.v[c].kind == COLUMN_NUMBER;
        str_fill(t->out, ' ', GAP);
        struct str cut;
        str_init(&cut, t->arena);
        utf8_clip(&cut, cells[c], width);
        if (i + 1 == part->n && !number)
            str_puts(t->out, cut.buf);
        else
            pad(t, cut.buf, width, number);
    }
    str_putc(t->out, '\n');
}

static void table_parts(struct text *t, const struct block *b, const char *const *cells,
                        struct table_part *part)
{
    size_t n = b->columns.n;
    const char **titles = arena_array(t->arena, const char *, n);
    for (size_t c = 0; c < n; c++)
        titles[c] = b->columns.v[c].title;
    for (size_t from = 0, next; from < n; from = next) {
        next = doc_table_part(part, b, from);
        if (from)
            str_putc(t->out, '\n');
        style(t, "\033[2m");
        table_row(t, b, titles, part);
        style(t, "\033[0m");
        for (size_t i = 0; i + n <= b->cells.n; i += n)
            table_row(t, b, cells + i, part);
    }
}

static void table(struct text *t, const struct block *b)
{
    size_t n = b->columns.n;
    if (!n)
        return;
    const char **cells = arena_array(t->arena, const char *, b->cells.n);
    double *width = arena_array(t->arena, double, n);
    struct table_part part = {
        .width = width, .gap = GAP, .room = INFINITY, .shown = arena_array(t->arena, size_t, n)};
    for (size_t i = 0; i < b->cells.n; i++)
        cells[i] = escaped(t, b->cells.v[i]);
    measure(b, cells, width);
    if (!fit(t, b, width) && t->o->divide) {
        widen(t, b, cells, width);
        part.room = (double)page_width(t) - GAP;
    }
    for (size_t c = 0; c < n; c++)
        if (b->columns.v[c].kind == COLUMN_TEXT)
            tell_apart(cells + c, b->cells.n / n, n, (size_t)width[c], t->arena);
    table_parts(t, b, cells, &part);
    if (b->text && *b->text) {
        str_puts(t->out, "  ");
        wrapped(t, escaped(t, b->text), 2, 2);
    }
}

/* A bar of eighths of a character, so that small shares still show. */
static void draw_bar(struct text *t, double share, size_t width)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(share >= 0))
        share = 0;
    if (share > 1)
        share = 1;
    size_t eighths = count_from(round(share * (double)width * 8));
    if (share > 0 && !eighths)
        eighths = 1;
    for (size_t i = 0; i < eighths / 8; i++)
        str_puts(t->out, "█");
    str_puts(t->out, parts[eighths % 8]);
    str_fill(t->out, ' ', width - (eighths + 7) / 8);
}

static void bars(struct text *t, const struct block *b)
{
    size_t widest = 0, value = 0;
    for (size_t i = 0; i < b->bars.n; i++) {
        size_t w = utf8_width(escaped(t, b->bars.v[i].label));
        widest = w > widest ? w : widest;
        w = utf8_width(escaped(t, b->bars.v[i].value));
        value = w > value ? w : value;
    }
    size_t others = widest + value + 3 * (size_t)GAP, room = page_width(t);
    size_t bar = others + LEAST_BAR > room  ? LEAST_BAR
                 : others + MOST_BAR > room ? room - others
                                            : MOST_BAR;
    for (size_t i = 0; i < b->bars.n; i++) {
        str_puts(t->out, "  ");
        pad(t, escaped(t, b->bars.v[i].label), widest, false);
        str_puts(t->out, "  ");
        style(t, color_of(b->bars.v[i].tone));
        draw_bar(t, b->bars.v[i].share, bar);
        style(t, b->bars.v[i].tone == TONE_PLAIN ? "" : "\033[0m");
        str_printf(t->out, "  %s\n", escaped(t, b->bars.v[i].value));
    }
}

static void render_block(struct text *t, const struct block *b)
{
    switch (b->kind) {
    case BLOCK_HEADING:
        heading(t, b);
        break;
    case BLOCK_TEXT:
        wrapped(t, escaped(t, b->text), 0, 0);
        break;
    case BLOCK_ITEM:
        str_puts(t->out, "  - ");
        wrapped(t, escaped(t, b->text), 4, 4);
        break;
    case BLOCK_FACTS:
        facts(t, b);
        break;
    case BLOCK_TABLE:
        table(t, b);
        break;
    case BLOCK_CALLOUT:
        callout(t, b);
        break;
    case BLOCK_CODE:
        str_printf(t->out, "      %s\n", escaped(t, b->text));
        break;
    case BLOCK_BARS:
        bars(t, b);
        break;
    case BLOCK_PICTURE:
        lines(t, b->lines);
        break;
    default: /* charts: their numbers are in the tables */
        break;
    }
}

void render_text(struct str *out, const struct doc *d, const struct render_opts *o)
{
    struct text t = {out, o, d->arena, BLOCK_TEXT};
    d = doc_linear(d);
    for (size_t i = 0; i < d->blocks.n; i++) {
        if (d->blocks.v[i]->kind != BLOCK_HEADING || d->blocks.v[i]->level == 1 ||
            !doc_is_bare(d, i))
            render_block(&t, d->blocks.v[i]);
        t.after = d->blocks.v[i]->kind;
    }
}
