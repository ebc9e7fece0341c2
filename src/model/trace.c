#include "model/trace.h"

#include <string.h>

#include "base/mem.h"

#define COLUMN_DESC_KERNELS(type, column) {#column, offsetof(struct kernels, column), sizeof(type)},
#define COLUMN_DESC_COPIES(type, column) {#column, offsetof(struct copies, column), sizeof(type)},
#define COLUMN_DESC_ALLOCATIONS(type, column)                                                      \
    {#column, offsetof(struct allocations, column), sizeof(type)},
#define COLUMN_DESC_REGIONS(type, column) {#column, offsetof(struct regions, column), sizeof(type)},
#define COLUMN_DESC_MARKERS(type, column) {#column, offsetof(struct markers, column), sizeof(type)},
#define COLUMN_DESC_COUNTERS(type, column)                                                         \
    {#column, offsetof(struct counters, column), sizeof(type)},
#define COLUMN_DESC_SAMPLES(type, column) {#column, offsetof(struct samples, column), sizeof(type)},
#define COLUMN_DESC_TELEMETRY(type, column)                                                        \
    {#column, offsetof(struct telemetry, column), sizeof(type)},
#define COLUMN_DESC_PC_SAMPLES(type, column)                                                       \
    {#column, offsetof(struct pc_samples, column), sizeof(type)},

#define TABLE_DESC(table, COLUMNS, DESC)                                                           \
    static const struct column_desc table##_columns[] = {COLUMNS(DESC)};                           \
    const struct table_desc table##_desc = {#table, table##_columns,                               \
                                            sizeof(table##_columns) / sizeof(*table##_columns)}

TABLE_DESC(kernels, KERNEL_COLUMNS, COLUMN_DESC_KERNELS);
TABLE_DESC(copies, COPY_COLUMNS, COLUMN_DESC_COPIES);
TABLE_DESC(allocations, ALLOCATION_COLUMNS, COLUMN_DESC_ALLOCATIONS);
TABLE_DESC(regions, REGION_COLUMNS, COLUMN_DESC_REGIONS);
TABLE_DESC(markers, MARKER_COLUMNS, COLUMN_DESC_MARKERS);
TABLE_DESC(counters, COUNTER_COLUMNS, COLUMN_DESC_COUNTERS);
TABLE_DESC(samples, SAMPLE_COLUMNS, COLUMN_DESC_SAMPLES);
TABLE_DESC(telemetry, TELEMETRY_COLUMNS, COLUMN_DESC_TELEMETRY);
TABLE_DESC(pc_samples, PC_SAMPLE_COLUMNS, COLUMN_DESC_PC_SAMPLES);

void trace_init(struct trace *t)
{
    memset(t, 0, sizeof(*t));
    arena_init(&t->arena);
    strings_init(&t->strings, &t->arena);
}

void trace_release(struct trace *t)
{
#define RELEASE(name) table_release(&t->name, &name##_desc);
    TRACE_TABLES(RELEASE)
#undef RELEASE
    arena_release(&t->arena);
}

static bool same_gpu(const struct gpu *a, const struct gpu *b)
{
    return a->host == b->host && a->node_id == b->node_id && a->location == b->location &&
           a->index == b->index;
}

uint32_t trace_gpu(struct trace *t, const struct gpu *g)
{
    for (size_t i = 0; i < t->gpus.n; i++)
        if (same_gpu(&t->gpus.v[i], g))
            return (uint32_t)i;
    vec_push(&t->gpus, &t->arena, *g);
    return (uint32_t)t->gpus.n - 1;
}

uint32_t trace_thread(struct trace *t, uint32_t process, int64_t tid)
{
    for (size_t i = t->threads.n; i-- > 0;)
        if (t->threads.v[i].process == process && t->threads.v[i].tid == tid)
            return (uint32_t)i;
    vec_push(&t->threads, &t->arena, ((struct thread){process, tid, 0}));
    return (uint32_t)t->threads.n - 1;
}

uint32_t trace_stream(struct trace *t, uint32_t process, uint32_t gpu, int64_t id, uint32_t name)
{
    for (size_t i = t->streams.n; i-- > 0;) {
        const struct stream *s = &t->streams.v[i];
        if (s->process == process && s->gpu == gpu && s->id == id)
            return (uint32_t)i;
    }
    vec_push(&t->streams, &t->arena, ((struct stream){process, gpu, id, name}));
    return (uint32_t)t->streams.n - 1;
}

void trace_note(struct trace *t, enum note_kind kind, uint64_t count, const char *text)
{
    if (!count)
        return;
    for (size_t i = 0; i < t->notes.n; i++) {
        if (t->notes.v[i].kind == kind && !strcmp(t->notes.v[i].text, text)) {
            t->notes.v[i].count += count;
            return;
        }
    }
    vec_push(&t->notes, &t->arena, ((struct note){kind, count, arena_strdup(&t->arena, text)}));
}

uint64_t trace_events(const struct trace *t)
{
    uint64_t n = 0;
#define ADD(name) n += t->name.n;
    TRACE_TABLES(ADD)
#undef ADD
    return n;
}

size_t trace_bytes(const struct trace *t)
{
    size_t n = 0;
#define ADD(name) n += table_bytes(&t->name, &name##_desc);
    TRACE_TABLES(ADD)
#undef ADD
    return n;
}

static void widen(int64_t *lo, int64_t *hi, const int64_t *start, const int64_t *end, size_t n)
{
    int64_t a = *lo, b = *hi;
    for (size_t i = 0; i < n; i++) {
        if (start[i] < a)
            a = start[i];
        if (end[i] > b)
            b = end[i];
        if (start[i] > b) /* a record that ends before it starts still happened */
            b = start[i];
    }
    *lo = a;
    *hi = b;
}

bool trace_span(const struct trace *t, int64_t *start_ns, int64_t *end_ns)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    widen(&lo, &hi, t->kernels.start_ns, t->kernels.end_ns, t->kernels.n);
    widen(&lo, &hi, t->copies.start_ns, t->copies.end_ns, t->copies.n);
    widen(&lo, &hi, t->allocations.start_ns, t->allocations.end_ns, t->allocations.n);
    widen(&lo, &hi, t->regions.start_ns, t->regions.end_ns, t->regions.n);
    widen(&lo, &hi, t->markers.start_ns, t->markers.end_ns, t->markers.n);
    widen(&lo, &hi, t->samples.time_ns, t->samples.time_ns, t->samples.n);
    widen(&lo, &hi, t->telemetry.time_ns, t->telemetry.time_ns, t->telemetry.n);
    widen(&lo, &hi, t->pc_samples.time_ns, t->pc_samples.time_ns, t->pc_samples.n);
    if (lo > hi)
        return false;
    *start_ns = lo;
    *end_ns = hi;
    return true;
}

static const char *list_difference(const struct trace *a, const struct trace *b)
{
#define LIST(name, what)                                                                           \
    if (a->name.n != b->name.n ||                                                                  \
        (a->name.n && memcmp(a->name.v, b->name.v, a->name.n * sizeof(*a->name.v))))               \
        return what;
    LIST(threads, "threads")
    LIST(gpus, "GPUs")
    LIST(agents, "agents")
    LIST(streams, "streams")
    LIST(queues, "queues")
    LIST(symbols, "symbols")
    LIST(launches, "launches")
    LIST(counter_infos, "counter list")
    LIST(series, "series")
#undef LIST
    if (a->processes.n != b->processes.n)
        return "processes";
    if (a->sample_records != b->sample_records || a->counter_records != b->counter_records)
        return "record counts";
    return NULL;
}

static bool strings_differ(const struct strings *a, const struct strings *b, size_t *at)
{
    for (*at = 0; *at < a->n && *at < b->n; ++*at)
        if (strcmp(a->v[*at].text, b->v[*at].text))
            return true;
    return a->n != b->n;
}

const char *trace_difference(const struct trace *a, const struct trace *b, struct arena *arena)
{
    const char *column;
    size_t row;
#define COMPARE(name)                                                                              \
    if (table_differs(&a->name, &b->name, &name##_desc, &column, &row))                            \
        return arena_printf(arena, "%s.%s, row %zu", #name, column, row);
    TRACE_TABLES(COMPARE)
#undef COMPARE
    const char *list = list_difference(a, b);
    if (list)
        return arena_printf(arena, "the %s", list);
    if (strings_differ(&a->strings, &b->strings, &row))
        return arena_printf(arena, "string %zu", row);
    return NULL;
}

enum vendor trace_vendor(const struct trace *t)
{
    for (size_t g = 0; g < t->gpus.n; g++)
        if (t->gpus.v[g].used)
            return t->gpus.v[g].vendor;
    if (t->gpus.n)
        return t->gpus.v[0].vendor;
    return t->files.n && !strcmp(t->files.v[0].format, "nsys") ? VENDOR_NVIDIA : VENDOR_AMD;
}

const char *pc_pipe_name(enum pc_pipe pipe)
{
    static const char *const names[PC_PIPES] = {"valu",     "matrix", "lds", "lds_direct", "scalar",
                                                "vmem_tex", "flat",   "exp", "misc",       "brmsg"};
    return pipe < PC_PIPES ? names[pipe] : "";
}

const char *region_kind_name(enum region_kind kind)
{
    static const char *const names[REGION_KINDS] = {
        [REGION_OTHER] = "other",
        [REGION_HIP] = "runtime API",
        [REGION_HIP_COMPILER] = "compiler API",
        [REGION_HSA] = "driver API",
        [REGION_COLLECTIVE] = "collective",
        [REGION_MPI] = "MPI",
        [REGION_OPENMP] = "OpenMP",
        [REGION_OS] = "OS",
        [REGION_MEDIA] = "media",
        [REGION_DRIVER] = "kernel driver",
        [REGION_USER] = "user",
        [REGION_PYTHON] = "Python",
    };
    return (unsigned)kind < REGION_KINDS ? names[kind] : "other";
}

const char *copy_kind_name(enum copy_kind kind)
{
    static const char *const names[COPY_KINDS] = {
        [COPY_UNKNOWN] = "unknown",    [COPY_H2D] = "host to device",
        [COPY_D2H] = "device to host", [COPY_D2D] = "device to device",
        [COPY_P2P] = "peer to peer",   [COPY_H2H] = "host to host",
        [COPY_SET] = "memset",
    };
    return (unsigned)kind < COPY_KINDS ? names[kind] : "unknown";
}

const char *vendor_name(enum vendor v)
{
    return v == VENDOR_AMD ? "AMD" : v == VENDOR_NVIDIA ? "NVIDIA" : "unknown";
}
