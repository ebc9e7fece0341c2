#include "job/meetings.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/quantile.h"
#include "base/hash.h"

/* Calls fit when their ends scatter by less than one part in so many of the time between them. */
enum { FITS = 20, LEAST_ALIKE = 8 };

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

/* The counts of an operation, rising. */
struct counts {
    uint64_t *v;
    size_t n;
};

static int by_count(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static struct counts counts_of(const struct shared_op *op, struct arena *arena)
{
    struct counts c = {arena_array(arena, uint64_t, op->parts.n), op->parts.n};
    for (size_t i = 0; i < c.n; i++)
        c.v[i] = op->parts.v[i].count;
    qsort(c.v, c.n, sizeof(*c.v), by_count);
    return c;
}

static size_t below(const struct counts *c, uint64_t count)
{
    size_t lo = 0;
    BISECT(lo, c->n, mid, c->v[mid] < count);
    return lo;
}

/* How many ranks have it so often. */
static size_t how_many(const struct counts *c, uint64_t count)
{
    return below(c, count + 1) - below(c, count); /* in range: a count is of rows in memory */
}

/* How often most ranks have it; of two counts that are equally common, the larger one. */
static uint64_t common_count(const struct counts *c)
{
    uint64_t best = 0;
    size_t most = 0;
    for (size_t i = 0, n; i < c->n; i += n) {
        for (n = 1; i + n < c->n && c->v[i + n] == c->v[i]; n++)
            ;
        if (n >= most) {
            most = n;
            best = c->v[i];
        }
    }
    return best;
}

/* The middle one of |v - middle of v|; v holds these distances afterwards. */
static int64_t scatter(int64_t *v, size_t n)
{
    int64_t middle = select_rank(v, n, n / 2);
    for (size_t i = 0; i < n; i++)
        v[i] = v[i] > middle ? sub_ns(v[i], middle) : sub_ns(middle, v[i]);
    return select_rank(v, n, n / 2);
}

/* How far calls of p end from those of q with the first ones left out; INT64_MAX: too few. */
static int64_t misfit(const struct op_part *p, const struct op_part *q, int64_t ahead,
                      struct arena *arena)
{
    size_t n = 0, skip_p = ahead > 0 ? (size_t)ahead : 0, skip_q = ahead < 0 ? (size_t)-ahead : 0;
    int64_t *apart = arena_array(arena, int64_t, p->n + 1);
    for (; skip_p + n < p->n && skip_q + n < q->n; n++)
        apart[n] = sub_ns(p->v[skip_p + n].end_ns, q->v[skip_q + n].end_ns);
    return n < LEAST_ALIKE ? INT64_MAX : scatter(apart, n);
}

/* Whether the calls of a rank that counts otherwise fit to the group; says how far it is ahead. */
static bool joins(struct op_part *p, const struct shared_op *group, struct arena *arena)
{
    const struct op_part *q = &group->parts.v[0];
    if (p->n != p->count || q->n != q->count || q->n < LEAST_ALIKE)
        return false;
    int64_t more = (int64_t)p->count - (int64_t)q->count;
    int64_t at_start = misfit(p, q, more, arena), at_end = misfit(p, q, 0, arena);
    int64_t apart = sub_ns(q->v[q->n - 1].end_ns, q->v[0].end_ns) / (int64_t)q->n;
    p->ahead = at_start < at_end ? more : 0;
    return (at_start < at_end ? at_start : at_end) < apart / FITS;
}

static void insert_by_rank(struct shared_op *group, struct op_part part, struct arena *arena)
{
    vec_push(&group->parts, arena, part);
    size_t i = group->parts.n - 1;
    for (; i && group->parts.v[i - 1].rank > part.rank; i--)
        group->parts.v[i] = group->parts.v[i - 1];
    group->parts.v[i] = part;
}

static struct shared_op group_of(const struct shared_op *op, uint64_t count, struct arena *arena)
{
    struct shared_op group = {op->name, op->kind, op->on_gpu, count, {0}};
    for (size_t i = 0; i < op->parts.n; i++)
        if (op->parts.v[i].count == count)
            vec_push(&group.parts, arena, op->parts.v[i]);
    return group;
}

/* Replaces an operation by one for every group of ranks, the largest first. */
static void split(struct meetings *m, size_t place, struct arena *temporary)
{
    struct shared_op all = m->ops.v[place];
    struct counts counts = counts_of(&all, temporary);
    uint64_t common = common_count(&counts);
    struct shared_op group = group_of(&all, common, m->arena);
    struct idmap grouped;
    bool alone = false;
    idmap_init(&grouped, temporary);
    for (size_t i = 0; i < all.parts.n; i++) {
        uint64_t count = all.parts.v[i].count;
        size_t same = count == common ? 0 : how_many(&counts, count);
        if (same == 1 && all.kind == MEET_ALL && joins(&all.parts.v[i], &group, m->arena)) {
            insert_by_rank(&group, all.parts.v[i], m->arena);
        } else if (same > 1 && idmap_get(&grouped, count) == NO_INDEX) {
            idmap_put(&grouped, count, 0);
            vec_push(&m->ops, m->arena, group_of(&all, count, m->arena));
        } else {
            alone |= same == 1;
        }
    }
    m->left_out += alone && all.kind == MEET_ALL;
    m->ops.v[place] = group;
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
                                       first[i + 1] - first[i], 0}));
        }
    }
    struct arena *temporary = arena_scratch();
    size_t n = m->ops.n;
    for (size_t i = 0; i < n; i++) {
        split(m, i, temporary);
        arena_release(temporary);
    }
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
    for (uint64_t occurrence = 0; occurrence < op->count; occurrence += m->stride) {
        bool all = true;
        one.n = 0;
        for (size_t i = 0; i < n; i++) {
            const struct op_part *p = &op->parts.v[i];
            int64_t own = (int64_t)occurrence + p->ahead;
            if (own < 0 || (uint64_t)own >= p->count)
                continue; /* its trace starts later or ends earlier */
            at[i] = seek(p, at[i], (uint32_t)own);
            all &= at[i] < p->n && p->v[at[i]].occurrence == own;
            rank[one.n] = p->rank;
            v[one.n++] = at[i] < p->n ? &p->v[at[i]] : NULL;
        }
        if (all && one.n > 1)
            show(ctx, &one);
    }
}

void meetings_each(const struct meetings *m, void (*show)(void *ctx, const struct meeting *),
                   void *ctx)
{
    struct arena *temporary = arena_scratch();
    for (size_t i = 0; i < m->ops.n; i++) {
        if (m->ops.v[i].parts.n < 2)
            continue;
        show_op(m, &m->ops.v[i], show, ctx, temporary);
        arena_release(temporary);
    }
}
