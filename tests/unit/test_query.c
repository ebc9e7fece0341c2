/* SQL over traces: plans, indexes and limits; and the filters, pattern by pattern. */
#include <string.h>

#include "unit.h"

#include "base/mem.h"
#include "base/str.h"
#include "ingest/ingest.h"
#include "made_trace.h"
#include "query/groups_in.h"
#include "query/query.h"
#include "run/pattern.h"
#include "run/run.h"

enum { KERNELS = 500 };

struct asked {
    struct made m;
    struct arena arena;
    struct query *q;
    unsigned loads, left_out;
};

static const struct trace *give(void *ctx, unsigned leave_out, struct gs_error *err)
{
    struct asked *a = ctx;
    (void)err;
    a->loads++;
    a->left_out = leave_out;
    return &a->m.t;
}

/* Kernels in a mixed order of time, every second one with a call; odd ones negative. */
static void begin(struct asked *a)
{
    *a = (struct asked){0};
    made_init(&a->m);
    uint32_t stream = made_stream(&a->m, made_gpu(&a->m), 7);
    for (int i = 0; i < KERNELS; i++) {
        int64_t start = US((i * 37) % KERNELS);
        uint32_t call = i % 2 ? made_launch(&a->m, start - 5, start - 1) : NO_INDEX;
        made_kernel(&a->m, i % 3 ? "axpy" : "gemm", stream, start, start + i, call);
    }
    arena_init(&a->arena);
    a->q = query_open(&(struct query_source){.ctx = a, .trace = give}, &a->arena);
}

static void end(struct asked *a)
{
    arena_release(&a->arena);
    made_release(&a->m);
}

static int64_t number(struct asked *a, const char *sql)
{
    struct query_limits limits = QUERY_LIMITS;
    struct query_result r;
    struct gs_error err = {0};
    assert_true(query_run(a->q, sql, &limits, &r, &err));
    assert_int_equal(r.n, 1);
    assert_int_equal(query_cell(&r, 0, 0)->kind, VALUE_INT);
    return query_cell(&r, 0, 0)->i;
}

static void conditions_find_the_rows_that_a_scan_finds(void **state)
{
    static const char *const conditions[] = {
        "start between 100000 and 200000",
        "start > 100000.5 and start < 100001.5",
        "start >= 9223372036854775807",
        "start < -9223372036854775807",
        "id = 77",
        "id = '77'",
        "id = 77.0",
        "id = NULL",
        "start > 9.1e18",
        "start < 9.1e18",
        "start >= -9.3e18 and start <= 9.3e18",
        "start > 9.3e18",
        "start < 9223372036854775807.0",
        "start > 100.0 and start <= 200000.0",
        "start >= 9223372036854775807 or start > 9223372036854775807",
        "name like '%EM%'",
        "name not like '%em%'",
        "name glob 'a*'",
        "name <> 'gemm'",
        "category = 'KERNEL_DISPATCH' and category like 'kern%'",
        "name in ('gemm', 'nothing', NULL, '')",
        "region = ''",
        "id = 77.5",
        "name = 'gemm'",
        "name = 'nothing'",
        "name = 'GEMM' collate nocase",
        "name > 'b'",
        "duration <= 10 and name = 'axpy'",
        "stack_id is null",
        "id in (1, 2, 3, 600)",
        "end > start + 450",
        "corr_id = 0 and queue_id is null",
    };
    struct asked a;
    char *plain, *hidden;
    (void)state;
    begin(&a);
    for (int round = 0; round < 8; round++) /* the first by scans, the others by indexes */
        for (size_t i = 0; i < ARRAY_LEN(conditions); i++) {
            plain = arena_printf(&a.arena, "select count(*) from kernels where %s", conditions[i]);
            /* "or 0" hides it from the table: SQLite tests it alone */
            hidden = arena_printf(&a.arena, "select count(*) from kernels where ((%s) or 0)",
                                  conditions[i]);
            assert_int_equal(number(&a, plain), number(&a, hidden));
        }
    end(&a);
}

static void joins_by_an_index_count_as_nested_scans(void **state)
{
    struct asked a;
    (void)state;
    begin(&a);
    assert_int_equal(
        number(&a, "select count(*) from kernels k join regions r on r.id = k.stack_id"),
        KERNELS / 2);
    assert_int_equal(
        number(&a,
               "select count(*) from rocpd_kernel_dispatch d join rocpd_info_kernel_symbol s on "
               "s.id = d.kernel_id join rocpd_string n on n.string = s.display_name join "
               "rocpd_event e on e.id = d.event_id"),
        KERNELS);
    assert_int_equal(number(&a, "select count(*) from kernels a join kernels b using (id)"),
                     KERNELS);
    end(&a);
}

/* Statements are written anew where every word is known, and only there. */
static void groups_are_found_in_statements(void **state)
{
    static const char *const ours[] = {
        "select count(*) from kernels",
        "select name, count(*), sum(duration) from kernels group by name order by 3 desc limit 5",
        "select K.Name n, Avg(k.duration) from kernels K where k.id > 3 group by n having n > 'a'",
        "select start / 1000 as bucket, max(\"end\") from kernels group by bucket",
        "select (start - (select min(start) from kernels)) / 10, count(*) from kernels group by 1",
        "select case when duration < 5 then 'short' else 'long' end, count(*) from kernels group by 1",
        "select count(distinct name), median(duration), percentile(duration, 99) from kernels",
        "with t as (select name, sum(duration) d from kernels group by 1) select * from t where d > 5",
        ("select name, sum(duration) * 100.0 / (select sum(duration) from kernels) from kernels "
         "group by name"),
        "select * from top_kernels t where t.name like '%e%'",
        "select name from kernels where id in (select max(id) from kernels)",
        "select end, count(*) from kernels group by end",
    };
    static const char *const not_ours[] = {
        "select name from kernels",
        "select name, gpu, count(*) from kernels group by name", /* gpu of any row */
        "select upper(name), count(*) from kernels group by upper(name)",
        "select short_name as name, count(*) from kernels group by name", /* which of them? */
        "select count(*) from kernels k join regions r on r.id = k.stack_id",
        "select count(*) from kernels, regions",
        "select sum(duration) filter (where gpu = 0) from kernels",
        "select count(*) over () from kernels",
        "select 5 / start / 1000, count(*) from kernels group by start / 1000",
        "with kernels as (select 1 as name) select name, count(*) from kernels group by name",
        "select (select count(*) from kernels where name = r.name) from regions r",
        "select total(value) from telemetry_points", /* how doubles are added is SQLite's matter */
        "select sum(?1) from kernels",
        "select name isnull, count(*) from kernels group by 1",
        "select count(*) from sqlite_schema",
    };
    struct asked a;
    (void)state;
    begin(&a);
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        assert_non_null(regroup(a.q, ours[i]));
    for (size_t i = 0; i < ARRAY_LEN(not_ours); i++)
        assert_null(regroup(a.q, not_ours[i]));
    end(&a);
}

/* A sum that only SQLite can give, or refuse. */
static void what_groups_cannot_say_is_left_to_sqlite(void **state)
{
    struct asked a;
    struct query_limits limits = QUERY_LIMITS;
    struct query_result r;
    struct gs_error err = {0};
    const char *large = "select avg(start * 9000000000000) from kernels where id between 2 and 3";
    (void)state;
    begin(&a);
    assert_non_null(regroup(a.q, large));
    assert_true(query_run(a.q, large, &limits, &r, &err));
    assert_int_equal(r.n, 1);
    assert_int_equal(query_cell(&r, 0, 0)->kind, VALUE_REAL);
    assert_string_equal(r.columns.v[0].name, "avg(start * 9000000000000)");
    const char *beyond = "select sum(9223372036854775 * 900) + sum(start) from kernels";
    assert_false(query_run(a.q, beyond, &limits, &r, &err));
    assert_non_null(strstr(err.text, "integer overflow"));
    end(&a);
}

static void only_what_columns_need_is_loaded(void **state)
{
    struct asked a;
    (void)state;
    begin(&a);
    assert_int_equal(number(&a, "select count(*) from kernels"), KERNELS);
    assert_int_equal(a.loads, 1);
    assert_true(a.left_out & INGEST_CALLS);
    assert_int_equal(number(&a, "select sum(duration) from kernels"), KERNELS * (KERNELS - 1) / 2);
    assert_int_equal(a.loads, 1);
    assert_int_equal(number(&a, "select count(call) from kernels"), KERNELS / 2);
    assert_int_equal(a.loads, 2);
    assert_int_equal(a.left_out, 0);
    end(&a);
}

static void limits_cut_and_refuse(void **state)
{
    struct asked a;
    struct query_limits limits = {.rows = 3};
    struct query_result r;
    struct gs_error err = {0};
    (void)state;
    begin(&a);
    assert_true(query_run(a.q, "select id from kernels", &limits, &r, &err));
    assert_int_equal(r.n, 3);
    assert_true(r.cut);
    assert_false(query_run(a.q, "select 1; select 2", &limits, &r, &err));
    assert_false(query_run(a.q, "update kernels set id = 1", &limits, &r, &err));
    assert_non_null(strstr(err.text, "only read"));
    limits = (struct query_limits){.seconds = 0.05};
    assert_false(query_run(a.q,
                           "with recursive c(x) as (select 1 union all select x + 1 from c) "
                           "select max(x) from c",
                           &limits, &r, &err));
    assert_non_null(strstr(err.text, "longer than"));
    end(&a);
}

struct shortage {
    struct asked *a;
    bool ok;
};

static void ask(void *ctx)
{
    struct shortage *s = ctx;
    struct query_limits limits = QUERY_LIMITS;
    struct query_result r;
    struct gs_error err = {0};
    const char *sql = "select k.name, count(*) from kernels k join kernels b on b.id = k.id + 1 "
                      "group by 1";
    s->ok = query_run(s->a->q, sql, &limits, &r, &err);
}

static void a_shortage_of_memory_is_an_error(void **state)
{
    bool done = false;
    (void)state;
    for (int64_t n = 0; n < 400 && !done; n += 1 + n / 8) {
        struct asked a;
        struct gs_error err;
        begin(&a);
        struct shortage s = {&a, false};
        mem_fail_after(n);
        bool whole = mem_guard(ask, &s, &err);
        mem_fail_never();
        done = whole && s.ok;
        assert_int_equal(number(&a, "select count(*) from kernels"), KERNELS); /* still works */
        end(&a);
    }
    assert_true(done);
}

/* ---- filters ---- */

static bool matches(const char *pattern, const char *text)
{
    struct arena arena;
    struct patterns p = {0};
    struct gs_error err = {0};
    const char *one[] = {pattern};
    struct opt_list list = {one, 1, 1};
    arena_init(&arena);
    bool ok = patterns_parse(&p, &list, "kernel", &arena, &err) && patterns_match(&p, text);
    arena_release(&arena);
    return ok;
}

static void patterns_are_parts_globs_or_expressions(void **state)
{
    (void)state;
    assert_true(matches("emm", "gemm_tile"));
    assert_false(matches("Gemm", "gemm_tile"));
    assert_true(matches("*_tile", "gemm_tile"));
    assert_false(matches("*_til", "gemm_tile"));
    assert_true(matches("g?mm*", "gemm_tile"));
    assert_true(matches("f[3]", "void f[3]()"));
    assert_true(matches("/^g.*e$/", "gemm_tile"));
    assert_false(matches("/^emm/", "gemm_tile"));
    assert_false(matches("!gemm", "gemm_tile"));
    assert_true(matches("!axpy", "gemm_tile"));
    assert_false(matches("/(/", "("));
    assert_true(matches("*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"));
}

static void filters_keep_links_between_rows(void **state)
{
    struct made m;
    struct run_opts o = RUN_DEFAULTS;
    struct gs_error err = {0};
    const char *only, *one[] = {"gemm"};
    (void)state;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 7);
    uint32_t first = made_launch(&m, 0, 1), second = made_launch(&m, 10, 11);
    made_kernel(&m, "axpy", stream, US(1), US(2), first);
    made_kernel(&m, "gemm", stream, US(3), US(4), second);
    made_copy(&m, COPY_H2D, stream, US(5), US(6), NO_INDEX);
    o.filter.kernels = (struct opt_list){one, 1, 1};
    o.window = "5..100000";
    o.threads = 1;
    assert_true(filter_rows(&m.t, &o, &only, &m.arena, &err));
    assert_int_equal(m.t.kernels.n, 1);
    assert_int_equal(m.t.copies.n, 0);
    assert_int_equal(m.t.regions.n, 1); /* the first call ended before the window */
    assert_int_equal(m.t.kernels.call[0], 0);
    assert_int_equal(m.t.regions.start_ns[0], 10);
    assert_non_null(strstr(only, "gemm"));
    one[0] = "nothing";
    assert_false(filter_rows(&m.t, &o, &only, &m.arena, &err));
    assert_int_equal(err.code, GS_E_USAGE);
    made_release(&m);
}

static void work_left_out_is_no_idle_time_of_a_known_cause(void **state)
{
    struct made m;
    struct run_opts o = RUN_DEFAULTS;
    struct view_opts view = {.gpu = -1, .process = -1, .threads = 1};
    struct gs_error err = {0};
    struct view v = {0};
    struct ledger l;
    const char *only, *one[] = {"gemm"};
    (void)state;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 7);
    made_kernel(&m, "gemm", stream, US(0), US(10), NO_INDEX);
    made_kernel(&m, "axpy", stream, US(10), US(30), NO_INDEX);
    made_copy(&m, COPY_H2D, stream, US(25), US(40), NO_INDEX);
    made_kernel(&m, "gemm", stream, US(50), US(60), NO_INDEX);
    o.filter.kernels = (struct opt_list){one, 1, 1};
    o.threads = 1;
    assert_true(filter_for_view(&m.t, &o, &view, &only, &m.arena, &err));
    view.has_window = true;
    view.start_ns = 0;
    view.end_ns = US(60);
    view_make(&v, &m.t, &view, &m.arena);
    ledger_make(&l, &v, false, &m.arena);
    assert_int_equal(l.ns[CAUSE_COMPUTE], US(20));
    assert_int_equal(l.left_out_ns, US(30));
    assert_true(l.ns[CAUSE_UNKNOWN] >= US(30));
    assert_int_equal(l.gpus[0].n_gaps, 1); /* only 40 to 50 */
    made_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(conditions_find_the_rows_that_a_scan_finds),
        unit_test(joins_by_an_index_count_as_nested_scans),
        unit_test(groups_are_found_in_statements),
        unit_test(what_groups_cannot_say_is_left_to_sqlite),
        unit_test(only_what_columns_need_is_loaded),
        unit_test(limits_cut_and_refuse),
        unit_test(a_shortage_of_memory_is_an_error),
        unit_test(patterns_are_parts_globs_or_expressions),
        unit_test(filters_keep_links_between_rows),
        unit_test(work_left_out_is_no_idle_time_of_a_known_cause),
    };
    return unit_run(tests);
}
