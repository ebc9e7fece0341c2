/*
 * Tables of events: the columns of the trace as they are, and beside them what people look for and
 * the trace keeps elsewhere: names, durations, GPU, process.
 */
#include <stddef.h>

#include "api/api.h"
#include "base/sat.h"

/* ---- a column of the trace ---- */

struct raw {
    const char *name;
    enum gs_type type;
    size_t offset; /* of the array in struct trace */
    const char *unit, *doc;
};

#define RAW(table, column, type, unit, doc)                                                        \
    {                                                                                              \
#column, type, offsetof(struct trace, table.column), unit, doc                             \
    }

static struct gs_column *describe(struct gs_column *c, const char *unit, const char *doc)
{
    c->unit = unit;
    c->doc = doc;
    return c;
}

/*
 * Texts by number: only those that occur, in the order in which they first do, so that a
 * dictionary is no larger than it must be. `of` leads from rows to ids; NULL: ids are by row.
 */
static void add_texts(struct api_columns *c, struct gs_run *run, const char *name, const char *doc,
                      const uint32_t *of, const uint32_t *ids, size_t n_ids, size_t rows)
{
    const struct strings *s = &run->run->trace.strings;
    uint32_t *seen = arena_array(arena_scratch(), uint32_t, s->n + 1); /* code + 1 */
    uint32_t *v = arena_array(c->arena, uint32_t, rows + 1);
    VEC(const char *) texts = {0};
    for (size_t i = 0; i < rows; i++) {
        size_t at = of ? of[i] : i;
        uint32_t id = at < n_ids ? ids[at] : GS_NONE;
        v[i] = GS_NONE;
        if (id >= s->n)
            continue;
        if (!seen[id]) {
            vec_push(&texts, c->arena, s->v[id].text);
            seen[id] = (uint32_t)texts.n;
        }
        v[i] = seen[id] - 1;
    }
    struct gs_column *column = describe(api_column(c, name, GS_CODE, v, 0), "", doc);
    column->texts = texts.v;
    column->n_texts = texts.n;
}

static void add_raw(struct api_columns *c, struct gs_run *run, const struct raw *raw, size_t n,
                    size_t rows)
{
    const char *t = (const char *)&run->run->trace;
    for (size_t i = 0; i < n; i++) {
        const void *data = *(const void *const *)(const void *)(t + raw[i].offset);
        if (raw[i].type == GS_CODE)
            add_texts(c, run, raw[i].name, raw[i].doc, NULL, data, rows, rows);
        else
            describe(api_column(c, raw[i].name, raw[i].type, data, 0), raw[i].unit, raw[i].doc);
    }
}

/* ---- what is looked up ---- */

static void add_duration(struct api_columns *c, const int64_t *start, const int64_t *end, size_t n)
{
    int64_t *v = arena_array(c->arena, int64_t, n + 1);
    for (size_t i = 0; i < n; i++)
        v[i] = sub_ns(end[i], start[i]);
    describe(api_column(c, "duration_ns", GS_INT64, v, 0), "ns", "end - start");
}

/* A property of the entity that each row names: entity by index -> value, looked up once each. */
struct lookup {
    const uint32_t *of; /* by row: entity */
    size_t rows, entities;
};

static void add_int32(struct api_columns *c, const char *name, const char *doc, struct lookup l,
                      const int32_t *values)
{
    int32_t *v = arena_array(c->arena, int32_t, l.rows + 1);
    for (size_t i = 0; i < l.rows; i++)
        v[i] = l.of[i] < l.entities ? values[l.of[i]] : -1;
    describe(api_column(c, name, GS_INT32, v, 0), "", doc);
}

static void add_int64(struct api_columns *c, const char *name, const char *doc, struct lookup l,
                      const int64_t *values)
{
    int64_t *v = arena_array(c->arena, int64_t, l.rows + 1);
    for (size_t i = 0; i < l.rows; i++)
        v[i] = l.of[i] < l.entities ? values[l.of[i]] : -1;
    describe(api_column(c, name, GS_INT64, v, 0), "", doc);
}

static void add_codes(struct api_columns *c, struct gs_run *run, const char *name, const char *doc,
                      struct lookup l, const uint32_t *values)
{
    add_texts(c, run, name, doc, l.of, values, l.entities, l.rows);
}

/* One value of each entity; `expr` may use e, the entity, and t, the trace. */
#define VALUES(c, type, list, expr, out)                                                           \
    type *out = arena_array((c)->arena, type, (list).n + 1);                                       \
    for (size_t i_ = 0; i_ < (list).n; i_++) {                                                     \
        const __typeof__((list).v[0]) *e = &(list).v[i_];                                          \
        out[i_] = expr;                                                                            \
    }

static void add_stream(struct api_columns *c, const struct trace *t, const uint32_t *stream,
                       size_t n)
{
    struct lookup l = {stream, n, t->streams.n};
    VALUES(c, int32_t, t->streams, e->gpu < t->gpus.n ? t->gpus.v[e->gpu].index : -1, gpus)
    VALUES(c, int64_t, t->streams, t->processes.v[e->process].pid, pids)
    VALUES(c, int64_t, t->streams, e->id, ids)
    add_int32(c, "gpu", "number of the GPU on its host; -1: not known", l, gpus);
    add_int64(c, "pid", "process; -1: not known", l, pids);
    add_int64(c, "stream_id", "stream, as the profiler numbers it; -1: not known", l, ids);
}

static void add_thread(struct api_columns *c, const struct trace *t, const uint32_t *thread,
                       size_t n)
{
    struct lookup l = {thread, n, t->threads.n};
    VALUES(c, int64_t, t->threads, t->processes.v[e->process].pid, pids)
    VALUES(c, int64_t, t->threads, e->tid, tids)
    add_int64(c, "pid", "process; -1: not known", l, pids);
    add_int64(c, "tid", "thread, as the system numbers it; -1: not known", l, tids);
}

static void add_words(struct api_columns *c, const char *name, const char *doc, const uint8_t *kind,
                      size_t n, const char *const *words, size_t n_words)
{
    uint32_t *v = arena_array(c->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++)
        v[i] = kind[i] < n_words ? kind[i] : GS_NONE;
    struct gs_column *column = describe(api_column(c, name, GS_CODE, v, 0), "", doc);
    column->texts = words;
    column->n_texts = n_words;
}

/* Where some rows have BYTES_UNKNOWN, those are not valid. */
static void add_sizes(struct api_columns *c, const uint64_t *bytes, size_t n)
{
    struct gs_column *column = api_column(c, "bytes", GS_UINT64, bytes, 0);
    describe(column, "bytes", "size, where it was recorded");
    uint8_t *valid = NULL;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == BYTES_UNKNOWN && !valid) {
            valid = arena_alloc(c->arena, n);
            for (size_t k = 0; k < n; k++)
                valid[k] = bytes[k] != BYTES_UNKNOWN;
        }
    }
    column->valid = valid;
}

/* ---- the tables ---- */

#define CALL_DOC "row of the call in \"calls\"; 4294967295: not known"

static void make_kernels(struct api_columns *c, struct gs_run *run)
{
    static const struct raw raw[] = {
        RAW(kernels, start_ns, GS_INT64, "ns", "start"),
        RAW(kernels, end_ns, GS_INT64, "ns", "end"),
        RAW(kernels, id, GS_INT64, "", "dispatch, as the profiler numbers it"),
        RAW(kernels, call, GS_UINT32, "", CALL_DOC),
    };
    const struct trace *t = &run->run->trace;
    const struct kernels *k = &t->kernels;
    struct lookup symbol = {k->symbol, k->n, t->symbols.n},
                  launch = {k->launch, k->n, t->launches.n};
    VALUES(c, uint32_t, t->symbols, e->name, names)
    VALUES(c, uint32_t, t->symbols, e->short_name, shorts)
    VALUES(c, int64_t, t->launches, (int64_t)e->grid[0] * e->grid[1] * e->grid[2], grids)
    VALUES(c, int64_t, t->launches, (int64_t)e->group[0] * e->group[1] * e->group[2], groups)
    add_raw(c, run, raw, ARRAY_LEN(raw), k->n);
    add_duration(c, k->start_ns, k->end_ns, k->n);
    add_codes(c, run, "name", "full name", symbol, names);
    add_codes(c, run, "short_name", "name for tables", symbol, shorts);
    add_stream(c, t, k->stream, k->n);
    add_int64(c, "grid", "work-items (threads) in all", launch, grids);
    add_int64(c, "workgroup", "work-items (threads) of a group", launch, groups);
}

static void make_copies(struct api_columns *c, struct gs_run *run)
{
    static const struct raw raw[] = {
        RAW(copies, start_ns, GS_INT64, "ns", "start"),
        RAW(copies, end_ns, GS_INT64, "ns", "end"),
        RAW(copies, id, GS_INT64, "", "copy, as the profiler numbers it"),
        RAW(copies, call, GS_UINT32, "", CALL_DOC),
    };
    const struct trace *t = &run->run->trace;
    const char **kinds = arena_array(c->arena, const char *, COPY_KINDS);
    for (int i = 0; i < COPY_KINDS; i++)
        kinds[i] = copy_kind_name((enum copy_kind)i);
    add_raw(c, run, raw, ARRAY_LEN(raw), t->copies.n);
    add_duration(c, t->copies.start_ns, t->copies.end_ns, t->copies.n);
    add_sizes(c, t->copies.bytes, t->copies.n);
    add_words(c, "kind", "direction", t->copies.kind, t->copies.n, kinds, COPY_KINDS);
    add_stream(c, t, t->copies.stream, t->copies.n);
}

static void make_calls(struct api_columns *c, struct gs_run *run)
{
    static const struct raw raw[] = {
        RAW(regions, start_ns, GS_INT64, "ns", "start"),
        RAW(regions, end_ns, GS_INT64, "ns", "end"),
        RAW(regions, id, GS_INT64, "", "call, as the profiler numbers it"),
        RAW(regions, name, GS_CODE, "", "function"),
    };
    const struct trace *t = &run->run->trace;
    const char **kinds = arena_array(c->arena, const char *, REGION_KINDS);
    for (int i = 0; i < REGION_KINDS; i++)
        kinds[i] = region_kind_name((enum region_kind)i);
    add_raw(c, run, raw, ARRAY_LEN(raw), t->regions.n);
    add_duration(c, t->regions.start_ns, t->regions.end_ns, t->regions.n);
    add_words(c, "kind", "layer it belongs to", t->regions.kind, t->regions.n, kinds, REGION_KINDS);
    add_thread(c, t, t->regions.thread, t->regions.n);
}

static void make_markers(struct api_columns *c, struct gs_run *run)
{
    static const struct raw raw[] = {
        RAW(markers, start_ns, GS_INT64, "ns", "start"),
        RAW(markers, end_ns, GS_INT64, "ns", "end; the start of instants"),
        RAW(markers, id, GS_INT64, "", "marker, as the profiler numbers it"),
        RAW(markers, name, GS_CODE, "", "text"),
        RAW(markers, domain, GS_CODE, "", "domain"),
    };
    static const char *const kinds[] = {"thread range", "process range", "instant"};
    const struct trace *t = &run->run->trace;
    add_raw(c, run, raw, ARRAY_LEN(raw), t->markers.n);
    add_duration(c, t->markers.start_ns, t->markers.end_ns, t->markers.n);
    add_words(c, "kind", "range or instant", t->markers.kind, t->markers.n, kinds,
              ARRAY_LEN(kinds));
    add_thread(c, t, t->markers.thread, t->markers.n);
}

static void make_allocations(struct api_columns *c, struct gs_run *run)
{
    static const struct raw raw[] = {
        RAW(allocations, start_ns, GS_INT64, "ns", "start"),
        RAW(allocations, end_ns, GS_INT64, "ns", "end"),
        RAW(allocations, id, GS_INT64, "", "record, as the profiler numbers it"),
        RAW(allocations, address, GS_UINT64, "", "address"),
        RAW(allocations, call, GS_UINT32, "", CALL_DOC),
    };
    static const char *const ops[] = {"allocate", "free", "reallocate", "reclaim"};
    static const char *const levels[] = {"real", "virtual", "scratch"};
    const struct trace *t = &run->run->trace;
    const struct allocations *a = &t->allocations;
    add_raw(c, run, raw, ARRAY_LEN(raw), a->n);
    add_duration(c, a->start_ns, a->end_ns, a->n);
    add_sizes(c, a->bytes, a->n);
    add_words(c, "op", "what happened", a->op, a->n, ops, ARRAY_LEN(ops));
    add_words(c, "level", "kind of memory", a->level, a->n, levels, ARRAY_LEN(levels));
    add_thread(c, t, a->thread, a->n);
}

static void make_counters(struct api_columns *c, struct gs_run *run)
{
    static const struct raw raw[] = {
        RAW(counters, value, GS_DOUBLE, "", "value"),
        RAW(counters, kernel, GS_UINT32, "", "row in \"kernels\"; 4294967295: none"),
        RAW(counters, instance, GS_UINT32, "", "hardware instance"),
    };
    const struct trace *t = &run->run->trace;
    struct lookup l = {t->counters.counter, t->counters.n, t->counter_infos.n};
    VALUES(c, uint32_t, t->counter_infos, e->name, names)
    add_raw(c, run, raw, ARRAY_LEN(raw), t->counters.n);
    add_codes(c, run, "name", "counter", l, names);
}

static void make_samples(struct api_columns *c, struct gs_run *run)
{
    static const struct raw raw[] = {
        RAW(samples, time_ns, GS_INT64, "ns", "moment"),
        RAW(samples, name, GS_CODE, "", "what was seen"),
    };
    const struct trace *t = &run->run->trace;
    add_raw(c, run, raw, ARRAY_LEN(raw), t->samples.n);
    add_thread(c, t, t->samples.thread, t->samples.n);
}

static void make_telemetry(struct api_columns *c, struct gs_run *run)
{
    static const struct raw raw[] = {
        RAW(telemetry, time_ns, GS_INT64, "ns", "moment"),
        RAW(telemetry, value, GS_DOUBLE, "", "value"),
    };
    const struct trace *t = &run->run->trace;
    struct lookup l = {t->telemetry.series, t->telemetry.n, t->series.n};
    VALUES(c, uint32_t, t->series, e->name, names)
    VALUES(c, uint32_t, t->series, e->units, units)
    VALUES(c, int32_t, t->series, e->gpu < t->gpus.n ? t->gpus.v[e->gpu].index : -1, gpus)
    add_raw(c, run, raw, ARRAY_LEN(raw), t->telemetry.n);
    add_codes(c, run, "series", "what is measured", l, names);
    add_codes(c, run, "units", "of the value", l, units);
    add_int32(c, "gpu", "number of the GPU on its host; -1: the host", l, gpus);
}

static const struct event_table {
    const char *name, *doc;
    size_t offset; /* of the table in struct trace */
    void (*make)(struct api_columns *c, struct gs_run *run);
} event_tables[] = {
    {"kernels", "Dispatches, as recorded.", offsetof(struct trace, kernels), make_kernels},
    {"copies", "Copies and fills of memory, as recorded.", offsetof(struct trace, copies),
     make_copies},
    {"calls", "Calls on the host, as recorded.", offsetof(struct trace, regions), make_calls},
    {"markers", "What the program wrote into the trace.", offsetof(struct trace, markers),
     make_markers},
    {"allocations", "Allocations and frees, as recorded.", offsetof(struct trace, allocations),
     make_allocations},
    {"counters", "Values of hardware counters, a row for each dispatch and instance.",
     offsetof(struct trace, counters), make_counters},
    {"samples", "Samples of the host's call stacks.", offsetof(struct trace, samples),
     make_samples},
    {"telemetry", "Power, clocks and load over time.", offsetof(struct trace, telemetry),
     make_telemetry},
};

static void make_events(struct gs_run *run, struct api_table *t)
{
    const struct event_table *e = t->source;
    struct api_columns c = {.arena = &run->arena};
    e->make(&c, run);
    t->table.column = c.v.v;
    t->table.columns = c.v.n;
}

void api_list_events(struct gs_run *run)
{
    for (size_t i = 0; i < ARRAY_LEN(event_tables); i++) {
        const struct event_table *e = &event_tables[i];
        const struct table *rows = (const void *)((const char *)&run->run->trace + e->offset);
        struct api_table t = {.name = e->name, .make = make_events, .source = e};
        t.table = (gs_table){.name = e->name, .doc = e->doc, .rows = rows->n};
        vec_push(&run->events, &run->arena, t);
    }
}
