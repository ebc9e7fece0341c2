/* Tables and lists of facts, from field descriptors: no column can be forgotten or renamed. */
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "base/sat.h"
#include "render/fields_json.h"
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

static bool is_text(const struct field *f)
{
    return f->type == FIELD_TEXT || f->type == FIELD_BOOL;
}

/* ---- one value ---- */

static double number_of(const struct field *f, const void *row)
{
    const char *p = (const char *)row + f->offset;
    switch (f->type) {
    case FIELD_I64:
        return (double)*(const int64_t *)p;
    case FIELD_U64:
        return (double)*(const uint64_t *)p;
    case FIELD_U32:
        return *(const uint32_t *)p;
    case FIELD_I32:
        return *(const int32_t *)p;
    case FIELD_NUM:
        return *(const double *)p;
    default:
        return NAN;
    }
}

static const char *text_of(const struct field *f, const void *row)
{
    const char *p = (const char *)row + f->offset;
    if (f->type == FIELD_BOOL)
        return *(const bool *)p ? "yes" : "no";
    const char *s = *(const char *const *)p;
    return s ? s : "";
}

/* As people read it. */
static const char *shown_as(struct html *h, const struct field *f, const void *row)
{
    double v = number_of(f, row);
    if (!isfinite(v))
        return "–";
    if (!strcmp(f->unit, "ns"))
        return html_ns(h, ns_from(v));
    if (!strcmp(f->unit, "bytes"))
        return arena_printf(h->arena, "%s%s", v < 0 ? "-" : "", html_bytes(h, count_from(fabs(v))));
    if (!strcmp(f->unit, "%"))
        return html_pct(h, v);
    if (f->type == FIELD_NUM)
        return arena_printf(h->arena, fabs(v) >= 1000 ? "%.0f" : "%.4g", v);
    if (f->type == FIELD_I32 && v < 0)
        return "–";
    if (f->type == FIELD_U64 || f->type == FIELD_U32)
        return html_count(h, count_from(v));
    return arena_printf(h->arena, "%.0f", v); /* a number that names something */
}

/* The exact value, for sorting and CSV. */
static const char *exact(struct html *h, const struct field *f, const void *row)
{
    const char *p = (const char *)row + f->offset;
    switch (f->type) {
    case FIELD_I64:
        return arena_printf(h->arena, "%lld", (long long)*(const int64_t *)p);
    case FIELD_U64:
        return arena_printf(h->arena, "%llu", (unsigned long long)*(const uint64_t *)p);
    case FIELD_NUM:
        return !isfinite(*(const double *)p) ? ""
                                             : arena_printf(h->arena, "%.17g", *(const double *)p);
    default:
        return arena_printf(h->arena, "%.0f", number_of(f, row));
    }
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
        if (!is_text(c))
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
    const char *text = is_text(f) ? text_of(f, r->data) : shown_as(h, f, r->data);
    if (listed(r->t->moments, f->key))
        text = html_ns(h, sub_ns(moment(r, f->key), h->a->view.start_ns));
    bool linked = r->t->link && !strcmp(r->t->link, f->key);
    if (linked && r->t->from)
        html_jump(h, moment(r, r->t->from), moment(r, r->t->to), NULL, 0, text);
    else if (linked && r->number < r->t->anchors)
        html(h, "<a href=\"#%s-%zu\">%s</a>", r->t->anchor, r->number,
             text[strspn(text, " ")] ? text : "(no name)");
    else if (is_text(f) && strlen(text) > LONG_TEXT)
        html(h, "<span class=\"clip\">%s</span>", text);
    else
        html(h, "%s", text);
}

static void write_cell(struct html *h, const struct row *r, const struct field *f, bool first)
{
    bool hidden = r->t->shown && !listed(r->t->shown, f->key);
    html_raw(h, first ? "<th scope=\"row\"" : "<td");
    if (is_text(f))
        html_raw(h, " class=\"name\"");
    else
        html(h, " class=\"num\" data-v=\"%s\"", exact(h, f, r->data));
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
        html(h, "</dt><dd>%s</dd></div>\n",
             is_text(f) ? text_of(f, r->rows) : shown_as(h, f, r->rows));
    }
    html_raw(h, "</dl>\n");
}
