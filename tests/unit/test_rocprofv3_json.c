/* The rocprofv3 JSON reader: what a file says is in the trace, whatever the order of its keys. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "load_paths.h"

/* ---- loading texts ---- */

/* The text with " for '. */
static char *quoted(const char *text, size_t n)
{
    char *copy = mem_alloc(n + 1);
    for (size_t i = 0; i < n; i++)
        copy[i] = text[i] == '\'' ? '"' : text[i];
    return copy;
}

static bool load(struct trace *t, const char *text, size_t n, struct gs_error *err)
{
    static char path[] = "/tmp/gpusight-json-XXXXXX";
    char name[sizeof(path)];
    memcpy(name, path, sizeof(path));
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    char *copy = quoted(text, n);
    assert_int_equal(write(fd, copy, n), (ssize_t)n);
    mem_free(copy);
    close(fd);
    const char *paths[] = {name};
    struct opt_list list = {.v = paths, .n = 1};
    trace_init(t);
    *err = (struct gs_error){0};
    bool ok = load_paths(t, &list, &(struct ingest_opts){.threads = 1}, err);
    unlink(name);
    return ok;
}

static void load_good(struct trace *t, const char *text)
{
    struct gs_error err;
    bool ok = load(t, text, strlen(text), &err);
    assert_string_equal(err.text, "");
    assert_true(ok);
}

static void load_bad(const char *text, size_t n, const char *says)
{
    struct trace t;
    struct gs_error err;
    assert_false(load(&t, text, n, &err));
    assert_int_equal(err.code, GS_E_FORMAT);
    if (!strstr(err.text, says))
        print_error("'%s' does not say '%s'\n", err.text, says);
    assert_non_null(strstr(err.text, says));
    trace_release(&t);
}

/* ---- a process in parts; ' stands for " ---- */

#define METADATA                                                                                   \
    "'metadata':{'node':{'id':1,'hostname':'node7'},'pid':42,'init_time':10,"                      \
    "'fini_time':9000,'command':['./app','-n','3'],'later':{'x':[1,2]}}"
#define AGENTS                                                                                     \
    "'agents':[{'id':{'handle':18446744073709551615},'type':0},"                                   \
    "{'id':{'handle':500},'type':1,'node_id':0,'name':'EPYC'},"                                    \
    "{'id':{'handle':17332996360099338395},'type':2,'node_id':2,"                                  \
    "'logical_node_type_id':0,'name':'gfx942','product_name':'MI300X','cu_count':304,"             \
    "'hive_id':17332996360099338395,'mem_banks':[{'width':8192,'mem_clk_max':1300,"                \
    "'size_in_bytes':206141652992}],'caches':[{'size':32}],"                                       \
    "'io_links':[{'type':2,'max_bandwidth':64000}]}]"
#define COUNTERS                                                                                   \
    "'counters':[{'agent_id':{'handle':17332996360099338395},'id':{'handle':77},"                  \
    "'is_constant':0,'is_derived':0,'name':'SQ_WAVES','block':'SQ'}]"
#define STRINGS                                                                                    \
    "'strings':{'callback_records':[{'kind':'NONE','operations':[]}],"                             \
    "'buffer_records':[{'kind':'NONE','operations':[]},"                                           \
    "{'kind':'HIP_RUNTIME_API_EXT','operations':['hipA','hipLaunchKernel',"                        \
    "'hipMemcpy']},"                                                                               \
    "{'kind':'MARKER_CORE_RANGE_API','operations':['roctxMarkA','roctxThreadRangeA',"              \
    "'roctxProcessRangeA']},"                                                                      \
    "{'kind':'KERNEL_DISPATCH','operations':['NONE','ENQUEUE','COMPLETE']},"                       \
    "{'kind':'MEMORY_COPY','operations':['MEMORY_COPY_NONE',"                                      \
    "'MEMORY_COPY_HOST_TO_DEVICE']},"                                                              \
    "{'kind':'MEMORY_ALLOCATION','operations':['MEMORY_ALLOCATION_NONE',"                          \
    "'MEMORY_ALLOCATION_ALLOCATE','MEMORY_ALLOCATION_VMEM_FREE']},"                                \
    "{'kind':'SCRATCH_MEMORY','operations':['NONE','SCRATCH_MEMORY_ASYNC_RECLAIM']},"              \
    "{'kind':'RCCL_API','operations':['ncclAllGather']},"                                          \
    "{'kind':'KFD_QUEUE','operations':['ROCPROFILER_KFD_QUEUE_EVICT_SVM']}],"                      \
    "'marker_api':[{'key':21,'value':'step \\u00b5 1'},{'key':20,'value':'mark'}],"                \
    "'correlation_id':{'external':[{'key':5,'value':'my layer'}]},"                                \
    "'pc_sample_instructions':['s_nop','v_add'],"                                                  \
    "'pc_sample_comments':['','a.cpp:7']}"
#define SYMBOLS                                                                                    \
    "'kernel_symbols':[{'kernel_id':0,'kernel_name':'','formatted_kernel_name':'0'},"              \
    "{'kernel_id':3,'kernel_name':'_Z3addPf.kd','group_segment_size':64,"                          \
    "'private_segment_size':0,'sgpr_count':32,'arch_vgpr_count':12,'accum_vgpr_count':4,"          \
    "'formatted_kernel_name':'add','demangled_kernel_name':'add(float*) [clone .kd]'}]"
#define CALLBACKS                                                                                  \
    "'callback_records':{'counter_collection':["                                                   \
    "{'thread_id':42,'dispatch_data':{'size':1,'correlation_id':{'internal':11,'external':0},"     \
    "'start_timestamp':200,'end_timestamp':300,"                                                   \
    "'dispatch_info':{'size':72,'agent_id':{'handle':17332996360099338395},"                       \
    "'queue_id':{'handle':9},'kernel_id':3,'dispatch_id':1,'private_segment_size':0,"              \
    "'group_segment_size':64,'workgroup_size':{'x':64,'y':2,'z':1},"                               \
    "'grid_size':{'x':1024,'y':2,'z':1}}},"                                                        \
    "'records':[{'counter_id':{'handle':77},'value':1.5},"                                         \
    "{'counter_id':{'handle':77},'value':2},{'counter_id':{'handle':78},'value':3}]},"             \
    "{'thread_id':42,'dispatch_data':{'correlation_id':{'internal':0,'external':0},"               \
    "'start_timestamp':800,'end_timestamp':900,"                                                   \
    "'dispatch_info':{'size':72,'agent_id':{'handle':17332996360099338395},"                       \
    "'queue_id':{'handle':9},'kernel_id':3,'dispatch_id':8,'private_segment_size':0,"              \
    "'group_segment_size':64,'workgroup_size':{'x':64,'y':2,'z':1},"                               \
    "'grid_size':{'x':1024,'y':2,'z':1}}},"                                                        \
    "'records':[{'counter_id':{'handle':77},'value':4}]}]}"
#define BUFFERS                                                                                    \
    "'buffer_records':{"                                                                           \
    "'kernel_dispatch':[{'size':184,'kind':3,'operation':2,'thread_id':42,"                        \
    "'correlation_id':{'internal':11,'external':5},'start_timestamp':200,'end_timestamp':300,"     \
    "'dispatch_info':{'size':72,'agent_id':{'handle':17332996360099338395},"                       \
    "'queue_id':{'handle':9},'kernel_id':3,'dispatch_id':1,'private_segment_size':0,"              \
    "'group_segment_size':64,'workgroup_size':{'x':64,'y':2,'z':1},"                               \
    "'grid_size':{'x':1024,'y':2,'z':1}},"                                                         \
    "'stream_id':{'handle':6}}],"                                                                  \
    "'hip_api':[{'kind':1,'operation':1,'correlation_id':{'internal':11,'external':0},"            \
    "'start_timestamp':100,'end_timestamp':150,'thread_id':42,"                                    \
    "'args':[{'type':'void*','name':'f','value':'\\u0000\xff]}'}],"                                \
    "'retval':{'uint64_t_retval':0},'stream_id':{'handle':6}},"                                    \
    "{'kind':1,'operation':2,'correlation_id':{'internal':12,'external':0},"                       \
    "'start_timestamp':310,'end_timestamp':400,'thread_id':43}],"                                  \
    "'marker_api':[{'kind':2,'operation':0,'correlation_id':{'internal':20,'external':0},"         \
    "'start_timestamp':90,'end_timestamp':90,'thread_id':42},"                                     \
    "{'kind':2,'operation':1,'correlation_id':{'internal':21,'external':0},"                       \
    "'start_timestamp':80,'end_timestamp':500,'thread_id':42},"                                    \
    "{'kind':2,'operation':2,'correlation_id':{'internal':22,'external':0},"                       \
    "'start_timestamp':81,'end_timestamp':501,'thread_id':42}],"                                   \
    "'rccl_api':[{'kind':7,'operation':0,'correlation_id':{'internal':30,'external':0},"           \
    "'start_timestamp':600,'end_timestamp':610,'thread_id':42}],"                                  \
    "'memory_copy':[{'kind':4,'operation':1,'thread_id':43,'correlation_id':{'internal':12,'"      \
    "external':0},"                                                                                \
    "'start_timestamp':320,'end_timestamp':390,'dst_agent_id':{'handle':17332996360099338395},"    \
    "'src_agent_id':{'handle':500},'bytes':4096,'stream_id':{'handle':6}}],"                       \
    "'memory_allocation':[{'kind':5,'operation':1,'thread_id':42,"                                 \
    "'correlation_id':{'internal':12,'external':0},'start_timestamp':50,'end_timestamp':60,"       \
    "'agent_id':{'handle':500},'address':'0x00007f0000001000','allocation_size':1024},"            \
    "{'kind':5,'operation':2,'thread_id':42,'correlation_id':{'internal':13,'external':0},"        \
    "'start_timestamp':700,'end_timestamp':710,'agent_id':{'handle':0},'address':'0x0','"          \
    "allocation_size':0}],"                                                                        \
    "'scratch_memory':[{'kind':6,'operation':1,'agent_id':{'handle':500},'queue_id':{'handle':9}," \
    "'thread_id':42,'start_timestamp':61,'end_timestamp':62,'correlation_id':{'internal':0},"      \
    "'flags':0,'allocation_size':2048}],"                                                          \
    "'kfd':[{'kind':8,'operation':0,'start_timestamp':65,'end_timestamp':66,'thread_id':42}],"     \
    "'hipfile_api':[{'kind':999,'operation':0,'correlation_id':{'internal':40,'external':0},"      \
    "'start_timestamp':70,'end_timestamp':71,'thread_id':42},{'note':'no time'}],"                 \
    "'pc_sample_host_trap':[{'record':{'hw_id':{'chiplet':1,'workgroup_id ':2},"                   \
    "'pc':{'code_object_id':4,'code_object_offset':6912},"                                         \
    "'exec_mask':18446744073709551615,'timestamp':210,'dispatch_id':1},'inst_index':1}],"          \
    "'pc_sample_stochastic':[{'record':{'pc':{'code_object_id':4,'code_object_offset':6916},"      \
    "'exec_mask':1,'timestamp':220,'dispatch_id':8,'wave_issued':0,"                               \
    "'inst_type':'ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_VALU','wave_cnt':3,"                    \
    "'snapshot':{'stall_reason':"                                                                  \
    "'ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_WAITCNT','dual':0}},"                  \
    "'inst_index':0}]}"

#define HEAD "{'rocprofiler-sdk-tool':[{"
#define TAIL "}]}"

static const char usual[] =
    HEAD METADATA "," AGENTS "," COUNTERS "," STRINGS "," SYMBOLS "," CALLBACKS "," BUFFERS TAIL;
static const char reversed[] = HEAD BUFFERS "," CALLBACKS ",'host_functions':[{'size':0}]," SYMBOLS
                                            "," STRINGS "," COUNTERS "," AGENTS "," METADATA TAIL;

/* ---- what is in the trace ---- */

static void usual_content_is_read(const struct trace *t)
{
    const struct process *p = &t->processes.v[0];
    assert_int_equal(t->processes.n, 1);
    assert_int_equal(p->pid, 42);
    assert_string_equal(trace_str(t, p->host), "node7");
    assert_string_equal(trace_str(t, p->command), "./app -n 3");
    assert_int_equal(p->start_ns, 10);
    assert_int_equal(t->gpus.n, 1);
    const struct gpu *g = &t->gpus.v[0];
    assert_string_equal(trace_str(t, g->name), "MI300X");
    assert_string_equal(trace_str(t, g->arch), "gfx942");
    assert_int_equal(g->cu_count, 304);
    assert_int_equal(g->node_id, 2);
    assert_int_equal(g->memory_width_bits, 8192);
    assert_int_equal(g->host_link_mbps, 64000);
    assert_true(g->used);
}

static void kernels_are_read(const struct trace *t)
{
    const struct kernels *k = &t->kernels;
    assert_int_equal(k->n, 2); /* the second was only counted */
    assert_int_equal(k->start_ns[0], 200);
    assert_int_equal(k->end_ns[0], 300);
    assert_int_equal(k->id[0], 1);
    const struct symbol *s = &t->symbols.v[k->symbol[0]];
    assert_string_equal(trace_str(t, s->name), "add(float*)");
    assert_string_equal(trace_str(t, s->mangled), "_Z3addPf.kd");
    assert_int_equal(s->vgprs, 12);
    assert_int_equal(s->accum_vgprs, 4);
    assert_int_equal(s->sgprs, 32);
    const struct launch *l = &t->launches.v[k->launch[0]];
    assert_int_equal(l->grid[0], 1024);
    assert_int_equal(l->group[1], 2);
    assert_int_equal(l->lds_bytes, 64);
    assert_string_equal(trace_str(t, l->rename), "my layer");
    assert_int_equal(t->launches.v[k->launch[1]].rename, 0);
    const struct stream *st = &t->streams.v[k->stream[0]];
    assert_int_equal(st->id, 6);
    assert_int_equal(st->gpu, 0);
    assert_int_equal(t->queues.v[k->queue[0]].id, 9);
    assert_int_equal(t->threads.v[k->thread[0]].tid, 42);
    assert_string_equal(trace_str(t, t->regions.name[k->call[0]]), "hipLaunchKernel");
    assert_int_equal(k->id[1], 8);
    assert_int_equal(k->start_ns[1], 800);
    assert_int_equal(k->call[1], NO_INDEX);
}

static void host_side_is_read(const struct trace *t)
{
    const struct regions *r = &t->regions;
    assert_int_equal(r->n, 5);
    assert_int_equal(r->kind[0], REGION_HIP);
    assert_int_equal(r->id[1], 12);
    assert_int_equal(t->threads.v[r->thread[1]].tid, 43);
    assert_string_equal(trace_str(t, r->name[2]), "ncclAllGather");
    assert_int_equal(r->kind[2], REGION_COLLECTIVE);
    assert_string_equal(trace_str(t, r->name[3]), "ROCPROFILER_KFD_QUEUE_EVICT_SVM");
    assert_int_equal(r->kind[3], REGION_DRIVER);
    assert_int_equal(r->start_ns[4], 70); /* of a library that came later */
    const struct markers *m = &t->markers;
    assert_int_equal(m->n, 3);
    assert_string_equal(trace_str(t, m->name[0]), "mark");
    assert_int_equal(m->kind[0], MARKER_INSTANT);
    assert_string_equal(trace_str(t, m->name[1]), "step \xc2\xb5 1");
    assert_int_equal(m->kind[1], MARKER_THREAD_RANGE);
    assert_string_equal(trace_str(t, m->name[2]), "roctxProcessRangeA");
    assert_int_equal(m->kind[2], MARKER_PROCESS_RANGE);
    assert_int_equal(m->end_ns[2], 501);
}

static void memory_is_read(const struct trace *t)
{
    const struct copies *c = &t->copies;
    assert_int_equal(c->n, 1);
    assert_int_equal(c->kind[0], COPY_H2D);
    assert_int_equal(c->bytes[0], 4096);
    assert_int_equal(t->agents.v[c->src[0]].type, AGENT_CPU);
    assert_int_equal(t->agents.v[c->dst[0]].gpu, 0);
    assert_int_equal(c->stream[0], t->kernels.stream[0]);
    assert_string_equal(trace_str(t, t->regions.name[c->call[0]]), "hipMemcpy");
    const struct allocations *a = &t->allocations;
    assert_int_equal(a->n, 3);
    assert_int_equal(a->op[0], ALLOC_ALLOC);
    assert_int_equal(a->level[0], LEVEL_REAL);
    assert_int_equal(a->bytes[0], 1024);
    assert_true(a->address[0] == 0x7f0000001000);
    assert_int_equal(a->op[1], ALLOC_FREE);
    assert_int_equal(a->level[1], LEVEL_VIRTUAL);
    assert_int_equal(a->agent[1], NO_INDEX);
    assert_int_equal(a->op[2], ALLOC_RECLAIM);
    assert_int_equal(a->level[2], LEVEL_SCRATCH);
}

static void counters_and_samples_are_read(const struct trace *t)
{
    const struct counters *c = &t->counters;
    assert_int_equal(t->counter_records, 4);
    assert_int_equal(c->n, 3); /* one counter is not listed */
    assert_string_equal(trace_str(t, t->counter_infos.v[c->counter[0]].name), "SQ_WAVES");
    assert_int_equal(t->counter_infos.v[0].gpu, 0);
    assert_true(c->value[0] == 1.5 && c->value[1] == 2 && c->value[2] == 4);
    assert_int_equal(c->instance[0], 0);
    assert_int_equal(c->instance[1], 1);
    assert_int_equal(c->kernel[0], 0);
    assert_int_equal(c->kernel[2], 1);
    const struct pc_samples *s = &t->pc_samples;
    assert_int_equal(s->n, 2);
    assert_int_equal(s->kernel[0], 0);
    assert_int_equal(s->kernel[1], 1);
    assert_true(s->exec_mask[0] == UINT64_MAX);
    assert_int_equal(s->offset[0], 6912);
    assert_string_equal(trace_str(t, s->instruction[0]), "v_add");
    assert_string_equal(trace_str(t, s->comment[0]), "a.cpp:7");
    assert_int_equal(s->issued[0], PC_ISSUED_UNKNOWN);
    assert_int_equal(s->issued[1], PC_ISSUED_NO);
    assert_string_equal(trace_str(t, s->type[1]), "VALU");
    assert_string_equal(trace_str(t, s->stall[1]), "WAITCNT");
    assert_int_equal(s->waves[1], 3);
}

static void check_all(const char *text)
{
    struct trace t;
    load_good(&t, text);
    usual_content_is_read(&t);
    kernels_are_read(&t);
    host_side_is_read(&t);
    memory_is_read(&t);
    counters_and_samples_are_read(&t);
    trace_release(&t);
}

static void every_kind_of_record_is_read(void **state)
{
    (void)state;
    check_all(usual);
}

static void the_order_of_keys_does_not_matter(void **state)
{
    (void)state;
    check_all(reversed);
}

static void every_process_is_read(void **state)
{
    (void)state;
    struct arena a;
    struct trace t;
    arena_init(&a);
    const char *one = arena_strndup(&a, usual + sizeof(HEAD) - 2, sizeof(usual) - sizeof(HEAD) - 1);
    load_good(&t, arena_printf(&a, "{'rocprofiler-sdk-tool':[%s,%s]}", one, one));
    assert_int_equal(t.processes.n, 2);
    assert_int_equal(t.kernels.n, 4);
    assert_int_equal(t.gpus.n, 1);   /* one device, two processes */
    assert_int_equal(t.agents.n, 4); /* the one without a handle cannot be meant */
    assert_int_equal(t.kernels.call[2], 5);
    assert_int_equal(t.threads.v[t.kernels.thread[2]].process, 1);
    assert_int_equal(t.streams.v[t.kernels.stream[2]].process, 1);
    assert_int_equal(t.counters.kernel[3], 2);
    assert_int_equal(t.pc_samples.kernel[3], 3);
    trace_release(&t);
    arena_release(&a);
}

static void a_process_needs_no_array_around_it(void **state)
{
    (void)state;
    struct trace t;
    load_good(&t, "{'rocprofiler-sdk-tool':{" METADATA "," BUFFERS "}}");
    assert_int_equal(t.kernels.n, 1);
    assert_string_equal(trace_str(&t, t.symbols.v[t.kernels.symbol[0]].name), "(unknown kernel)");
    assert_int_equal(t.regions.kind[0], REGION_HIP); /* the array says it where no string does */
    assert_int_equal(t.markers.n, 3);
    trace_release(&t);
}

/* ---- bad input ---- */

static void a_file_that_is_cut_is_an_error(void **state)
{
    (void)state;
    for (size_t n = 0; n + 1 < sizeof(usual); n += n < 200 ? 1 : 7) {
        struct trace t;
        struct gs_error err;
        assert_false(load(&t, usual, n, &err));
        assert_int_equal(err.code, GS_E_FORMAT);
        trace_release(&t);
    }
    load_bad(usual, sizeof(usual) - 2, "line 1, column");
}

static void broken_json_is_an_error_with_its_place(void **state)
{
    (void)state;
#define BAD(text, says) load_bad("" text, sizeof(text) - 1, says)
    BAD("{'rocprofiler-sdk-tool':[{'agents':[{'type':NaN}]}]}", "line 1, column 45");
    BAD("{'rocprofiler-sdk-tool':[\n{'strings':}]}", "line 2, column 12");
    BAD("{'rocprofiler-sdk-tool':[]} x", "expected nothing more");
#undef BAD
    enum { DEEP = 1000000 };
    char *text = mem_alloc(DEEP + 100);
    size_t n = (size_t)sprintf(text, "%s'later':", HEAD);
    memset(text + n, '[', DEEP);
    load_bad(text, n + DEEP, "nested too deeply");
    mem_free(text);
}

static void wrong_types_and_double_keys_are_taken(void **state)
{
    (void)state;
    struct trace t;
    load_good(&t, HEAD "'metadata':[1],'metadata':{'pid':'7','pid':8,'command':3},"
                       "'agents':{},'strings':[],'kernel_symbols':3,'counters':[[],{}],"
                       "'callback_records':{'counter_collection':[3,{'records':{}}]},"
                       "'buffer_records':{'kernel_dispatch':[1,'x',null,{'kind':'a',"
                       "'start_timestamp':'12','end_timestamp':1e1000,'dispatch_info':[]}],"
                       "'hip_api':{},'kernel_dispatch':[{}],'pc_sample_host_trap':[{}]}" TAIL);
    assert_int_equal(t.processes.v[0].pid, 8);
    assert_int_equal(t.kernels.n, 2);
    assert_int_equal(t.kernels.start_ns[0], 12);
    assert_int_equal(t.kernels.end_ns[0], 12);
    trace_release(&t);
}

static void other_json_is_not_claimed(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{'traceEvents':[],'rocprofiler-sdk-tool':[]}", "{'a':{'rocprofiler-sdk-tool':[]}}",
        "[{'rocprofiler-sdk-tool':[]}]", "'rocprofiler-sdk-tool'", "{}"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct probe p = {.head = quoted(texts[i], strlen(texts[i])), .n = strlen(texts[i])};
        assert_false(format_rocprofv3_json.detect(&p));
        mem_free((void *)(uintptr_t)p.head);
    }
    struct probe cut = {.head = quoted(usual, 30), .n = 30};
    assert_true(format_rocprofv3_json.detect(&cut));
    mem_free((void *)(uintptr_t)cut.head);
}

static void a_shortage_of_memory_is_an_error(void **state)
{
    (void)state;
    bool ok = false;
    for (int64_t n = 0; !ok; n++) {
        struct trace t;
        struct gs_error err = {0};
        struct ingest_opts o = {.threads = 1};
        static char path[] = "/tmp/gpusight-json-XXXXXX";
        char name[sizeof(path)];
        memcpy(name, path, sizeof(path));
        int fd = mkstemp(name);
        char *copy = quoted(usual, sizeof(usual) - 1);
        assert_int_equal(write(fd, copy, sizeof(usual) - 1), (ssize_t)sizeof(usual) - 1);
        mem_free(copy);
        close(fd);
        trace_init(&t);
        trace_str(&t, 0);
        mem_fail_after(n);
        ok = ingest_load_one(&t, &(struct ingest_file){name, &format_rocprofv3_json, NULL}, &o,
                             &err);
        mem_fail_never();
        assert_true(ok || err.code == GS_E_IO);
        trace_release(&t);
        unlink(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(every_kind_of_record_is_read),
        unit_test(the_order_of_keys_does_not_matter),
        unit_test(every_process_is_read),
        unit_test(a_process_needs_no_array_around_it),
        unit_test(a_file_that_is_cut_is_an_error),
        unit_test(broken_json_is_an_error_with_its_place),
        unit_test(wrong_types_and_double_keys_are_taken),
        unit_test(other_json_is_not_claimed),
        unit_test(a_shortage_of_memory_is_an_error),
    };
    return unit_run(tests);
}
