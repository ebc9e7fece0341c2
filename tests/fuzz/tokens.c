/*
 * A mutator for texts with a grammar (JSON, CSV, descriptions, code): it works on tokens, so that
 * most of what it makes still parses. Numbers become extreme, words and quoted texts are taken from
 * elsewhere in the input, runs of tokens are moved, doubled and dropped, brackets are opened. One
 * time in four libFuzzer changes bytes as it always does.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

struct span {
    size_t at, n;
};

static uint32_t state;

static uint32_t draw(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return n ? state % n : 0;
}

static int is_word(uint8_t c)
{
    return (c | 32) - 'a' < 26u || c - '0' < 10u || c == '_' || c == '.' || c == '-' || c == '+' ||
           c >= 128;
}

/* The token that holds or follows a place. */
static struct span token_at(const uint8_t *data, size_t size, size_t at)
{
    while (at < size && (data[at] == ' ' || data[at] == '\n'))
        at++;
    size_t end = at;
    if (at < size && is_word(data[at])) {
        while (at > 0 && is_word(data[at - 1]))
            at--;
        while (end < size && is_word(data[end]))
            end++;
    } else if (at < size && data[at] == '"') {
        for (end = at + 1; end < size && data[end] != '"'; end++)
            ;
        end += end < size;
    } else {
        end = at < size ? at + 1 : at;
    }
    return (struct span){at, end - at};
}

/* data[s] becomes text; the new size, or the old one where it does not fit. */
static size_t replace(uint8_t *data, size_t size, size_t max, struct span s, const uint8_t *text,
                      size_t n)
{
    if (size - s.n + n > max)
        return size;
    memmove(data + s.at + n, data + s.at + s.n, size - s.at - s.n);
    memcpy(data + s.at, text, n);
    return size - s.n + n;
}

static size_t put_extreme(uint8_t *data, size_t size, size_t max, struct span s)
{
    static const char *const values[] = {"0",
                                         "-1",
                                         "1",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "18446744073709551615",
                                         "9223372036854775808",
                                         "4611686018427387904",
                                         "9223372036854775",
                                         "-9223372036854775",
                                         "4294967295",
                                         "4294967296",
                                         "2147483648",
                                         "1e308",
                                         "-1e308",
                                         "1e-320",
                                         "1e19",
                                         "0.0000001",
                                         "null",
                                         "true",
                                         "\"\"",
                                         "[]",
                                         "{}",
                                         "\"_Z1fIiEv1cI1aIRT_RT_1bIiEEE\"",
                                         "nan",
                                         "inf",
                                         "\"\\u202e\\u001b[31m\"",
                                         "\"<script>\"",
                                         "99999999999999999999999999"};
    const char *text = values[draw((uint32_t)ARRAY_LEN(values))];
    return replace(data, size, max, s, (const uint8_t *)text, strlen(text));
}

static size_t copy_run(uint8_t *data, size_t size, size_t max, struct span to, struct span from)
{
    size_t n = from.n < 4096 ? from.n : 4096;
    uint8_t *copy = malloc(n ? n : 1);
    if (!copy)
        return size;
    memcpy(copy, data + from.at, n);
    size = replace(data, size, max, to, copy, n);
    free(copy);
    return size;
}

static size_t mutate_once(uint8_t *data, size_t size, size_t max)
{
    struct span a = token_at(data, size, draw((uint32_t)size));
    struct span b = token_at(data, size, draw((uint32_t)size));
    struct span run = {a.at, 0};
    for (uint32_t left = draw(20) + 1; left && run.at + run.n < size; left--) {
        struct span t = token_at(data, size, run.at + run.n);
        run.n = t.at + t.n > run.at + run.n ? t.at + t.n - run.at : run.n + 1;
    }
    switch (draw(7)) {
    case 0:
    case 1:
        return put_extreme(data, size, max, a);
    case 2:
        return copy_run(data, size, max, a, b);
    case 3: /* a run of tokens again, behind itself */
        return copy_run(data, size, max, (struct span){run.at + run.n, 0}, run);
    case 4:
        return replace(data, size, max, run, data, 0);
    case 5:
        return copy_run(data, size, max, (struct span){b.at, 0}, run);
    default:
        return replace(data, size, max, (struct span){a.at, 0},
                       (const uint8_t *)&"[{(\"<,:"[draw(7)], 1);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    state = seed * 2654435761u | 1;
    if (size < 4 || draw(4) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t left = draw(4) + 1; left && size; left--)
        size = mutate_once(data, size, max_size);
    return size;
}
