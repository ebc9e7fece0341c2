/* Memory: how much is held, how often the program allocates, and what that costs the host. */
#include <math.h>
#include <string.h>

#include "analyze/analysis.h"
#include "base/sort.h"
#include "base/str.h"

/* ---- records of allocations ---- */

struct footprint {
    struct idmap slots; /* by process and address */
    VEC(uint64_t) held; /* bytes at each address */
    uint64_t now;
    struct arena *arena;
};

static uint64_t hold(struct footprint *f, uint32_t process, uint64_t address, uint64_t bytes)
{
    uint64_t key = address + hash_u64((uint64_t)process + 1); /* addresses repeat in processes */
    uint32_t slot = idmap_get(&f->slots, key);
    if (slot == NO_INDEX) {
        if (!bytes)
            return f->now; /* frees what nobody saw being allocated */
        slot = (uint32_t)f->held.n;
        vec_push(&f->held, f->arena, 0);
        idmap_put(&f->slots, key, slot);
    }
    f->now -= f->held.v[slot];
    f->held.v[slot] = add_bytes(f->now, bytes) - f->now;
    f->now += f->held.v[slot];
    return f->now;
}

static uint32_t process_of(const struct trace *t, size_t row)
{
    uint32_t thread = t->allocations.thread[row], agent = t->allocations.agent[row];
    if (thread < t->threads.n)
        return t->threads.v[thread].process;
    return agent < t->agents.n ? t->agents.v[agent].process : NO_INDEX;
}

/* Records of the chosen process; frees rarely say which GPU they are for. */
static bool selected(const struct analysis *a, size_t row)
{
    const struct trace *t = a->trace;
    const struct view_opts *o = &a->opts.view;
    if (t->allocations.level[row] == LEVEL_SCRATCH)
        return false;
    uint32_t process = process_of(t, row), agent = t->allocations.agent[row];
    if (o->process >= 0 && (process >= t->processes.n || t->processes.v[process].pid != o->process))
        return false;
    return o->gpu < 0 || agent >= t->agents.n || t->agents.v[agent].gpu == (uint32_t)o->gpu;
}

static bool on_host(const struct trace *t, size_t row)
{
    uint32_t agent = t->allocations.agent[row];
    return agent < t->agents.n && t->agents.v[agent].type == AGENT_CPU;
}

static void add_record(struct analysis *a, struct footprint *f, uint32_t row)
{
    const struct allocations *al = &a->trace->allocations;
    struct allocation_stats *st = &a->allocations;
    bool frees = al->op[row] == ALLOC_FREE;
    bool inside = al->start_ns[row] >= a->view.start_ns;
    if (al->op[row] == ALLOC_RECLAIM)
        return;
    if (inside) {
        if (st->peak_bytes < f->now) /* held from before the window */
            st->peak_bytes = f->now;
        st->allocations += !frees;
        st->frees += frees;
    }
    if (!frees && on_host(a->trace, row))
        return;
    uint64_t bytes = frees ? 0 : al->bytes[row];
    uint64_t now = hold(f, process_of(a->trace, row), al->address[row], bytes);
    if (!inside)
        return;
    if (st->peak_bytes < now)
        st->peak_bytes = now;
    st->allocated_bytes = add_bytes(st->allocated_bytes, bytes);
}

static void walk_records(struct analysis *a, struct arena *arena)
{
    const struct allocations *al = &a->trace->allocations;
    uint32_t *rows = arena_array(arena, uint32_t, al->n);
    size_t n = 0;
    for (size_t i = 0; i < al->n; i++)
        if (al->start_ns[i] <= a->view.end_ns && selected(a, i))
            rows[n++] = (uint32_t)i;
    sort_rows(rows, n, al->start_ns, arena);
    struct footprint f = {.arena = arena};
    idmap_init(&f.slots, arena);
    for (size_t i = 0; i < n; i++)
        add_record(a, &f, rows[i]);
    if (a->allocations.peak_bytes < f.now) /* nothing happened in the window */
        a->allocations.peak_bytes = f.now;
}

/* ---- calls that allocate ---- */

enum call_effect { EFFECT_NOT_ASKED, EFFECT_NONE, EFFECT_ALLOCATES, EFFECT_FREES };

static enum call_effect effect_of(const char *name)
{
    static const char *const freeing[] = {"free", "unregister", "unmap", "release", "unlock"};
    for (size_t i = 0; i < ARRAY_LEN(freeing); i++)
        if (str_has_fold(name, freeing[i]))
            return EFFECT_FREES;
    return str_has_fold(name, "allow_access") ? EFFECT_NONE : EFFECT_ALLOCATES;
}

struct calls {
    uint8_t *effect; /* by name: enum call_effect */
    int64_t *ns;     /* by name */
    uint64_t allocating, freeing;
    int64_t first_ns, last_ns; /* starts of the first and the last kernel */
    int64_t longest_ns;        /* of those that make streams and events */
};

static bool is_in_loop(const struct calls *c, int64_t ns)
{
    return ns > c->first_ns && ns < c->last_ns;
}

static void find_loop(const struct view *v, struct calls *c)
{
    c->first_ns = INT64_MAX;
    c->last_ns = INT64_MIN;
    for (size_t g = 0; g < v->n_gpus; g++) {
        const struct view_gpu *gpu = &v->gpus[g];
        if (!gpu->n_kernels)
            continue;
        int64_t first = v->trace->kernels.start_ns[gpu->kernels[0]];
        int64_t last = v->trace->kernels.start_ns[gpu->kernels[gpu->n_kernels - 1]];
        c->first_ns = first < c->first_ns ? first : c->first_ns;
        c->last_ns = last > c->last_ns ? last : c->last_ns;
    }
}

static void add_call(struct analysis *a, struct calls *c, uint32_t call)
{
    const struct regions *r = &a->trace->regions;
    struct allocation_stats *st = &a->allocations;
    uint32_t name = view_call_name(&a->view, call);
    struct span s = view_clip(&a->view, r->start_ns[call], r->end_ns[call]);
    if (c->effect[name] == EFFECT_NOT_ASKED)
        c->effect[name] = (uint8_t)effect_of(view_name_text(&a->view, name));
    c->allocating += c->effect[name] == EFFECT_ALLOCATES;
    c->freeing += c->effect[name] == EFFECT_FREES;
    c->ns[name] = add_ns(c->ns[name], sub_ns(s.end, s.start));
    st->device_calls++;
    st->api_ns = add_ns(st->api_ns, sub_ns(s.end, s.start));
    if (is_in_loop(c, r->start_ns[call])) {
        st->in_loop++;
        st->in_loop_ns = add_ns(st->in_loop_ns, sub_ns(s.end, s.start));
    }
}

/* Streams and events are made in no time, as a rule. */
static void add_creation(struct analysis *a, struct calls *c, uint32_t call)
{
    const struct regions *r = &a->trace->regions;
    struct allocation_stats *st = &a->allocations;
    struct span s = view_clip(&a->view, r->start_ns[call], r->end_ns[call]);
    if (sub_ns(s.end, s.start) < LEDGER_SHORT_HOST_NS || !is_in_loop(c, r->start_ns[call]))
        return;
    st->created++;
    st->created_ns = add_ns(st->created_ns, sub_ns(s.end, s.start));
    if (sub_ns(s.end, s.start) > c->longest_ns) {
        c->longest_ns = sub_ns(s.end, s.start);
        st->top_created = trace_str(a->trace, r->name[call]);
    }
}

static const char *top_call(const struct view *v, const struct calls *c)
{
    size_t top = SIZE_MAX;
    for (size_t i = 0; i < v->n_names; i++) {
        if (c->effect[i] == EFFECT_NOT_ASKED)
            continue;
        if (top == SIZE_MAX || c->ns[i] > c->ns[top] ||
            (c->ns[i] == c->ns[top] && strcmp(view_name_text(v, i), view_name_text(v, top)) < 0))
            top = i;
    }
    return top == SIZE_MAX ? NULL : view_name_text(v, top);
}

static void walk_calls(struct analysis *a, struct calls *c, struct arena *arena)
{
    const struct view *v = &a->view;
    c->effect = arena_array(arena, uint8_t, v->n_names);
    c->ns = arena_array(arena, int64_t, v->n_names);
    find_loop(v, c);
    for (size_t i = 0; i < v->n_threads; i++) {
        const struct view_thread *th = &v->threads[i];
        for (size_t k = 0; k < th->n_outer; k++) {
            enum api_class class = view_call_class(v, th->outer[k]);
            if (class == API_ALLOC)
                add_call(a, c, th->outer[k]);
            else if (class == API_CREATE)
                add_creation(a, c, th->outer[k]);
        }
    }
    a->allocations.top_call = top_call(v, c);
}

static void run(struct analysis *a, struct arena *arena)
{
    (void)arena;
    struct allocation_stats *st = &a->allocations;
    struct arena *temporary = arena_scratch();
    struct calls calls = {0};
    walk_calls(a, &calls, temporary);
    if (a->trace->allocations.n) {
        walk_records(a, temporary);
    } else {
        st->allocations = calls.allocating;
        st->frees = calls.freeing;
    }
    st->per_kernel = a->view.n_kernels ? (double)st->in_loop / (double)a->view.n_kernels : NAN;
    arena_release(temporary);
}

#define R struct allocation_stats
static const struct field stat_fields[] = {
    FIELD(R, allocations, FIELD_U64, "allocations", NO_UNIT,
          "number of allocation records (real or virtual memory, not scratch) that start in the "
          "window; without any record in the trace, of outermost host calls that allocate"),
    FIELD(R, frees, FIELD_U64, "frees", NO_UNIT,
          "number of records that free memory and start in the window; without any record in the "
          "trace, of outermost host calls that free"),
    FIELD(
        R, device_calls, FIELD_U64, "calls", NO_UNIT,
        "number of outermost host calls of the class allocation: allocating, freeing, registering"),
    FIELD(R, api_ns, FIELD_I64, "host time", IN_NS,
          "sum over threads of the time in the window inside these calls"),
    FIELD(R, allocated_bytes, FIELD_U64, "allocated", IN_BYTES,
          "sum of the sizes of records that allocate on a GPU in the window; 0 without records"),
    FIELD(
        R, peak_bytes, FIELD_U64, "peak", IN_BYTES,
        "most bytes held at once on all GPUs together in the window: records in order of start, a "
        "free takes back what its address was given, of unknown addresses nothing; 0 without "
        "records"),
    FIELD(R, in_loop, FIELD_U64, "in the loop", NO_UNIT,
          "number of these calls that start after the first kernel starts and before the last one "
          "does"),
    FIELD(R, per_kernel, FIELD_NUM, "per kernel", NO_UNIT,
          "in_loop / kernels in the window; not known without kernels"),
    FIELD(R, top_call, FIELD_TEXT, "most time in", NO_UNIT,
          "name of the call with the most time of api_ns; null without such calls"),
};
#undef R

const struct fields allocation_fields = FIELDS(
    "allocations", "memory held, and what allocating costs", struct allocation_stats, stat_fields);

const struct analysis_kind analysis_allocations = {
    .name = "allocations",
    .doc = "How much memory the program holds, how often it allocates and frees while it computes, "
           "and how long the host spends on that. Sizes need allocation records.",
    .run = run,
    .tables = ANALYSIS_TABLES(ANALYSIS_ONE(allocation_fields, allocations)),
};
