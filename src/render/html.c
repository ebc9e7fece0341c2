#include "render/html.h"

#include <string.h>

#include "base/base64.h"
#include "base/fs.h"
#include "base/sha256.h"
#include "config.h"
#include "render/html_assets.h"
#include "render/html_in.h"
#include "report/draw.h"

/* ---- scripts and styles, and the policy that allows only them ---- */

static void join_assets(struct str *out, const struct html_asset *assets)
{
    for (const struct html_asset *p = assets; p->name; p++)
        str_puts(out, p->text);
}

/* The inks of charts, for both themes; see svg.h. */
static void put_inks(struct str *out, const char *selector, enum theme theme)
{
    str_printf(out, "%s {\n", selector);
    for (int i = 0; i < INKS; i++)
        str_printf(out, "    --gs-%s: #%06x;\n", ink_name((enum ink)i),
                   (unsigned)ink_rgb((enum ink)i, theme));
    str_puts(out, "}\n");
}

static void join_inks(struct str *out)
{
    put_inks(out, ":root", THEME_LIGHT);
    put_inks(out, ":root[data-theme='dark']", THEME_DARK);
    str_puts(out, "@media (prefers-color-scheme: dark) {\n");
    put_inks(out, ":root:not([data-theme='light'])", THEME_DARK);
    str_puts(out, "}\n");
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

/* ---- the top of the page ---- */

static void badges(struct html *h)
{
    static const char *const words[] = {"high", "medium", "low", "info"};
    size_t counts[4] = {0};
    for (size_t i = 0; i < h->advice->findings.n; i++)
        counts[h->advice->findings.v[i]->priority]++;
    for (size_t p = 0; p < 4; p++)
        if (counts[p])
            html(h, "<a href=\"#findings\" class=\"badge p-%s\">%zu %s</a>\n", words[p], counts[p],
                 words[p]);
}

static void pill(struct html *h, const char *label, const char *value)
{
    if (value && *value)
        html(h, "<li><span class=\"label\">%s</span> %s</li>\n", label, value);
}

static void pills(struct html *h)
{
    const struct trace *t = h->a->trace;
    const struct trace_file *f = t->files.n ? &t->files.v[0] : NULL;
    html_raw(h, "<ul class=\"pills\" aria-label=\"About this trace\">\n");
    pill(h, "window", html_ns(h, h->a->breakdown.window_ns));
    pill(h, "GPUs", arena_printf(h->arena, "%u", h->a->breakdown.gpu_count));
    pill(h, "kernels", html_count(h, h->a->view.n_kernels));
    pill(h, "files", t->files.n > 1 ? arena_printf(h->arena, "%zu", t->files.n) : "");
    pill(h, "format", f ? f->format : "");
    pill(h, "recorded by", f ? f->tool_version : "");
    pill(h, "tier", arena_printf(h->arena, "%d", h->overview.tier));
    pill(h, "quality", arena_printf(h->arena, "%c", h->a->quality.grade));
    pill(h, "path", f ? f->path : "");
    html_raw(h, "</ul>\n");
}

static void banner(struct html *h, const char *title)
{
    html_raw(h, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header>\n<div "
                "class=\"top\">\n");
    html(h, "<p class=\"brand\">gpusight</p>\n<h1>%s</h1>\n<div class=\"badges\">\n", title);
    badges(h);
    html_raw(h, "</div>\n<button type=\"button\" id=\"theme\" aria-pressed=\"false\">Dark "
                "theme</button>\n</div>\n");
    pills(h);
    html_raw(h, "</header>\n");
}

static void contents(struct html *h)
{
    html_raw(h, "<nav aria-label=\"Contents\"><ul>\n");
    for (size_t i = 0; i < h->chapters.n; i++)
        html(h, "<li><a href=\"#%s\">%s</a></li>\n", h->chapters.v[i].id, h->chapters.v[i].brief);
    html_raw(h, "</ul></nav>\n");
}

static void footer(struct html *h)
{
    html(h,
         "</main>\n<footer><p>Made by gpusight %s. This page holds all its data and asks nothing "
         "of any "
         "network. <button type=\"button\" class=\"small\" id=\"save-json\">Save the analysis as "
         "JSON</button></p></footer>\n",
         GPUSIGHT_VERSION);
    html_raw(h, "<div id=\"tooltip\" role=\"tooltip\" hidden></div>\n");
}

static void chapters(struct html *h)
{
    void (*const all[])(struct html *) = {
        html_overview, html_ledger,    html_findings, html_timeline, html_kernels,
        html_counters, html_transfers, html_gaps,     html_host,     html_markers,
        html_devices,  html_source,    html_trust,
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        all[i](h);
    html_chapter_end(h);
}

void render_html(struct str *out, const struct analysis *a, const struct advice *advice,
                 const struct html_opts *o)
{
    struct str style, script, body;
    str_init(&style, out->arena);
    str_init(&script, out->arena);
    str_init(&body, out->arena);
    join_assets(&style, html_styles);
    join_inks(&style);
    join_assets(&script, html_scripts);
    struct html h = {.out = &body, .arena = out->arena, .a = a, .advice = advice, .o = o};
    analysis_results(a, &h.results, h.arena);
    overview_make(&h.overview, a, advice, h.arena);
    histograms_make(&h.histograms, a, HTML_DETAILED, h.arena);
    chapters(&h);
    h.out = out;
    const char *title = a->trace->files.n ? fs_basename(a->trace->files.v[0].path) : "trace";
    head(&h, &style, &script, title);
    banner(&h, title);
    contents(&h);
    html_raw(&h, "<main id=\"main\" tabindex=\"-1\">\n");
    str_put(out, body.buf, body.len);
    footer(&h);
    html_data(&h);
    html_raw(&h, "<script>");
    str_put(out, script.buf, script.len);
    html_raw(&h, "</script>\n</body>\n</html>\n");
}
