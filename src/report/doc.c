#include "report/doc.h"

#include <assert.h>
#include <math.h>

#include "base/str.h"
#include "report/value.h"

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

static struct block *last(const struct doc *d, enum block_kind kind)
{
    struct block *b = d->blocks.n ? d->blocks.v[d->blocks.n - 1] : NULL;
    return b && b->kind == kind ? b : NULL;
}

/* ---- headings ---- */

void doc_title(struct doc *d, const char *fmt, ...)
{
    ARENA_FORMATTED(text, d->arena);
    add(d, BLOCK_HEADING, text)->level = 1;
}

void doc_section(struct doc *d, const char *id, const char *nav, const char *fmt, ...)
{
    ARENA_FORMATTED(text, d->arena);
    struct block *b = add(d, BLOCK_HEADING, text);
    b->level = 2;
    b->id = id;
    b->nav = nav;
}

void doc_heading(struct doc *d, int level, const char *fmt, ...)
{
    ARENA_FORMATTED(text, d->arena);
    add(d, BLOCK_HEADING, text)->level = level;
}

void doc_part(struct doc *d, const char *id, const char *title)
{
    doc_heading(d, 3, "%s", title);
    last(d, BLOCK_HEADING)->id = id;
}

void doc_about(struct doc *d, const char *label, const char *fmt, ...)
{
    ARENA_FORMATTED(text, d->arena);
    if (*text)
        vec_push(&d->about, d->arena, ((struct fact){label, text, NULL}));
}

void doc_badge(struct doc *d, enum tone tone, const char *section, const char *fmt, ...)
{
    ARENA_FORMATTED(text, d->arena);
    vec_push(&d->badges, d->arena, ((struct badge){text, section, tone}));
}

/* ---- words ---- */

void doc_text(struct doc *d, const char *fmt, ...)
{
    ARENA_FORMATTED(text, d->arena);
    add(d, BLOCK_TEXT, text);
}

void doc_item(struct doc *d, const char *fmt, ...)
{
    ARENA_FORMATTED(text, d->arena);
    add(d, BLOCK_ITEM, text);
}

void doc_callout(struct doc *d, enum tone tone, const char *fmt, ...)
{
    ARENA_FORMATTED(text, d->arena);
    add(d, BLOCK_CALLOUT, text)->tone = tone;
}

void doc_label(struct doc *d, const char *word)
{
    struct block *b = last(d, BLOCK_CALLOUT);
    if (b)
        b->label = word;
}

void doc_code(struct doc *d, const char *fmt, ...)
{
    ARENA_FORMATTED(text, d->arena);
    add(d, BLOCK_CODE, text);
}

void doc_jump(struct doc *d, int64_t start_ns, int64_t end_ns, const char *kind, int64_t id)
{
    struct jump *j = arena_new(d->arena, struct jump);
    *j = (struct jump){start_ns, end_ns, kind, id};
    if (d->blocks.n)
        d->blocks.v[d->blocks.n - 1]->jump = j;
}

void doc_find(struct doc *d, const char *name)
{
    if (d->blocks.n)
        d->blocks.v[d->blocks.n - 1]->find = name;
}

void doc_link(struct doc *d, const char *fmt, ...)
{
    ARENA_FORMATTED(text, d->arena);
    if (d->blocks.n)
        d->blocks.v[d->blocks.n - 1]->link = text;
}

/* ---- numbers ---- */

static void add_fact(struct doc *d, const char *label, const char *value, const char *doc)
{
    struct block *b = last(d, BLOCK_FACTS);
    if (!b)
        b = add(d, BLOCK_FACTS, "");
    vec_push(&b->facts, d->arena, ((struct fact){label, value, doc}));
}

void doc_fact(struct doc *d, const char *label, const char *fmt, ...)
{
    ARENA_FORMATTED(text, d->arena);
    add_fact(d, label, text, NULL);
}

void doc_explained(struct doc *d, const char *label, const char *doc, const char *fmt, ...)
{
    ARENA_FORMATTED(text, d->arena);
    add_fact(d, label, text, doc);
}

void doc_facts(struct doc *d, const struct result *r, const char *members)
{
    for (size_t i = 0; r && r->n && i < r->fields->n; i++) {
        const struct field *f = &r->fields->v[i];
        if ((!members || value_listed(members, f->key)) && !value_is_empty(f, r->rows))
            add_fact(d, f->label, doc_cell_text(d, f, r->rows), f->doc);
    }
}

void doc_card(struct doc *d, const struct card *c)
{
    struct block *b = last(d, BLOCK_CARDS);
    if (!b)
        b = add(d, BLOCK_CARDS, "");
    vec_push(&b->cards, d->arena, *c);
}

void doc_rows(struct doc *d, const struct result *r, const struct rows *o)
{
    if (!r || !r->n)
        return;
    struct block *b = add(d, BLOCK_TABLE, o->caption);
    struct result *copy = arena_new(d->arena, struct result);
    *copy = *r;
    b->result = copy;
    b->rows = *o;
    if (!b->rows.key)
        b->rows.key = r->fields->key;
}

struct block *doc_bars(struct doc *d, const char *caption, const char *chart)
{
    struct block *b = add(d, BLOCK_BARS, caption);
    b->chart = chart;
    return b;
}

void doc_bar(struct block *bars, enum tone tone, double share, const char *label, const char *fmt,
             ...)
{
    ARENA_FORMATTED(text, bars->arena);
    vec_push(&bars->bars, bars->arena, ((struct bar){label, text, share, tone}));
}

/* ---- pictures ---- */

void doc_chart(struct doc *d, const char *name)
{
    add(d, BLOCK_CHART, "")->chart = name;
}

void doc_timeline(struct doc *d)
{
    add(d, BLOCK_TIMELINE, "")->chart = "timeline";
}

void doc_picture(struct doc *d, const struct draw *picture, const char *lines)
{
    struct block *b = add(d, BLOCK_PICTURE, "");
    b->picture = picture;
    b->lines = lines;
}

/* The caption, and what its shapes say when they are pointed at, each once. */
static const char *in_words(const struct draw *picture, const char *caption, struct arena *a)
{
    struct str s;
    str_init(&s, a);
    str_printf(&s, "%s\n", caption);
    for (size_t i = 0; i < picture->items.n; i++) {
        const struct draw_item *it = &picture->items.v[i];
        bool said = it->kind == DRAW_TEXT || !it->text;
        for (size_t k = 0; k < i && !said; k++)
            said = picture->items.v[k].text && str_eq(picture->items.v[k].text, it->text);
        if (!said)
            str_printf(&s, "  %s\n", it->text);
    }
    return s.buf;
}

void doc_small_picture(struct doc *d, const char *caption, const struct draw *picture)
{
    struct block *b = add(d, BLOCK_PICTURE, caption);
    b->picture = picture;
    b->lines = in_words(picture, caption, d->arena);
    b->beside = true;
}

void doc_drawing(struct doc *d, const char *caption,
                 struct draw *(*draw)(const void *of, int width_px, struct arena *a),
                 const void *of)
{
    struct block *b = add(d, BLOCK_PICTURE, caption);
    b->draw = draw;
    b->of = of;
    b->lines = "";
}

/* ---- folding ---- */

void doc_open(struct doc *d, const struct disclosure *o)
{
    struct disclosure *copy = arena_new(d->arena, struct disclosure);
    *copy = *o;
    add(d, BLOCK_OPEN, o->title)->fold = copy;
}

void doc_close(struct doc *d)
{
    add(d, BLOCK_CLOSE, "");
}

const struct block *doc_title_of(const struct doc *d)
{
    for (size_t i = 0; i < d->blocks.n; i++)
        if (d->blocks.v[i]->kind == BLOCK_HEADING && d->blocks.v[i]->level == 1)
            return d->blocks.v[i];
    return NULL;
}
