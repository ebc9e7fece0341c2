#include "model/trace.h"

#include <string.h>

#include "base/human.h"
#include "base/input.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sat.h"

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
#define COLUMN_DESC_MESSAGES(type, column)                                                         \
    {#column, offsetof(struct messages, column), sizeof(type)},
#define COLUMN_DESC_SYNCS(type, column) {#column, offsetof(struct syncs, column), sizeof(type)},

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
TABLE_DESC(messages, MESSAGE_COLUMNS, COLUMN_DESC_MESSAGES);
TABLE_DESC(syncs, SYNC_COLUMNS, COLUMN_DESC_SYNCS);

void trace_init(struct trace *t)
{
    memset(t, 0, sizeof(*t));
    arena_init(&t->arena);
    strings_init(&t->strings, &t->arena);
    idmap_init(&t->gpu_of.map, &t->arena);
    idmap_init(&t->stream_of.map, &t->arena);
    idmap_init(&t->category_of, &t->arena);
}

void trace_release(struct trace *t)
{
#define RELEASE(name) table_release(&t->name, &name##_desc);
    TRACE_TABLES(RELEASE)
#undef RELEASE
    arena_release(&t->arena);
}

static void release_it(void *trace)
{
    trace_release(trace);
}

void trace_init_in(struct trace *t, struct arena *owner)
{
    arena_defer(owner, release_it, t);
    trace_init(t);
}

struct trace *trace_new(struct arena *owner)
{
    struct trace *t = arena_new(owner, struct trace);
    trace_init_in(t, owner);
    return t;
}

void trace_move(struct trace *to, struct trace *from)
{
    trace_release(to);
    *to = *from;
    to->strings.arena = to->gpu_of.map.arena = to->stream_of.map.arena = to->category_of.arena =
        &to->arena;
    trace_init(from);
}

void trace_next_load(struct trace *t)
{
#define FIRST(member) .member = t->member.n,
    vec_push(&t->loads, &t->arena,
             ((struct trace_load){.processes = t->processes.n, TRACE_TABLES(FIRST)}));
#undef FIRST
}

void trace_drop_load(struct trace *t)
{
    const struct trace_load *load = &t->loads.v[t->loads.n - 1];
#define CUT(name) t->name.n = load->name;
    TRACE_TABLES(CUT)
#undef CUT
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

void trace_category(struct trace *t, uint32_t name, uint64_t count)
{
    uint32_t i = idmap_get(&t->category_of, name);
    if (i == NO_INDEX) {
        i = (uint32_t)t->categories.n;
        vec_push(&t->categories, &t->arena, ((struct category_count){name, 0}));
        idmap_put(&t->category_of, name, i);
    }
    t->categories.v[i].count += count;
}

uint64_t trace_events(const struct trace *t)
{
    uint64_t n = 0;
#define ADD(name) n += t->name.n;
    TRACE_TABLES(ADD)
#undef ADD
    return n - t->messages.n - t->syncs.n - t->lifted_calls; /* they say more of other events */
}

size_t trace_bytes(const struct trace *t)
{
    size_t n = 0;
#define ADD(name) n += table_bytes(&t->name, &name##_desc);
    TRACE_TABLES(ADD)
#undef ADD
    return n;
}

struct packing {
    void *table;
    const struct table_desc *desc;
    size_t first, column;
};

struct packings {
    struct packing *v;
    size_t n;
};

static void add_packing(struct packings *all, void *table, const struct table_desc *desc,
                        size_t offset)
{
    size_t first = 0;
    while (desc->columns[first].offset != offset)
        first++;
    if (!table_pack_begin(table, desc, first))
        return;
    for (size_t i = first; i < desc->n_columns; i++)
        all->v[all->n++] = (struct packing){table, desc, first, i};
}

static void pack_one(void *ctx, size_t i, int worker)
{
    const struct packing *p = &((struct packings *)ctx)->v[i];
    (void)worker;
    table_pack_column(p->table, p->desc, p->first, p->column);
}

void trace_pack(struct trace *t, int workers)
{
    struct arena *temporary = arena_scratch();
    size_t most = 0;
#define COUNT(name) most += name##_desc.n_columns;
    TRACE_TABLES(COUNT)
#undef COUNT
    struct packings all = {.v = arena_array(temporary, struct packing, most)};
#define FIT(name) table_fit(&t->name, &name##_desc);
    TRACE_TABLES(FIT)
#undef FIT
#define ADD(name, first) add_packing(&all, &t->name, &name##_desc, offsetof(struct name, first));
    TRACE_PACKED(ADD)
#undef ADD
    parallel_for(workers, all.n, pack_one, &all);
    for (size_t i = 0; i < all.n; i++)
        if (all.v[i].column == all.v[i].first)
            table_pack_end(all.v[i].table, all.v[i].desc, all.v[i].first);
    vec_fit(&t->symbols, &t->arena);
    vec_fit(&t->launches, &t->arena);
    strings_fit(&t->strings);
    arena_release(temporary);
}

uint64_t trace_text_most(const struct trace *t)
{
    enum { RATIO = 64, LARGE = 1 << 30, RATIO_LARGE = 16, ALWAYS = 64 << 20 };
    uint64_t given = input_allowed_unpacked(), files = 0, most = trace_bytes(t);
    if (given)
        return given;
    for (size_t i = 0; i < t->files.n; i++)
        files = add_bytes(files, t->files.v[i].bytes);
    most = files > most ? files : most;
    if (most < ALWAYS / RATIO)
        return ALWAYS;
    if (most < LARGE / RATIO)
        return most * RATIO;
    if (most < LARGE / RATIO_LARGE)
        return LARGE;
    return most < UINT64_MAX / RATIO_LARGE ? most * RATIO_LARGE : UINT64_MAX;
}

bool trace_text_fail(const struct trace *t, struct gs_error *err)
{
    char most[HUMAN_MAX];
    return fail(err, GS_E_FORMAT,
                "the rows of '%s' take more than %s as text: long names in many rows; where that "
                "is right, --max-unpacked SIZE allows more",
                t->files.n ? t->files.v[0].path : "", human_bytes(most, trace_text_most(t)));
}

struct span_job {
    const int64_t *start, *end;
    size_t n;
    struct {
        int64_t lo, hi;
        char padding[48]; /* workers do not share cache lines */
    } workers[PARALLEL_MAX];
};

enum { ROWS_PER_ITEM = 1 << 17 };

static void widen_some(void *ctx, size_t item, int worker)
{
    struct span_job *job = ctx;
    int64_t lo = job->workers[worker].lo, hi = job->workers[worker].hi;
    size_t end = (item + 1) * ROWS_PER_ITEM < job->n ? (item + 1) * ROWS_PER_ITEM : job->n;
    for (size_t i = item * ROWS_PER_ITEM; i < end; i++) {
        if (job->start[i] < lo)
            lo = job->start[i];
        if (job->end[i] > hi)
            hi = job->end[i];
        if (job->start[i] > hi) /* a record that ends before it starts still happened */
            hi = job->start[i];
    }
    job->workers[worker].lo = lo;
    job->workers[worker].hi = hi;
}

static void widen(struct span_job *job, int workers, const int64_t *start, const int64_t *end,
                  size_t n)
{
    job->start = start;
    job->end = end;
    job->n = n;
    parallel_for(workers, (n + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM, widen_some, job);
}

bool trace_span(const struct trace *t, int workers, int64_t *start_ns, int64_t *end_ns)
{
    struct span_job job;
    for (int w = 0; w < PARALLEL_MAX; w++) {
        job.workers[w].lo = INT64_MAX;
        job.workers[w].hi = INT64_MIN;
    }
    widen(&job, workers, t->kernels.start_ns, t->kernels.end_ns, t->kernels.n);
    widen(&job, workers, t->copies.start_ns, t->copies.end_ns, t->copies.n);
    widen(&job, workers, t->allocations.start_ns, t->allocations.end_ns, t->allocations.n);
    widen(&job, workers, t->regions.start_ns, t->regions.end_ns, t->regions.n);
    widen(&job, workers, t->markers.start_ns, t->markers.end_ns, t->markers.n);
    widen(&job, workers, t->samples.time_ns, t->samples.time_ns, t->samples.n);
    widen(&job, workers, t->telemetry.time_ns, t->telemetry.time_ns, t->telemetry.n);
    widen(&job, workers, t->pc_samples.time_ns, t->pc_samples.time_ns, t->pc_samples.n);
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (int w = 0; w < PARALLEL_MAX; w++) {
        lo = job.workers[w].lo < lo ? job.workers[w].lo : lo;
        hi = job.workers[w].hi > hi ? job.workers[w].hi : hi;
    }
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

bool trace_by_rocprofv3(const struct trace_file *f)
{
    return f->format == TRACE_ROCPD || f->format == TRACE_ROCPROFV3_JSON ||
           f->format == TRACE_ROCPROFV3_CSV;
}

enum vendor trace_vendor(const struct trace *t)
{
    for (size_t g = 0; g < t->gpus.n; g++)
        if (t->gpus.v[g].used)
            return t->gpus.v[g].vendor;
    if (t->gpus.n)
        return t->gpus.v[0].vendor;
    return t->files.n && t->files.v[0].format == TRACE_NSYS ? VENDOR_NVIDIA : VENDOR_AMD;
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

const char *memory_kind_name(uint8_t kind)
{
    static const char *const names[MEMORY_KINDS] = {"", "pageable", "pinned", "device", "managed"};
    return kind < MEMORY_KINDS ? names[kind] : "";
}

const char *const trace_format_names[] = {
    "",
#define FORMAT(id, name) name,
#define WRITER(id, name)
#include "model/origins.def"
#undef FORMAT
#undef WRITER
    NULL,
};

const char *const trace_writer_names[] = {
    "an unknown tool",
#define FORMAT(id, name)
#define WRITER(id, name) name,
#include "model/origins.def"
#undef FORMAT
#undef WRITER
    NULL,
};

const char *const vendor_names[] = {"unknown", "AMD", "NVIDIA", NULL};

const char *vendor_name(enum vendor v)
{
    return vendor_names[v];
}
