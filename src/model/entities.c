/*
 * Entities by their identity. Readers may also append to the lists on their own, so the index takes
 * in what is new before each search; one is found by a hash, which then is compared.
 */
#include "model/trace.h"

#include "model/names.h"

static bool same_gpu(const struct gpu *a, const struct gpu *b)
{
    return a->host == b->host && a->node_id == b->node_id && a->location == b->location &&
           a->index == b->index;
}

static bool same_stream(const struct stream *a, const struct stream *b)
{
    return a->process == b->process && a->gpu == b->gpu && a->id == b->id;
}

static uint64_t gpu_key(const struct gpu *g)
{
    uint64_t parts[] = {g->host, (uint32_t)g->node_id, (uint32_t)g->index, g->location};
    return hash_bytes(parts, sizeof(parts));
}

static uint64_t stream_key(const struct stream *s)
{
    uint64_t parts[] = {s->process, s->gpu, (uint64_t)s->id};
    return hash_bytes(parts, sizeof(parts));
}

/*
 * Defines find_ENTITY(trace, wanted): its row or NO_INDEX. Of equal ones, which only readers that
 * append on their own can make, any is as good. Two that differ may share a hash: then all are
 * looked at.
 */
#define DEFINE_FIND(entity, list)                                                                  \
    static uint32_t find_##entity(struct trace *t, const struct entity *wanted)                    \
    {                                                                                              \
        struct entity_index *x = &t->entity##_of;                                                  \
        for (; x->n < t->list.n; x->n++)                                                           \
            idmap_put(&x->map, entity##_key(&t->list.v[x->n]), (uint32_t)x->n);                    \
        uint32_t at = idmap_get(&x->map, entity##_key(wanted));                                    \
        if (at == NO_INDEX || same_##entity(&t->list.v[at], wanted))                               \
            return at;                                                                             \
        for (at = 0; at < t->list.n; at++)                                                         \
            if (same_##entity(&t->list.v[at], wanted))                                             \
                return at;                                                                         \
        return NO_INDEX;                                                                           \
    }

DEFINE_FIND(gpu, gpus)
DEFINE_FIND(stream, streams)

uint32_t trace_gpu(struct trace *t, const struct gpu *g)
{
    uint32_t at = find_gpu(t, g);
    if (at != NO_INDEX)
        return at;
    vec_push(&t->gpus, &t->arena, *g);
    return (uint32_t)t->gpus.n - 1;
}

uint32_t trace_stream(struct trace *t, uint32_t process, uint32_t gpu, int64_t id, uint32_t name)
{
    struct stream made = {.process = process, .gpu = gpu, .id = id, .name = name};
    uint32_t at = find_stream(t, &made);
    if (at != NO_INDEX)
        return at;
    vec_push(&t->streams, &t->arena, made);
    return (uint32_t)t->streams.n - 1;
}

static uint64_t agent_key(uint32_t process, uint32_t gpu)
{
    return (uint64_t)process << 32 | gpu;
}

void trace_map_agents(const struct trace *t, struct idmap *m, struct arena *a)
{
    idmap_init(m, a);
    for (uint32_t i = 0; i < t->agents.n; i++) {
        const struct agent *g = &t->agents.v[i];
        if (g->gpu < t->gpus.n && trace_agent_of(m, g->process, g->gpu) == NO_INDEX)
            idmap_put(m, agent_key(g->process, g->gpu), i);
    }
}

uint32_t trace_agent_of(const struct idmap *m, uint32_t process, uint32_t gpu)
{
    return gpu == NO_INDEX ? NO_INDEX : idmap_get(m, agent_key(process, gpu));
}

uint32_t trace_symbol(struct trace *t, const struct symbol *s, const char *full)
{
    struct arena *temporary = arena_scratch();
    struct symbol own = *s;
    own.name = strings_add(&t->strings, name_demangle(temporary, full));
    own.short_name = strings_add(&t->strings, name_short(temporary, trace_str(t, own.name)));
    vec_push_alone(&t->symbols, &t->arena, own);
    arena_release(temporary);
    return (uint32_t)t->symbols.n - 1;
}
