/* The rocprofv3 CSV reader: captures of many files, in the column sets of all writers. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/inputs.h"
#include "base/mem.h"
#include "base/str.h"
#include "load_paths.h"

static char folder[] = "/tmp/gpusight-csv-XXXXXX";

static const char *put(const char *name, const char *text, struct arena *a)
{
    struct gs_error err = {0};
    const char *path = arena_printf(a, "%s/%s", folder, name);
    inputs_forget(0); /* an earlier case has read what is written anew */
    assert_true(fs_write(path, text, strlen(text), &err));
    return path;
}

static int empty_folder(void **state)
{
    struct arena a;
    struct fs_list files = {0};
    struct gs_error err;
    (void)state;
    arena_init(&a);
    if (fs_list(&files, folder, &a, &err))
        for (size_t i = 0; i < files.n; i++)
            unlink(files.v[i]);
    arena_release(&a);
    return 0;
}

static bool load(struct trace *t, const char *path, struct gs_error *err)
{
    struct opt_list list = {.v = &path, .n = 1};
    trace_init(t);
    *err = (struct gs_error){0};
    return load_paths(t, &list, &(struct ingest_opts){.threads = 1}, err);
}

static void load_good(struct trace *t, const char *path)
{
    struct gs_error err;
    bool ok = load(t, path, &err);
    assert_string_equal(err.text, "");
    assert_true(ok);
}

#define KERNEL_HEADER                                                                              \
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_"     \
    "Id\","                                                                                        \
    "\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\"," \
    "\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\",\"Workgroup_Size_X\","    \
    "\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\""
#define API_HEADER                                                                                 \
    "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\"," \
    "\"End_Timestamp\""
#define COPY_HEADER                                                                                \
    "\"Kind\",\"Direction\",\"Stream_Id\",\"Source_Agent_Id\",\"Destination_Agent_Id\","           \
    "\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\""
#define COUNTER_HEADER                                                                             \
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Thread_Id\","   \
    "\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\",\"LDS_Block_Size\","           \
    "\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\",\"Counter_Name\","        \
    "\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\""

static void put_capture(const char *prefix, struct arena *a)
{
#define FILE_NAME(kind) arena_printf(a, "%s%s.csv", prefix, kind)
    put(FILE_NAME("kernel_trace"),
        KERNEL_HEADER "\n\"KERNEL_DISPATCH\",\"Agent 4\",1,6,77,1,10,\"void add<float>(float*, int)"
                      "\",5,200,300,512,16,8,4,32,64,2,1,1024,2,1\n",
        a);
    put(FILE_NAME("hip_api_trace"),
        API_HEADER "\n\"HIP_RUNTIME_API_EXT\",\"hipLaunchKernel\",77,77,5,100,150\n"
                   "\"HIP_COMPILER_API_EXT\",\"__hipRegisterFatBinary\",77,77,1,10,20\n",
        a);
    put(FILE_NAME("marker_api_trace"),
        API_HEADER "\n\"MARKER_CORE_API\",\"before, \"quoted\"\",77,77,8,90,90\n"
                   "\"MARKER_CORE_API\",\"range\",77,0,9,80,500\n"
                   "\"MARKER_CORE_API\",\"inner\",77,77,10,81,400\n",
        a);
    put(FILE_NAME("memory_copy_trace"),
        COPY_HEADER "\n\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",6,\"Agent 0\",\"Agent 4\",5,"
                    "160,170\n\"MEMORY_COPY\",\"MEMORY_COPY_DEVICE_TO_DEVICE\",6,\"Agent 4\","
                    "\"Agent 5\",0,171,180\n",
        a);
    put(FILE_NAME("memory_allocation_trace"),
        "\"Kind\",\"Operation\",\"Agent_Id\",\"Allocation_Size\",\"Address\",\"Correlation_Id\","
        "\"Start_Timestamp\",\"End_Timestamp\"\n\"MEMORY_ALLOCATION\","
        "\"MEMORY_ALLOCATION_ALLOCATE\",\"Agent 4\",1024,\"0x00007ffb26354000\",1,30,40\n"
        "\"MEMORY_ALLOCATION\",\"MEMORY_ALLOCATION_FREE\",\"\"\"\",0,\"0x00007ffb26354000\",7,600,"
        "610\n",
        a);
    put(FILE_NAME("scratch_memory_trace"),
        "\"Kind\",\"Operation\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Alloc_Flags\","
        "\"Start_Timestamp\",\"End_Timestamp\"\n"
        "\"SCRATCH_MEMORY\",\"SCRATCH_MEMORY_ALLOC\",\"Agent 4\",1,77,0,41,42\n",
        a);
    put(FILE_NAME("counter_collection"),
        COUNTER_HEADER
        "\n5,1,\"Agent 4\",1,77,77,2048,10,\"void add<float>(float*, int)\",128,512,16,"
        "8,4,32,\"SQ_WAVES\",16.500000,200,300\n6,2,\"Agent 4\",1,77,77,2048,10,"
        "\"void add<float>(float*, int)\",128,512,16,8,4,32,\"SQ_WAVES\",17,700,800\n",
        a);
    put(FILE_NAME("pc_sampling_stochastic"),
        "\"Sample_Timestamp\",\"Exec_Mask\",\"Dispatch_Id\",\"Instruction\",\"Instruction_"
        "Comment\","
        "\"Correlation_Id\",\"Wave_Issued_Instruction\",\"Instruction_Type\",\"Stall_Reason\","
        "\"Wave_Count\"\n210,18446744073709551615,2,\"s_load s8, s[4:5]\",\"a.cpp:7\",6,1,"
        "\"ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_VALU\","
        "\"ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_OTHER_WAIT\",6\n",
        a);
    put(FILE_NAME("kernel_stats"), "\"Name\",\"Calls\"\n\"x\",1\n", a);
#undef FILE_NAME
}

static void check_capture(const struct trace *t)
{
    assert_int_equal(t->processes.n, 1);
    assert_int_equal(t->processes.v[0].pid, 77);
    assert_int_equal(t->files.n, 1);
    const struct kernels *k = &t->kernels;
    assert_int_equal(k->n, 2); /* the second only counted */
    const struct symbol *s = &t->symbols.v[k->symbol[0]];
    assert_string_equal(trace_str(t, s->name), "void add<float>(float*, int)");
    assert_int_equal(s->accum_vgprs, 4);
    assert_int_equal(k->symbol[0], k->symbol[1]);
    assert_int_equal(t->launches.v[k->launch[0]].grid[0], 1024);
    assert_int_equal(t->launches.v[k->launch[0]].lds_bytes, 512);
    assert_int_equal(t->streams.v[k->stream[0]].id, 6);
    assert_string_equal(trace_str(t, t->regions.name[k->call[0]]), "hipLaunchKernel");
    assert_int_equal(t->regions.n, 2);
    assert_int_equal(t->regions.kind[1], REGION_HIP_COMPILER);
    assert_int_equal(t->copies.n, 2);
    assert_int_equal(t->copies.kind[0], COPY_H2D);
    assert_true(t->copies.bytes[0] == BYTES_UNKNOWN);
    assert_int_equal(t->copies.call[0], k->call[0]);
    assert_int_equal(t->copies.kind[1], COPY_P2P);
    assert_int_equal(t->agents.v[t->copies.src[0]].type, AGENT_CPU);
    assert_int_equal(t->allocations.n, 3);
    assert_int_equal(t->counters.n, 2);
    assert_true(t->counters.value[0] == 16.5);
    assert_int_equal(t->counters.kernel[0], 0);
    assert_int_equal(t->counters.kernel[1], 1);
    assert_int_equal(t->pc_samples.n, 1);
    assert_int_equal(t->pc_samples.kernel[0], 1);
    assert_string_equal(trace_str(t, t->pc_samples.stall[0]), "OTHER_WAIT");
    assert_true(t->pc_samples.exec_mask[0] == UINT64_MAX);
}

static void check_small_tables(const struct trace *t)
{
    const struct markers *m = &t->markers;
    assert_int_equal(m->n, 3);
    assert_string_equal(trace_str(t, m->name[0]), "before, \"quoted\"");
    assert_int_equal(m->kind[0], MARKER_INSTANT);
    assert_int_equal(m->kind[1], MARKER_PROCESS_RANGE);
    assert_int_equal(m->kind[2], MARKER_THREAD_RANGE);
    const struct allocations *a = &t->allocations;
    assert_int_equal(a->op[0], ALLOC_ALLOC);
    assert_true(a->address[0] == 0x7ffb26354000);
    assert_int_equal(t->agents.v[a->agent[0]].type, AGENT_GPU);
    assert_int_equal(a->op[1], ALLOC_FREE);
    assert_int_equal(a->agent[1], NO_INDEX);
    assert_int_equal(a->level[2], LEVEL_SCRATCH);
}

static void a_capture_is_loaded_once_by_any_of_its_names(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    put_capture("77_", &a);
    const char *ways[] = {folder, arena_printf(&a, "%s/77", folder),
                          arena_printf(&a, "%s/77_kernel_trace.csv", folder)};
    for (size_t i = 0; i < 3; i++) {
        struct trace t;
        load_good(&t, ways[i]);
        check_capture(&t);
        check_small_tables(&t);
        trace_release(&t);
    }
    struct trace t;
    struct gs_error err;
    assert_false(load(&t, arena_printf(&a, "%s/7", folder), &err));
    assert_int_equal(err.code, GS_E_IO);
    trace_release(&t);
    arena_release(&a);
}

static void names_without_a_prefix_are_one_capture(void **state)
{
    (void)state;
    struct arena a;
    struct trace t;
    arena_init(&a);
    put_capture("", &a);
    load_good(&t, folder);
    check_capture(&t);
    trace_release(&t);
    arena_release(&a);
}

static void other_prefixes_are_other_captures(void **state)
{
    (void)state;
    struct arena a;
    struct trace t;
    arena_init(&a);
    put_capture("rank0_77_", &a);
    put_capture("rank1_77_", &a);
    load_good(&t, folder);
    assert_int_equal(t.files.n, 2);
    assert_int_equal(t.processes.n, 2);
    assert_int_equal(t.processes.v[1].rank, 1);
    assert_int_equal(t.kernels.n, 4);
    assert_int_equal(t.kernels.call[2], 2);
    assert_int_equal(t.gpus.n, 2); /* agents 4 and 5, of both */
    trace_release(&t);
    arena_release(&a);
}

static void agent_info_describes_devices(void **state)
{
    (void)state;
    static const char *const words[] = {"Agent 4", "GPU 1", "4"};
    struct arena a;
    arena_init(&a);
    static const char *const gpus[] = {"3,1,\"GPU\",304,4,0,9,\"gfx942\",\"MI300X\",1\n",
                                       "4,2,\"GPU\",304,4,0,10,\"gfx942\",\"MI300X\",1\n"};
    for (size_t i = 0; i < 6; i++) { /* GPUs are counted by node, in whatever order they stand */
        struct trace t;
        put("x_agent_info.csv",
            arena_printf(&a,
                         "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Cu_Count\","
                         "\"Simd_Per_Cu\",\"Domain\",\"Location_Id\",\"Name\",\"Product_Name\","
                         "\"New_Column\"\n%s0,0,\"CPU\",96,0,0,0,\"EPYC\",\"EPYC\",1\n%s",
                         gpus[i / 3], gpus[1 - i / 3]),
            &a);
        put("x_kernel_trace.csv",
            arena_printf(&a,
                         KERNEL_HEADER "\n\"KERNEL_DISPATCH\",\"%s\",1,6,77,1,10,\"k\",5,200,300,"
                                       "0,0,8,4,32,64,2,1,1024,2,1\n",
                         words[i % 3]),
            &a);
        load_good(&t, arena_printf(&a, "%s/x", folder));
        assert_int_equal(t.gpus.n, 2);
        const struct gpu *g = &t.gpus.v[t.streams.v[t.kernels.stream[0]].gpu];
        assert_int_equal(g->node_id, 4);
        assert_int_equal(g->index, 1);
        assert_int_equal(g->cu_count, 304);
        assert_int_equal(g->location, 10);
        assert_string_equal(trace_str(&t, g->arch), "gfx942");
        assert_true(g->used && !t.gpus.v[g == t.gpus.v].used);
        trace_release(&t);
    }
    arena_release(&a);
}

/* Rows that repeat, as where a file and its packed copy are both there. */
static void agents_listed_twice_are_one(void **state)
{
    (void)state;
    struct arena a;
    struct trace t;
    arena_init(&a);
    put("t_agent_info.csv",
        "\"Node_Id\",\"Agent_Type\",\"Name\"\n4,\"GPU\",\"gfx942\"\n3,\"GPU\",\"gfx942\"\n"
        "4,\"GPU\",\"gfx942\"\n3,\"GPU\",\"gfx942\"\n0,\"CPU\",\"EPYC\"\n0,\"CPU\",\"EPYC\"\n",
        &a);
    put("t_kernel_trace.csv",
        KERNEL_HEADER "\n\"KERNEL_DISPATCH\",\"GPU 1\",1,6,77,1,10,\"k\",5,200,300,"
                      "0,0,8,4,32,64,2,1,1024,2,1\n",
        &a);
    load_good(&t, arena_printf(&a, "%s/t", folder));
    assert_int_equal(t.gpus.n, 2);
    const struct gpu *g = &t.gpus.v[t.streams.v[t.kernels.stream[0]].gpu];
    assert_int_equal(g->node_id, 4);
    assert_int_equal(g->index, 1);
    trace_release(&t);
    arena_release(&a);
}

static void processes_are_told_apart_by_guid(void **state)
{
    (void)state;
    struct arena a;
    struct trace t;
    arena_init(&a);
    put("o_hip_api_trace.csv",
        "\"Guid\"," API_HEADER "\n\"g-1\",\"HIP_RUNTIME_API\",\"hipA\",7,7,5,1,2\n"
        "\"g-2\",\"HIP_RUNTIME_API\",\"hipB\",8,8,5,1,2\n",
        &a);
    put("o_counter_collection.csv",
        "\"Pid\"," COUNTER_HEADER "\n\"g-2\",5,1,\"Agent 4\",1,8,8,2048,10,\"k\",128,0,0,8,4,32,"
        "\"SQ_WAVES\",3,200,300\n",
        &a);
    load_good(&t, folder);
    assert_int_equal(t.processes.n, 2);
    assert_int_equal(t.processes.v[0].pid, 7);
    assert_int_equal(t.processes.v[1].pid, 8);
    assert_int_equal(t.kernels.n, 1);
    assert_string_equal(trace_str(&t, t.regions.name[t.kernels.call[0]]), "hipB");
    trace_release(&t);
    arena_release(&a);
}

static void odd_tables_are_taken(void **state)
{
    (void)state;
    struct arena a;
    struct trace t;
    arena_init(&a);
    const char *path = put("odd.csv",
                           "\xef\xbb\xbf"
                           "End_Timestamp,Kernel_Name,Start_Timestamp,Dispatch_Id,New,"
                           "Correlation_Id,Kernel_Name,Kernel_Id\r\n"
                           "30,\"f<\"a\", 2>\",20,1,z,1,dup,3\r\n"
                           "x,k,,2,z,1,dup,4\r\n"
                           "50,k\r\n"
                           "60,k,55,18446744073709551615,z,,,",
                           &a);
    load_good(&t, path);
    assert_int_equal(t.kernels.n, 4);
    assert_string_equal(trace_str(&t, t.symbols.v[t.kernels.symbol[0]].name), "f<\"a\", 2>");
    assert_int_equal(t.kernels.end_ns[0], 30);
    assert_int_equal(t.kernels.start_ns[2], 50);
    assert_int_equal(t.notes.v[0].count, 1); /* kernels without times */
    trace_release(&t);
    path = put("header_kernel_trace.csv", KERNEL_HEADER, &a);
    load_good(&t, path);
    assert_int_equal(t.kernels.n, 0);
    trace_release(&t);
    arena_release(&a);
}

static void other_tables_are_not_claimed(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\"Name\",\"Calls\",\"TotalDurationNs\"\n",
        "Start (ns),Duration (ns)\n",
        "",
        "\n\n",
        "Dispatch_ID,GPU_ID,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID\n",
        "Function,Domain\n"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_false(
            format_rocprofv3_csv.detect(&(struct probe){.head = texts[i], .n = strlen(texts[i])}));
}

static void a_line_without_end_is_an_error(void **state)
{
    (void)state;
    struct arena a;
    struct trace t;
    struct gs_error err;
    arena_init(&a);
    size_t n = 17 * 1024 * 1024;
    char *text = arena_alloc(&a, n + 1);
    memset(text, 'x', n);
    memcpy(text, API_HEADER "\n", sizeof(API_HEADER));
    assert_false(load(&t, put("l_hip_api_trace.csv", text, &a), &err));
    assert_int_equal(err.code, GS_E_FORMAT);
    assert_non_null(strstr(err.text, "l_hip_api_trace.csv"));
    assert_non_null(strstr(err.text, "line 2"));
    trace_release(&t);
    arena_release(&a);
}

static void a_shortage_of_memory_is_an_error(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    put_capture("m_", &a);
    const char *capture = arena_printf(&a, "%s/m", folder);
    bool ok = false;
    for (int64_t n = 0; !ok; n++) {
        struct trace t;
        struct gs_error err = {0};
        trace_init(&t);
        mem_fail_after(n);
        ok = ingest_load_one(&t, &(struct ingest_file){capture, &format_rocprofv3_csv, NULL},
                             &(struct ingest_opts){.threads = 1}, &err);
        mem_fail_never();
        assert_true(ok || err.code == GS_E_IO);
        trace_release(&t);
    }
    arena_release(&a);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
#define TEST(f) cmocka_unit_test_setup_teardown(f, empty_folder, empty_folder)
    const struct CMUnitTest tests[] = {
        TEST(a_capture_is_loaded_once_by_any_of_its_names),
        TEST(names_without_a_prefix_are_one_capture),
        TEST(other_prefixes_are_other_captures),
        TEST(agent_info_describes_devices),
        TEST(agents_listed_twice_are_one),
        TEST(processes_are_told_apart_by_guid),
        TEST(odd_tables_are_taken),
        TEST(other_tables_are_not_claimed),
        TEST(a_line_without_end_is_an_error),
        TEST(a_shortage_of_memory_is_an_error),
    };
    int failed = unit_run(tests);
    rmdir(folder);
    return failed;
}
