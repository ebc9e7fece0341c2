/*
 * Small traces made by hand, for tests of analyses: one process, one thread, what the test adds.
 *
 *     struct made m;
 *     made_init(&m);
 *     uint32_t stream = made_stream(&m, made_gpu(&m), 1);
 *     made_kernel(&m, "axpy", stream, US(10), US(20), made_call(&m, "hipLaunchKernel", 0, US(5)));
 *     made_release(&m);
 */
#ifndef GS_TESTS_MADE_TRACE_H
#define GS_TESTS_MADE_TRACE_H

#include <math.h>

#include "analyze/analysis.h"
#include "made_thread.h"

#define US(x) ((int64_t)(x)*1000)

struct made {
    struct trace t;
    struct arena arena; /* for what is computed from it */
};

static inline void made_init(struct made *m)
{
    trace_init(&m->t);
    arena_init(&m->arena);
    vec_push(&m->t.processes, &m->t.arena, ((struct process){.pid = 100, .rank = -1}));
    made_thread(&m->t, 0, 1);
}

static inline void made_release(struct made *m)
{
    trace_release(&m->t);
    arena_release(&m->arena);
}

/* Indices that users see are 10, 11, … so that they cannot be mistaken for slots. */
static inline uint32_t made_gpu(struct made *m)
{
    struct gpu g = {
        .index = 10 + (int32_t)m->t.gpus.n, .node_id = (int32_t)m->t.gpus.n, .used = true};
    g.vendor = VENDOR_AMD;
    g.arch = strings_add(&m->t.strings, "gfx942");
    g.name = strings_add(&m->t.strings, "AMD Instinct MI300X");
    return trace_gpu(&m->t, &g);
}

static inline uint32_t made_stream(struct made *m, uint32_t gpu, int64_t id)
{
    return trace_stream(&m->t, 0, gpu, id, 0);
}

/* A new symbol each time: several symbols may share a name. */
static inline uint32_t made_symbol(struct made *m, const char *name)
{
    uint32_t id = strings_add(&m->t.strings, name);
    struct symbol s = {.name = id, .short_name = id, .mangled = id, .id = (int64_t)m->t.symbols.n};
    vec_push(&m->t.symbols, &m->t.arena, s);
    return (uint32_t)m->t.symbols.n - 1;
}

static inline uint32_t made_symbol_once(struct made *m, const char *name)
{
    uint32_t id = strings_find(&m->t.strings, name);
    for (size_t i = 0; id != NO_INDEX && i < m->t.symbols.n; i++)
        if (m->t.symbols.v[i].name == id)
            return (uint32_t)i;
    return made_symbol(m, name);
}

static inline uint32_t made_kernel_of(struct made *m, uint32_t symbol, uint32_t stream,
                                      int64_t start, int64_t end, uint32_t call)
{
    trace_room(&m->t, kernels, 1);
    struct kernels *k = &m->t.kernels;
    size_t i = k->n++;
    k->start_ns[i] = start;
    k->end_ns[i] = end;
    k->id[i] = (int64_t)i;
    k->symbol[i] = symbol;
    k->launch[i] = k->queue[i] = NO_INDEX;
    k->stream[i] = stream;
    k->thread[i] = 0;
    k->call[i] = call;
    return (uint32_t)i;
}

static inline uint32_t made_kernel(struct made *m, const char *name, uint32_t stream, int64_t start,
                                   int64_t end, uint32_t call)
{
    return made_kernel_of(m, made_symbol_once(m, name), stream, start, end, call);
}

static inline uint32_t made_copy(struct made *m, enum copy_kind kind, uint32_t stream,
                                 int64_t start, int64_t end, uint32_t call)
{
    trace_room(&m->t, copies, 1);
    struct copies *c = &m->t.copies;
    size_t i = c->n++;
    c->start_ns[i] = start;
    c->end_ns[i] = end;
    c->id[i] = (int64_t)i;
    c->bytes[i] = BYTES_UNKNOWN;
    c->stream[i] = stream;
    c->thread[i] = 0;
    c->call[i] = call;
    c->src[i] = c->dst[i] = NO_INDEX;
    c->kind[i] = (uint8_t)kind;
    c->src_memory[i] = c->dst_memory[i] = MEMORY_UNKNOWN;
    return (uint32_t)i;
}

static inline uint32_t made_call_on(struct made *m, uint32_t thread, enum region_kind kind,
                                    const char *name, int64_t start, int64_t end)
{
    trace_room(&m->t, regions, 1);
    struct regions *r = &m->t.regions;
    size_t i = r->n++;
    r->start_ns[i] = start;
    r->end_ns[i] = end;
    r->id[i] = (int64_t)i;
    r->name[i] = strings_add(&m->t.strings, name);
    r->thread[i] = thread;
    r->kind[i] = (uint8_t)kind;
    return (uint32_t)i;
}

static inline uint32_t made_call(struct made *m, const char *name, int64_t start, int64_t end)
{
    return made_call_on(m, 0, REGION_HIP, name, start, end);
}

/* The launch of the kernel that is made next. */
static inline uint32_t made_launch(struct made *m, int64_t start, int64_t end)
{
    return made_call(m, "hipLaunchKernel", start, end);
}

static inline struct view_opts made_window(int64_t start, int64_t end)
{
    return (struct view_opts){.has_window = true,
                              .start_ns = start,
                              .end_ns = end,
                              .gpu = -1,
                              .process = -1,
                              .threads = 1};
}

/* Everything in [start, end), kernels below 10 us are short. */
static inline struct analysis_opts made_options(int64_t start, int64_t end)
{
    return (struct analysis_opts){.view = made_window(start, end), .short_threshold_ns = US(10)};
}

static inline void made_analyze(struct made *m, struct analysis *a, const struct analysis_opts *o)
{
    analysis_run(a, &m->t, o, &m->arena);
}

static inline void assert_near(double got, double want)
{
    bool near = fabs(got - want) <= 1e-9 * (fabs(want) + 1);
    if (!near)
        print_error("%.17g, not %.17g\n", got, want);
    assert_true(near);
}

static inline size_t made_field_size(enum field_type type)
{
    return type == FIELD_U32 || type == FIELD_I32 || type == FIELD_ENUM ? 4
           : type == FIELD_BOOL                                         ? sizeof(bool)
                                                                        : 8;
}

/* Numbers that are the same in every run: xorshift64. */
struct made_random {
    uint64_t state;
};

static inline int64_t made_random(struct made_random *r, int64_t below)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (int64_t)(r->state % (uint64_t)below);
}

#endif
