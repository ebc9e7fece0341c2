/*
 * Fuzzing the JSON reader: any bytes, walked generically, from memory and from a stream that
 * comes in small pieces. Both must see the same values and the same problem at the same place;
 * jr_skip() must agree with the walk on whether the document is good.
 *
 *     clang -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_jread.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/jread.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct pieces {
    const char *text;
    size_t n, at, piece;
};

static ptrdiff_t fill_pieces(void *ctx, char *buf, size_t n)
{
    struct pieces *p = ctx;
    size_t left = p->n - p->at;
    n = n < p->piece ? n : p->piece;
    n = n < left ? n : left;
    memcpy(buf, p->text + p->at, n);
    p->at += n;
    return (ptrdiff_t)n;
}

static void mix(uint64_t *sum, const void *p, size_t n)
{
    *sum = hash_u64(*sum ^ hash_bytes(p, n));
}

static void walk_number(struct jread *j, uint64_t *sum)
{
    switch (*sum % 4) {
    case 0:
        mix(sum, &(int64_t){jr_int(j, -1)}, 8);
        return;
    case 1:
        mix(sum, &(uint64_t){jr_uint(j, 1)}, 8);
        return;
    case 2:
        mix(sum, &(int64_t){jr_fixed(j, (unsigned)(*sum >> 8) % 7, 1)}, 8);
        return;
    default:
        mix(sum, &(double){jr_num(j, 1)}, 8);
    }
}

/* Every value goes into sum; which of several readers takes it depends on what came before. */
static void walk(struct jread *j, uint64_t *sum)
{
    enum jtype type = jr_type(j);
    size_t n;
    mix(sum, &type, sizeof(type));
    if (type == J_NONE || *sum % 16 == 0) {
        jr_skip(j);
    } else if (*sum % 32 == 1) {
        mix(sum, &(int64_t){jr_int(j, -1)}, 8);
    } else if (type == J_OBJECT && jr_object(j)) {
        while (jr_key(j)) {
            mix(sum, j->text, j->text_len);
            walk(j, sum);
        }
    } else if (type == J_ARRAY && jr_array(j)) {
        while (jr_item(j))
            walk(j, sum);
    } else if (type == J_STRING) {
        const char *s = jr_str(j, &n);
        if (s)
            mix(sum, s, n + 1); /* with the NUL */
    } else if (type == J_NUMBER) {
        walk_number(j, sum);
    } else {
        mix(sum, &(bool){jr_bool(j, false)}, sizeof(bool));
    }
}

struct outcome {
    bool ok;
    uint64_t sum;
    char text[1024];
};

static struct outcome finish(struct jread *j, bool skip)
{
    struct outcome o = {.sum = 1};
    struct gs_error err = {0};
    if (skip)
        jr_skip(j);
    else
        walk(j, &o.sum);
    o.ok = jr_end(j, &err);
    memcpy(o.text, err.text, sizeof(o.text));
    jr_release(j);
    return o;
}

static struct outcome from_memory(const char *text, size_t n, bool skip)
{
    struct jread j;
    jr_memory(&j, text, n);
    return finish(&j, skip);
}

static struct outcome from_stream(const char *text, size_t n, size_t piece, bool skip)
{
    struct jread j;
    struct pieces p = {.text = text, .n = n, .piece = piece};
    jr_stream(&j, fill_pieces, &p);
    return finish(&j, skip);
}

static void must_agree(const struct outcome *a, const struct outcome *b, const char *what)
{
    if (a->ok == b->ok && a->sum == b->sum && strcmp(a->text, b->text) == 0)
        return;
    fprintf(stderr, "%s disagree: '%s' and '%s'\n", what, a->text, b->text);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t piece = data[0] % 100 + 1; /* beyond JR_MARGIN, so that fast paths run, too */
    size_t n = size - 1;
    char *text = malloc(n ? n : 1); /* exact, so that reading past the end shows */
    if (!text)
        return 0;
    memcpy(text, data + 1, n);
    struct outcome memory = from_memory(text, n, false);
    struct outcome stream = from_stream(text, n, piece, false);
    struct outcome skipped = from_memory(text, n, true);
    struct outcome stream_skipped = from_stream(text, n, piece, true);
    must_agree(&memory, &stream, "memory and stream");
    must_agree(&skipped, &stream_skipped, "skipping memory and stream");
    skipped.sum = memory.sum;
    must_agree(&memory, &skipped, "walking and skipping");
    free(text);
    return 0;
}
