/* Jobs made by hand: meetings, waiting, clocks, stragglers, phases, numbers of ranks, staging. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "job/clocks.h"
#include "job/job.h"
#include "job/meetings.h"
#include "job/split.h"
#include "made_trace.h"
#include "unit_arena.h"

/* A rank with a window of 1 ms and one GPU. */
static struct job_rank *add_rank(struct job *job, int32_t rank, const char *host)
{
    job->arena = &arena;
    vec_push(&job->ranks, &arena,
             ((struct job_rank){.rank = rank,
                                .host = host,
                                .command = "./app",
                                .file = "",
                                .gpus = 1,
                                .end_ns = 1000000,
                                .window_ns = 1000000,
                                .useful_ns = 1000000,
                                .clock_mhz = NAN,
                                .clock_residual_ns = -1,
                                .meet_stride = 1}));
    return &job->ranks.v[job->ranks.n - 1];
}

static void add_meet(struct job_rank *r, const char *name, enum meet_kind kind, int64_t from,
                     int64_t to)
{
    size_t op = 0;
    while (op < r->meet_ops.n && !str_eq(r->meet_ops.v[op].name, name))
        op++;
    if (op == r->meet_ops.n)
        vec_push(&r->meet_ops, &arena, ((struct meet_op){name, kind, false, 0}));
    vec_push(&r->meets, &arena,
             ((struct meet){from, to, (uint32_t)op, (uint32_t)r->meet_ops.v[op].count++}));
}

/*
 * Three ranks come to a barrier at 100, 160 and 400 us and leave at 410 us. They are in it for 310,
 * 250 and 10 us, so they wait 300, 240 and 0; the last is rank 2. The median wait of the other two
 * is 270 us, all waiting is 540 us.
 */
static void waiting_is_what_exceeds_the_shortest_stay(void **state)
{
    (void)state;
    struct job job = {0};
    for (int32_t i = 0; i < 3; i++)
        add_rank(&job, i, "a");
    add_meet(&job.ranks.v[0], "MPI_Barrier", MEET_ALL, 100000, 410000);
    add_meet(&job.ranks.v[1], "MPI_Barrier", MEET_ALL, 160000, 410000);
    add_meet(&job.ranks.v[2], "MPI_Barrier", MEET_ALL, 400000, 410000);
    job_meet(&job);
    assert_int_equal(job.stats.meetings, 1);
    assert_int_equal(job.ranks.v[0].wait_ns, 300000);
    assert_int_equal(job.ranks.v[1].wait_ns, 240000);
    assert_int_equal(job.ranks.v[2].wait_ns, 0);
    assert_int_equal(job.ranks.v[2].caused_ns, 540000);
    assert_int_equal(job.ranks.v[2].late, 1);
    assert_int_equal(job.late[2].cost_ns, 270000);
}

/* Messages count only where there is nothing better: rank 1 arrives 50 us after rank 0. */
static void messages_serve_where_there_are_no_collectives(void **state)
{
    (void)state;
    struct job job = {0};
    add_rank(&job, 0, "a");
    add_rank(&job, 1, "a");
    for (int i = 0; i < 4; i++) {
        add_meet(&job.ranks.v[0], "MPI_Waitall", MEET_PEERS, i * 1000000, i * 1000000 + 60000);
        add_meet(&job.ranks.v[1], "MPI_Waitall", MEET_PEERS, i * 1000000 + 50000,
                 i * 1000000 + 60000);
    }
    job_meet(&job);
    assert_int_equal(job.ranks.v[0].wait_ns, 4 * 50000);
    assert_int_equal(job.ranks.v[1].late, 4);
    assert_string_equal(job.stats.aligned, "MPI_Waitall");

    struct job both = {0};
    add_rank(&both, 0, "a");
    add_rank(&both, 1, "a");
    for (int i = 0; i < 2; i++) {
        add_meet(&both.ranks.v[i], "MPI_Waitall", MEET_PEERS, i * 50000, 60000);
        add_meet(&both.ranks.v[i], "MPI_Barrier", MEET_ALL, 70000, 80000);
    }
    job_meet(&both);
    assert_int_equal(both.stats.meetings, 1);
    assert_int_equal(both.stats.wait_ns, 0);
}

/* Rank 2 has one barrier more; it is left out, the others are matched. */
static void ranks_that_count_otherwise_are_left_out(void **state)
{
    (void)state;
    struct job job = {0};
    struct meetings m;
    for (int32_t i = 0; i < 3; i++) {
        struct job_rank *r = add_rank(&job, i, "a");
        for (int k = 0; k < 4 + (i == 2); k++)
            add_meet(r, "MPI_Barrier", MEET_ALL, k * 1000, k * 1000 + 10);
    }
    meetings_match(&m, &job, &arena);
    assert_int_equal(m.ops.n, 1);
    assert_int_equal(m.ops.v[0].parts.n, 2);
    assert_int_equal(m.left_out, 1);
}

static void count_meetings(void *ctx, const struct meeting *m)
{
    *(int *)ctx += (int)m->stands_for;
    for (size_t i = 1; i < m->n; i++)
        assert_int_equal(m->v[i]->occurrence, m->v[0]->occurrence);
}

/* One rank kept every meeting, the other every fourth: those both have stand for four each. */
static void thinned_meetings_still_match(void **state)
{
    (void)state;
    struct job job = {0};
    struct meetings m;
    int n = 0;
    for (int32_t i = 0; i < 2; i++) {
        struct job_rank *r = add_rank(&job, i, "a");
        for (int k = 0; k < 40; k++)
            add_meet(r, "MPI_Barrier", MEET_ALL, k * 1000, k * 1000 + 10);
    }
    struct job_rank *thin = &job.ranks.v[1];
    size_t kept = 0;
    for (size_t i = 0; i < thin->meets.n; i++)
        if (thin->meets.v[i].occurrence % 4 == 0)
            thin->meets.v[kept++] = thin->meets.v[i];
    thin->meets.n = kept;
    thin->meet_stride = 4;
    meetings_match(&m, &job, &arena);
    meetings_each(&m, count_meetings, &n);
    assert_int_equal(n, 40);
}

/*
 * The other host is 2 s ahead and gains 50 us a second; ends of barriers differ by up to 300 ns
 * besides. The fit must find both, and times must come out within a microsecond.
 */
static void clocks_are_aligned_with_their_drift(void **state)
{
    (void)state;
    struct job job = {0};
    struct job_rank *a = add_rank(&job, 0, "a");
    for (int k = 0; k < 500; k++)
        add_meet(a, "MPI_Barrier", MEET_ALL, k * INT64_C(10000000), k * INT64_C(10000000) + 100000);
    struct job_rank *b = add_rank(&job, 1, "b");
    for (int k = 0; k < 500; k++) {
        int64_t t = k * INT64_C(10000000) + 100000;
        int64_t told = t + 2000000000 + t / 20000 + (k * 7919) % 300;
        add_meet(b, "MPI_Barrier", MEET_ALL, told - 100000, told);
    }
    job_meet(&job);
    b = &job.ranks.v[1];
    assert_true(fabs(b->clock_drift_ppm - 50) < 0.5);
    assert_true(llabs(b->clock_offset_ns - 2000000150) < 200);
    assert_true(b->clock_residual_ns < 300);
    int64_t t = INT64_C(3000000000);
    assert_true(llabs(job_time(b, t + 2000000150 + t / 20000) - t) < 1000);
    assert_string_equal(job.stats.aligned, "MPI_Barrier");
}

/* Ranks of one host share its clock, however differently they leave a call. */
static void one_host_has_one_clock(void **state)
{
    (void)state;
    struct job job = {0};
    for (int32_t i = 0; i < 2; i++) {
        struct job_rank *r = add_rank(&job, i, "a");
        for (int k = 0; k < 10; k++)
            add_meet(r, "MPI_Barrier", MEET_ALL, k * 1000000, k * 1000000 + 5000 + i * 700);
    }
    job_meet(&job);
    assert_int_equal(job.ranks.v[1].clock_offset_ns, 0);
}

/* No meetings: host b, whose times are 5 s later, is moved; host c, which overlaps, is not. */
static void hosts_without_meetings_start_together(void **state)
{
    (void)state;
    struct job job = {0};
    add_rank(&job, 0, "a");
    add_rank(&job, 1, "b")->start_ns = 5000000000;
    job.ranks.v[1].end_ns = 5001000000;
    add_rank(&job, 2, "b")->start_ns = 5000000300;
    job.ranks.v[2].end_ns = 5001000000;
    add_rank(&job, 3, "c")->start_ns = 500;
    job_meet(&job);
    assert_string_equal(job.stats.aligned, "none");
    assert_int_equal(job_time(&job.ranks.v[1], 5000000000), 0);
    assert_int_equal(job_time(&job.ranks.v[2], 5000000300), 300);
    assert_int_equal(job.ranks.v[3].clock_offset_ns, 0);
    assert_int_equal(job.ranks.v[1].clock_residual_ns, -1);
}

static void add_kernel(struct job_rank *r, const char *name, uint64_t calls, int64_t total,
                       double items)
{
    vec_push(&r->top, &arena, ((struct rank_kernel){name, name, calls, total, items}));
    r->compute_ns += total;
}

/* Four ranks of which the last one is late; `work` gives it its kernels. */
static void make_late(struct job *job, void (*work)(struct job_rank *r, bool late))
{
    for (int32_t i = 0; i < 4; i++) {
        struct job_rank *r = add_rank(job, i, "a");
        work(r, i == 3);
        for (int k = 0; k < 10; k++)
            add_meet(r, "MPI_Allreduce", MEET_ALL, i == 3 ? 90000 : 60000, 100000);
    }
    job_meet(job);
    job->stats.window_ns = 1000000;
    job_find_straggler(job);
    assert_true(job->has_straggler);
    assert_int_equal(job->straggler.rank, 3);
    assert_int_equal(job->straggler.cost_ns, 10 * 30000);
    assert_int_equal(job->straggler.waited_ns, 3 * 10 * 30000);
    assert_true(job->straggler.always);
}

static void longer_calls(struct job_rank *r, bool late)
{
    add_kernel(r, "stencil", 10, late ? 600000 : 300000, 1000);
    add_kernel(r, "pack", 10, 30000, 100);
}

static void more_items(struct job_rank *r, bool late)
{
    add_kernel(r, "stencil", 10, late ? 600000 : 300000, late ? 2000 : 1000);
    add_kernel(r, "pack", 10, 30000, 100);
}

static void more_calls(struct job_rank *r, bool late)
{
    add_kernel(r, "stencil", late ? 20 : 10, late ? 600000 : 300000, 1000);
}

static void all_slower(struct job_rank *r, bool late)
{
    add_kernel(r, "stencil", 10, late ? 600000 : 500000, 1000);
    add_kernel(r, "pack", 10, late ? 121000 : 100000, 100);
}

static void slow_copies(struct job_rank *r, bool late)
{
    add_kernel(r, "stencil", 10, 300000, 1000);
    r->copy_ns = late ? 400000 : 100000;
}

static void busy_host(struct job_rank *r, bool late)
{
    add_kernel(r, "stencil", 10, 300000, 1000);
    r->host_ns = late ? 400000 : 100000;
    r->cause_ns[CAUSE_ALLOC] = late ? 300000 : 0;
}

static void the_cause_is_what_the_late_rank_does_longer(void **state)
{
    (void)state;
    static const struct {
        void (*work)(struct job_rank *r, bool late);
        const char *cause, *detail;
    } cases[] = {
        {longer_calls, "kernel_time", "stencil takes 2.00 times as long"},
        {more_items, "kernel_time", "2.00 times as many items"},
        {more_calls, "kernel_time", "10 more calls of stencil"},
        {all_slower, "slow_clocks", "20 to 21 % longer"},
        {slow_copies, "copies", "300 µs longer"},
        {busy_host, "host", "allocates"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct job job = {0};
        make_late(&job, cases[i].work);
        assert_string_equal(job.straggler.cause, cases[i].cause);
        if (!str_has(job.straggler.detail, cases[i].detail))
            print_error("%s\n", job.straggler.detail);
        assert_true(str_has(job.straggler.detail, cases[i].detail));
    }
}

/* Each of two ranks is late every second time: nobody holds the others up. */
/* Three of eight are late alike: the job cannot win what the other five wait. */
static void cost_is_what_balance_can_win(void **state)
{
    (void)state;
    struct job job = {0};
    for (int32_t i = 0; i < 8; i++) {
        struct job_rank *r = add_rank(&job, i, "a");
        for (int k = 0; k < 10; k++)
            add_meet(r, "MPI_Allreduce", MEET_ALL, i < 3 ? 90000 + i : 60000, 100000);
    }
    job_meet(&job);
    assert_int_equal(job.late[2].cost_ns, 10 * ((5 * 30002 + 2 + 1) / 7));
}

static void taking_turns_is_no_straggler(void **state)
{
    (void)state;
    struct job job = {0};
    for (int32_t i = 0; i < 4; i++) {
        struct job_rank *r = add_rank(&job, i, "a");
        for (int k = 0; k < 12; k++)
            add_meet(r, "MPI_Allreduce", MEET_ALL, k % 4 == i ? 90000 : 60000, 100000);
    }
    job_meet(&job);
    job.stats.window_ns = 1000000;
    job_find_straggler(&job);
    assert_false(job.has_straggler);
}

/*
 * Two ranks; rank 0 is last to seven of twelve meetings by 30 us, rank 1 to five: 64 % of the
 * waiting and 21 % of the time, yet chance. One stall of 500 us of rank 1 is none.
 */
static void chance_is_no_straggler(void **state)
{
    (void)state;
    for (int stall = 0; stall < 2; stall++) {
        struct job job = {0};
        for (int32_t i = 0; i < 2; i++) {
            struct job_rank *r = add_rank(&job, i, "a");
            for (int k = 0; k < 12; k++) {
                bool last = (k % 2 || k == 0) == (i == 0);
                int64_t wait = stall && k == 4 && i == 0 ? 500000 : last ? 0 : 30000;
                add_meet(r, "MPI_Barrier", MEET_ALL, k * 1000000 - wait, k * 1000000 + 10000);
            }
        }
        job_meet(&job);
        job.stats.window_ns = 1000000;
        job_find_straggler(&job);
        assert_int_equal(job.ranks.v[0].late, 7);
        assert_int_equal(job.has_straggler, stall);
        if (stall)
            assert_int_equal(job.straggler.rank, 1);
    }
}

static void add_phase(struct job_rank *r, const char *name, int64_t length, int64_t compute)
{
    int64_t from = r->phases.n ? r->phases.v[r->phases.n - 1].end_ns : 0;
    vec_push(&r->phases, &arena,
             ((struct rank_phase){.name = name,
                                  .top_kernel = name,
                                  .start_ns = from,
                                  .end_ns = from + length,
                                  .compute_ns = compute}));
}

/* Rank 1 has a phase of its own in the middle; "solve" is (400 - 200) / 300 out of balance. */
static void phases_are_aligned_by_content(void **state)
{
    (void)state;
    struct job job = {0};
    for (int32_t i = 0; i < 3; i++) {
        struct job_rank *r = add_rank(&job, i, "a");
        add_phase(r, "read", 100, 50);
        if (i == 1)
            add_phase(r, "repair", 80, 10);
        add_phase(r, "solve", 500, 200 + 100 * i);
    }
    job_align_phases(&job);
    assert_int_equal(job.phases.n, 2);
    assert_int_equal(job.phases.v[1].ranks, 3);
    assert_string_equal(job.phases.v[1].name, "solve");
    assert_true(fabs(job.phases.v[1].imbalance - 2.0 / 3) < 1e-9);
    assert_int_equal(job.phases.v[1].slowest, 2);
    assert_true(fabs(job.phases.v[0].imbalance) < 1e-9);
}

static void other_programs_have_no_common_phases(void **state)
{
    (void)state;
    struct job job = {0};
    static const char *const names[] = {"a", "b", "c", "d"};
    for (int32_t i = 0; i < 2; i++) {
        struct job_rank *r = add_rank(&job, i, "a");
        add_phase(r, names[2 * i], 100 + 900 * i, 50);
        add_phase(r, names[2 * i + 1], 100, 50);
    }
    job_align_phases(&job);
    assert_int_equal(job.phases.n, 0);
    assert_int_equal(job.notes.n, 1);
}

static void ranks_get_numbers(void **state)
{
    (void)state;
    struct job known = {0};
    add_rank(&known, 3, "a");
    add_rank(&known, 0, "a");
    job_number(&known);
    assert_true(known.is_job);
    assert_int_equal(known.ranks.v[0].rank, 0);
    assert_int_equal(known.notes.n, 1); /* two of four are missing */
    assert_true(str_starts(known.notes.v[0], "2 of at least 4 ranks are"));

    struct job unknown = {0};
    add_rank(&unknown, -1, "a");
    add_rank(&unknown, -1, "a");
    job_number(&unknown);
    assert_true(unknown.is_job);
    assert_int_equal(unknown.ranks.v[1].rank, 1);

    struct job twice = {0};
    add_rank(&twice, 1, "a");
    add_rank(&twice, 1, "a");
    job_number(&twice);
    assert_true(twice.is_job);
    assert_int_equal(twice.ranks.v[1].rank, 1);
    assert_int_equal(twice.ranks.v[0].rank, 0);

    struct job passes = {0};
    add_rank(&passes, -1, "a");
    add_rank(&passes, -1, "a");
    passes.ranks.v[1].start_ns = 2000000;
    passes.ranks.v[1].end_ns = 3000000;
    job_number(&passes);
    assert_false(passes.is_job);
}

static void add_peer(struct job_rank *r, int32_t peer)
{
    vec_push(&r->peers, &arena, ((struct peer_row){peer, 1, 1}));
}

static void staging_knows_rings_halos_and_nodes(void **state)
{
    (void)state;
    static const char *const hosts[] = {"a", "a", "b", "b"};
    for (int ring = 0; ring < 2; ring++) {
        struct job job = {0};
        for (int32_t i = 0; i < 4; i++) {
            struct job_rank *r = add_rank(&job, i, hosts[i]);
            vec_push(&r->staging, &arena,
                     ((struct staging_row){.operation = "MPI_Isend",
                                           .kind = "point-to-point",
                                           .chains = 10,
                                           .bytes = 1000,
                                           .ranks = 1}));
            if (ring || i < 3)
                add_peer(r, (i + 1) % 4);
            if (!ring && i > 0)
                add_peer(r, i - 1);
        }
        job_staging(&job);
        assert_int_equal(job.staging.n, 1);
        assert_int_equal(job.staging.v[0].chains, 40);
        assert_int_equal(job.staging.v[0].bytes, 4000);
        assert_int_equal(job.staging.v[0].ranks, 4);
        assert_string_equal(job.staging.v[0].kind, ring ? "ring" : "halo");
        assert_string_equal(job.staging.v[0].between, "both");
    }
}

/* Rows of three processes that take turns, last first: each keeps its own calls. */
static void split_rows_keep_their_calls(void **state)
{
    (void)state;
    struct made m;
    made_init(&m);
    uint32_t gpu = made_gpu(&m), stream[3], thread[3];
    for (uint32_t p = 0; p < 3; p++) {
        if (p)
            vec_push(&m.t.processes, &m.t.arena, ((struct process){.pid = 100 + p, .rank = -1}));
        stream[p] = trace_stream(&m.t, p, gpu, 1, 0);
        thread[p] = made_thread(&m.t, p, 1);
    }
    for (uint32_t i = 0; i < 30; i++) {
        uint32_t p = 2 - i % 3, call = made_call(&m, "hipLaunchKernel", US(i), US(i + 1));
        m.t.regions.thread[call] = thread[p];
        made_kernel(&m, "k", stream[p], US(i + 2), US(i + 3), call);
    }
    struct split s;
    struct owners owners;
    owners_find(&owners, &m.t, &arena);
    split_init(&s, &owners, &arena);
    for (uint32_t p = 0; p < 3; p++) {
        struct trace one;
        trace_init(&one);
        split_take(&s, p, &one);
        assert_int_equal(one.kernels.n, 10);
        assert_int_equal(one.regions.n, 10);
        for (size_t i = 0; i < one.kernels.n; i++) {
            assert_true(one.kernels.call[i] < one.regions.n && one.kernels.stream[i] == 0);
            assert_int_equal(one.regions.start_ns[one.kernels.call[i]],
                             one.kernels.start_ns[i] - US(2));
        }
        trace_release(&one);
    }
    made_release(&m);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, arena_begin, arena_end)
    const struct CMUnitTest tests[] = {
        T(waiting_is_what_exceeds_the_shortest_stay),
        T(messages_serve_where_there_are_no_collectives),
        T(ranks_that_count_otherwise_are_left_out),
        T(thinned_meetings_still_match),
        T(clocks_are_aligned_with_their_drift),
        T(one_host_has_one_clock),
        T(hosts_without_meetings_start_together),
        T(the_cause_is_what_the_late_rank_does_longer),
        T(cost_is_what_balance_can_win),
        T(taking_turns_is_no_straggler),
        T(chance_is_no_straggler),
        T(phases_are_aligned_by_content),
        T(other_programs_have_no_common_phases),
        T(ranks_get_numbers),
        T(staging_knows_rings_halos_and_nodes),
        T(split_rows_keep_their_calls),
    };
    return unit_run(tests);
}
