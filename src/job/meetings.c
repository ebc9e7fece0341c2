#include "job/meetings.h"

#include <string.h>

#include "base/hash.h"

/* The meets of a rank, operation by operation; those of operation i start at first[i]. */
static const struct meet *grouped(const struct job_rank *r, size_t *first, struct arena *arena)
{
    struct meet *v = arena_array(arena, struct meet, r->meets.n);
    size_t *next = arena_array(arena, size_t, r->meet_ops.n + 1);
    for (size_t i = 0; i < r->meets.n; i++)
        first[r->meets.v[i].op + 1]++;
    for (size_t i = 0; i < r->meet_ops.n; i++)
        first[i + 1] += first[i];
    memcpy(next, first, r->meet_ops.n * sizeof(*next));
    for (size_t i = 0; i < r->meets.n; i++)
        v[next[r->meets.v[i].op]++] = r->meets.v[i];
    return v;
}

static struct shared_op *find_op(struct meetings *m, struct idmap *map, const struct meet_op *op)
{
    uint64_t key = hash_bytes(op->name, strlen(op->name)) ^ (uint64_t)op->kind;
    uint32_t i = idmap_get(map, key);
    if (i == NO_INDEX) {
        i = (uint32_t)m->ops.n;
        vec_push(&m->ops, m->arena,
                 ((struct shared_op){.name = op->name, .kind = op->kind, .on_gpu = op->on_gpu}));
        idmap_put(map, key, i);
    }
    return &m->ops.v[i];
}

/* How often most ranks have it; of two counts that are equally common, the larger one. */
static uint64_t common_count(const struct shared_op *op)
{
    uint64_t best = 0;
    size_t most = 0;
    for (size_t i = 0; i < op->parts.n; i++) {
        size_t same = 0;
        for (size_t j = 0; j < op->parts.n; j++)
            same += op->parts.v[j].count == op->parts.v[i].count;
        if (same > most || (same == most && op->parts.v[i].count > best)) {
            most = same;
            best = op->parts.v[i].count;
        }
    }
    return best;
}

static void keep_common(struct meetings *m, struct shared_op *op)
{
    uint64_t count = common_count(op);
    size_t n = 0;
    for (size_t i = 0; i < op->parts.n; i++)
        if (op->parts.v[i].count == count)
            op->parts.v[n++] = op->parts.v[i];
    m->left_out += n < op->parts.n;
    op->parts.n = n;
}

void meetings_match(struct meetings *m, const struct job *job, struct arena *arena)
{
    struct idmap map;
    *m = (struct meetings){.job = job, .arena = arena, .stride = 1};
    idmap_init(&map, arena);
    for (size_t r = 0; r < job->ranks.n; r++) {
        const struct job_rank *rank = &job->ranks.v[r];
        size_t *first = arena_array(arena, size_t, rank->meet_ops.n + 1);
        const struct meet *v = grouped(rank, first, arena);
        m->stride = rank->meet_stride > m->stride ? rank->meet_stride : m->stride;
        for (size_t i = 0; i < rank->meet_ops.n; i++) {
            struct shared_op *op = find_op(m, &map, &rank->meet_ops.v[i]);
            vec_push(&op->parts, arena,
                     ((struct op_part){(uint32_t)r, rank->meet_ops.v[i].count, v + first[i],
                                       first[i + 1] - first[i]}));
        }
    }
    for (size_t i = 0; i < m->ops.n; i++)
        keep_common(m, &m->ops.v[i]);
}

/* The first meet of a part at or behind `at` that every rank has kept; or its end. */
static size_t seek(const struct op_part *p, size_t at, uint32_t occurrence)
{
    while (at < p->n && p->v[at].occurrence < occurrence)
        at++;
    return at;
}

static void show_op(const struct meetings *m, const struct shared_op *op,
                    void (*show)(void *ctx, const struct meeting *), void *ctx,
                    struct arena *temporary)
{
    size_t n = op->parts.n;
    size_t *at = arena_array(temporary, size_t, n);
    uint32_t *rank = arena_array(temporary, uint32_t, n);
    const struct meet **v = arena_array(temporary, const struct meet *, n);
    struct meeting one = {op, rank, v, n, m->stride};
    for (uint64_t occurrence = 0; occurrence < op->parts.v[0].count; occurrence += m->stride) {
        bool all = true;
        for (size_t i = 0; i < n; i++) {
            const struct op_part *p = &op->parts.v[i];
            at[i] = seek(p, at[i], (uint32_t)occurrence);
            all &= at[i] < p->n && p->v[at[i]].occurrence == occurrence;
            rank[i] = p->rank;
            v[i] = at[i] < p->n ? &p->v[at[i]] : NULL;
        }
        if (all)
            show(ctx, &one);
    }
}

void meetings_each(const struct meetings *m, void (*show)(void *ctx, const struct meeting *),
                   void *ctx)
{
    struct arena temporary;
    for (size_t i = 0; i < m->ops.n; i++) {
        if (m->ops.v[i].parts.n < 2)
            continue;
        arena_init(&temporary);
        show_op(m, &m->ops.v[i], show, ctx, &temporary);
        arena_release(&temporary);
    }
}
