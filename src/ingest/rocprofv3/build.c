#include "ingest/rocprofv3/build.h"

#include <string.h>

#include "base/str.h"

uint32_t rv3_process(struct rv3_build *b, const struct process *p)
{
    struct rv3_process own = {.process = (uint32_t)b->trace->processes.n};
    struct idmap *maps[] = {&own.threads, &own.queues,   &own.streams, &own.agents,
                            &own.symbols, &own.counters, &own.counted};
    for (size_t i = 0; i < ARRAY_LEN(maps); i++)
        idmap_init(maps[i], b->arena);
    vec_push(&b->trace->processes, &b->trace->arena, *p);
    vec_push(&b->processes, b->arena, own);
    return (uint32_t)b->processes.n - 1;
}

uint32_t rv3_thread(struct rv3_build *b, uint32_t process, uint64_t tid)
{
    struct rv3_process *p = &b->processes.v[process];
    if (tid == RV3_NO_ID)
        return NO_INDEX;
    uint32_t row = idmap_claim(&p->threads, tid, (uint32_t)b->trace->threads.n);
    if (row == b->trace->threads.n)
        vec_push(&b->trace->threads, &b->trace->arena,
                 ((struct thread){.process = p->process, .tid = (int64_t)tid}));
    return row;
}

/* ---- slots ---- */

uint32_t rv3_agent(struct rv3_build *b, uint32_t process, uint64_t id)
{
    struct idmap *map = &b->processes.v[process].agents;
    if (id == RV3_NO_ID)
        return NO_INDEX;
    uint32_t slot = idmap_get(map, id);
    if (slot != NO_INDEX)
        return slot;
    slot = (uint32_t)b->agents.n;
    vec_push(&b->agents, b->arena, ((struct rv3_agent){process, NO_INDEX, id, false}));
    idmap_put(map, id, slot);
    return slot;
}

/* The slot of an id in a list of numbers. */
#define SLOT(b, list, map, id)                                                                     \
    uint32_t slot = idmap_get(map, id);                                                            \
    if (slot != NO_INDEX || (id) == RV3_NO_ID)                                                     \
        return slot;                                                                               \
    slot = (uint32_t)(b)->list.n;                                                                  \
    vec_push(&(b)->list, (b)->arena, NO_INDEX);                                                    \
    idmap_put(map, id, slot);                                                                      \
    return slot

uint32_t rv3_symbol(struct rv3_build *b, uint32_t process, uint64_t id)
{
    SLOT(b, symbols, &b->processes.v[process].symbols, id);
}

uint32_t rv3_counter(struct rv3_build *b, uint32_t process, uint64_t id)
{
    SLOT(b, counters, &b->processes.v[process].counters, id);
}

void rv3_describe_agent(struct rv3_build *b, uint32_t slot, enum agent_type type, int64_t id,
                        const struct gpu *g)
{
    struct trace *t = b->trace;
    if (slot == NO_INDEX || b->agents.v[slot].agent != NO_INDEX)
        return;
    struct agent a = {.process = b->processes.v[b->agents.v[slot].process].process,
                      .type = type,
                      .gpu = NO_INDEX,
                      .id = id,
                      .handle = b->agents.v[slot].id};
    if (g)
        a.gpu = trace_gpu(t, g);
    b->agents.v[slot].agent = (uint32_t)t->agents.n;
    vec_push(&t->agents, &t->arena, a);
}

void rv3_describe_symbol(struct rv3_build *b, uint32_t slot, const struct symbol *s,
                         const char *name)
{
    struct trace *t = b->trace;
    if (slot == NO_INDEX || b->symbols.v[slot] != NO_INDEX)
        return;
    b->symbols.v[slot] = trace_symbol(t, s, name);
}

void rv3_describe_counter(struct rv3_build *b, uint32_t slot, const struct counter_info *c)
{
    struct trace *t = b->trace;
    if (slot == NO_INDEX || b->counters.v[slot] != NO_INDEX)
        return;
    b->counters.v[slot] = (uint32_t)t->counter_infos.n;
    vec_push(&t->counter_infos, &t->arena, *c);
}

void rv3_count(struct rv3_build *b, uint32_t name, uint64_t count)
{
    struct trace *t = b->trace;
    size_t i = 0;
    if (!count)
        return;
    while (i < t->categories.n && t->categories.v[i].name != name)
        i++;
    if (i == t->categories.n)
        vec_push(&t->categories, &t->arena, ((struct category_count){name, 0}));
    t->categories.v[i].count += count;
}

/* ---- words of the profiler ---- */

enum alloc_op rv3_alloc_op(const char *operation)
{
    if (str_has(operation, "RECLAIM"))
        return ALLOC_RECLAIM;
    if (str_has(operation, "REALLOC"))
        return ALLOC_REALLOC;
    return str_ends(operation, "FREE") ? ALLOC_FREE : ALLOC_ALLOC;
}

enum alloc_level rv3_alloc_level(const char *operation)
{
    if (str_starts(operation, "SCRATCH"))
        return LEVEL_SCRATCH;
    return str_has(operation, "VMEM") ? LEVEL_VIRTUAL : LEVEL_REAL;
}
