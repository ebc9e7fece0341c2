/*
 * Pages: a bounds-checked walk over the pages of an SQLite database.
 *
 * Only what bulk reading needs: the leaf pages of one rowid table in order, and the cells on them.
 * Everything is checked against the page and the file; any doubt makes a function return false
 * and the caller reads the table through libsqlite3, whose word is final.
 *
 * Thread-safety: read-only after pages_init(), all threads may use it.
 */
#ifndef GS_INGEST_SQLITE_PAGES_H
#define GS_INGEST_SQLITE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

enum { PAGES_HEADER = 100, PAGES_DEEPEST = 21 /* SQLite refuses deeper trees as well */ };

struct pages {
    const uint8_t *data; /* the whole file in memory; NULL: read it */
    const int *fds;      /* the file for each worker */
    /* Where the file is not what SQLite sees: reads that, for pages_fetch() only. NULL: the file */
    bool (*view)(void *of, uint64_t at, uint8_t *buf, size_t n);
    void *view_of;
    uint32_t page_size, usable;
    uint32_t n_pages;
    bool utf8;
    uint32_t *owner; /* by page: the root of the tree it belongs to, 0: not known. May be NULL */
    _Atomic int *problem; /* errno of a read that failed. May be NULL */
};

/*
 * False when the header is no plain database header. With fds, data is only the header, of
 * PAGES_HEADER bytes, and the pages are read from the file when they are wanted: never
 * through a mapping, since a file that is cut meanwhile would end the process.
 */
bool pages_init(struct pages *p, const uint8_t *data, size_t size, const int *fds);

/* False when the page is known to belong to another tree; else it belongs to this one. */
static inline bool pages_own(const struct pages *p, uint32_t number, uint32_t root)
{
    if (!p->owner)
        return true;
    if (!p->owner[number])
        p->owner[number] = root;
    return p->owner[number] == root;
}

/* Reads a page into buf, which has room for one; zeros stand for what lies behind the end. */
bool pages_fetch(const struct pages *p, uint32_t number, uint8_t *buf);

/* A page of a table's or an index's tree, opened: cells 0 .. n_cells - 1. */
struct tree_page {
    const uint8_t *page, *header;
    uint32_t n_cells;
    uint32_t content; /* first byte a cell may start at */
    bool is_leaf, is_index;
};
bool tree_open(const struct pages *p, const uint8_t *page, uint32_t number, struct tree_page *out);
uint32_t tree_cell(const struct tree_page *t, uint32_t i); /* where cell i starts */
/* Child i of a page that is no leaf; there is one more than cells. Its cells must be within it. */
uint32_t tree_child(const struct tree_page *t, uint32_t i);

/*
 * Whether the tree at root is one: every page of it exists, is used once and by no other tree, and
 * has room for its cells; all records together are not longer than the file. Visits every page.
 */
struct tree_check {
    uint64_t rows, bytes; /* records, and their length in all */
    bool lacks_memory;
    char why[96]; /* "page 7 is used twice" */
};
bool pages_check(const struct pages *p, uint32_t root, struct tree_check *out);

/*
 * The leaf pages of the table b-tree at root, in key order. The page above a leaf knows the
 * largest rowid on it; only the last leaf's is not known (then it is INT64_MAX).
 */
struct leaf_ref {
    uint32_t page;
    int64_t last_rowid;
};
struct leaf_list {
    struct leaf_ref *v;
    size_t n, cap;
};
bool pages_leaves(const struct pages *p, uint32_t root, struct leaf_list *out, struct arena *a);

/* How many cells a leaf says it has; reads only its first bytes. */
bool pages_count(const struct pages *p, int worker, uint32_t number, uint32_t *n_cells);

/* A leaf page, opened: cells are numbered 0 .. n_cells - 1. */
struct leaf {
    const uint8_t *page;
    const uint8_t *pointers;
    uint32_t n_cells;
    uint32_t content_start; /* first byte a cell may start at */
};
bool leaf_open(const struct pages *p, uint32_t number, struct leaf *out); /* in memory only */

/*
 * Reads n leaves into buf (n pages and FS_SLACK bytes); those next to each other at once. Faster
 * than the mapping for pages that are visited once: no page faults, and the data is warm.
 */
bool pages_read(const struct pages *p, int worker, const struct leaf_ref *leaves, size_t n,
                uint8_t *buf);
/* The same for a page in a buffer. */
bool leaf_open_at(const struct pages *p, const uint8_t *page, uint32_t number, struct leaf *out);

/* One cell: where its record starts, how much of it lies on this page, how long it is. */
struct cell {
    int64_t rowid;
    const uint8_t *record;
    uint32_t local;   /* bytes of the record on this page */
    uint32_t payload; /* bytes of the record in all */
};
/* Cells [first, first + n); false when one of them is malformed. */
bool leaf_cells(const struct pages *p, const struct leaf *l, uint32_t first, uint32_t n,
                struct cell *out);

/* Reads a varint of at most 9 bytes that must end before `end`; returns its length or 0. */
static inline unsigned varint_read(const uint8_t *p, const uint8_t *end, uint64_t *out)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++) {
        if (p + i >= end)
            return 0;
        v = v << 7 | (p[i] & 0x7f);
        if (!(p[i] & 0x80)) {
            *out = v;
            return i + 1;
        }
    }
    if (p + 8 >= end)
        return 0;
    *out = v << 8 | p[8];
    return 9;
}

#endif
