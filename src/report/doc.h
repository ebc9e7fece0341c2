/*
 * Doc: a report as a list of blocks, before anyone decides how it looks.
 *
 * Reports are built here once (section.h) and rendered as a page, text, Markdown or PDF. What one
 * medium shows, every medium can show. The page takes the blocks as they are; the others take
 * doc_linear(), in which everything is a heading, a paragraph, an item, facts, a table or a
 * picture. Nothing in a doc is escaped: texts may come from a trace, every renderer escapes for its
 * own medium.
 *
 *     struct doc *d = doc_new(arena);
 *     doc_title(d, "demo.db");
 *     doc_section(d, "kernels", "Kernels", "Kernels that take longest");
 *     doc_chart(d, "hotspots");
 *     doc_rows(d, results_find(&results, "hotspots"),
 *              &(struct rows){.shown = "short_name calls total_duration_ns", .top = 10});
 *
 * Everything lives in the arena given.
 */
#ifndef GS_REPORT_DOC_H
#define GS_REPORT_DOC_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "field/field.h"
#include "report/chart/draw.h"

struct analysis;

enum block_kind {
    BLOCK_HEADING, /* of level 1: the title; 2: of a section; 3 and 4: inside one */
    BLOCK_TEXT,
    BLOCK_ITEM,    /* a point of a list */
    BLOCK_FACTS,   /* "label: value" lines */
    BLOCK_CARDS,   /* the same, for the numbers to be seen first */
    BLOCK_TABLE,   /* rows of a result; of a linear doc: cells */
    BLOCK_CALLOUT, /* a sentence that must not be missed */
    BLOCK_CODE,    /* a command to copy */
    BLOCK_BARS,    /* shares of a whole: label, share, text */
    BLOCK_CHART,   /* by name */
    BLOCK_PICTURE, /* a drawing, and the same in characters */
    BLOCK_TIMELINE,
    BLOCK_OPEN, /* what stands up to BLOCK_CLOSE can be folded away */
    BLOCK_CLOSE,
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
    const char *doc; /* what the label means; NULL: it says so itself */
};

struct card {
    const char *label, *doc, *value, *note;
    double pct; /* of a gauge; NaN: none is drawn */
    enum tone tone;
};

struct bar {
    const char *label, *value;
    double share; /* 0 to 1 */
    enum tone tone;
};

/* A place in the timeline. */
struct jump {
    int64_t start_ns, end_ns; /* of the trace's clock */
    const char *kind;         /* "dispatch"; NULL: a time and nothing else */
    int64_t id;
};

/* How rows of a result are shown. Lists are keys of fields, divided by spaces. */
struct rows {
    const char *key;       /* of the table in the page; NULL: that of the fields */
    const char *caption;   /* NULL: none, the doc of the fields in the page */
    const char *shown;     /* columns, in order; the page offers the others too; NULL: all */
    const char *asked;     /* of these, those shown even where there is nothing in them */
    const char *never;     /* columns that mean nothing to people: row numbers */
    const char *names;     /* columns that are full names of kernels: short where room is short */
    const char *link;      /* the column whose cells lead somewhere: */
    const char *from, *to; /* to the time between these columns, or */
    const char *anchor;    /* to the part of the page of this name and the row's number */
    size_t anchors;        /* how many there are */
    const char *depth;     /* the column that says how deep in a tree a row is */
    size_t top;            /* rows printed where they cannot be folded or searched; 0: all */
    const bool *printed;   /* by row: which are printed there, instead of the first; NULL */
    size_t most;           /* rows in the page; 0: some thousands */
    bool wide;             /* no text is cut */
    bool empty_too;        /* columns with nothing in them are shown as well */
};

struct disclosure {
    const char *id;    /* "finding-3": the part before the number says what they are */
    size_t number;     /* its place among them, before the badge: "3."; 0: none */
    const char *badge; /* a word before the title, or NULL */
    enum tone tone;
    bool swatch; /* it has this colour in a chart: */
    enum ink ink;
    const char *title;
    const char *cost; /* what it is about in a few numbers; NULL: none */
    bool open;
    /*
     * Pages show all of it. Others print it as it is, or where it would take too much room, one
     * item with these words ("": nothing), unless the section was asked for.
     */
    const char *brief;
};

struct block {
    enum block_kind kind;
    int level; /* of headings */
    enum tone tone;
    const char *id;  /* of headings and callouts: its place in the page; NULL: none */
    const char *nav; /* of sections: for the contents */
    /* heading, text, item, callout, code; the caption of a table, bars or picture */
    const char *text;
    const char *label; /* of callouts: the sentence in one word; NULL */
    const char *chart; /* of a chart; of bars: shown instead by media that draw */
    const struct jump *jump;
    const char *find;  /* a name to look for in the timeline; NULL */
    const char *link;  /* of items: the place in the page they lead to; NULL */
    const char *lines; /* of pictures: for media that cannot draw */
    const struct draw *picture;
    struct draw *(*draw)(const void *of, int width_px, struct arena *a);
    const void *of;
    bool beside; /* a small picture: text may stand beside it */
    const struct disclosure *fold;
    const struct result *result; /* of tables: their rows */
    struct rows rows;
    VEC(struct column) columns; /* of tables in a linear doc, with the cells */
    VEC(const char *) cells;
    VEC(struct fact) facts;
    VEC(struct card) cards;
    VEC(struct bar) bars;
    struct arena *arena;
};

/* At the top of the page: a word, and the section it leads to. */
struct badge {
    const char *text, *section;
    enum tone tone;
};

struct doc {
    struct arena *arena;
    VEC(struct block *) blocks;
    const struct analysis *a; /* of charts, jumps, moments and the timeline; NULL: there are none */
    bool detailed;            /* sections were asked for by name: show all of them everywhere */
    uint64_t timeline_limit;  /* events in the timeline; 0: all */
    VEC(struct fact) about;   /* what the report is about, in a few words */
    VEC(struct badge) badges;
    const char *kind;       /* "analysis": of the document that the page holds */
    const struct str *json; /* that document; NULL: none */
};

struct doc *doc_new(struct arena *a);

/* ---- headings ---- */

void doc_title(struct doc *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* id: a word, for the page and for --sections; nav: short, for contents. */
void doc_section(struct doc *d, const char *id, const char *nav, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void doc_heading(struct doc *d, int level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Level 3, with a place in the page. */
void doc_part(struct doc *d, const char *id, const char *title);
void doc_about(struct doc *d, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void doc_badge(struct doc *d, enum tone tone, const char *section, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- words ---- */

void doc_text(struct doc *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doc_item(struct doc *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doc_callout(struct doc *d, enum tone tone, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void doc_label(struct doc *d, const char *word); /* of the callout added last */
void doc_code(struct doc *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Where the text or item added last can be seen in the timeline. */
void doc_jump(struct doc *d, int64_t start_ns, int64_t end_ns, const char *kind, int64_t id);
/* A name that the timeline can look for, and a place in the page, of the same. */
void doc_find(struct doc *d, const char *name);
void doc_link(struct doc *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- numbers ---- */

/* Adds to the facts at the end of the doc, or starts new ones. */
void doc_fact(struct doc *d, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* With what the label means. */
void doc_explained(struct doc *d, const char *label, const char *doc, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Members of a result that is one object, by key; NULL: all. Nothing where there is no result. */
void doc_facts(struct doc *d, const struct result *r, const char *members);
void doc_card(struct doc *d, const struct card *c);

/* Rows of a result; nothing where there are none. */
void doc_rows(struct doc *d, const struct result *r, const struct rows *o);

/* A VEC of structs as a result; they stay where they are. */
#define RESULT(fields, list) (&(struct result){&(fields), (list).v, (list).n, false})

/* `chart` is shown instead where pictures are; NULL: none. */
struct block *doc_bars(struct doc *d, const char *caption, const char *chart);
void doc_bar(struct block *bars, enum tone tone, double share, const char *label, const char *fmt,
             ...) __attribute__((format(printf, 5, 6)));

/* ---- pictures ---- */

/* A chart of the analysis (charts.def); media that cannot draw leave it out. */
void doc_chart(struct doc *d, const char *name);
void doc_timeline(struct doc *d);

/* A drawing that is no such chart. Media that cannot draw show `lines`, as wide as they are. */
void doc_picture(struct doc *d, const struct draw *picture, const char *lines);
/* Where it cannot be drawn, what its shapes say when they are pointed at stands for it. */
void doc_small_picture(struct doc *d, const char *caption, const struct draw *picture);
/* One that is drawn for the width there is. */
void doc_drawing(struct doc *d, const char *caption,
                 struct draw *(*draw)(const void *of, int width_px, struct arena *a),
                 const void *of);

/* ---- folding ---- */

void doc_open(struct doc *d, const struct disclosure *o);
void doc_close(struct doc *d);

/* ---- for renderers ---- */

const struct block *doc_title_of(const struct doc *d); /* NULL: none */

/* Which field each column is: in their order, but what is shown in the order of that list. */
const size_t *doc_column_order(const struct block *table);

/* Whether a column of a table is shown at first: it is listed, and has something to say. */
bool doc_column_shown(const struct block *table, size_t field);

/* What is in a cell of a table of rows: field_text(), moments from the start of the window on. */
const char *doc_cell_text(const struct doc *d, const struct field *f, const void *row);

/* A part of a table that is divided, with what renderers know of its columns. */
struct table_part {
    const double *width; /* by column, in whatever unit */
    double gap, room;    /* between columns; of the page, INFINITY where nothing is divided */
    size_t *shown, n;    /* out: the columns of this part; there is room for all */
};

/*
 * The part of a linear table that begins with column `from`, 0 for the first; returns where the next one
 * begins, the number of columns after the last. Parts repeat the columns that say which row it is.
 */
size_t doc_table_part(struct table_part *part, const struct block *table, size_t from);

/* "copy 122, at 529 ms" */
const char *doc_jump_text(const struct doc *d, const struct jump *j);

/* The same in headings of three levels, texts, items, facts, callouts, tables of cells, bars,
 * charts and pictures, one after the other. */
const struct doc *doc_linear(const struct doc *d);

/* Whether nothing but pictures stands under this heading of a linear doc. */
bool doc_is_bare(const struct doc *linear, size_t heading);

#endif
