#include "unit.h"

#include "depend/path.h"
#include "depend/replay.h"
#include "made_trace.h"

/* The op of the graph that is this kernel. */
static uint32_t graph_op(const struct depend *d, uint32_t kernel)
{
    uint32_t op = 0;
    while (op < d->n_ops && d->ops[op].row != kernel)
        op++;
    assert_true(op < d->n_ops);
    return op;
}

/* ---- processes that wait for each other ---- */

/* A rank: launch, kernel up to `end`, a wait for it. */
static void compute(struct made *m, uint32_t rank, const char *name, int64_t at, int64_t end)
{
    uint32_t stream = trace_stream(&m->t, rank, 0, 1, 0);
    uint32_t call = made_call_on(m, rank, REGION_HIP, "hipLaunchKernel", at, at + US(5));
    made_kernel(m, name, stream, at + US(8), end, call);
    made_call_on(m, rank, REGION_HIP, "hipDeviceSynchronize", at + US(6), end + US(2));
}

static void two_ranks(struct made *m)
{
    made_init(m);
    made_gpu(m);
    m->t.processes.v[0].rank = 0;
    vec_push(&m->t.processes, &m->t.arena, ((struct process){.pid = 101, .rank = 1}));
    made_thread(&m->t, 1, 2);
}

static void send_or_receive(struct made *m, uint32_t rank, const char *name, int64_t start,
                            int64_t end)
{
    uint32_t call = made_call_on(m, rank, REGION_MPI, name, start, end);
    trace_room(&m->t, messages, 1);
    size_t i = m->t.messages.n++;
    m->t.messages.bytes[i] = 8;
    m->t.messages.call[i] = call;
    m->t.messages.peer[i] = rank ? 0 : 1;
}

static struct replay replay_ranks(struct made *m, struct view *v, struct depend *d)
{
    struct view_opts o = {.gpu = -1, .process = -1, .threads = 1};
    struct replay r;
    view_make(v, &m->t, &o, &m->arena);
    depend_make(d, v, &m->arena);
    replay_init(&r, d, &m->arena);
    replay_run(&r, NULL);
    assert_int_equal(r.end_ns, d->end_ns);
    return r;
}

static int64_t end_with(struct replay *r, struct made *m, const char *kernel, double factor)
{
    struct change c = {0};
    vec_push(&c.kernels, &m->arena, ((struct kernel_scale){kernel, factor}));
    replay_run(r, &c);
    return r->end_ns;
}

/* Rank 0 comes at 32, rank 1 at 72, both leave at 82 and compute for 20. */
static void nobody_leaves_before_the_last_one_has_come(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    struct depend d;
    two_ranks(&m);
    compute(&m, 0, "early", 0, US(30));
    compute(&m, 1, "late", 0, US(70));
    for (uint32_t rank = 0; rank < 2; rank++) {
        made_call_on(&m, rank, REGION_MPI, "MPI_Barrier", rank ? US(72) : US(32), US(82));
        compute(&m, rank, "rest", US(82), US(110));
    }
    struct replay r = replay_ranks(&m, &v, &d);
    assert_int_equal(d.meetings.n, 1);
    int64_t length = r.end_ns;
    const struct op_lengths *slack = path_slack(&r, &m.arena);
    assert_int_equal(op_lengths_get(slack, graph_op(&d, 0)), US(40)); /* early */
    assert_int_equal(op_lengths_get(slack, graph_op(&d, 1)), 0);      /* late */
    assert_int_equal(end_with(&r, &m, "late", 0.5), length - US(31));
    assert_int_equal(end_with(&r, &m, "late", 0.1), length - US(40)); /* then early is late */
    assert_int_equal(end_with(&r, &m, "early", 0.1), length);
    replay_recorded(&r);
    int64_t parts[PATH_KINDS];
    path_compose(&r, parts);
    assert_int_equal(parts[PATH_CALL_COMM], US(10));
    assert_int_equal(parts[PATH_KERNEL], US(62 + 20));
    made_release(&m);
}

/* Rank 1 waits in MPI_Recv from 20 on for what rank 0 sends at 52. */
static void what_is_received_was_sent(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    struct depend d;
    two_ranks(&m);
    compute(&m, 0, "first", 0, US(50));
    send_or_receive(&m, 0, "MPI_Send", US(52), US(55));
    send_or_receive(&m, 1, "MPI_Recv", US(20), US(57));
    compute(&m, 1, "second", US(57), US(100));
    struct replay r = replay_ranks(&m, &v, &d);
    assert_int_equal(d.meetings.n, 1);
    int64_t length = r.end_ns;
    assert_int_equal(op_lengths_get(path_slack(&r, &m.arena), graph_op(&d, 0)), 0);
    assert_int_equal(end_with(&r, &m, "first", 0.5), length - US(21));
    assert_int_equal(end_with(&r, &m, "first", 2), length + US(42));
    made_release(&m);
}

/* Kernels of an all-reduce on two GPUs of one process end together. */
static void collectives_of_several_gpus_end_together(void **state)
{
    (void)state;
    struct made m;
    struct view v;
    struct depend d;
    made_init(&m);
    uint32_t gpu[2] = {made_gpu(&m), made_gpu(&m)};
    for (int g = 0; g < 2; g++) {
        uint32_t stream = made_stream(&m, gpu[g], 1);
        int64_t at = g ? US(10) : 0, ready = g ? US(90) : US(40);
        uint32_t work = made_call(&m, "hipLaunchKernel", at, at + US(4));
        uint32_t comm = made_call(&m, "hipLaunchKernel", at + US(5), at + US(9));
        made_kernel(&m, g ? "slow" : "fast", stream, at + US(8), ready, work);
        made_kernel(&m, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", stream, ready + US(1), US(111),
                    comm);
    }
    struct replay r = replay_ranks(&m, &v, &d);
    assert_int_equal(d.meetings.n, 1);
    const struct op_lengths *slack = path_slack(&r, &m.arena);
    assert_int_equal(op_lengths_get(slack, graph_op(&d, 0)), US(50));
    assert_int_equal(op_lengths_get(slack, graph_op(&d, 2)), 0);
    assert_int_equal(end_with(&r, &m, "slow", 0.5), US(111) - US(36));
    assert_int_equal(end_with(&r, &m, "slow", 0.1), US(111) - US(50));
    assert_int_equal(end_with(&r, &m, "fast", 0.1), US(111));
    made_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(nobody_leaves_before_the_last_one_has_come),
        unit_test(what_is_received_was_sent),
        unit_test(collectives_of_several_gpus_end_together),
    };
    return unit_run(tests);
}
