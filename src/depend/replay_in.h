/* Replay, inside: a change made ready to be asked about nodes. */
#ifndef GS_DEPEND_REPLAY_IN_H
#define GS_DEPEND_REPLAY_IN_H

#include "depend/replay.h"

enum call_mark {
    MARK_REMOVED = 1,      /* takes no time and waits for nothing */
    MARK_GRAPH = 2,        /* became part of a graph */
    MARK_GRAPH_HEAD = 4,   /* the launch of the graph stands here */
    MARK_FREE = 8,         /* waits for nothing, takes its own time */
    MARK_FIRST_USE = 16,   /* takes no longer than usual */
    MARK_GRAPH_AGAIN = 32, /* a launch of a graph that was uploaded before */
    MARK_MERGED = 64,      /* what it starts is done with the one before it */
    MARK_WARM = 128,       /* a call just before it that took the host out of its caches is gone */
};

/* Host work before a call. */
struct kept_gap {
    uint32_t call;
    int64_t ns;
};

struct recipe {
    const struct depend *d;
    const struct change *c;
    bool same_ops;             /* every op takes as long as it did */
    bool same_kernels;         /* and every kernel, but for what overlapping copies cost it */
    bool some_gone;            /* some ops are no longer there */
    uint8_t *marks;            /* by call; NULL: none is marked */
    bool knows_kept;           /* host work that stays though a neighbour goes is known ... */
    VEC(struct kept_gap) kept; /* ... and is this, by call */
    float *symbol_scale;       /* by symbol; NULL: none */
    uint32_t *op_of;           /* by call: its last op, or NO_INDEX; NULL: not asked for */
    float *share;              /* by kernels row: what is left of its time, fused; NULL: none is */
    uint8_t *gone;             /* by copies row: the data stays where it is; NULL: none does */
    double (*other_gpu)[2]; /* by GPU: factor of kernels on another one, of matrix work; or NULL */
    float *filled; /* by launch: share of the device that one fills, found when first asked for */
    double host;   /* factor of recorded times */
    int64_t usual_launch_ns;      /* a launching call, by the median */
    int64_t graph_launch_ns;      /* the first launch of a graph */
    int64_t period_ns, follow_ns; /* in a graph: from start to start, from end to start */
    int64_t graph_gap_ns;         /* host work up to this length only prepares the next launch */
};

/* change.c */
void recipe_make(struct recipe *p, const struct depend *d, const struct change *c, uint8_t *marks,
                 struct arena *temporary);
/* Duration of an op. */
int64_t recipe_op(const struct recipe *p, uint32_t op);
/* It takes no time and waits for nothing but what it follows. */
bool recipe_gone(const struct recipe *p, uint32_t op);
/* A call's own time, without waiting. */
int64_t recipe_own(const struct recipe *p, uint32_t call);
static inline unsigned recipe_mark(const struct recipe *p, uint32_t call)
{
    return p->marks ? p->marks[call] : 0;
}
/* What is left of the host's work after a call that is gone, MARK_WARM. */
double recipe_warm(const struct recipe *p);
/* The op a call still waits for. */
uint32_t recipe_awaited(const struct recipe *p, uint32_t call);

/* Host work before a call that stays. */
int64_t recipe_kept(const struct recipe *p, uint32_t call);

/* marks.c: which calls are removed or become part of a graph; gaps that stay. */
void recipe_mark_calls(struct recipe *p, uint8_t *marks, struct arena *temporary);

/* Smaller copies cost what it costs to start one. */
#define TINY_COPY_BYTES (64u << 10)

/* Host work between calls up to this length belongs to the calls beside it. */
#define SHORT_GAP_NS 50000

/*
 * What a program does between two operators of a framework, without a call: 2 to 7 us in Python,
 * less in compiled programs. That much stays where calls are removed.
 */
#define OPERATOR_GAP_NS 3000
#define OPERATOR_GAP_LEAST_NS 1000

/*
 * After a call of this length that works inside the operating system (allocating and freeing does)
 * the host finds its caches cold. What it does next takes less without that call: so much of its
 * time, at worst all, at best 0.65 of it.
 */
#define COLD_NS 20000
#define WARM_SHARE 0.8
#define WARM_SHARE_BEST 0.65

/* A graph of fewer kernels and copies is not worth its launch. */
#define GRAPH_NODES_LEAST 5

/* Host work from this length on is taken for a job of its own, which another thread can do ahead.
 */
#define AHEAD_GAP_NS 200000

/* To a thread that takes turns, waking it and setting up what it does included. */
#define HANDOVER_GAP_NS 400000

/* What is left of it: taking over what the other thread made. */
#define TAKE_OVER_NS 5000

/* ---- the pass over the nodes (replay.c) ---- */

/* Buffers of a stream whose copies run beside its kernels; times are when what is named ended. */
struct pipeline {
    int64_t compute;             /* the last kernel */
    int64_t released[2];         /* kernels before the last groups of copies in */
    int64_t in, out, out_before; /* copies in; copies out of the last group and the one before */
    bool in_group, out_group;    /* the last op was such a copy */
    uint32_t last_compute, last_in, last_out;
    uint32_t gpu; /* of the trace, or their number */
};

/* Where an op runs. */
struct place {
    struct pipeline *line;
    enum copy_kind kind; /* COPY_KINDS: a kernel */
};

struct engine {
    int64_t end;
    uint32_t op; /* its last, or NO_INDEX */
};

/* The last op of a stream so far. */
struct stream_tail {
    uint32_t op; /* or NO_INDEX */
    int64_t recorded_end, start, end;
};

/* The first op that has no place yet. */
struct next_op {
    uint32_t op;
    int64_t turn;           /* INT64_MAX: there is none */
    struct span at, called; /* as recorded: it and its call, where it has one */
};

struct pass {
    struct replay *r;
    const struct depend *d;
    struct recipe p;
    struct next_op next;
    struct stream_tail *tails; /* by stream, and one for work without; not with pipelines */
    int64_t *ends;             /* where only these are kept; else NULL */
    size_t n_ends;             /* so far */
    uint32_t placed;           /* ops before this one have their place */
    size_t wait;               /* the next of the graph's waits ... */
    uint32_t wait_op;          /* ... and the op that it is of, or NO_INDEX */
    int64_t *carry;            /* by call's thread: host work beside removed calls */
    int64_t *copied;           /* by thread: time of the removed copying calls just before */
    int64_t *worker;           /* by thread: when the host work done ahead is done */
    struct pipeline *lines;    /* by stream */
    /* By GPU: the last copy in that the host waited for, and the last kernel. The host that waits
     * orders streams; when it no longer waits, this does. */
    struct engine *in_for_all, *compute_of_all;
    uint8_t *awaited_copy;  /* bits, by op: the host waits for this copy */
    struct engine *engines; /* by GPU and kind of copy */
    uint32_t *came;         /* by meeting: how many of its kernels have begun */
};

/* When an op can begin, and why not before. */
struct ready {
    int64_t at;
    enum binding how;
    uint32_t to;
};

static inline void later(struct ready *x, int64_t at, enum binding how, uint32_t to)
{
    if (x->to == NO_INDEX || at > x->at)
        *x = (struct ready){at, how, to};
}

/*
 * Makes the joints: those of the graph, of the marks (by call; NULL: none), and calls before which
 * the host works so long or longer.
 */
void replay_joints(struct replay *r, const uint8_t *marks, int64_t ahead_ns);
/* Room for their times, none of which is known then. */
void replay_room(struct replay *r);

/*
 * Joints in the order of the graph, without a look at the calls between them.
 *
 *     struct joint_turns t = joints_first(r, temporary);
 *     for (struct joint j; joints_next(&t, &j);)
 *         visit(j.number, j.call);
 *
 * or from behind: joints_last(), joints_back().
 */
struct joint {
    uint32_t number, call;
};
struct joint_due {
    struct joint at; /* the next one of a thread ... */
    uint32_t turns;  /* ... which comes when the thread had so many more; 0: there is none */
    uint32_t end;    /* of the thread's calls */
};
struct joint_turns {
    const struct replay *r;
    size_t i;
    struct joint_due *due; /* by thread */
};
struct joint_turns joints_first(const struct replay *r, struct arena *temporary);
struct joint_turns joints_last(const struct replay *r, struct arena *temporary);
bool joints_next(struct joint_turns *t, struct joint *j);
bool joints_back(struct joint_turns *t, struct joint *j);

/* When an op ends that something besides its stream waits for; one that has no place yet, as where
 * a call that takes no time waits for what it started then, holds nothing up. */
static inline int64_t asked_end(const struct pass *s, uint32_t op)
{
    if (op >= s->placed)
        return INT64_MIN;
    return s->ends ? s->ends[sparse_place(&s->d->asked, op)] : op_end(&s->r->times, op);
}

/* joints.c: when a call begins, after all before it in the order, and its end. */
void start_joint(struct pass *s, struct joint j, int64_t recorded);
void finish_joint(struct pass *s, struct joint j);
/* All that nobody has asked for. */
void finish_joints(struct pass *s);
/* Who of a meeting came last; all of them have begun when the first one leaves. */
uint32_t last_of_meeting(const struct replay *r, const struct depend_meeting *m);
/* The joints without a change: their times are the recorded ones. */
void take_joints(struct replay *r);

/* The joint of a call, with its end: found once, asked for often. */
static inline uint32_t joint_of(struct pass *s, uint32_t call)
{
    uint32_t j = replay_head(s->r, call);
    if (!shifts_known(&s->r->joints.base, j))
        finish_joint(s, (struct joint){j, (uint32_t)sparse_last(&s->r->joints.are, call)});
    return j;
}

static inline int64_t end_of_call(struct pass *s, uint32_t call, int64_t recorded)
{
    return moved_behind(s->r, joint_of(s, call), recorded);
}

/* The joint itself may still wait for what it starts. */
static inline int64_t start_of_call(struct pass *s, uint32_t call, int64_t recorded)
{
    return is_joint(s->r, call) ? joint_start(s->r, replay_head(s->r, call), recorded)
                                : end_of_call(s, call, recorded);
}

/* pipeline.c: copies over the link beside kernels. */
void pipeline_init(struct pass *s, struct arena *temporary);
static inline struct place place_of_op(const struct pass *s, uint32_t op)
{
    const struct trace *t = s->d->trace;
    uint32_t row = op_row(s->d, op);
    enum copy_kind kind = op_is_copy(s->d, op) ? (enum copy_kind)t->copies.kind[row] : COPY_KINDS;
    return (struct place){&s->lines[op_lane(s->d, op)], kind};
}
void after_pipeline(struct pass *s, struct ready *x, uint32_t op, struct place at);
void pass_pipeline(struct pass *s, uint32_t op, struct place at, int64_t end);

#endif
