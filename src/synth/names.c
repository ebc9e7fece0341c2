#include "synth/names.h"

#include <string.h>

void names_init(struct names *t, struct arena *a)
{
    *t = (struct names){.arena = a};
    idmap_init(&t->by_hash, a);
    names_add(t, "", 0);
}

uint32_t names_add(struct names *t, const char *s, size_t n)
{
    /* Two texts with one hash take neighbouring keys. */
    uint64_t key = hash_bytes(s, n);
    for (uint32_t i; (i = idmap_get(&t->by_hash, key)) != NO_INDEX; key++)
        if (t->list.v[i].n == n && !memcmp(t->list.v[i].s, s, n))
            return i;
    struct name fresh = {arena_strndup(t->arena, s, n), n};
    vec_push(&t->list, t->arena, fresh);
    uint32_t id = (uint32_t)(t->list.n - 1);
    idmap_put(&t->by_hash, key, id);
    t->bytes += n; /* in range: of memory */
    return id;
}

uint32_t names_adds(struct names *t, const char *s)
{
    return names_add(t, s, strlen(s));
}
