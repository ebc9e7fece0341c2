#include "render/doc_html.h"

#include <math.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "config.h"
#include "render/html_in.h"
#include "render/svg.h"

static const char style_rules[] =
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:0 auto;padding:1rem;"
    "background:var(--gs-page);color:var(--gs-text)}"
    "h2{margin-top:2rem;border-bottom:1px solid var(--gs-grid)}"
    "nav ul{columns:3;padding-left:1.2rem}a{color:inherit}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "caption{text-align:left;color:var(--gs-muted);padding:.3rem 0}"
    "th,td{padding:.15rem .6rem;border-bottom:1px solid var(--gs-grid);text-align:left;"
    "overflow-wrap:anywhere}"
    "th{border-bottom:2px solid var(--gs-silver)}.n{text-align:right;white-space:nowrap}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dd{margin:0;"
    "overflow-wrap:anywhere}dt{color:var(--gs-muted)}"
    ".scroll{overflow-x:auto}figure{margin:1rem 0}svg{max-width:100%;height:auto}"
    "pre{overflow-x:auto;padding:.6rem;background:var(--gs-track)}"
    ".callout{border-left:4px solid var(--gs-orange);padding:.4rem .8rem;"
    "background:var(--gs-track)}";

static void put(struct str *out, const char *text)
{
    html_escape(out, text);
}

static void inks(struct str *css, enum theme theme)
{
    str_puts(css, ":root{");
    for (int i = 0; i < INKS; i++)
        str_printf(css, "--gs-%s:#%06x;", ink_name((enum ink)i), ink_rgb((enum ink)i, theme));
    str_puts(css, "}");
}

static void head(struct str *out, const char *title, struct arena *a)
{
    struct str css;
    uint8_t digest[SHA256_BYTES];
    str_init(&css, a);
    inks(&css, THEME_LIGHT);
    str_puts(&css, "@media (prefers-color-scheme:dark){");
    inks(&css, THEME_DARK);
    str_puts(&css, "}");
    str_puts(&css, style_rules);
    sha256(digest, css.buf, css.len);
    str_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'sha256-");
    base64_append(out, digest, sizeof(digest));
    str_puts(out, "'; base-uri 'none'; form-action 'none'\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n"
                  "<meta name=\"generator\" content=\"gpusight " GPUSIGHT_VERSION "\">\n<title>");
    put(out, title);
    str_puts(out, " – gpusight</title>\n<style>");
    str_put(out, css.buf, css.len);
    str_puts(out, "</style>\n</head>\n<body>\n<main>\n");
}

static void contents(struct str *out, const struct doc *d)
{
    str_puts(out, "<nav aria-label=\"Contents\">\n<ul>\n");
    for (size_t i = 0; i < d->blocks.n; i++) {
        const struct block *b = d->blocks.v[i];
        if (b->kind != BLOCK_HEADING || b->level != 2)
            continue;
        str_printf(out, "<li><a href=\"#s%zu\">", i);
        put(out, b->text);
        str_puts(out, "</a></li>\n");
    }
    str_puts(out, "</ul>\n</nav>\n");
}

/* Named after the heading above it, so that each has a name of its own. */
static void table(struct str *out, const struct block *b, const char *under)
{
    size_t n = b->columns.n;
    str_puts(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    put(out, under);
    str_puts(out, ": ");
    put(out, b->text);
    str_puts(out, "\">\n<table>\n<caption>");
    put(out, b->text);
    str_puts(out, "</caption>\n<thead><tr>");
    for (size_t i = 0; i < n; i++) {
        str_puts(out, b->columns.v[i].kind == COLUMN_NUMBER ? "<th scope=\"col\" class=\"n\">"
                                                            : "<th scope=\"col\">");
        put(out, b->columns.v[i].title);
        str_puts(out, "</th>");
    }
    str_puts(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; n && i < b->cells.n; i++) {
        str_puts(out, i % n == 0 ? "<tr>" : "");
        str_puts(out, b->columns.v[i % n].kind == COLUMN_NUMBER ? "<td class=\"n\">" : "<td>");
        put(out, b->cells.v[i]);
        str_puts(out, i % n == n - 1 ? "</td></tr>\n" : "</td>");
    }
    str_puts(out, "</tbody>\n</table>\n</div>\n");
}

static void pairs(struct str *out, const struct block *b)
{
    str_puts(out, "<dl>\n");
    for (size_t i = 0; i < b->facts.n + b->bars.n; i++) {
        bool fact = i < b->facts.n;
        const struct bar *bar = fact ? NULL : &b->bars.v[i - b->facts.n];
        str_puts(out, "<dt>");
        put(out, fact ? b->facts.v[i].label : bar->label);
        str_puts(out, "</dt><dd>");
        put(out, fact ? b->facts.v[i].value : bar->value);
        str_puts(out, "</dd>\n");
    }
    str_puts(out, "</dl>\n");
}

static void wrapped(struct str *out, const char *before, const char *text, const char *after)
{
    str_puts(out, before);
    put(out, text);
    str_puts(out, after);
}

static const char *heading_before(const struct doc *d, size_t i)
{
    while (i-- > 0)
        if (d->blocks.v[i]->kind == BLOCK_HEADING)
            return d->blocks.v[i]->text;
    return "Report";
}

static void block(struct str *out, const struct doc *d, size_t i)
{
    const struct block *b = d->blocks.v[i];
    bool first = !i || d->blocks.v[i - 1]->kind != BLOCK_ITEM;
    bool last = i + 1 == d->blocks.n || d->blocks.v[i + 1]->kind != BLOCK_ITEM;
    int level = b->level < 1 ? 1 : b->level > 3 ? 3 : b->level;
    switch (b->kind) {
    case BLOCK_HEADING:
        str_printf(out, "<h%d id=\"s%zu\">", level, i);
        put(out, b->text);
        str_printf(out, "</h%d>\n", level);
        break;
    case BLOCK_TEXT:
        wrapped(out, "<p>", b->text, "</p>\n");
        break;
    case BLOCK_ITEM:
        str_puts(out, first ? "<ul>\n" : "");
        wrapped(out, "<li>", b->text, "</li>\n");
        str_puts(out, last ? "</ul>\n" : "");
        break;
    case BLOCK_FACTS:
    case BLOCK_BARS:
        pairs(out, b);
        break;
    case BLOCK_TABLE:
        table(out, b, heading_before(d, i));
        break;
    case BLOCK_CALLOUT:
        wrapped(out, "<p class=\"callout\">", b->text, "</p>\n");
        break;
    case BLOCK_CODE:
        wrapped(out, "<pre>", b->text, "</pre>\n");
        break;
    case BLOCK_PICTURE:
        str_puts(out, "<figure>\n");
        render_svg(out, b->picture, &(struct svg_opts){.css = true});
        str_puts(out, "</figure>\n");
        break;
    }
}

void render_doc_html(struct str *out, const struct doc *d)
{
    const char *title = "Report";
    for (size_t i = d->blocks.n; i-- > 0;)
        if (d->blocks.v[i]->kind == BLOCK_HEADING && d->blocks.v[i]->level == 1)
            title = d->blocks.v[i]->text;
    head(out, title, d->arena);
    bool listed = false;
    for (size_t i = 0; i < d->blocks.n; i++) {
        if (d->blocks.v[i]->kind == BLOCK_HEADING && d->blocks.v[i]->level == 2 && !listed) {
            contents(out, d);
            listed = true;
        }
        block(out, d, i);
    }
    str_puts(out, "</main>\n</body>\n</html>\n");
}
