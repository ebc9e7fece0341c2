/*
 * First uses: calls in which the runtime loads, compiles or uploads what is used for the first
 * time. The first dispatch of a kernel in a process, the first launch of a graph, loading of code,
 * and the first of each other call that starts the runtime.
 */
#include <string.h>

#include "analyze/view.h"
#include "base/str.h"

/* A launch of many kernels by one call. */
struct graph {
    uint32_t call, process;
    uint64_t hash; /* of its kernels and their grids, in order */
};

struct firsts {
    struct view *v;
    struct arena *temporary;
    struct idmap kernels; /* process and kernel name -> kernels row */
    VEC(struct graph) graphs;
    struct idmap graph_of; /* call -> graphs */
    uint32_t *distinct;    /* by process: different graphs launched */
    uint32_t *made;        /* by process: graphs instantiated */
};

static uint64_t key_of(const struct firsts *f, uint32_t process, uint32_t name)
{
    return (uint64_t)name * (f->v->trace->processes.n + 1) + process;
}

static uint32_t process_of_call(const struct trace *t, uint32_t call)
{
    uint32_t thread = t->regions.thread[call];
    return thread < t->threads.n ? t->threads.v[thread].process : (uint32_t)t->processes.n;
}

static bool is_graph_launch(const struct view *v, uint32_t call)
{
    return view_call_class(v, call) == API_LAUNCH &&
           str_has(trace_str(v->trace, v->trace->regions.name[call]), "Graph");
}

/* Marks the outermost call that this one is, or lies in. */
static void mark(struct view *v, uint32_t call)
{
    const struct regions *r = &v->trace->regions;
    uint32_t thread =
        r->thread[call] < v->n_threads - 1 ? r->thread[call] : (uint32_t)v->n_threads - 1;
    const struct view_thread *th = &v->threads[thread];
    size_t lo = 0; /* behind the last one that starts no later */
    BISECT(lo, th->n_outer, mid, r->start_ns[th->outer[mid]] <= r->start_ns[call]);
    if (lo && r->end_ns[th->outer[lo - 1]] >= r->end_ns[call])
        call = th->outer[lo - 1];
    v->first_use[call / 8] |= (uint8_t)(1u << call % 8);
}

static void add_to_graph(struct firsts *f, uint32_t row, uint32_t process)
{
    const struct trace *t = f->v->trace;
    uint32_t call = t->kernels.call[row], at = idmap_get(&f->graph_of, call);
    if (at == NO_INDEX) {
        at = (uint32_t)f->graphs.n;
        idmap_put(&f->graph_of, call, at);
        vec_push(&f->graphs, f->temporary, ((struct graph){call, process, 0}));
    }
    uint64_t hash = hash_u64(t->symbols.v[t->kernels.symbol[row]].name);
    uint32_t launch = kernels_launch_at(t, row);
    for (int i = 0; launch < t->launches.n && i < 3; i++)
        hash = hash_u64(hash ^ ((uint64_t)t->launches.v[launch].grid[i] << 32 |
                                t->launches.v[launch].group[i]));
    /* A sum, for the rows of one launch may stand in any order. */
    f->graphs.v[at].hash += hash;
}

static void visit_kernels(struct firsts *f)
{
    const struct trace *t = f->v->trace;
    const struct kernels *k = &t->kernels;
    uint8_t *graph_name = arena_array(f->temporary, uint8_t, t->strings.n + 1); /* 1 no, 2 yes */
    uint64_t last_key = UINT64_MAX;
    int64_t last_start = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t process = k->stream[i] < t->streams.n ? t->streams.v[k->stream[i]].process
                                                       : (uint32_t)t->processes.n;
        uint64_t key = key_of(f, process, t->symbols.v[k->symbol[i]].name);
        if (key != last_key || k->start_ns[i] < last_start) {
            uint32_t first = idmap_get(&f->kernels, key);
            if (first == NO_INDEX || k->start_ns[i] < k->start_ns[first])
                idmap_put(&f->kernels, key, first = i);
            last_key = key;
            last_start = k->start_ns[first];
        }
        uint32_t call = k->call[i];
        if (call >= t->regions.n)
            continue;
        uint8_t *known = &graph_name[t->regions.name[call]];
        if (!*known)
            *known = is_graph_launch(f->v, call) ? 2 : 1;
        if (*known == 2)
            add_to_graph(f, i, process);
    }
}

static void mark_kernels(struct firsts *f)
{
    const struct trace *t = f->v->trace;
    for (size_t i = 0; f->kernels.slots && i <= f->kernels.mask; i++) {
        uint32_t row = f->kernels.slots[i].value;
        if (row == NO_INDEX)
            continue;
        f->v->first_kernel[row / 8] |= (uint8_t)(1u << row % 8);
        if (t->kernels.call[row] < t->regions.n)
            mark(f->v, t->kernels.call[row]);
    }
}

/* Of launches of equal graphs the earliest. */
static void mark_graphs(struct firsts *f)
{
    const struct regions *r = &f->v->trace->regions;
    struct idmap first;
    idmap_init(&first, f->temporary);
    for (size_t i = 0; i < f->graphs.n; i++) {
        const struct graph *g = &f->graphs.v[i];
        uint64_t key = hash_u64(g->hash ^ g->process);
        uint32_t at = idmap_get(&first, key);
        f->distinct[g->process] += at == NO_INDEX;
        if (at == NO_INDEX || r->start_ns[g->call] < r->start_ns[f->graphs.v[at].call])
            idmap_put(&first, key, (uint32_t)i);
    }
    for (size_t i = 0; first.slots && i <= first.mask; i++)
        if (first.slots[i].value != NO_INDEX)
            mark(f->v, f->graphs.v[first.slots[i].value].call);
}

/* Code is loaded anew by every such call; others do their work once. */
static bool loads_code(const char *name)
{
    static const char *const words[] = {"Module",      "Library",     "Link", "FatBinary",
                                        "executable_", "code_object", "rtc"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_has(name, words[i]))
            return true;
    return false;
}

/* Calls of the class for loading, thread by thread in order of time. */
static void mark_modules(struct firsts *f)
{
    struct view *v = f->v;
    const struct trace *t = v->trace;
    struct idmap seen;
    idmap_init(&seen, f->temporary);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < v->n_threads; i++) {
            for (size_t j = 0; j < v->threads[i].n_outer; j++) {
                uint32_t call = v->threads[i].outer[j];
                if (view_call_class(v, call) != API_MODULE)
                    continue;
                const char *name = trace_str(t, t->regions.name[call]);
                uint32_t process = process_of_call(t, call);
                uint64_t key = key_of(f, process, t->regions.name[call]);
                bool graph = str_has(name, "Graph");
                uint32_t first = idmap_get(&seen, key);
                if (!pass) {
                    f->made[process] += graph;
                    if (first == NO_INDEX || t->regions.start_ns[call] < t->regions.start_ns[first])
                        idmap_put(&seen, key, call);
                } else if (first == call || loads_code(name) ||
                           (graph && f->made[process] <= 2 * f->distinct[process] + 2)) {
                    mark(v, call);
                }
            }
        }
    }
}

/* Where nothing says which kernel a call launches: the first of each name. */
static void mark_unlinked(struct firsts *f)
{
    struct view *v = f->v;
    const struct trace *t = v->trace;
    struct idmap seen;
    idmap_init(&seen, f->temporary);
    for (size_t i = 0; i < t->kernels.n; i++)
        if (t->kernels.call[i] != NO_INDEX)
            return;
    for (size_t i = 0; i < v->n_threads; i++) {
        for (size_t j = 0; j < v->threads[i].n_outer; j++) {
            uint32_t call = v->threads[i].outer[j];
            uint64_t key = key_of(f, process_of_call(t, call), t->regions.name[call]);
            if (view_call_class(v, call) != API_LAUNCH || idmap_get(&seen, key) != NO_INDEX)
                continue;
            idmap_put(&seen, key, call);
            mark(v, call);
        }
    }
}

void view_find_first_uses(struct view *v, struct arena *a)
{
    const struct trace *t = v->trace;
    struct firsts f = {.v = v, .temporary = arena_scratch()};
    v->first_kernel = arena_array(a, uint8_t, t->kernels.n / 8 + 1);
    v->first_use = arena_array(a, uint8_t, t->regions.n / 8 + 1);
    idmap_init(&f.kernels, f.temporary);
    idmap_init(&f.graph_of, f.temporary);
    f.distinct = arena_array(f.temporary, uint32_t, t->processes.n + 1);
    f.made = arena_array(f.temporary, uint32_t, t->processes.n + 1);
    visit_kernels(&f);
    mark_kernels(&f);
    mark_graphs(&f);
    mark_modules(&f);
    mark_unlinked(&f);
    arena_release(f.temporary);
}
