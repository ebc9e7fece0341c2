/* Focus of this file: PyTorch profiler traces and other Chrome JSON, good, odd and bad. */
#define _GNU_SOURCE /* nftw */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sat.h"
#include "base/str.h"
#include "load_paths.h"
#include "scratch.h"

static struct trace trace;
static struct arena arena;
static struct gs_error error;

static bool load_written(void)
{
    const char *paths[] = {path};
    struct opt_list list = {paths, 1, 1};
    struct ingest_opts o = {.reader = READER_AUTO, .threads = 1};
    trace_init(&trace);
    arena_init(&arena);
    error = (struct gs_error){0};
    return load_paths(&trace, &list, &o, &error);
}

static bool load(const char *text)
{
    scratch_write(text, strlen(text));
    return load_written();
}

static void done(void)
{
    trace_release(&trace);
    arena_release(&arena);
}

/* A document around these events. */
static bool load_events(const char *events)
{
    struct arena a;
    arena_init(&a);
    bool ok = load(arena_printf(&a, "{\"schemaVersion\": 1, \"traceEvents\": [%s]}", events));
    arena_release(&a);
    return ok;
}

#define KERNEL(name, ts, dur, args)                                                                \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts        \
    ",\"dur\":" dur ",\"args\":{\"device\":0,\"stream\":7," args "}}"
#define CALL(name, ts, dur, correlation)                                                           \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name                                      \
    "\",\"pid\":42,\"tid\":43,\"ts\":" ts ",\"dur\":" dur                                          \
    ",\"args\":{\"correlation\":" correlation "}}"

static void events_may_come_in_any_order(void **state)
{
    (void)state;
    assert_true(load_events(KERNEL(
        "k", "10.5", "2.25",
        "\"correlation\":5,\"grid\":[4,2,1],\"block\":[64,1,1],"
        "\"registers per thread\":32,\"shared memory\":1024") "," CALL("cudaLaunchKernel", "1.001",
                                                                       "3",
                                                                       "5") "," KERNEL("k", "5",
                                                                                       "1",
                                                                                       "\"correlati"
                                                                                       "on\":6,"
                                                                                       "\"grid\":["
                                                                                       "4,2,1],"
                                                                                       "\"block\":["
                                                                                       "64,1,1],"
                                                                                       "\"registers"
                                                                                       " per "
                                                                                       "thread\":"
                                                                                       "32,"
                                                                                       "\"shared "
                                                                                       "memory\":"
                                                                                       "1024")));
    assert_int_equal(trace.kernels.n, 2);
    assert_int_equal(trace.kernels.start_ns[0], 10500);
    assert_int_equal(trace.kernels.end_ns[0], 12750);
    assert_int_equal(trace.kernels.id[0], 5);
    assert_int_equal(trace.kernels.call[0], 0);
    assert_int_equal(trace.kernels.call[1], NO_INDEX);
    assert_int_equal(trace.kernels.symbol[0], trace.kernels.symbol[1]);
    assert_int_equal(trace.symbols.v[0].vgprs, 32);
    assert_int_equal(trace.launches.n, 1);
    assert_int_equal(trace.launches.v[0].grid[0], 256);
    assert_int_equal(trace.launches.v[0].grid[1], 2);
    assert_int_equal(trace.launches.v[0].lds_bytes, 1024);
    assert_int_equal(trace.regions.n, 1);
    assert_int_equal(trace.regions.start_ns[0], 1001);
    assert_int_equal(trace.regions.kind[0], REGION_HIP);
    assert_int_equal(trace.processes.n, 1);
    assert_int_equal(trace.processes.v[0].pid, 42);
    assert_int_equal(trace.threads.v[trace.kernels.thread[0]].tid, 43);
    assert_int_equal(trace.streams.n, 1);
    assert_int_equal(trace.streams.v[0].id, 7);
    assert_int_equal(trace.gpus.n, 1);
    assert_int_equal(trace.gpus.v[0].vendor, VENDOR_NVIDIA);
    done();
}

static void the_ext_calls_count_work_items(void **state)
{
    (void)state;
    assert_true(load_events(CALL("hipExtModuleLaunchKernel", "1", "1", "1") "," CALL(
        "hipLaunchKernel", "2", "1",
        "2") "," KERNEL("a", "3", "1",
                        "\"correlation\":1,\"grid\":[512,1,1],\"block\":[256,1,"
                        "1]") "," KERNEL("b", "4", "1",
                                         "\"correlation\":2,\"grid\":[512,1,1],"
                                         "\"block\":[256,1,1]")));
    assert_int_equal(trace.launches.v[trace.kernels.launch[0]].grid[0], 512);
    assert_int_equal(trace.launches.v[trace.kernels.launch[1]].grid[0], 512 * 256);
    assert_int_equal(trace.gpus.v[0].vendor, VENDOR_AMD);
    done();
}

static void times_are_exact(void **state)
{
    (void)state;
    assert_true(load("{\"traceEvents\": [" KERNEL(
        "k", "2241346127369.958", "42738.946",
        "\"correlation\":1") "," KERNEL("l", "1e3", "0.0005",
                                        "\"correlation\":2") "], \"baseTimeNanoseconds\": "
                                                             "1751410836000000000}"));
    assert_int_equal(trace.kernels.start_ns[0], 1751410836000000000 + 2241346127369958);
    assert_int_equal(trace.kernels.end_ns[0] - trace.kernels.start_ns[0], 42738946);
    assert_int_equal(trace.kernels.start_ns[1], 1751410836000000000 + 1000000);
    assert_int_equal(trace.kernels.end_ns[1] - trace.kernels.start_ns[1], 1);
    done();
}

static void devices_are_described(void **state)
{
    (void)state;
    assert_true(load("{\"traceEvents\": [" KERNEL(
        "k", "1", "1", "\"correlation\":1") "],"
                                            "\"deviceProperties\": [{\"id\": 0, \"name\": \"AMD "
                                            "Instinct MI300X\", \"totalGlobalMem\": "
                                            "205571227648, \"computeMajor\": 9, \"computeMinor\": "
                                            "4, \"maxThreadsPerMultiprocessor\": "
                                            "2048, \"warpSize\": 64, \"numSms\": 304, "
                                            "\"maxSharedMemoryPerMultiProcessor\": 65536,"
                                            "\"gcnArchName\": \"gfx942:sramecc+:xnack-\"}, "
                                            "{\"id\": 1, \"name\": \"AMD Instinct "
                                            "MI300X\"}], \"distributedInfo\": {\"backend\": "
                                            "\"nccl\", \"rank\": 3, \"world_size\": 8}}"));
    assert_int_equal(trace.gpus.n, 2);
    const struct gpu *g = &trace.gpus.v[0];
    assert_string_equal(trace_str(&trace, g->arch), "gfx942");
    assert_int_equal(g->vendor, VENDOR_AMD);
    assert_int_equal(g->cu_count, 304);
    assert_int_equal(g->wave_size, 64);
    assert_int_equal(g->max_waves_per_simd, 8);
    assert_int_equal(g->lds_bytes_per_cu, 65536);
    assert_true(g->memory_bytes == 205571227648);
    assert_true(g->used && !trace.gpus.v[1].used);
    assert_int_equal(trace.processes.v[0].rank, 3);
    assert_string_equal(trace.processes.v[0].rank_source, "distributedInfo");
    done();
}

/* Device 2 of the events is the first device of the properties: two CPUs stand before it. */
static void devices_may_be_numbered_behind_cpus(void **state)
{
    (void)state;
    assert_true(load("{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":2,"
                     "\"tid\":0,\"ts\":1,\"dur\":1,\"args\":{\"device\":2,\"stream\":0}},"
                     "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":2,\"args\":"
                     "{\"Bytes\":-512,\"Addr\":77,\"Device Id\":0,\"Device Type\":6}}],"
                     "\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100 80GB HBM3\","
                     "\"computeMajor\": 9, \"computeMinor\": 0}]}"));
    assert_int_equal(trace.gpus.n, 1);
    assert_int_equal(trace.gpus.v[0].index, 0);
    assert_int_equal(trace.gpus.v[0].node_id, 2);
    assert_string_equal(trace_str(&trace, trace.gpus.v[0].arch), "sm_90");
    assert_int_equal(trace.allocations.n, 1);
    assert_int_equal(trace.allocations.op[0], ALLOC_FREE);
    assert_int_equal(trace.allocations.bytes[0], 512);
    assert_int_equal(trace.allocations.level[0], LEVEL_VIRTUAL);
    assert_int_equal(trace.agents.v[trace.allocations.agent[0]].gpu, 0);
    done();
}

static void copies_have_a_direction(void **state)
{
    (void)state;
    static const struct {
        const char *cat, *name;
        enum copy_kind kind;
        enum memory_kind src, dst;
    } cases[] = {
        {"gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", COPY_H2D, MEMORY_PAGEABLE,
         MEMORY_DEVICE},
        {"gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", COPY_D2H, MEMORY_DEVICE, MEMORY_PINNED},
        {"gpu_memcpy", "Memcpy DtoD (Device -> Device)", COPY_D2D, MEMORY_DEVICE, MEMORY_DEVICE},
        {"gpu_memcpy", "Memcpy PtoP (Device -> Device)", COPY_P2P, MEMORY_DEVICE, MEMORY_DEVICE},
        {"gpu_memcpy", "CopyDeviceToHost", COPY_D2H, MEMORY_DEVICE, MEMORY_UNKNOWN},
        {"gpu_memset", "Memset (Device)", COPY_SET, MEMORY_UNKNOWN, MEMORY_DEVICE},
        {"gpu_memcpy", "odd", COPY_UNKNOWN, MEMORY_UNKNOWN, MEMORY_UNKNOWN},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":1,"
                 "\"dur\":2,\"args\":{\"device\":0,\"stream\":7,\"bytes\":\"4096\"}}",
                 cases[i].cat, cases[i].name);
        assert_true(load_events(text));
        assert_int_equal(trace.copies.n, 1);
        assert_int_equal(trace.copies.kind[0], cases[i].kind);
        assert_int_equal(trace.copies.bytes[0], 4096);
        assert_int_equal(trace.copies.src_memory[0], cases[i].src);
        assert_int_equal(trace.copies.dst_memory[0], cases[i].dst);
        if (cases[i].kind == COPY_H2D) {
            assert_int_equal(trace.agents.v[trace.copies.src[0]].type, AGENT_CPU);
            assert_int_equal(trace.agents.v[trace.copies.dst[0]].type, AGENT_GPU);
        }
        done();
    }
}

#define HOST(cat, name, ts, dur)                                                                   \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":42,\"tid\":42,\"ts\":" ts     \
    ",\"dur\":" dur ",\"args\":{\"External id\": 9}}"

static void host_events_go_where_they_belong(void **state)
{
    (void)state;
    assert_true(load_events(
        HOST("cpu_op", "aten::mm", "1", "2") "," HOST("user_annotation", "step", "0", "9") "," HOST(
            "python_function", "f.py(1): g", "0",
            "8") "," HOST("cuda_driver", "cuLaunch", "1",
                          "1") "," HOST("overhead", "Buffer Flush", "1",
                                        "1") "," HOST("whatever", "x", "1",
                                                      "1") "," HOST("gpu_user_annotation", "step",
                                                                    "2", "5") "," HOST("Trace",
                                                                                       "PyTorch "
                                                                                       "Profiler",
                                                                                       "0", "9")));
    assert_int_equal(trace.markers.n, 3);
    assert_string_equal(trace_str(&trace, trace.markers.domain[0]), "cpu_op");
    assert_string_equal(trace_str(&trace, trace.markers.name[0]), "aten::mm");
    assert_int_equal(trace.markers.id[0], 9);
    assert_string_equal(trace_str(&trace, trace.markers.domain[1]), "user_annotation");
    assert_string_equal(trace_str(&trace, trace.markers.domain[2]), "gpu_user_annotation");
    assert_int_equal(trace.markers.thread[2], NO_INDEX);
    assert_int_equal(trace.regions.n, 4);
    static const enum region_kind kinds[] = {REGION_PYTHON, REGION_HSA, REGION_OTHER, REGION_USER};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(trace.regions.kind[i], kinds[i]);
    done();
}

static void collectives_are_known(void **state)
{
    (void)state;
    assert_true(load_events(
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"record_param_comms\",\"pid\":1,\"tid\":1,"
        "\"ts\":1,\"dur\":1,\"args\":{\"Collective name\":\"allreduce\"}}," KERNEL(
            "ncclDevKernel_AllReduce", "2", "3",
            "\"Collective name\":\"allreduce\",\"In msg nelems\":1024,\"Out msg nelems\":1024,"
            "\"dtype\":\"BFloat16\",\"Group size\":8") "," KERNEL("k", "9", "1", "\"stream\":7")));
    assert_int_equal(trace.regions.n, 1);
    assert_int_equal(trace.regions.kind[0], REGION_COLLECTIVE);
    assert_string_equal(trace_str(&trace, trace.regions.name[0]), "allreduce");
    assert_int_equal(trace.kernels.n, 2);
    assert_int_equal(trace.markers.n, 1);
    assert_string_equal(trace_str(&trace, trace.markers.name[0]),
                        "allreduce, 1024 BFloat16, group of 8");
    assert_string_equal(trace_str(&trace, trace.markers.domain[0]), "collective");
    assert_int_equal(trace.markers.start_ns[0], 2000);
    done();
}

#define HALF(ph, name, tid, ts)                                                                    \
    "{\"ph\":\"" ph "\",\"name\":\"" name "\",\"pid\":5,\"tid\":" tid ",\"ts\":" ts                \
    ",\"id\":\"0x1\"}"

static void halves_find_each_other(void **state)
{
    (void)state;
    assert_true(load_events(HALF("E", "", "1", "9") "," HALF("B", "outer", "1", "1") "," HALF(
        "B", "inner", "1",
        "2") "," HALF("E", "", "1",
                      "4") "," HALF("B", "other", "2",
                                    "3") "," HALF("E", "", "2",
                                                  "5") "," HALF("b", "async", "1",
                                                                "1") "," HALF("e", "async", "2",
                                                                              "7")));
    assert_int_equal(trace.regions.n, 4);
    static const struct {
        const char *name;
        int64_t start, end;
    } want[] = {
        {"outer", 1000, 9000}, {"inner", 2000, 4000}, {"other", 3000, 5000}, {"async", 1000, 7000}};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(trace_str(&trace, trace.regions.name[i]), want[i].name);
        assert_int_equal(trace.regions.start_ns[i], want[i].start);
        assert_int_equal(trace.regions.end_ns[i], want[i].end);
    }
    assert_int_equal(trace.notes.n, 0);
    done();
    assert_true(load_events(HALF("B", "open", "1", "1") "," HALF("E", "", "2", "2")));
    assert_int_equal(trace.regions.n, 1);
    assert_int_equal(trace.regions.end_ns[0], 1000);
    assert_int_equal(trace.notes.n, 2);
    done();
}

static void names_reach_their_owners(void **state)
{
    (void)state;
#define NAMED(what, pid, tid, name)                                                                \
    "{\"ph\":\"M\",\"name\":\"" what "\",\"pid\":" pid ",\"tid\":" tid                             \
    ",\"args\":{\"name\":\"" name "\"}}"
    assert_true(load_events(NAMED("process_name", "42", "0", "python3") "," NAMED(
        "thread_name", "42", "43",
        "main") "," NAMED("thread_name", "0", "7",
                          "stream 7 ") "," NAMED("thread_name", "0", "0",
                                                 "thread 0") "," CALL("cudaLaunchKernel", "1", "1",
                                                                      "1") "," KERNEL("k", "2", "1",
                                                                                      "\"correlatio"
                                                                                      "n\":1")));
    assert_string_equal(trace_str(&trace, trace.processes.v[0].command), "python3");
    assert_int_equal(trace.threads.n, 1);
    assert_string_equal(trace_str(&trace, trace.threads.v[0].name), "main");
    assert_string_equal(trace_str(&trace, trace.streams.v[0].name), "stream 7");
    done();
}

static void a_bare_list_is_a_trace(void **state)
{
    (void)state;
    assert_true(
        load(" [ {\"name\": \"f\", \"ph\": \"X\", \"ts\": \"12.5\", \"dur\": 3, \"pid\": \"app\","
             " \"tid\": \"main\"}, {\"ph\":\"i\",\"name\":\"tick\",\"ts\":1,\"pid\":1,\"tid\":1},"
             " {\"ph\":\"C\",\"name\":\"c\",\"ts\":1,\"args\":{\"v\":1}} ] "));
    assert_int_equal(trace.regions.n, 1);
    assert_int_equal(trace.regions.start_ns[0], 12500);
    assert_int_equal(trace.regions.kind[0], REGION_USER);
    assert_int_equal(trace.markers.n, 1);
    assert_int_equal(trace.markers.kind[0], MARKER_INSTANT);
    uint32_t process = trace.threads.v[trace.regions.thread[0]].process;
    assert_string_equal(trace_str(&trace, trace.processes.v[process].command), "app");
    assert_int_equal(trace.kernels.n, 0);
    done();
}

/* Types that are not what they should be cost the value, not the trace. */
static void wrong_types_are_survived(void **state)
{
    (void)state;
    assert_true(load_events(
        "1, null, \"x\", [], {}, {\"ph\": 5}, {\"ph\": \"XX\"}, "
        "{\"ph\":\"X\",\"ts\":null,\"name\":\"a\"},"
        "{\"ph\":\"X\",\"ts\":1e400,\"name\":\"a\"}, "
        "{\"ph\":\"X\",\"ts\":{},\"cat\":[1],\"name\":{}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":\"x\",\"pid\":{},\"tid\":[],\"name\":3,"
        "\"args\":[1]},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"ts\":2,\"dur\":1,\"args\":{\"device\":\"q\","
        "\"grid\":"
        "[1,2,3,4,5],\"block\":7,\"correlation\":1.5}}, "
        "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"ts\":3,"
        "\"args\":{\"bytes\":-1,\"kind\":4}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":9223372036854775,\"dur\":9223372036854775}"));
    assert_int_equal(trace.kernels.n, 3);
    assert_int_equal(trace.kernels.start_ns[1], 2000);
    assert_true(trace.kernels.end_ns[2] == MOMENT_MOST);
    assert_string_equal(trace_str(&trace, trace.symbols.v[0].name), "(unknown kernel)");
    assert_true(trace.copies.bytes[0] == BYTES_UNKNOWN);
    assert_true(trace.notes.n >= 2);
    done();
}

static void expect_error(const char *text, size_t n, enum gs_code code, const char *part)
{
    scratch_write(text, n);
    bool ok = load_written();
    if (!ok && part && !strstr(error.text, part))
        print_message("%s\n", error.text);
    assert_false(ok);
    assert_int_equal(error.code, code);
    if (part)
        assert_non_null(strstr(error.text, part));
    assert_null(strchr(error.text, '\n'));
    done();
}

static const char whole[] =
    "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100\"}],\n"
    " \"traceEvents\": [\n" CALL("cudaLaunchKernel", "1.5", "1", "1") ",\n" KERNEL(
        "k\\u00e9", "2.25", "1e0", "\"correlation\":1,\"grid\":[1,1,1]") "\n]}";

static void a_cut_file_is_an_error_with_a_place(void **state)
{
    (void)state;
    scratch_write(whole, strlen(whole));
    assert_true(load_written());
    done();
    for (size_t n = 25; n < strlen(whole); n++)
        expect_error(whole, n, GS_E_FORMAT, n > 90 ? "line " : NULL);
}

static void bad_json_is_an_error_with_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *event, *part;
    } cases[] = {
        {"{\"ph\":\"X\",\"ts\":NaN}", "line 1, column"},
        {"{\"ph\":\"X\",\"dur\":inf}", "line 1, column"},
        {"{\"ph\":\"X\",}", "expected a key"},
        {"{\"ph\":\"X\" \"ts\":1}", "expected ','"},
        {"{\"ph\":\"X\",\"ts\":01}", "bad number"},
        {"{\"ph\":\"X\",\n\n\"name\":\"a\nb\"}", "line 3"},
        {"{\"ph\":\"X\"}]}]", "expected nothing more"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[512];
        int n = snprintf(text, sizeof(text), "{\"traceEvents\":[%s]}", cases[i].event);
        expect_error(text, (size_t)n, GS_E_FORMAT, cases[i].part);
    }
    expect_error("{\"displayTimeUnit\":\"ms\"}", 24, GS_E_FORMAT, "traceEvents");
    expect_error("{\"traceEvents\":7}", 17, GS_E_FORMAT, "traceEvents");
}

static void depth_has_a_limit(void **state)
{
    (void)state;
    enum { DEEP = 1000000 };
    struct arena a;
    struct str s;
    arena_init(&a);
    str_init(&s, &a);
    str_puts(&s, "{\"traceEvents\":[{\"ph\":\"X\",\"args\":{\"a\":");
    str_fill(&s, '[', DEEP);
    size_t peak = mem_peak();
    expect_error(s.buf, s.len, GS_E_FORMAT, "line 1, column");
    assert_true(mem_peak() < peak + 16 * 1024 * 1024);
    arena_release(&a);
}

static void odd_bytes_in_names_are_kept(void **state)
{
    (void)state;
    assert_true(load_events(HOST("cpu_op", "bad \xff\xfe utf-8", "1",
                                 "1") "," HOST("cpu_op", "nul \\u0000 inside", "1", "1")));
    assert_string_equal(trace_str(&trace, trace.markers.name[0]), "bad \xff\xfe utf-8");
    assert_non_null(strstr(trace_str(&trace, trace.markers.name[1]), "inside"));
    done();
}

static void other_json_is_not_ours(void **state)
{
    (void)state;
    static const char *const others[] = {"{\"a\": 1}",
                                         "[1, 2]",
                                         "[]",
                                         "{}",
                                         "\"traceEvents\"",
                                         "7",
                                         "[{\"name\": 1}]",
                                         "{\"x\": {\"traceEvents\": []}}"};
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        expect_error(others[i], strlen(others[i]), GS_E_FORMAT, NULL);
    assert_true(load("{\"traceEvents\": []}"));
    assert_true(trace_events(&trace) == 0);
    done();
}

/* Every allocation may be the one that fails: an error then, and no leak (a sanitizer looks). */
static void shortage_of_memory_is_an_error(void **state)
{
    (void)state;
    scratch_write(whole, strlen(whole));
    bool ok = false;
    for (int64_t n = 0; n < 200 && !ok; n++) {
        struct ingest_opts o = {.reader = READER_AUTO, .threads = 1};
        trace_init(&trace);
        error = (struct gs_error){0};
        mem_fail_after(n);
        ok = ingest_load_one(&trace, &(struct ingest_file){path, &format_kineto, NULL}, &o, &error);
        mem_fail_never();
        if (!ok)
            assert_int_equal(error.code, GS_E_IO);
        trace_release(&trace);
    }
    assert_true(ok);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(events_may_come_in_any_order),
        unit_test(the_ext_calls_count_work_items),
        unit_test(times_are_exact),
        unit_test(devices_are_described),
        unit_test(devices_may_be_numbered_behind_cpus),
        unit_test(copies_have_a_direction),
        unit_test(host_events_go_where_they_belong),
        unit_test(collectives_are_known),
        unit_test(halves_find_each_other),
        unit_test(names_reach_their_owners),
        unit_test(a_bare_list_is_a_trace),
        unit_test(wrong_types_are_survived),
        unit_test(a_cut_file_is_an_error_with_a_place),
        unit_test(bad_json_is_an_error_with_a_place),
        unit_test(depth_has_a_limit),
        unit_test(odd_bytes_in_names_are_kept),
        unit_test(other_json_is_not_ours),
        unit_test(shortage_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
