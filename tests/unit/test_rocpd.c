/*
 * Focus: the rocpd reader as a whole. Rows that contradict each other, shortage of memory at every
 * allocation, the same result with any number of threads. What SQL says about the same files is
 * compared in tests/e2e/check_rocpd.py.
 */
#define _GNU_SOURCE /* nftw */
#include "unit.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/quality.h"
#include "base/mem.h"
#include "base/str.h"
#include "load_paths.h"
#include "made_rocpd.h"
#include "scratch.h"
#include "sql.h"

/* ---- files ---- */

static const char small[] = "gpu MI300X count=2\n"
                            "stream s\n"
                            "kernel a dur=5us vgpr=16 wg=256 blocks=10\n"
                            "kernel b dur=9us\n"
                            "counter SQ_WAVES = 5 instances=2\n"
                            "marker range \"outer \\\"x\\\"\" { launch a stream=s; launch b }\n"
                            "mark \"moment\"\n"
                            "copy h2d size=4KiB\n"
                            "copy p2p size=1MiB peer=1\n"
                            "malloc size=1MiB\n"
                            "sync\n";

static void make(const char *text)
{
    struct made_rocpd o = {.path = path};
    assert_string_equal(made_rocpd(text, &o), "");
}

/* # stands for the suffix of the tables. */
static void change(const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "SELECT substr(name, 13) FROM sqlite_schema WHERE name LIKE "
                           "'rocpd_string_%' AND type='table'",
                           -1, &st, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    struct arena a;
    arena_init(&a);
    struct str text;
    str_init(&text, &a);
    for (const char *p = sql; *p; p++) {
        if (*p == '#')
            str_puts(&text, (const char *)sqlite3_column_text(st, 0));
        else
            str_putc(&text, *p);
    }
    sqlite3_finalize(st);
    run_sql(db, "PRAGMA foreign_keys=OFF");
    run_sql(db, text.buf);
    arena_release(&a);
    sqlite3_close(db);
}

static bool load(struct trace *t, const char *what, enum reader_mode mode, int threads,
                 struct gs_error *err)
{
    const char *paths[] = {what};
    struct opt_list list = {paths, 1, 1};
    struct ingest_opts o = {.reader = mode, .threads = threads};
    *err = (struct gs_error){0};
    trace_init(t);
    return load_paths(t, &list, &o, err);
}

static void must_load(struct trace *t)
{
    struct gs_error err;
    bool ok = load(t, path, READER_CHECK, 2, &err);
    assert_string_equal(err.text, "");
    assert_true(ok);
}

static uint64_t noted(const struct trace *t, enum note_kind kind, const char *part)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->notes.n; i++)
        if (t->notes.v[i].kind == kind && str_has(t->notes.v[i].text, part))
            n += t->notes.v[i].count;
    return n;
}

/* ---- rows that contradict each other ---- */

static void everything_is_linked(void **state)
{
    (void)state;
    struct trace t;
    make(small);
    must_load(&t);
    assert_int_equal(t.kernels.n, 2);
    assert_int_equal(t.copies.n, 2);
    assert_int_equal(t.counters.n, 4);
    assert_int_equal(t.markers.n, 2);
    assert_string_equal(trace_str(&t, t.markers.name[0]), "outer \"x\"");
    assert_string_equal(trace_str(&t, t.markers.name[1]), "moment");
    assert_int_equal(t.copies.kind[1], COPY_P2P);
    for (size_t i = 0; i < t.kernels.n; i++) {
        assert_true(t.kernels.call[i] != NO_INDEX);
        assert_string_equal(trace_str(&t, t.regions.name[t.kernels.call[i]]), "hipLaunchKernel");
    }
    for (size_t i = 0; i < t.counters.n; i++)
        assert_int_equal(t.counters.kernel[i], i / 2);
    trace_release(&t);
}

static void no_secret_is_kept(void **state)
{
    (void)state;
    struct trace t;
    make(small);
    change("UPDATE \"rocpd_info_process#\" SET environment = "
           "'{\"MY_TOKEN\": \"swordfish\", \"RANK\": \"5\", \"PMI_RANK\": \"swordfish\"}'");
    must_load(&t);
    assert_int_equal(t.processes.v[0].rank, 5);
    for (size_t i = 0; i < t.strings.n; i++) {
        assert_false(str_has(t.strings.v[i].text, "swordfish"));
        assert_false(str_has(t.strings.v[i].text, "MY_TOKEN"));
    }
    trace_release(&t);
}

static void dangling_references_are_noted(void **state)
{
    (void)state;
    struct trace t;
    make(small);
    change("UPDATE \"rocpd_kernel_dispatch#\" SET kernel_id = 999, agent_id = 888, queue_id = 777,"
           " stream_id = 666, tid = 555 WHERE id = 1;"
           "UPDATE \"rocpd_kernel_dispatch#\" SET event_id = 444 WHERE id = 2;"
           "UPDATE \"rocpd_region#\" SET name_id = 99999 WHERE id = 1;"
           "UPDATE \"rocpd_pmc_event#\" SET pmc_id = 333 WHERE id = 1");
    must_load(&t);
    assert_int_equal(t.kernels.n, 2);
    assert_string_equal(trace_str(&t, t.symbols.v[t.kernels.symbol[0]].name), "(unknown kernel)");
    assert_int_equal(t.streams.v[t.kernels.stream[0]].gpu, NO_INDEX);
    assert_int_equal(t.kernels.queue[0], NO_INDEX);
    assert_int_equal(t.kernels.thread[0], NO_INDEX);
    assert_int_equal(t.kernels.call[1], NO_INDEX);
    assert_int_equal(noted(&t, NOTE_DANGLING, "symbol"), 1);
    assert_int_equal(noted(&t, NOTE_DANGLING, "device"), 1);
    assert_int_equal(noted(&t, NOTE_DANGLING, "name"), 1);
    assert_int_equal(noted(&t, NOTE_DANGLING, "counter that is not listed"), 1);
    struct arena a;
    arena_init(&a);
    struct quality q;
    quality_check(&q, &t, NULL, 1, &a);
    assert_true(q.grade > 'A');
    arena_release(&a);
    trace_release(&t);
}

static void missing_times_are_noted(void **state)
{
    (void)state;
    struct trace t;
    make(small);
    change("CREATE TABLE t AS SELECT * FROM \"rocpd_kernel_dispatch#\";"
           "DROP TABLE \"rocpd_kernel_dispatch#\";"
           "CREATE TABLE \"rocpd_kernel_dispatch#\" AS SELECT * FROM t; DROP TABLE t;"
           "UPDATE \"rocpd_kernel_dispatch#\" SET start = NULL, \"end\" = NULL WHERE id = 1;"
           "UPDATE \"rocpd_kernel_dispatch#\" SET \"end\" = NULL WHERE id = 2");
    must_load(&t);
    assert_int_equal(noted(&t, NOTE_NULL, "kernels without times"), 1);
    assert_int_equal(t.kernels.start_ns[1], t.kernels.end_ns[1]);
    assert_int_equal(t.kernels.start_ns[0], t.kernels.start_ns[1]); /* not 0, not INT64_MIN */
    int64_t start, end;
    assert_true(trace_span(&t, 1, &start, &end));
    assert_true(start > 0);
    trace_release(&t);
}

/* Two kernels claim one event: the counters belong to the first, whichever thread read it. */
static void the_first_of_two_kernels_owns_an_event(void **state)
{
    (void)state;
    make("counter C = 1\nkernel k dur=1us\nloop 4000 { launch k }\n");
    change("UPDATE \"rocpd_kernel_dispatch#\" SET event_id = (SELECT min(event_id) FROM "
           "\"rocpd_kernel_dispatch#\")");
    for (int threads = 1; threads <= 8; threads *= 2) {
        struct trace t;
        struct gs_error err;
        assert_true(load(&t, path, READER_FAST, threads, &err));
        assert_int_equal(t.counters.n, 4000);
        assert_int_equal(t.counters.kernel[0], 0);
        trace_release(&t);
    }
}

static void repeated_event_ids_are_noted(void **state)
{
    (void)state;
    struct trace t;
    make(small);
    change("CREATE TABLE t AS SELECT * FROM \"rocpd_event#\"; DROP TABLE \"rocpd_event#\";"
           "CREATE TABLE \"rocpd_event#\" AS SELECT * FROM t ORDER BY id DESC; DROP TABLE t;"
           "INSERT INTO \"rocpd_event#\" SELECT * FROM \"rocpd_event#\" WHERE id = 2");
    must_load(&t);
    assert_int_equal(noted(&t, NOTE_DUPLICATE, "events"), 1);
    assert_true(t.kernels.call[0] != NO_INDEX);
    assert_true(t.kernels.call[1] != NO_INDEX);
    trace_release(&t);
}

/* A table that cannot be read is an error, not a table without rows. */
static void a_damaged_counter_table_is_no_empty_one(void **state)
{
    (void)state;
    struct trace t;
    struct gs_error err;
    make(small);
    change("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage = 1 + rootpage WHERE name "
           "LIKE "
           "'rocpd_pmc_event%' AND type='table'"); /* a leaf of another kind, or another table */
    bool ok = load(&t, path, READER_AUTO, 1, &err);
    if (ok)
        assert_true(t.counter_records > 0);
    trace_release(&t);
}

/* ---- folders ---- */

static void a_damaged_trace_in_a_folder_is_an_error(void **state)
{
    (void)state;
    struct trace t;
    struct gs_error err;
    char other[96];
    make(small);
    snprintf(other, sizeof(other), "%s/y.db", dir);
    FILE *in = fopen(path, "rb"), *out = fopen(other, "wb");
    char block[3000];
    assert_int_equal(fread(block, 1, sizeof(block), in), sizeof(block));
    fwrite(block, 1, sizeof(block), out);
    fclose(in);
    fclose(out);
    assert_false(load(&t, dir, READER_AUTO, 1, &err));
    assert_int_equal(err.code, GS_E_FORMAT);
    assert_non_null(strstr(err.text, "y.db"));
    trace_release(&t);
    out = fopen(other, "wb"); /* but what is no database is passed over */
    fputs("notes", out);
    fclose(out);
    assert_true(load(&t, dir, READER_AUTO, 1, &err));
    assert_int_equal(t.kernels.n, 2);
    trace_release(&t);
}

static void links_and_loops_give_each_trace_once(void **state)
{
    (void)state;
    struct trace t;
    struct gs_error err;
    char name[128];
    make(small);
    for (int i = 0; i < 30; i++) { /* 30^n ways through the folder */
        snprintf(name, sizeof(name), "%s/loop%d", dir, i);
        assert_int_equal(symlink(".", name), 0);
        snprintf(name, sizeof(name), "%s/link%d.db", dir, i);
        assert_int_equal(symlink("x.db", name), 0);
    }
    assert_true(load(&t, dir, READER_AUTO, 1, &err));
    assert_int_equal(t.files.n, 1);
    assert_int_equal(t.kernels.n, 2);
    trace_release(&t);
}

static void the_same_file_twice_is_read_once(void **state)
{
    (void)state;
    struct trace t;
    struct gs_error err = {0};
    make(small);
    const char *paths[] = {path, dir, path, dir};
    struct opt_list list = {paths, 4, 4};
    struct ingest_opts o = {.threads = 1};
    trace_init(&t);
    assert_true(load_paths(&t, &list, &o, &err));
    assert_int_equal(t.kernels.n, 2);
    trace_release(&t);
}

/* ---- threads ---- */

static void the_number_of_threads_does_not_matter(void **state)
{
    (void)state;
    struct made_rocpd o = {.path = path, .scenario = true, .set = "n=50"};
    assert_string_equal(made_rocpd("demo", &o), "");
    change("DELETE FROM \"rocpd_event#\" WHERE id % 97 = 5");
    struct trace one;
    struct gs_error err;
    assert_true(load(&one, path, READER_FAST, 1, &err));
    for (int threads = 2; threads <= 64; threads *= 2) {
        struct trace many;
        struct arena a;
        arena_init(&a);
        assert_true(load(&many, path, READER_FAST, threads, &err));
        const char *difference = trace_difference(&one, &many, &a);
        assert_string_equal(difference ? difference : "", "");
        arena_release(&a);
        trace_release(&many);
    }
    trace_release(&one);
}

/* ---- shortage of memory ---- */

static int open_files(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

struct load_call {
    struct trace trace;
    enum reader_mode mode;
    int threads;
    const char *path;
    struct gs_error err;
    struct quality quality;
    struct arena arena;
    bool ok;
};

static void load_all(void *ctx)
{
    struct load_call *c = ctx;
    c->ok = load(&c->trace, c->path, c->mode, c->threads, &c->err);
    if (c->ok)
        quality_check(&c->quality, &c->trace, NULL, 1, &c->arena);
}

/* Lets each step-th allocation fail in turn: an error that says so, and all is given back. */
static void fail_each(const char *what, enum reader_mode mode, int threads, int step)
{
    size_t held = mem_held();
    int files = open_files();
    sqlite3_int64 used = sqlite3_memory_used();
    bool failed = true;
    int n = 0;
    for (; failed; n += step) {
        struct load_call c = {.mode = mode, .threads = threads, .path = what};
        mem_fail_after(n);
        bool had_memory = mem_guard(load_all, &c, &c.err);
        mem_fail_never();
        failed = !had_memory || !c.ok;
        if (failed && !str_has(c.err.text, "out of memory"))
            print_error("allocation %d: %s\n", n, c.err.text);
        assert_true(!failed || str_has(c.err.text, "out of memory"));
        assert_true(!failed || c.err.code == GS_E_IO);
        assert_true(failed || c.trace.kernels.n == 2);
        trace_release(&c.trace);
        arena_release(&c.arena);
        assert_int_equal(mem_held(), held);
        assert_int_equal(sqlite3_memory_used(), used);
        assert_int_equal(open_files(), files);
    }
    assert_true(n > 50);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    make(small);
    fail_each(path, READER_FAST, 1, 1);
    fail_each(path, READER_SQLITE, 1, 3);
    fail_each(path, READER_CHECK, 1, 7);
    fail_each(path, READER_FAST, 3, 5);
    fail_each(dir, READER_FAST, 1, 5);
}

static void every_allocation_may_fail_on_odd_files(void **state)
{
    (void)state;
    make(small);
    change(
        "UPDATE \"rocpd_event#\" SET stack_id = stack_id + 99999999999 WHERE stack_id > 0;"
        "DELETE FROM \"rocpd_event#\" WHERE id = 3;"
        "UPDATE \"rocpd_event#\" SET extdata = '{\"message\": \"' || hex(zeroblob(5000)) || '\"}' "
        "WHERE extdata LIKE '%message%';"
        "UPDATE \"rocpd_kernel_dispatch#\" SET start = start - 50000, kernel_id = 77 WHERE id = 2");
    fail_each(path, READER_FAST, 1, 2);
    unlink(path);
    struct made_rocpd o = {.path = path, .log_left = true};
    assert_string_equal(made_rocpd(small, &o), "");
    fail_each(path, READER_AUTO, 1, 3);
}

#define in_dir(f) cmocka_unit_test_setup_teardown(f, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_dir(everything_is_linked),
        in_dir(no_secret_is_kept),
        in_dir(dangling_references_are_noted),
        in_dir(missing_times_are_noted),
        in_dir(the_first_of_two_kernels_owns_an_event),
        in_dir(repeated_event_ids_are_noted),
        in_dir(a_damaged_counter_table_is_no_empty_one),
        in_dir(a_damaged_trace_in_a_folder_is_an_error),
        in_dir(links_and_loops_give_each_trace_once),
        in_dir(the_same_file_twice_is_read_once),
        in_dir(the_number_of_threads_does_not_matter),
        in_dir(every_allocation_may_fail),
        in_dir(every_allocation_may_fail_on_odd_files),
    };
    return unit_run(tests);
}
