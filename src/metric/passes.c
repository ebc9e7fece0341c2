#include "metric/passes.h"

#include <string.h>

#include "base/str.h"

/* The block a counter belongs to; SQC's counters use the registers of SQ. */
static size_t block_of(const char *counter)
{
    return str_starts(counter, "SQC_") ? 2 : strcspn(counter, "_");
}

/* Counters a block can count in one pass: CDNA, and RDNA for the GL blocks. */
static int block_limit(const char *block, size_t n)
{
    static const struct {
        const char *block;
        int limit;
    } limits[] = {{"SQ", 8},   {"TA", 2},   {"TD", 2},   {"TCP", 4},  {"TCC", 4},
                  {"CPC", 2},  {"CPF", 2},  {"SPI", 6},  {"GRBM", 2}, {"GDS", 4},
                  {"GL1A", 4}, {"GL1C", 4}, {"GL2A", 4}, {"GL2C", 4}, {"GCEA", 2}};
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
        if (strlen(limits[i].block) == n && !strncmp(limits[i].block, block, n))
            return limits[i].limit;
    return 2;
}

/* Derived from many TCC counters: alone in a pass. */
static bool needs_own_pass(const char *counter)
{
    return str_eq(counter, "FETCH_SIZE") || str_eq(counter, "WRITE_SIZE");
}

static bool fits(const struct counter_pass *pass, const char *counter)
{
    size_t block = block_of(counter);
    int used = 0;
    for (size_t i = 0; i < pass->counters.n; i++) {
        const char *other = pass->counters.v[i];
        if (needs_own_pass(other) || needs_own_pass(counter))
            return false;
        used += block_of(other) == block && !strncmp(other, counter, block);
    }
    return used < block_limit(counter, block);
}

void passes_make(struct counter_passes *out, const char *const *counters, size_t n,
                 struct arena *arena)
{
    *out = (struct counter_passes){0};
    for (size_t i = 0; i < n; i++) {
        size_t p = 0, earlier = 0;
        while (earlier < i && !str_eq(counters[earlier], counters[i]))
            earlier++;
        if (earlier < i)
            continue;
        while (p < out->list.n && !fits(&out->list.v[p], counters[i]))
            p++;
        if (p == out->list.n)
            vec_push(&out->list, arena, ((struct counter_pass){0}));
        vec_push(&out->list.v[p].counters, arena, counters[i]);
    }
}

const char *pass_text(const struct counter_pass *pass, struct arena *arena)
{
    struct str s;
    str_init(&s, arena);
    for (size_t i = 0; i < pass->counters.n; i++)
        str_printf(&s, "%s%s", i ? " " : "", pass->counters.v[i]);
    return s.buf;
}
