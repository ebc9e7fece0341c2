/*
 * Where a rank meets others: MPI calls that wait for them, and collectives on the GPU.
 *
 * The n-th meeting of an operation on one rank is the n-th on the others, so only operations and
 * times are kept. When there are very many, every second occurrence goes, then every second of the
 * rest: occurrences are numbered, so that ranks still keep the same ones.
 */
#include "base/sort.h"
#include "base/str.h"
#include "job/job.h"

enum { MEETS_MOST = 1 << 17, MARKERS_MOST = 1 << 13, NEEDED = 3 };

/* Longer words first where one starts another. */
static const struct {
    const char *prefix;
    enum meet_kind kind;
} mpi_kinds[] = {
    {"MPI_Barrier", MEET_ALL},     {"MPI_Allreduce", MEET_ALL},      {"MPI_Allgather", MEET_ALL},
    {"MPI_Alltoall", MEET_ALL},    {"MPI_Reduce_scatter", MEET_ALL}, {"MPI_Win_fence", MEET_ALL},
    {"MPI_Neighbor_", MEET_PEERS}, {"MPI_Bcast", MEET_ROOTED},       {"MPI_Reduce", MEET_ROOTED},
    {"MPI_Gather", MEET_ROOTED},   {"MPI_Scatter", MEET_ROOTED},     {"MPI_Scan", MEET_ROOTED},
    {"MPI_Exscan", MEET_ROOTED},   {"MPI_Wait", MEET_PEERS},         {"MPI_Recv", MEET_PEERS},
    {"MPI_Sendrecv", MEET_PEERS},  {"MPI_Probe", MEET_PEERS},        {"MPI_Mprobe", MEET_PEERS},
    {"MPI_Send", MEET_PEERS},      {"MPI_Ssend", MEET_PEERS},
};

static bool kind_of_call(const char *name, enum meet_kind *kind)
{
    if (str_eq(name, "MPI_Reduce_local"))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(mpi_kinds); i++)
        if (str_starts(name, mpi_kinds[i].prefix)) {
            *kind = mpi_kinds[i].kind;
            return true;
        }
    return false;
}

static enum meet_kind kind_of_kernel(const char *name)
{
    static const char *const rooted[] = {"Broadcast", "SendRecv", "Send", "Recv"};
    for (size_t i = 0; i < ARRAY_LEN(rooted); i++)
        if (str_has_fold(name, rooted[i]))
            return MEET_PEERS;
    return str_has_fold(name, "Reduce") && !str_has_fold(name, "AllReduce") &&
                   !str_has_fold(name, "ReduceScatter")
               ? MEET_ROOTED
               : MEET_ALL;
}

/*
 * What a collective does, from the name of its kernel. Ranks may run different variants of one
 * call: the algorithm and the protocol (ring, tree, LL) are chosen on each.
 */
static const char *collective_of(const char *kernel)
{
    static const char *const words[] = {"AllReduce", "AllGather", "ReduceScatter", "AllToAll",
                                        "Broadcast", "SendRecv",  "Reduce"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_has_fold(kernel, words[i]))
            return words[i];
    return kernel;
}

struct taker {
    struct job_rank *r;
    const struct trace *t;
    struct arena *arena;
    struct idmap ops; /* key of an operation -> meet_ops; NO_OP: none */
};

enum { NO_OP = UINT32_MAX - 1 };

static uint32_t add_op(struct taker *k, uint64_t key, const char *name, enum meet_kind kind,
                       bool on_gpu)
{
    uint32_t op = (uint32_t)k->r->meet_ops.n;
    vec_push(&k->r->meet_ops, k->arena,
             ((struct meet_op){arena_strdup(k->arena, name), kind, on_gpu, 0}));
    idmap_put(&k->ops, key, op);
    return op;
}

/* Half of what is kept goes. */
static void thin_out(struct job_rank *r)
{
    size_t n = 0;
    r->meet_stride *= 2;
    for (size_t i = 0; i < r->meets.n; i++)
        if (r->meets.v[i].occurrence % r->meet_stride == 0)
            r->meets.v[n++] = r->meets.v[i];
    r->meets.n = n;
}

static void add_meet(struct taker *k, uint32_t op, int64_t start, int64_t end)
{
    struct job_rank *r = k->r;
    uint32_t occurrence = (uint32_t)r->meet_ops.v[op].count++;
    if (occurrence % r->meet_stride)
        return;
    if (r->meets.n >= MEETS_MOST) {
        thin_out(r);
        if (occurrence % r->meet_stride)
            return;
    }
    vec_push(&r->meets, k->arena,
             ((struct meet){start, end < start ? start : end, op, occurrence}));
}

/* Rows of regions or markers that are of this process, by start. */
struct row_list {
    VEC(uint32_t) rows;
};

static void take_calls(struct taker *k, const struct analysis *a, uint32_t process,
                       struct arena *temporary)
{
    const struct regions *g = &k->t->regions;
    struct row_list list = {0};
    for (size_t i = 0; i < g->n; i++)
        if (g->kind[i] == REGION_MPI && rank_owns(k->t, g->thread[i], process) &&
            g->start_ns[i] >= a->view.start_ns && g->end_ns[i] <= a->view.end_ns)
            vec_push(&list.rows, temporary, (uint32_t)i);
    sort_rows(list.rows.v, list.rows.n, g->start_ns, temporary);
    /* By thread: until when it is in MPI. What a call calls itself is no meeting of its own. */
    int64_t *until = arena_array(temporary, int64_t, k->t->threads.n + 1);
    for (size_t i = 0; i <= k->t->threads.n; i++)
        until[i] = INT64_MIN;
    for (size_t i = 0; i < list.rows.n; i++) {
        uint32_t row = list.rows.v[i], op = idmap_get(&k->ops, g->name[row]);
        int64_t *inside =
            &until[g->thread[row] < k->t->threads.n ? g->thread[row] : k->t->threads.n];
        if (g->end_ns[row] <= *inside)
            continue;
        *inside = g->end_ns[row];
        if (op == NO_INDEX) {
            const char *name = trace_str(k->t, g->name[row]);
            enum meet_kind kind = MEET_ALL;
            if (kind_of_call(name, &kind))
                op = add_op(k, g->name[row], name, kind, false);
            else
                idmap_put(&k->ops, g->name[row], op = NO_OP);
        }
        if (op != NO_OP)
            add_meet(k, op, g->start_ns[row], g->end_ns[row]);
    }
}

static uint32_t find_gpu_op(const struct job_rank *r, const char *name)
{
    for (size_t i = 0; i < r->meet_ops.n; i++)
        if (r->meet_ops.v[i].on_gpu && str_eq(r->meet_ops.v[i].name, name))
            return (uint32_t)i;
    return NO_INDEX;
}

/* Collectives on the GPUs; the n-th GPU of a rank meets the n-th of the others. */
static void take_kernels(struct taker *k, const struct analysis *a)
{
    const struct kernels *rows = &k->t->kernels;
    for (size_t g = 0; g < a->view.n_gpus; g++)
        for (size_t i = 0; i < a->view.gpus[g].n_kernels; i++) {
            uint32_t row = a->view.gpus[g].kernels[i], symbol = rows->symbol[row];
            if (a->view.kernel_class[symbol] != KERNEL_COLLECTIVE)
                continue;
            uint32_t name = k->t->symbols.v[symbol].name;
            uint64_t key = ((uint64_t)g + 1) << 32 | name;
            uint32_t op = idmap_get(&k->ops, key);
            if (op == NO_INDEX) {
                const char *text = collective_of(trace_str(k->t, name));
                text = g ? arena_printf(k->arena, "%s (GPU %zu of it)", text, g + 1) : text;
                op = find_gpu_op(k->r, text);
                if (op == NO_INDEX)
                    op = add_op(k, key, text, kind_of_kernel(text), true);
                else
                    idmap_put(&k->ops, key, op);
            }
            add_meet(k, op, rows->start_ns[row], rows->end_ns[row]);
        }
}

static size_t meetings_of_all(const struct job_rank *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->meets.n; i++)
        n += r->meet_ops.v[r->meets.v[i].op].kind == MEET_ALL;
    return n;
}

static void take_markers(struct taker *k, const struct analysis *a, uint32_t process,
                         struct arena *temporary)
{
    const struct markers *m = &k->t->markers;
    struct row_list list = {0};
    for (size_t i = 0; i < m->n && list.rows.n < MARKERS_MOST; i++)
        if (m->kind[i] != MARKER_INSTANT && rank_owns(k->t, m->thread[i], process) &&
            m->start_ns[i] >= a->view.start_ns && m->end_ns[i] <= a->view.end_ns)
            vec_push(&list.rows, temporary, (uint32_t)i);
    sort_rows(list.rows.v, list.rows.n, m->start_ns, temporary);
    for (size_t i = 0; i < list.rows.n; i++) {
        uint32_t row = list.rows.v[i];
        uint64_t key = UINT64_MAX << 32 | m->name[row];
        uint32_t op = idmap_get(&k->ops, key);
        if (op == NO_INDEX)
            op = add_op(k, key, trace_str(k->t, m->name[row]), MEET_MARKER, false);
        add_meet(k, op, m->start_ns[row], m->end_ns[row]);
    }
}

void rank_meets(struct job_rank *r, const struct analysis *a, uint32_t process, struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    struct taker k = {.r = r, .t = a->trace, .arena = arena};
    idmap_init(&k.ops, temporary);
    take_calls(&k, a, process, temporary);
    take_kernels(&k, a);
    if (meetings_of_all(r) < NEEDED)
        take_markers(&k, a, process, temporary);
    arena_release(temporary);
}

bool rank_thin(struct job_rank *r, size_t most)
{
    bool thinned = r->meets.n > most;
    while (r->meets.n > most && r->meet_stride < UINT32_MAX / 2)
        thin_out(r);
    return thinned;
}
