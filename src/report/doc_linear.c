/* A doc as one thing after the other: for media that cannot fold, link or offer columns. */
#include <string.h>

#include "analyze/analysis.h"
#include "base/human.h"
#include "base/str.h"
#include "model/names.h"
#include "report/doc.h"
#include "report/value.h"

static struct block *add(struct doc *to, const struct block *b)
{
    struct block *copy = arena_new(to->arena, struct block);
    *copy = *b;
    copy->arena = to->arena;
    vec_push(&to->blocks, to->arena, copy);
    return copy;
}

const char *doc_jump_text(const struct doc *d, const struct jump *j)
{
    char at[HUMAN_MAX];
    human_time(at, sub_ns(j->start_ns, d->a ? d->a->view.start_ns : 0));
    return j->kind ? arena_printf(d->arena, "%s %lld, at %s", j->kind, (long long)j->id, at)
                   : arena_printf(d->arena, "at %s", at);
}

/* ---- tables ---- */

static const void *row_of(const struct block *b, size_t i)
{
    return (const char *)b->result->rows + i * b->result->fields->row_size;
}

bool doc_column_shown(const struct block *b, size_t field)
{
    const struct field *f = &b->result->fields->v[field];
    if (value_listed(b->rows.never, f->key) ||
        (b->rows.shown && !value_listed(b->rows.shown, f->key)))
        return false;
    if (value_listed(b->rows.asked, f->key))
        return true;
    for (size_t i = 0; i < b->result->n && !b->rows.empty_too; i++)
        if (!value_is_empty(f, row_of(b, i)))
            return true;
    return b->rows.empty_too;
}

const size_t *doc_column_order(const struct block *b)
{
    const struct fields *f = b->result->fields;
    size_t *order = arena_array(b->arena, size_t, f->n), at = 0;
    for (size_t i = 0; i < f->n; i++)
        order[i] = i;
    for (const char *p = b->rows.shown; p && *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        const struct field *next = fields_find(f, arena_strndup(b->arena, p, strcspn(p, " ")));
        while (next && at < f->n && !value_listed(b->rows.shown, f->v[at].key))
            at++;
        if (next && at < f->n)
            order[at++] = (size_t)(next - f->v);
    }
    return order;
}

const char *doc_cell_text(const struct doc *d, const struct field *f, const void *row)
{
    if (f->style == STYLE_MOMENT)
        return value_ns(d->arena, sub_ns(field_get(f, row).i, d->a ? d->a->view.start_ns : 0));
    return field_text(f, row, d->arena);
}

/* A line of text has no room for all of a kernel's name, and a gap in it would say nothing. */
static const char *cell(const struct doc *d, const struct block *b, const struct field *f,
                        const void *row)
{
    const char *text = doc_cell_text(d, f, row);
    if (value_listed(b->rows.names, f->key))
        text = name_short(d->arena, name_demangle(d->arena, text));
    return *text || f->style == STYLE_EXACT ? text : "-";
}

static int indent(const struct block *b, const void *row)
{
    const struct field *f = b->rows.depth ? fields_find(b->result->fields, b->rows.depth) : NULL;
    double depth = f ? field_number(f, row) : 0;
    return depth < 10 ? 2 * (int)depth : 20;
}

static const char *caption(const struct doc *d, const struct block *b, size_t n)
{
    const char *doc = d->detailed ? b->result->fields->doc : "", *text = b->text ? b->text : doc;
    if (n == b->result->n)
        return text;
    return arena_printf(d->arena, "%zu of %zu%s%s", n, b->result->n, *text ? "; " : "", text);
}

/* How many rows there is room for. */
static size_t printed(const struct block *b)
{
    size_t n = b->result->n, top = b->rows.top, marked = 0;
    for (size_t i = 0; b->rows.printed && i < n; i++)
        marked += b->rows.printed[i];
    return b->rows.printed ? marked : top && top < n ? top : n;
}

static void column(struct block *t, const struct field *f)
{
    bool whole = f->whole || t->rows.wide;
    enum column_kind kind = !field_is_text(f) || f->right ? COLUMN_NUMBER
                            : whole                       ? COLUMN_KEEP
                                                          : COLUMN_TEXT;
    vec_push(&t->columns, t->arena, ((struct column){f->label, kind}));
}

static void table(struct doc *to, const struct doc *d, const struct block *b)
{
    const struct fields *fields = b->result->fields;
    const size_t *order = doc_column_order(b);
    size_t n = printed(b);
    bool *shown = arena_array(d->arena, bool, fields->n);
    struct block *t = add(to, b);
    t->text = caption(d, b, n);
    for (size_t k = 0; k < fields->n; k++) {
        shown[k] = doc_column_shown(b, order[k]);
        if (shown[k])
            column(t, &fields->v[order[k]]);
    }
    for (size_t i = 0; i < (b->rows.printed ? b->result->n : n); i++)
        for (size_t k = 0, first = 1; k < fields->n; k++) {
            const struct field *v = &fields->v[order[k]];
            bool deep = first && v->type == FIELD_TEXT;
            if (!shown[k] || (b->rows.printed && !b->rows.printed[i]))
                continue;
            const char *text = cell(d, b, v, row_of(b, i));
            int depth = deep ? indent(b, row_of(b, i)) : 0;
            vec_push(&t->cells, t->arena,
                     depth ? arena_printf(t->arena, "%*s%s", depth, "", text) : text);
            first &= !deep;
        }
}

/* ---- the others ---- */

static void cards(struct doc *to, const struct block *b)
{
    for (size_t i = 0; i < b->cards.n; i++) {
        const struct card *c = &b->cards.v[i];
        bool noted = c->note && *c->note;
        doc_fact(to, c->label, "%s%s%s", c->value, noted ? "; " : "", noted ? c->note : "");
    }
}

static size_t end_of(const struct doc *d, size_t i)
{
    for (size_t depth = 0; i < d->blocks.n; i++) {
        depth += d->blocks.v[i]->kind == BLOCK_OPEN;
        if (d->blocks.v[i]->kind == BLOCK_CLOSE && --depth == 0)
            break;
    }
    return i;
}

/* Returns the last block that is dealt with. */
static size_t fold(struct doc *to, const struct doc *d, size_t i)
{
    const struct disclosure *o = d->blocks.v[i]->fold;
    if (o->brief && !d->detailed) {
        if (*o->brief)
            doc_item(to, "%s", o->brief);
        return end_of(d, i);
    }
    const char *number = o->number ? arena_printf(to->arena, "%zu. ", o->number) : "";
    doc_heading(to, 3, "%s%s%s%s%s%s%s%s", number, o->badge ? "[" : "", o->badge ? o->badge : "",
                o->badge ? "] " : "", o->title, o->cost ? " (" : "", o->cost ? o->cost : "",
                o->cost ? ")" : "");
    if (d->detailed) /* no end of the part it stands in */
        to->blocks.v[to->blocks.n - 1]->fold = o;
    return i;
}

static void about(struct doc *to, const struct doc *d)
{
    struct str s;
    if (!d->about.n)
        return;
    str_init(&s, d->arena);
    for (size_t i = 0; i < d->about.n; i++)
        str_printf(&s, "%s%s %s", i ? " · " : "", d->about.v[i].label, d->about.v[i].value);
    for (size_t i = 0; i < d->badges.n && d->detailed; i++)
        str_printf(&s, " · %s", d->badges.v[i].text);
    doc_text(to, "%s", s.buf);
}

/* What stands under the title needs no heading of its own, unless it was asked for by name. */
static void heading(struct doc *to, const struct doc *d, size_t i)
{
    const struct block *before = i ? d->blocks.v[i - 1] : NULL;
    bool first = before && before->kind == BLOCK_HEADING && before->level == 1;
    if (!first || d->detailed || d->blocks.v[i]->level != 2)
        add(to, d->blocks.v[i]);
    if (d->blocks.v[i]->level == 1)
        about(to, d);
}

/* Headings under which nothing is left. */
static void drop_empty(struct doc *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->blocks.n; i++) {
        const struct block *b = d->blocks.v[i], *next = NULL;
        if (i + 1 < d->blocks.n)
            next = d->blocks.v[i + 1];
        bool empty =
            b->kind == BLOCK_HEADING && b->level > 2 &&
            (!next || (next->kind == BLOCK_HEADING && !next->fold && next->level <= b->level));
        if (!empty)
            d->blocks.v[kept++] = d->blocks.v[i];
    }
    d->blocks.n = kept;
}

const struct doc *doc_linear(const struct doc *d)
{
    struct doc *to = doc_new(d->arena);
    to->a = d->a;
    for (size_t i = 0; i < d->blocks.n; i++) {
        const struct block *b = d->blocks.v[i];
        if (b->kind == BLOCK_HEADING)
            heading(to, d, i);
        else if (b->kind == BLOCK_OPEN)
            i = fold(to, d, i);
        else if (b->kind == BLOCK_CARDS)
            cards(to, b);
        else if (b->kind == BLOCK_TABLE)
            table(to, d, b);
        else if (b->kind != BLOCK_CLOSE) {
            struct block *copy = add(to, b);
            if (b->kind == BLOCK_TIMELINE)
                copy->kind = BLOCK_CHART;
            if (b->kind == BLOCK_CALLOUT && b->label && d->detailed)
                copy->text = arena_printf(d->arena, "%s: %s", b->label, b->text);
            if (b->jump)
                copy->text = arena_printf(d->arena, "%s (%s)", b->text, doc_jump_text(d, b->jump));
        }
    }
    drop_empty(to);
    return to;
}

bool doc_is_bare(const struct doc *linear, size_t heading)
{
    for (size_t i = heading + 1; i < linear->blocks.n; i++) {
        const struct block *b = linear->blocks.v[i];
        if (b->kind == BLOCK_HEADING && !(b->fold && !linear->blocks.v[heading]->fold) &&
            b->level <= linear->blocks.v[heading]->level)
            return true;
        if (b->kind != BLOCK_HEADING && b->kind != BLOCK_CHART &&
            !(b->kind == BLOCK_PICTURE && !*b->lines))
            return false;
    }
    return true;
}
