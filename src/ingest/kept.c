#include "ingest/kept.h"

#include "base/input.h"
#include "base/vec.h"

struct cache_of *kept_of(const struct ingest_files *files, const struct ingest_opts *o,
                         struct arena *a, struct gs_error *err)
{
    struct cache_inputs names = {0}, inputs = {0};
    for (size_t i = 0; i < files->n; i++) {
        vec_push(&names, a, files->v[i].path);
        struct ingest_members m = {0};
        ingest_members(&m, files->v[i].path, files->v[i].format, a);
        for (size_t k = 0; k < m.v.n; k++)
            vec_push(&inputs, a, m.v.v[k].path);
    }
    const char *options =
        arena_printf(a, "%s, reader %d, unpacked %llu", files->n ? files->v[0].format->name : "",
                     (int)o->reader, (unsigned long long)input_allowed_unpacked());
    return cache_of(o->cache, &names, &inputs, options, o->threads, a, err);
}
