/* Tables and lists of facts, from field descriptors: no column can be forgotten or renamed. */
#include <string.h>

#include "render/html_in.h"

/* Longer texts are shown with a few lines; search and CSV still have all of it. */
enum { LONG_TEXT = 200 };

const struct result *html_result(const struct html *h, const char *key)
{
    return results_find(&h->results, key);
}

/* Whether a list of words, divided by spaces, has this one. */
static bool listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; p && *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (strcspn(p, " ") == n && !strncmp(p, word, n))
            return true;
    return false;
}

/* ---- tables ---- */

/* The label, with the unit where values do not show it or where two columns share a label. */
static const char *title_of(struct html *h, const struct fields *f, size_t i)
{
    const char *unit = f->v[i].unit;
    bool needed = *unit && !listed("ns bytes %", unit);
    for (size_t k = 0; k < f->n; k++)
        needed |= k != i && *unit && !strcmp(f->v[k].label, f->v[i].label) && strcmp(unit, "ns");
    return needed ? arena_printf(h->arena, "%s, %s", f->v[i].label, unit) : f->v[i].label;
}

static void write_head(struct html *h, const struct html_table *t, const struct fields *f)
{
    html_raw(h, "<thead><tr>");
    for (size_t i = 0; i < f->n; i++) {
        const struct field *c = &f->v[i];
        if (listed(t->never, c->key))
            continue;
        bool hidden = t->shown && !listed(t->shown, c->key);
        html(h, "<th scope=\"col\" data-key=\"%s\" data-tip=\"%s\"", c->key, c->doc);
        if (!field_is_text(c))
            html_raw(h, " class=\"num\"");
        if (!strcmp(c->unit, "%"))
            html_raw(h, " data-share");
        html_raw(h, hidden ? " hidden>" : ">");
        html(h, "%s</th>", title_of(h, f, i));
    }
    html_raw(h, "</tr></thead>\n");
}

struct row {
    const struct html_table *t;
    const struct fields *f;
    const void *data;
    size_t number;
};

static int64_t moment(const struct row *r, const char *key)
{
    for (size_t i = 0; i < r->f->n; i++)
        if (!strcmp(r->f->v[i].key, key))
            return *(const int64_t *)((const char *)r->data + r->f->v[i].offset);
    return 0;
}

static void write_value(struct html *h, const struct row *r, const struct field *f)
{
    const char *text = field_text(f, r->data, h->arena);
    if (listed(r->t->moments, f->key))
        text = html_ns(h, sub_ns(moment(r, f->key), h->a->view.start_ns));
    bool linked = r->t->link && !strcmp(r->t->link, f->key);
    if (linked && r->t->from)
        html_jump(h, moment(r, r->t->from), moment(r, r->t->to), NULL, 0, text);
    else if (linked && r->number < r->t->anchors)
        html(h, "<a href=\"#%s-%zu\">%s</a>", r->t->anchor, r->number,
             text[strspn(text, " ")] ? text : "(no name)");
    else if (field_is_text(f) && strlen(text) > LONG_TEXT)
        html(h, "<span class=\"clip\">%s</span>", text);
    else
        html(h, "%s", text);
}

static void write_cell(struct html *h, const struct row *r, const struct field *f, bool first)
{
    char buf[VALUE_MAX];
    bool hidden = r->t->shown && !listed(r->t->shown, f->key);
    html_raw(h, first ? "<th scope=\"row\"" : "<td");
    if (field_is_text(f))
        html_raw(h, " class=\"name\"");
    else
        html(h, " class=\"num\" data-v=\"%s\"", value_exact(field_get(f, r->data), buf));
    html_raw(h, hidden ? " hidden>" : ">");
    write_value(h, r, f);
    html_raw(h, first ? "</th>" : "</td>");
}

static void write_row(struct html *h, const struct row *r)
{
    bool first = true;
    if (r->t->tree)
        html(h, "<tr data-depth=\"%u\">", ((const struct marker_row *)r->data)->depth);
    else
        html_raw(h, "<tr>");
    for (size_t i = 0; i < r->f->n; i++) {
        if (listed(r->t->never, r->f->v[i].key))
            continue;
        write_cell(h, r, &r->f->v[i], first);
        first = false;
    }
    html_raw(h, "</tr>\n");
}

void html_table_of(struct html *h, const struct html_table *t, const struct result *r)
{
    const struct fields *f = r->fields;
    size_t n = t->most && r->n > t->most ? t->most : r->n;
    if (!n)
        return;
    const char *caption = t->caption ? t->caption : f->doc;
    html(h, "<div class=\"table\" data-name=\"%s\">\n", t->key);
    html(h, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n", caption);
    html(h, "<table id=\"table-%s\"", t->key);
    if (t->tree)
        html_raw(h, " data-tree");
    html(h, ">\n<caption>%s", caption);
    if (n < r->n)
        html(h, " (%zu of %zu rows)", n, r->n);
    html_raw(h, "</caption>\n");
    write_head(h, t, f);
    html_raw(h, "<tbody>\n");
    for (size_t i = 0; i < n; i++) {
        struct row row = {t, f, (const char *)r->rows + i * f->row_size, i};
        write_row(h, &row);
    }
    html_raw(h, "</tbody>\n</table>\n</div>\n</div>\n");
}

void html_table(struct html *h, const struct html_table *t)
{
    const struct result *r = html_result(h, t->key);
    if (r)
        html_table_of(h, t, r);
}

void html_facts(struct html *h, const char *key, const char *members)
{
    const struct result *r = html_result(h, key);
    if (!r || !r->n)
        return;
    html_raw(h, "<dl class=\"facts\">\n");
    for (size_t i = 0; i < r->fields->n; i++) {
        const struct field *f = &r->fields->v[i];
        if (members && !listed(members, f->key))
            continue;
        html(h, "<div><dt>%s ", title_of(h, r->fields, i));
        html_tip(h, f->label, f->doc);
        html(h, "</dt><dd>%s</dd></div>\n", field_text(f, r->rows, h->arena));
    }
    html_raw(h, "</dl>\n");
}
