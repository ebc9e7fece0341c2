/* Files made by the rocpd writer: what SQL finds in them equals the truth, through tables and
 * views. */
#define _GNU_SOURCE /* nftw */
#include "unit.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"
#include "scratch.h"
#include "synth/rocpd.h"
#include "synth/synth.h"
#include "synth/truth.h"

static struct synth_options options(enum rocpd_flavor flavor)
{
    bool sys = flavor == ROCPD_SYS;
    return (struct synth_options){.seed = 7, .mpi_as_markers = !sys, .no_telemetry = !sys};
}

static struct program *parse(const char *text, struct arena *a)
{
    struct program *p;
    struct gs_error err = {0};
    synth_parse(&p, text, strlen(text), a, &err);
    assert_string_equal(err.text, "");
    return p;
}

static void write_file(struct program *p, const struct rocpd_options *r, struct arena *a)
{
    struct synth_options o = options(r->flavor);
    struct gs_error err = {0};
    struct sink *w = rocpdw_new(r, a);
    bool ok = synth_run(p, &o, w, &err);
    ok = rocpdw_finish(w, ok, NULL, &err) && ok;
    assert_string_equal(err.text, "");
    assert_true(ok);
}

static int64_t query(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
        print_error("%s\n%s\n", sqlite3_errmsg(db), sql);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return v;
}

static sqlite3 *open_db(const char *file)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(
        query(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    return db;
}

/* --- files equal the truth --------------------------------------------------------------- */

static void check_counts(sqlite3 *db, const struct truth_process *t)
{
    const struct truth_counts *c = &t->counts;
    assert_int_equal(query(db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert_int_equal(query(db, "SELECT count(*) FROM rocpd_kernel_dispatch"), c->kernels);
    assert_int_equal(query(db, "SELECT count(*) FROM kernels"), c->kernels);
    assert_int_equal(query(db, "SELECT coalesce(sum(total_calls), 0) FROM top_kernels"),
                     c->kernels);
    assert_int_equal(query(db, "SELECT count(*) FROM memory_copies"), c->copies);
    assert_int_equal(query(db, "SELECT count(*) FROM memory_allocations"), c->allocations);
    assert_int_equal(query(db, "SELECT count(*) FROM regions"), c->regions);
    assert_int_equal(query(db, "SELECT count(*) FROM rocpd_sample"), c->samples);
    assert_int_equal(query(db, "SELECT count(*) FROM rocpd_pmc_event"), c->counter_values);
    assert_int_equal(query(db, "SELECT count(*) FROM rocpd_arg"), c->arguments);
    assert_int_equal(query(db, "SELECT count(*) FROM regions_and_samples WHERE category IN "
                               "('MARKER_CORE_RANGE_API', 'rocm_marker_api')"),
                     c->markers);
    assert_int_equal(
        query(db, "SELECT count(*) FROM rocpd_event"),
        query(db, "SELECT (SELECT count(*) FROM rocpd_kernel_dispatch) + (SELECT count(*) "
                  "FROM rocpd_memory_copy) + (SELECT count(*) FROM rocpd_memory_allocate) + "
                  "(SELECT count(*) FROM rocpd_region) + (SELECT count(DISTINCT event_id) "
                  "FROM rocpd_sample)"));
}

static void check_times(sqlite3 *db, const struct truth_process *t)
{
    static const char everything[] =
        "(SELECT start, end FROM kernels UNION ALL SELECT start, end FROM memory_copies UNION ALL "
        "SELECT start, end FROM memory_allocations UNION ALL SELECT start, end FROM regions UNION "
        "ALL "
        "SELECT timestamp, timestamp FROM rocpd_sample)";
    char sql[600];
    if (t->all.end >= t->all.start) {
        snprintf(sql, sizeof(sql), "SELECT min(start) FROM %s", everything);
        assert_int_equal(query(db, sql), t->all.start);
        snprintf(sql, sizeof(sql), "SELECT max(end) FROM %s", everything);
        assert_int_equal(query(db, sql), t->all.end);
    }
    assert_int_equal(query(db, "SELECT coalesce(sum(max(duration, 0)), 0) FROM kernels"),
                     t->times.kernel_ns);
    /* A union by SQL: every span minus what earlier ones reached. */
    assert_int_equal(
        query(db, "SELECT coalesce(sum(max(0, end - max(start, coalesce(reached, start)))), 0) "
                  "FROM (SELECT start, end, max(end) OVER (PARTITION BY guid, agent_abs_index "
                  "ORDER BY start, end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS "
                  "reached FROM kernels WHERE end > start)"),
        t->times.kernel_union_ns);
    assert_int_equal(query(db, "SELECT coalesce(sum(size), 0) FROM memory_copies WHERE name = "
                               "'MEMORY_COPY_HOST_TO_DEVICE'"),
                     t->times.bytes[COPY_H2D]);
    assert_int_equal(query(db, "SELECT coalesce(sum(size), 0) FROM memory_copies WHERE name = "
                               "'MEMORY_COPY_DEVICE_TO_HOST'"),
                     t->times.bytes[COPY_D2H]);
}

/* rocprofv3: a region's id is its stack id, and a kernel has that of its call, which began first.
 */
static void check_links(sqlite3 *db)
{
    int64_t linked =
        query(db, "SELECT count(*) FROM kernels k JOIN rocpd_region r ON r.id = "
                  "k.stack_id AND r.guid = k.guid AND r.start <= k.start AND r.tid = k.tid");
    assert_int_equal(query(db, "SELECT count(*) FROM kernels WHERE stack_id != 0"), linked);
}

static void check_scenario(const struct scenario *s, enum rocpd_flavor flavor)
{
    struct arena a;
    arena_init(&a);
    struct program *p = parse(s->text, &a);
    struct gs_error err = {0};
    char *file = arena_printf(&a, "%s/%s-%d.db", dir, s->name, (int)flavor);
    for (size_t i = 0; i < p->params.n; i++) { /* small is enough, and merged views are slow */
        const struct param *q = &p->params.v[i];
        if (str_eq(q->name, "n") && q->e->value > 400)
            assert_true(synth_set(p, "n=400", &err));
        if (str_eq(q->name, "ranks"))
            assert_true(synth_set(p, "ranks=2", &err));
    }
    struct synth_options o = options(flavor);
    struct truth *t = truth_new(&a);
    assert_true(synth_run(p, &o, truth_sink(t), &err));
    write_file(
        p, &(struct rocpd_options){.flavor = flavor, .path = file, .merge = true, .args = -1}, &a);
    sqlite3 *db = open_db(file);
    check_counts(db, truth_total(t));
    check_times(db, truth_total(t));
    if (flavor != ROCPD_SYS)
        check_links(db);
    sqlite3_close(db);
    unlink(file);
    arena_release(&a);
}

static void every_scenario_in_every_flavor_equals_its_truth(void **state)
{
    (void)state;
    for (const struct scenario *s = synth_scenarios; s->name; s++)
        for (int flavor = ROCPD_V3; flavor <= ROCPD_SYS; flavor++)
            check_scenario(s, (enum rocpd_flavor)flavor);
}

/* --- details of the flavours ------------------------------------------------------------- */

static const char small[] =
    "set base=1000000000\ngpu MI300X count=2\nkernel k\nstream s\n"
    "telemetry power every 10us\ncounter SQ_WAVES = 5 instances=3\n"
    "marker range \"phase one\" { loop 5 { launch k stream=s dur=9us } }\nmark here\n"
    "graph { launch k; launch k }\ncopy h2d size=10\nmpi MPI_Send dur=5us\nmalloc size=9\nfree";

static sqlite3 *make_small(struct arena *a, const struct rocpd_options *o)
{
    write_file(parse(small, a), o, a);
    return open_db(o->path);
}

static void rocprofv3_ids_are_os_ids(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    char *file = arena_printf(&a, "%s/v3.db", dir);
    sqlite3 *db = make_small(&a, &(struct rocpd_options){.path = file, .args = -1});
    assert_int_equal(query(db, "SELECT string = '' FROM rocpd_string WHERE id = 1"), 1);
    assert_int_equal(
        query(db, "SELECT count(*) FROM rocpd_string a JOIN rocpd_string b ON "
                  "b.id = a.id + 1 WHERE CAST(a.string AS BLOB) >= CAST(b.string AS BLOB)"),
        0);
    assert_int_equal(query(db, "SELECT count(*) FROM rocpd_info_process WHERE id = pid"), 1);
    assert_int_equal(query(db, "SELECT count(*) FROM rocpd_region r JOIN rocpd_event e ON "
                               "e.id = r.event_id WHERE e.stack_id != r.id"),
                     0);
    assert_int_equal(query(db, "SELECT count(*) FROM regions WHERE name = 'roctxThreadRangeA' AND "
                               "json_extract(extdata, '$.message') = 'phase one'"),
                     1);
    assert_int_equal(query(db, "SELECT count(*) FROM regions WHERE json_extract(extdata, "
                               "'$.message') = 'MPI_Send'"),
                     1);
    assert_int_equal(query(db, "SELECT sum(value) FROM counters_collection"), 7 * 15);
    assert_int_equal(query(db, "SELECT count(*) FROM pmc_events"), 21);
    assert_int_equal(query(db,
                           "SELECT json_extract(extdata, '$.cu_count') FROM rocpd_info_agent WHERE "
                           "type_index = 1 AND type = 'GPU'"),
                     304);
    assert_int_equal(query(db, "SELECT count(*) FROM rocpd_info_process WHERE environment LIKE "
                               "'%hunter2-do-not-print%'"),
                     1);
    assert_int_equal(query(db,
                           "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name LIKE "
                           "'rocpd%' AND sql LIKE '%AUTOINCREMENT%'"),
                     20);
    assert_int_equal(query(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'view'"), 41);
    assert_int_equal(
        query(db, "SELECT value = '3' FROM rocpd_metadata WHERE tag = 'schema_version'"), 1);
    sqlite3_close(db);
    arena_release(&a);
}

static void version_3_0_5_has_graphs(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    char *file = arena_printf(&a, "%s/v305.db", dir);
    sqlite3 *db =
        make_small(&a, &(struct rocpd_options){.path = file, .flavor = ROCPD_V305, .args = 2});
    assert_int_equal(query(db, "SELECT count(*) FROM kernels WHERE graph_exec_id = 1"), 2);
    assert_int_equal(query(db, "SELECT sum(kernel_dispatch_count) FROM rocpd_graph_launch"), 2);
    assert_int_equal(query(db, "SELECT max(instance) FROM rocpd_pmc_event"), 2);
    assert_int_equal(query(db, "SELECT max(position) FROM rocpd_arg"), 1);
    assert_int_equal(
        query(db, "SELECT value = '3.0.5' FROM rocpd_metadata WHERE tag = 'schema_version'"), 1);
    assert_int_equal(query(db, "SELECT count(*) FROM rocpd_metadata"), 6);
    sqlite3_close(db);
    arena_release(&a);
}

static void rocprof_sys_numbers_by_itself(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    char *file = arena_printf(&a, "%s/sys.db", dir);
    sqlite3 *db =
        make_small(&a, &(struct rocpd_options){.path = file, .flavor = ROCPD_SYS, .args = -1});
    assert_int_equal(
        query(db, "SELECT count(*) FROM rocpd_info_thread WHERE id = 1 AND tid = 4242"), 1);
    assert_int_equal(query(db,
                           "SELECT count(*) FROM regions WHERE name = 'phase one' AND category = "
                           "'rocm_marker_api'"),
                     1);
    assert_int_equal(
        query(db, "SELECT count(*) FROM regions WHERE name = 'MPI_Send' AND category = 'mpi'"), 1);
    assert_int_equal(query(db, "SELECT min(id) = 1 AND max(id) = count(*) FROM rocpd_region"), 1);
    int64_t ticks = query(
        db, "SELECT count(*) FROM rocpd_sample s JOIN rocpd_track t ON t.id = "
            "s.track_id JOIN rocpd_pmc_event v ON v.event_id = s.event_id WHERE t.tid IS NULL");
    assert_true(ticks > 0 && ticks % 2 == 0); /* two GPUs */
    assert_int_equal(query(db, "SELECT count(DISTINCT agent_id) FROM rocpd_info_pmc WHERE name = "
                               "'device_power'"),
                     2);
    sqlite3_close(db);
    arena_release(&a);
}

/* --- files ------------------------------------------------------------------------------- */

static void the_same_seed_gives_the_same_bytes(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    char *one = arena_printf(&a, "%s/one.db", dir), *two = arena_printf(&a, "%s/two.db", dir);
    const char *text = scenario_find("demo")->text;
    write_file(parse(text, &a), &(struct rocpd_options){.path = one, .args = -1}, &a);
    write_file(parse(text, &a), &(struct rocpd_options){.path = two, .args = -1}, &a);
    struct mapping x, y;
    assert_true(map_file(&x, one, NULL) && map_file(&y, two, NULL));
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    unmap_file(&x);
    unmap_file(&y);
    arena_release(&a);
}

static void odd_files_can_be_made(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    char *file = arena_printf(&a, "%s/odd.db", dir), *log = arena_printf(&a, "%s-wal", file);
    struct rocpd_options o = {
        .path = file, .args = 0, .page_size = 1024, .journal = JOURNAL_WAL_LEFT};
    sqlite3 *db = make_small(&a, &o);
    assert_true(fs_exists(log));
    assert_int_equal(query(db, "SELECT count(*) FROM rocpd_kernel_dispatch"), 7);
    assert_int_equal(query(db, "PRAGMA page_size"), 1024);
    assert_int_equal(query(db, "SELECT count(*) FROM rocpd_arg"), 0);
    sqlite3_close(db);
    o.journal = JOURNAL_NONE; /* takes the place of the old file and of its log */
    const char *drops[] = {"arg", "kernel_dispatch.stream_id"};
    o.drop = (struct opt_list){drops, 2, 2};
    db = make_small(&a, &o);
    assert_false(fs_exists(log));
    assert_int_equal(query(db, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'rocpd_arg%'"),
                     0);
    assert_int_equal(query(db, "SELECT count(*) FROM pragma_table_info('rocpd_kernel_dispatch') "
                               "WHERE name = 'stream_id'"),
                     0);
    sqlite3_close(db);
    arena_release(&a);
}

static void processes_get_files_or_share_one(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    const char *text = scenario_find("mpi_job")->text;
    char *job = arena_printf(&a, "%s/job", dir);
    write_file(parse(text, &a), &(struct rocpd_options){.path = job, .args = -1}, &a);
    struct fs_list list = {0};
    assert_true(fs_list(&list, job, &a, NULL));
    assert_int_equal(list.n, 4); /* and nothing half-made beside them */
    char *pattern = arena_printf(&a, "%s/byrank/%%host%%-%%rank%%.db", dir);
    write_file(parse(text, &a), &(struct rocpd_options){.path = pattern, .args = -1}, &a);
    assert_true(fs_exists(arena_printf(&a, "%s/byrank/node0-3.db", dir)));
    char *merged = arena_printf(&a, "%s/merged.db", dir);
    write_file(parse(text, &a), &(struct rocpd_options){.path = merged, .merge = true, .args = -1},
               &a);
    sqlite3 *db = open_db(merged);
    assert_int_equal(query(db, "SELECT count(DISTINCT guid) FROM kernels"), 4);
    assert_int_equal(query(db, "SELECT count(*) FROM rocpd_metadata WHERE tag = 'uuid'"), 4);
    sqlite3_close(db);
    arena_release(&a);
}

static void a_failure_leaves_no_file(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    char *failed = arena_printf(&a, "%s/failed/", dir);
    struct rocpd_options o = {.path = failed, .args = -1};
    struct sink *w = rocpdw_new(&o, &a);
    struct synth_options s = options(ROCPD_V3);
    struct gs_error err = {0};
    /* Ends after the first pass, which makes the file and its small tables. */
    struct program *p = parse(small, &a);
    w->passes = 1;
    assert_true(synth_run(p, &s, w, &err));
    assert_false(rocpdw_finish(w, false, NULL, &err));
    struct fs_list list = {0};
    assert_true(fs_list(&list, failed, &a, NULL));
    assert_int_equal(list.n, 0);
    w = rocpdw_new(&(struct rocpd_options){.path = "/proc/nowhere/x.db", .args = -1}, &a);
    assert_false(synth_run(p, &s, w, &err));
    assert_int_equal(err.code, GS_E_IO);
    assert_false(rocpdw_finish(w, false, NULL, &err));
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(every_scenario_in_every_flavor_equals_its_truth),
        unit_test(rocprofv3_ids_are_os_ids),
        unit_test(version_3_0_5_has_graphs),
        unit_test(rocprof_sys_numbers_by_itself),
        unit_test(the_same_seed_gives_the_same_bytes),
        unit_test(odd_files_can_be_made),
        unit_test(processes_get_files_or_share_one),
        unit_test(a_failure_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
