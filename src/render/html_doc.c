#include "render/html_doc.h"

#include "base/base64.h"
#include "base/sha256.h"
#include "config.h"
#include "render/html_assets.h"
#include "render/html_in.h"

static void table(struct html *h, const struct block *b)
{
    size_t n = b->columns.n;
    const char *caption = b->text && *b->text ? b->text : "Table";
    if (!n)
        return;
    html(h,
         "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
         "aria-label=\"%s\">\n<table>\n<caption>%s</caption>\n<thead><tr>",
         caption, b->text ? b->text : "");
    for (size_t c = 0; c < n; c++)
        html(h, "<th scope=\"col\"%s>%s</th>",
             b->columns.v[c].kind == COLUMN_NUMBER ? " class=num" : "",
             *b->columns.v[c].title ? b->columns.v[c].title : "note");
    html_raw(h, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < b->cells.n - b->cells.n % n; i++) {
        bool number = b->columns.v[i % n].kind == COLUMN_NUMBER;
        html_raw(h, i % n ? "" : "<tr>");
        html_raw(h, number ? "<td class=\"num\">" : "<td class=\"name\">");
        html(h, "%s</td>", b->cells.v[i]);
        html_raw(h, i % n == n - 1 ? "</tr>\n" : "");
    }
    html_raw(h, "</tbody>\n</table>\n</div>\n");
}

static void bars(struct html *h, const struct block *b)
{
    struct html_bar *v = arena_array(h->arena, struct html_bar, b->bars.n + 1);
    for (size_t i = 0; i < b->bars.n; i++) {
        const char *value = b->bars.v[i].value;
        while (*value == ' ')
            value++;
        v[i] = (struct html_bar){
            .label = b->bars.v[i].label, .value = value, .size = b->bars.v[i].share};
    }
    html_bars(h, b->text && *b->text ? b->text : "Shares", v, b->bars.n);
}

static void facts(struct html *h, const struct block *b)
{
    html_raw(h, "<dl class=\"facts\">\n");
    for (size_t i = 0; i < b->facts.n; i++)
        html(h, "<div><dt>%s</dt><dd>%s</dd></div>\n", b->facts.v[i].label, b->facts.v[i].value);
    html_raw(h, "</dl>\n");
}

static const char *tone_class(enum tone t)
{
    return t == TONE_GOOD ? "good" : t == TONE_WARN ? "warn" : t == TONE_BAD ? "bad" : "";
}

static void block(struct html *h, const struct block *b)
{
    switch (b->kind) {
    case BLOCK_HEADING:
        if (b->level > 2)
            html(h, "<h%d>%s</h%d>\n", b->level > 5 ? 5 : b->level, b->text,
                 b->level > 5 ? 5 : b->level);
        break;
    case BLOCK_TEXT:
        html(h, "<p>%s</p>\n", b->text);
        break;
    case BLOCK_ITEM:
        html(h, "<li>%s</li>\n", b->text);
        break;
    case BLOCK_CALLOUT:
        html(h, "<div class=\"verdict %s\"><p class=\"headline\">%s</p></div>\n",
             tone_class(b->tone), b->text);
        break;
    case BLOCK_CODE:
        html(h, "<pre>%s</pre>\n", b->text);
        break;
    case BLOCK_FACTS:
        facts(h, b);
        break;
    case BLOCK_TABLE:
        table(h, b);
        break;
    case BLOCK_BARS:
        bars(h, b);
        break;
    }
}

void html_blocks(struct html *h, const struct doc *d)
{
    for (size_t i = 0; i < d->blocks.n; i++) {
        bool item = d->blocks.v[i]->kind == BLOCK_ITEM;
        if (item && (!i || d->blocks.v[i - 1]->kind != BLOCK_ITEM))
            html_raw(h, "<ul>\n");
        block(h, d->blocks.v[i]);
        if (item && (i + 1 == d->blocks.n || d->blocks.v[i + 1]->kind != BLOCK_ITEM))
            html_raw(h, "</ul>\n");
    }
}

void render_html_doc(struct str *out, const struct doc *d, const char *title)
{
    struct html h = {.out = out, .arena = out->arena};
    uint8_t digest[SHA256_BYTES];
    struct str style;
    str_init(&style, out->arena);
    for (const struct html_asset *p = html_styles; p->name; p++)
        str_puts(&style, p->text);
    sha256(digest, style.buf, style.len);
    html_raw(&h, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                 "style-src 'sha256-");
    base64_append(out, digest, sizeof(digest));
    html_raw(&h, "'; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" "
                 "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
                 "content=\"light dark\">\n");
    html(&h, "<title>%s – gpusight</title>\n<style>", title);
    str_put(out, style.buf, style.len);
    html(&h,
         "</style>\n</head>\n<body>\n<header><div class=\"top\"><p class=\"brand\">gpusight</p>"
         "<h1>%s</h1></div></header>\n<main id=\"main\">\n<section>\n",
         title);
    html_blocks(&h, d);
    html(&h,
         "</section>\n</main>\n<footer><p>Made by gpusight %s. This page holds all its data and "
         "asks nothing of any network.</p></footer>\n</body>\n</html>\n",
         GPUSIGHT_VERSION);
}
