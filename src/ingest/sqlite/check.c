#include "ingest/sqlite/pages.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/*
 * What SQLite would walk is walked here first: SQLite trusts that trees are trees, and goes round
 * in circles, or through one page a billion times, where they are not.
 */
enum { SMALLEST_CELL = 4 };

struct check {
    const struct pages *pages;
    struct tree_check *out;
    uint8_t *seen, *buf; /* PAGES_DEEPEST pages */
    uint32_t root;
    bool is_index;
};

static bool bad(struct check *c, uint32_t number, const char *what)
{
    snprintf(c->out->why, sizeof(c->out->why), "page %u %s", number, what);
    return false;
}

static bool claim(struct check *c, uint32_t number)
{
    if (number < 1 || number > c->pages->n_pages)
        return bad(c, number, "does not exist");
    uint8_t bit = (uint8_t)(1u << (number & 7));
    if ((c->seen[number >> 3] & bit) || !pages_own(c->pages, number, c->root))
        return bad(c, number, "is used twice");
    c->seen[number >> 3] |= bit;
    return true;
}

/* Bytes of a record of `payload` bytes that are kept on the page itself. */
static uint64_t local_bytes(const struct check *c, uint64_t payload)
{
    uint64_t usable = c->pages->usable, least = (usable - 12) * 32 / 255 - 23;
    uint64_t most = c->is_index ? (usable - 12) * 64 / 255 - 23 : usable - 35;
    if (payload <= most)
        return payload;
    uint64_t local = least + (payload - least) % (usable - 4);
    return (local <= most ? local : least) + 4; /* and the number of the page that goes on */
}

/* The size of a cell, 0 when it is none; adds its record to the sum. */
static uint64_t cell_size(struct check *c, const uint8_t *cell, const uint8_t *end, bool leaf)
{
    uint64_t payload = 0, rowid;
    const uint8_t *at = cell + (leaf ? 0 : 4);
    if (leaf || c->is_index) {
        unsigned n = varint_read(at, end, &payload);
        if (!n || payload > INT32_MAX)
            return 0;
        at += n;
        c->out->rows++;
        c->out->bytes += payload;
    }
    if (!c->is_index) {
        unsigned n = varint_read(at, end, &rowid);
        if (!n)
            return 0;
        at += n;
    }
    uint64_t size = (uint64_t)(at - cell) + (leaf || c->is_index ? local_bytes(c, payload) : 0);
    return size < SMALLEST_CELL ? SMALLEST_CELL : size;
}

/* Cells lie side by side: whoever lets them overlap has more rows than the file has room for. */
static bool check_cells(struct check *c, uint32_t number, const struct tree_page *t)
{
    const uint8_t *end = t->page + c->pages->usable;
    uint64_t used = t->content;
    for (uint32_t i = 0; i < t->n_cells; i++) {
        uint32_t at = tree_cell(t, i);
        if (at < t->content || at + SMALLEST_CELL > c->pages->usable)
            return bad(c, number, "has a cell outside of it");
        uint64_t size = cell_size(c, t->page + at, end, t->is_leaf);
        if (!size || at + size > c->pages->usable)
            return bad(c, number, "has a malformed cell");
        used += size;
    }
    if (used > c->pages->usable)
        return bad(c, number, "has cells that overlap");
    uint64_t file = (uint64_t)c->pages->n_pages * c->pages->page_size;
    return c->out->bytes <= file || bad(c, number, "shares its overflow pages with others");
}

static bool check_page(struct check *c, uint32_t number, int depth)
{
    struct tree_page t;
    if (depth >= PAGES_DEEPEST)
        return bad(c, number, "is too deep in a tree");
    uint8_t *page = c->buf + (size_t)depth * c->pages->page_size;
    if (!claim(c, number))
        return false;
    if (!pages_fetch(c->pages, number, page) || !tree_open(c->pages, page, number, &t))
        return bad(c, number, "is no page of a table");
    if (!depth)
        c->is_index = t.is_index;
    if (t.is_index != c->is_index)
        return bad(c, number, "is of another kind than the tree it is in");
    if (!check_cells(c, number, &t))
        return false;
    for (uint32_t i = 0; !t.is_leaf && i <= t.n_cells; i++)
        if (!check_page(c, tree_child(&t, i), depth + 1))
            return false;
    return true;
}

bool pages_check(const struct pages *p, uint32_t root, struct tree_check *out)
{
    struct check c = {.pages = p, .out = out, .root = root};
    *out = (struct tree_check){0};
    size_t bits = (size_t)p->n_pages / 8 + 1;
    c.seen = mem_try_alloc(bits);
    c.buf = mem_try_alloc((size_t)PAGES_DEEPEST * p->page_size);
    out->lacks_memory = !c.seen || !c.buf;
    if (!out->lacks_memory)
        memset(c.seen, 0, bits);
    bool ok = !out->lacks_memory && check_page(&c, root, 0);
    mem_free(c.seen);
    mem_free(c.buf);
    return ok;
}
