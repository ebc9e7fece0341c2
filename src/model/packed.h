/*
 * Packed columns: numbers that hardly anybody reads, in little room.
 *
 * By blocks of 256 rows: a line from the first value to the last, and how far each lies off it, in
 * as many bytes as that takes. Ids that count up take none, those with holes one or two instead of
 * eight.
 *
 *     struct packed p;
 *     packed_make(&p, values, 8, n);
 *     packed_get(&p, row)
 *
 * Values of four bytes are taken for unsigned, of eight for signed. Ownership: the column's own, until packed_release().
 * Thread-safety: read-only once made.
 */
#ifndef GS_MODEL_PACKED_H
#define GS_MODEL_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PACKED_ROWS = 256 };

/* Row i of it is base + i * step + the i-th number at `at`; all of that may wrap around. */
struct packed_block {
    uint64_t base, step;
    size_t at;
    unsigned width; /* bytes of such a number: 0, 1, 2, 4 or 8 */
};

struct packed {
    struct packed_block *blocks; /* and behind them the numbers */
    const uint8_t *data;
    size_t bytes; /* of all that */
};

/* `size`: 4 or 8, of a value. */
void packed_make(struct packed *p, const void *values, size_t size, size_t n);
void packed_release(struct packed *p);

static inline int64_t packed_get(const struct packed *p, size_t row)
{
    const struct packed_block *b = &p->blocks[row / PACKED_ROWS];
    size_t i = row % PACKED_ROWS;
    const uint8_t *at = p->data + b->at + i * b->width;
    uint64_t off = 0;
    uint32_t off4;
    uint16_t off2;
    switch (b->width) {
    case 1:
        off = *at;
        break;
    case 2:
        memcpy(&off2, at, sizeof(off2));
        off = off2;
        break;
    case 4:
        memcpy(&off4, at, sizeof(off4));
        off = off4;
        break;
    case 8:
        memcpy(&off, at, sizeof(off));
    }
    return (int64_t)(b->base + i * b->step + off);
}

#endif
