#include "synth/rocprofv3_json.h"

#include <string.h>

#include "synth/rocprofv3_json_in.h"

static const unsigned passes[PASSES] = {
    [PASS_INFO] = WANT_INFO | WANT_HIP | WANT_HSA | WANT_MARKER | WANT_HOST | WANT_RCCL,
    [PASS_TEXTS] = WANT_MARKER | WANT_HOST,
    [PASS_COUNTERS] = WANT_KERNELS | WANT_COUNTERS,
    [PASS_KERNELS] = WANT_KERNELS,
    [PASS_HIP] = WANT_HIP,
    [PASS_HSA] = WANT_HSA,
    [PASS_MARKERS] = WANT_MARKER | WANT_HOST,
    [PASS_RCCL] = WANT_RCCL,
    [PASS_COPIES] = WANT_COPIES,
    [PASS_ALLOCS] = WANT_ALLOCS,
    [PASS_SCRATCH] = WANT_ALLOCS,
};

/* What ends the array of a pass and begins that of the next. */
static const char *const seams[PASSES] = {
    [PASS_COUNTERS] = "]},\"buffer_records\":{\"kernel_dispatch\":[",
    [PASS_KERNELS] = "],\"hip_api\":[",
    [PASS_HIP] = "],\"hsa_api\":[",
    [PASS_HSA] = "],\"marker_api\":[",
    [PASS_MARKERS] = "],\"rccl_api\":[",
    [PASS_RCCL] = "],\"memory_copy\":[",
    [PASS_COPIES] = "],\"memory_allocation\":[",
    [PASS_ALLOCS] = "],\"scratch_memory\":[",
    [PASS_SCRATCH] = "],\"rocdecode_api\":[],\"rocjpeg_api\":[],\"pc_sample_host_trap\":[],"
                     "\"pc_sample_stochastic\":[]}}",
};

enum json_kind rv3jsonw_kind(const struct rv3json *w, const struct rec_region *r)
{
    switch (r->category) {
    case CAT_HIP:
        return JK_HIP;
    case CAT_COMPILER:
        return JK_COMPILER;
    case CAT_HSA:
        return strncmp(names_text(w->names, r->name), "hsa_amd_", 8) ? JK_HSA_CORE : JK_HSA_AMD;
    case CAT_RCCL:
        return JK_RCCL;
    default:
        return JK_MARKER; /* rocprofv3 knows no MPI and no host functions but as markers */
    }
}

uint32_t rv3jsonw_operation(struct rv3json *w, enum json_kind kind, uint32_t name)
{
    uint64_t key = (uint64_t)kind << 32 | name;
    uint32_t place = idmap_get(&w->operation_of, key);
    if (place != NO_INDEX)
        return place;
    place = (uint32_t)w->operations[kind].n;
    vec_push(&w->operations[kind], w->arena, name);
    idmap_put(&w->operation_of, key, place);
    return place;
}

static unsigned begin(struct sink *s, int pass, struct names *names)
{
    struct rv3json *w = (struct rv3json *)s;
    w->pass = pass;
    w->names = names;
    return passes[pass];
}

SINK_ADD_PROCESS(struct rv3json, struct jprocess)

static void end_process(struct sink *s, const struct rec_process *r)
{
    struct rv3json *w = (struct rv3json *)s;
    w->processes.v[r->index].rec = *r;
}

static void add_agent(struct sink *s, const struct rec_agent *r)
{
    struct rv3json *w = (struct rv3json *)s;
    vec_push(&w->processes.v[r->process].agents, w->arena, rec_keep_agent(r, w->arena));
}

static void add_thread(struct sink *s, const struct rec_thread *r)
{
    struct rv3json *w = (struct rv3json *)s;
    vec_push(&w->processes.v[r->process].tids, w->arena, r->tid);
}

SINK_KEEP(struct rv3json, add_symbol, rec_symbol, symbols)
SINK_KEEP(struct rv3json, add_counter_info, rec_counter_info, counters)

static void finish(struct sink *s, int pass)
{
    struct rv3json *w = (struct rv3json *)s;
    if (pass == PASS_INFO)
        rv3jsonw_open(w);
    for (size_t i = 0; i < w->processes.n && !w->sink.failed; i++) {
        struct jprocess *p = &w->processes.v[i];
        if (pass == PASS_INFO)
            rv3jsonw_head(w, p);
        if (pass == PASS_TEXTS)
            rv3jsonw_symbols(w, p);
        if (pass == PASS_COUNTERS)
            rv3jsonw_end_counted(w, p);
        str_clear(&w->text);
        str_puts(&w->text, seams[pass] ? seams[pass] : "");
        rv3jsonw_put(w, p);
        p->any = false;
    }
}

struct sink *rv3jsonw_new(const struct rv3json_options *o, struct arena *a)
{
    struct rv3json *w = arena_new(a, struct rv3json);
    w->o = *o;
    w->arena = a;
    str_init(&w->text, a);
    idmap_init(&w->operation_of, a);
    w->sink = (struct sink){
        .passes = PASSES,
        .begin = begin,
        .process = add_process,
        .process_end = end_process,
        .agent = add_agent,
        .thread = add_thread,
        .symbol = add_symbol,
        .counter_info = add_counter_info,
        .region = rv3jsonw_region,
        .kernel = rv3jsonw_kernel,
        .counter = rv3jsonw_counter,
        .copy = rv3jsonw_copy,
        .alloc = rv3jsonw_alloc,
        .finish = finish,
    };
    return &w->sink;
}
