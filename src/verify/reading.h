/*
 * Reading: a document of any kind as plain passages, each with what says what it is about.
 *
 * Markup, escapes and entities are gone from `text`. A passage is a line, a row of a table, or a value of JSON.
 */
#ifndef GS_VERIFY_READING_H
#define GS_VERIFY_READING_H

#include "verify/verify.h"

#define NO_PASSAGE SIZE_MAX

struct place {
    size_t at, n; /* in text */
};

struct passage {
    size_t at, n;          /* in text */
    size_t cells, n_cells; /* of rows: into reading.cells; 0: a sentence */
    size_t titles;         /* the row with the titles of the columns; NO_PASSAGE: none */
    size_t heading;        /* the heading it stands under; NO_PASSAGE: none */
    size_t goes_on;        /* sentences that are broken into lines: the next of them; NO_PASSAGE */
    const char *path;      /* of JSON: "a.b[3].c"; NULL */
    const char *key;       /* its last key */
    uint32_t object;       /* of JSON: the object it is a member of, into reading.objects */
    bool code, is_heading, is_number;
};

/* An object of a JSON document: the texts in it name what its numbers are about. */
struct json_object {
    struct str names; /* divided by line feeds; buf is NULL where there are none */
    uint32_t parent;  /* NO_INDEX: none */
};

/* From here on, bytes of the text stood one behind the other in the document. */
struct source_run {
    uint32_t at, source;
};

struct reading {
    struct str text;
    VEC(struct source_run) source;
    VEC(struct passage) passages;
    VEC(struct place) cells;
    VEC(struct json_object) objects;
    bool is_json; /* it was asked for, and it is */
    bool full;    /* it has more passages than are kept: the rest was not read */
    size_t path_size;
    struct arena *arena;
};

struct reading *reading_of(const char *text, size_t n, enum verify_kind kind, struct arena *a);

/* Where a byte of the text stood in the document. */
size_t reading_source(const struct reading *r, size_t at);

/* ---- for the readers of kinds ---- */

void reading_text(struct reading *r, const char *text, size_t n);
void reading_markdown(struct reading *r, const char *text, size_t n);
void reading_csv(struct reading *r, const char *text, size_t n);
void reading_html(struct reading *r, const char *text, size_t n);
/* The labels of the columns that the tables of a page show, a line a table: "name|total|". */
void reading_html_heads(struct str *out, const char *text, size_t n);
/* False: it is no JSON; what was read of it stays. `from`: where it begins in the document. */
bool reading_json(struct reading *r, const char *json, size_t n, size_t from);

/* A byte of the text, and where it stood. */
void reading_put(struct reading *r, char c, size_t source);
/* Starts a passage at the end of the text; it is there until the next one begins. */
struct passage *reading_begin(struct reading *r);

/* A cell of the row that is being read; there may be too many (full). */
void reading_cell(struct reading *r, size_t at, size_t n);

/* Whether a text names something: words of a sentence do not, unless they are code. */
bool text_is_name(const char *text, size_t n);

/* Rows of columns that stand under each other; called once all lines are passages. */
void reading_find_columns(struct reading *r);

#endif
