#include "cache/layout.h"

#include <assert.h>
#include <string.h>

#include "base/sat.h"
#include "base/str.h"
#include "cache/sum.h"
#include "config.h"

enum { CACHE_FORMAT = 3 }; /* raised when the file changes, or what readers make of a trace */

/* Columns of tables; those called _ns and bytes are known by that, numbers that lead nowhere by CK_PLAIN. */
static const struct cache_rule columns[] = {
    {"kernels", "id", CK_PLAIN, 0, 0, 0},
    {"kernels", "symbol", CK_SYMBOL, CACHE_ALWAYS, 0, 0},
    {"kernels", "launch", CK_LAUNCH, CACHE_ALWAYS, 0, 0},
    {"kernels", "stream", CK_STREAM, CACHE_ALWAYS, 0, 0},
    {"kernels", "queue", CK_QUEUE, 0, 0, 0},
    {"kernels", "thread", CK_THREAD, 0, 0, 0},
    {"kernels", "call", CK_REGION, 0, 0, 0},
    {"copies", "id", CK_PLAIN, 0, 0, 0},
    {"copies", "stream", CK_STREAM, CACHE_ALWAYS, 0, 0},
    {"copies", "thread", CK_THREAD, 0, 0, 0},
    {"copies", "call", CK_REGION, 0, 0, 0},
    {"copies", "src", CK_AGENT, 0, 0, 0},
    {"copies", "dst", CK_AGENT, 0, 0, 0},
    {"copies", "kind", CK_BELOW, COPY_KINDS, 0, 0},
    {"copies", "src_memory", CK_BELOW, MEMORY_MANAGED + 1, 0, 0},
    {"copies", "dst_memory", CK_BELOW, MEMORY_MANAGED + 1, 0, 0},
    {"allocations", "id", CK_PLAIN, 0, 0, 0},
    {"allocations", "address", CK_PLAIN, 0, 0, 0},
    {"allocations", "agent", CK_AGENT, 0, 0, 0},
    {"allocations", "thread", CK_THREAD, 0, 0, 0},
    {"allocations", "call", CK_REGION, 0, 0, 0},
    {"allocations", "op", CK_BELOW, ALLOC_RECLAIM + 1, 0, 0},
    {"allocations", "level", CK_BELOW, LEVEL_SCRATCH + 1, 0, 0},
    {"regions", "id", CK_PLAIN, 0, 0, 0},
    {"regions", "name", CK_STRING, 0, 0, 0},
    {"regions", "thread", CK_THREAD, 0, 0, 0},
    {"regions", "kind", CK_BELOW, REGION_KINDS, 0, 0},
    {"markers", "id", CK_PLAIN, 0, 0, 0},
    {"markers", "name", CK_STRING, 0, 0, 0},
    {"markers", "domain", CK_STRING, 0, 0, 0},
    {"markers", "thread", CK_THREAD, 0, 0, 0},
    {"markers", "kind", CK_BELOW, MARKER_INSTANT + 1, 0, 0},
    {"counters", "value", CK_PLAIN, 0, 0, 0},
    {"counters", "kernel", CK_KERNEL, 0, 0, 0},
    {"counters", "counter", CK_COUNTER_INFO, CACHE_ALWAYS, 0, 0},
    {"counters", "instance", CK_PLAIN, 0, 0, 0},
    {"samples", "name", CK_STRING, 0, 0, 0},
    {"samples", "thread", CK_THREAD, 0, 0, 0},
    {"telemetry", "value", CK_PLAIN, 0, 0, 0},
    {"telemetry", "series", CK_SERIES, CACHE_ALWAYS, 0, 0},
    {"pc_samples", "dispatch", CK_PLAIN, 0, 0, 0},
    {"pc_samples", "offset", CK_PLAIN, 0, 0, 0},
    {"pc_samples", "exec_mask", CK_PLAIN, 0, 0, 0},
    {"pc_samples", "code_object", CK_PLAIN, 0, 0, 0},
    {"pc_samples", "kernel", CK_KERNEL, 0, 0, 0},
    {"pc_samples", "instruction", CK_STRING, 0, 0, 0},
    {"pc_samples", "comment", CK_STRING, 0, 0, 0},
    {"pc_samples", "type", CK_STRING, 0, 0, 0},
    {"pc_samples", "stall", CK_STRING, 0, 0, 0},
    {"pc_samples", "waves", CK_PLAIN, 0, 0, 0},
    {"pc_samples", "pipes_issue", CK_PLAIN, 0, 0, 0},
    {"pc_samples", "pipes_stall", CK_PLAIN, 0, 0, 0},
    {"pc_samples", "issued", CK_BELOW, PC_ISSUED_YES + 1, 0, 0},
    {"messages", "call", CK_REGION, 0, 0, 0},
    {"messages", "peer", CK_PLAIN, 0, 0, 0},
    {"syncs", "call", CK_REGION, 0, 0, 0},
    {"syncs", "stream", CK_STREAM, 0, 0, 0},
    {"syncs", "source", CK_STREAM, 0, 0, 0},
    {"syncs", "record", CK_REGION, 0, 0, 0},
    {"syncs", "kind", CK_BELOW, SYNC_DEVICE + 1, 0, 0},
};

#define IN(list, type, member, kind, most)                                                         \
    {                                                                                              \
        list, #member, kind, most, offsetof(type, member), sizeof(((type *)0)->member)             \
    }

/* Members of lists that are not just numbers. */
static const struct cache_rule members[] = {
    IN("processes", struct process, host, CK_STRING, 0),
    IN("processes", struct process, command, CK_STRING, 0),
    IN("processes", struct process, only_named, CK_BOOL, 0),
    IN("processes", struct process, file, CK_FILE, 0),
    IN("processes", struct process, start_ns, CK_MOMENT, 0),
    IN("processes", struct process, end_ns, CK_MOMENT, 0),
    IN("threads", struct thread, process, CK_PROCESS, CACHE_ALWAYS),
    IN("threads", struct thread, name, CK_STRING, 0),
    IN("gpus", struct gpu, host, CK_STRING, 0),
    IN("gpus", struct gpu, vendor, CK_BELOW, VENDOR_NVIDIA + 1),
    IN("gpus", struct gpu, name, CK_STRING, 0),
    IN("gpus", struct gpu, arch, CK_STRING, 0),
    IN("gpus", struct gpu, memory_bytes, CK_SIZE, 0),
    IN("gpus", struct gpu, host_link_mbps, CK_SIZE, 0),
    IN("gpus", struct gpu, peer_link_mbps, CK_SIZE, 0),
    IN("gpus", struct gpu, used, CK_BOOL, 0),
    IN("agents", struct agent, process, CK_PROCESS, 0),
    IN("agents", struct agent, type, CK_BELOW, AGENT_OTHER + 1),
    IN("agents", struct agent, gpu, CK_GPU, 0),
    IN("streams", struct stream, process, CK_PROCESS, CACHE_ALWAYS),
    IN("streams", struct stream, gpu, CK_GPU, 0),
    IN("streams", struct stream, name, CK_STRING, 0),
    IN("queues", struct queue, process, CK_PROCESS, 0),
    IN("queues", struct queue, name, CK_STRING, 0),
    IN("symbols", struct symbol, name, CK_STRING, 0),
    IN("symbols", struct symbol, short_name, CK_STRING, 0),
    IN("symbols", struct symbol, mangled, CK_STRING, 0),
    IN("symbols", struct symbol, process, CK_PROCESS, 0),
    IN("launches", struct launch, rename, CK_STRING, 0),
    IN("counter_infos", struct counter_info, name, CK_STRING, 0),
    IN("counter_infos", struct counter_info, block, CK_STRING, 0),
    IN("counter_infos", struct counter_info, expression, CK_STRING, 0),
    IN("counter_infos", struct counter_info, units, CK_STRING, 0),
    IN("counter_infos", struct counter_info, description, CK_STRING, 0),
    IN("counter_infos", struct counter_info, gpu, CK_GPU, 0),
    IN("counter_infos", struct counter_info, derived, CK_BOOL, 0),
    IN("series", struct series, name, CK_STRING, 0),
    IN("series", struct series, units, CK_STRING, 0),
    IN("series", struct series, gpu, CK_GPU, 0),
    IN("series", struct series, process, CK_PROCESS, 0),
    IN("categories", struct category_count, name, CK_STRING, 0),
};

static const struct cache_rule *column_rule(const char *table, const char *column)
{
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        if (str_eq(columns[i].of, table) && str_eq(columns[i].member, column))
            return &columns[i];
    return NULL;
}

/* By the same names as the door goes by. */
static enum cache_kind kind_by_name(const struct column_desc *c)
{
    return c->size != 8                 ? CK_PLAIN
           : str_ends(c->name, "_ns")   ? CK_MOMENT
           : str_ends(c->name, "bytes") ? CK_SIZE
                                        : CK_PLAIN;
}

bool cache_column_known(const char *table, const struct column_desc *column)
{
    return kind_by_name(column) != CK_PLAIN || column_rule(table, column->name);
}

struct cache_rule cache_column_rule(const char *table, const struct column_desc *column)
{
    const struct cache_rule *rule = column_rule(table, column->name);
    assert(cache_column_known(table, column));
    return rule ? *rule : (struct cache_rule){table, column->name, kind_by_name(column), 0, 0, 0};
}

void cache_counts(const struct trace *t, size_t counts[CK_KINDS])
{
    const size_t n[CK_KINDS] = {
        [CK_STRING] = t->strings.n,  [CK_PROCESS] = t->processes.n,
        [CK_THREAD] = t->threads.n,  [CK_GPU] = t->gpus.n,
        [CK_AGENT] = t->agents.n,    [CK_STREAM] = t->streams.n,
        [CK_QUEUE] = t->queues.n,    [CK_SYMBOL] = t->symbols.n,
        [CK_LAUNCH] = t->launches.n, [CK_COUNTER_INFO] = t->counter_infos.n,
        [CK_SERIES] = t->series.n,   [CK_FILE] = t->files.n,
        [CK_KERNEL] = t->kernels.n,  [CK_REGION] = t->regions.n,
    };
    memcpy(counts, n, sizeof(n));
}

static bool moments_hold(const int64_t *v, size_t n)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++)
        bits |= (uint64_t)v[i] - (uint64_t)MOMENT_LEAST;
    if (!(bits >> 62))
        return true;
    for (size_t i = 0; i < n; i++)
        if (bound_moment(v[i]) != v[i])
            return false;
    return true;
}

static bool sizes_hold(const uint64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] != BYTES_UNKNOWN && bound_bytes(v[i]) != v[i])
            return false;
    return true;
}

static bool bytes_below(const uint8_t *v, size_t n, uint32_t most)
{
    uint8_t top = 0;
    for (size_t i = 0; i < n; i++)
        top = v[i] > top ? v[i] : top;
    return !n || top < most;
}

static bool words_below(const uint32_t *v, size_t n, size_t most)
{
    uint32_t top = 0;
    for (size_t i = 0; i < n; i++)
        top = v[i] > top ? v[i] : top;
    return !n || top < most;
}

/* NO_INDEX becomes 0, all others one more than they are. */
static bool refs_hold(const uint32_t *v, size_t n, size_t most)
{
    uint32_t top = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t one_more = v[i] + 1;
        top = one_more > top ? one_more : top;
    }
    return top <= most;
}

bool cache_values_hold(const struct cache_rule *rule, size_t size, const void *values, size_t n,
                       const size_t counts[CK_KINDS])
{
    switch (rule->kind) {
    case CK_PLAIN:
        return true;
    case CK_MOMENT:
        return size == 8 && moments_hold(values, n);
    case CK_SIZE:
        return size == 8 && sizes_hold(values, n);
    case CK_BOOL:
        return size == 1 && bytes_below(values, n, 2);
    case CK_BELOW:
        return size == 1 ? bytes_below(values, n, rule->most)
                         : size == 4 && words_below(values, n, rule->most);
    case CK_STRING:
        return size == 4 && words_below(values, n, counts[CK_STRING]);
    default:
        return size == 4 && (rule->most == CACHE_ALWAYS ? words_below(values, n, counts[rule->kind])
                                                        : refs_hold(values, n, counts[rule->kind]));
    }
}

bool cache_rows_hold(const char *list, const void *rows, size_t n, size_t row_bytes,
                     const size_t counts[CK_KINDS])
{
    for (size_t r = 0; r < ARRAY_LEN(members); r++) {
        const struct cache_rule *rule = &members[r];
        for (size_t i = 0; i < n && str_eq(rule->of, list); i++) {
            uint64_t value = 0; /* aligned for any size */
            memcpy(&value, (const char *)rows + i * row_bytes + rule->offset, rule->size);
            if (!cache_values_hold(rule, rule->size, &value, 1, counts))
                return false;
        }
    }
    return true;
}

/* ---- strings ---- */

static void use_columns(bool *used, size_t n_strings, const void *table,
                        const struct table_desc *desc)
{
    size_t n = ((const struct table *)table)->n;
    for (size_t c = 0; c < desc->n_columns; c++) {
        const struct column_desc *column = &desc->columns[c];
        if (cache_column_rule(desc->name, column).kind != CK_STRING)
            continue;
        const uint32_t *v =
            *(const uint32_t *const *)(const void *)((const char *)table + column->offset);
        for (size_t i = 0; i < n; i++)
            if (v[i] < n_strings)
                used[v[i]] = true;
    }
}

static void use_members(bool *used, size_t n_strings, const char *list, const void *rows, size_t n,
                        size_t row_bytes)
{
    for (size_t r = 0; r < ARRAY_LEN(members); r++)
        for (size_t i = 0; i < n && members[r].kind == CK_STRING && str_eq(members[r].of, list);
             i++) {
            uint32_t id;
            memcpy(&id, (const char *)rows + i * row_bytes + members[r].offset, sizeof(id));
            if (id < n_strings)
                used[id] = true;
        }
}

bool *cache_strings_used(const struct trace *t, struct arena *a)
{
    bool *used = arena_array(a, bool, t->strings.n + 1);
#define USE(name) use_columns(used, t->strings.n, &t->name, &name##_desc);
    TRACE_TABLES(USE)
#undef USE
#define USE(list, type) use_members(used, t->strings.n, #list, t->list.v, t->list.n, sizeof(type));
    CACHE_LISTS(USE)
#undef USE
    return used;
}

/* ---- the fingerprint ---- */

static void mix_text(struct cache_sum *s, const char *text)
{
    cache_sum_add(s, text, strlen(text) + 1);
}

static void mix_number(struct cache_sum *s, uint64_t n)
{
    cache_sum_add(s, &n, sizeof(n));
}

static void mix_table(struct cache_sum *s, const struct table_desc *desc)
{
    mix_text(s, desc->name);
    for (size_t i = 0; i < desc->n_columns; i++) {
        mix_text(s, desc->columns[i].name);
        mix_number(s, desc->columns[i].size);
    }
}

uint64_t cache_fingerprint(void)
{
    struct cache_sum s;
    cache_sum_init(&s);
    mix_number(&s, CACHE_FORMAT);
    mix_text(&s, GPUSIGHT_VERSION);
#ifdef HAVE_DEMANGLE
    mix_text(&s, "demangle");
#endif
    mix_number(&s, sizeof(void *));
#define MIX(name) mix_table(&s, &name##_desc);
    TRACE_TABLES(MIX)
#undef MIX
#define MIX(list, type)                                                                            \
    mix_text(&s, #list);                                                                           \
    mix_number(&s, sizeof(type));
    CACHE_LISTS(MIX)
#undef MIX
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        mix_text(&s, members[i].member);
        mix_number(&s, members[i].offset);
        mix_number(&s, members[i].size);
        mix_number(&s, members[i].most);
    }
    return cache_sum_end(&s);
}
