#include "ingest/kept.h"

#include "base/input.h"
#include "base/vec.h"

static void add_journals(struct cache_inputs *inputs, const char *path, struct arena *a)
{
    vec_push(inputs, a, arena_printf(a, "%s-wal", path));
    vec_push(inputs, a, arena_printf(a, "%s-journal", path));
}

static void add_inputs(struct cache_inputs *inputs, const struct ingest_file *file, struct arena *a)
{
    struct fs_list parts = {0};
    if (file->format->parts)
        file->format->parts(&parts, file->path, a);
    else
        vec_push(inputs, a, file->path);
    for (size_t i = 0; i < parts.n; i++)
        vec_push(inputs, a, parts.v[i]);
    if (!file->format->parts)
        add_journals(inputs, file->path, a);
}

struct cache_of *kept_of(const struct ingest_files *files, const struct ingest_opts *o,
                         struct arena *a, struct gs_error *err)
{
    struct cache_inputs names = {0}, inputs = {0};
    for (size_t i = 0; i < files->n; i++) {
        vec_push(&names, a, files->v[i].path);
        add_inputs(&inputs, &files->v[i], a);
    }
    const char *options =
        arena_printf(a, "%s, reader %d, unpacked %llu", files->n ? files->v[0].format->name : "",
                     (int)o->reader, (unsigned long long)input_allowed_unpacked());
    return cache_of(o->cache, &names, &inputs, options, o->threads, a, err);
}
