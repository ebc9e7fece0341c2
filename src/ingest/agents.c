#include "ingest/agents.h"

#include "base/str.h"

uint32_t agent_in(struct trace *t, struct idmap *known, uint32_t process, uint32_t gpu)
{
    uint64_t key = (uint64_t)process << 32 | gpu;
    uint32_t a = idmap_get(known, key);
    if (a != NO_INDEX)
        return a;
    struct agent made = {.process = process,
                         .type = gpu == NO_INDEX ? AGENT_CPU : AGENT_GPU,
                         .gpu = gpu,
                         .id = gpu == NO_INDEX ? -1 : t->gpus.v[gpu].node_id};
    a = (uint32_t)t->agents.n;
    vec_push(&t->agents, &t->arena, made);
    idmap_put(known, key, a);
    return a;
}

enum copy_kind copy_kind_said(const char *words)
{
    static const struct {
        const char *part;
        enum copy_kind kind;
    } table[] = {
        {"HOST_TO_DEVICE", COPY_H2D},
        {"DEVICE_TO_HOST", COPY_D2H},
        {"DEVICE_TO_DEVICE", COPY_D2D},
        {"HOST_TO_HOST", COPY_H2H},
        {"PEER_TO_PEER", COPY_P2P},
        {"memset", COPY_SET}, /* before "D2D": "MemsetD2D8" sets */
        {"FillBuffer", COPY_SET},
        {"HostToDevice", COPY_H2D},
        {"DeviceToHost", COPY_D2H},
        {"DeviceToDevice", COPY_D2D},
        {"HostToHost", COPY_H2H},
        {"PeerToPeer", COPY_P2P},
        {"HtoD", COPY_H2D},
        {"DtoH", COPY_D2H},
        {"DtoD", COPY_D2D},
        {"PtoP", COPY_P2P},
        {"HtoH", COPY_H2H},
        {"H2D", COPY_H2D},
        {"D2H", COPY_D2H},
        {"D2D", COPY_D2D},
        {"P2P", COPY_P2P},
        {"H2H", COPY_H2H},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_has_fold(words, table[i].part))
            return table[i].kind;
    return COPY_UNKNOWN;
}

enum copy_kind copy_kind_between(const struct trace *t, enum copy_kind named, uint32_t src,
                                 uint32_t dst)
{
    if (src == NO_INDEX || dst == NO_INDEX)
        return named;
    const struct agent *s = &t->agents.v[src], *d = &t->agents.v[dst];
    bool from_gpu = s->type == AGENT_GPU, to_gpu = d->type == AGENT_GPU;
    if (from_gpu && to_gpu && s->gpu != d->gpu)
        return COPY_P2P;
    if (named != COPY_UNKNOWN)
        return named;
    return from_gpu ? (to_gpu ? COPY_D2D : COPY_D2H) : (to_gpu ? COPY_H2D : COPY_H2H);
}
