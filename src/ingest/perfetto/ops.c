/*
 * Kernels, copies and allocations until all tracks are known. There are millions, and what describes
 * them is mostly said of many: that is kept once, and beside it only what is an op's own.
 */
#include <string.h>

#include "base/hash.h"
#include "ingest/perfetto/perfetto.h"

#define ALIKE_AT offsetof(struct pf_op, stream)
_Static_assert(sizeof(struct pf_alike) == sizeof(struct pf_op) - ALIKE_AT &&
                   sizeof(struct pf_alike) == 4 * sizeof(int64_t) + 22 * sizeof(uint32_t),
               "bytes that nobody sets would tell ops apart");

enum { OPS_EACH = 4096 };

static const char *alike_of(const struct pf_op *o)
{
    return (const char *)o + ALIKE_AT;
}

static uint32_t keep_alike(struct pf_ops *k, const struct pf_op *o)
{
    const char *what = alike_of(o);
    if (k->alike.n && !memcmp(&k->alike.v[k->recent], what, sizeof(struct pf_alike)))
        return k->recent;
    for (uint64_t key = hash_bytes(what, sizeof(struct pf_alike));; key++) {
        uint32_t at = idmap_get(&k->alike_of, key);
        if (at == NO_INDEX) {
            struct pf_alike alike;
            at = (uint32_t)k->alike.n;
            memcpy(&alike, what, sizeof(alike));
            vec_push_alone(&k->alike, k->arena, alike);
            idmap_put(&k->alike_of, key, at);
        }
        if (!memcmp(&k->alike.v[at], what, sizeof(struct pf_alike)))
            return k->recent = at;
    }
}

static uint32_t keep_rest(struct pf_ops *k, const struct pf_op *o)
{
    vec_push_alone(&k->rest, k->arena,
                   ((struct pf_rest){o->end_ns, o->dispatch, o->id, o->bytes, o->address,
                                     o->first_note, o->n_notes}));
    return (uint32_t)k->rest.n - 1;
}

void perfetto_keep_op(struct perfetto *p, const struct pf_op *o)
{
    struct pf_ops *k = &p->ops;
    enum pf_action action = p->categories.v[o->category].action;
    bool is_kernel = action == PA_KERNEL; /* its `id` is not used */
    bool plain = o->id == PF_NONE && o->bytes == BYTES_UNKNOWN && !o->address;
    uint64_t length = (uint64_t)o->end_ns - (uint64_t)o->start_ns;
    struct pf_kept kept = {.start_ns = o->start_ns, .correlation = o->correlation};
    if (!k->arena) {
        k->arena = arena_child(p->arena);
        k->pieces_arena = arena_child(k->arena); /* large blocks beside it stay among the newest */
        idmap_init(&k->alike_of, k->arena);
    }
    kept.length_ns = length < PF_IN_REST ? (uint32_t)length : PF_IN_REST;
    kept.dispatch =
        o->dispatch >= 0 && o->dispatch < PF_IN_REST ? (uint32_t)o->dispatch : PF_IN_REST;
    kept.alike = keep_alike(k, o);
    plain = (plain || is_kernel) && !o->n_notes && kept.length_ns != PF_IN_REST &&
            (kept.dispatch != PF_IN_REST || o->dispatch == PF_NONE);
    kept.rest = plain ? NO_INDEX : keep_rest(k, o);
    if (k->n == k->pieces.n * OPS_EACH)
        vec_push(&k->pieces, k->pieces_arena,
                 arena_array(k->pieces_arena, struct pf_kept, OPS_EACH));
    k->pieces.v[k->n / OPS_EACH][k->n % OPS_EACH] = kept;
    k->n++;
    k->n_kernels += is_kernel;
    k->n_copies += action == PA_COPY || action == PA_SET;
}

struct pf_op perfetto_op(const struct perfetto *p, size_t i)
{
    const struct pf_ops *k = &p->ops;
    const struct pf_kept *kept = &k->pieces.v[i / OPS_EACH][i % OPS_EACH];
    struct pf_op o = {.start_ns = kept->start_ns,
                      .end_ns = (int64_t)((uint64_t)kept->start_ns + kept->length_ns),
                      .correlation = kept->correlation,
                      .dispatch = kept->dispatch == PF_IN_REST ? PF_NONE : kept->dispatch,
                      .id = PF_NONE,
                      .bytes = BYTES_UNKNOWN};
    if (kept->rest != NO_INDEX) {
        const struct pf_rest *rest = &k->rest.v[kept->rest];
        o.end_ns = rest->end_ns;
        o.dispatch = rest->dispatch;
        o.id = rest->id;
        o.bytes = rest->bytes;
        o.address = rest->address;
        o.first_note = rest->first_note;
        o.n_notes = rest->n_notes;
    }
    memcpy((char *)&o + ALIKE_AT, &k->alike.v[kept->alike], sizeof(struct pf_alike));
    return o;
}

void perfetto_release_ops(struct perfetto *p)
{
    if (p->ops.arena)
        arena_release(p->ops.arena);
    p->ops = (struct pf_ops){.arena = NULL};
}
