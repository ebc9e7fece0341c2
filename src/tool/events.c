/* One kernel, one event: the way down from a table to the rows it is made of. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tool/ask.h"

/* A row of the trace, whatever its kind. */
struct event_row {
    const char *kind, *name;
    int64_t id, start_ns, end_ns, duration_ns;
    int32_t gpu;
    int64_t stream, pid, tid;
    const char *grid, *group, *direction;
    uint64_t bytes;
    bool has_bytes, has_call;
    const char *call_name;
    int64_t call_id, call_start_ns, call_end_ns;
};

struct event_rows {
    struct event_row *v;
    size_t n, cap;
};

static const char *sizes(const uint32_t *v, struct arena *arena)
{
    return arena_printf(arena, "%ux%ux%u", v[0], v[1], v[2]);
}

static void place(struct event_row *e, const struct trace *t, uint32_t stream, uint32_t thread)
{
    e->gpu = -1;
    e->stream = e->pid = e->tid = -1;
    if (stream < t->streams.n) {
        const struct stream *s = &t->streams.v[stream];
        e->stream = s->id;
        e->gpu = s->gpu < t->gpus.n ? t->gpus.v[s->gpu].index : -1;
        e->pid = s->process < t->processes.n ? t->processes.v[s->process].pid : -1;
    }
    if (thread < t->threads.n) {
        e->tid = t->threads.v[thread].tid;
        uint32_t process = t->threads.v[thread].process;
        e->pid = process < t->processes.n ? t->processes.v[process].pid : e->pid;
    }
}

static void caused_by(struct event_row *e, const struct trace *t, uint32_t call)
{
    if (call >= t->regions.n)
        return;
    e->has_call = true;
    e->call_name = trace_str(t, t->regions.name[call]);
    e->call_id = regions_id_at(t, call);
    e->call_start_ns = t->regions.start_ns[call];
    e->call_end_ns = t->regions.end_ns[call];
}

#define TIMES(e, table, row)                                                                       \
    ((e)->start_ns = (table)->start_ns[row], (e)->end_ns = (table)->end_ns[row],                   \
     (e)->duration_ns = (table)->end_ns[row] - (table)->start_ns[row])

static struct event_row of_kernel(const struct trace *t, size_t row, struct arena *arena)
{
    const struct kernels *k = &t->kernels;
    struct event_row e = {.kind = "dispatch"};
    TIMES(&e, k, row);
    e.id = kernels_id_at(t, row);
    e.name = trace_str(t, t->symbols.v[k->symbol[row]].name);
    place(&e, t, k->stream[row], kernels_thread_at(t, row));
    uint32_t launch = kernels_launch_at(t, row);
    if (launch < t->launches.n) {
        e.grid = sizes(t->launches.v[launch].grid, arena);
        e.group = sizes(t->launches.v[launch].group, arena);
    }
    caused_by(&e, t, k->call[row]);
    return e;
}

static struct event_row of_copy(const struct trace *t, size_t row, struct arena *arena)
{
    const struct copies *c = &t->copies;
    struct event_row e = {.kind = "copy"};
    (void)arena;
    TIMES(&e, c, row);
    e.id = copies_id_at(t, row);
    e.name = e.direction = copy_kind_name((enum copy_kind)c->kind[row]);
    place(&e, t, c->stream[row], copies_thread_at(t, row));
    e.has_bytes = c->bytes[row] != BYTES_UNKNOWN;
    e.bytes = c->bytes[row];
    caused_by(&e, t, c->call[row]);
    return e;
}

#define OF_NAMED(word, table)                                                                      \
    static struct event_row of_##word(const struct trace *t, size_t row, struct arena *arena)      \
    {                                                                                              \
        struct event_row e = {.kind = #word};                                                      \
        (void)arena;                                                                               \
        TIMES(&e, &t->table, row);                                                                 \
        e.id = table##_id_at(t, row);                                                              \
        e.name = trace_str(t, t->table.name[row]);                                                 \
        place(&e, t, NO_INDEX, t->table.thread[row]);                                              \
        return e;                                                                                  \
    }
OF_NAMED(region, regions)
OF_NAMED(marker, markers)

#define T struct event_row
#define INT_OR_NULL(member, key, doc) OR_NULL(T, member, FIELD_I64, key, doc)
#define OF_CALL(member, key, doc) OR_NULL(T, member, FIELD_I64, key, doc, .flag = FLAG(T, has_call))
PART(event_fields, T,
     ALWAYS(T, kind, FIELD_TEXT, "kind", "dispatch, copy, region (a host call) or marker"),
     ALWAYS(T, id, FIELD_I64, "id", "as the profiler numbers it"),
     ALWAYS(T, name, FIELD_TEXT, "name", "of the kernel, the call or the marker"),
     ALWAYS(T, start_ns, FIELD_I64, "start_ns", "in the trace's clock"),
     ALWAYS(T, end_ns, FIELD_I64, "end_ns", "in the trace's clock"),
     ALWAYS(T, duration_ns, FIELD_I64, "duration_ns", "end_ns - start_ns"),
     OR_NULL(T, gpu, FIELD_I32, "gpu", "number of the GPU on its host"),
     INT_OR_NULL(stream, "stream", "as the profiler numbers it"),
     INT_OR_NULL(pid, "pid", "process"), INT_OR_NULL(tid, "tid", "thread"),
     OR_NULL(T, grid, FIELD_TEXT, "grid", "work-items of a dispatch"),
     OR_NULL(T, group, FIELD_TEXT, "workgroup", "work-items of a work-group"),
     OR_NULL(T, direction, FIELD_TEXT, "direction", "of a copy"),
     OR_NULL(T, bytes, FIELD_U64, "bytes", "of a copy", .flag = FLAG(T, has_bytes)),
     OR_NULL(T, call_name, FIELD_TEXT, "call", "host call that caused it"),
     OF_CALL(call_id, "call_id", "of it: kind 'region'"),
     OF_CALL(call_start_ns, "call_start_ns", "when it began"),
     OF_CALL(call_end_ns, "call_end_ns", "when it ended"));
#undef T

/* ---- event ---- */

static const struct {
    const char *kind;
    struct event_row (*row)(const struct trace *t, size_t row, struct arena *arena);
    int64_t (*id)(const struct trace *t, size_t row);
    size_t table; /* in the trace */
} kinds[] = {{"dispatch", of_kernel, kernels_id_at, offsetof(struct trace, kernels)},
             {"copy", of_copy, copies_id_at, offsetof(struct trace, copies)},
             {"region", of_region, regions_id_at, offsetof(struct trace, regions)},
             {"marker", of_marker, markers_id_at, offsetof(struct trace, markers)}};

static size_t rows_of(const struct trace *t, size_t kind)
{
    return ((const struct table *)(const void *)((const char *)t + kinds[kind].table))->n;
}

struct events_doc {
    struct tool_head head;
    struct event_rows events;
};

static const void *call_event(struct tool_ask *ask, struct gs_error *err)
{
    struct events_doc *d = arena_new(ask->arena, struct events_doc);
    struct event_rows rows = {0};
    char *end;
    long long id = strtoll(ask->args.id, &end, 10);
    tool_head_set(ask, &d->head);
    if (end == ask->args.id || *end) {
        fail(err, GS_E_USAGE, "argument 'id' must be a number, not '%.80s'", ask->args.id);
        return NULL;
    }
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        if (ask->args.kind && !str_eq(ask->args.kind, kinds[k].kind))
            continue;
        for (size_t i = 0; i < rows_of(&ask->run->trace, k); i++)
            if (kinds[k].id(&ask->run->trace, i) == id)
                vec_push(&rows, ask->arena, kinds[k].row(&ask->run->trace, i, ask->arena));
    }
    if (!rows.n) {
        fail(err, GS_E_USAGE, "no %s has the id %lld", ask->args.kind ? ask->args.kind : "event",
             id);
        return NULL;
    }
    tool_rows(ask, &d->events, rows.v, rows.n);
    return d;
}

#define T struct events_doc
PART(event_result, T, TOOL_HEAD(T),
     ALWAYS(T, events, FIELD_LIST, "events", "several where processes number alike",
            .of = &event_fields));
#undef T
static const struct field event_params_list[] = {
    P_TRACE,
    ALWAYS(struct tool_args, id, FIELD_TEXT, "id", "number of the event, as in evidence"),
    P(kind, FIELD_TEXT, "what it is", .words = WORDS("dispatch", "copy", "region", "marker")),
    P_PAGE,
};
static const struct fields event_params = FIELDS("", "", struct tool_args, event_params_list);

const struct tool tool_event = {
    .name = "event",
    .title = "One event",
    .description = "A dispatch, copy, host call or marker by the id that evidence gives: when, "
                   "where, how large, and the call that caused it",
    .params = &event_params,
    .result = &event_result,
    .needs_run = true,
    .call = call_event,
};

/* ---- kernel ---- */

enum { LONGEST = 100 };

struct kernel_doc {
    struct tool_head head;
    const struct hotspot *kernel;
    uint64_t candidates;
    VEC(struct resource_row) resources;
    struct event_rows longest;
};

struct longest {
    uint32_t row[LONGEST];
    int64_t ns[LONGEST];
    size_t n;
};

/* Kept longest first; the earlier row at a draw. */
static void note_row(struct longest *l, uint32_t row, int64_t ns)
{
    if (l->n == LONGEST && ns <= l->ns[LONGEST - 1])
        return;
    size_t at = l->n < LONGEST ? l->n++ : LONGEST - 1;
    for (; at && l->ns[at - 1] < ns; at--) {
        l->ns[at] = l->ns[at - 1];
        l->row[at] = l->row[at - 1];
    }
    l->ns[at] = ns;
    l->row[at] = row;
}

static void find_longest(struct longest *l, const struct analysis *a, uint32_t name)
{
    const struct kernels *k = &a->trace->kernels;
    const struct symbol *symbols = a->trace->symbols.v;
    for (size_t g = 0; g < a->view.n_gpus; g++)
        for (size_t i = 0; i < a->view.gpus[g].n_kernels; i++) {
            uint32_t row = a->view.gpus[g].kernels[i];
            if (symbols[k->symbol[row]].name == name)
                note_row(l, row, kernel_ns(a, row));
        }
}

/* By rank, full name, short name, or a part of the name: the first of those in this order. */
static const struct hotspot *find_kernel(const struct analysis *a, const char *name,
                                         uint64_t *candidates)
{
    const struct hotspot *found = NULL;
    char *end;
    unsigned long rank = strtoul(name, &end, 10);
    if (*name && !*end && rank && rank <= a->hotspots.n)
        return &a->hotspots.v[rank - 1];
    for (int how = 0; how < 3 && !found; how++) {
        *candidates = 0;
        for (size_t i = 0; i < a->hotspots.n; i++) {
            const struct hotspot *h = &a->hotspots.v[i];
            bool fits = how == 0   ? str_eq(h->name, name)
                        : how == 1 ? str_eq(h->short_name, name)
                                   : str_has_fold(h->name, name);
            *candidates += fits;
            found = fits && !found ? h : found;
        }
    }
    return found;
}

static const void *call_kernel(struct tool_ask *ask, struct gs_error *err)
{
    struct kernel_doc *d = arena_new(ask->arena, struct kernel_doc);
    struct longest *l = arena_new(ask->arena, struct longest);
    struct event_rows rows = {0};
    VEC(struct resource_row) resources = {0};
    d->candidates = 1;
    d->kernel = find_kernel(ask->a, ask->args.name, &d->candidates);
    tool_head_set(ask, &d->head);
    if (!d->kernel) {
        fail(err, GS_E_USAGE, "no kernel '%.200s'; 'hotspots' lists all", ask->args.name);
        return NULL;
    }
    find_longest(l, ask->a, d->kernel->name_id);
    for (size_t i = 0; i < l->n; i++)
        vec_push(&rows, ask->arena, of_kernel(ask->a->trace, l->row[i], ask->arena));
    const struct analysis *whole = ask->run->analysis;
    for (size_t i = 0; i < whole->resources.n; i++)
        if (str_eq(whole->resources.v[i].name, d->kernel->name))
            vec_push(&resources, ask->arena, whole->resources.v[i]);
    tool_rows(ask, &d->longest, rows.v, rows.n);
    tool_rows(ask, &d->resources, resources.v, resources.n);
    if (!ask->args.has_limit)
        ask->limit = 5;
    return d;
}

#define T struct kernel_doc
PART(kernel_result, T, TOOL_HEAD(T),
     ALWAYS(T, kernel, FIELD_REF, "kernel", "as in 'hotspots'", .of = &hotspot_fields),
     ALWAYS(T, candidates, FIELD_U64, "candidates",
            "kernels that the name fits; the one with most time is shown"),
     ALWAYS(T, longest, FIELD_LIST, "longest", "its longest dispatches, 100 at most",
            .of = &event_fields),
     ALWAYS(T, resources, FIELD_LIST, "resources", "registers, LDS and occupancy of the whole run",
            .of = &resource_fields));
#undef T
static const struct field kernel_params_list[] = {
    P_TRACE,
    ALWAYS(struct tool_args, name, FIELD_TEXT, "name",
           "full or short name, a part of it, or its rank in 'hotspots'"),
    P_PART,
    P_PAGE,
};
static const struct fields kernel_params = FIELDS("", "", struct tool_args, kernel_params_list);
static const struct analysis_kind *const kernel_kinds[] = {&analysis_breakdown, &analysis_hotspots,
                                                           NULL};

const struct tool tool_kernel = {
    .name = "kernel",
    .title = "One kernel",
    .description = "Durations, registers, LDS, occupancy and the longest dispatches of a kernel, "
                   "with ids for 'event'",
    .params = &kernel_params,
    .result = &kernel_result,
    .kinds = kernel_kinds,
    .needs_run = true,
    .call = call_kernel,
};
