/*
 * Fuzzing the CSV reader: any bytes, at once and in small pieces. Both must give the same fields,
 * and joining a surplus must leave as many as the header has.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/pieces.h"
#include "base/csv.h"
#include "base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mix(uint64_t *sum, const void *p, size_t n)
{
    *sum = hash_u64(*sum ^ hash_bytes(p, n));
}

static void mix_row(struct csv *c, uint64_t *sum)
{
    for (size_t i = 0; i < c->n; i++) {
        size_t n;
        int64_t v = 0;
        uint64_t u = 0;
        double d = 0;
        const char *text = csv_text(c, i, &n);
        mix(sum, text, n);
        if (csv_int(c, i, &v))
            mix(sum, &v, sizeof(v));
        if (csv_uint(c, i, &u))
            mix(sum, &u, sizeof(u));
        if (csv_num(c, i, &d))
            mix(sum, &d, sizeof(d));
    }
    mix(sum, &c->n, sizeof(c->n));
}

static uint64_t read_all(const char *text, size_t n, size_t piece, size_t join)
{
    struct pieces pieces = {text, n, piece};
    struct csv c;
    struct gs_error err = {0};
    uint64_t sum = 1;
    csv_open(&c, pieces_fill, &pieces);
    while (csv_row(&c)) {
        csv_join(&c, join);
        if (join < c.columns && c.n > c.columns)
            abort();
        mix_row(&c, &sum);
    }
    if (!csv_end(&c, &err))
        mix(&sum, err.text, strlen(err.text));
    csv_release(&c);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t n = size - 2;
    char *text = malloc(n ? n : 1); /* exact, so that reading past the end shows */
    if (!text)
        return 0;
    memcpy(text, data + 2, n);
    if (read_all(text, n, SIZE_MAX, data[1] % 8) != read_all(text, n, data[0] + 1u, data[1] % 8)) {
        fprintf(stderr, "whole and in pieces disagree\n");
        abort();
    }
    free(text);
    return 0;
}
