/* Tools: every one answers and refuses properly; pages, ids, parts, and where paths may lead. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "unit.h"

#include "base/confine.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/task.h"
#include "made_rocpd.h"
#include "tool/ask.h"

static struct run *run_of(struct tool_box *box, const char *trace, struct gs_error *err)
{
    const char *id;
    return tool_run(box, trace, &id, err);
}

static char folder[] = "/tmp/gpusight-tool-XXXXXX", other[] = "/tmp/gpusight-elsewhere-XXXXXX";
static struct arena arena;
static struct tool_box *box;

static const char *path_in(const char *dir, const char *name)
{
    return arena_printf(&arena, "%s/%s", dir, name);
}

static const char *make(const char *dir, const char *name, const char *scenario)
{
    struct made_rocpd o = {.path = path_in(dir, name), .scenario = true};
    return made_rocpd(scenario, &o);
}

static int begin(void **state)
{
    (void)state;
    arena_init(&arena);
    if (!mkdtemp(folder) || !mkdtemp(other))
        return -1;
    if (*make(folder, "demo.db", "demo") || *make(folder, "healthy.db", "healthy") ||
        *make(other, "secret.db", "demo"))
        return -1;
    if (symlink(other, path_in(folder, "way-out")) || mkdir(path_in(folder, "sub"), 0700) ||
        symlink(path_in(other, "secret.db"), path_in(folder, "sub/link.db")))
        return -1;
    struct tool_box_opts o = {.threads = 1};
    vec_push(&o.roots, &arena, folder);
    box = tool_box_new(&o, &arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    static const char *const made[] = {"demo.db",     "healthy.db", "way-out",
                                       "sub/link.db", "again.db",   "kernel.hip"};
    for (size_t i = 0; i < ARRAY_LEN(made); i++)
        remove(path_in(folder, made[i]));
    remove(path_in(other, "secret.db"));
    rmdir(path_in(folder, "sub"));
    int left = rmdir(folder) + rmdir(other);
    arena_release(&arena);
    return left;
}

static struct tool_answer ask(const char *name, const char *args)
{
    struct tool_answer a = tool_call(box, name, args, strlen(args), &arena);
    assert_true(a.len > 1 && a.json[0] == '{' && a.json[a.len - 1] == '}');
    return a;
}

static struct tool_answer good(const char *name, const char *args)
{
    struct tool_answer a = ask(name, args);
    if (a.is_error)
        fprintf(stderr, "%s %s: %s\n", name, args, a.json);
    assert_false(a.is_error);
    return a;
}

static void refused(const char *name, const char *args, const char *why)
{
    struct tool_answer a = ask(name, args);
    if (!a.is_error || !str_has(a.json, why))
        fprintf(stderr, "%s %s: %s\n", name, args, a.json);
    assert_true(a.is_error && str_starts(a.json, "{\"error\":"));
    assert_true(str_has(a.json, why));
}

/* The number behind a key. */
static long long number(const char *json, const char *key)
{
    const char *at = strstr(json, arena_printf(&arena, "\"%s\":", key));
    assert_non_null(at);
    return atoll(at + strlen(key) + 3);
}

/* What a tool needs besides a trace. */
static const char *args_for(const struct tool *t)
{
    static const char *const args[][2] = {
        {"finding", "{\"id\":\"ROCPD-MEMBW-001\"}"},
        {"kernel", "{\"name\":\"1\"}"},
        {"event", "{\"id\":\"5\",\"kind\":\"dispatch\"}"},
        {"compare", "{\"before\":\"demo.db\",\"after\":\"healthy.db\"}"},
        {"explain", "{\"term\":\"pct_of_wall\"}"},
        {"source", "{\"source_dir\":\".\"}"},
        {"query", "{\"sql\":\"SELECT 1\"}"},
        {"sql_query", "{\"sql\":\"SELECT 1\"}"},
        {"get_table_schema", "{\"table\":\"kernels\"}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(args); i++)
        if (str_eq(t->name, args[i][0]))
            return args[i][1];
    return "{}";
}

static void every_tool_answers(void **state)
{
    (void)state;
    FILE *source = fopen(path_in(folder, "kernel.hip"), "w");
    fputs("__global__ void k(){}\nint main(){ hipDeviceSynchronize(); }\n", source);
    fclose(source);
    good("analyze", "{\"trace\":\"demo.db\"}");
    for (const struct tool *const *t = tools; *t; t++) {
        struct tool_answer a = good((*t)->name, args_for(*t));
        assert_true(a.len <= TOOL_ANSWER_BYTES);
        struct tool_answer again = good((*t)->name, args_for(*t));
        assert_int_equal(a.len, again.len);
        assert_memory_equal(a.json, again.json, a.len);
        good("analyze", "{\"trace\":\"demo.db\"}");
    }
}

static void every_tool_refuses_nonsense(void **state)
{
    (void)state;
    for (const struct tool *const *t = tools; *t; t++) {
        refused((*t)->name, "{\"nonsense\":1}", "unknown argument 'nonsense'");
        refused((*t)->name, "[1]", "must be a JSON object");
        refused((*t)->name, "{\"a\":", "");
        refused((*t)->name, "7", "must be a JSON object");
        if (fields_find((*t)->params, "trace"))
            refused((*t)->name, "{\"trace\":3}", "argument 'trace' must be a text");
        if (fields_find((*t)->params, "limit")) {
            refused((*t)->name, "{\"limit\":\"x\"}", "must be a whole number");
            refused((*t)->name, "{\"limit\":0}", "1 at least");
            refused((*t)->name, "{\"limit\":-5}", "1 at least");
            refused((*t)->name, "{\"limit\":1.5}", "integer");
            refused((*t)->name, "{\"limit\":1e30}", "integer");
        }
    }
    refused("no_such_tool", "{}", "unknown tool");
    refused("hotspot", "{}", "did you mean 'hotspots'?");
    refused("finding", "{}", "argument 'id' is missing");
    refused("finding", "{\"id\":\"X-1\"}", "'findings' lists all");
    refused("hotspots", "{\"cursor\":\"zwölf\"}", "is no cursor");
    refused("hotspots", "{\"cursor\":\"999999\"}", "behind the end");
    refused("hotspots", "{\"start_ns\":5,\"end_ns\":4}", "nothing lies between");
    refused("hotspots", "{\"window\":\"10%..20%\",\"phase\":1}", "give one of");
    refused("hotspots", "{\"phase\":99}", "no phase 99");
    refused("findings", "{\"priority\":\"URGENT\"}", "must be one of HIGH");
    refused("whatif", "{\"remove\":[\"everything\"]}", "argument 'remove'");
    refused("whatif", "{\"kernels\":\"gemm=0.5x\"}", "must be a list of texts");
    refused("whatif", "{\"host\":\"-1x\"}", "argument 'host' wants a factor");
    refused("event", "{\"id\":\"five\"}", "must be a number");
    refused("event", "{\"id\":\"999999999\"}", "no event has the id");
    refused("explain", "{\"term\":\"pct_of_wal\"}", "did you mean");
    refused("plan", "{\"gpu\":\"Voodoo2\"}", "unknown GPU");
    refused("table", "{\"table\":\"nope\"}", "no table 'nope'");
}

static void names_of_tools_are_forgiving(void **state)
{
    (void)state;
    assert_ptr_equal(tool_find("what-if"), &tool_whatif);
    assert_ptr_equal(tool_find("what_if"), &tool_whatif);
    assert_ptr_equal(tool_find("Critical-Path"), &tool_critical_path);
    assert_null(tool_find("hot"));
    assert_null(tool_find(""));
}

static void paths_stay_in_the_folders(void **state)
{
    (void)state;
    refused("info", arena_printf(&arena, "{\"trace\":\"%s/secret.db\"}", other), "outside");
    refused("info", "{\"trace\":\"way-out/secret.db\"}", "outside");
    refused("info", "{\"trace\":\"sub/link.db\"}", "outside");
    refused("info", "{\"trace\":\"../../etc/passwd\"}", "outside");
    refused("info", "{\"trace\":\"/etc/passwd\"}", "outside");
    refused("info", "{\"trace\":\"/etc/no-such-file\"}", "outside");
    refused("info", arena_printf(&arena, "{\"trace\":\"%s-more/x.db\"}", folder), "outside");
    refused("info", "{\"trace\":\"missing.db\"}", "No such file");
    refused("info", "{\"trace\":\"demo.db\\u0000x\"}", "zero bytes");
    refused("source", "{\"source_dir\":\"/usr/include\"}", "outside");
    struct tool_answer a = good("traces", "{}");
    assert_true(str_has(a.json, "demo.db") && !str_has(a.json, "secret.db"));
    assert_false(str_has(a.json, "link.db"));
}

static void a_box_without_folders_opens_nothing(void **state)
{
    (void)state;
    struct tool_box *closed = tool_box_new(&(struct tool_box_opts){.threads = 1}, &arena);
    struct gs_error err = {0};
    const char *args = arena_printf(&arena, "{\"trace\":\"%s/demo.db\"}", folder);
    struct tool_answer a = tool_call(closed, "info", args, strlen(args), &arena);
    assert_true(a.is_error && str_has(a.json, "no others can be opened"));
    a = tool_call(closed, "info", "{}", 2, &arena);
    assert_true(a.is_error && str_has(a.json, "no trace is loaded"));
    struct run *r = run_of(box, "demo.db", &err);
    assert_non_null(r);
    assert_string_equal(tool_box_add(closed, r), "t1");
    a = tool_call(closed, "hotspots", "", 0, &arena);
    assert_false(a.is_error);
}

static void pages_join_to_the_whole(void **state)
{
    (void)state;
    struct tool_answer all = good("markers", "{\"trace\":\"demo.db\",\"limit\":1000}");
    long long total = number(all.json, "total"), seen = 0;
    const char *cursor = "";
    assert_true(total > 50);
    for (int i = 0; i < 1000 && cursor; i++) {
        struct tool_answer page = good("markers", arena_printf(&arena, "{\"limit\":7%s%s%s}",
                                                               *cursor ? ",\"cursor\":\"" : "",
                                                               cursor, *cursor ? "\"" : ""));
        for (const char *p = page.json; (p = strstr(p, "\"depth\":")) != NULL; p++)
            seen++;
        const char *next = strstr(page.json, "\"next_cursor\":");
        assert_non_null(next);
        next += strlen("\"next_cursor\":");
        next += *next == ' ';
        cursor = *next == '"' ? arena_strndup(&arena, next + 1, strcspn(next + 1, "\"")) : NULL;
    }
    assert_int_equal(seen, total);
}

static void answers_are_cut_at_a_row(void **state)
{
    (void)state;
    struct gs_error err;
    struct tool_box_opts o = {.threads = 1, .answer_bytes = 4000};
    struct tool_box *small = tool_box_new(&o, &arena);
    tool_box_add(small, run_of(box, "demo.db", &err));
    for (const struct tool *const *t = tools; *t; t++) {
        const char *args = args_for(*t);
        struct tool_answer a = tool_call(small, (*t)->name, args, strlen(args), &arena);
        assert_true(a.is_error || a.len <= 4000);
    }
    struct tool_answer a = tool_call(small, "markers", "{\"limit\":900}", 13, &arena);
    assert_false(a.is_error);
    assert_true(a.len > 2000 && str_has(a.json, "\"next_cursor\": \""));
}

static void a_part_has_less_than_the_whole(void **state)
{
    (void)state;
    struct tool_answer all = good("ledger", "{\"trace\":\"demo.db\"}");
    long long start = number(all.json, "start_ns"), stop = number(all.json, "end_ns");
    long long middle = start + (stop - start) / 3, sum = 0;
    for (int half = 0; half < 2; half++) {
        struct tool_answer a =
            good("ledger", arena_printf(&arena, "{\"start_ns\":%lld,\"end_ns\":%lld}",
                                        half ? middle : start, half ? stop : middle));
        long long causes = 0;
        assert_int_equal(number(a.json, "window_ns"), half ? stop - middle : middle - start);
        const char *gpus = strstr(a.json, "\"gpus\":");
        for (const char *p = a.json; (p = strstr(p, "\"ns\":")) != NULL && p < gpus; p++)
            causes += atoll(p + 5);
        assert_int_equal(causes, number(a.json, "window_ns"));
        sum += causes;
    }
    assert_int_equal(sum, stop - start);
    struct tool_answer whole = good("hotspots", "{}");
    struct tool_answer same =
        good("hotspots",
             arena_printf(&arena, "{\"start_ns\":%lld,\"end_ns\":%lld}", start - 5, stop + 5));
    assert_string_equal(whole.json, same.json);
    good("window", "{\"window\":\"10%..20%\"}");
    good("window", "{\"phase\":1}");
}

static void a_trace_is_loaded_once_until_it_changes(void **state)
{
    (void)state;
    struct gs_error err;
    struct run *first = run_of(box, "demo.db", &err);
    assert_ptr_equal(run_of(box, path_in(folder, "./sub/../demo.db"), &err), first);
    assert_string_equal(make(folder, "again.db", "healthy"), "");
    struct tool_answer a = good("analyze", "{\"trace\":\"again.db\"}");
    const char *id = strstr(a.json, "\"trace\": \"") + 10;
    id = arena_strndup(&arena, id, strcspn(id, "\""));
    struct utimbuf then = {1000000, 1000000};
    assert_int_equal(utime(path_in(folder, "again.db"), &then), 0);
    struct tool_answer b = good("analyze", "{\"trace\":\"again.db\"}");
    assert_false(str_has(b.json, arena_printf(&arena, "\"trace\": \"%s\"", id)));
    refused("info", arena_printf(&arena, "{\"trace\":\"%s\"}", id), "No such file");
}

static void few_runs_are_kept(void **state)
{
    (void)state;
    struct gs_error err;
    struct tool_box_opts o = {.threads = 1, .most_runs = 2};
    struct tool_loaded_list list = {0};
    vec_push(&o.roots, &arena, folder);
    struct tool_box *two = tool_box_new(&o, &arena);
    assert_non_null(run_of(two, "demo.db", &err));
    assert_non_null(run_of(two, "healthy.db", &err));
    assert_non_null(run_of(two, "demo.db", &err));
    assert_non_null(run_of(two, "again.db", &err));
    tool_box_list(two, &list, &arena);
    assert_int_equal(list.n, 2);
    assert_string_equal(list.v[0].id, "t1");
    assert_string_equal(list.v[1].id, "t3");
}

static void no_memory_is_an_answer(void **state)
{
    (void)state;
    size_t held = 0;
    for (int64_t n = 0;; n = n * 5 / 4 + 1) {
        struct arena own;
        arena_init(&own);
        struct tool_box_opts o = {.threads = 1};
        vec_push(&o.roots, &own, folder);
        struct tool_box *b = tool_box_new(&o, &own);
        struct arena *answers = arena_child(&own);
        str_eq("", arena_printf(answers, "%4000s", "")); /* room for the answer itself */
        mem_fail_after(n + 4);
        struct tool_answer a = tool_call(b, "analyze", "{\"trace\":\"demo.db\"}", 19, answers);
        mem_fail_never();
        bool done = !a.is_error;
        if (!done) { /* the box is as good as new */
            a = tool_call(b, "info", "{\"trace\":\"demo.db\"}", 19, answers);
            assert_false(a.is_error);
        }
        arena_release(&own);
        if (done)
            break;
        assert_true(n < 10000000);
    }
    (void)held;
}

struct cancelled {
    struct task work;
    struct tool_box *box;
    struct arena answers;
    bool answered;
};

static void call_until_stopped(void *ctx)
{
    struct cancelled *c = ctx;
    tool_call(c->box, "analyze", "{\"trace\":\"demo.db\"}", 19, &c->answers);
    c->answered = !atomic_load(&c->work.cancelled);
}

static void a_cancelled_call_leaves_the_box_whole(void **state)
{
    (void)state;
    struct tool_box_opts o = {.threads = 2};
    struct gs_error err = {0};
    struct cancelled c = {.work.cancelled = true};
    vec_push(&o.roots, &arena, folder);
    c.box = tool_box_new(&o, &arena);
    arena_init(&c.answers);
    struct task *outer = task_enter(&c.work);
    assert_false(mem_guard(call_until_stopped, &c, &err));
    assert_string_equal(err.text, "cancelled");
    assert_false(c.answered);
    atomic_store(&c.work.cancelled, false);
    assert_true(mem_guard(call_until_stopped, &c, &err));
    task_leave(outer);
    assert_true(c.answered);
    arena_release(&c.answers);
}

/* The last one: a process cannot be let out again. */
static void what_is_open_decides_about_confinement(void **state)
{
    (void)state;
    struct gs_error err = {0};
    const char *roots[] = {folder};
    confine_to(roots, 1, &arena);
    int fd = fs_open(path_in(folder, "demo.db"), &err);
    assert_true(fd >= 0);
    close(fd);
    static const char *const ways[] = {"way-out/secret.db", "sub/link.db"};
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        assert_int_equal(fs_open(path_in(folder, ways[i]), &err), -1);
        assert_true(str_has(err.text, "outside of the folders"));
    }
    assert_int_equal(fs_open(path_in(other, "secret.db"), &err), -1);
    assert_int_equal(fs_open("/etc/passwd", &err), -1);
}

/* test_tool TRACE [TOOL [ARGS]]: what tools answer, and what that costs. */
static int by_hand(int argc, char **argv)
{
    struct gs_error err;
    struct tool_box_opts o = {.threads = parallel_cores()};
    arena_init(&arena);
    vec_push(&o.roots, &arena, argv[1]);
    box = tool_box_new(&o, &arena);
    if (!run_of(box, argv[1], &err))
        return fprintf(stderr, "%s\n", err.text);
    for (const struct tool *const *t = tools; *t; t++) {
        if (argc > 2 && !str_eq((*t)->name, argv[2]))
            continue;
        const char *args = argc > 3 ? argv[3] : args_for(*t);
        clock_t used = clock();
        struct arena *answers = arena_child(&arena);
        struct tool_answer r = tool_call(box, (*t)->name, args, strlen(args), answers);
        used = clock() - used;
        printf("%-20s %8.2f ms of CPU %7zu bytes%s\n", (*t)->name,
               (double)used * 1e3 / CLOCKS_PER_SEC, r.len, r.is_error ? " error" : "");
        if (argc > 2 || r.is_error)
            puts(r.json);
        arena_release(answers);
    }
    arena_release(&arena);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        unit_test(every_tool_answers),
        unit_test(every_tool_refuses_nonsense),
        unit_test(names_of_tools_are_forgiving),
        unit_test(paths_stay_in_the_folders),
        unit_test(a_box_without_folders_opens_nothing),
        unit_test(pages_join_to_the_whole),
        unit_test(answers_are_cut_at_a_row),
        unit_test(a_part_has_less_than_the_whole),
        unit_test(a_trace_is_loaded_once_until_it_changes),
        unit_test(few_runs_are_kept),
        unit_test(no_memory_is_an_answer),
        unit_test(a_cancelled_call_leaves_the_box_whole),
        unit_test(what_is_open_decides_about_confinement),
    };
    if (argc > 1)
        return by_hand(argc, argv);
    return cmocka_run_group_tests(tests, begin, end);
}
