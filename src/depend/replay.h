/*
 * Replay: the graph run again, with changes.
 *
 * One pass over the nodes in order. Without a change every node gets its recorded time. A change
 * scales or removes durations, waits and edges; what depends on them moves, the rest stays.
 *
 *     struct change c = {0};
 *     c.remove[REMOVE_SYNC] = true;
 *     struct replay r;
 *     replay_init(&r, &depend, arena);
 *     replay_run(&r, &c);
 *     r.end_ns - r.start_ns                    // new time; depend_span() is the recorded one
 *     path_walk(&r, ...)                       // what limits then: path.h
 *
 * Thread-safety: several replays of one graph may run at once.
 */
#ifndef GS_DEPEND_REPLAY_H
#define GS_DEPEND_REPLAY_H

#include "depend/depend.h"
#include "depend/op_times.h"
#include "depend/shifts.h"
#include "model/hardware.h"

/* What can be taken out of a run. Names in change.c; keep the order. */
enum removal {
    REMOVE_SYNC,          /* host waits for the GPU, but for the last one */
    REMOVE_ALLOCATION,    /* calls that allocate and free */
    REMOVE_LAUNCH,        /* the time of launching calls */
    REMOVE_COPY,          /* copies, and the calls that make them */
    REMOVE_FIRST_USE,     /* loading and compiling code */
    REMOVE_COMMUNICATION, /* collectives */
    REMOVALS
};

const char *removal_name(enum removal r); /* "first-use" */
const char *removal_said(enum removal r); /* "loading and compiling code removed" */

/* A kernel and how much longer it takes; 0.5: half as long. */
struct kernel_scale {
    const char *pattern; /* part of the full name, any case; "*": all */
    double factor;
};

/*
 * What is changed. Zero is no change: factors are 0 for "as it is". Combined at will.
 */
struct change {
    VEC(struct kernel_scale) kernels;
    bool remove[REMOVALS];
    bool keep_results; /* a wait for a copy to the host is not removed: its data is needed */
    bool graph;        /* launches that follow each other closely become one */
    int64_t graph_from_ns, graph_to_ns; /* only those that begin there; both 0: everywhere */
    uint64_t graph_nodes;               /* launches in one graph: uploaded once; 0: all of them */
    bool overlap;               /* copies over the link run beside kernels, double-buffered */
    uint32_t streams;           /* kernels that leave room run so many at once */
    bool merge_copies;          /* tiny copies in a row, of one direction, become one */
    unsigned fuse;              /* kernels that become one: bits of enum fuse_what (fuse.h) */
    bool stay;                  /* data that makes a round trip through the host stays */
    bool pinned;                /* copies of pageable memory at the speed of the link */
    double link, host;          /* factors of copies over the link, and of the host's own time */
    double link_hope;           /* ... of the link, at its good side; 0: the same */
    uint32_t workers;           /* threads that do so; 0: one */
    bool prefetch;              /* long host work between calls is done ahead by another thread */
    bool rank_typical;          /* collectives do not wait for a late rank */
    const struct hardware *gpu; /* another GPU */
    const float *launch_scale;  /* by launches row: factor of a kernel's time; NULL: none */
    double scale_doubt;         /* how far these two may be off: 0.3 is 30 % either way */
    double scale_hope;          /* ... how far to the good side, where that is more */
    const float *symbol_scale;  /* by symbols row */
    bool cautious;              /* take what is uncertain from the bad side */
    bool hopeful;               /* ... from the good side */
    const struct hardware *const *hardware; /* by trace GPU, for pinned and gpu; may be NULL */
};

/* What reports say of a change that has no number in it; 'verify' reads it back. */
enum change_said {
    SAID_GRAPH,
    SAID_MERGE,
    SAID_OPTIMIZER,
    SAID_CHAINS,
    SAID_STAY,
    SAID_OVERLAP,
    SAID_PINNED,
    SAID_PREFETCH,
    SAID_TYPICAL,
};
const char *change_said(enum change_said s); /* "tiny copies in a row become one" */

/* What a node waited for last. */
enum binding {
    BIND_START,    /* nothing: it stands at its recorded time */
    BIND_PROGRAM,  /* the call before it on its thread */
    BIND_HANDOVER, /* a call of another thread */
    BIND_WORKER,   /* host work done ahead */
    BIND_STREAM,   /* the op before it on its stream */
    BIND_LAUNCH,   /* the end of the call that launched it */
    BIND_IN_CALL,  /* a moment inside that call */
    BIND_EVENT,    /* an op of another stream */
    BIND_INFERRED, /* the same, inferred */
    BIND_ENGINE,   /* a copy engine, or the buffers of a pipeline */
};

enum waited { WAITED_NOT, WAITED_OP, WAITED_MEETING };

/*
 * Joints: calls whose times do not just follow from the call before them on their thread: those that
 * stand apart (CALL_APART), that the change marks, or that come behind a marked one. All others
 * follow the last joint before them, at the host's pace; a replay need not look at them.
 */
struct joints {
    struct sparse are;   /* bits, by call; their places are the joints' numbers */
    uint8_t *head;       /* by call: replay_head(), beyond that of its group: asked for every op */
    uint32_t *head_from; /* by group of calls */
    /* By joint; no room: all calls are as recorded. What is to be added to the pace of recorded times:
     * of the start of a joint, and of what comes after that, to the next one. */
    struct shifts start, base;
    VEC(uint8_t) how; /* enum binding, and enum waited and JOINT_STILL above it */
    bool any_still;
};

enum { HEAD_GROUP = 256 };

/* Its end was set by what it waits for: enum waited. */
enum { JOINT_WAITED = 4, JOINT_BOUND = (1 << JOINT_WAITED) - 1 };
/* It and those that follow take no time: they are part of a graph. */
#define JOINT_STILL 0x80u

/* What an op waited for is not just what stands in the graph under that edge, but in `bound_to`. */
#define BOUND_ELSEWHERE 0x80u
enum { BOUND_GROUP = 256 };

struct replay {
    const struct depend *d;
    struct op_times times; /* of the last run that was not only timed; none: as recorded */
    uint8_t *bound; /* by op: enum binding, and BOUND_ELSEWHERE; NULL: none was asked for yet */
    VEC(uint32_t) bound_to; /* of BOUND_ELSEWHERE, in order of ops */
    uint32_t *bound_before; /* by group of ops: so many of them come before it */
    struct joints joints;
    double host;        /* the host's pace: factor of recorded times */
    uint32_t *met_last; /* by meeting: the call or op that came last; NULL: there are none */
    uint8_t *marks;     /* by call: room for what a change marks */
    bool times_only;    /* the next runs need only start_ns and end_ns, and keep of ops ... */
    int64_t *ends;      /* ... when those of d->asked end, by place there; NULL: no such run yet */
    int64_t start_ns, end_ns;
    uint32_t last_op; /* that ended last */
    struct arena *arena;
};

/* Makes room in the arena, once for any number of runs one after another; a run may take more. */
void replay_init(struct replay *r, const struct depend *d, struct arena *arena);

/*
 * Runs the graph with a change, or without (NULL). What an earlier run left is overwritten, but for
 * what one that is only timed does not keep: its ops must not be asked for.
 */
void replay_run(struct replay *r, const struct change *c);

/*
 * The same as replay_run(r, NULL), found from the recorded times: when each node begins just where
 * its edges and its own delay put it, a replay gives every recorded time, by induction. That is
 * checked; where it does not hold, the graph is run.
 */
void replay_recorded(struct replay *r);

/* ---- what ops became ---- */

static inline struct span replay_op(const struct replay *r, uint32_t op)
{
    if (!op_times_made(&r->times))
        return op_span(r->d, op);
    return (struct span){op_start(&r->times, op), op_end(&r->times, op)};
}

/* What an op waited for last, and the node (calls, then ops) that this is, or NO_INDEX. */
static inline enum binding replay_bound(const struct replay *r, uint32_t op)
{
    return (enum binding)(r->bound[op] & ~BOUND_ELSEWHERE);
}
uint32_t replay_bound_to(const struct replay *r, uint32_t op);

/* ---- what calls became ---- */

/* The joint that a call is or follows. */
static inline uint32_t replay_head(const struct replay *r, uint32_t call)
{
    return r->joints.head_from[call / HEAD_GROUP] + r->joints.head[call];
}

static inline bool is_joint(const struct replay *r, uint32_t call)
{
    return sparse_has(&r->joints.are, call);
}

static inline int64_t at_pace(const struct replay *r, int64_t recorded)
{
    return r->host == 1 ? recorded : ns_from((double)recorded * r->host);
}

/* What a recorded time becomes in a run with times of its own, behind a joint. */
static inline int64_t moved_behind(const struct replay *r, uint32_t joint, int64_t recorded)
{
    const struct joints *all = &r->joints;
    bool still = all->any_still && all->how.v[joint] & JOINT_STILL;
    int64_t base = shifts_get(&all->base, joint);
    return still ? base : add_ns(base, at_pace(r, recorded));
}

/* What it became, also where all is as recorded. */
static inline int64_t behind_joint(const struct replay *r, uint32_t joint, int64_t recorded)
{
    return r->joints.base.off ? moved_behind(r, joint, recorded) : recorded;
}

/* The start of a joint. */
static inline int64_t joint_start(const struct replay *r, uint32_t joint, int64_t recorded)
{
    const struct shifts *start = &r->joints.start;
    return start->off ? add_ns(shifts_get(start, joint), at_pace(r, recorded)) : recorded;
}

static inline int64_t replay_call_end(const struct replay *r, uint32_t call)
{
    return behind_joint(r, replay_head(r, call), call_span(r->d, call).end);
}

static inline int64_t replay_call_start(const struct replay *r, uint32_t call)
{
    uint32_t j = replay_head(r, call);
    int64_t recorded = call_span(r->d, call).start;
    return is_joint(r, call) ? joint_start(r, j, recorded) : behind_joint(r, j, recorded);
}

static inline enum waited replay_waited(const struct replay *r, uint32_t call)
{
    if (!is_joint(r, call))
        return WAITED_NOT;
    return (enum waited)((r->joints.how.v[replay_head(r, call)] & ~JOINT_STILL) >> JOINT_WAITED);
}

/* What a call waited for last, and the call that this leads to, or NO_INDEX. */
enum binding replay_call_bound(const struct replay *r, uint32_t call, uint32_t *to);

/* The recorded length of what is measured. */
static inline int64_t depend_span(const struct depend *d)
{
    return d->end_ns - d->start_ns;
}

/*
 * When an op could have begun by its edges, as recorded: at most its start. Its waits are those of
 * d->waits from `at` up to `n` that name it.
 */
int64_t op_ready(const struct depend *d, uint32_t op, size_t at, size_t n);

/* ---- the model of one edge, as recorded: what follows after how long ---- */

/* Behind another op: the usual way through the queue, or less when less was recorded. */
static inline int64_t lag_behind(const struct depend *d, int64_t start, int64_t end)
{
    int64_t lag = start - end;
    return lag < d->queue_ns ? lag : d->queue_ns;
}

/* Behind the call that launched it. */
static inline int64_t lag_launch(const struct depend *d, int64_t start, int64_t end)
{
    int64_t lag = start - end;
    return lag < d->launch_ns ? lag : d->launch_ns;
}

/*
 * From the start of the call to an op that began before the call was over. When its stream was
 * still busy, the op stood ready before that.
 */
static inline int64_t lag_inside(const struct depend *d, uint32_t op, int64_t start, int64_t called)
{
    int64_t lag = start - called;
    if (lag <= d->submit_ns || d->ops[op].prev == NO_INDEX ||
        op_span(d, d->ops[op].prev).end <= called)
        return lag;
    return d->submit_ns;
}

/* The moment up to which a call only waits: what comes after it is its own time. */
static inline int64_t call_waits_until(const struct depend *d, uint32_t call)
{
    struct span c = call_span(d, call);
    const struct depend_meeting *m = meeting_of_call(d, call);
    if (!sparse_has(&d->awaited, call))
        return m && m->latest_ns > c.start ? m->latest_ns : c.start;
    int64_t end = op_span(d, awaited_op(d, call)).end;
    return end > c.end ? c.end : end < c.start ? c.start : end;
}

#endif
