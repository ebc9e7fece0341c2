/* The source folder, when one was given: what of it the trace shows, risks and patterns. */
#include "render/html_in.h"
#include "report/source_report.h"

static void table(struct html *h, const struct fields *f, const void *rows, size_t n,
                  const char *caption)
{
    if (!n)
        return;
    vec_push(&h->results, h->arena, ((struct result){.fields = f, .rows = rows, .n = n}));
    html_table(h, &(struct html_table){.key = f->key, .caption = caption});
}

void html_source(struct html *h)
{
    const struct source_scan *s = h->o->source;
    const struct source_links *l = h->o->links;
    if (!s)
        return;
    html_chapter(h, "source", "Source", "Source");
    html(h, "<p>%s: %s, %s files, %s lines.</p>\n<ul>\n", s->dir, s->programming_model,
         html_count(h, s->files_scanned), html_count(h, s->lines));
    for (size_t i = 0; i < s->risk_areas.n; i++)
        html(h, "<li>%s</li>\n", s->risk_areas.v[i]);
    html_raw(h, "</ul>\n");
    if (l) {
        table(h, &source_link_fields, l->kernels.v, l->kernels.n, "Hot kernels and their lines");
        table(h, &source_call_fields, l->calls.v, l->calls.n, "Host calls and their lines");
    }
    table(h, &source_pattern_fields, s->patterns.v, s->patterns.n, "Patterns, most serious first");
}
