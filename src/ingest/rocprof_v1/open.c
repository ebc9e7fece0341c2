/*
 * results.csv of rocprof, the older profiler, and the same of its second version: a row a dispatch,
 * with its times where they were asked for, and a column for each counter.
 */
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/fs.h"
#include "base/input.h"
#include "base/mem.h"
#include "base/str.h"
#include "ingest/ingest.h"
#include "ingest/rank.h"
#include "ingest/rocprofv3/build.h"

enum column {
    INDEX,
    NAME,
    GPU,
    QUEUE,
    PID,
    TID,
    GRID,
    GROUP,
    LDS,
    SCRATCH,
    VGPR,
    ACCUM,
    SGPR,
    BEGIN,
    END,
    CORRELATION,
    COLUMNS
};

/* As the first version calls them, and the second. */
static const char *const names[COLUMNS][3] = {
    [INDEX] = {"Index", "Dispatch_ID"},
    [NAME] = {"KernelName", "Kernel_Name"},
    [GPU] = {"gpu-id", "GPU_ID"},
    [QUEUE] = {"queue-id", "Queue_ID"},
    [PID] = {"pid", "PID"},
    [TID] = {"tid", "TID"},
    [GRID] = {"grd", "Grid_Size"},
    [GROUP] = {"wgr", "Workgroup_Size"},
    [LDS] = {"lds", "LDS_Per_Workgroup"},
    [SCRATCH] = {"scr", "Scratch_Per_Workitem"},
    [VGPR] = {"arch_vgpr", "Arch_VGPR", "vgpr"},
    [ACCUM] = {"accum_vgpr", "Accum_VGPR"},
    [SGPR] = {"sgpr", "SGPR"},
    [BEGIN] = {"BeginNs", "Start_Timestamp"},
    [END] = {"EndNs", "End_Timestamp"},
    [CORRELATION] = {"Correlation_ID"},
};

/* Columns that are neither of these nor counters. */
static const char *const others[] = {"queue-index", "wave_size",  "Wave_Size",  "sig",        "obj",
                                     "fbar",        "DispatchNs", "CompleteNs", "DurationNs", ""};

#define NO_COLUMN ((size_t)-1)

struct rv1 {
    struct rv3_build build;
    struct trace *trace;
    struct csv csv;
    struct input in;
    size_t at[COLUMNS];
    VEC(size_t) counters; /* columns */
    VEC(uint32_t) counter_names;
    struct idmap processes; /* pid -> process of the build */
    VEC(uint64_t) pids;
    uint64_t no_time, rows;
    struct arena *arena;
};

static bool is(const char *text, size_t n, const char *name)
{
    return name && strlen(name) == n && !memcmp(text, name, n);
}

static bool is_other(const char *text, size_t n)
{
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (is(text, n, others[i]))
            return true;
    return false;
}

/* The header: true when it is that of dispatches. `counters` may be NULL. */
static bool read_header(struct csv *c, size_t *at, struct rv1 *r)
{
    for (int k = 0; k < COLUMNS; k++)
        at[k] = NO_COLUMN;
    for (size_t i = 0; i < c->n; i++) {
        size_t n;
        const char *text = csv_text(c, i, &n);
        bool known = is_other(text, n);
        for (int k = 0; k < COLUMNS && !known; k++)
            for (int v = 0; v < 3 && !known; v++)
                if (is(text, n, names[k][v])) {
                    known = true;
                    if (at[k] == NO_COLUMN)
                        at[k] = i;
                }
        if (!known && r) {
            vec_push(&r->counters, r->arena, i);
            vec_push(&r->counter_names, r->arena, strings_addn(&r->trace->strings, text, n));
        }
    }
    /* Other tools have tables of kernels, too; only these write all of these words. */
    return at[NAME] != NO_COLUMN && at[GPU] != NO_COLUMN && at[QUEUE] != NO_COLUMN &&
           at[GRID] != NO_COLUMN && at[GROUP] != NO_COLUMN && at[INDEX] != NO_COLUMN;
}

struct head {
    const char *p;
    size_t n;
};

static ptrdiff_t head_read(void *ctx, char *buf, size_t n)
{
    struct head *h = ctx;
    n = n < h->n ? n : h->n;
    memcpy(buf, h->p, n);
    h->p += n;
    h->n -= n;
    return (ptrdiff_t)n;
}

static bool detect(const struct probe *p)
{
    struct head head = {p->head, p->n};
    size_t at[COLUMNS];
    struct csv c;
    if (p->is_sqlite || memchr(p->head, '\0', p->n))
        return false;
    csv_open(&c, head_read, &head);
    bool ours = csv_row(&c) && read_header(&c, at, NULL);
    csv_release(&c);
    return ours;
}

/* ---- rows ---- */

static uint64_t id_at(struct rv1 *r, enum column c)
{
    uint64_t v;
    return csv_uint(&r->csv, r->at[c], &v) ? v : RV3_NO_ID;
}

static uint32_t small_at(struct rv1 *r, enum column c)
{
    uint64_t v = id_at(r, c);
    return v == RV3_NO_ID ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static uint32_t process_of(struct rv1 *r, uint64_t pid)
{
    uint32_t at = idmap_get(&r->processes, pid);
    if (at != NO_INDEX)
        return at;
    struct process p = {
        .rank = -1, .file = r->build.file, .pid = pid > INT32_MAX ? 0 : (int64_t)pid};
    at = rv3_process(&r->build, &p);
    idmap_put(&r->processes, pid, at);
    return at;
}

static uint32_t agent_of(struct rv1 *r, uint32_t process, uint64_t gpu)
{
    uint32_t slot = rv3_agent(&r->build, process, gpu);
    if (slot == NO_INDEX || r->build.agents.v[slot].agent != NO_INDEX)
        return slot;
    struct gpu g = {.vendor = VENDOR_AMD, .index = (int32_t)(gpu & 0xffff)};
    g.node_id = g.index;
    rv3_describe_agent(&r->build, slot, AGENT_GPU, g.index, &g);
    return slot;
}

static uint32_t symbol_of(struct rv1 *r, uint32_t process)
{
    size_t n;
    const char *text = csv_text(&r->csv, r->at[NAME], &n);
    uint32_t name = strings_addn(&r->trace->strings, text, n);
    uint32_t slot = rv3_symbol(&r->build, process, (uint64_t)name << 32 | small_at(r, VGPR));
    if (r->build.symbols.v[slot] == NO_INDEX) {
        struct symbol s = {.process = r->build.processes.v[process].process,
                           .mangled = name,
                           .id = (int64_t)slot + 1,
                           .vgprs = small_at(r, VGPR),
                           .accum_vgprs = small_at(r, ACCUM),
                           .sgprs = small_at(r, SGPR)};
        rv3_describe_symbol(&r->build, slot, &s, trace_str(r->trace, name));
    }
    return slot;
}

static void add_counters(struct rv1 *r, const struct rv3_kernel *k)
{
    uint32_t counted = r->counters.n ? rv3_counted(&r->build, k) : 0;
    for (size_t i = 0; i < r->counters.n; i++) {
        uint32_t name = r->counter_names.v[i];
        double value;
        uint32_t slot = rv3_counter(&r->build, k->process, (uint64_t)name << 32 | k->agent);
        if (!csv_num(&r->csv, r->counters.v[i], &value))
            continue;
        if (r->build.counters.v[slot] == NO_INDEX) {
            uint32_t agent = r->build.agents.v[k->agent].agent;
            struct counter_info c = {
                .name = name, .id = slot, .gpu = r->trace->agents.v[agent].gpu};
            rv3_describe_counter(&r->build, slot, &c);
        }
        rv3_add_counter(&r->build, counted, slot, 0, value);
    }
}

static void add_row(struct rv1 *r)
{
    int64_t start, end;
    csv_join(&r->csv, r->at[NAME]);
    bool timed = csv_int(&r->csv, r->at[BEGIN], &start) && csv_int(&r->csv, r->at[END], &end);
    uint64_t pid = id_at(r, PID), gpu = id_at(r, GPU);
    uint32_t process = process_of(r, pid == RV3_NO_ID ? 0 : pid);
    r->rows++;
    r->no_time += !timed;
    if (!timed)
        return;
    struct rv3_kernel k = {
        .process = process,
        .agent = agent_of(r, process, gpu == RV3_NO_ID ? 0 : gpu),
        .symbol = symbol_of(r, process),
        .start_ns = start,
        .end_ns = end,
        .dispatch = r->rows,
        .correlation = id_at(r, CORRELATION),
        .thread = id_at(r, TID),
        .queue = id_at(r, QUEUE),
        .stream = id_at(r, QUEUE),
        .launch = {.grid = {small_at(r, GRID), 1, 1}, /* only the product is there */
                   .group = {small_at(r, GROUP), 1, 1},
                   .lds_bytes = small_at(r, LDS),
                   .scratch_bytes = small_at(r, SCRATCH)},
    };
    rv3_add_kernel(&r->build, &k);
    add_counters(r, &k);
}

static void release(void *reader)
{
    struct rv1 *r = reader;
    csv_release(&r->csv);
    input_close(&r->in);
}

static bool load(struct trace *t, const char *path, const struct ingest_opts *o,
                 struct arena *arena, struct gs_error *err)
{
    struct rv1 *r = arena_new(arena, struct rv1);
    int64_t size = fs_size(path);
    struct trace_file f = {.path = path,
                           .format = "rocprof-csv",
                           .flavor = "rocprof",
                           .schema_version = "",
                           .tool_version = "",
                           .guid = "",
                           .reader = "fast",
                           .bytes = size < 0 ? 0 : (uint64_t)size};
    *r = (struct rv1){.trace = t, .arena = arena};
    if (!input_open(&r->in, path, err))
        return false;
    r->in.progress = o->progress;
    arena_defer(arena, release, r);
    idmap_init(&r->processes, arena);
    rv3_init(&r->build, t, (uint32_t)t->files.n, arena);
    vec_push(&t->files, &t->arena, f);
    csv_open(&r->csv, input_read, &r->in);
    if (csv_row(&r->csv) && read_header(&r->csv, r->at, r))
        while (csv_row(&r->csv))
            add_row(r);
    bool ok = csv_end(&r->csv, err);
    if (!input_error(&r->in, err) || !ok)
        return false;
    if (r->rows && r->no_time == r->rows)
        return fail(err, GS_E_FORMAT,
                    "dispatches without times; capture them with 'rocprof --timestamp on', or with "
                    "rocprofv3");
    trace_note(t, NOTE_NULL, r->no_time, "dispatches without times, passed over");
    rv3_finish(&r->build);
    for (size_t i = 0; i < r->build.processes.n; i++)
        rank_from_path(&t->processes.v[r->build.processes.v[i].process], path);
    rv3_count(&r->build, strings_add(&t->strings, "KERNEL_DISPATCH"),
              t->kernels.n - r->build.first_kernel);
    return true;
}

const struct format format_rocprof_v1 = {
    .name = "rocprof-csv",
    .label = "CSV of the older rocprof",
    .detect = detect,
    .load = load,
};
