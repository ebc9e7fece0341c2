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
#ifndef GS_RENDER_HTML_IN_H
#define GS_RENDER_HTML_IN_H

#include "analyze/field.h"
#include "render/html.h"
#include "report/chart.h"
#include "report/histogram.h"
#include "report/overview.h"

/* Kernels that are shown one by one. */
enum { HTML_DETAILED = 20 };

struct html_chapter {
    const char *id, *brief;
};

struct html {
    struct str *out;
    struct arena *arena;
    const struct analysis *a;
    const struct advice *advice;
    const struct html_opts *o;
    struct results results;
    struct overview overview;
    struct histograms histograms;
    VEC(struct html_chapter) chapters; /* those that are there */
    bool chapter_open;
    const void *context; /* of pages that show something else than an analysis */
};

/* ---- html_page.c: the frame ---- */

/* What a page is made of. The functions write to the page they are given. */
struct html_frame {
    const char *title, *kind;         /* "demo.db", "analysis" */
    void (*badges)(struct html *h);   /* beside the title */
    void (*pills)(struct html *h);    /* below it: html_pill() */
    void (*chapters)(struct html *h); /* html_chapter() each */
    void (*data)(struct html *h);     /* html_json(), and what else travels along */
    bool timeline;                    /* with its scripts and styles */
};

void html_page(struct str *out, struct html *h, const struct html_frame *f);
void html_pill(struct html *h, const char *label, const char *value); /* nothing when empty */
void html_json(struct html *h, const struct str *json); /* the document, as data of the page */

/* ---- html_text.c ---- */

/* Knows %% %s %c %d %u %zu %lld %llu %f (with precision); %s is escaped for text and attributes. */
void html(struct html *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void html_raw(struct html *h, const char *markup); /* constant markup only */

/* s for text and attributes; unsafe and malformed characters become visible escapes. */
void html_escape(struct str *out, const char *s);

/* Numbers for people, in the page's arena. */
const char *html_ns(struct html *h, int64_t ns);
const char *html_pct(struct html *h, double pct);
const char *html_count(struct html *h, uint64_t n);
const char *html_bytes(struct html *h, uint64_t n);

/* A chapter: <section> with a heading; the one before is closed. `brief` is for the contents. */
void html_chapter(struct html *h, const char *id, const char *brief, const char *title);
void html_chapter_end(struct html *h);

/* A button that explains a word when it is pointed at or has the focus. */
void html_tip(struct html *h, const char *what, const char *doc);

/* A command with a button that copies it. */
void html_command(struct html *h, const char *command);

/* A link to a place in the timeline. */
void html_jump(struct html *h, int64_t start_ns, int64_t end_ns, const char *kind, int64_t id,
               const char *text);

/* ---- html_table.c: results through their field descriptors ---- */

struct html_table {
    const char *key;     /* of the result, and of the table in the page */
    const char *caption; /* NULL: the doc of the fields */
    const char *shown;   /* keys of columns shown at first, divided by spaces; NULL: all */
    const char *never;   /* keys of columns that mean nothing to people: row numbers */
    const char
        *moments;     /* keys of columns that are points in time: shown from the window's start */
    const char *link; /* key of the column whose cells lead somewhere: */
    const char *from, *to; /* to the time between these columns, or */
    const char *anchor;    /* to the part of the page of this name and the row's number */
    size_t anchors;        /* how many there are */
    bool tree;             /* rows have a depth; they keep their order */
    size_t most;           /* rows; 0: all */
};

const struct result *html_result(const struct html *h, const char *key);
void html_table(struct html *h, const struct html_table *t);
void html_table_of(struct html *h, const struct html_table *t, const struct result *r);

/* Members of a result that is one object, by key, as a list of label and value. */
void html_facts(struct html *h, const char *key, const char *members);

/* ---- html_chart.c: pictures ---- */

/* The inks of draw lists as variables of the style, for both themes. */
void html_inks(struct str *style);

/* A draw list as part of the page; `class` is one of ours, "draw" among it. */
void html_draw(struct html *h, const struct draw *d, const char *class);

/* The chart of this name (report/chart.h) with its title; nothing where there is no data. */
void html_chart(struct html *h, const char *name);

struct html_bar {
    const char *label, *value;
    double size; /* any unit: bars are drawn relative to the largest */
};

/* Horizontal bars with labels, of what is no chart: few and with names. */
void html_bars(struct html *h, const char *title, const struct html_bar *bars, size_t n);

/* A half circle that is filled to pct. */
void html_gauge(struct html *h, const char *label, const char *doc, double pct, const char *note,
                const char *tone);

/* ---- chapters ---- */

void html_overview(struct html *h);  /* html_overview.c: verdict, numbers */
void html_ledger(struct html *h);    /* html_ledger.c */
void html_findings(struct html *h);  /* html_findings.c */
void html_phases(struct html *h);    /* html_phases.c */
void html_timeline(struct html *h);  /* html_timeline.c */
void html_kernels(struct html *h);   /* html_kernels.c: hotspots, categories, detail */
void html_counters(struct html *h);  /* html_counters.c: what counters say */
void html_transfers(struct html *h); /* html_sections.c: copies, gaps, calls, … */
void html_path(struct html *h);
void html_gaps(struct html *h);
void html_host(struct html *h);
void html_markers(struct html *h);
void html_devices(struct html *h);
void html_source(struct html *h); /* html_source.c */
void html_job(struct html *h);    /* html_job.c */
void html_att(struct html *h);    /* html_att.c: the thread trace */
void html_pc(struct html *h);     /* html_pc.c: PC samples */
void html_trust(struct html *h);  /* html_trust.c: quality, what was not captured */
void html_data(struct html *h);   /* html_timeline.c: JSON and events */

#endif
