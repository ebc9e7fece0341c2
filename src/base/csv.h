/*
 * CSV in: rows of fields, streamed, as RFC 4180 has them and as profilers write them.
 *
 *     struct csv c;
 *     csv_open(&c, input_read, &in);
 *     while (csv_row(&c)) {                      the first row is the header
 *         int64_t start;
 *         size_t n;
 *         const char *name = csv_text(&c, 3, &n);     "" where the row has no such field
 *         if (csv_int(&c, 0, &start)) ...
 *     }
 *     bool ok = csv_end(&c, err);                problems show here, with the line
 *     csv_release(&c);
 *
 * Taken as they come: CR LF, a byte order mark, blank lines, rows with too few or too many fields,
 * a last line without newline, line breaks inside quotes, any bytes. Quotes inside a quoted field
 * need not be doubled: one that no comma and no line end follows is text. Where that reading does
 * not give as many fields as the header has, the row is read again as a single line in which no
 * quote is escaped; csv_join() then puts the pieces of a text with `",` in it together.
 *
 * Only a row is in memory. One longer than CSV_ROW_MAX, or with more than CSV_FIELDS_MAX
 * fields, is an error.
 */
#ifndef GS_BASE_CSV_H
#define GS_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum { CSV_ROW_MAX = 16 * 1024 * 1024, CSV_FIELDS_MAX = 16 * 1024 };

/* Reads up to n bytes into buf; 0 at the end, < 0 on error: the same as a jread_fill. */
typedef ptrdiff_t csv_fill(void *ctx, char *buf, size_t n);

/* A text in memory, for csv_open(): the first bytes of a file, say. */
struct csv_head {
    const char *p;
    size_t n;
};
ptrdiff_t csv_head_read(void *head, char *buf, size_t n);

struct csv_field {
    const char *p; /* without the quotes around it */
    size_t n;
    bool quoted; /* and quotes inside may be doubled */
};

/* All members are private but n and columns. */
struct csv {
    size_t n;       /* fields of the row */
    size_t columns; /* fields of the header; 0 before it is read */
    struct csv_field *field;
    size_t field_cap;
    csv_fill *fill;
    void *fill_ctx;
    char *buf;
    size_t at, end, cap; /* the unread part of buf */
    uint64_t line;       /* of the row; and of what is unread */
    uint64_t next_line;
    bool last, plain; /* no more will come; quotes of this row are never escaped */
    unsigned misses;  /* quotes that never ended: such a writer does not escape */
    bool unreadable;
    const char *problem;
};

void csv_open(struct csv *c, csv_fill *fill, void *ctx);
void csv_release(struct csv *c);
/* One that belongs to the arena and is released with it. */
struct csv *csv_new(struct arena *a, csv_fill *fill, void *ctx);

bool csv_row(struct csv *c); /* the next row; false: none, or a problem */

/* Field i, without quotes; valid until the next row. */
const char *csv_text(struct csv *c, size_t i, size_t *n);
/* False when the field is something else, or missing. Blanks around it do not matter. */
bool csv_int(const struct csv *c, size_t i, int64_t *v);
bool csv_uint(const struct csv *c, size_t i, uint64_t *v); /* also "0x7f…" */
bool csv_num(const struct csv *c, size_t i, double *v);

/* A row with more fields than the header: field i takes the surplus, as the text it was. */
void csv_join(struct csv *c, size_t i);

/* False with GS_E_FORMAT and "…, line L", or GS_E_IO when the stream failed. */
bool csv_end(const struct csv *c, struct gs_error *err);

#endif
