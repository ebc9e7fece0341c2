/* Tables: rows of results through their field descriptors, so that no column can be forgotten. */
#include <string.h>

#include "render/html/html_in.h"
#include "report/value.h"

/*
 * Longer texts are shown with a few lines; search and CSV still have all of it. A table with more
 * rows than PAGE_ROWS says so: browsers would not show it, and each row is a kilobyte. The JSON has all.
 */
enum { LONG_TEXT = 200, PAGE_ROWS = 5000 };

struct row {
    const struct block *b;
    const struct fields *f;
    const void *data;
    size_t number;
    const bool *shown;   /* by field */
    const size_t *order; /* by column: which field */
};

static void write_head(struct html *h, const struct row *r)
{
    html_raw(h, "<thead><tr>");
    for (size_t i = 0; i < r->f->n; i++) {
        const struct field *c = &r->f->v[r->order[i]];
        if (value_listed(r->b->rows.never, c->key))
            continue;
        html(h, "<th scope=\"col\" data-key=\"%s\" data-tip=\"%s\"", c->key, c->doc);
        if (!field_is_text(c) || c->right)
            html_raw(h, " class=\"num\"");
        if (c->unit == IN_PERCENT)
            html_raw(h, " data-share");
        html_raw(h, r->shown[r->order[i]] ? ">" : " hidden>");
        html(h, "%s</th>", c->label);
    }
    html_raw(h, "</tr></thead>\n");
}

static int64_t moment(const struct row *r, const char *key)
{
    const struct field *f = fields_find(r->f, key);
    return f ? *(const int64_t *)((const char *)r->data + f->offset) : 0;
}

static void write_value(struct html *h, const struct row *r, const struct field *f)
{
    const struct rows *o = &r->b->rows;
    const char *text = doc_cell_text(h->d, f, r->data);
    bool linked = o->link && !strcmp(o->link, f->key);
    if (linked && o->from)
        html_jump(h, &(struct jump){moment(r, o->from), moment(r, o->to), NULL, 0}, text);
    else if (linked && r->number < o->anchors)
        html(h, "<a href=\"#%s-%zu\">%s</a>", o->anchor, r->number,
             text[strspn(text, " ")] ? text : "(no name)");
    else if (field_is_text(f) && strlen(text) > LONG_TEXT)
        html(h, "<span class=\"clip\">%s</span>", text);
    else
        html(h, "%s", text);
}

static void write_row(struct html *h, const struct row *r)
{
    const struct field *depth = r->b->rows.depth ? fields_find(r->f, r->b->rows.depth) : NULL;
    char exact[VALUE_MAX]; /* for sorting and CSV */
    bool first = true;
    if (depth)
        html(h, "<tr data-depth=\"%.0f\">", field_number(depth, r->data));
    else
        html_raw(h, "<tr>");
    for (size_t i = 0; i < r->f->n; i++) {
        const struct field *f = &r->f->v[r->order[i]];
        if (value_listed(r->b->rows.never, f->key))
            continue;
        html_raw(h, first ? "<th scope=\"row\"" : "<td");
        if (field_is_text(f))
            html_raw(h, f->right ? " class=\"num\"" : " class=\"name\"");
        else
            html(h, " class=\"num\" data-v=\"%s\"", value_exact(field_get(f, r->data), exact));
        html_raw(h, r->shown[r->order[i]] ? ">" : " hidden>");
        write_value(h, r, f);
        html_raw(h, first ? "</th>" : "</td>");
        first = false;
    }
    html_raw(h, "</tr>\n");
}

void html_table(struct html *h, const struct block *b)
{
    const struct result *r = b->result;
    const struct rows *o = &b->rows;
    size_t most = o->most ? o->most : PAGE_ROWS, n = r->n > most ? most : r->n;
    const char *caption = b->text ? b->text : r->fields->doc;
    bool *shown = arena_array(h->arena, bool, r->fields->n);
    struct row row = {.b = b, .f = r->fields, .shown = shown, .order = doc_column_order(b)};
    for (size_t i = 0; i < r->fields->n; i++)
        shown[i] = doc_column_shown(b, i);
    html(h, "<div class=\"table\" data-name=\"%s\">\n", o->key);
    html(h, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n",
         *caption ? caption : "Table");
    html(h, "<table id=\"table-%s\"", o->key);
    html(h, "%s>\n<caption>%s", o->depth ? " data-tree" : "", caption);
    if (n < r->n)
        html(h, " (%zu of %zu rows)", n, r->n);
    html_raw(h, "</caption>\n");
    write_head(h, &row);
    html_raw(h, "<tbody>\n");
    for (size_t i = 0; i < n; i++) {
        row.data = (const char *)r->rows + i * r->fields->row_size;
        row.number = i;
        write_row(h, &row);
    }
    html_raw(h, "</tbody>\n</table>\n</div>\n</div>\n");
}
