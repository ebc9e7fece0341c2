#include "metric/counters.h"

#include <string.h>

#include "base/str.h"

#define FAMILY(name, ...) {name, {__VA_ARGS__}},
static const struct {
    unsigned family;
    const char *archs[8];
} families[] = {
#include "metric/families.def"
};
#undef FAMILY

#define COUNTER(name, block, slots, families) {#name, block, slots, families},
static const struct {
    const char *name, *block;
    int slots;
    unsigned families;
} counters[] = {
#include "metric/counters.def"
};

#define BLOCK(families, block, limit) {families, block, limit},
static const struct {
    unsigned families;
    const char *block;
    int limit;
} blocks[] = {
#include "metric/blocks.def"
};

unsigned family_of(const char *arch)
{
    const char *gfx = arch ? strstr(arch, "gfx") : NULL;
    size_t n = gfx ? strcspn(gfx, ":") : 0;
    for (size_t f = 0; gfx && f < ARRAY_LEN(families); f++)
        for (size_t i = 0; i < 8 && families[f].archs[i]; i++)
            if (strlen(families[f].archs[i]) == n && strncmp(families[f].archs[i], gfx, n) == 0)
                return families[f].family;
    return 0;
}

bool family_limits_sure(unsigned family)
{
    return family & (CDNA | GFX115);
}

int block_limit(unsigned family, const char *block)
{
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++)
        if ((blocks[i].families & family) && str_eq(blocks[i].block, block))
            return blocks[i].limit;
    return 0;
}

bool counter_find(struct pack_counter *out, const char *name, unsigned family)
{
    for (size_t i = 0; i < ARRAY_LEN(counters); i++) {
        if (!(counters[i].families & family) || !str_eq(counters[i].name, name))
            continue;
        *out = (struct pack_counter){counters[i].name, counters[i].block, counters[i].slots,
                                     block_limit(family, counters[i].block)};
        return true;
    }
    return false;
}

static size_t plain_length(const char *name)
{
    return strlen(name) - (str_ends(name, "_sum") ? 4 : 0);
}

bool counter_same(const char *a, const char *b)
{
    size_t n = plain_length(a);
    return n == plain_length(b) && strncmp(a, b, n) == 0;
}
