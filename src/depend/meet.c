/*
 * Meetings: where processes, or the GPUs of one, wait for each other. Nobody leaves a barrier, an
 * all-reduce or its like before the last one has come; what is received has been sent.
 *
 * The n-th call or kernel of an operation belongs to the n-th of the others that have as many of
 * it, and to a message the n-th between the same two ranks. A meeting holds only if the times do:
 * all have come before the first one leaves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "depend/depend_in.h"

/* One call or kernel that takes part. */
struct part {
    uint64_t key; /* of the operation, or of the two ranks */
    uint32_t count, occurrence;
    uint32_t party; /* process, or a GPU of it; of a message, 0: sends, 1: receives */
    uint32_t node;  /* call or op */
};

struct tally {
    uint64_t key;
    uint32_t party, count;
};

struct search {
    struct building *b;
    VEC(struct part) parts;
    VEC(struct tally) tallies;
    struct idmap tally_of;
    uint8_t *of_name;                    /* by string: enum wanted + 1; 0: not asked yet */
    uint32_t *call_meeting, *op_meeting; /* by call, by op; NULL: none yet */
};

enum wanted { WANTED_NOT, WANTED_ALL, WANTED_SEND, WANTED_RECEIVE };

#define KEY_KERNEL (UINT64_C(1) << 62)
#define KEY_MESSAGE (UINT64_C(2) << 62)

static enum wanted judge(const char *name)
{
    static const struct {
        const char *prefix;
        enum wanted wanted;
    } table[] = {
        {"MPI_Barrier", WANTED_ALL},        {"MPI_Allreduce", WANTED_ALL},
        {"MPI_Allgather", WANTED_ALL},      {"MPI_Alltoall", WANTED_ALL},
        {"MPI_Reduce_scatter", WANTED_ALL}, {"MPI_Win_fence", WANTED_ALL},
        {"MPI_Sendrecv", WANTED_NOT},       {"MPI_Send", WANTED_SEND},
        {"MPI_Ssend", WANTED_SEND},         {"MPI_Bsend", WANTED_SEND},
        {"MPI_Rsend", WANTED_SEND},         {"MPI_Isend", WANTED_SEND},
        {"MPI_Recv", WANTED_RECEIVE},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_starts(name, table[i].prefix))
            return table[i].wanted;
    return WANTED_NOT;
}

static enum wanted wanted_of(struct search *s, uint32_t call)
{
    const struct trace *t = s->b->d->trace;
    uint32_t name = t->regions.name[s->b->d->call_row[call]];
    if (!s->of_name[name])
        s->of_name[name] = (uint8_t)(judge(trace_str(t, name)) + 1);
    return (enum wanted)(s->of_name[name] - 1);
}

static uint32_t process_of(const struct depend *d, uint32_t call)
{
    const struct trace *t = d->trace;
    uint32_t thread = t->regions.thread[d->call_row[call]];
    return thread < t->threads.n ? t->threads.v[thread].process : NO_INDEX;
}

/* Parts come in order of time, so that they can be numbered as they come. */
static void add(struct search *s, uint64_t key, uint32_t party, uint32_t node)
{
    uint64_t id = hash_u64(key) ^ hash_u64(party + 1);
    uint32_t at = idmap_get(&s->tally_of, id);
    if (at == NO_INDEX) {
        at = (uint32_t)s->tallies.n;
        idmap_put(&s->tally_of, id, at);
        vec_push(&s->tallies, s->b->temporary, ((struct tally){key, party, 0}));
    }
    struct tally *y = &s->tallies.v[at];
    if (y->key != key || y->party != party) /* two of one hash: rather none of them */
        return;
    vec_push(&s->parts, s->b->temporary, ((struct part){key, at, y->count++, party, node}));
}

/* Whom a call sends to or receives from; by call, + 1. */
static uint32_t *peers_of(const struct search *s)
{
    const struct depend *d = s->b->d;
    const struct messages *m = &d->trace->messages;
    uint32_t *peer = arena_array(s->b->temporary, uint32_t, d->n_calls + 1);
    for (size_t i = 0; i < m->n; i++) {
        uint32_t call = depend_node_of(s->b, m->call[i]);
        if (call != NO_INDEX && d->call_row[call] == m->call[i] && m->peer[i] >= 0)
            peer[call] = (uint32_t)m->peer[i] + 1;
    }
    return peer;
}

static void add_message(struct search *s, uint32_t call, bool sends, uint32_t peer)
{
    const struct depend *d = s->b->d;
    uint32_t process = process_of(d, call);
    int32_t rank = process == NO_INDEX ? -1 : d->trace->processes.v[process].rank;
    if (rank < 0 || !peer)
        return;
    uint64_t from = sends ? (uint32_t)rank : peer - 1, to = sends ? peer - 1 : (uint32_t)rank;
    add(s, KEY_MESSAGE | from << 31 | to, !sends, call);
}

/* What a collective does; kernels of several variants are one operation. 0: it may wait for some. */
static uint64_t operation_of(const char *kernel)
{
    static const char *const words[] = {"AllReduce", "AllGather", "ReduceScatter", "AllToAll"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_has_fold(kernel, words[i]))
            return i + 1;
    return 0;
}

static void add_kernel(struct search *s, uint32_t op)
{
    const struct depend *d = s->b->d;
    const struct trace *t = d->trace;
    uint32_t symbol = op_is_copy(d, op) ? NO_INDEX : t->kernels.symbol[op_row(d, op)];
    uint32_t stream = op_stream(d, op);
    if (symbol == NO_INDEX || d->view->kernel_class[symbol] != KERNEL_COLLECTIVE ||
        stream >= t->streams.n || t->streams.v[stream].gpu == NO_INDEX)
        return;
    uint64_t operation = operation_of(trace_str(t, t->symbols.v[symbol].name));
    if (operation)
        add(s, KEY_KERNEL | operation,
            t->streams.v[stream].process * (uint32_t)t->gpus.n + t->streams.v[stream].gpu, op);
}

static void collect(struct search *s)
{
    const struct depend *d = s->b->d;
    bool several = d->trace->processes.n > 1;
    bool collectives = false;
    for (size_t i = 0; i < d->trace->symbols.n; i++)
        collectives |= d->view->kernel_class[i] == KERNEL_COLLECTIVE;
    bool calls = false;
    for (uint32_t c = 0; several && !calls && c < d->n_calls; c++)
        calls = call_class(d, c) == API_COMM;
    if (!calls && !collectives)
        return;
    const uint32_t *peer = calls && d->trace->messages.n ? peers_of(s) : NULL;
    for (uint32_t op = 0; collectives && op < d->n_ops; op++)
        add_kernel(s, op);
    struct turns order = turns_first(d, s->b->temporary);
    for (size_t i = 0; calls && i < d->n_calls; i++) {
        uint32_t node = turns_next(&order);
        if (call_class(d, node) != API_COMM)
            continue;
        enum wanted wanted = wanted_of(s, node);
        if (wanted == WANTED_ALL && process_of(d, node) != NO_INDEX)
            add(s, d->trace->regions.name[d->call_row[node]], process_of(d, node), node);
        else if (wanted != WANTED_NOT && wanted != WANTED_ALL && peer)
            add_message(s, node, wanted == WANTED_SEND, peer[node]);
    }
}

static int by_meeting(const void *x, const void *y)
{
    const struct part *a = x, *b = y;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    if (a->occurrence != b->occurrence)
        return a->occurrence < b->occurrence ? -1 : 1;
    return (a->party > b->party) - (a->party < b->party);
}

static uint32_t *no_rows(size_t n, struct arena *a)
{
    uint32_t *v = arena_array(a, uint32_t, n + 1);
    memset(v, 0xff, (n + 1) * sizeof(*v));
    return v;
}

/* All have come before the first one leaves; what is received was sent before. */
static bool holds(const struct depend *d, const struct part *v, size_t n, int64_t *latest)
{
    bool message = v->key >= KEY_MESSAGE, kernel = !message && v->key >= KEY_KERNEL;
    int64_t first = INT64_MAX;
    *latest = INT64_MIN;
    if (message && (n != 2 || v[0].party || !v[1].party))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct span s = kernel ? op_span(d, v[i].node) : call_span(d, v[i].node);
        bool comes = !message || !i, leaves = !message || i;
        *latest = comes && s.start > *latest ? s.start : *latest;
        first = leaves && s.end < first ? s.end : first;
    }
    return *latest < first;
}

static void keep(struct search *s, const struct part *v, size_t n, int64_t latest)
{
    struct building *b = s->b;
    struct depend *d = b->d;
    bool message = v->key >= KEY_MESSAGE, kernel = !message && v->key >= KEY_KERNEL;
    struct depend_meeting m = {(uint32_t)d->members.n, (uint32_t)n, latest, message, kernel};
    uint32_t **of = kernel ? &s->op_meeting : &s->call_meeting;
    if (!*of)
        *of = no_rows(kernel ? d->n_ops : d->n_calls, b->temporary);
    vec_push(&d->meetings, b->arena, m);
    for (size_t i = 0; i < n; i++) {
        vec_push(&d->members, b->arena, v[i].node);
        if (!message || i) /* who sends goes on */
            (*of)[v[i].node] = (uint32_t)d->meetings.n - 1;
    }
}

void depend_meet(struct building *b)
{
    struct depend *d = b->d;
    struct search s = {.b = b};
    if (d->trace->processes.n < 2 && d->view->n_gpus < 2)
        return;
    idmap_init(&s.tally_of, b->temporary);
    s.of_name = arena_array(b->temporary, uint8_t, d->trace->strings.n + 1);
    collect(&s);
    for (size_t i = 0; i < s.parts.n; i++) /* so far the place of its tally */
        s.parts.v[i].count = s.tallies.v[s.parts.v[i].count].count;
    if (s.parts.n)
        qsort(s.parts.v, s.parts.n, sizeof(*s.parts.v), by_meeting);
    for (size_t i = 0, end; i < s.parts.n; i = end) {
        const struct part *v = &s.parts.v[i];
        int64_t latest;
        for (end = i + 1; end < s.parts.n && s.parts.v[end].key == v->key &&
                          s.parts.v[end].count == v->count &&
                          s.parts.v[end].occurrence == v->occurrence;)
            end++;
        if (end - i > 1 && holds(d, v, end - i, &latest))
            keep(&s, v, end - i, latest);
    }
    if (s.call_meeting)
        sparse_make(&d->call_meeting, s.call_meeting, d->n_calls, b->arena);
    if (s.op_meeting)
        sparse_make(&d->op_meeting, s.op_meeting, d->n_ops, b->arena);
}
