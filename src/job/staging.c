/*
 * Data that is sent by way of the host: a copy from the device, MPI calls, a copy back.
 *
 * A chain is one or more copies to the host, then MPI calls that move data, then one or more copies
 * to the device, each starting soon after the end of the one before.
 */
#include "base/sort.h"
#include "base/str.h"
#include "job/job.h"

/* Between the links of a chain lies only what it takes to go on. */
#define LINK_NS 5000000

enum link { LINK_OUT, LINK_MPI, LINK_IN, LINKS };

struct event {
    int64_t start_ns, end_ns;
    uint64_t bytes;
    uint32_t name; /* MPI */
    enum link link;
};

struct chain {
    enum link last;
    bool open;
    int64_t end_ns, out_ns, in_ns, mpi_ns;
    uint64_t out_bytes, in_bytes;
    uint32_t name; /* what moves the data */
    bool collective;
};

static bool moves_data(const char *name)
{
    static const char *const words[] = {
        "MPI_Send",      "MPI_Isend",      "MPI_Recv",       "MPI_Irecv",     "MPI_Ssend",
        "MPI_Bsend",     "MPI_Rsend",      "MPI_Issend",     "MPI_Allreduce", "MPI_Iallreduce",
        "MPI_Allgather", "MPI_Iallgather", "MPI_Alltoall",   "MPI_Ialltoall", "MPI_Reduce",
        "MPI_Ireduce",   "MPI_Bcast",      "MPI_Ibcast",     "MPI_Gather",    "MPI_Igather",
        "MPI_Scatter",   "MPI_Iscatter",   "MPI_Wait",       "MPI_Neighbor_", "MPI_Start",
        "MPI_Put",       "MPI_Get",        "MPI_Accumulate", "MPI_Scan"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_starts(name, words[i]))
            return true;
    return false;
}

static bool is_collective(const char *name)
{
    static const char *const words[] = {"llreduce", "llgather", "lltoall", "educe",
                                        "cast",     "ather",    "catter",  "Scan"};
    if (str_starts(name, "MPI_Get") || str_starts(name, "MPI_Neighbor_"))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_has(name, words[i]))
            return true;
    return false;
}

struct events {
    VEC(struct event) v;
    VEC(int64_t) start;
};

static void add_event(struct events *e, struct event event, struct arena *arena)
{
    vec_push(&e->v, arena, event);
    vec_push(&e->start, arena, event.start_ns);
}

static void collect(struct events *e, const struct analysis *a, uint32_t process,
                    struct arena *arena)
{
    const struct trace *t = a->trace;
    const struct regions *g = &t->regions;
    for (size_t i = 0; i < g->n; i++)
        if (g->kind[i] == REGION_MPI && rank_owns(t, g->thread[i], process) &&
            moves_data(trace_str(t, g->name[i])))
            add_event(e, (struct event){g->start_ns[i], g->end_ns[i], 0, g->name[i], LINK_MPI},
                      arena);
    if (!e->v.n)
        return;
    for (size_t s = 0; s < a->view.n_gpus; s++)
        for (size_t i = 0; i < a->view.gpus[s].n_copies; i++) {
            uint32_t row = a->view.gpus[s].copies[i];
            uint8_t kind = t->copies.kind[row];
            if (kind == COPY_D2H || kind == COPY_H2D)
                add_event(e,
                          (struct event){t->copies.start_ns[row], t->copies.end_ns[row],
                                         t->copies.bytes[row], 0,
                                         kind == COPY_D2H ? LINK_OUT : LINK_IN},
                          arena);
        }
}

static void set_form(struct staging_row *row, enum staging_form form)
{
    static const char *const words[] = {[STAGING_PEERS] = "point-to-point",
                                        [STAGING_COLLECTIVE] = "collective",
                                        [STAGING_RING] = "ring",
                                        [STAGING_HALO] = "halo"};
    row->form = form;
    row->kind = words[form];
}

static void set_reach(struct staging_row *row, enum staging_reach reach)
{
    static const char *const words[] = {[REACH_UNKNOWN] = "not known",
                                        [REACH_ONE_NODE] = "one node",
                                        [REACH_NODES] = "nodes",
                                        [REACH_BOTH] = "both"};
    row->reach = reach;
    row->between = words[reach];
}

static struct staging_row *row_of(struct job_rank *r, const char *name, bool collective,
                                  struct arena *arena)
{
    for (size_t i = 0; i < r->staging.n; i++)
        if (str_eq(r->staging.v[i].operation, name))
            return &r->staging.v[i];
    vec_push(&r->staging, arena,
             ((struct staging_row){.operation = arena_strdup(arena, name), .ranks = 1}));
    set_form(&r->staging.v[r->staging.n - 1], collective ? STAGING_COLLECTIVE : STAGING_PEERS);
    return &r->staging.v[r->staging.n - 1];
}

static void close_chain(struct job_rank *r, struct chain *c, const struct trace *t,
                        struct arena *arena)
{
    if (c->open && c->last == LINK_IN) {
        struct staging_row *row = row_of(r, trace_str(t, c->name), c->collective, arena);
        row->chains++;
        row->bytes = add_bytes(row->bytes, c->out_bytes < c->in_bytes ? c->out_bytes : c->in_bytes);
        row->copy_ns = add_ns(row->copy_ns, add_ns(c->out_ns, c->in_ns));
        row->mpi_ns = add_ns(row->mpi_ns, c->mpi_ns);
    }
    *c = (struct chain){0};
}

static int64_t length(const struct event *e)
{
    return e->end_ns > e->start_ns ? e->end_ns - e->start_ns : 0;
}

static void add_mpi(struct chain *c, const struct event *e, const struct trace *t)
{
    const char *name = trace_str(t, e->name);
    bool collective = is_collective(name);
    if (c->last != LINK_MPI || (collective && !c->collective) ||
        str_starts(trace_str(t, c->name), "MPI_Wait")) {
        c->name = e->name;
        c->collective |= collective;
    }
    c->mpi_ns = add_ns(c->mpi_ns, length(e));
}

/* Takes the next event; a copy to the host opens a chain. */
static void step(struct job_rank *r, struct chain *c, const struct event *e, const struct trace *t,
                 struct arena *arena)
{
    bool follows = c->open && sub_ns(e->start_ns, c->end_ns) <= LINK_NS;
    bool goes_on = follows && (e->link == c->last || (enum link)(c->last + 1) == e->link);
    if (!goes_on || (c->last == LINK_IN && e->link != LINK_IN)) {
        close_chain(r, c, t, arena);
        if (e->link != LINK_OUT)
            return;
        c->open = true;
    }
    uint64_t bytes = e->bytes == BYTES_UNKNOWN ? 0 : e->bytes;
    if (e->link == LINK_MPI) {
        add_mpi(c, e, t);
    } else if (e->link == LINK_OUT) {
        c->out_bytes = add_bytes(c->out_bytes, bytes);
        c->out_ns = add_ns(c->out_ns, length(e));
    } else {
        c->in_bytes = add_bytes(c->in_bytes, bytes);
        c->in_ns = add_ns(c->in_ns, length(e));
    }
    c->last = e->link;
    c->end_ns = e->end_ns > c->end_ns ? e->end_ns : c->end_ns;
}

static void take_peers(struct job_rank *r, const struct trace *t, uint32_t process,
                       struct arena *arena, struct arena *temporary)
{
    const struct messages *m = &t->messages;
    struct idmap places;
    idmap_init(&places, temporary);
    for (size_t i = 0; i < m->n; i++) {
        uint32_t call = m->call[i];
        if (m->peer[i] < 0 || call >= t->regions.n ||
            !rank_owns(t, t->regions.thread[call], process))
            continue;
        uint32_t p = idmap_get(&places, (uint32_t)m->peer[i]);
        if (p == NO_INDEX) {
            p = (uint32_t)r->peers.n;
            vec_push(&r->peers, arena, ((struct peer_row){.peer = m->peer[i]}));
            idmap_put(&places, (uint32_t)m->peer[i], p);
        }
        r->peers.v[p].messages++;
        r->peers.v[p].bytes =
            add_bytes(r->peers.v[p].bytes, m->bytes[i] == BYTES_UNKNOWN ? 0 : m->bytes[i]);
    }
}

void rank_staging(struct job_rank *r, const struct analysis *a, uint32_t process,
                  struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    struct events e = {0};
    struct chain c = {0};
    collect(&e, a, process, temporary);
    uint32_t *order = arena_array(temporary, uint32_t, e.v.n);
    for (size_t i = 0; i < e.v.n; i++)
        order[i] = (uint32_t)i;
    sort_rows(order, e.v.n, e.start.v, temporary);
    for (size_t i = 0; i < e.v.n; i++)
        step(r, &c, &e.v.v[order[i]], a->trace, arena);
    close_chain(r, &c, a->trace, arena);
    take_peers(r, a->trace, process, arena, temporary);
    arena_release(temporary);
}

/* ---- the job ---- */

static bool several_hosts(const struct job *job)
{
    for (size_t i = 1; i < job->ranks.n; i++)
        if (!str_eq(job->ranks.v[i].host, job->ranks.v[0].host))
            return true;
    return false;
}

/* Which hosts the messages of the job go between. */
static enum staging_reach between_hosts(const struct job *job)
{
    bool inside = false, across = false;
    for (size_t i = 0; i < job->ranks.n; i++)
        for (size_t p = 0; p < job->ranks.v[i].peers.n; p++) {
            const struct job_rank *to = job_find(job, job->ranks.v[i].peers.v[p].peer);
            if (to)
                *(str_eq(to->host, job->ranks.v[i].host) ? &inside : &across) = true;
        }
    return inside && across ? REACH_BOTH
           : inside         ? REACH_ONE_NODE
           : across         ? REACH_NODES
                            : REACH_UNKNOWN;
}

/* Whether all messages go to the next rank or the one before, the last being next to the first. */
static bool is_ring(const struct job *job, const struct staging_row *row)
{
    int32_t n = (int32_t)job->ranks.n;
    bool any = false, wraps = false;
    for (int32_t i = 0; i < n; i++)
        for (size_t p = 0; p < job->ranks.v[i].peers.n; p++) {
            int32_t from = job->ranks.v[i].rank, to = job->ranks.v[i].peers.v[p].peer;
            int32_t apart = to > from ? to - from : from - to;
            if (apart != 1 && apart != n - 1)
                return false;
            any = true;
            wraps |= apart == n - 1 && n > 2;
        }
    if (any)
        return wraps;
    /* Without peers: a ring passes every part on once for every other rank, in each step. */
    uint64_t steps = job->ranks.v[0].iterations, hops = (uint64_t)n - 1;
    uint64_t chains = row->ranks ? row->chains / row->ranks : 0;
    return n > 3 && steps && chains / steps >= hops && chains / steps % hops == 0;
}

void job_staging(struct job *job)
{
    bool nodes = several_hosts(job);
    for (size_t i = 0; i < job->ranks.n; i++)
        for (size_t k = 0; k < job->ranks.v[i].staging.n; k++) {
            struct staging_row *own = &job->ranks.v[i].staging.v[k];
            own->rank = job->ranks.v[i].rank;
            size_t s = 0;
            while (s < job->staging.n && !str_eq(job->staging.v[s].operation, own->operation))
                s++;
            if (s == job->staging.n) {
                vec_push(&job->staging, job->arena, *own);
                job->staging.v[s].rank = -1;
                continue;
            }
            struct staging_row *all = &job->staging.v[s];
            all->chains += own->chains;
            all->bytes = add_bytes(all->bytes, own->bytes);
            all->copy_ns = add_ns(all->copy_ns, own->copy_ns);
            all->mpi_ns = add_ns(all->mpi_ns, own->mpi_ns);
            all->ranks++;
        }
    for (size_t s = 0; s < job->staging.n; s++) {
        struct staging_row *row = &job->staging.v[s];
        bool collective = row->form == STAGING_COLLECTIVE;
        if (!collective)
            set_form(row, is_ring(job, row)             ? STAGING_RING
                          : job->ranks.v[0].peers.n > 0 ? STAGING_HALO
                                                        : STAGING_PEERS);
        set_reach(row, !nodes ? REACH_ONE_NODE : collective ? REACH_NODES : between_hosts(job));
    }
}
