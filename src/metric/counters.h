/*
 * What can be counted on which GPU, and how much at a time: families.def, counters.def, blocks.def.
 */
#ifndef GS_METRIC_COUNTERS_H
#define GS_METRIC_COUNTERS_H

#include <stdbool.h>

#include "base/vec.h"
#include "metric/pack.h"

/* One bit each: GFX942 and so on. */
enum family_index {
#define FAMILY(name, ...) FAMILY_##name,
#include "metric/families.def"
#undef FAMILY
    FAMILIES
};
enum family {
#define FAMILY(name, ...) name = 1 << FAMILY_##name,
#include "metric/families.def"
#undef FAMILY
    GCN = GFX900 | GFX906,
    CDNA2UP = GFX90A | GFX942 | GFX950,
    CDNA = GFX908 | CDNA2UP,
    RDNA = GFX10 | GFX11 | GFX115 | GFX12,
};

/* Of "gfx942" or "gfx90a:sramecc+:xnack-"; 0: none that we know counters of. */
unsigned family_of(const char *arch);

/* Are the limits of this family's blocks published? */
bool family_limits_sure(unsigned family);

/* The counter as this family counts it; false: it has none of that name. */
bool counter_find(struct pack_counter *out, const char *name, unsigned family);

/* Do two names mean the same? "TCC_HIT" and "TCC_HIT_sum" do. */
bool counter_same(const char *a, const char *b);

/* Counters a block has; 0: no such block. */
int block_limit(unsigned family, const char *block);

#endif
