/* The library's interface: values, threads, an early end, and what is left when memory is short. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#include "base/mem.h"
#include "gpusight/gpusight.h"
#include "made_rocpd.h"

static char folder[] = "/tmp/gpusight-api-XXXXXX";
static char path[256];

static int make_trace(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/demo.db", folder);
    struct made_rocpd made = {.path = path, .scenario = true};
    return *made_rocpd("demo", &made) ? -1 : 0;
}

static int remove_trace(void **state)
{
    (void)state;
    remove(path);
    return rmdir(folder);
}

static gs_run *open_it(const struct gs_option *o, gs_task *task, struct gs_error *err)
{
    const char *paths[] = {path};
    return gs_open(paths, 1, o, task, err);
}

static bool count(void *ctx, const char *bytes, size_t n)
{
    (void)bytes;
    *(size_t *)ctx += n;
    return true;
}

static bool refuse(void *ctx, const char *bytes, size_t n)
{
    (void)ctx, (void)bytes, (void)n;
    return false;
}

/* Sums over all rows agree between the events and the results made of them. */
static void tables_agree(void **state)
{
    (void)state;
    struct gs_error err;
    gs_run *run = open_it(NULL, NULL, &err);
    assert_non_null(run);
    const gs_table *kernels = gs_run_table(run, "kernels", &err);
    const gs_table *hotspots = gs_run_table(run, "hotspots", &err);
    const struct gs_column *start = gs_column(kernels, "start_ns"),
                           *end = gs_column(kernels, "end_ns"),
                           *duration = gs_column(kernels, "duration_ns"),
                           *total = gs_column(hotspots, "total_duration_ns"),
                           *calls = gs_column(hotspots, "calls");
    int64_t sum = 0, sum_of_groups = 0, n = 0;
    assert_int_equal(kernels->rows, 1800); /* the demo's text */
    for (size_t i = 0; i < kernels->rows; i++) {
        assert_int_equal(gs_int(duration, i), gs_int(end, i) - gs_int(start, i));
        sum += gs_int(duration, i);
    }
    for (size_t i = 0; i < hotspots->rows; i++) {
        sum_of_groups += gs_int(total, i);
        n += gs_int(calls, i);
    }
    assert_int_equal(sum, sum_of_groups);
    assert_int_equal(n, 1800);
    assert_non_null(strstr(gs_text(gs_column(kernels, "name"), 0), "gemm_tile"));
    assert_null(gs_run_table(run, "nonsense", &err));
    assert_string_equal(err.text, "no table is called 'nonsense'");
    assert_null(gs_column(kernels, "nonsense"));
    gs_close(run);
}

static void wrong_options_are_errors(void **state)
{
    (void)state;
    struct gs_error err;
    const struct gs_option unknown[] = {{"colour", "red"}, {NULL, NULL}},
                           flag[] = {{"replay", "maybe"}, {NULL, NULL}},
                           number[] = {{"rank", "x"}, {NULL, NULL}},
                           value[] = {{"window", NULL}, {NULL, NULL}};
    assert_null(open_it(unknown, NULL, &err));
    assert_string_equal(err.text, "no option is called 'colour'");
    assert_int_equal(err.code, GS_E_USAGE);
    assert_null(open_it(flag, NULL, &err));
    assert_string_equal(err.text, "option 'replay' must be yes or no, not 'maybe'");
    assert_null(open_it(number, NULL, &err));
    assert_int_equal(err.code, GS_E_USAGE);
    assert_null(open_it(value, NULL, &err));
    const char *none = "/nonexistent/trace.db";
    assert_null(gs_open(&none, 1, NULL, NULL, &err));
    assert_int_equal(err.code, GS_E_IO);
    assert_null(gs_open(&none, 0, NULL, NULL, NULL));
}

static void rows_come_without_an_analysis(void **state)
{
    (void)state;
    struct gs_error err;
    size_t n = 0;
    const struct gs_option rows[] = {{"analyze", "no"}, {NULL, NULL}};
    gs_run *run = open_it(rows, NULL, &err);
    assert_int_equal(gs_run_table(run, "kernels", &err)->rows, 1800);
    assert_null(gs_run_table(run, "hotspots", &err));
    assert_false(gs_render(run, "text", NULL, count, &n, NULL, &err));
    assert_int_equal(err.code, GS_E_USAGE);
    assert_false(gs_whatif(run, NULL, count, &n, NULL, &err));
    assert_null(gs_compare(&run, 1, &run, 1, NULL, &err));
    gs_close(run);
}

struct text {
    char *bytes;
    size_t n;
};

static bool keep(void *ctx, const char *bytes, size_t n)
{
    struct text *t = ctx;
    t->bytes = realloc(t->bytes, t->n + n);
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
    return true;
}

static const struct gs_option later[] = {{"analyze", "later"}, {NULL, NULL}};

/* Short of memory again and again, the analysis is at last what it would have been at once. */
static void analysis_may_come_later(void **state)
{
    (void)state;
    struct gs_error err;
    struct text now_text = {0}, later_text = {0};
    gs_run *at_once = open_it(NULL, NULL, &err), *run = open_it(later, NULL, &err);
    size_t events = gs_run_tables(run), failed = 0;
    const gs_table *kernels = gs_run_table(run, "kernels", &err);
    const void *data = kernels->column[0].data;
    assert_true(events < gs_run_tables(at_once));
    for (int64_t after = 0;; after += 5, failed++) {
        mem_fail_after(after);
        bool ok = gs_analyze(run, NULL, &err);
        mem_fail_never();
        if (ok)
            break;
        assert_int_equal(err.code, GS_E_IO);
        assert_int_equal(gs_run_tables(run), events);
    }
    assert_true(failed > 3);
    assert_int_equal(gs_run_tables(run), gs_run_tables(at_once));
    assert_ptr_equal(gs_run_table(run, "kernels", &err), kernels);
    assert_ptr_equal(kernels->column[0].data, data);
    assert_true(gs_render(at_once, "json", NULL, keep, &now_text, NULL, &err));
    assert_true(gs_render(run, "json", NULL, keep, &later_text, NULL, &err));
    assert_int_equal(now_text.n, later_text.n);
    assert_memory_equal(now_text.bytes, later_text.bytes, now_text.n);
    free(now_text.bytes);
    free(later_text.bytes);
    gs_close(at_once);
    gs_close(run);
}

static bool sql(gs_run *run, const char *text)
{
    gs_result *r = gs_query(run, text, NULL, NULL, NULL);
    gs_result_close(r);
    return r;
}

static bool compare_it(gs_run *run)
{
    gs_comparison *c = gs_compare(&run, 1, &run, 1, NULL, NULL);
    gs_comparison_close(c);
    return c;
}

/* Whatever is asked for first makes it; what is about events does not. */
static void whoever_needs_it_makes_it(void **state)
{
    (void)state;
    for (int way = 0; way < 6; way++) {
        struct gs_error err = {0};
        size_t n = 0;
        gs_run *run = open_it(later, NULL, &err);
        size_t events = gs_run_tables(run);
        assert_true(sql(run, "select count(*) from kernels"));
        assert_non_null(gs_run_table(run, "copies", &err));
        assert_int_equal(gs_run_tables(run), events);
        bool ok = way == 0   ? gs_run_table(run, "hotspots", &err) != NULL
                  : way == 1 ? gs_render(run, "text", NULL, count, &n, NULL, &err)
                  : way == 2 ? gs_whatif(run, NULL, count, &n, NULL, &err)
                  : way == 3 ? gs_plot(run, "ledger", NULL, count, &n, NULL, &err)
                  : way == 4 ? compare_it(run)
                             : sql(run, "select count(*) from ledger");
        assert_true(ok);
        assert_true(gs_run_tables(run) > events);
        gs_close(run);
    }
}

static void reports_go_to_the_sink(void **state)
{
    (void)state;
    struct gs_error err;
    gs_run *run = open_it(NULL, NULL, &err);
    static const char *const forms[] = {"text", "json", "markdown", "html"};
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        size_t n = 0;
        assert_true(gs_render(run, forms[i], NULL, count, &n, NULL, &err));
        assert_true(n > 1000);
        assert_false(gs_render(run, forms[i], NULL, refuse, NULL, NULL, &err));
        assert_int_equal(err.code, GS_E_IO);
    }
    assert_false(gs_render(run, "xlsx", NULL, count, NULL, NULL, &err));
    assert_int_equal(err.code, GS_E_USAGE);
    size_t n = 0;
    const struct gs_option sync[] = {{"remove", "sync"}, {NULL, NULL}},
                           wrong[] = {{"remove", "everything"}, {NULL, NULL}};
    assert_true(gs_whatif(run, sync, count, &n, NULL, &err));
    assert_false(gs_whatif(run, wrong, count, &n, NULL, &err));
    gs_comparison *c = gs_compare(&run, 1, &run, 1, NULL, &err);
    gs_close(run);
    assert_string_equal(gs_comparison_verdict(c), "same");
    assert_true(gs_comparison_render(c, "json", NULL, count, &n, NULL, &err));
    gs_comparison_close(c);
}

static void pictures_go_there_too(void **state)
{
    (void)state;
    struct gs_error err;
    gs_run *run = open_it(NULL, NULL, &err);
    const struct gs_option dark[] = {{"theme", "dark"}, {"width", "600"}, {NULL, NULL}},
                           wrong[] = {{"width", "1"}, {NULL, NULL}};
    size_t charts = 0;
    for (; gs_chart_name(charts); charts++) {
        size_t n = 0;
        assert_true(gs_plot(run, gs_chart_name(charts), dark, count, &n, NULL, &err));
        assert_true(n > 200);
    }
    assert_true(charts > 10);
    assert_false(gs_plot(run, "pie", NULL, count, NULL, NULL, &err));
    assert_int_equal(err.code, GS_E_USAGE);
    assert_false(gs_plot(run, "ledger", wrong, count, NULL, NULL, &err));
    assert_false(gs_plot(run, "ledger", NULL, refuse, NULL, NULL, &err));
    assert_int_equal(err.code, GS_E_IO);
    gs_close(run);
}

static void source_needs_no_trace(void **state)
{
    (void)state;
    struct gs_error err;
    char place[] = "/tmp/gpusight-api-XXXXXX", file[64];
    assert_non_null(mkdtemp(place));
    assert_false(gs_scan_source(place, "json", NULL, count, NULL, NULL, &err));
    assert_int_equal(err.code, GS_E_EMPTY);
    snprintf(file, sizeof(file), "%s/a.hip", place);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs("__global__ void k(int *a) { a[0] = 1; }\nint main() { k<<<1, 1>>>(a); }\n", f);
    fclose(f);
    const struct gs_option theirs[] = {{"json-profile", "rocinsight"}, {NULL, NULL}};
    size_t before = mem_held(), n = 0, m = 0;
    assert_true(gs_scan_source(place, "json", theirs, count, &n, NULL, &err));
    assert_true(gs_scan_source(place, "text", NULL, count, &m, NULL, &err));
    assert_true(n > 500 && m > 100);
    assert_int_equal(mem_held(), before);
    remove(file);
    remove(place);
    assert_false(gs_scan_source(place, "json", NULL, count, NULL, NULL, &err));
    assert_int_equal(err.code, GS_E_IO);
}

static void filters_are_options(void **state)
{
    (void)state;
    struct gs_error err;
    const struct gs_option gemm[] = {{"kernel", "gemm"}, {NULL, NULL}},
                           none[] = {{"kernel", "no such kernel"}, {NULL, NULL}};
    gs_run *run = open_it(gemm, NULL, &err);
    assert_non_null(run);
    assert_int_equal(gs_run_table(run, "kernels", &err)->rows, 120);
    gs_close(run);
    assert_null(open_it(none, NULL, &err));
    assert_int_equal(err.code, GS_E_USAGE);
}

/* ---- two threads on one handle, and a run in each of several threads ---- */

static void *use(void *arg)
{
    gs_run *run = arg;
    struct gs_error err;
    size_t n = 0;
    for (size_t i = 0; i < gs_run_tables(run); i++)
        if (!gs_run_table_at(run, i, &err))
            return "a table could not be made";
    if (!gs_render(run, "json", NULL, count, &n, NULL, &err))
        return "no JSON";
    const struct gs_option graph[] = {{"graph", "yes"}, {NULL, NULL}};
    return gs_whatif(run, graph, count, &n, NULL, &err) ? NULL : "no what-if";
}

static void *open_and_use(void *arg)
{
    (void)arg;
    struct gs_error err;
    gs_run *run = open_it(NULL, NULL, &err);
    void *wrong = run ? use(run) : "not opened";
    gs_close(run);
    return wrong;
}

static void share_a_run(const struct gs_option *options)
{
    pthread_t ids[4];
    struct gs_error err;
    gs_run *run = open_it(options, NULL, &err);
    for (size_t i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, i < 2 ? use : open_and_use, run);
    for (size_t i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(ids[i], &wrong);
        assert_null(wrong);
    }
    gs_close(run);
}

static void threads_share_a_run(void **state)
{
    (void)state;
    share_a_run(NULL);
    share_a_run(later);
}

/* ---- an early end ---- */

static bool end_at_once(void *ctx, const char *what, uint64_t done, uint64_t total)
{
    (void)what, (void)done, (void)total;
    ++*(int *)ctx;
    return true;
}

static void progress_can_end_it(void **state)
{
    (void)state;
    struct gs_error err;
    int calls = 0;
    size_t before = mem_held();
    gs_task *task = gs_task_new(end_at_once, NULL, &calls);
    assert_null(open_it(NULL, task, &err));
    assert_int_equal(err.code, GS_E_CANCELLED);
    assert_int_equal(calls, 1);
    gs_task_free(task);
    assert_int_equal(mem_held(), before);
}

struct canceller {
    gs_task *task;
    unsigned after_us;
};

static void *cancel(void *arg)
{
    const struct canceller *c = arg;
    nanosleep(&(struct timespec){0, (long)c->after_us * 1000}, NULL);
    gs_task_cancel(c->task);
    return NULL;
}

static void cancelled_at_any_moment(void **state)
{
    (void)state;
    size_t before = mem_held();
    unsigned ended = 0;
    for (unsigned i = 0; i < 40; i++) {
        struct gs_error err;
        pthread_t id;
        size_t n = 0;
        struct canceller c = {gs_task_new(NULL, NULL, NULL), i * 1500};
        pthread_create(&id, NULL, cancel, &c);
        gs_run *run = open_it(NULL, c.task, &err);
        if (run && !gs_render(run, "html", NULL, count, &n, c.task, &err))
            ended++;
        else if (!run)
            ended++;
        if (!run || err.code != GS_OK)
            assert_int_equal(err.code, GS_E_CANCELLED);
        pthread_join(id, NULL);
        gs_close(run);
        gs_task_free(c.task);
        assert_int_equal(mem_held(), before);
    }
    assert_true(ended > 0);
}

/* ---- shortage ---- */

/* As Arrow's specification has them, as far as they are looked at here. */
struct ArrowSchema {
    const void *ignored[7];
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, void *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

static bool as_arrow(gs_run *run, const gs_table *t, struct gs_error *err)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    if (!t || !gs_table_arrow_stream(run, t, &stream, err))
        return false;
    bool ok = stream.get_schema(&stream, &schema) == 0;
    if (ok)
        schema.release(&schema);
    else
        err->code = stream.get_last_error(&stream) ? GS_E_IO : GS_OK; /* it says why */
    stream.release(&stream);
    return ok;
}

static bool ask(gs_run *run, struct gs_error *err)
{
    gs_result *r =
        gs_query(run, "select name, count(*) from kernels group by name", NULL, NULL, err);
    bool ok = r && as_arrow(run, gs_result_table(r), err);
    gs_result_close(r);
    return ok;
}

static bool all_of_it(struct gs_error *err)
{
    size_t n = 0;
    const struct gs_option one[] = {{"threads", "1"}, {NULL, NULL}},
                           without[] = {{"remove", "sync"}, {NULL, NULL}};
    gs_run *run = open_it(one, NULL, err);
    bool ok = run && as_arrow(run, gs_run_table(run, "kernels", err), err) &&
              as_arrow(run, gs_run_table(run, "findings", err), err) && ask(run, err) &&
              gs_whatif(run, without, count, &n, NULL, err) &&
              gs_render(run, "text", NULL, count, &n, NULL, err) &&
              gs_plot(run, "ledger", NULL, count, &n, NULL, err);
    gs_comparison *c = ok ? gs_compare(&run, 1, &run, 1, NULL, err) : NULL;
    ok = c && gs_comparison_render(c, "json", NULL, count, &n, NULL, err);
    gs_comparison_close(c);
    gs_close(run);
    return ok;
}

/* Each allocation in turn. What can be done without is no failure, so success does not end it. */
static void a_shortage_anywhere_is_an_error(void **state)
{
    (void)state;
    struct gs_error err;
    assert_true(all_of_it(&err));
    size_t before = mem_held();
    int64_t n = 0;
    for (bool done = false; !done; n++) {
        mem_fail_after(n);
        bool ok = all_of_it(&err);
        done = mem_fail_never() >= 0;
        assert_true(ok || err.code == GS_E_IO || err.code == GS_E_EMPTY);
        assert_int_equal(mem_held(), before);
    }
    assert_true(n > 100);
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static bool beside(const char *name, const char *place, const char *table, struct gs_error *err)
{
    size_t n = 0;
    const struct gs_option o[] = {{name, place}, {"threads", "1"}, {NULL, NULL}};
    gs_run *run = gs_open(NULL, 0, o, NULL, err);
    bool ok = run && as_arrow(run, gs_run_table(run, table, err), err) &&
              gs_render(run, "text", NULL, count, &n, NULL, err) &&
              gs_render(run, "json", NULL, count, &n, NULL, err);
    gs_close(run);
    return ok;
}

/* Thread traces and source code alone: each allocation fails in turn. */
static void what_lies_beside_can_stand_alone(void **state)
{
    static const char stats[] = "Codeobj,Vaddr,Instruction,Hitcount,Latency,Stall,Idle,Source\n"
                                "0,0,\"; work\",0,0,0,0,\"\"\n"
                                "1,4096,\"s_waitcnt lgkmcnt(0)\",8,4000,3600,40,\"a.hip:3\"\n"
                                "1,4108,s_endpgm,8,80,0,0,\"\"\n";
    static const char *const kinds[][2] = {{"att-dir", "thread_trace_instructions"},
                                           {"source-dir", "source_facts"}};
    (void)state;
    char place[] = "/tmp/gpusight-api-XXXXXX", csv[128], hip[128];
    assert_non_null(mkdtemp(place));
    snprintf(csv, sizeof(csv), "%s/stats_ui_output_agent_1_dispatch_2.csv", place);
    snprintf(hip, sizeof(hip), "%s/a.hip", place);
    write_file(csv, stats);
    write_file(hip, "__global__ void k(int *a) { a[0] = 1; }\nint main() { k<<<1, 1>>>(a); }\n");
    for (size_t i = 0; i < 2; i++) {
        struct gs_error err;
        assert_true(beside(kinds[i][0], place, kinds[i][1], &err));
        size_t before = mem_held();
        bool done = false;
        for (int64_t n = 0; !done; n++) {
            mem_fail_after(n);
            bool ok = beside(kinds[i][0], place, kinds[i][1], &err);
            done = mem_fail_never() >= 0;
            assert_true(ok || err.code == GS_E_IO || err.code == GS_E_EMPTY ||
                        strstr(err.text, "out of memory"));
            assert_int_equal(mem_held(), before);
        }
    }
    remove(csv);
    remove(hip);
    remove(place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_agree),
        cmocka_unit_test(wrong_options_are_errors),
        cmocka_unit_test(rows_come_without_an_analysis),
        cmocka_unit_test(analysis_may_come_later),
        cmocka_unit_test(whoever_needs_it_makes_it),
        cmocka_unit_test(reports_go_to_the_sink),
        cmocka_unit_test(pictures_go_there_too),
        cmocka_unit_test(source_needs_no_trace),
        cmocka_unit_test(filters_are_options),
        cmocka_unit_test(threads_share_a_run),
        cmocka_unit_test(progress_can_end_it),
        cmocka_unit_test(cancelled_at_any_moment),
        cmocka_unit_test(a_shortage_anywhere_is_an_error),
        cmocka_unit_test(what_lies_beside_can_stand_alone),
    };
    return cmocka_run_group_tests(tests, make_trace, remove_trace);
}
