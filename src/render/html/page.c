/* What every page of ours has: head, banner, contents, foot, styles and scripts. */
#include <string.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "config.h"
#include "render/html/assets.h"
#include "render/html/html_in.h"

/* ---- scripts and styles, and the policy that allows only them ---- */

/* Pages without a timeline take only what they use. */
static bool is_common(const char *name)
{
    static const char *const names[] = {"begin", "page", "parts", "tables", "end"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static void join_assets(struct str *out, const struct html_asset *assets, bool timeline)
{
    for (const struct html_asset *p = assets; p->name; p++)
        if (timeline || is_common(p->name))
            str_puts(out, p->text);
}

static void put_hash(struct html *h, const struct str *text)
{
    uint8_t digest[SHA256_BYTES];
    sha256(digest, text->buf, text->len);
    html_raw(h, " 'sha256-");
    base64_append(h->out, digest, sizeof(digest));
    html_raw(h, "'");
}

static void head(struct html *h, const struct str *style, const struct str *script,
                 const char *title)
{
    html_raw(
        h, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src");
    put_hash(h, script);
    html_raw(h, "; style-src");
    put_hash(h, style);
    html_raw(h, "; img-src data:; base-uri 'none'; form-action 'none'\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<meta name=\"referrer\" content=\"no-referrer\">\n");
    html(h, "<meta name=\"generator\" content=\"gpusight %s\">\n", GPUSIGHT_VERSION);
    html(h, "<title>%s – gpusight</title>\n<style>", title);
    str_put(h->out, style->buf, style->len);
    html_raw(h, "</style>\n</head>\n");
}

static void banner(struct html *h, const char *title)
{
    const struct doc *d = h->d;
    html_raw(h, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header>\n<div "
                "class=\"top\">\n");
    html(h, "<p class=\"brand\">gpusight</p>\n<h1>%s</h1>\n<div class=\"badges\">\n", title);
    for (size_t i = 0; i < d->badges.n; i++)
        if (html_has(h, d->badges.v[i].section))
            html(h, "<a href=\"#%s\" class=\"badge p-%s\">%s</a>\n", d->badges.v[i].section,
                 html_priority(d->badges.v[i].tone), d->badges.v[i].text);
    html_raw(h, "</div>\n<button type=\"button\" id=\"theme\" aria-pressed=\"false\">Dark "
                "theme</button>\n</div>\n");
    if (d->about.n)
        html_raw(h, "<ul class=\"pills\" aria-label=\"What this is about\">\n");
    for (size_t i = 0; i < d->about.n; i++)
        html(h, "<li><span class=\"label\">%s</span> %s</li>\n", d->about.v[i].label,
             d->about.v[i].value);
    html_raw(h, d->about.n ? "</ul>\n</header>\n" : "</header>\n");
}

static void contents(struct html *h)
{
    html_raw(h, "<nav aria-label=\"Contents\"><ul>\n");
    for (size_t i = 0; i < h->chapters.n; i++)
        html(h, "<li><a href=\"#%s\">%s</a></li>\n", h->chapters.v[i].id, h->chapters.v[i].nav);
    html_raw(h, "</ul></nav>\n");
}

static void footer(struct html *h)
{
    html(h,
         "</main>\n<footer><p>Made by gpusight %s. This page holds all its data and asks nothing "
         "of any network.",
         GPUSIGHT_VERSION);
    if (h->d->json)
        html(h,
             " <button type=\"button\" class=\"small\" id=\"save-json\" data-kind=\"%s\">Save the "
             "%s as JSON</button>",
             h->d->kind, h->d->kind);
    html_raw(h, "</p></footer>\n<div id=\"tooltip\" role=\"tooltip\" hidden></div>\n");
}

/* In a script element nothing but "<" can end it or start a comment. */
static void write_json(struct html *h)
{
    const struct str *json = h->d->json;
    size_t from = 0;
    html_raw(h, "<script type=\"application/json\" id=\"analysis\">");
    for (size_t i = 0; i < json->len; i++) {
        if (json->buf[i] != '<')
            continue;
        str_put(h->out, json->buf + from, i - from);
        str_puts(h->out, "\\u003c");
        from = i + 1;
    }
    str_put(h->out, json->buf + from, json->len - from);
    html_raw(h, "</script>\n");
}

static bool has_timeline(const struct doc *d)
{
    for (size_t i = 0; i < d->blocks.n; i++)
        if (d->blocks.v[i]->kind == BLOCK_TIMELINE)
            return true;
    return false;
}

static const struct {
    const char *name, *light, *dark;
} tints[] = {
#define TINT(name, light, dark) {name, light, dark},
#include "render/html/tints.def"
#undef TINT
};

/* By the button, and by what the reader has set where it was not touched. */
static void themes(struct str *style)
{
    static const char *const rules[] = {
        ":root{color-scheme:light;", ":root[data-theme='dark']{color-scheme:dark;",
        "@media (prefers-color-scheme: dark){:root:not([data-theme]){color-scheme:dark;"};
    for (int i = 0; i < 3; i++) {
        str_puts(style, rules[i]);
        for (size_t t = 0; t < ARRAY_LEN(tints); t++)
            str_printf(style, "--%s:%s;", tints[t].name, i ? tints[t].dark : tints[t].light);
        for (enum ink ink = 0; ink < INKS; ink++)
            str_printf(style, "--gs-%s:#%06x;", ink_name(ink),
                       (unsigned)ink_rgb(ink, i ? THEME_DARK : THEME_LIGHT));
        str_puts(style, i == 2 ? "}}\n" : "}\n");
    }
}

void render_html(struct str *out, const struct doc *d)
{
    bool timeline = has_timeline(d);
    struct html h = {.arena = out->arena, .d = d, .timeline = timeline};
    const char *title = doc_title_of(d) ? doc_title_of(d)->text : "gpusight";
    struct str style, script, body;
    str_init(&style, out->arena);
    str_init(&script, out->arena);
    str_init(&body, out->arena);
    themes(&style);
    join_assets(&style, html_styles, timeline);
    join_assets(&script, html_scripts, timeline);
    h.out = &body;
    html_blocks(&h);
    h.out = out;
    head(&h, &style, &script, title);
    banner(&h, title);
    contents(&h);
    html_raw(&h, "<main id=\"main\" tabindex=\"-1\">\n");
    str_put(out, body.buf, body.len);
    footer(&h);
    if (d->json)
        write_json(&h);
    if (timeline)
        html_events(&h);
    html_raw(&h, "<script>");
    str_put(out, script.buf, script.len);
    html_raw(&h, "</script>\n</body>\n</html>\n");
}
