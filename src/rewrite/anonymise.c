#include "rewrite/anonymise.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "model/kernel_role.h"
#include "model/names.h"

void pseudonyms_init(struct pseudonyms *p, struct arena *a)
{
    *p = (struct pseudonyms){.arena = a};
    idmap_init(&p->by_name, a);
}

/* ---- pseudonyms ---- */

/* A word that gives a kernel the role of its name; checked before it is used. */
static const char *word_of(enum kernel_role role)
{
    static const char *const words[ROLE_COUNT] = {
        [ROLE_GEMM] = "gemm",
        [ROLE_CONV] = "conv",
        [ROLE_ATTENTION] = "attention",
        [ROLE_COLLECTIVE] = "ncclDevKernel_AllReduce",
        [ROLE_NORM] = "layer_norm",
        [ROLE_SOFTMAX] = "softmax",
        [ROLE_REDUCTION] = "reduce",
        [ROLE_ELEMENTWISE] = "elementwise",
        [ROLE_COPY] = "copy",
        [ROLE_FILL] = "fill",
        [ROLE_FFT] = "fft",
        [ROLE_SPARSE] = "spmv",
        [ROLE_SORT_SCAN] = "sort",
        [ROLE_RANDOM] = "random",
    };
    const char *word = words[role];
    return word && kernel_role_of(word) == role ? word : "kernel";
}

static uint64_t key_of(const char *kind, const char *original)
{
    return hash_bytes(original, strlen(original)) ^ hash_u64(hash_bytes(kind, strlen(kind)));
}

static const char *pseudonym(struct pseudonyms *p, const char *kind, const char *word,
                             const char *original)
{
    uint64_t key = key_of(kind, original);
    uint32_t at = idmap_get(&p->by_name, key);
    if (at != NO_INDEX)
        return p->v.v[at].name;
    struct pseudonym n = {kind, original, NULL};
    n.name = arena_printf(p->arena, "%s_%04zu", word, p->v.n + 1);
    idmap_put(&p->by_name, key, (uint32_t)p->v.n);
    vec_push(&p->v, p->arena, n);
    return n.name;
}

/* ---- where names stand ---- */

typedef const char *renamer(void *ctx, const char *kind, const char *original);

struct renaming {
    struct trace *t;
    renamer *fn;
    void *ctx;
    uint32_t *seen[16]; /* by kind and string: new id + 1 */
    const char *kinds[16];
    size_t n_kinds, n_strings;
};

static uint32_t *table_of(struct renaming *r, const char *kind)
{
    for (size_t i = 0; i < r->n_kinds; i++)
        if (r->kinds[i] == kind)
            return r->seen[i];
    assert(r->n_kinds < ARRAY_LEN(r->kinds));
    r->kinds[r->n_kinds] = kind;
    r->seen[r->n_kinds] = arena_array(arena_scratch(), uint32_t, r->n_strings + 1);
    return r->seen[r->n_kinds++];
}

static void rename_id(struct renaming *r, const char *kind, uint32_t *id)
{
    if (!*id || *id >= r->n_strings)
        return;
    uint32_t *seen = &table_of(r, kind)[*id];
    if (!*seen) {
        const char *new = r->fn(r->ctx, kind, trace_str(r->t, *id));
        *seen = (new ? strings_add(&r->t->strings, new) : *id) + 1;
    }
    *id = *seen - 1;
}

static const char kernel[] = "kernel", marker[] = "marker", function[] = "function",
                  thread_word[] = "thread", host[] = "host", command[] = "command",
                  stream_word[] = "stream", domain[] = "domain", line[] = "line";

/* Names of APIs are everybody's; of functions and operators they are the program's. */
static bool is_own(uint8_t kind)
{
    return kind == REGION_OTHER || kind == REGION_USER || kind == REGION_PYTHON;
}

static void rename_symbols(struct renaming *r)
{
    struct trace *t = r->t;
    struct arena *temporary = arena_scratch();
    for (size_t i = 0; i < t->symbols.n; i++) {
        struct symbol *s = &t->symbols.v[i];
        rename_id(r, kernel, &s->name);
        s->mangled = s->name;
        s->short_name = strings_add(&t->strings, name_short(temporary, trace_str(t, s->name)));
    }
    arena_release(temporary);
    for (size_t i = 0; i < t->launches.n; i++)
        rename_id(r, marker, &t->launches.v[i].rename);
}

static void rename_entities(struct renaming *r)
{
    struct trace *t = r->t;
    for (size_t i = 0; i < t->processes.n; i++) {
        rename_id(r, host, &t->processes.v[i].host);
        rename_id(r, command, &t->processes.v[i].command);
    }
    for (size_t i = 0; i < t->gpus.n; i++)
        rename_id(r, host, &t->gpus.v[i].host);
    for (size_t i = 0; i < t->threads.n; i++)
        rename_id(r, thread_word, &t->threads.v[i].name);
    for (size_t i = 0; i < t->streams.n; i++)
        rename_id(r, stream_word, &t->streams.v[i].name);
    for (size_t i = 0; i < t->queues.n; i++)
        rename_id(r, stream_word, &t->queues.v[i].name);
    for (size_t i = 0; i < t->files.n; i++)
        t->files.v[i].guid = NULL; /* it would lead back to the file */
}

static void rename_all(struct trace *t, renamer *fn, void *ctx)
{
    struct renaming r = {.t = t, .fn = fn, .ctx = ctx, .n_strings = t->strings.n};
    rename_symbols(&r);
    rename_entities(&r);
    for (size_t i = 0; i < t->markers.n; i++) {
        rename_id(&r, marker, &t->markers.name[i]);
        rename_id(&r, domain, &t->markers.domain[i]);
    }
    for (size_t i = 0; i < t->regions.n; i++)
        if (is_own(t->regions.kind[i]))
            rename_id(&r, function, &t->regions.name[i]);
    for (size_t i = 0; i < t->samples.n; i++)
        rename_id(&r, function, &t->samples.name[i]);
    for (size_t i = 0; i < t->pc_samples.n; i++)
        rename_id(&r, line, &t->pc_samples.comment[i]);
}

/* MPI calls that were recorded as markers are everybody's names, too. */
static bool is_public(const char *kind, const char *name)
{
    return kind == marker && strncmp(name, "MPI_", 4) == 0;
}

static const char *hide(void *ctx, const char *kind, const char *original)
{
    struct pseudonyms *p = ctx;
    if (is_public(kind, original))
        return NULL;
    const char *word = kind == kernel ? word_of(kernel_role_of(original)) : kind;
    return pseudonym(p, kind, word, arena_strdup(p->arena, original));
}

void anonymise_trace(struct trace *t, struct pseudonyms *p)
{
    rename_all(t, hide, p);
}

static const char *reveal(void *ctx, const char *kind, const char *name)
{
    const struct pseudonyms *p = ctx;
    uint32_t at = idmap_get(&p->by_name, key_of(kind, name));
    return at == NO_INDEX ? NULL : p->v.v[at].original;
}

void anonymise_undo(struct trace *t, const struct pseudonyms *p)
{
    rename_all(t, reveal, (void *)(uintptr_t)p);
}
