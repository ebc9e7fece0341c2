#include "job/hosts.h"

#include <string.h>

#include "base/hash.h"
#include "base/str.h"

/* Two names with one hash: all are looked at. */
static uint32_t find(const struct host_list *h, const struct idmap *map, const char *name)
{
    uint32_t at = idmap_get(map, hash_bytes(name, strlen(name)));
    if (at == NO_INDEX || str_eq(h->name[at], name))
        return at;
    for (uint32_t i = 0; i < h->n; i++)
        if (str_eq(h->name[i], name))
            return i;
    return NO_INDEX;
}

void job_hosts(struct host_list *h, const struct job *job, struct arena *arena)
{
    struct idmap map;
    idmap_init(&map, arena);
    *h = (struct host_list){.name = arena_array(arena, const char *, job->ranks.n + 1),
                            .of_rank = arena_array(arena, uint32_t, job->ranks.n + 1)};
    for (size_t i = 0; i < job->ranks.n; i++) {
        const char *name = job->ranks.v[i].host;
        uint32_t at = find(h, &map, name);
        if (at == NO_INDEX) {
            at = (uint32_t)h->n;
            h->name[h->n++] = name;
            idmap_put(&map, hash_bytes(name, strlen(name)), at);
        }
        h->of_rank[i] = at;
    }
}
