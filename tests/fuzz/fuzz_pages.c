/*
 * Fuzzing the walk over the pages of a database: any bytes as a database image, every page as the
 * root of a table, every cell on every leaf, decoded by a plan with a column of each kind. Nothing
 * may be read outside of the image, and no page may come twice.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "ingest/sqlite/pages.h"
#include "ingest/sqlite/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 100, MOST_ROOTS = 32 };

static const struct record_plan plan = {
    .n = 5,
    .col = {{0, SCAN_INT, true, false, 0},
            {1, SCAN_INT, false, false, -1},
            {2, SCAN_REAL, false, false, -2},
            {3, SCAN_TEXT, false, false, 0},
            {1, SCAN_INT, false, false, 7}},
};

struct values {
    int64_t ints[3];
    double real;
    struct slice text;
};

/* What every image needs to be looked at; the rest is as it came. */
static void mend_header(uint8_t *image)
{
    unsigned page = (unsigned)(image[16] << 8 | image[17]);
    memcpy(image, "SQLite format 3", 16);
    if (page != 1 && (page < 512 || (page & (page - 1)))) {
        image[16] = 2;
        image[17] = 0;
    }
    image[20] %= 32;
    image[21] = 64;
    image[22] = image[23] = 32;
}

static void require(bool what)
{
    if (!what)
        abort();
}

static uint64_t decode(struct decoder *d, const struct cell *c)
{
    struct values v = {0};
    void *out[] = {&v.ints[0], &v.ints[1], &v.real, &v.text, &v.ints[2]};
    uint64_t sum = 0;
    if (!decoder_rows(d, c, 1, out, 0))
        return 0;
    require(v.ints[0] == c->rowid);
    require(!v.text.p || ((const uint8_t *)v.text.p >= c->record &&
                          (const uint8_t *)v.text.p + v.text.n <= c->record + c->local));
    for (size_t i = 0; i < v.text.n; i++)
        sum += (unsigned char)v.text.p[i];
    return sum;
}

static uint64_t read_leaf(const struct pages *p, uint32_t number, struct decoder *d)
{
    struct leaf leaf;
    uint64_t sum = 0;
    if (!leaf_open(p, number, &leaf))
        return 0;
    for (uint32_t i = 0; i < leaf.n_cells; i++) {
        struct cell c;
        if (!leaf_cells(p, &leaf, i, 1, &c))
            continue;
        require(c.record >= leaf.page && c.record + c.local <= leaf.page + p->usable);
        require(c.local <= c.payload);
        sum += decode(d, &c);
    }
    return sum;
}

static uint64_t read_table(const struct pages *p, uint32_t root, struct decoder *d)
{
    struct arena a;
    arena_init(&a);
    struct leaf_list leaves = {0};
    uint64_t sum = 0;
    bool ok = pages_leaves(p, root, &leaves, &a);
    require(leaves.n <= p->n_pages && (!ok || leaves.n > 0));
    uint8_t *seen = arena_array(&a, uint8_t, (size_t)p->n_pages + 1);
    for (size_t i = 0; i < leaves.n; i++) {
        require(leaves.v[i].page >= 1 && leaves.v[i].page <= p->n_pages);
        require(!seen[leaves.v[i].page]++);
        sum += read_leaf(p, leaves.v[i].page, d);
    }
    arena_release(&a);
    return sum;
}

static uint64_t read_image(const uint8_t *image, size_t size)
{
    struct pages p;
    struct arena a;
    uint64_t sum = 0;
    if (!pages_init(&p, image, size, NULL))
        return 0;
    arena_init(&a);
    struct decoder *d = decoder_new(&plan, &a);
    for (uint32_t root = 0; root <= p.n_pages + 1 && root < MOST_ROOTS; root++)
        sum += read_table(&p, root, d);
    arena_release(&a);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 512)
        return 0;
    unsigned page = (unsigned)(data[16] << 8 | data[17]);
    size_t unit = page >= 512 && !(page & (page - 1)) ? page : page == 1 ? 65536 : 512;
    size_t whole = size / unit * unit;
    uint8_t *image = calloc(1, whole + FS_SLACK); /* as a mapping has it behind the end */
    if (!image)
        return 0;
    memcpy(image, data, whole);
    if (whole >= HEADER)
        mend_header(image);
    volatile uint64_t sum = read_image(image, whole); /* all that was read is used */
    (void)sum;
    free(image);
    return 0;
}
