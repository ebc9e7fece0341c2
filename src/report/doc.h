/*
 * Doc: a report as a list of blocks, before anyone decides how it looks.
 *
 * Reports are built here once and rendered as text, Markdown, HTML, PDF... Nothing in a doc is
 * escaped: texts may come from a trace, every renderer escapes for its own medium.
 *
 *     struct doc *d = doc_new(arena);
 *     doc_heading(d, 1, "Hotspots");
 *     struct block *t = doc_table(d, "the kernels that took longest");
 *     doc_column(t, "kernel", COLUMN_TEXT);
 *     doc_column(t, "total", COLUMN_NUMBER);
 *     doc_cell(t, "%s", name);
 *     doc_cell(t, "%s", human_time(buf, ns));
 *
 * Cells fill the table row by row. Everything lives in the arena given.
 */
#ifndef GS_REPORT_DOC_H
#define GS_REPORT_DOC_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"

struct draw;

enum block_kind {
    BLOCK_HEADING,
    BLOCK_TEXT,
    BLOCK_ITEM,  /* a point of a list */
    BLOCK_FACTS, /* "label: value" lines */
    BLOCK_TABLE,
    BLOCK_CALLOUT, /* a sentence that must not be missed */
    BLOCK_CODE,    /* a command to copy */
    BLOCK_BARS,    /* shares of a whole: label, share, text */
    BLOCK_PICTURE, /* a drawing, and the same in characters */
};

enum tone { TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_BAD, TONE_INFO };

enum column_kind {
    COLUMN_TEXT,   /* left, may be cut to fit */
    COLUMN_KEEP,   /* left, never cut */
    COLUMN_NUMBER, /* right */
};

struct column {
    const char *title;
    enum column_kind kind;
};

struct fact {
    const char *label, *value;
    enum tone tone;
};

struct bar {
    const char *label, *value;
    double share; /* 0 to 1 */
    enum tone tone;
};

struct block {
    enum block_kind kind;
    int level; /* of headings and items */
    enum tone tone;
    const char *text;  /* heading, text, item, callout, code; the caption of a table or bars */
    const char *chart; /* see doc_chart(); NULL: none */
    const struct draw *picture;
    VEC(struct column) columns;
    VEC(const char *) cells;
    VEC(struct fact) facts;
    VEC(struct bar) bars;
    struct arena *arena;
};

struct doc {
    struct arena *arena;
    VEC(struct block *) blocks;
};

struct doc *doc_new(struct arena *a);
void doc_heading(struct doc *d, int level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void doc_text(struct doc *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doc_item(struct doc *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doc_callout(struct doc *d, enum tone tone, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void doc_code(struct doc *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds to the facts at the end of the doc, or starts new ones. */
void doc_fact(struct doc *d, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * A picture of the same thing, by the name of a chart (charts.def), for the block added last. Media
 * that draw show it behind the block, or instead of it when the block is bars; text leaves it out.
 */
void doc_chart(struct doc *d, const char *name);

/*
 * A drawing that is no chart of an analysis. Media that cannot draw show `lines`, which are as wide
 * as they are; "": nothing.
 */
void doc_picture(struct doc *d, const struct draw *picture, const char *lines);

struct block *doc_table(struct doc *d, const char *caption);
void doc_column(struct block *table, const char *title, enum column_kind kind);
void doc_cell(struct block *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct block *doc_bars(struct doc *d, const char *caption);
void doc_bar(struct block *bars, enum tone tone, double share, const char *label, const char *fmt,
             ...) __attribute__((format(printf, 5, 6)));

#endif
