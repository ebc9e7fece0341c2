#include "ingest/sqlite/record.h"

#include <string.h>

enum { HEADER_MAX = 64, CACHE_SIZE = 512, SHORT_RUN = 4 };

/*
 * How one header's wanted values are found; offsets count from the start of the record. Small, so
 * that the layouts of a table whose rows differ stay in the nearest cache.
 */
struct layout {
    uint8_t header[HEADER_MAX];
    uint64_t tail;      /* which bytes of the last word belong to the header */
    uint32_t need;      /* bytes of the record that must be on the page */
    uint8_t header_len; /* 0: not made yet */
    bool usable;
    uint8_t n_loads, n_consts, n_others;
    struct {
        uint16_t offset;
        uint8_t col, shift;
    } load[RECORD_COLS]; /* integers of 1 to 8 bytes into SCAN_INT */
    uint8_t const_col[RECORD_COLS];
    int64_t const_value[RECORD_COLS]; /* 0, 1 and NULL into SCAN_INT */
    struct {
        uint16_t offset;
        uint8_t col, serial; /* of a text: 13 */
        uint32_t bytes;
    } other[RECORD_COLS]; /* reals and texts */
};

struct decoder {
    const struct record_plan *plan;
    struct arena *arena;
    struct layout *cache[CACHE_SIZE], *last; /* layouts are made when first met */
    uint8_t rowid_col[RECORD_COLS];
    unsigned n_rowids;
    struct layout scratch; /* for headers too long to cache */
};

struct decoder *decoder_new(const struct record_plan *plan, struct arena *a)
{
    struct decoder *d = arena_new(a, struct decoder);
    d->plan = plan;
    d->arena = a;
    for (size_t i = 0; i < plan->n; i++)
        if (plan->col[i].is_rowid)
            d->rowid_col[d->n_rowids++] = (uint8_t)i;
    return d;
}

static uint64_t serial_bytes(uint64_t serial)
{
    static const uint8_t small[12] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return serial < 12 ? small[serial] : (serial - 12) / 2;
}

/* Adds one field to the layout; false when the value is not of the kind the column wants. */
static bool add_field(struct layout *l, const struct record_plan *plan, size_t c, uint64_t serial,
                      uint64_t offset)
{
    enum scan_type type = plan->col[c].type;
    if (offset > UINT16_MAX || serial == 10 || serial == 11) /* no page is longer */
        return false;
    if (offset + serial_bytes(serial) > INT32_MAX)
        return false;
    uint64_t need = offset + (plan->col[c].is_front ? 0 : serial_bytes(serial));
    if (need > l->need)
        l->need = (uint32_t)need;
    if (plan->col[c].is_rowid)
        return serial == 0;
    if (type == SCAN_INT) {
        if (serial >= 7 && serial != 8 && serial != 9)
            return false;
        if (serial >= 1 && serial <= 6) {
            l->load[l->n_loads].offset = (uint16_t)offset;
            l->load[l->n_loads].col = (uint8_t)c;
            l->load[l->n_loads++].shift = (uint8_t)(64 - 8 * serial_bytes(serial));
            return true;
        }
        l->const_col[l->n_consts] = (uint8_t)c;
        l->const_value[l->n_consts++] = serial ? (int64_t)serial - 8 : plan->col[c].otherwise;
        return true;
    }
    if (type == SCAN_TEXT && serial != 0 && (serial < 13 || serial % 2 == 0))
        return false;
    if (type == SCAN_REAL && serial > 9)
        return false;
    l->other[l->n_others].offset = (uint16_t)offset;
    l->other[l->n_others].col = (uint8_t)c;
    l->other[l->n_others].bytes = (uint32_t)serial_bytes(serial);
    l->other[l->n_others++].serial = (uint8_t)(serial < 13 ? serial : 13);
    return true;
}

static bool build(struct layout *l, const struct record_plan *plan, const uint8_t *record,
                  uint64_t header_len, uint32_t local)
{
    l->usable = false;
    l->n_loads = l->n_consts = l->n_others = 0;
    uint64_t serial;
    if (header_len > local)
        return false;
    l->need = (uint32_t)header_len;
    const uint8_t *at = record, *end = record + header_len;
    at += varint_read(at, end, &serial); /* the length itself */
    uint64_t offset = header_len;
    size_t found = 0;
    for (uint32_t field = 0; at < end; field++) {
        unsigned n = varint_read(at, end, &serial);
        if (!n)
            return false;
        at += n;
        for (size_t c = 0; c < plan->n; c++) {
            if (plan->col[c].field != field)
                continue;
            if (!add_field(l, plan, c, serial, offset))
                return false;
            found++;
        }
        if (serial_bytes(serial) > INT32_MAX)
            return false;
        offset += serial_bytes(serial);
    }
    return l->usable = found == plan->n;
}

static uint64_t word_at(const uint8_t *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof(w)); /* bytes behind the header belong to the record or the slack */
    return w;
}

/* The bytes of the last, partial word that belong to the header. */
static uint64_t tail_mask(uint64_t n)
{
    return n % 8 ? (UINT64_C(1) << 8 * (n % 8)) - 1 : UINT64_MAX;
}

/* The header's first byte is its length, so that equal bytes make equal headers. */
static inline bool same_header(const struct layout *l, const uint8_t *header)
{
    size_t i = 0, last = (l->header_len - 1u) & ~7u;
    for (; i < last; i += 8)
        if (word_at(l->header + i) != word_at(header + i))
            return false;
    return !((word_at(l->header + i) ^ word_at(header + i)) & l->tail);
}

/* Headers differ in few bytes, anywhere: every byte counts, eight at a time. */
static size_t slot_of(const uint8_t *header, uint64_t n)
{
    uint64_t h = n, factor = UINT64_C(0x9fb21c651e98df25);
    uint64_t i = 0;
    for (; i + 8 < n; i += 8, factor += UINT64_C(0x3c6ef372fe94f82a))
        h += (word_at(header + i) ^ word_at(header + i) >> 29) * factor;
    uint64_t w = word_at(header + i) & tail_mask(n);
    h += (w ^ w >> 29) * factor;
    return h >> 32 & (CACHE_SIZE - 1);
}

static struct layout *find_layout(struct decoder *d, const struct cell *c)
{
    if (!c->local)
        return NULL;
    uint64_t header_len = c->record[0];
    if (header_len > HEADER_MAX || header_len > c->local) {
        if (!varint_read(c->record, c->record + c->local, &header_len))
            return NULL;
        return build(&d->scratch, d->plan, c->record, header_len, c->local) ? &d->scratch : NULL;
    }
    if (!header_len)
        return NULL;
    struct layout **slot = &d->cache[slot_of(c->record, header_len)];
    struct layout *l = *slot ? *slot : (*slot = arena_new(d->arena, struct layout));
    if (!l->header_len || !same_header(l, c->record)) {
        build(l, d->plan, c->record, header_len, c->local);
        l->header_len = (uint8_t)header_len;
        l->tail = tail_mask(header_len);
        memcpy(l->header, c->record, header_len);
    }
    return l;
}

/* Whether the layout is this cell's as well; never for long headers, whose layout has none. */
static inline bool fits(const struct layout *l, const struct cell *c)
{
    return l->header_len && l->need <= c->local && same_header(l, c->record);
}

static inline int64_t load_int(const uint8_t *p, unsigned shift)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v)); /* may read past the value: the mapping has slack behind it */
    return (int64_t)__builtin_bswap64(v) >> shift;
}

static double load_real(const uint8_t *p, unsigned serial, int64_t otherwise)
{
    if (serial == 0)
        return (double)otherwise;
    if (serial >= 8)
        return (double)(serial - 8);
    int64_t bits = load_int(p, (unsigned)(64 - 8 * serial_bytes(serial)));
    if (serial != 7)
        return (double)bits;
    double v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

static void load_others(const struct decoder *d, const struct layout *l, const struct cell *c,
                        size_t n, void *const *out, size_t row)
{
    for (unsigned k = 0; k < l->n_others; k++) {
        unsigned col = l->other[k].col, serial = l->other[k].serial;
        size_t offset = l->other[k].offset, bytes = l->other[k].bytes;
        for (size_t i = 0; i < n; i++) {
            const uint8_t *p = c[i].record + offset;
            size_t here = c[i].local - offset;
            if (d->plan->col[col].type == SCAN_REAL)
                ((double *)out[col])[row + i] = load_real(p, serial, d->plan->col[col].otherwise);
            else
                ((struct slice *)out[col])[row + i] =
                    serial ? (struct slice){(const char *)p, bytes < here ? bytes : here}
                           : (struct slice){0};
        }
    }
}

/* One row: value by value. */
static void load_row(const struct layout *l, const struct cell *c, void *const *out, size_t row)
{
    unsigned n_loads = l->n_loads, n_consts = l->n_consts; /* the stores might change them */
    for (unsigned k = 0; k < n_loads; k++)
        ((int64_t *)out[l->load[k].col])[row] =
            load_int(c->record + l->load[k].offset, l->load[k].shift);
    for (unsigned k = 0; k < n_consts; k++)
        ((int64_t *)out[l->const_col[k]])[row] = l->const_value[k];
}

/* Many rows of one layout: column by column, so that place and length are known in the loop. */
static void load_run(const struct layout *l, const struct cell *c, size_t n, void *const *out,
                     size_t row)
{
    for (unsigned k = 0; k < l->n_loads; k++) {
        int64_t *to = (int64_t *)out[l->load[k].col] + row;
        size_t offset = l->load[k].offset;
        unsigned shift = l->load[k].shift;
        for (size_t i = 0; i < n; i++)
            to[i] = load_int(c[i].record + offset, shift);
    }
    for (unsigned k = 0; k < l->n_consts; k++) {
        int64_t *to = (int64_t *)out[l->const_col[k]] + row, value = l->const_value[k];
        for (size_t i = 0; i < n; i++)
            to[i] = value;
    }
}

bool decoder_rows(struct decoder *d, const struct cell *c, size_t n, void *const *out, size_t row)
{
    for (size_t from = 0, to; from < n; from = to) {
        struct layout *l = d->last;
        if (from || !l || !fits(l, c)) /* later runs begin where the layout did not fit */
            d->last = l = find_layout(d, &c[from]);
        if (!l || !l->usable || l->need > c[from].local)
            return false;
        for (to = from + 1; to < n && fits(l, &c[to]);)
            to++;
        if (to - from < SHORT_RUN)
            for (size_t i = from; i < to; i++)
                load_row(l, &c[i], out, row + i);
        else
            load_run(l, c + from, to - from, out, row + from);
        load_others(d, l, c + from, to - from, out, row + from);
    }
    for (unsigned k = 0; k < d->n_rowids; k++)
        for (size_t i = 0; i < n; i++)
            ((int64_t *)out[d->rowid_col[k]])[row + i] = c[i].rowid;
    return true;
}
