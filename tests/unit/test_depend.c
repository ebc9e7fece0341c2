#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "depend/account.h"
#include "depend/path.h"
#include "depend/predict.h"
#include "depend/replay_in.h"
#include "made_trace.h"

/* ---- programs with known dependencies ---- */

enum { STREAMS = 3, NODES = 160 };

/* What a random program did, and why: one thread, three streams. */
struct truth {
    struct made m;
    struct made_random random;
    uint32_t streams[STREAMS];
    size_t n_ops, n_calls;
    struct {
        int64_t start, end;
        int prev, call, wait; /* -1: none */
        bool fast;            /* its name is "fast" */
    } op[NODES];
    struct {
        int64_t start, end;
        int awaited;
    } call[NODES];
    int last[STREAMS]; /* op given to the stream last */
    int64_t at;        /* host time */
};

static int64_t some(struct truth *t, int64_t least, int64_t most)
{
    return least + made_random(&t->random, most - least + 1);
}

static int add_call(struct truth *t, const char *name, int64_t end, int awaited)
{
    int c = (int)t->n_calls++;
    made_call(&t->m, name, t->at, end);
    t->call[c].start = t->at;
    t->call[c].end = end;
    t->call[c].awaited = awaited;
    t->at = end + some(t, 0, 30000);
    return c;
}

static void launch(struct truth *t, int stream, int wait)
{
    int prev = t->last[stream], o = (int)t->n_ops++;
    int64_t begin = t->at, sent = t->at + some(t, 1000, 9000);
    int c = add_call(t, "hipLaunchKernel", sent, -1);
    int64_t start = sent + some(t, 1, 6000);
    bool inside =
        made_random(&t->random, 5) == 0 && wait < 0 && (prev < 0 || t->op[prev].end < begin);
    if (inside)
        start = begin + some(t, 1, sent - begin);
    if (prev >= 0 && t->op[prev].end + 500 > start)
        start = t->op[prev].end + some(t, 500, 3000);
    if (wait >= 0 && t->op[wait].end + 500 > start)
        start = t->op[wait].end + some(t, 500, 3000);
    t->op[o].start = start;
    t->op[o].end = start + some(t, 500, 90000);
    t->op[o].prev = prev;
    t->op[o].call = c;
    t->op[o].wait = wait;
    t->op[o].fast = made_random(&t->random, 2) == 0;
    t->last[stream] = o;
    made_kernel(&t->m, t->op[o].fast ? "fast" : "slow", t->streams[stream], start, t->op[o].end,
                (uint32_t)c);
}

static int latest(const struct truth *t)
{
    int found = -1;
    for (int s = 0; s < STREAMS; s++)
        if (t->last[s] >= 0 && (found < 0 || t->op[t->last[s]].end > t->op[found].end))
            found = t->last[s];
    return found;
}

static void add_sync(struct truth *t, enum sync_kind kind, int call, int stream, int source,
                     int record)
{
    trace_room(&t->m.t, syncs, 1);
    struct syncs *s = &t->m.t.syncs;
    size_t i = s->n++;
    s->start_ns[i] = t->call[call].start;
    s->call[i] = (uint32_t)call;
    s->stream[i] = stream < 0 ? NO_INDEX : t->streams[stream];
    s->source[i] = source < 0 ? NO_INDEX : t->streams[source];
    s->record[i] = record < 0 ? NO_INDEX : (uint32_t)record;
    s->kind[i] = (uint8_t)kind;
}

/* The host waits for all streams, or for one, which only the profiler's record says. */
static void wait_on_host(struct truth *t)
{
    int stream = (int)made_random(&t->random, STREAMS);
    bool all = made_random(&t->random, 2) == 0;
    int op = all ? latest(t) : t->last[stream];
    if (op < 0)
        return;
    int64_t end = t->op[op].end > t->at ? t->op[op].end : t->at;
    int c = add_call(t, all ? "hipDeviceSynchronize" : "hipStreamSynchronize",
                     end + some(t, 500, 4000), op);
    if (!all)
        add_sync(t, SYNC_STREAM, c, stream, -1, -1);
}

/* One stream waits for what another one has been given so far. */
static void wait_on_stream(struct truth *t)
{
    int source = (int)made_random(&t->random, STREAMS), stream = (source + 1) % STREAMS;
    int op = t->last[source];
    if (op < 0)
        return;
    int record = add_call(t, "hipEventRecord", t->at + 700, -1);
    int c = add_call(t, "hipStreamWaitEvent", t->at + 600, -1);
    add_sync(t, SYNC_STREAM_WAIT, c, stream, source, record);
    launch(t, stream, op);
}

static void make(struct truth *t, uint64_t seed)
{
    memset(t, 0, sizeof(*t));
    made_init(&t->m);
    t->random = (struct made_random){seed};
    uint32_t gpu = made_gpu(&t->m);
    for (int s = 0; s < STREAMS; s++) {
        t->streams[s] = made_stream(&t->m, gpu, s);
        t->last[s] = -1;
    }
    t->at = 1000;
    size_t steps = 5 + (size_t)made_random(&t->random, 40);
    for (size_t i = 0; i < steps; i++) {
        switch (made_random(&t->random, 8)) {
        case 0:
            wait_on_host(t);
            break;
        case 1:
            wait_on_stream(t);
            break;
        case 2:
            add_call(t, "hipMalloc", t->at + some(t, 1000, 20000), -1);
            break;
        default:
            launch(t, (int)made_random(&t->random, STREAMS), -1);
        }
    }
    launch(t, 0, -1);
    wait_on_host(t);
}

static void make_graph(struct truth *t, struct view *v, struct depend *d)
{
    struct view_opts o = {.gpu = -1, .process = -1, .threads = 1};
    view_make(v, &t->m.t, &o, &t->m.arena);
    depend_make(d, v, &t->m.arena);
}

/* The op of the graph that is this kernel. */
static uint32_t graph_op(const struct depend *d, int kernel)
{
    for (uint32_t op = 0; op < d->n_ops; op++)
        if (d->ops[op].row == (uint32_t)kernel)
            return op;
    assert_true(false);
    return 0;
}

static int kernel_of(const struct depend *d, uint32_t op)
{
    return op == NO_INDEX ? -1 : (int)d->ops[op].row;
}

/* ---- the oracle: longest paths by trying every edge until nothing moves ---- */

struct oracle {
    int64_t op_start[NODES], op_end[NODES], call_start[NODES], call_end[NODES];
    int64_t end;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Where an op could begin, by its edges; times as recorded when x is NULL. */
static int64_t ready(const struct truth *t, const struct depend *d, const struct oracle *x, int o)
{
    int prev = t->op[o].prev, wait = t->op[o].wait, c = t->op[o].call;
    int64_t start = t->op[o].start, at;
    if (start > t->call[c].end)
        at = (x ? x->call_end[c] : t->call[c].end) + least(d->launch_ns, start - t->call[c].end);
    else
        at = (x ? x->call_start[c] : t->call[c].start) + start - t->call[c].start;
    if (prev >= 0)
        at = most(at, (x ? x->op_end[prev] : t->op[prev].end) +
                          least(d->queue_ns, start - t->op[prev].end));
    if (wait >= 0)
        at = most(at, (x ? x->op_end[wait] : t->op[wait].end) +
                          least(d->queue_ns, start - t->op[wait].end));
    return at;
}

static int64_t duration(const struct truth *t, int o, double factor, int longer, int64_t by)
{
    int64_t ns = t->op[o].end - t->op[o].start;
    if (t->op[o].fast && factor != 1)
        ns = most((int64_t)((double)ns * factor), least(ns, 1000));
    return ns + (o == longer ? by : 0);
}

static void solve(struct oracle *x, const struct truth *t, const struct depend *d, double factor,
                  int longer, int64_t by)
{
    int64_t first = t->call[0].start - d->view->start_ns;
    memset(x, 0, sizeof(*x));
    for (bool moved = true; moved;) {
        struct oracle old = *x;
        for (size_t c = 0; c < t->n_calls; c++) {
            int w = t->call[c].awaited;
            x->call_start[c] =
                c ? x->call_end[c - 1] + t->call[c].start - t->call[c - 1].end : first;
            int64_t was = w >= 0 ? most(t->call[c].start, t->op[w].end) : t->call[c].start;
            int64_t is = w >= 0 ? most(x->call_start[c], x->op_end[w]) : x->call_start[c];
            x->call_end[c] = is + t->call[c].end - was;
        }
        x->end = 0;
        for (int o = 0; o < (int)t->n_ops; o++) {
            int64_t residual = t->op[o].start - ready(t, d, NULL, o);
            x->op_start[o] = ready(t, d, x, o) + residual;
            x->op_end[o] = x->op_start[o] + duration(t, o, factor, longer, by);
            x->end = most(x->end, x->op_end[o]);
        }
        if (d->last_call != NO_INDEX)
            x->end = most(x->end, x->call_end[d->last_call]);
        moved = memcmp(&old, x, sizeof(old)) != 0;
    }
}

/* ---- tests ---- */

enum { SEEDS = 400 };

static void edges_are_those_of_the_program(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        static struct truth t;
        struct view v;
        struct depend d;
        make(&t, seed);
        make_graph(&t, &v, &d);
        assert_int_equal(d.n_ops, t.n_ops);
        assert_int_equal(d.n_calls, t.n_calls);
        for (int o = 0; o < (int)t.n_ops; o++) {
            uint32_t op = graph_op(&d, o);
            int wait = -1;
            assert_int_equal(kernel_of(&d, d.ops[op].prev), t.op[o].prev);
            assert_int_equal(op_call(&d, op), t.op[o].call);
            for (size_t i = 0; i < d.waits.n; i++)
                if (d.waits.v[i].op == op)
                    wait = kernel_of(&d, d.waits.v[i].on);
            assert_int_equal(wait, t.op[o].wait);
        }
        for (size_t c = 0; c < t.n_calls; c++)
            assert_int_equal(kernel_of(&d, awaited_op(&d, (uint32_t)c)), t.call[c].awaited);
        made_release(&t.m);
    }
}

static void assert_same_ops(const struct replay *x, const struct replay *y)
{
    for (uint32_t op = 0; op < x->d->n_ops; op++) {
        assert_int_equal(replay_op(x, op).start, replay_op(y, op).start);
        assert_int_equal(replay_op(x, op).end, replay_op(y, op).end);
    }
}

static void assert_same_calls(const struct replay *x, const struct replay *y)
{
    for (uint32_t c = 0; c < x->d->n_calls; c++) {
        uint32_t to, other;
        assert_int_equal(replay_call_start(x, c), replay_call_start(y, c));
        assert_int_equal(replay_call_end(x, c), replay_call_end(y, c));
        assert_int_equal(replay_waited(x, c), replay_waited(y, c));
        assert_int_equal(replay_call_bound(x, c, &to), replay_call_bound(y, c, &other));
        assert_int_equal(to, other);
    }
}

static void a_replay_without_a_change_gives_every_recorded_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        static struct truth t;
        struct view v;
        struct depend d;
        struct replay r;
        make(&t, seed);
        make_graph(&t, &v, &d);
        replay_init(&r, &d, &t.m.arena);
        replay_run(&r, NULL);
        for (uint32_t op = 0; op < d.n_ops; op++) {
            assert_int_equal(replay_op(&r, op).start, op_span(&d, op).start);
            assert_int_equal(replay_op(&r, op).end, op_span(&d, op).end);
        }
        for (uint32_t c = 0; c < d.n_calls; c++) {
            assert_int_equal(replay_call_start(&r, c), call_span(&d, c).start);
            assert_int_equal(replay_call_end(&r, c), call_span(&d, c).end);
        }
        assert_int_equal(r.end_ns - r.start_ns, depend_span(&d));
        struct replay q;
        replay_init(&q, &d, &t.m.arena);
        replay_recorded(&q);
        assert_memory_equal(q.bound, r.bound, d.n_ops * sizeof(*q.bound));
        for (uint32_t op = 0; op < d.n_ops; op++)
            assert_int_equal(replay_bound_to(&q, op), replay_bound_to(&r, op));
        assert_same_ops(&q, &r);
        assert_same_calls(&q, &r);
        assert_int_equal(q.end_ns, r.end_ns);
        assert_int_equal(q.start_ns, r.start_ns);
        assert_int_equal(q.last_op, r.last_op);
        made_release(&t.m);
    }
}

/*
 * Calls that follow another are not looked at one by one. Where every call stands apart they are:
 * whatever is changed, that gives the same.
 */
static void calls_that_follow_need_no_look(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {.remove[REMOVE_SYNC] = true},
        {.remove[REMOVE_SYNC] = true, .remove[REMOVE_ALLOCATION] = true, .keep_results = true},
        {.remove[REMOVE_LAUNCH] = true},
        {.remove[REMOVE_COPY] = true},
        {.remove[REMOVE_FIRST_USE] = true},
        {.graph = true},
        {.graph = true, .remove[REMOVE_SYNC] = true},
        {.graph = true, .cautious = true, .graph_nodes = 7},
        {.overlap = true},
        {.prefetch = true},
        {.merge_copies = true, .prefetch = true, .graph = true},
    };
    size_t less = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        static struct truth t;
        struct view v;
        struct depend d, apart;
        make(&t, seed);
        make_graph(&t, &v, &d);
        apart = d;
        apart.about = arena_array(&t.m.arena, uint8_t, d.n_calls + 1);
        for (size_t c = 0; c < d.n_calls; c++)
            apart.about[c] = d.about[c] | CALL_APART;
        struct replay r, q;
        replay_init(&r, &d, &t.m.arena);
        replay_init(&q, &apart, &t.m.arena);
        for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
            replay_run(&r, &changes[i]);
            replay_run(&q, &changes[i]);
            assert_int_equal(q.joints.are.n, d.n_calls);
            less += q.joints.are.n - r.joints.are.n;
            assert_same_ops(&q, &r);
            assert_memory_equal(q.bound, r.bound, d.n_ops * sizeof(*q.bound));
            assert_same_calls(&q, &r);
            assert_int_equal(q.start_ns, r.start_ns);
            assert_int_equal(q.end_ns, r.end_ns);
            /* At another pace what is cut to whole nanoseconds is another sum: less than one a call
             * and one an op. */
            struct change slow = changes[i];
            slow.host = 1.1;
            replay_run(&r, &slow);
            replay_run(&q, &slow);
            assert_in_range(llabs(q.end_ns - r.end_ns), 0, 2 * (d.n_calls + d.n_ops));
        }
        made_release(&t.m);
    }
    assert_true(less > 0);
}

static void changed_kernels_move_what_the_oracle_moves(void **state)
{
    (void)state;
    static const double factors[] = {0.5, 0.01, 3};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        static struct truth t;
        struct view v;
        struct depend d;
        struct replay r, times;
        make(&t, seed);
        make_graph(&t, &v, &d);
        replay_init(&r, &d, &t.m.arena);
        replay_init(&times, &d, &t.m.arena);
        times.times_only = true;
        for (size_t f = 0; f < ARRAY_LEN(factors); f++) {
            struct change c = {0};
            struct oracle x;
            vec_push(&c.kernels, &t.m.arena, ((struct kernel_scale){"fast", factors[f]}));
            replay_run(&r, &c);
            solve(&x, &t, &d, factors[f], -1, 0);
            for (int o = 0; o < (int)t.n_ops; o++) {
                assert_int_equal(replay_op(&r, graph_op(&d, o)).start, x.op_start[o]);
                assert_int_equal(replay_op(&r, graph_op(&d, o)).end, x.op_end[o]);
            }
            for (size_t k = 0; k < t.n_calls; k++)
                assert_int_equal(replay_call_end(&r, (uint32_t)k), x.call_end[k]);
            assert_int_equal(r.end_ns, x.end);
            replay_run(&times, &c);
            assert_int_equal(times.start_ns, r.start_ns);
            assert_int_equal(times.end_ns, x.end);
            assert_false(op_times_made(&times.times)); /* little was kept for it */
            int64_t ns[PATH_KINDS], sum = 0;
            path_compose(&r, ns);
            for (int k = 0; k < PATH_KINDS; k++)
                sum += ns[k];
            assert_int_equal(sum, r.end_ns - r.start_ns);
        }
        made_release(&t.m);
    }
}

struct on_path {
    const struct depend *d;
    bool op[NODES];
};

static void note_step(void *ctx, const struct path_step *s)
{
    struct on_path *p = ctx;
    if (s->kind == PATH_KERNEL)
        p->op[s->op] = true;
}

static void an_op_may_take_as_much_longer_as_its_slack(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 8; seed++) {
        static struct truth t;
        struct view v;
        struct depend d;
        struct replay r;
        struct oracle x;
        make(&t, seed);
        make_graph(&t, &v, &d);
        struct on_path p = {.d = &d};
        replay_init(&r, &d, &t.m.arena);
        replay_run(&r, NULL);
        path_walk(&r, note_step, &p);
        int64_t end = r.end_ns;
        const struct op_lengths *slacks = path_slack(&r, &t.m.arena);
        for (int o = 0; o < (int)t.n_ops; o++) {
            uint32_t op = graph_op(&d, o);
            int64_t slack = op_lengths_get(slacks, op);
            assert_true(slack >= 0);
            assert_true(!p.op[op] || slack == 0);
            solve(&x, &t, &d, 1, o, slack);
            assert_int_equal(x.end, end);
            solve(&x, &t, &d, 1, o, slack + 1);
            assert_true(x.end > end);
        }
        made_release(&t.m);
    }
}

/* Two threads in turns: what the second does begins when the first is done, and back. */
static void threads_that_take_turns_hand_over(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    struct depend d;
    made_init(&m);
    uint32_t other = made_thread(&m.t, 0, 2), stream = made_stream(&m, made_gpu(&m), 1);
    int64_t at = 0;
    for (int turn = 0; turn < 6; turn++) {
        for (int i = 0; i < 20; i++, at += US(10))
            made_kernel(&m, "k", stream, at + US(6), at + US(9),
                        made_call_on(&m, turn % 2 ? other : 0, REGION_HIP, "hipLaunchKernel", at,
                                     at + US(5)));
        at += US(40);
    }
    struct view_opts o = {.gpu = -1, .process = -1, .threads = 1};
    view_make(&v, &m.t, &o, &m.arena);
    depend_make(&d, &v, &m.arena);
    assert_int_equal(d.handovers.n, 5);
    struct replay r;
    struct change half = {.host = 0.5};
    replay_init(&r, &d, &m.arena);
    replay_run(&r, NULL);
    assert_int_equal(r.end_ns - r.start_ns, depend_span(&d));
    replay_run(&r, &half);
    assert_true(r.end_ns - r.start_ns < depend_span(&d) * 6 / 10);
    made_release(&m);
}

/* Launches of 10 us and kernels of 2 us, `n` of them; host work of `gap` between. */
static void make_launches(struct made *m, int n, int64_t gap, struct view *v, struct depend *d)
{
    made_init(m);
    uint32_t stream = made_stream(m, made_gpu(m), 1);
    int64_t at = 0;
    for (int i = 0; i < n; i++, at += US(10) + gap)
        made_kernel(m, "k", stream, at + US(12), at + US(14), made_launch(m, at, at + US(10)));
    struct view_opts o = {.gpu = -1, .process = -1, .threads = 1};
    view_make(v, &m->t, &o, &m->arena);
    depend_make(d, v, &m->arena);
}

static void a_graph_leaves_the_period_of_its_kernels(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    struct depend d;
    struct replay r;
    struct prediction p;
    struct change graph = {.graph = true};
    make_launches(&m, 1000, US(3), &v, &d);
    replay_init(&r, &d, &m.arena);
    predict(&p, &r, &graph, true, &m.arena);
    /* Kernels of 2 us with their way through the queue, and an upload of 0 to 1 us each. */
    assert_true(p.predicted_ns > US(2500) && p.predicted_ns < US(4500));
    assert_true(p.low_ns < p.predicted_ns && p.predicted_ns < p.high_ns);
    assert_true(p.speedup > 2.5 && p.next == PATH_KERNEL);
    made_release(&m);
}

static void long_host_work_is_no_part_of_a_graph_but_can_be_done_ahead(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    struct depend d;
    struct replay r;
    make_launches(&m, 50, US(400), &v, &d);
    struct change graph = {.graph = true}, ahead = {.prefetch = true};
    replay_init(&r, &d, &m.arena);
    replay_run(&r, &graph);
    assert_true(r.end_ns - r.start_ns >= depend_span(&d));
    replay_run(&r, &ahead);
    /* The other thread needs its 400 us a round: nothing but the launches is hidden. */
    assert_true(r.end_ns - r.start_ns < depend_span(&d));
    assert_true(r.end_ns - r.start_ns > US(49 * 400));
    made_release(&m);
}

/* In, compute, out on one stream. */
static void copies_beside_kernels_leave_the_longest_of_the_three(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    struct depend d;
    struct replay r;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    int64_t host = 0, at = US(20);
    enum { ROUNDS = 20 };
    for (int i = 0; i < ROUNDS; i++) {
        made_copy(&m, COPY_H2D, stream, at, at + US(300),
                  made_call(&m, "hipMemcpyAsync", host, host + US(2)));
        made_kernel(&m, "k", stream, at + US(301), at + US(801),
                    made_launch(&m, host + US(3), host + US(5)));
        made_copy(&m, COPY_D2H, stream, at + US(802), at + US(1002),
                  made_call(&m, "hipMemcpyAsync", host + US(6), host + US(8)));
        host += US(9);
        at += US(1003);
    }
    made_call(&m, "hipDeviceSynchronize", host, at + US(5));
    struct view_opts o = {.gpu = -1, .process = -1, .threads = 1};
    view_make(&v, &m.t, &o, &m.arena);
    depend_make(&d, &v, &m.arena);
    replay_init(&r, &d, &m.arena);
    struct change overlap = {.overlap = true};
    replay_run(&r, &overlap);
    int64_t ns = r.end_ns - r.start_ns; /* long kernels are 10 % slower beside copies */
    assert_true(ns > US(ROUNDS * 550) && ns < US(ROUNDS * 550 + 700));
    overlap.hopeful = true;
    replay_run(&r, &overlap);
    ns = r.end_ns - r.start_ns;
    assert_true(ns > US(ROUNDS * 500) && ns < US(ROUNDS * 500 + 700));
    struct account a;
    replay_account(&a, &r);
    assert_int_equal(a.ns[CAUSE_COMPUTE], US(ROUNDS * 500));
    int64_t sum = a.idle_ns;
    for (enum cause c = 0; c < CAUSES; c++)
        sum += a.ns[c];
    assert_int_equal(sum, ns);
    made_release(&m);
}

/* Waits, an allocation and a blocking copy taken out; the last wait stays. */
static void what_is_removed_takes_no_time(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    struct depend d;
    struct replay r;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    int64_t at = 0;
    for (int i = 0; i < 30; i++, at += US(140)) {
        made_kernel(&m, "k", stream, at + US(12), at + US(72), made_launch(&m, at, at + US(10)));
        made_call(&m, "hipDeviceSynchronize", at + US(10), at + US(75));
        made_call(&m, "hipMalloc", at + US(75), at + US(140));
    }
    struct view_opts o = {.gpu = -1, .process = -1, .threads = 1};
    view_make(&v, &m.t, &o, &m.arena);
    depend_make(&d, &v, &m.arena);
    replay_init(&r, &d, &m.arena);
    struct change sync = {0}, both = {0};
    sync.remove[REMOVE_SYNC] = both.remove[REMOVE_SYNC] = both.remove[REMOVE_ALLOCATION] = true;
    replay_run(&r, &sync);
    assert_int_equal(r.end_ns - r.start_ns, 29 * US(75) + US(12) + US(60) + US(3));
    replay_run(&r, &both);
    int64_t ns = r.end_ns - r.start_ns;
    assert_true(ns >= US(30 * 60) && ns < US(30 * 64 + 20));
    made_release(&m);
}

/* Kernels of 50 us behind each other; launches go 300 ahead, then each waits for room. */
static void launches_into_a_full_queue_wait_for_room(void **state)
{
    (void)state;
    enum { N = 900, DEPTH = 300 };
    struct made m;
    struct view v;
    struct depend d;
    struct replay r;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    int64_t host = 0;
    for (int i = 0; i < N; i++) {
        int64_t start = US(10) + i * US(51), room = US(10) + (i - DEPTH) * US(51) + US(50);
        int64_t end = i >= DEPTH && room > host + US(5) ? room + US(1) : host + US(5);
        made_kernel(&m, "k", stream, start, start + US(50), made_launch(&m, host, end));
        host = end + US(1);
    }
    struct view_opts o = {.gpu = -1, .process = -1, .threads = 1};
    view_make(&v, &m.t, &o, &m.arena);
    depend_make(&d, &v, &m.arena);
    uint32_t waiting = 0;
    for (uint32_t c = 0; c < N; c++) {
        bool waits = call_span(&d, c).end - call_span(&d, c).start >= US(20);
        assert_int_equal(awaited_op(&d, c), waits ? c - DEPTH : NO_INDEX);
        waiting += waits;
    }
    assert_true(waiting > N / 2);
    struct change half = {0};
    vec_push(&half.kernels, &m.arena, ((struct kernel_scale){"*", 0.5}));
    replay_init(&r, &d, &m.arena);
    replay_run(&r, &half); /* the host would hold it up, did its waits not shrink, too */
    assert_true(r.end_ns - r.start_ns < US(N * 27));
    made_release(&m);
}

static void make_replay(struct made *m, struct view *v, struct depend *d, struct replay *r)
{
    struct view_opts o = {.gpu = -1, .process = -1, .threads = 1};
    view_make(v, &m->t, &o, &m->arena);
    depend_make(d, v, &m->arena);
    replay_init(r, d, &m->arena);
}

/* Kernels, delays and pauses of seconds: none of them fits into 32 bits. */
static void long_times_are_replayed_as_recorded(void **state)
{
    (void)state;
    enum { N = 20 };
    const int64_t s = US(1000000);
    struct made m;
    struct view v;
    struct depend d;
    struct replay r;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    for (int i = 0; i < N; i++) { /* launched at once, begun after 9 s, done after 11 more */
        int64_t at = i * 30 * s;
        made_kernel(&m, "k", stream, at + 9 * s, at + 20 * s, made_launch(&m, at, at + US(5)));
        made_call(&m, "hipDeviceSynchronize", at + US(6), at + 20 * s + US(10));
    }
    make_replay(&m, &v, &d, &r);
    assert_int_equal(d.longest.n, N); /* each delay */
    replay_run(&r, NULL);
    for (uint32_t op = 0; op < N; op++) {
        assert_int_equal(replay_op(&r, op).start, (op * 30 + 9) * s);
        assert_int_equal(replay_op(&r, op).end, (op * 30 + 20) * s);
    }
    struct change half = {0};
    vec_push(&half.kernels, &m.arena, ((struct kernel_scale){"k", 0.5}));
    for (int again = 0; again < 2; again++) { /* what an earlier run left does not matter */
        replay_run(&r, &half);
        assert_int_equal(replay_op(&r, 0).end, 9 * s + 11 * s / 2);
        assert_int_equal(replay_op(&r, N - 1).end - replay_op(&r, N - 1).start, 11 * s / 2);
        replay_run(&r, NULL);
        assert_int_equal(r.end_ns - r.start_ns, depend_span(&d));
    }
    made_release(&m);
}

struct one_run {
    struct replay *r;
    const struct change *change;
};

static void run_it(void *ctx)
{
    const struct one_run *one = ctx;
    replay_run(one->r, one->change);
}

/* Servers ask one replay again and again, and go on when there was no memory for a question. */
static void a_replay_outlives_a_shortage(void **state)
{
    (void)state;
    enum { N = 70000 }; /* so that arrays have memory of their own */
    const int64_t s = US(1000000);
    struct made m;
    struct view v;
    struct depend d;
    struct replay r, sound;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    for (int i = 0; i < N; i++) {
        int64_t at = i * 30 * s;
        made_kernel(&m, "k", stream, at + 9 * s, at + 20 * s, made_launch(&m, at, at + US(5)));
    }
    make_replay(&m, &v, &d, &sound);
    struct change half = {0};
    vec_push(&half.kernels, &m.arena, ((struct kernel_scale){"k", 0.5}));
    replay_run(&sound, &half);
    bool done = false;
    for (int64_t n = 0; !done; n++) {
        replay_init(&r, &d, &m.arena);
        struct one_run one = {&r, &half};
        mem_fail_after(n);
        done = mem_guard(run_it, &one, NULL);
        mem_fail_never();
        replay_run(&r, &half);
        assert_same_ops(&r, &sound);
        replay_recorded(&r);
        assert_int_equal(replay_op(&r, 0).start, 9 * s);
        assert_true(n < 1000);
    }
    made_release(&m);
}

/* 300 threads in turns: their number does not fit into a byte. */
static void calls_of_many_threads_are_in_order(void **state)
{
    (void)state;
    enum { THREADS = 300, CALLS = 3 };
    struct made m;
    struct view v;
    struct depend d;
    struct replay r;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    for (int i = 1; i < THREADS; i++)
        made_thread(&m.t, 0, 1 + i);
    for (int i = 0; i < THREADS * CALLS; i++) {
        uint32_t thread = (uint32_t)(i * 7 % THREADS);
        bool waits = i % 11 == 10;
        uint32_t call =
            made_call_on(&m, thread, REGION_HIP, waits ? "hipDeviceSynchronize" : "hipLaunchKernel",
                         US(10 * i), US(10 * i + 5));
        if (!waits)
            made_kernel(&m, "k", stream, US(10 * i + 6), US(10 * i + (i % 11 == 9 ? 12 : 9)), call);
    }
    make_replay(&m, &v, &d, &r);
    assert_int_equal(d.turn_bytes, 2);
    replay_run(&r, NULL);
    assert_int_equal(r.end_ns - r.start_ns, depend_span(&d));
    /* And so are the joints, those among them that are one: first calls, and those that wait. */
    static uint32_t joint[THREADS * CALLS];
    struct turns turns = turns_first(&d, &m.arena);
    struct joint_turns forth = joints_first(&r, &m.arena), back = joints_last(&r, &m.arena);
    struct joint j;
    size_t n = 0;
    for (uint32_t i = 0; i < THREADS * CALLS; i++) {
        uint32_t call = turns_next(&turns);
        assert_int_equal(d.call_row[call], i);
        if (!is_joint(&r, call))
            continue;
        assert_true(joints_next(&forth, &j));
        assert_int_equal(j.call, call);
        assert_int_equal(j.number, replay_head(&r, call));
        joint[n++] = call;
    }
    assert_false(joints_next(&forth, &j));
    assert_true(n > THREADS + 20 && n < THREADS * CALLS / 2);
    while (n > 0) {
        assert_true(joints_back(&back, &j));
        assert_int_equal(j.call, joint[--n]);
        assert_int_equal(j.number, replay_head(&r, j.call));
    }
    assert_false(joints_back(&back, &j));
    made_release(&m);
}

/* Launches every 60 us, each after 50 us and more of host work: a slow program, not a pause. */
static void a_graph_takes_the_host_work_that_prepares_its_launches(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    struct depend d;
    struct replay r;
    struct prediction p;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    int64_t at = 0;
    for (int i = 0; i < 100; i++, at += US(i % 10 ? 60 : 150))
        made_kernel(&m, "k", stream, at + US(8), at + US(10), made_launch(&m, at, at + US(6)));
    made_call(&m, "hipDeviceSynchronize", at, at + US(5));
    make_replay(&m, &v, &d, &r);
    struct change graph = {.graph = true};
    predict(&p, &r, &graph, true, &m.arena);
    /* No launch is left but one: kernels of 2 us, 2 us apart at most, and the upload. */
    assert_true(p.predicted_ns < US(100 * 4 + 100 / 2 + 50 + 60));
    assert_true(p.low_ns < p.predicted_ns && p.predicted_ns < p.high_ns);
    made_release(&m);
}

static void a_wait_before_freeing_goes_with_it(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    struct depend d;
    struct replay r;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    int64_t at = 0;
    for (int i = 0; i < 30; i++, at += US(160)) {
        made_kernel(&m, "k", stream, at + US(12), at + US(72), made_launch(&m, at, at + US(10)));
        made_call(&m, "hipDeviceSynchronize", at + US(12), at + US(75));
        made_call(&m, "hipFree", at + US(76), at + US(159));
    }
    make_replay(&m, &v, &d, &r);
    struct change c = {0};
    c.remove[REMOVE_ALLOCATION] = true;
    replay_run(&r, &c); /* kernels behind each other */
    assert_true(r.end_ns - r.start_ns < US(30 * 64 + 20));
    c.cautious = true; /* the waits stay: a launch, its way and a kernel each */
    replay_run(&r, &c);
    assert_true(r.end_ns - r.start_ns > US(30 * 70));
    made_release(&m);
}

/* 50 copies of 4 KiB, each waited for, then large ones, which stay. */
static void tiny_copies_in_a_row_become_one(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    struct depend d;
    struct replay r;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    int64_t at = 0;
    for (int i = 0; i < 60; i++, at += US(40)) {
        uint32_t call = made_call(&m, "hipMemcpyAsync", at, at + US(10));
        uint32_t row = made_copy(&m, COPY_H2D, stream, at + US(12), at + US(14), call);
        m.t.copies.bytes[row] = i < 50 ? 4096 : 1 << 20;
        made_call(&m, "hipStreamSynchronize", at + US(11), at + US(20));
    }
    make_replay(&m, &v, &d, &r);
    struct change c = {.merge_copies = true};
    replay_run(&r, &c);
    int64_t ns = r.end_ns - r.start_ns; /* ten large ones and one that is left of the others */
    assert_true(ns > US(10 * 40) && ns < US(12 * 40));
    made_release(&m);
}

/* Whichever interface a call is of: a graph is not made a graph again. */
static void launches_of_graphs_are_told_by_kind_and_name(void **state)
{
    (void)state;
    static const struct {
        enum region_kind kind;
        const char *name;
        bool is_graph;
    } calls[] = {
        {REGION_HIP, "hipLaunchKernel", false}, {REGION_HIP, "hipGraphLaunch", true},
        {REGION_HSA, "cuLaunchKernel", false},  {REGION_HSA, "cuGraphLaunch", true},
        {REGION_HSA, "hipGraphLaunch", true},   {REGION_HIP, "hipGraphLaunch", true},
    };
    struct made m;
    struct view v;
    struct depend d;
    struct replay r;
    made_init(&m);
    strings_add(&m.t.strings, "a kernel's name before those of calls");
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
        int64_t at = US(20 * (int64_t)i);
        uint32_t call = made_call_on(&m, 0, calls[i].kind, calls[i].name, at, at + US(5));
        made_kernel(&m, "k", stream, at + US(8), at + US(12), call);
    }
    make_replay(&m, &v, &d, &r);
    assert_int_equal(d.n_calls, ARRAY_LEN(calls));
    for (uint32_t c = 0; c < d.n_calls; c++) {
        assert_int_equal(call_is_graph(&d, c), calls[c].is_graph);
        assert_int_equal(call_class(&d, c), API_LAUNCH);
        assert_int_equal(call_begins(&d, c), c == 0);
    }
    made_release(&m);
}

/* Against plain arrays: ops near each other and hours apart, short and long ones, set three times. */
static void times_of_ops_are_kept_in_full(void **state)
{
    (void)state;
    enum { OPS = 5 * TIMES_GROUP + 7, RUNS = 3 };
    static int64_t start[OPS], length[OPS];
    struct arena a;
    struct op_times t = {.groups = NULL};
    struct made_random r = {11};
    size_t wide = 0;
    arena_init(&a);
    assert_false(op_times_made(&t));
    op_times_make(&t, OPS, &a);
    assert_true(op_times_made(&t));
    for (int run = 0; run < RUNS; run++) {
        int64_t now = run == 1 ? INT64_MIN / 8 : 1000;
        for (uint32_t i = 0; i < OPS; i++) {
            bool far = i / TIMES_GROUP == 1 || (run == 2 && i == 3 * TIMES_GROUP + 255);
            now += made_random(&r, 1000);
            start[i] = far && i % 2 ? now + INT64_C(9000000000000)
                       : i % 5      ? now
                                    : now - (INT64_C(1) << 38);
            length[i] = i % 11 ? made_random(&r, 100000) : LENGTH_LONG - 1 + i % 3;
            op_set_start(&t, i, start[i]);
            op_set_length(&t, i, length[i]);
        }
        length[TIMES_GROUP] = INT64_C(1) << 40; /* a collective learns its end later */
        op_set_length(&t, TIMES_GROUP, length[TIMES_GROUP]);
        for (uint32_t i = 0; i < OPS; i++) {
            assert_int_equal(op_start(&t, i), start[i]);
            assert_int_equal(op_length(&t, i), length[i]);
            assert_int_equal(op_end(&t, i), start[i] + length[i]);
        }
    }
    for (size_t g = 0; g <= OPS / TIMES_GROUP; g++)
        wide += t.groups[g].wide != NULL;
    assert_int_equal(wide, 2);
    arena_release(&a);
}

/* Against a plain array: set in any order, near each other and far apart, to the ends of four bytes,
 * again and again. */
static void shifts_are_kept_in_full(void **state)
{
    (void)state;
    enum { N = 4 * SHIFTS_GROUP + 9, RUNS = 4 };
    static const int64_t ends[] = {INT32_MAX - 1, INT32_MAX, -INT32_MAX + 1, -INT32_MAX, INT32_MIN};
    static int64_t ns[N];
    struct arena a;
    struct shifts s = {.off = NULL};
    struct made_random r = {5};
    size_t wide = 0;
    arena_init(&a);
    shifts_make(&s, N, &a);
    for (int run = 0; run < RUNS; run++) {
        for (uint32_t i = 0; i < N; i++)
            assert_false(shifts_known(&s, i));
        for (uint32_t i = 0; i < N; i++) {
            uint32_t at = (i + 7) * 61 % N; /* all of them: 61 and N have no factor in common */
            bool first = i < SHIFTS_GROUP / 2 || run % 2;
            ns[at] = first ? -(INT64_C(1) << 40) + made_random(&r, 1000)
                           : made_random(&r, UINT32_MAX) * (run + 1);
            shifts_set(&s, at, ns[at]);
        }
        int64_t from = s.groups[2].from;
        for (uint32_t i = 0; i < ARRAY_LEN(ends); i++) {
            uint32_t at = 2 * SHIFTS_GROUP + 11 * i;
            ns[at] = from + ends[i];
            shifts_set(&s, at, ns[at]);
            assert_int_equal(s.off[at] == SHIFT_WIDE, i == 1 || i == 4);
        }
        for (uint32_t i = 0; i < N; i++) {
            assert_true(shifts_known(&s, i));
            assert_int_equal(shifts_get(&s, i), ns[i]);
            wide += s.off[i] == SHIFT_WIDE;
        }
        if (run == 2)
            shifts_make(&s, N, &a);
        else
            shifts_forget(&s);
    }
    assert_true(wide > N / 8 && wide < 3 * N);
    shifts_drop(&s);
    assert_null(s.off);
    arena_release(&a);
}

/* So much that a replay gives back what the other kind of run left, and takes it again. */
static void large_replays_give_back(void **state)
{
    (void)state;
    enum { OPS = 270000, EACH = 5 };
    struct made m;
    struct view v;
    struct depend d;
    struct replay fresh, used;
    struct change c[2] = {{.host = 1.25}, {.remove[REMOVE_SYNC] = true}};
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    int64_t at = 0;
    for (int i = 0; i < OPS; i++, at += US(8)) {
        made_kernel(&m, "k", stream, at + US(3), at + US(5), made_launch(&m, at, at + US(2)));
        if (i % EACH == 0)
            made_call(&m, "hipDeviceSynchronize", at + US(2), at + US(6));
    }
    make_replay(&m, &v, &d, &used);
    assert_true(d.awaited.n >= OPS / EACH);
    for (int i = 0; i < 4; i++) {
        replay_init(&fresh, &d, &m.arena);
        replay_run(&fresh, &c[i % 2]);
        used.times_only = i < 3;
        replay_run(&used, &c[i % 2]);
        assert_int_equal(used.end_ns, fresh.end_ns);
        assert_int_equal(op_times_made(&used.times), i == 3);
        used.times_only = false;
        if (i == 1) { /* and between two that are only timed */
            replay_run(&used, &c[0]);
            assert_true(op_times_made(&used.times));
            assert_null(used.ends);
        }
    }
    for (uint32_t op = 0; op < d.n_ops; op += 97) {
        assert_int_equal(replay_op(&used, op).start, replay_op(&fresh, op).start);
        assert_int_equal(replay_op(&used, op).end, replay_op(&fresh, op).end);
    }
    for (uint32_t call = 0; call < d.n_calls; call += 89)
        assert_int_equal(replay_call_end(&used, call), replay_call_end(&fresh, call));
    made_release(&m);
}

/*
 * Two threads in turns. A turn ends with a copying call of no length, whose copy began before it, at
 * the moment of the first call of the other thread: that one is looked at before the copy has its
 * place. What the room ran before must not show, and a run that is only timed says the same.
 */
static void a_run_does_not_depend_on_the_one_before(void **state)
{
    (void)state;
    static const double hosts[] = {3, 0.25, 1.5};
    struct made m;
    struct view v;
    struct depend d;
    made_init(&m);
    uint32_t other = made_thread(&m.t, 0, 2), stream = made_stream(&m, made_gpu(&m), 1);
    int64_t at = 0;
    for (int turn = 0; turn < 6; turn++) {
        uint32_t thread = turn % 2 ? other : 0;
        for (int i = 0; i < 20; i++, at += US(10))
            made_kernel(&m, "k", stream, at + US(6), at + US(9),
                        made_call_on(&m, thread, REGION_HIP, "hipLaunchKernel", at, at + US(5)));
        uint32_t call = made_call_on(&m, thread, REGION_HIP, "hipMemcpy", at, at);
        made_copy(&m, COPY_D2H, stream, at - US(1), at, call);
    }
    struct view_opts o = {.gpu = -1, .process = -1, .threads = 1};
    view_make(&v, &m.t, &o, &m.arena);
    depend_make(&d, &v, &m.arena);
    assert_int_equal(d.handovers.n, 5);
    assert_true(d.awaited.n > 0);
    struct replay used, used_for_times;
    replay_init(&used, &d, &m.arena);
    replay_init(&used_for_times, &d, &m.arena);
    used_for_times.times_only = true;
    for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
        struct change c = {.host = hosts[i]};
        struct replay fresh;
        replay_init(&fresh, &d, &m.arena);
        replay_run(&fresh, &c);
        replay_run(&used, &c);
        replay_run(&used_for_times, &c);
        assert_int_equal(used.end_ns, fresh.end_ns);
        assert_int_equal(used_for_times.end_ns, fresh.end_ns);
    }
    made_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(edges_are_those_of_the_program),
        unit_test(a_replay_without_a_change_gives_every_recorded_time),
        unit_test(calls_that_follow_need_no_look),
        unit_test(changed_kernels_move_what_the_oracle_moves),
        unit_test(an_op_may_take_as_much_longer_as_its_slack),
        unit_test(threads_that_take_turns_hand_over),
        unit_test(a_graph_leaves_the_period_of_its_kernels),
        unit_test(long_host_work_is_no_part_of_a_graph_but_can_be_done_ahead),
        unit_test(copies_beside_kernels_leave_the_longest_of_the_three),
        unit_test(what_is_removed_takes_no_time),
        unit_test(long_times_are_replayed_as_recorded),
        unit_test(a_replay_outlives_a_shortage),
        unit_test(times_of_ops_are_kept_in_full),
        unit_test(shifts_are_kept_in_full),
        unit_test(calls_of_many_threads_are_in_order),
        unit_test(launches_into_a_full_queue_wait_for_room),
        unit_test(a_graph_takes_the_host_work_that_prepares_its_launches),
        unit_test(a_wait_before_freeing_goes_with_it),
        unit_test(tiny_copies_in_a_row_become_one),
        unit_test(launches_of_graphs_are_told_by_kind_and_name),
        unit_test(a_run_does_not_depend_on_the_one_before),
        unit_test(large_replays_give_back),
    };
    return unit_run(tests);
}
