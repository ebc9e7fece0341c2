/*
 * Between the files of the HTML page.
 *
 * html() writes markup; every %s in it is escaped, so text from a trace can never become markup:
 *
 *     html(h, "<td title=\"%s\">%s</td>", name, name);
 *
 * There are no style attributes: the page's policy forbids them. Widths and colours are attributes
 * of SVG, or classes.
 */
#ifndef GS_RENDER_HTML_HTML_IN_H
#define GS_RENDER_HTML_HTML_IN_H

#include "analyze/analysis.h"
#include "render/html/html.h"

struct html_chapter {
    const char *id, *nav;
};

struct html {
    struct str *out;
    struct arena *arena;
    const struct doc *d;
    VEC(struct html_chapter) chapters; /* those that are there */
    bool chapter_open;
    const char *list; /* disclosures of this kind are being listed; NULL: none */
    bool items;       /* inside of a list of items */
    int level;        /* of the last heading */
    bool timeline;    /* there is one to jump to */
};

/* ---- text.c ---- */

/* Knows %% %s %c %d %u %zu %lld %llu %f (with precision); %s is escaped for text and attributes. */
void html(struct html *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void html_raw(struct html *h, const char *markup); /* constant markup only */

/* s for text and attributes; unsafe and malformed characters become visible escapes. */
void html_escape(struct str *out, const char *s);

/* A button that explains a word when it is pointed at or has the focus. */
void html_tip(struct html *h, const char *what, const char *doc);

/* A command with a button that copies it. */
void html_command(struct html *h, const char *command);

/* A link to a place in the timeline. */
void html_jump(struct html *h, const struct jump *j, const char *text);

/* ---- blocks.c ---- */

/* All blocks, chapter by chapter; fills h->chapters. */
void html_blocks(struct html *h);

/* Whether the page has a place of this name. */
bool html_has(const struct html *h, const char *id);

/* Class of a tone: "good", and "high" as priorities are called. */
const char *html_tone(enum tone tone);
const char *html_priority(enum tone tone);

/* ---- table.c ---- */

void html_table(struct html *h, const struct block *b);

/* ---- chart.c: pictures ---- */

void html_chart(struct html *h, const char *name); /* nothing where there is no data */
void html_picture(struct html *h, const struct block *b);
void html_bars(struct html *h, const struct block *b);
void html_card(struct html *h, const struct card *c);

/* ---- timeline.c ---- */

void html_timeline(struct html *h);
void html_events(struct html *h); /* the data of the timeline */

#endif
