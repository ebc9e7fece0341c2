/* Values as bytes and back: equal, and cut anywhere never more than an error. */
#include "unit.h"

#include "base/pack.h"
#include "job/spread.h"

static struct job_rank sample(struct arena *a)
{
    struct job_rank r = {
        .rank = 7, .rank_source = NULL, .host = "node", .file = "", .command = "x"};
    r.capture = "guid";
    r.gpu_name = "MI300X";
    r.start_ns = INT64_MIN;
    r.end_ns = INT64_MAX;
    r.busy_pct = -0.0;
    r.clock_mhz = 1.0 / 3;
    r.cause_ns[CAUSES - 1] = 99;
    r.meet_stride = 2;
    vec_push(&r.meet_ops, a, ((struct meet_op){"MPI_Barrier", MEET_ALL, false, 3}));
    vec_push(&r.meets, a, ((struct meet){1, 2, 0, 0}));
    vec_push(&r.meets, a, ((struct meet){3, 4, 0, 2}));
    vec_push(&r.mpi_ops, a, ((struct mpi_op_row){-1, "MPI_Send", 5, 6, 7}));
    vec_push(&r.top, a, ((struct rank_kernel){"k(int)", "k", 8, 9, 10.5}));
    vec_push(&r.phases, a, ((struct rank_phase){"p", "k", 1, 2, 3, 4, 5, 6}));
    vec_push(&r.staging, a,
             ((struct staging_row){.rank = 7, .operation = "MPI_Send", .chains = 2}));
    vec_push(&r.peers, a, ((struct peer_row){1, 2, 3}));
    vec_push(&r.gpu_waits, a, ((struct gpu_wait){1, 2}));
    return r;
}

static void write_rank(struct str *out, struct job_rank *r, struct arena *a)
{
    struct pack p;
    str_init(out, a);
    pack_write(&p, out);
    rank_pack(&p, r);
}

static void a_rank_comes_back(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct job_rank r = sample(&a), back;
    struct str first, second;
    struct pack p;
    write_rank(&first, &r, &a);
    pack_read(&p, first.buf, first.len, &a);
    rank_pack(&p, &back);
    assert_true(pack_done(&p));
    assert_null(back.rank_source);
    assert_string_equal(back.host, "node");
    assert_string_equal(back.file, "");
    assert_int_equal(back.meets.n, 2);
    assert_int_equal(back.meets.v[1].occurrence, 2);
    assert_true(back.clock_mhz == r.clock_mhz);
    write_rank(&second, &back, &a);
    assert_int_equal(first.len, second.len);
    assert_memory_equal(first.buf, second.buf, first.len);
    arena_release(&a);
}

static void bytes_cut_anywhere_are_an_error(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct job_rank r = sample(&a);
    struct str whole;
    write_rank(&whole, &r, &a);
    for (size_t n = 0; n < whole.len; n++) {
        struct arena *own = arena_child(&a);
        struct job_rank back;
        struct pack p;
        char *exact = arena_strndup(own, whole.buf, n); /* nothing behind it for a sanitizer */
        pack_read(&p, exact, n, own);
        rank_pack(&p, &back);
        assert_false(pack_done(&p));
        arena_release(own);
    }
    arena_release(&a);
}

static void counts_alone_take_no_memory(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    uint64_t many = UINT64_MAX / 2;
    VEC(struct meet) v = {0};
    struct pack p;
    pack_read(&p, &many, sizeof(many), &a);
    PACK_FLAT(&p, &v);
    assert_int_equal(v.n, 0);
    assert_false(pack_done(&p));
    const char *text = NULL;
    pack_read(&p, &many, sizeof(many), &a);
    pack_text(&p, &text);
    assert_string_equal(text, "");
    assert_false(pack_done(&p));
    arena_release(&a);
}

static void a_call_of_no_operation_is_an_error(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct job_rank r = sample(&a), back;
    struct str out;
    struct pack p;
    r.meets.v[0].op = 1; /* there is only one */
    write_rank(&out, &r, &a);
    pack_read(&p, out.buf, out.len, &a);
    rank_pack(&p, &back);
    assert_false(pack_done(&p));
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(a_rank_comes_back),
        unit_test(bytes_cut_anywhere_are_an_error),
        unit_test(counts_alone_take_no_memory),
        unit_test(a_call_of_no_operation_is_an_error),
    };
    return unit_run(tests);
}
