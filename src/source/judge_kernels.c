/* Kernels: definitions and launches of one name put together. */
#include <string.h>

#include "base/hash.h"
#include "source/source_in.h"

static uint64_t key_of(const char *name, uint32_t file)
{
    return hash_bytes(name, strlen(name)) ^ hash_u64(file + 1u);
}

enum { ANY_FILE = UINT32_MAX - 1 };

/* Launches of Python that are no launches: the name is that of no kernel. */
static void drop_subscripts(struct source_scan *s, const struct idmap *kernels)
{
    size_t n = 0;
    for (size_t i = 0; i < s->facts.n; i++) {
        const struct source_fact *f = &s->facts.v[i];
        if (f->pattern == PATTERN_PY_KERNEL_LAUNCH &&
            idmap_get(kernels, key_of(f->name, ANY_FILE)) == NO_INDEX)
            continue;
        s->facts.v[n++] = s->facts.v[i];
    }
    s->facts.n = n;
}

static void add_kernel(struct source_scan *s, struct idmap *index, const struct source_fact *f)
{
    struct source_kernel k = {.name = f->name,
                              .file = s->files.v[f->file].path,
                              .line = f->line,
                              .function = f->function,
                              .attributes = f->kind == FACT_KERNEL ? f->detail : NULL,
                              .launch_type = source_pattern_name(f->pattern),
                              .defined = f->kind == FACT_KERNEL};
    uint32_t number = (uint32_t)s->kernels.n;
    idmap_put(index, key_of(f->name, f->file), number);
    if (idmap_get(index, key_of(f->name, ANY_FILE)) == NO_INDEX)
        idmap_put(index, key_of(f->name, ANY_FILE), number);
    vec_push(&s->kernels, &s->arena, k);
}

static void add_launch(struct source_scan *s, struct idmap *index, const struct source_fact *f)
{
    uint32_t number = idmap_get(index, key_of(f->name, f->file));
    if (number == NO_INDEX)
        number = idmap_get(index, key_of(f->name, ANY_FILE));
    if (number == NO_INDEX) {
        add_kernel(s, index, f);
        number = (uint32_t)s->kernels.n - 1;
    }
    struct source_kernel *k = &s->kernels.v[number];
    k->loop_launches += f->loop_depth > 0;
    if (k->launches++)
        return;
    k->launch_file = s->files.v[f->file].path;
    k->launch_line = f->line;
    k->configuration = f->detail;
}

/* One kernel a name and file with its definition; names that are only launched are added. */
void judge_kernels(struct source_scan *s)
{
    struct idmap index;
    idmap_init(&index, &s->arena);
    for (size_t i = 0; i < s->facts.n; i++) {
        const struct source_fact *f = &s->facts.v[i];
        if (f->kind == FACT_KERNEL && idmap_get(&index, key_of(f->name, f->file)) == NO_INDEX)
            add_kernel(s, &index, f);
    }
    drop_subscripts(s, &index);
    for (size_t i = 0; i < s->facts.n; i++)
        if (s->facts.v[i].kind == FACT_LAUNCH && !s->facts.v[i].indirect)
            add_launch(s, &index, &s->facts.v[i]);
}
