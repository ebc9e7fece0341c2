#include "report/doc.h"

#include <stdarg.h>

#include "base/str.h"

static const char *format(struct arena *a, const char *fmt, va_list ap)
{
    struct str s;
    str_init(&s, a);
    str_vprintf(&s, fmt, ap);
    return s.buf;
}

struct doc *doc_new(struct arena *a)
{
    struct doc *d = arena_new(a, struct doc);
    d->arena = a;
    return d;
}

static struct block *add(struct doc *d, enum block_kind kind, const char *text)
{
    struct block *b = arena_new(d->arena, struct block);
    b->kind = kind;
    b->text = text;
    b->arena = d->arena;
    vec_push(&d->blocks, d->arena, b);
    return b;
}

#define ADD_FORMATTED(d, kind)                                                                     \
    va_list ap;                                                                                    \
    va_start(ap, fmt);                                                                             \
    struct block *b = add(d, kind, format((d)->arena, fmt, ap));                                   \
    va_end(ap);

void doc_heading(struct doc *d, int level, const char *fmt, ...)
{
    ADD_FORMATTED(d, BLOCK_HEADING)
    b->level = level;
}

void doc_text(struct doc *d, const char *fmt, ...)
{
    ADD_FORMATTED(d, BLOCK_TEXT)
    b->level = 0;
}

void doc_item(struct doc *d, const char *fmt, ...)
{
    ADD_FORMATTED(d, BLOCK_ITEM)
    b->level = 0;
}

void doc_callout(struct doc *d, enum tone tone, const char *fmt, ...)
{
    ADD_FORMATTED(d, BLOCK_CALLOUT)
    b->tone = tone;
}

void doc_code(struct doc *d, const char *fmt, ...)
{
    ADD_FORMATTED(d, BLOCK_CODE)
    b->level = 0;
}

void doc_fact(struct doc *d, const char *label, const char *fmt, ...)
{
    struct block *last = d->blocks.n ? d->blocks.v[d->blocks.n - 1] : NULL;
    if (!last || last->kind != BLOCK_FACTS)
        last = add(d, BLOCK_FACTS, "");
    va_list ap;
    va_start(ap, fmt);
    struct fact f = {label, format(d->arena, fmt, ap), TONE_PLAIN};
    va_end(ap);
    vec_push(&last->facts, d->arena, f);
}

void doc_picture(struct doc *d, const struct draw *picture, const char *lines)
{
    add(d, BLOCK_PICTURE, lines)->picture = picture;
}

void doc_chart(struct doc *d, const char *name)
{
    if (d->blocks.n)
        d->blocks.v[d->blocks.n - 1]->chart = name;
}

struct block *doc_table(struct doc *d, const char *caption)
{
    return add(d, BLOCK_TABLE, caption);
}

void doc_column(struct block *table, const char *title, enum column_kind kind)
{
    vec_push(&table->columns, table->arena, ((struct column){title, kind}));
}

void doc_cell(struct block *table, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = format(table->arena, fmt, ap);
    va_end(ap);
    vec_push(&table->cells, table->arena, text);
}

struct block *doc_bars(struct doc *d, const char *caption)
{
    return add(d, BLOCK_BARS, caption);
}

void doc_bar(struct block *bars, enum tone tone, double share, const char *label, const char *fmt,
             ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct bar b = {label, format(bars->arena, fmt, ap), share, tone};
    va_end(ap);
    vec_push(&bars->bars, bars->arena, b);
}
