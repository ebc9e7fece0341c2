#include "model/packed.h"

#include "base/mem.h"

static uint64_t value_at(const void *values, size_t size, size_t row)
{
    return size == sizeof(uint32_t) ? ((const uint32_t *)values)[row]
                                    : ((const uint64_t *)values)[row];
}

/* The line, and the width of what lies above it, of up to so many rows. */
static struct packed_block measure(const void *values, size_t size, size_t first, size_t n)
{
    struct packed_block b = {.base = value_at(values, size, first)};
    int64_t whole = (int64_t)(value_at(values, size, first + n - 1) - b.base);
    int64_t least = 0, most = 0;
    if (n > 1)
        b.step = (uint64_t)(whole / (int64_t)(n - 1));
    for (size_t i = 0; i < n; i++) {
        int64_t off = (int64_t)(value_at(values, size, first + i) - b.base - i * b.step);
        least = off < least ? off : least;
        most = off > most ? off : most;
    }
    uint64_t range = (uint64_t)most - (uint64_t)least;
    b.base += (uint64_t)least;
    b.width = !range                ? 0
              : range <= UINT8_MAX  ? 1
              : range <= UINT16_MAX ? 2
              : range <= UINT32_MAX ? 4
                                    : 8;
    return b;
}

static void put(uint8_t *at, const struct packed_block *b, const void *values, size_t size,
                size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t off = value_at(values, size, first + i) - b->base - i * b->step;
        uint32_t off4 = (uint32_t)off;
        uint16_t off2 = (uint16_t)off;
        if (b->width == 1)
            at[i] = (uint8_t)off;
        else if (b->width == 2)
            memcpy(at + 2 * i, &off2, sizeof(off2));
        else if (b->width == 4)
            memcpy(at + 4 * i, &off4, sizeof(off4));
        else if (b->width == 8)
            memcpy(at + 8 * i, &off, sizeof(off));
    }
}

void packed_make(struct packed *p, const void *values, size_t size, size_t n)
{
    size_t n_blocks = (n + PACKED_ROWS - 1) / PACKED_ROWS, at = 0;
    struct packed_block *measured = mem_alloc((n_blocks + 1) * sizeof(*measured));
    *p = (struct packed){.blocks = measured};
    for (size_t k = 0, first = 0; first < n; k++, first += PACKED_ROWS) {
        size_t rows = n - first < PACKED_ROWS ? n - first : PACKED_ROWS;
        measured[k] = measure(values, size, first, rows);
        measured[k].at = at;
        at += rows * measured[k].width;
    }
    p->bytes = (n_blocks + 1) * sizeof(*measured) + at;
    p->blocks = mem_realloc(measured, p->bytes);
    uint8_t *data = (uint8_t *)(p->blocks + n_blocks + 1);
    p->data = data;
    for (size_t k = 0, first = 0; first < n; k++, first += PACKED_ROWS)
        put(data + p->blocks[k].at, &p->blocks[k], values, size, first,
            n - first < PACKED_ROWS ? n - first : PACKED_ROWS);
}

void packed_release(struct packed *p)
{
    mem_free(p->blocks);
    *p = (struct packed){0};
}
