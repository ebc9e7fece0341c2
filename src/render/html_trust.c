/* How far the numbers can be trusted, and what the trace does not hold. */
#include <string.h>

#include "render/html_in.h"

static void quality(struct html *h)
{
    const struct quality *q = &h->a->quality;
    html_chapter(h, "quality", "Quality", "Data quality");
    html(h,
         "<div class=\"box quality grade-%c\"><p class=\"figure\">%c</p><div><p>%d of 100 "
         "points.</p>\n",
         q->grade, q->grade, q->points);
    if (!q->reasons.n) {
        html_raw(h, "<p>Every check passed.</p></div></div>\n");
        return;
    }
    html_raw(h, "<ul>\n");
    for (size_t i = 0; i < q->reasons.n; i++) {
        const struct quality_reason *r = &q->reasons.v[i];
        html(h, "<li>%s <span class=\"note\">(affects %s; %d points)</span></li>\n", r->text,
             r->affects, r->points);
    }
    html_raw(h, "</ul></div></div>\n");
}

static void warnings(struct html *h)
{
    for (size_t i = 0; i < h->overview.warnings.n; i++) {
        const struct warning *w = &h->overview.warnings.v[i];
        if (!strcmp(w->severity, "info"))
            continue; /* what was not captured: has its own chapter */
        html(h, "<p class=\"note\">%s: %s%s%s</p>\n", w->severity, w->message,
             w->recommendation ? " — " : "", w->recommendation ? w->recommendation : "");
    }
}

static void missing(struct html *h)
{
    const struct capabilities *c = &h->a->capabilities;
    html_chapter(h, "missing", "Not captured", "What was not captured");
    bool any = false;
    for (size_t i = 0; i < c->n; i++) {
        const struct capability *v = &c->v[i];
        if (!v->wanted)
            continue;
        any = true;
        html(h, "<div class=\"box\"><h3>%s</h3><p>Without it: %s.</p>\n", v->key, v->lacking);
        if (v->command && *v->command)
            html_command(h, v->command);
        html_raw(h, "</div>\n");
    }
    if (!any)
        html_raw(h, "<p>There is nothing more to capture.</p>\n");
    html_raw(h, "<h3>What was captured</h3>\n<ul>\n");
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i].present)
            html(h, "<li><strong>%s</strong>: %s</li>\n", c->v[i].key, c->v[i].answers);
    html_raw(h, "</ul>\n");
}

void html_trust(struct html *h)
{
    quality(h);
    warnings(h);
    missing(h);
}
