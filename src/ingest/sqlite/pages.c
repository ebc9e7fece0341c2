#include "ingest/sqlite/pages.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>

#include "base/fs.h"

enum {
    LEAF_TABLE = 13,
    INTERIOR_TABLE = 5,
    LEAF_INDEX = 10,
    INTERIOR_INDEX = 2,
    LEAF_HEADER = 8,
    INTERIOR_HEADER = 12,
    SMALLEST_CELL = 4,
};

static uint32_t be16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

bool pages_init(struct pages *p, const uint8_t *data, size_t size, const int *fds)
{
    if (size < PAGES_HEADER || memcmp(data, "SQLite format 3", 16))
        return false;
    uint32_t page_size = be16(data + 16);
    if (page_size == 1)
        page_size = 65536;
    if (page_size < 512 || (page_size & (page_size - 1)) || size % page_size)
        return false;
    uint32_t usable = page_size - data[20];
    if (usable < 480 || data[21] != 64 || data[22] != 32 || data[23] != 32)
        return false;
    uint64_t n_pages = size / page_size;
    if (n_pages > UINT32_MAX)
        return false;
    *p = (struct pages){.data = fds ? NULL : data,
                        .fds = fds,
                        .page_size = page_size,
                        .usable = usable,
                        .n_pages = (uint32_t)n_pages,
                        .utf8 = be32(data + 56) == 1};
    return true;
}

static const uint8_t *page_at(const struct pages *p, uint32_t number)
{
    if (!p->data || number < 1 || number > p->n_pages)
        return NULL;
    return p->data + (size_t)(number - 1) * p->page_size;
}

/* The b-tree header of a page: page 1 has the file header before it. */
static const uint8_t *header_of(const uint8_t *page, uint32_t number)
{
    return number == 1 ? page + PAGES_HEADER : page;
}

/* How many bytes, or -1. */
static ptrdiff_t read_some(const struct pages *p, int worker, uint8_t *buf, size_t n, off_t at)
{
    ptrdiff_t got = fs_read_at(p->fds[worker], buf, n, (uint64_t)at);
    if (got < 0 && p->problem)
        *p->problem = errno;
    return got;
}

static bool read_all(const struct pages *p, int worker, uint8_t *buf, size_t n, off_t at)
{
    return read_some(p, worker, buf, n, at) == (ptrdiff_t)n;
}

bool pages_fetch(const struct pages *p, uint32_t number, uint8_t *buf)
{
    if (number < 1 || number > p->n_pages)
        return false;
    if (p->data) {
        memcpy(buf, page_at(p, number), p->page_size);
        return true;
    }
    off_t at = (off_t)(number - 1) * p->page_size;
    if (p->view)
        return p->view(p->view_of, (uint64_t)at, buf, p->page_size);
    ptrdiff_t got = read_some(p, 0, buf, p->page_size, at);
    if (got < 0)
        return false;
    memset(buf + got, 0, p->page_size - (size_t)got);
    return true;
}

bool tree_open(const struct pages *p, const uint8_t *page, uint32_t number, struct tree_page *out)
{
    const uint8_t *header = header_of(page, number);
    uint8_t type = header[0];
    *out = (struct tree_page){.page = page, .header = header, .n_cells = be16(header + 3)};
    out->is_leaf = type == LEAF_TABLE || type == LEAF_INDEX;
    out->is_index = type == LEAF_INDEX || type == INTERIOR_INDEX;
    if (!out->is_leaf && type != INTERIOR_TABLE && type != INTERIOR_INDEX)
        return false;
    out->content = (uint32_t)(header - page) + (out->is_leaf ? LEAF_HEADER : INTERIOR_HEADER) +
                   out->n_cells * 2;
    return out->content <= p->usable;
}

uint32_t tree_cell(const struct tree_page *t, uint32_t i)
{
    return be16(t->header + (t->is_leaf ? LEAF_HEADER : INTERIOR_HEADER) + 2 * (size_t)i);
}

uint32_t tree_child(const struct tree_page *t, uint32_t i)
{
    return be32(i < t->n_cells ? t->page + tree_cell(t, i) : t->header + 8);
}

struct walk {
    const struct pages *pages;
    uint32_t root;
    struct leaf_list *out;
    struct arena *arena;
    uint8_t *seen;               /* one bit a page: a page is visited once, cycles end there */
    uint8_t *buf[PAGES_DEEPEST]; /* the page being walked, by depth */
    int leaf_depth;              /* where the leaves are; -1: not met yet */
    uint64_t about;              /* leaves, if all pages have as many children as the first ones */
};

static bool mark_seen(struct walk *w, uint32_t number)
{
    if (number < 1 || number > w->pages->n_pages)
        return false;
    uint8_t bit = (uint8_t)(1u << (number & 7));
    if ((w->seen[number >> 3] & bit) || !pages_own(w->pages, number, w->root))
        return false;
    w->seen[number >> 3] |= bit;
    return true;
}

/* A page above the leaves. */
static const uint8_t *fetch(struct walk *w, uint32_t number, int depth)
{
    const struct pages *p = w->pages;
    if (!p->fds)
        return page_at(p, number);
    if (!w->buf[depth])
        w->buf[depth] = arena_array(w->arena, uint8_t, p->page_size);
    off_t at = (off_t)(number - 1) * p->page_size;
    return read_all(p, 0, w->buf[depth], p->page_size, at) ? w->buf[depth] : NULL;
}

static bool walk_tree(struct walk *w, uint32_t number, int64_t last_rowid, int depth);

static inline bool walk_child(struct walk *w, uint32_t number, int64_t last_rowid, int depth)
{
    if (depth != w->leaf_depth)
        return walk_tree(w, number, last_rowid, depth);
    if (!mark_seen(w, number))
        return false;
    vec_push(w->out, w->arena, ((struct leaf_ref){number, last_rowid}));
    return true;
}

static bool walk_interior(struct walk *w, const uint8_t *page, const uint8_t *header,
                          int64_t last_rowid, int depth)
{
    const struct pages *p = w->pages;
    uint32_t n = be16(header + 3);
    const uint8_t *pointers = header + INTERIOR_HEADER;
    size_t content = (size_t)(pointers - page) + (size_t)n * 2;
    if (content > p->usable)
        return false;
    if (w->leaf_depth < 0 && w->about <= p->n_pages)
        w->about *= n + 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = be16(pointers + 2 * i);
        uint64_t key;
        if (at < content || at + 5 > p->usable ||
            !varint_read(page + at + 4, page + p->usable, &key))
            return false;
        if (!walk_child(w, be32(page + at), (int64_t)key, depth + 1))
            return false;
    }
    return walk_child(w, be32(header + 8), last_rowid, depth + 1);
}

/*
 * All leaves are equally deep, so only the first is looked at: the others, nearly all of the file,
 * are touched later and in parallel. leaf_open() notices when one is no leaf.
 */
static bool walk_tree(struct walk *w, uint32_t number, int64_t last_rowid, int depth)
{
    if (depth >= PAGES_DEEPEST || !mark_seen(w, number))
        return false;
    const uint8_t *page = fetch(w, number, depth);
    const uint8_t *header = page ? header_of(page, number) : NULL;
    if (header && header[0] == INTERIOR_TABLE)
        return walk_interior(w, page, header, last_rowid, depth);
    if (!header || header[0] != LEAF_TABLE || w->leaf_depth >= 0)
        return false;
    w->leaf_depth = depth;
    vec_reserve(w->out, w->arena, w->about < w->pages->n_pages ? w->about : w->pages->n_pages);
    vec_push(w->out, w->arena, ((struct leaf_ref){number, last_rowid}));
    return true;
}

bool pages_leaves(const struct pages *p, uint32_t root, struct leaf_list *out, struct arena *a)
{
    struct walk w = {
        .pages = p, .root = root, .out = out, .arena = a, .leaf_depth = -1, .about = 1};
    w.seen = arena_array(a, uint8_t, (size_t)p->n_pages / 8 + 1);
    return walk_tree(&w, root, INT64_MAX, 0);
}

bool leaf_open_at(const struct pages *p, const uint8_t *page, uint32_t number, struct leaf *out)
{
    const uint8_t *header = header_of(page, number);
    if (header[0] != LEAF_TABLE)
        return false;
    *out = (struct leaf){page, header + LEAF_HEADER, be16(header + 3), 0};
    out->content_start = (uint32_t)(out->pointers - page) + out->n_cells * 2;
    return out->content_start + out->n_cells * SMALLEST_CELL <= p->usable;
}

bool pages_count(const struct pages *p, int worker, uint32_t number, uint32_t *n_cells)
{
    uint8_t read[LEAF_HEADER];
    const uint8_t *header = read;
    if (number < 1 || number > p->n_pages)
        return false;
    off_t at = (off_t)(number - 1) * p->page_size + (number == 1 ? PAGES_HEADER : 0);
    if (p->data)
        header = p->data + at;
    else if (!read_all(p, worker, read, sizeof(read), at))
        return false;
    *n_cells = be16(header + 3);
    return header[0] == LEAF_TABLE && *n_cells * (SMALLEST_CELL + 2) <= p->usable;
}

bool leaf_open(const struct pages *p, uint32_t number, struct leaf *out)
{
    const uint8_t *page = page_at(p, number);
    return page && leaf_open_at(p, page, number, out);
}

bool pages_read(const struct pages *p, int worker, const struct leaf_ref *leaves, size_t n,
                uint8_t *buf)
{
    for (size_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && leaves[i + run].page == leaves[i].page + run;)
            run++;
        if (leaves[i].page < 1 || leaves[i].page + run - 1 > p->n_pages ||
            !read_all(p, worker, buf + i * p->page_size, run * p->page_size,
                      (off_t)(leaves[i].page - 1) * p->page_size))
            return false;
    }
    return true;
}

/* Any cell, each byte checked. */
static bool odd_cell(const struct pages *p, const uint8_t *c, const uint8_t *end, struct cell *out)
{
    uint64_t payload, rowid;
    unsigned n = varint_read(c, end, &payload);
    unsigned m = n ? varint_read(c + n, end, &rowid) : 0;
    if (!m)
        return false;
    c += n + m;
    uint64_t local = payload;
    if (payload > p->usable - 35) {
        /* The record continues on overflow pages; this much of it stays here. */
        uint64_t least = (p->usable - 12) * 32 / 255 - 23;
        local = least + (payload - least) % (p->usable - 4);
        if (local > p->usable - 35)
            local = least;
        if (payload > INT32_MAX || c + local + 4 > end)
            return false;
    } else if (c + local > end) {
        return false;
    }
    *out = (struct cell){(int64_t)rowid, c, (uint32_t)local, (uint32_t)payload};
    return true;
}

/* A varint of up to four bytes, as nearly all are; 0 for longer ones. Reads four bytes. */
static inline unsigned short_varint(const uint8_t *p, uint32_t *out)
{
    uint32_t v = p[0] & 0x7fu;
    unsigned n = 1;
    for (; p[n - 1] & 0x80; n++) {
        if (n == 4)
            return 0;
        v = v << 7 | (p[n] & 0x7fu);
    }
    *out = v;
    return n;
}

/* A cell with a short record and a rowid of up to 28 bits; false for others. */
static inline bool plain_cell(const struct pages *p, const uint8_t *c, const uint8_t *end,
                              struct cell *out)
{
    uint32_t payload, rowid;
    if (end - c < 8) /* so that both numbers can be read unchecked */
        return false;
    unsigned n = short_varint(c, &payload);
    unsigned m = n ? short_varint(c + n, &rowid) : 0;
    c += n + m;
    if (!m || payload > p->usable - 35 || payload > end - c)
        return false;
    *out = (struct cell){rowid, c, payload, payload};
    return true;
}

bool leaf_cells(const struct pages *p, const struct leaf *l, uint32_t first, uint32_t n,
                struct cell *out)
{
    const uint8_t *end = l->page + p->usable;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = be16(l->pointers + 2 * (first + i));
        if (at < l->content_start || at >= p->usable)
            return false;
        const uint8_t *c = l->page + at;
        if (!plain_cell(p, c, end, &out[i]) && !odd_cell(p, c, end, &out[i]))
            return false;
    }
    return true;
}
