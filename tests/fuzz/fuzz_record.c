/*
 * Fuzzing the record decoder: any plan and any records, against a second decoder that reads each
 * field in turn as the file format says. Both must refuse the same records and agree on all values.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "bytes.h"
#include "ingest/sqlite/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_COLS = 8, MOST_FIELDS = 70000 };

union value {
    int64_t number;
    double real;
    struct slice text;
};

/* ---- the second decoder ---- */

struct field {
    uint64_t serial, offset;
};

static size_t plain_varint(const uint8_t *p, size_t n, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 8) {
            *out = *out << 8 | p[i];
            return 9;
        }
        *out = *out << 7 | (p[i] & 127);
        if (p[i] < 128)
            return i + 1;
    }
    return 0;
}

static uint64_t length_of(uint64_t serial)
{
    switch (serial) {
    case 0:
    case 8:
    case 9:
    case 10:
    case 11:
        return 0;
    case 5:
        return 6;
    case 6:
    case 7:
        return 8;
    default:
        return serial < 5 ? serial : (serial - (serial % 2 ? 13 : 12)) / 2;
    }
}

/* All fields of the header; SIZE_MAX when it is malformed. */
static size_t plain_fields(const struct cell *c, struct field *fields)
{
    uint64_t header, serial;
    size_t at = plain_varint(c->record, c->local, &header);
    if (!at || !header || header > c->local || at > header)
        return SIZE_MAX;
    uint64_t offset = header;
    size_t n = 0;
    while (at < header) {
        size_t len = plain_varint(c->record + at, header - at, &serial);
        if (!len || length_of(serial) > INT32_MAX || n == MOST_FIELDS)
            return SIZE_MAX;
        fields[n++] = (struct field){serial, offset};
        offset += length_of(serial);
        at += len;
    }
    return n;
}

static int64_t plain_int(const uint8_t *p, size_t n)
{
    uint64_t v = n && p[0] & 128 ? UINT64_MAX : 0;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | p[i];
    return (int64_t)v;
}

static bool plain_value(const struct cell *c, const struct field *f, enum scan_type type,
                        int64_t otherwise, union value *out)
{
    const uint8_t *p = c->record + f->offset;
    uint64_t n = length_of(f->serial), s = f->serial;
    bool null = s == 0, number = s <= 6 || s == 8 || s == 9;
    int64_t v = null ? otherwise : s >= 8 ? (int64_t)s - 8 : s < 7 ? plain_int(p, n) : 0;
    switch (type) {
    case SCAN_INT:
        out->number = v;
        return number;
    case SCAN_REAL:
        out->real = (double)v;
        if (s == 7) {
            int64_t bits = plain_int(p, 8);
            memcpy(&out->real, &bits, 8);
        }
        return number || s == 7;
    default:
        out->text = null ? (struct slice){0} : (struct slice){(const char *)p, n};
        return null || (s >= 13 && s % 2);
    }
}

static bool plain_row(const struct record_plan *plan, const struct cell *c, union value *out)
{
    static struct field fields[MOST_FIELDS];
    size_t n = plain_fields(c, fields);
    if (n == SIZE_MAX)
        return false;
    for (size_t i = 0; i < plan->n; i++) {
        if (plan->col[i].field >= n)
            return false;
        const struct field *f = &fields[plan->col[i].field];
        if (f->offset + length_of(f->serial) > c->local)
            return false;
        if (plan->col[i].is_rowid) {
            out[i].number = c->rowid;
            if (f->serial != 0)
                return false;
        } else if (!plain_value(c, f, plan->col[i].type, plan->col[i].otherwise, &out[i])) {
            return false;
        }
    }
    return true;
}

/* ---- the comparison ---- */

static void report(const char *what, const struct cell *c)
{
    fprintf(stderr, "%s; record of %u bytes\n", what, c->local);
    abort();
}

static void compare(struct decoder *d, const struct record_plan *plan, const struct cell *c)
{
    union value ours[MOST_COLS], plain[MOST_COLS];
    void *out[MOST_COLS];
    for (size_t i = 0; i < plan->n; i++)
        out[i] = &ours[i];
    bool good = plain_row(plan, c, plain);
    if (decoder_rows(d, c, 1, out, 0) != good)
        report(good ? "refused" : "accepted", c);
    for (size_t i = 0; good && i < plan->n; i++) {
        bool text = plan->col[i].type == SCAN_TEXT && !plan->col[i].is_rowid;
        if (text ? ours[i].text.p != plain[i].text.p || ours[i].text.n != plain[i].text.n
                 : memcmp(&ours[i], &plain[i], 8) != 0)
            report("another value", c);
    }
}

enum { MOST_CELLS = 16, REPEAT = 5 };

/* Many records at once, each several times, so that there are runs of one header. */
static void compare_all(struct decoder *d, const struct record_plan *plan, const struct cell *c,
                        size_t n)
{
    static struct slice texts[MOST_COLS][MOST_CELLS * REPEAT];
    static int64_t numbers[MOST_COLS][MOST_CELLS * REPEAT];
    union value plain[MOST_COLS];
    struct cell all[MOST_CELLS * REPEAT];
    void *out[MOST_COLS];
    bool good = true;
    for (size_t i = 0; i < plan->n; i++)
        out[i] = plan->col[i].type == SCAN_TEXT ? (void *)texts[i] : (void *)numbers[i];
    for (size_t i = 0; i < n; i++)
        good &= plain_row(plan, &c[i], plain);
    for (size_t i = 0; i < n * REPEAT; i++)
        all[i] = c[i / REPEAT];
    if (decoder_rows(d, all, n * REPEAT, out, 0) != good)
        report(good ? "refused among others" : "accepted among others", c);
    for (size_t i = 0; good && i < n * REPEAT; i++) {
        plain_row(plan, &all[i], plain);
        for (size_t k = 0; k < plan->n; k++) {
            bool text = plan->col[k].type == SCAN_TEXT;
            if (text ? texts[k][i].p != plain[k].text.p || texts[k][i].n != plain[k].text.n
                     : memcmp(&numbers[k][i], &plain[k], 8) != 0)
                report("another value among others", &all[i]);
        }
    }
}

static void make_plan(struct record_plan *plan, struct bytes *b)
{
    plan->n = take(b) % MOST_COLS + 1;
    for (size_t i = 0; i < plan->n; i++) {
        unsigned x = take(b);
        plan->col[i].type = (enum scan_type)(x % 3);
        plan->col[i].is_rowid = plan->col[i].type == SCAN_INT && x % 5 == 4;
        plan->col[i].field = x / 16 + (x % 16 == 15 ? 60 : 0);
        plan->col[i].otherwise = (int64_t)x - 100;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes b = {data, size};
    struct record_plan plan = {0};
    struct arena a;
    make_plan(&plan, &b);
    arena_init(&a);
    struct decoder *d = decoder_new(&plan, &a);
    struct cell cells[MOST_CELLS];
    size_t n = 0;
    while (b.n && n < MOST_CELLS) {
        size_t local = take(&b);
        local |= (size_t)(take(&b) & 7) << 8;
        size_t beyond = local & 1024 ? 500 : 0; /* the rest lies on another page */
        local = local < b.n ? local : b.n;
        uint8_t *record = arena_calloc(&a, 1, local + FS_SLACK); /* as the end of a page */
        memcpy(record, b.p, local);
        b.p += local;
        b.n -= local;
        cells[n] = (struct cell){(int64_t)n * 1000 - 3, record, (uint32_t)local,
                                 (uint32_t)(local + beyond)};
        n++;
    }
    for (int round = 0; round < 2; round++) /* the second time from the cache */
        for (size_t i = 0; i < n; i++)
            compare(d, &plan, &cells[i]);
    compare_all(d, &plan, cells, n);
    arena_release(&a);
    return 0;
}
