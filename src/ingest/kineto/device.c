/* GPU events: kernels, copies, fills, waits. */
#include "ingest/agents.h"
#include "ingest/kineto/kineto.h"

/* Older files say where it ran only by the row it is drawn in. */
static uint32_t lane_of(struct kineto *k, const struct k_event *e)
{
    return kineto_lane(k, e->device == K_NONE ? e->pid : e->device,
                       e->stream == K_NONE ? e->tid : e->stream);
}

static uint32_t symbol_of(struct kineto *k, const struct k_event *e)
{
    struct trace *t = k->trace;
    uint64_t key = (uint64_t)e->name << 32 | e->registers;
    uint32_t s = idmap_get(&k->symbols, key);
    if (s != NO_INDEX)
        return s;
    const char *text = e->name ? trace_str(t, e->name) : "(unknown kernel)";
    struct symbol made = {.mangled = strings_add(&t->strings, text),
                          .process = k->process,
                          .id = (int64_t)t->symbols.n,
                          .vgprs = e->registers};
    s = trace_symbol(t, &made, text);
    idmap_put(&k->symbols, key, s);
    return s;
}

/* What a collective's kernel moved, as a marker over it: "allreduce, 1024 BFloat16, group of 8". */
static void mark_collective(struct kineto *k, const struct k_event *e)
{
    struct str s;
    str_init(&s, k->arena);
    str_put(&s, k->collective.buf, k->collective.len);
    int64_t elements = e->in_elements > e->out_elements ? e->in_elements : e->out_elements;
    if (elements >= 0)
        str_printf(&s, ", %lld %s", (long long)elements,
                   k->data_type.len ? k->data_type.buf : "elements");
    if (e->group_size >= 0)
        str_printf(&s, ", group of %lld", (long long)e->group_size);
    kineto_marker(k, e, strings_addn(&k->trace->strings, s.buf, s.len),
                  strings_add(&k->trace->strings, "collective"), NO_INDEX, MARKER_PROCESS_RANGE);
}

void kineto_kernel(struct kineto *k, const struct k_event *e)
{
    trace_room(k->trace, kernels, 1);
    struct kernels *t = &k->trace->kernels;
    struct launch l = {.grid = {e->grid[0], e->grid[1], e->grid[2]},
                       .group = {e->block[0], e->block[1], e->block[2]},
                       .lds_bytes = e->shared,
                       .graph = e->graph};
    size_t n = t->n++;
    t->start_ns[n] = e->ts_ns;
    t->end_ns[n] = k_end(e);
    t->id[n] = e->correlation == K_NONE ? 0 : e->correlation;
    t->symbol[n] = symbol_of(k, e);
    t->launch[n] = launches_add(&k->raw, 0, 0, &l);
    t->stream[n] = lane_of(k, e);
    t->queue[n] = t->thread[n] = t->call[n] = NO_INDEX;
    if (k->collective.len)
        mark_collective(k, e);
}

static enum memory_kind memory_of(const char *text, const char *end)
{
    static const struct {
        const char *word;
        enum memory_kind kind;
    } table[] = {{"Pageable", MEMORY_PAGEABLE},
                 {"Pinned", MEMORY_PINNED},
                 {"Device", MEMORY_DEVICE},
                 {"Managed", MEMORY_MANAGED}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        const char *at = strstr(text, table[i].word);
        if (at && at < end)
            return table[i].kind;
    }
    return MEMORY_UNKNOWN;
}

static void set_memory(struct copies *c, size_t n, const char *name)
{
    const char *open = strchr(name, '('), *arrow = strstr(name, "->");
    const char *end = name + strlen(name);
    enum copy_kind kind = c->kind[n];
    c->src_memory[n] = c->dst_memory[n] = MEMORY_UNKNOWN;
    if (open && arrow && arrow > open) {
        c->src_memory[n] = (uint8_t)memory_of(open, arrow);
        c->dst_memory[n] = (uint8_t)memory_of(arrow, end);
    }
    if (kind == COPY_D2H || kind == COPY_D2D || kind == COPY_P2P)
        c->src_memory[n] = MEMORY_DEVICE;
    if (kind == COPY_H2D || kind == COPY_D2D || kind == COPY_P2P)
        c->dst_memory[n] = MEMORY_DEVICE;
    if (kind == COPY_SET && open)
        c->dst_memory[n] = (uint8_t)memory_of(open, end);
}

void kineto_copy(struct kineto *k, const struct k_event *e)
{
    trace_room(k->trace, copies, 1);
    struct copies *c = &k->trace->copies;
    const char *name = trace_phrase(k->trace, e->name);
    enum copy_kind kind = copy_kind_said(name);
    if (kind == COPY_UNKNOWN)
        kind = copy_kind_said(k->copy_kind.buf);
    if (kind == COPY_D2D && e->from_device != K_NONE && e->from_device != e->to_device)
        kind = COPY_P2P;
    size_t n = c->n++;
    c->start_ns[n] = e->ts_ns;
    c->end_ns[n] = k_end(e);
    c->id[n] = e->correlation == K_NONE ? 0 : e->correlation;
    c->bytes[n] = e->bytes < 0 ? BYTES_UNKNOWN : (uint64_t)e->bytes;
    c->stream[n] = lane_of(k, e);
    c->thread[n] = c->call[n] = NO_INDEX;
    /* Of a peer copy, while reading: the numbers of both devices. */
    bool ends = kind == COPY_P2P && e->from_device >= 0 && e->to_device >= 0;
    c->src[n] = ends ? (uint32_t)(e->from_device % K_DEVICES_MAX) : NO_INDEX;
    c->dst[n] = ends ? (uint32_t)(e->to_device % K_DEVICES_MAX) : NO_INDEX;
    c->kind[n] = (uint8_t)kind;
    set_memory(c, n, strstr(name, "->") ? name : k->xla ? k->copy_kind.buf : name);
}

/* "Stream Wait Event", "Event Sync", "Stream Sync", "Context Sync". */
static enum sync_kind sync_kind_of(const char *name)
{
    static const struct {
        const char *part;
        enum sync_kind kind;
    } table[] = {
        {"Stream Wait", SYNC_STREAM_WAIT}, {"Event Sync", SYNC_EVENT},
        {"Stream Sync", SYNC_STREAM},      {"Context Sync", SYNC_DEVICE},
        {"Device Sync", SYNC_DEVICE},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_has_fold(name, table[i].part))
            return table[i].kind;
    return SYNC_OTHER;
}

/* Stream numbers that stand for "none": -1, and the same in 32 bits. */
static bool names_stream(int64_t stream)
{
    return stream != K_NONE && stream >= 0 && stream < UINT32_MAX;
}

void kineto_sync(struct kineto *k, const struct k_event *e)
{
    trace_room(k->trace, syncs, 1);
    struct syncs *s = &k->trace->syncs;
    int64_t device = e->device == K_NONE ? e->pid : e->device;
    size_t n = s->n++;
    s->start_ns[n] = e->ts_ns;
    s->kind[n] = (uint8_t)sync_kind_of(trace_str(k->trace, e->name));
    s->stream[n] = names_stream(e->stream) ? kineto_lane(k, device, e->stream) : NO_INDEX;
    s->source[n] = names_stream(e->wait_stream) ? kineto_lane(k, device, e->wait_stream) : NO_INDEX;
    s->call[n] = s->record[n] = NO_INDEX;
    vec_push_alone(&k->waiting, k->arena, e->correlation == K_NONE ? 0 : e->correlation);
    if (e->wait_record != K_NONE)
        vec_push_alone(&k->records, k->arena,
                       ((struct k_record){(uint32_t)(n - k->first.syncs), e->wait_record}));
}
