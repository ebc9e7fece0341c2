/* buffer_records: what happened. */
#include "ingest/rocpd/rocpd.h"
#include "ingest/rocprofv3_json/json.h"

static uint32_t operation_of(const struct record *k)
{
    return k->kind < KINDS_MAX && k->operation < OPERATION_MASK
               ? (uint32_t)k->kind << OPERATION_BITS | (uint32_t)k->operation
               : NO_INDEX;
}

/* The text a profiler renamed the kernel to: a number to look up when all texts are there. */
static uint32_t rename_of(struct rv3j *r, uint64_t external)
{
    bool no_texts = r->strings_read && !r->rename_texts.n;
    if (!external || external == RV3_NO_ID || no_texts)
        return 0;
    uint32_t slot = idmap_get(&r->rename_slots, external);
    if (slot == NO_INDEX) {
        slot = (uint32_t)r->renames.n;
        vec_push(&r->renames, r->build.arena, external);
        idmap_put(&r->rename_slots, external, slot);
    }
    return RENAME_LATER | slot;
}

void rv3j_read_kernel(struct rv3j *r, const struct record *k, struct rv3_kernel *out)
{
    *out = (struct rv3_kernel){
        .process = r->process,
        .agent = rv3_agent(&r->build, r->process, k->agent),
        .symbol = rv3_symbol(&r->build, r->process, k->kernel),
        .operation = operation_of(k),
        .start_ns = k->start_ns,
        .end_ns = k->end_ns,
        .dispatch = k->dispatch,
        .correlation = k->internal,
        .thread = k->thread,
        .queue = k->queue,
        .stream = k->stream,
        .launch = k->launch,
    };
    out->launch.rename = rename_of(r, k->external);
}

static void add_kernel(struct rv3j *r, const struct record *k, int kind)
{
    struct rv3_kernel kernel;
    (void)kind;
    rv3j_read_kernel(r, k, &kernel);
    rv3_add_kernel(&r->build, &kernel);
}

static void add_copy(struct rv3j *r, const struct record *k, int kind)
{
    (void)kind;
    rv3_add_copy(&r->build, &(struct rv3_copy){
                                .process = r->process,
                                .src = rv3_agent(&r->build, r->process, k->src),
                                .dst = rv3_agent(&r->build, r->process, k->dst),
                                .operation = operation_of(k),
                                .start_ns = k->start_ns,
                                .end_ns = k->end_ns,
                                .correlation = k->internal,
                                .thread = k->thread,
                                .stream = k->stream,
                                .bytes = k->bytes,
                            });
}

static void add_alloc(struct rv3j *r, const struct record *k, int kind)
{
    (void)kind;
    rv3_add_alloc(&r->build, &(struct rv3_alloc){
                                 .process = r->process,
                                 .agent = rv3_agent(&r->build, r->process, k->agent),
                                 .operation = operation_of(k),
                                 .start_ns = k->start_ns,
                                 .end_ns = k->end_ns,
                                 .correlation = k->internal,
                                 .thread = k->thread,
                                 .bytes = k->bytes == BYTES_UNKNOWN ? 0 : k->bytes,
                                 .address = k->address,
                             });
}

static void add_scratch(struct rv3j *r, const struct record *k, int kind)
{
    add_alloc(r, k, kind);
    struct allocations *a = &r->trace->allocations;
    a->level[a->n - 1] = LEVEL_SCRATCH;
}

static void add_region(struct rv3j *r, const struct record *k, int kind)
{
    uint32_t thread = rv3_thread(&r->build, r->process, k->thread == RV3_NO_ID ? 0 : k->thread);
    size_t row = rv3_add_region(&r->build, k->start_ns, k->end_ns, k->internal, thread);
    r->trace->regions.name[row] = operation_of(k);
    r->trace->regions.kind[row] = (uint8_t)kind;
}

/*
 * The arrays. Those not listed hold calls of some library that came later, and are read as such;
 * the kind here counts only where the file does not name the kind of a record.
 */
static const struct array {
    const char *key;
    void (*add)(struct rv3j *r, const struct record *k, int kind);
    int kind;
} arrays[] = {
    {"kernel_dispatch", add_kernel, 0},
    {"memory_copy", add_copy, 0},
    {"memory_allocation", add_alloc, 0},
    {"scratch_memory", add_scratch, 0},
    {"hip_api", add_region, REGION_HIP},
    {"hsa_api", add_region, REGION_HSA},
    {"marker_api", add_region, KIND_MARKER},
    {"rccl_api", add_region, REGION_COLLECTIVE},
    {"rocdecode_api", add_region, REGION_MEDIA},
    {"rocdecoder_api", add_region, REGION_MEDIA},
    {"rocjpeg_api", add_region, REGION_MEDIA},
    {"ompt", add_region, REGION_OPENMP},
    {"kfd", add_region, REGION_DRIVER},
    {"kfd_events", add_region, REGION_DRIVER},
    {NULL, add_region, REGION_OTHER},
};

static void read_array(struct rv3j *r, const struct array *a)
{
    struct jread *j = r->j;
    uint64_t skipped = 0;
    if (!jr_array(j))
        return;
    rv3j_alike_begin(r);
    while (jr_item(j)) {
        struct record k = record_blank;
        const char *from = j->at, *end = j->end;
        if (!rv3j_read_alike(&r->alike, j, &k)) {
            if (!jr_object(j))
                continue;
            while (jr_key(j))
                rv3j_read_key(j, &k);
            if (jr_failed(j))
                return;
            rv3j_learn(&r->alike, j, from, end);
        }
        if (!a->key && k.start_ns == NO_TIME) {
            skipped++;
            continue;
        }
        if (k.kind < KINDS_MAX)
            r->counts[k.kind]++;
        a->add(r, &k, a->kind);
    }
    trace_note(r->trace, NOTE_SKIPPED, skipped, "records of a kind that is not known");
    rv3_trim(&r->build);
}

void rv3j_read_buffers(struct rv3j *r)
{
    struct jread *j = r->j;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        const struct array *a = arrays;
        if (jr_is(j, "pc_sample_host_trap") || jr_is(j, "pc_sample_stochastic")) {
            rv3j_read_pc_samples(r);
            continue;
        }
        while (a->key && !jr_is(j, a->key))
            a++;
        read_array(r, a);
    }
}
