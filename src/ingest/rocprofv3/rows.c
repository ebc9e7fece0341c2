#include <string.h>

#include "ingest/rocprofv3/build.h"

#define LINK_DESC(type, column) {#column, offsetof(struct rv3_links, column), sizeof(type)},
static const struct column_desc link_columns[] = {RV3_LINK_COLUMNS(LINK_DESC)};
const struct table_desc rv3_links_desc = {"links", link_columns, ARRAY_LEN(link_columns)};

static void release_tables(void *build)
{
    struct rv3_build *b = build;
    struct rv3_links *links[] = {&b->kernel_links, &b->copy_links, &b->alloc_links,
                                 &b->counted_links};
    for (size_t i = 0; i < ARRAY_LEN(links); i++)
        table_release(links[i], &rv3_links_desc);
    table_release(&b->counted, &kernels_desc);
}

void rv3_init(struct rv3_build *b, struct trace *t, uint32_t file, struct arena *owner)
{
    memset(b, 0, sizeof(*b));
    b->trace = t;
    b->file = file;
    b->arena = owner;
    arena_defer(owner, release_tables, b);
    launches_init(&b->launches, owner);
    idmap_init(&b->stream_slots, b->arena);
    b->first_kernel = b->kernel_pace[0].trimmed = t->kernels.n;
    b->first_copy = t->copies.n;
    b->first_alloc = t->allocations.n;
    b->first_region = b->region_pace.trimmed = t->regions.n;
    b->first_counter = t->counters.n;
    b->first_pc_sample = t->pc_samples.n;
}

/*
 * Room for one more row. Doubling a large table touches twice the memory it needs: once a table has
 * been filled at a pace, the bytes that are left say how many rows will come at most.
 */
static void room_for_one(const struct rv3_build *b, void *table, const struct table_desc *desc,
                         struct rv3_pace *pace)
{
    enum { LARGE = 16384 };
    const struct table *t = table;
    if (t->n < t->cap)
        return;
    if (!b->input || t->n < LARGE) {
        table_reserve(table, desc, t->n + 1);
        return;
    }
    uint64_t all = input_total_bytes(b->input), at = input_consumed_bytes(b->input);
    size_t rows = t->n - pace->rows;
    double bytes = (double)(at - pace->bytes), left = (double)(all > at ? all - at : 0);
    double more = pace->rows && bytes > 0 ? 1.02 * left * (double)rows / bytes : (double)t->n;
    size_t least = t->n / 8, most = t->n;
    pace->rows = t->n;
    pace->bytes = at;
    table_resize(table, desc,
                 t->n + (more > (double)most    ? most
                         : more < (double)least ? least
                                                : (size_t)more));
}

/*
 * More than a fifth of its room is empty. Tables with few rows more than last time, or than the
 * processes before brought, have no turn: a file may have very many parts.
 */
static void trim(void *table, const struct table_desc *desc, struct rv3_pace *pace)
{
    const struct table *t = table;
    if (t->cap - t->n <= t->n / 4 || t->n / 2 < pace->trimmed)
        return;
    table_resize(table, desc, t->n);
    pace->trimmed = t->n;
}

void rv3_trim(struct rv3_build *b)
{
    struct trace *t = b->trace;
    if (!b->input)
        return;
    trim(&t->kernels, &kernels_desc, &b->kernel_pace[0]);
    trim(&t->regions, &regions_desc, &b->region_pace);
    trim(&b->kernel_links, &rv3_links_desc, &b->kernel_pace[1]);
}

static void add_link(struct rv3_links *l, uint64_t correlation, uint32_t process,
                     uint32_t operation)
{
    table_reserve(l, &rv3_links_desc, l->n + 1);
    l->correlation[l->n] = correlation;
    l->process[l->n] = process;
    l->operation[l->n++] = operation;
}

static uint32_t queue_of(struct rv3_build *b, uint32_t process, uint64_t id)
{
    struct rv3_process *p = &b->processes.v[process];
    if (id == RV3_NO_ID)
        return NO_INDEX;
    uint32_t row = idmap_claim(&p->queues, id, (uint32_t)b->trace->queues.n);
    if (row == b->trace->queues.n)
        vec_push(&b->trace->queues, &b->trace->arena,
                 ((struct queue){.process = p->process, .id = (int64_t)id}));
    return row;
}

/* A stream is (process, device, handle): the slot of the three. */
static uint32_t stream_of(struct rv3_build *b, uint32_t process, uint32_t agent, uint64_t id)
{
    struct idmap *handles = &b->processes.v[process].streams;
    uint32_t handle = idmap_get(handles, id);
    if (handle == NO_INDEX) {
        handle = (uint32_t)b->streams.n; /* unique, since the handle gets a slot now */
        idmap_put(handles, id, handle);
    }
    uint64_t key = (uint64_t)agent << 32 | handle;
    uint32_t slot = idmap_get(&b->stream_slots, key);
    if (slot != NO_INDEX)
        return slot;
    slot = (uint32_t)b->streams.n;
    vec_push(&b->streams, b->arena, ((struct rv3_stream){process, agent, id}));
    idmap_put(&b->stream_slots, key, slot);
    return slot;
}

/* `pace`: of the kernels and of their links. */
static void put_kernel(struct rv3_build *b, struct kernels *out, struct rv3_links *links,
                       struct rv3_pace pace[2], const struct rv3_kernel *k)
{
    room_for_one(b, out, &kernels_desc, &pace[0]);
    room_for_one(b, links, &rv3_links_desc, &pace[1]);
    size_t row = out->n;
    out->start_ns[row] = k->start_ns;
    out->end_ns[row] = k->end_ns;
    out->id[row] = (int64_t)k->dispatch;
    out->symbol[row] = k->symbol;
    out->launch[row] = launches_add(&b->launches, 0, 0, &k->launch);
    out->stream[row] = stream_of(b, k->process, k->agent, k->stream);
    out->queue[row] = queue_of(b, k->process, k->queue);
    out->thread[row] = rv3_thread(b, k->process, k->thread);
    out->call[row] = NO_INDEX;
    add_link(links, k->correlation, k->process, k->operation);
    out->n++;
    if (k->agent != NO_INDEX)
        b->agents.v[k->agent].ran = true;
}

void rv3_add_kernel(struct rv3_build *b, const struct rv3_kernel *k)
{
    put_kernel(b, &b->trace->kernels, &b->kernel_links, b->kernel_pace, k);
}

void rv3_room_for(struct rv3_build *b, size_t kernels, size_t copies)
{
    table_fit(&b->trace->regions, &regions_desc);
    trace_room(b->trace, kernels, kernels);
    trace_room(b->trace, copies, copies);
    table_reserve(&b->kernel_links, &rv3_links_desc, b->kernel_links.n + kernels);
    table_reserve(&b->copy_links, &rv3_links_desc, b->copy_links.n + copies);
}

uint32_t rv3_counted(struct rv3_build *b, const struct rv3_kernel *k)
{
    struct idmap *map = &b->processes.v[k->process].counted;
    uint32_t row = idmap_get(map, k->dispatch);
    if (row != NO_INDEX)
        return row;
    row = (uint32_t)b->counted.n;
    put_kernel(b, &b->counted, &b->counted_links, b->counted_pace, k);
    idmap_put(map, k->dispatch, row);
    return row;
}

void rv3_add_counter(struct rv3_build *b, uint32_t counted, uint32_t counter, uint32_t instance,
                     double value)
{
    struct counters *c = &b->trace->counters;
    trace_room(b->trace, counters, 1);
    c->value[c->n] = value;
    c->kernel[c->n] = counted;
    c->counter[c->n] = counter;
    c->instance[c->n++] = instance;
}

void rv3_add_copy(struct rv3_build *b, const struct rv3_copy *c)
{
    struct copies *out = &b->trace->copies;
    trace_room(b->trace, copies, 1);
    size_t row = out->n;
    out->start_ns[row] = c->start_ns;
    out->end_ns[row] = c->end_ns;
    out->id[row] = (int64_t)(row - b->first_copy) + 1;
    out->bytes[row] = c->bytes;
    /* Which end owns it is not known before the agents are: the ends' slots, then the stream. */
    uint32_t from = stream_of(b, c->process, c->src, c->stream);
    uint32_t to = stream_of(b, c->process, c->dst, c->stream);
    out->stream[row] = to;
    out->call[row] = from;
    out->thread[row] = rv3_thread(b, c->process, c->thread);
    out->src[row] = c->src;
    out->dst[row] = c->dst;
    out->kind[row] = (uint8_t)c->kind;
    out->src_memory[row] = out->dst_memory[row] = MEMORY_UNKNOWN;
    add_link(&b->copy_links, c->correlation, c->process, c->operation);
    out->n++;
}

void rv3_add_alloc(struct rv3_build *b, const struct rv3_alloc *a)
{
    struct allocations *out = &b->trace->allocations;
    trace_room(b->trace, allocations, 1);
    size_t row = out->n;
    out->start_ns[row] = a->start_ns;
    out->end_ns[row] = a->end_ns;
    out->id[row] = (int64_t)(row - b->first_alloc) + 1;
    out->bytes[row] = a->bytes;
    out->address[row] = a->address;
    out->agent[row] = a->agent;
    out->thread[row] = rv3_thread(b, a->process, a->thread);
    out->call[row] = NO_INDEX;
    out->op[row] = (uint8_t)a->op;
    out->level[row] = (uint8_t)a->level;
    add_link(&b->alloc_links, a->correlation, a->process, a->operation);
    out->n++;
}

size_t rv3_add_region(struct rv3_build *b, int64_t start_ns, int64_t end_ns, uint64_t id,
                      uint32_t thread)
{
    struct regions *r = &b->trace->regions;
    room_for_one(b, r, &regions_desc, &b->region_pace);
    size_t row = r->n++;
    r->start_ns[row] = start_ns;
    r->end_ns[row] = end_ns;
    r->id[row] = (int64_t)id;
    r->name[row] = 0;
    r->thread[row] = thread;
    r->kind[row] = REGION_OTHER;
    return row;
}
