/* The columns of the timeline's bytes: see timeline_pack.h. */
#include <string.h>

#include "base/sat.h"
#include "render/html/timeline_pack_in.h"

enum { MOST_VARINT = 10, BATCH = 4096 };

static const char *const column_names[PACK_COLUMNS] = {
    [PACK_LENGTH] = "length", [PACK_START] = "start", [PACK_NAME] = "name", [PACK_ID] = "id",
    [PACK_LAUNCH] = "launch", [PACK_CALL] = "call",   [PACK_COPY] = "copy", [PACK_BYTES] = "bytes",
    [PACK_TIME] = "time",     [PACK_VALUE] = "value",
};

const char *pack_column_name(enum pack_column c)
{
    return column_names[c];
}

const enum pack_column *pack_columns(enum track_kind kind)
{
    static const enum pack_column columns[][8] = {
        [TRACK_KERNELS] = {PACK_LENGTH, PACK_START, PACK_NAME, PACK_ID, PACK_LAUNCH, PACK_CALL,
                           PACK_COLUMNS},
        [TRACK_COPIES] = {PACK_LENGTH, PACK_START, PACK_COPY, PACK_ID, PACK_BYTES, PACK_CALL,
                          PACK_COLUMNS},
        [TRACK_MARKERS] = {PACK_LENGTH, PACK_START, PACK_NAME, PACK_COLUMNS},
        [TRACK_CALLS] = {PACK_LENGTH, PACK_START, PACK_NAME, PACK_ID, PACK_COLUMNS},
        [TRACK_SERIES] = {PACK_TIME, PACK_VALUE, PACK_COLUMNS},
        [TRACK_PATH] = {PACK_LENGTH, PACK_START, PACK_NAME, PACK_COLUMNS},
    };
    return columns[kind];
}

/* ---- one value of a column ---- */

struct cursor {
    const struct tracks *t;
    const struct pack_tables *tables;
    const struct track *k;
    int64_t before; /* the value, or end, of the row before */
};

static uint64_t step(struct cursor *c, int64_t v)
{
    int64_t from = c->before;
    c->before = v;
    return pack_zigzag(v - from);
}

static int64_t id_of(const struct cursor *c, uint32_t row)
{
    const struct trace *t = c->t->a->trace;
    int64_t id = c->k->kind == TRACK_KERNELS  ? kernels_id_at(t, row)
                 : c->k->kind == TRACK_COPIES ? copies_id_at(t, row)
                                              : regions_id_at(t, row);
    return id < -1 || id > PACK_MOST ? -1 : id;
}

static uint32_t name_of(const struct cursor *c, uint32_t row)
{
    const struct trace *t = c->t->a->trace;
    if (c->k->kind == TRACK_KERNELS)
        return c->tables->of_symbol[t->kernels.symbol[row]];
    if (c->k->kind == TRACK_PATH)
        return c->tables->of_path[row];
    if (c->k->kind == TRACK_MARKERS)
        return c->tables->of_marker[t->markers.name[row]];
    return c->tables->of_call[view_call_place(&c->t->a->view, row)];
}

/* Place + 1 of what a row refers to; 0 for nothing. */
static int64_t reference(const uint32_t *places, size_t n, uint32_t index)
{
    return index < n ? (int64_t)(uint32_t)(places[index] + 1) : 0;
}

static uint64_t start_of(struct cursor *c, size_t i)
{
    struct span s = track_span(c->t, c->k, i);
    int64_t origin = c->t->a->view.start_ns, start = pack_limited(sub_ns(s.start, origin));
    uint64_t coded = pack_zigzag(start - c->before);
    c->before = start + pack_limited(sub_ns(s.end, s.start));
    return coded;
}

static uint64_t value_of(struct cursor *c, enum pack_column column, size_t i)
{
    const struct trace *t = c->t->a->trace;
    uint32_t row = c->k->rows[i];
    struct span s;
    switch (column) {
    case PACK_LENGTH:
        s = track_span(c->t, c->k, i);
        return (uint64_t)pack_limited(sub_ns(s.end, s.start));
    case PACK_START:
        return start_of(c, i);
    case PACK_NAME:
        return name_of(c, row);
    case PACK_ID:
        return step(c, id_of(c, row));
    case PACK_LAUNCH:
        return step(c, reference(c->tables->of_launch, t->launches.n, kernels_launch_at(t, row)));
    case PACK_CALL:
        return step(
            c, reference(c->tables->of_region, t->regions.n,
                         c->k->kind == TRACK_KERNELS ? t->kernels.call[row] : t->copies.call[row]));
    case PACK_COPY:
        return t->copies.kind[row];
    case PACK_BYTES:
        return t->copies.bytes[row] >= (uint64_t)PACK_MOST ? 0 : t->copies.bytes[row] + 1;
    case PACK_TIME:
        return step(c, pack_limited(sub_ns(t->telemetry.time_ns[row], c->t->a->view.start_ns)));
    default:
        return 0;
    }
}

static void write_values(struct str *out, const struct tracks *t, const struct track *k)
{
    for (size_t i = 0; i < k->n; i++) {
        uint64_t bits;
        uint8_t bytes[8];
        memcpy(&bits, &t->a->trace->telemetry.value[k->rows[i]], sizeof(bits));
        for (int b = 0; b < 8; b++)
            bytes[b] = (uint8_t)(bits >> 8 * b);
        str_put(out, (const char *)bytes, sizeof(bytes));
    }
}

void pack_write_column(struct str *out, const struct tracks *t, const struct pack_tables *tables,
                       const struct track *k, enum pack_column column)
{
    if (column == PACK_VALUE) {
        write_values(out, t, k);
        return;
    }
    struct cursor c = {t, tables, k, 0};
    for (size_t i = 0; i < k->n;) {
        size_t end = k->n - i < BATCH ? k->n : i + BATCH;
        uint8_t *begin = (uint8_t *)str_room(out, MOST_VARINT * (end - i)), *p = begin;
        for (; i < end; i++)
            p = pack_varint(p, value_of(&c, column, i));
        out->len += (size_t)(p - begin);
    }
}

void pack_write_launches(struct str *out, const struct tracks *t, const struct pack_tables *tables)
{
    for (size_t i = 0; i < tables->launches.n; i++) {
        const struct launch *l = &t->a->trace->launches.v[tables->launches.v[i]];
        const uint32_t v[] = {l->grid[0],  l->grid[1],  l->grid[2],   l->group[0],
                              l->group[1], l->group[2], l->lds_bytes, l->scratch_bytes};
        uint8_t *begin = (uint8_t *)str_room(out, MOST_VARINT * ARRAY_LEN(v)), *p = begin;
        for (size_t k = 0; k < ARRAY_LEN(v); k++)
            p = pack_varint(p, v[k]);
        out->len += (size_t)(p - begin);
    }
}
