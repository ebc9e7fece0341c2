/*
 * The dependency graph of a run: what each piece of GPU work and each host call had to wait for.
 *
 * Nodes are the GPU work of a view (kernels and copies: "ops") and its outermost host calls. Edges
 * all lead back in time and are arrays, not objects:
 *
 * - program order: a call begins when the one before it on its thread has ended and the host work
 *   between them is done; a thread that only goes on when another has finished (forward and
 *   backward, queue and worker) depends on that one's last call (hand-over);
 * - launch: an op begins after the call that submitted it;
 * - stream: an op begins after the one before it on its stream;
 * - waits: an op begins after ops of other streams: by recorded events, by the rules of the default
 *   stream, or inferred, where an op
 *   was ready long before and began just as another one of its GPU ended;
 * - host waits: a call ends after the op it waits for (synchronisation, blocking copies, freeing
 *   memory, launches into a full queue);
 * - meetings: a collective ends after the last of those that take part has begun, on the host (MPI)
 *   or on the GPUs (RCCL, NCCL); a message is received after it was sent.
 *
 * What an op waited beyond its edges is kept with it as its residual, what a call does besides
 * waiting as its own time. Hence a replay without changes gives exactly the recorded times, and one
 * with changes moves only what depends on them. Built in time n log n, in less than 64 bytes a
 * node.
 *
 *     struct depend d;
 *     depend_make(&d, &analysis->view, arena);
 *     struct replay r;
 *     replay_init(&r, &d, &temporary);        // replay.h
 *     replay_run(&r, NULL);
 *
 * Times are nanoseconds from the start of the view, clipped to it, by a clock that stands still in
 * pauses of the recording (view_elapsed()). Ownership: the arena. Thread-
 * safety: read-only once made.
 */
#ifndef GS_DEPEND_DEPEND_H
#define GS_DEPEND_DEPEND_H

#include "analyze/view.h"
#include "base/sparse.h"

/* Of a row number: the op is a copy. */
#define DEPEND_COPY 0x80000000u

/* Two runs of one program are hardly nearer than this. */
#define LEAST_NOISE 0.01

/* An edge beyond launch and stream. */
enum wait_kind { WAIT_EVENT, WAIT_INFERRED, WAIT_DEFAULT };

struct depend_wait {
    uint32_t op, on; /* ops */
    uint32_t kind;   /* enum wait_kind */
};

/* A call that begins when a call of another thread is over; sorted by call. */
struct depend_handover {
    uint32_t call, from; /* calls */
};

/*
 * Calls of several processes, or kernels of several GPUs, that nobody leaves before the last one has
 * come; of a message, the second one not before the first has begun.
 */
struct depend_meeting {
    uint32_t first, n; /* members */
    int64_t latest_ns; /* when the last one came, as recorded */
    bool message, kernels;
};

/* What is known of a call: its class in four bits, and four more. */
enum call_about {
    CALL_GRAPH = API_CLASSES, /* as a class: API_LAUNCH, of a graph, by its name */
    CALL_CLASS = 15,
    CALL_BEGINS = 16, /* the first one of its thread */
    CALL_MANY = 32,   /* it submitted several ops: a graph already */
    CALL_HANDED = 64, /* a call of another thread leads to it */
    CALL_APART = 128, /* its times do not just follow from the call before it */
};
_Static_assert(CALL_GRAPH < CALL_CLASS, "classes of calls take four bits");

struct op {
    uint32_t row;  /* kernels row, or copies row with DEPEND_COPY */
    uint32_t prev; /* op before it on its stream, or NO_INDEX */
    /* What it began later than by its edges, which nothing explains: depend_residual(). */
    uint32_t residual;
};

/* A residual of four seconds or more: it stands elsewhere. */
#define RESIDUAL_LONG UINT32_MAX
struct long_residual {
    uint32_t op;
    int64_t ns;
};

enum { TURN_BYTES = 4 };

struct depend {
    const struct trace *trace;
    const struct view *view;

    /* Ops, in the order in which they began (or were launched, where clocks disagree). */
    size_t n_ops;
    const int64_t *start_of[2], *end_of[2]; /* of kernels and of copies: columns of the trace */
    int64_t *op_start, *op_end;             /* NULL: as in the trace, none is clipped: op_span() */
    struct op *ops;
    uint32_t *op_call; /* the call that submitted each, or NO_INDEX; NULL: no op has one */
    VEC(struct long_residual) longest; /* sorted by op */

    /* Calls: the outer calls of all threads, thread by thread. */
    size_t n_calls;
    const uint32_t *call_row;           /* regions row: the view's */
    const int64_t *row_start, *row_end; /* by regions row: columns of the trace */
    int64_t from;                       /* where the view starts */
    bool cut;                           /* some are longer than the view, or it has pauses */
    struct sparse awaited;              /* op it waits for */
    uint32_t *first_call;               /* by thread of the view, and one more */
    uint32_t *leads;                    /* by thread: its first call that led to work, NO_INDEX */
    uint8_t *about;                     /* by call: enum call_about */

    struct sparse
        asked; /* bits: ops that calls or ops of other streams wait for, and those that meet */
    VEC(struct depend_wait) waits;         /* sorted by op */
    VEC(struct depend_handover) handovers; /* sorted by call */
    VEC(struct depend_meeting) meetings;
    VEC(uint32_t) members;                  /* calls or ops, meeting by meeting */
    struct sparse call_meeting, op_meeting; /* the one a call or op waits in */

    /* An order in which every edge leads back: calls in turns of their threads, see struct turns,
     * and ops by number, each at its depend_turn(). */
    uint8_t
        *turn[TURN_BYTES]; /* by place in the order: the thread's number, its lowest byte first */
    unsigned turn_bytes;   /* so many of them are there; 0: there is one thread */

    /* What is usual in this trace; see typical.c. */
    int64_t queue_ns;   /* from the end of an op to the start of the next that waits behind it */
    int64_t launch_ns;  /* from the end of a launching call to the start of its op on an idle GPU */
    int64_t submit_ns;  /* from the start of a launching call to the moment its op is on its way */
    int64_t call_ns;    /* a launching call */
    int64_t between_ns; /* host work between two calls that follow each other closely */

    double noise; /* how far the whole would come out elsewhere if run again: 0.01 is 1 % */

    /* What is measured: from the first call that led to GPU work to the end of the last work or of
     * the call that waited for it. */
    int64_t start_ns, end_ns;
    uint32_t last_call; /* the call that waited for the last work, or NO_INDEX */
    uint64_t unlinked;  /* ops without a call */
};

void depend_make(struct depend *d, const struct view *v, struct arena *arena);

/* ---- the recorded times of nodes ---- */

static inline bool op_is_copy(const struct depend *d, uint32_t op)
{
    return d->ops[op].row & DEPEND_COPY;
}

static inline uint32_t op_row(const struct depend *d, uint32_t op)
{
    return d->ops[op].row & ~DEPEND_COPY;
}

/* The call that submitted it, or NO_INDEX. */
static inline uint32_t op_call(const struct depend *d, size_t op)
{
    return d->op_call ? d->op_call[op] : NO_INDEX;
}

static inline struct span op_span(const struct depend *d, uint32_t op)
{
    if (d->op_start)
        return (struct span){d->op_start[op], d->op_end[op]};
    uint32_t row = op_row(d, op);
    bool copy = op_is_copy(d, op);
    return (struct span){d->start_of[copy][row] - d->from, d->end_of[copy][row] - d->from};
}

static inline struct span call_span(const struct depend *d, uint32_t call)
{
    uint32_t row = d->call_row[call];
    struct span s = {d->row_start[row], d->row_end[row]};
    if (d->cut) {
        s = view_clip(d->view, s.start, s.end);
        return (struct span){view_elapsed(d->view, s.start), view_elapsed(d->view, s.end)};
    }
    return (struct span){s.start - d->from, s.end - d->from};
}

static inline uint32_t op_stream(const struct depend *d, uint32_t op)
{
    uint32_t row = op_row(d, op);
    return op_is_copy(d, op) ? d->trace->copies.stream[row] : d->trace->kernels.stream[row];
}

/* The place of its stream in an array by stream that has one more, for work without. */
static inline size_t op_lane(const struct depend *d, uint32_t op)
{
    uint32_t stream = op_stream(d, op);
    size_t n = d->trace->streams.n;
    return stream < n ? stream : n;
}

/* The GPU of the trace that a stream is of, or their number. */
static inline size_t depend_gpu(const struct trace *t, uint32_t stream)
{
    uint32_t gpu = stream < t->streams.n ? t->streams.v[stream].gpu : NO_INDEX;
    return gpu < t->gpus.n ? gpu : t->gpus.n;
}

static inline enum api_class call_class(const struct depend *d, uint32_t call)
{
    unsigned class = d->about[call] & CALL_CLASS;
    return class == CALL_GRAPH ? API_LAUNCH : (enum api_class) class;
}

static inline bool call_is_graph(const struct depend *d, uint32_t call)
{
    return (d->about[call] & CALL_CLASS) == CALL_GRAPH;
}

static inline bool call_begins(const struct depend *d, uint32_t call)
{
    return d->about[call] & CALL_BEGINS;
}

/* The op a call waits for, or NO_INDEX. */
static inline uint32_t awaited_op(const struct depend *d, uint32_t call)
{
    return sparse_get(&d->awaited, call);
}

/* The meeting a call or an op waits in, or NULL. */
static inline const struct depend_meeting *meeting_of_call(const struct depend *d, uint32_t call)
{
    uint32_t m = sparse_get(&d->call_meeting, call);
    return m == NO_INDEX ? NULL : &d->meetings.v[m];
}

static inline const struct depend_meeting *meeting_of_op(const struct depend *d, uint32_t op)
{
    uint32_t m = sparse_get(&d->op_meeting, op);
    return m == NO_INDEX ? NULL : &d->meetings.v[m];
}

int64_t depend_long_residual(const struct depend *d, uint32_t op);

static inline int64_t depend_residual(const struct depend *d, uint32_t op)
{
    return d->ops[op].residual == RESIDUAL_LONG ? depend_long_residual(d, op) : d->ops[op].residual;
}

/*
 * When it is an op's turn: at its start, and not before the call that launched it. It stands behind
 * all calls that begin then.
 */
static inline int64_t depend_turn(const struct depend *d, uint32_t op)
{
    int64_t start = op_span(d, op).start;
    int64_t called = op_call(d, op) == NO_INDEX ? start : call_span(d, op_call(d, op)).start;
    return called > start ? called : start;
}

/* ---- calls in the order ---- */

/*
 * The calls of a thread are in order, so whose turn it is says all.
 *
 *     struct turns t = turns_first(d, temporary);
 *     for (size_t i = 0; i < d->n_calls; i++)
 *         visit(turns_next(&t));
 */
struct turns {
    const struct depend *d;
    size_t i;
    uint32_t *at; /* by thread: its next call */
};

struct turns turns_first(const struct depend *d, struct arena *temporary);

static inline size_t turn_of(const struct depend *d, size_t i)
{
    size_t thread = 0;
    for (unsigned k = 0; k < d->turn_bytes; k++)
        thread |= (size_t)d->turn[k][i] << 8 * k;
    return thread;
}

static inline uint32_t turns_next(struct turns *t)
{
    return t->at[turn_of(t->d, t->i++)]++;
}

/* How long a collective lasts once all have come. */
static inline int64_t op_alone(const struct depend *d, uint32_t op)
{
    const struct depend_meeting *m = meeting_of_op(d, op);
    struct span s = op_span(d, op);
    return s.end - (m && m->latest_ns > s.start ? m->latest_ns : s.start);
}

/* The first of d->waits that is of this op or a later one. */
size_t depend_first_wait(const struct depend *d, uint32_t op);

/* The call of another thread that this one begins after, or NO_INDEX. */
uint32_t depend_handed_by(const struct depend *d, uint32_t call);

#endif
