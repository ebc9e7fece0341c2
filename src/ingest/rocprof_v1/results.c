/*
 * results.csv of rocprof, the older profiler, and the same of its second version: a row a dispatch,
 * with its times where they were asked for, and a column for each counter.
 */
#include <math.h>
#include <string.h>

#include "base/input.h"
#include "base/str.h"
#include "ingest/detect.h"
#include "ingest/rocprof_v1/rv1.h"

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

struct reading {
    struct rv1 *r;
    struct csv *csv;
    size_t at[COLUMNS];
    VEC(size_t) counters; /* columns */
    VEC(uint32_t) counter_names;
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

/* The header: true when it is that of dispatches. `g` takes the counters; NULL: they are passed over. */
static bool read_header(struct csv *c, size_t *at, struct reading *g)
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
        if (!known && g) {
            vec_push(&g->counters, g->r->arena, i);
            vec_push(&g->counter_names, g->r->arena, strings_addn(&g->r->trace->strings, text, n));
        }
    }
    /* Other tools have tables of kernels, too; only these write all of these words. */
    return at[NAME] != NO_COLUMN && at[GPU] != NO_COLUMN && at[QUEUE] != NO_COLUMN &&
           at[GRID] != NO_COLUMN && at[GROUP] != NO_COLUMN && at[INDEX] != NO_COLUMN;
}

static bool is_ours(struct csv *c)
{
    size_t at[COLUMNS];
    return read_header(c, at, NULL);
}

bool rv1_is_results(const struct probe *p)
{
    return detect_header(p, is_ours);
}

/* ---- rows ---- */

static uint64_t id_at(struct reading *g, enum column c)
{
    uint64_t v;
    return csv_uint(g->csv, g->at[c], &v) ? v : RV3_NO_ID;
}

static uint32_t small_at(struct reading *g, enum column c)
{
    uint64_t v = id_at(g, c);
    return v == RV3_NO_ID ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static uint32_t symbol_of(struct reading *g, uint32_t process)
{
    size_t n;
    const char *text = csv_text(g->csv, g->at[NAME], &n);
    struct symbol s = {
        .vgprs = small_at(g, VGPR), .accum_vgprs = small_at(g, ACCUM), .sgprs = small_at(g, SGPR)};
    return rv1_symbol(g->r, process, text, n, &s);
}

static void add_counters(struct reading *g, const struct rv3_kernel *k)
{
    struct rv1 *r = g->r;
    uint32_t counted = g->counters.n ? rv3_counted(&r->build, k) : 0;
    for (size_t i = 0; i < g->counters.n; i++) {
        uint32_t name = g->counter_names.v[i];
        double value;
        uint32_t slot = rv3_counter(&r->build, k->process, (uint64_t)name << 32 | k->agent);
        if (!csv_num(g->csv, g->counters.v[i], &value))
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

static void add_row(struct reading *g)
{
    struct rv1 *r = g->r;
    int64_t start, end;
    csv_join(g->csv, g->at[NAME]);
    bool timed = csv_int(g->csv, g->at[BEGIN], &start) && csv_int(g->csv, g->at[END], &end);
    uint64_t pid = id_at(g, PID), gpu = id_at(g, GPU);
    uint32_t process = rv1_process(r, pid == RV3_NO_ID ? 0 : pid);
    r->dispatches++;
    r->no_time += !timed;
    r->lower += timed && r->has_ops;
    if (!timed || r->has_ops)
        return;
    struct rv3_kernel k = {
        .process = process,
        .agent = rv1_agent(r, process, gpu == RV3_NO_ID ? 0 : gpu),
        .symbol = symbol_of(g, process),
        .start_ns = start,
        .end_ns = end,
        .dispatch = r->dispatches,
        .correlation = id_at(g, CORRELATION),
        .thread = id_at(g, TID),
        .queue = id_at(g, QUEUE),
        .stream = id_at(g, QUEUE),
        .launch = {.grid = {small_at(g, GRID), 1, 1}, /* only the product is there */
                   .group = {small_at(g, GROUP), 1, 1},
                   .lds_bytes = small_at(g, LDS),
                   .scratch_bytes = small_at(g, SCRATCH)},
    };
    rv3_count(&r->build, strings_add(&r->trace->strings, "KERNEL_DISPATCH"), 1);
    rv3_add_kernel(&r->build, &k);
    add_counters(g, &k);
}

bool rv1_read_results(struct rv1 *r, const char *path, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct input *in = input_new(temporary, path, err);
    struct reading *g = arena_new(temporary, struct reading);
    *g = (struct reading){.r = r, .csv = in ? csv_new(temporary, input_read, in) : NULL};
    if (in)
        in->progress = r->progress;
    if (in && csv_row(g->csv) && read_header(g->csv, g->at, g))
        while (csv_row(g->csv))
            add_row(g);
    bool ok = in && csv_end(g->csv, err);
    if (in && !input_error(in, err))
        ok = false;
    arena_release(temporary);
    return ok;
}
