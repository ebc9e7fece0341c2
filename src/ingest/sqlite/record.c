#include "ingest/sqlite/record.h"

#include <string.h>

enum { HEADER_MAX = 64, CACHE_SIZE = 1024 };

/* How one header's wanted values are found; offsets count from the start of the record. */
struct layout {
    uint8_t header[HEADER_MAX + 8]; /* whole words can be read */
    uint8_t header_len;             /* 0: the slot is free */
    bool usable;
    uint8_t n_loads, n_consts, n_others;
    uint32_t need; /* bytes of the record that must be on the page */
    struct {
        uint32_t offset;
        uint8_t col, shift;
    } load[RECORD_COLS]; /* integers of 1 to 8 bytes into SCAN_INT */
    struct {
        int64_t value;
        uint8_t col;
    } fixed[RECORD_COLS]; /* 0, 1 and NULL into SCAN_INT */
    struct {
        uint32_t offset;
        uint8_t col;
        uint64_t serial;
    } other[RECORD_COLS]; /* reals and texts */
};

struct decoder {
    const struct record_plan *plan;
    struct layout *cache, *last;
    uint8_t rowid_col[RECORD_COLS];
    unsigned n_rowids;
    struct layout scratch; /* for headers too long to cache */
};

struct decoder *decoder_new(const struct record_plan *plan, struct arena *a)
{
    struct decoder *d = arena_new(a, struct decoder);
    d->plan = plan;
    for (size_t i = 0; i < plan->n; i++)
        if (plan->col[i].is_rowid)
            d->rowid_col[d->n_rowids++] = (uint8_t)i;
    d->cache = arena_array(a, struct layout, CACHE_SIZE);
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
    if (offset + serial_bytes(serial) > INT32_MAX || serial == 10 || serial == 11)
        return false;
    if (offset + serial_bytes(serial) > l->need)
        l->need = (uint32_t)(offset + serial_bytes(serial));
    if (plan->col[c].is_rowid)
        return serial == 0;
    if (type == SCAN_INT) {
        if (serial >= 7 && serial != 8 && serial != 9)
            return false;
        if (serial >= 1 && serial <= 6) {
            l->load[l->n_loads].offset = (uint32_t)offset;
            l->load[l->n_loads].col = (uint8_t)c;
            l->load[l->n_loads++].shift = (uint8_t)(64 - 8 * serial_bytes(serial));
            return true;
        }
        l->fixed[l->n_consts].col = (uint8_t)c;
        l->fixed[l->n_consts++].value = serial ? (int64_t)serial - 8 : plan->col[c].otherwise;
        return true;
    }
    if (type == SCAN_TEXT && serial != 0 && (serial < 13 || serial % 2 == 0))
        return false;
    if (type == SCAN_REAL && serial > 9)
        return false;
    l->other[l->n_others].offset = (uint32_t)offset;
    l->other[l->n_others].col = (uint8_t)c;
    l->other[l->n_others++].serial = serial;
    return true;
}

static bool build(struct layout *l, const struct record_plan *plan, const uint8_t *record,
                  uint64_t header_len, uint32_t local)
{
    l->usable = false;
    l->n_loads = l->n_consts = l->n_others = 0;
    l->need = 0;
    uint64_t serial;
    if (header_len > local)
        return false;
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

static bool same_header(const struct layout *l, const uint8_t *header, uint64_t n)
{
    if (l->header_len != n)
        return false;
    uint64_t i = 0;
    for (; i + 8 < n; i += 8)
        if (word_at(l->header + i) != word_at(header + i))
            return false;
    return !((word_at(l->header + i) ^ word_at(header + i)) & tail_mask(n));
}

/* Headers differ in few bytes, anywhere: every byte counts, eight at a time. */
static size_t slot_of(const uint8_t *header, uint64_t n)
{
    uint64_t h = n;
    for (uint64_t i = 0; i < n; i += 8) {
        uint64_t w = word_at(header + i);
        h = (h ^ (i + 8 < n ? w : w & tail_mask(n))) * UINT64_C(0x9fb21c651e98df25);
        h ^= h >> 32;
    }
    return h % CACHE_SIZE;
}

static const struct layout *layout_of(struct decoder *d, const struct cell *c)
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
    struct layout *l = d->last;
    if (l && same_header(l, c->record, header_len))
        return l->usable ? l : NULL;
    d->last = l = &d->cache[slot_of(c->record, header_len)];
    if (!same_header(l, c->record, header_len)) {
        build(l, d->plan, c->record, header_len, c->local);
        l->header_len = (uint8_t)header_len;
        memcpy(l->header, c->record, header_len);
    }
    return l->usable ? l : NULL;
}

static int64_t load_int(const uint8_t *p, unsigned shift)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v)); /* may read past the value: the mapping has slack behind it */
    return (int64_t)__builtin_bswap64(v) >> shift;
}

static double load_real(const uint8_t *p, uint64_t serial, int64_t otherwise)
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

bool decoder_row(struct decoder *d, const struct cell *c, void *const *out, size_t row)
{
    const struct layout *l = layout_of(d, c);
    if (!l || l->need > c->local)
        return false;
    for (unsigned i = 0; i < l->n_loads; i++)
        ((int64_t *)out[l->load[i].col])[row] =
            load_int(c->record + l->load[i].offset, l->load[i].shift);
    for (unsigned i = 0; i < l->n_consts; i++)
        ((int64_t *)out[l->fixed[i].col])[row] = l->fixed[i].value;
    for (unsigned i = 0; i < l->n_others; i++) {
        unsigned col = l->other[i].col;
        const uint8_t *p = c->record + l->other[i].offset;
        uint64_t serial = l->other[i].serial;
        if (d->plan->col[col].type == SCAN_TEXT)
            ((struct slice *)out[col])[row] =
                serial ? (struct slice){(const char *)p, serial_bytes(serial)} : (struct slice){0};
        else
            ((double *)out[col])[row] = load_real(p, serial, d->plan->col[col].otherwise);
    }
    for (unsigned i = 0; i < d->n_rowids; i++)
        ((int64_t *)out[d->rowid_col[i]])[row] = c->rowid;
    return true;
}
