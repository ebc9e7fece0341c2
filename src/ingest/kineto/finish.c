/* Everything is read: resolves calls, streams, launches, devices and times. */
#include <string.h>

#include "ingest/agents.h"
#include "ingest/kineto/kineto.h"

/* ---- times ---- */

static void shift(int64_t *column, size_t first, size_t n, int64_t by)
{
    for (size_t i = first; i < n; i++)
        if (__builtin_add_overflow(column[i], by, &column[i]))
            column[i] = by > 0 ? INT64_MAX : INT64_MIN;
}

static void shift_times(struct kineto *k)
{
    struct trace *t = k->trace;
    if (!k->base_ns)
        return;
#define SHIFT(table)                                                                               \
    shift(t->table.start_ns, k->first.table, t->table.n, k->base_ns);                              \
    shift(t->table.end_ns, k->first.table, t->table.n, k->base_ns);
    SHIFT(kernels)
    SHIFT(copies)
    SHIFT(regions)
    SHIFT(markers)
    SHIFT(allocations)
#undef SHIFT
    shift(t->syncs.start_ns, k->first.syncs, t->syncs.n, k->base_ns);
}

/* ---- calls ---- */

static bool is_call(const struct regions *g, size_t i)
{
    return g->id[i] && (g->kind[i] == REGION_HIP || g->kind[i] == REGION_HSA);
}

static void remember(struct kineto *k, uint32_t *slot, uint32_t row)
{
    k->repeated += *slot != NO_INDEX;
    if (*slot == NO_INDEX)
        *slot = row;
}

/* Ids that lie apart. */
static void sort_calls(struct kineto *k, size_t n)
{
    const struct regions *g = &k->trace->regions;
    int64_t *id = arena_array(k->arena, int64_t, n);
    uint32_t *row = arena_array(k->arena, uint32_t, n);
    n = 0;
    for (size_t i = k->first.regions; i < g->n; i++) {
        if (!is_call(g, i))
            continue;
        id[n] = g->id[i];
        row[n++] = (uint32_t)i;
    }
    k->repeated += idindex_make(&k->call_by_id, id, row, n, k->arena);
}

/* Correlation id -> call; the first call with an id counts. Ids are dense, as profilers write them.
 */
static void index_calls(struct kineto *k)
{
    const struct regions *g = &k->trace->regions;
    struct idtable *t = &k->call_of;
    int64_t least = INT64_MAX, most = INT64_MIN;
    size_t n = 0;
    idtable_init(t, k->arena);
    for (size_t i = k->first.regions; i < g->n; i++) {
        if (!is_call(g, i))
            continue;
        n++;
        least = g->id[i] < least ? g->id[i] : least;
        most = g->id[i] > most ? g->id[i] : most;
    }
    if (!n)
        return;
    if (!idtable_span(t, least, most, n)) {
        sort_calls(k, n);
        return;
    }
    for (size_t i = k->first.regions; i < g->n; i++) {
        if (!is_call(g, i))
            continue;
        uint32_t known = idtable_get(t, g->id[i]);
        remember(k, &known, (uint32_t)i);
        idtable_claim(t, g->id[i], known);
    }
}

static uint32_t call_of(const struct kineto *k, int64_t correlation)
{
    if (!correlation)
        return NO_INDEX;
    return k->call_of.dense ? idtable_get(&k->call_of, correlation)
                            : idindex_get(&k->call_by_id, correlation);
}

static uint32_t process_of(const struct kineto *k, uint32_t thread)
{
    return thread == NO_INDEX ? k->process : k->trace->threads.v[thread].process;
}

/* ---- GPU rows ---- */

static uint32_t stream_of(struct kineto *k, uint32_t lane, uint32_t process)
{
    uint64_t key = (uint64_t)lane << 32 | process;
    uint32_t s = idmap_get(&k->streams, key);
    if (s != NO_INDEX)
        return s;
    const struct k_lane *l = &k->lanes.v[lane];
    struct stream made = {process, kineto_gpu(k, l->device), l->stream, l->name, STREAM_UNKNOWN};
    s = (uint32_t)k->trace->streams.n;
    vec_push(&k->trace->streams, &k->trace->arena, made);
    idmap_put(&k->streams, key, s);
    return s;
}

/* Two calls take the grid in work-items, and Kineto repeats what the call was given. */
static bool counts_items(const struct kineto *k, uint32_t call)
{
    if (call == NO_INDEX)
        return false;
    const char *name = trace_str(k->trace, k->trace->regions.name[call]);
    return str_starts(name, "hipExtModuleLaunch") || str_starts(name, "hipHccModuleLaunch");
}

static uint32_t launch_of(struct kineto *k, uint32_t raw, uint32_t call)
{
    struct launch l = k->raw.workers[0].list.v[raw];
    bool items = counts_items(k, call);
    for (int d = 0; d < 3 && !items; d++) {
        uint64_t grid = (uint64_t)l.grid[d] * l.group[d];
        l.grid[d] = grid > UINT32_MAX ? UINT32_MAX : (uint32_t)grid;
    }
    return launches_add(&k->launches, 0, 0, &l);
}

static void resolve_kernels(struct kineto *k)
{
    struct kernels *t = &k->trace->kernels;
    for (size_t i = k->first.kernels; i < t->n; i++) {
        t->call[i] = call_of(k, t->id[i]);
        if (t->call[i] != NO_INDEX)
            t->thread[i] = k->trace->regions.thread[t->call[i]];
        t->stream[i] = stream_of(k, t->stream[i], process_of(k, t->thread[i]));
        t->launch[i] = launch_of(k, t->launch[i], t->call[i]);
    }
    launches_finish(&k->launches, k->trace, k->first.kernels);
}

/* Both ends of a copy, by its direction; of a peer copy, by the devices it names. */
static void set_ends(struct kineto *k, struct copies *c, size_t i)
{
    uint32_t process = process_of(k, c->thread[i]);
    uint32_t gpu = k->trace->streams.v[c->stream[i]].gpu;
    enum copy_kind kind = c->kind[i];
    if (kind == COPY_P2P) {
        uint32_t from = c->src[i] == NO_INDEX ? NO_INDEX : kineto_gpu(k, c->src[i]);
        uint32_t to = c->dst[i] == NO_INDEX ? NO_INDEX : kineto_gpu(k, c->dst[i]);
        c->src[i] = from == NO_INDEX ? NO_INDEX : agent_in(k->trace, &k->agents, process, from);
        c->dst[i] = to == NO_INDEX ? NO_INDEX : agent_in(k->trace, &k->agents, process, to);
        return;
    }
    if (kind == COPY_UNKNOWN || gpu == NO_INDEX)
        return;
    bool from_host = kind == COPY_H2D || kind == COPY_H2H;
    bool to_host = kind == COPY_D2H || kind == COPY_H2H;
    c->src[i] = agent_in(k->trace, &k->agents, process, from_host ? NO_INDEX : gpu);
    c->dst[i] = agent_in(k->trace, &k->agents, process, to_host ? NO_INDEX : gpu);
}

static void resolve_copies(struct kineto *k)
{
    struct copies *c = &k->trace->copies;
    for (size_t i = k->first.copies; i < c->n; i++) {
        c->call[i] = call_of(k, c->id[i]);
        if (c->call[i] != NO_INDEX)
            c->thread[i] = k->trace->regions.thread[c->call[i]];
        c->stream[i] = stream_of(k, c->stream[i], process_of(k, c->thread[i]));
        set_ends(k, c, i);
    }
}

/* Streams with work by number and process; two of one number on several devices are not told apart. */
static void index_streams(struct kineto *k, struct idmap *by_number)
{
    const struct trace *t = k->trace;
    idmap_init(by_number, k->arena);
    for (uint32_t i = 0; i < t->streams.n; i++) {
        uint64_t key = hash_u64((uint64_t)t->streams.v[i].id) ^ t->streams.v[i].process;
        bool again = idmap_get(by_number, key) != NO_INDEX;
        idmap_put(by_number, key, again ? (uint32_t)t->streams.n : i);
    }
}

/* An event may have been recorded on another device, which no field names: the stream does. */
static uint32_t elsewhere(const struct kineto *k, const struct idmap *by_number, uint32_t lane,
                          uint32_t process)
{
    uint64_t key = hash_u64((uint64_t)k->lanes.v[lane].stream) ^ process;
    uint32_t stream = idmap_get(by_number, key);
    const struct trace *t = k->trace;
    return stream < t->streams.n && t->streams.v[stream].process == process &&
                   t->streams.v[stream].id == k->lanes.v[lane].stream
               ? stream
               : NO_INDEX;
}

/* Only streams with work are streams of the trace; waits that name no other refer to all. */
static void resolve_syncs(struct kineto *k)
{
    struct syncs *s = &k->trace->syncs;
    struct idmap by_number;
    if (s->n > k->first.syncs)
        index_streams(k, &by_number);
    for (size_t i = k->first.syncs; i < s->n; i++) {
        s->call[i] = call_of(k, k->waiting.v[i - k->first.syncs]);
        uint32_t process = s->call[i] == NO_INDEX
                               ? k->process
                               : process_of(k, k->trace->regions.thread[s->call[i]]);
        uint32_t source = s->source[i];
        uint32_t *lanes[] = {&s->stream[i], &s->source[i]};
        for (int l = 0; l < 2; l++)
            if (*lanes[l] != NO_INDEX)
                *lanes[l] = idmap_get(&k->streams, (uint64_t)*lanes[l] << 32 | process);
        if (source != NO_INDEX && s->source[i] == NO_INDEX)
            s->source[i] = elsewhere(k, &by_number, source, process);
    }
    for (size_t i = 0; i < k->records.n; i++)
        s->record[k->first.syncs + k->records.v[i].wait] = call_of(k, k->records.v[i].correlation);
}

static void resolve_allocations(struct kineto *k)
{
    struct allocations *a = &k->trace->allocations;
    uint32_t last = NO_INDEX, gpu = NO_INDEX;
    for (size_t i = k->first.allocations; i < a->n; i++) {
        if (a->agent[i] != last) {
            last = a->agent[i];
            gpu = last ? kineto_gpu_of_ordinal(k, (int64_t)last - 1) : NO_INDEX;
        }
        bool unknown = last && gpu == NO_INDEX;
        a->agent[i] =
            unknown ? NO_INDEX : agent_in(k->trace, &k->agents, process_of(k, a->thread[i]), gpu);
    }
}

/* ---- all of it ---- */

/* For people: a file with more kinds of events than this has none worth listing. */
enum { CATEGORIES_MAX = 1000 };

static void count_categories(struct kineto *k)
{
    struct trace *t = k->trace;
    for (size_t c = 0; c < k->categories.n; c++) {
        const struct k_category *from = &k->categories.v[c];
        size_t i = 0;
        while (i < t->categories.n && t->categories.v[i].name != from->name)
            i++;
        if (!from->count || (i == t->categories.n && i >= CATEGORIES_MAX))
            continue;
        if (i == t->categories.n)
            vec_push(&t->categories, &t->arena, ((struct category_count){from->name, 0}));
        t->categories.v[i].count += from->count;
    }
}

bool kineto_finish(struct kineto *k, struct gs_error *err)
{
    kineto_join_halves(k);
    shift_times(k);
    index_calls(k);
    kineto_apply_labels(k);
    if (!kineto_make_gpus(k, err))
        return false;
    resolve_kernels(k);
    resolve_copies(k);
    resolve_syncs(k);
    resolve_allocations(k);
    count_categories(k);
    trace_note(k->trace, NOTE_SKIPPED, k->no_phase, "events without a phase");
    trace_note(k->trace, NOTE_NULL, k->no_time, "events without a time");
    trace_note(k->trace, NOTE_DUPLICATE, k->repeated, "calls repeat the correlation id of another");
    return true;
}
