/*
 * The analyses of the host's side and of GPUs as a whole: api, copies, allocations, streams,
 * markers, collectives, balance, telemetry. First small traces calculated by hand, then random ones
 * against a reference that looks at every nanosecond.
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/analysis.h"
#include "made_thread.h"

/* ---- building traces ---- */

struct fixture {
    struct trace t;
    struct arena arena;
    struct analysis_opts opts;
    struct analysis a;
};

static const struct analysis_kind *const kinds[] = {
    &analysis_api,     &analysis_copies,      &analysis_allocations, &analysis_streams,
    &analysis_markers, &analysis_collectives, &analysis_balance,     &analysis_telemetry,
};

static void begin(struct fixture *f)
{
    *f = (struct fixture){.opts.view = {.gpu = -1, .process = -1, .threads = 1}};
    trace_init(&f->t);
    arena_init(&f->arena);
}

static void finish(struct fixture *f)
{
    arena_release(&f->arena);
    trace_release(&f->t);
}

static void set_window(struct fixture *f, int64_t start, int64_t end)
{
    f->opts.view.has_window = true;
    f->opts.view.start_ns = start;
    f->opts.view.end_ns = end;
}

/* Only what is tested here runs, so that these tests do not depend on other analyses. */
static void analyze(struct fixture *f)
{
    struct analysis *a = &f->a;
    *a = (struct analysis){.trace = &f->t, .arena = &f->arena, .opts = f->opts};
    a->hardware = arena_array(&f->arena, const struct hardware *, f->t.gpus.n + 1);
    for (size_t g = 0; g < f->t.gpus.n; g++)
        a->hardware[g] = hardware_find(trace_str(&f->t, f->t.gpus.v[g].arch),
                                       trace_str(&f->t, f->t.gpus.v[g].name), 0);
    view_make(&a->view, &f->t, &f->opts.view, &f->arena);
    ledger_make(&a->ledger, &a->view, true, &f->arena);
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
        kinds[k]->run(a, a->arena);
}

static uint32_t text(struct fixture *f, const char *s)
{
    return strings_add(&f->t.strings, s);
}

static uint32_t add_process(struct fixture *f, int64_t pid)
{
    vec_push(&f->t.processes, &f->t.arena, ((struct process){.pid = pid, .rank = -1}));
    return (uint32_t)f->t.processes.n - 1;
}

static uint32_t add_gpu(struct fixture *f, int32_t index, const char *arch, const char *name)
{
    return trace_gpu(&f->t, &(struct gpu){.index = index,
                                          .node_id = index,
                                          .used = true,
                                          .arch = text(f, arch),
                                          .name = text(f, name),
                                          .host = text(f, "node1")});
}

static uint32_t add_symbol(struct fixture *f, const char *name)
{
    vec_push(&f->t.symbols, &f->t.arena,
             ((struct symbol){.name = text(f, name), .short_name = text(f, name)}));
    return (uint32_t)f->t.symbols.n - 1;
}

static uint32_t add_call(struct fixture *f, uint32_t thread, const char *name, int64_t start,
                         int64_t end)
{
    struct regions *r = &f->t.regions;
    trace_room(&f->t, regions, 1);
    r->start_ns[r->n] = start;
    r->end_ns[r->n] = end;
    r->id[r->n] = (int64_t)r->n;
    r->name[r->n] = text(f, name);
    r->thread[r->n] = thread;
    r->kind[r->n] = REGION_HIP;
    return (uint32_t)r->n++;
}

static uint32_t add_kernel(struct fixture *f, uint32_t stream, uint32_t symbol, int64_t start,
                           int64_t end, uint32_t call)
{
    struct kernels *k = &f->t.kernels;
    trace_room(&f->t, kernels, 1);
    k->start_ns[k->n] = start;
    k->end_ns[k->n] = end;
    k->id[k->n] = (int64_t)k->n;
    k->symbol[k->n] = symbol;
    k->launch[k->n] = k->queue[k->n] = NO_INDEX;
    k->stream[k->n] = stream;
    k->thread[k->n] = call == NO_INDEX ? NO_INDEX : f->t.regions.thread[call];
    k->call[k->n] = call;
    return (uint32_t)k->n++;
}

static uint32_t add_copy(struct fixture *f, uint32_t stream, enum copy_kind kind, uint64_t bytes,
                         int64_t start, int64_t end)
{
    struct copies *c = &f->t.copies;
    trace_room(&f->t, copies, 1);
    c->start_ns[c->n] = start;
    c->end_ns[c->n] = end;
    c->id[c->n] = (int64_t)c->n;
    c->bytes[c->n] = bytes;
    c->stream[c->n] = stream;
    c->thread[c->n] = c->call[c->n] = c->src[c->n] = c->dst[c->n] = NO_INDEX;
    c->kind[c->n] = (uint8_t)kind;
    c->src_memory[c->n] = c->dst_memory[c->n] = MEMORY_UNKNOWN;
    return (uint32_t)c->n++;
}

static void add_marker(struct fixture *f, uint32_t thread, enum marker_kind kind, const char *name,
                       int64_t start, int64_t end)
{
    struct markers *m = &f->t.markers;
    trace_room(&f->t, markers, 1);
    m->start_ns[m->n] = start;
    m->end_ns[m->n] = end;
    m->id[m->n] = (int64_t)m->n;
    m->name[m->n] = text(f, name);
    m->domain[m->n] = 0;
    m->thread[m->n] = thread;
    m->kind[m->n] = (uint8_t)kind;
    m->n++;
}

static void add_allocation(struct fixture *f, enum alloc_op op, uint64_t address, uint64_t bytes,
                           int64_t start, uint32_t agent)
{
    struct allocations *al = &f->t.allocations;
    trace_room(&f->t, allocations, 1);
    al->start_ns[al->n] = start;
    al->end_ns[al->n] = start + 1;
    al->id[al->n] = (int64_t)al->n;
    al->bytes[al->n] = bytes;
    al->address[al->n] = address;
    al->agent[al->n] = agent;
    al->thread[al->n] = 0;
    al->call[al->n] = NO_INDEX;
    al->op[al->n] = (uint8_t)op;
    al->level[al->n] = LEVEL_REAL;
    al->n++;
}

static void add_reading(struct fixture *f, uint32_t series, int64_t time, double value)
{
    struct telemetry *m = &f->t.telemetry;
    trace_room(&f->t, telemetry, 1);
    m->time_ns[m->n] = time;
    m->value[m->n] = value;
    m->series[m->n] = series;
    m->n++;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static const struct api_row *api_row(const struct analysis *a, const char *name)
{
    for (size_t i = 0; i < a->api.n; i++)
        if (!strcmp(a->api.v[i].name, name))
            return &a->api.v[i];
    return NULL;
}

static const struct copy_row *copy_row(const struct analysis *a, enum copy_kind kind)
{
    for (size_t i = 0; i < a->copies.n; i++)
        if (a->copies.v[i].kind == kind)
            return &a->copies.v[i];
    return NULL;
}

/* ---- api ---- */

static void exclusive_time_is_without_nested_calls(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 1), t0 = made_thread(&f.t, p, 10), t1 = made_thread(&f.t, p, 11);
    /*  t0: hipA [0,100) holds hipB [10,30), which holds hipC [15,20), and hipB [40,60)
     *  t1: hipB [0,50)
     *  A: total 100, exclusive 100-20-20 = 60.  B: total 20+20+50 = 90, exclusive 90-5 = 85. */
    add_call(&f, t0, "hipC", 15, 20);
    add_call(&f, t0, "hipA", 0, 100);
    add_call(&f, t0, "hipB", 10, 30);
    add_call(&f, t0, "hipB", 40, 60);
    uint32_t longest = add_call(&f, t1, "hipB", 0, 50);
    analyze(&f);
    assert_int_equal(f.a.api.n, 3);
    assert_string_equal(f.a.api.v[0].name, "hipB"); /* by exclusive time */
    assert_int_equal(f.a.api.v[0].calls, 3);
    assert_int_equal(f.a.api.v[0].total_ns, 90);
    assert_int_equal(f.a.api.v[0].exclusive_ns, 85);
    assert_int_equal(f.a.api.v[0].max_ns, 50);
    assert_int_equal(f.a.api.v[0].longest, longest);
    assert_true(near(f.a.api.v[0].avg_ns, 30));
    assert_true(near(f.a.api.v[0].pct_of_window, 42.5)); /* 85 of 100 x 2 threads */
    assert_int_equal(api_row(&f.a, "hipA")->total_ns, 100);
    assert_int_equal(api_row(&f.a, "hipA")->exclusive_ns, 60);
    assert_int_equal(api_row(&f.a, "hipC")->exclusive_ns, 5);
    finish(&f);
}

static void overlapping_calls_share_no_time(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 1), t0 = made_thread(&f.t, p, 10);
    /*  hipA [0,10), hipB [5,20): from 5 on it is B's, so A 5, B 15; hipC ends before it starts;
     *  hipD [20,30) and hipE [20,25) start together: D holds E. */
    add_call(&f, t0, "hipA", 0, 10);
    add_call(&f, t0, "hipB", 5, 20);
    add_call(&f, t0, "hipC", 8, 3);
    add_call(&f, t0, "hipE", 20, 25);
    add_call(&f, t0, "hipD", 20, 30);
    analyze(&f);
    assert_int_equal(api_row(&f.a, "hipA")->exclusive_ns, 5);
    assert_int_equal(api_row(&f.a, "hipB")->exclusive_ns, 15);
    assert_int_equal(api_row(&f.a, "hipC")->total_ns, 0);
    assert_int_equal(api_row(&f.a, "hipC")->exclusive_ns, 0);
    assert_int_equal(api_row(&f.a, "hipD")->exclusive_ns, 5);
    assert_int_equal(api_row(&f.a, "hipE")->exclusive_ns, 5);
    finish(&f);
}

static void classes_count_outermost_calls(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 1), t0 = made_thread(&f.t, p, 10);
    add_call(&f, t0, "hipMemcpy", 0, 40);
    add_call(&f, t0, "hipStreamSynchronize", 10, 30); /* part of the copy */
    add_call(&f, t0, "hipLaunchKernel", 40, 50);
    add_call(&f, t0, "hipLaunchKernel", 90, 120);
    set_window(&f, 0, 100); /* cuts the last launch: 10 + 10 */
    analyze(&f);
    assert_int_equal(f.a.api_classes.n, 2);
    assert_int_equal(f.a.api_classes.v[0].class, API_COPY);
    assert_int_equal(f.a.api_classes.v[0].exclusive_ns, 40);
    assert_true(near(f.a.api_classes.v[0].pct_of_window, 40));
    assert_int_equal(f.a.api_classes.v[1].class, API_LAUNCH);
    assert_int_equal(f.a.api_classes.v[1].calls, 2);
    assert_int_equal(f.a.api_classes.v[1].exclusive_ns, 20);
    assert_int_equal(api_row(&f.a, "hipMemcpy")->exclusive_ns, 20);
    finish(&f);
}

/* ---- copies ---- */

static void copies_are_compared_with_their_link(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 1), g = add_gpu(&f, 0, "gfx942", "AMD Instinct MI300X");
    uint32_t s0 = trace_stream(&f.t, p, g, 0, 0), s1 = trace_stream(&f.t, p, g, 1, 0);
    uint32_t k = add_symbol(&f, "gemm");
    f.t.gpus.v[g].host_link_mbps = 32000;
    /*  To the device: 2 MiB in [0,100k), 4 MiB in [50k,150k), 1 KiB in [200k,201k), one of unknown
     *  size in [300k,310k). Union 150k + 1k + 10k; bandwidth (6 MiB + 1 KiB) / 201k.
     *  A kernel runs in [0,100k): exposed 50k + 1k + 10k. */
    uint32_t slow = add_copy(&f, s0, COPY_H2D, 2 << 20, 0, 100000);
    add_copy(&f, s1, COPY_H2D, 4 << 20, 50000, 150000);
    add_copy(&f, s0, COPY_H2D, 1024, 200000, 201000);
    add_copy(&f, s0, COPY_H2D, BYTES_UNKNOWN, 300000, 310000);
    add_copy(&f, s0, COPY_D2D, 8 << 20, 400000, 410000);
    add_copy(&f, s0, COPY_UNKNOWN, 100, 500000, 500100);
    add_kernel(&f, s1, k, 0, 100000, NO_INDEX);
    f.t.copies.src_memory[0] = MEMORY_PAGEABLE;
    f.t.copies.src_memory[1] = MEMORY_PINNED;
    f.t.copies.dst_memory[2] = MEMORY_PAGEABLE; /* the device's end says nothing */
    analyze(&f);
    assert_int_equal(f.a.copies.n, 3);
    const struct copy_row *r = &f.a.copies.v[0];
    double bytes = 6.0 * (1 << 20) + 1024;
    assert_int_equal(r->kind, COPY_H2D);
    assert_int_equal(r->count, 4);
    assert_int_equal(r->total_bytes, (6 << 20) + 1024);
    assert_int_equal(r->total_duration_ns, 161000);
    assert_true(near(r->avg_bytes, bytes / 3));
    assert_true(near(r->avg_duration_ns, 211000.0 / 4));
    assert_true(near(r->bandwidth_gbps, bytes / 201000));
    assert_true(near(r->link_gbps, 32));
    assert_true(near(r->efficiency_pct, 100 * bytes / 201000 / 32));
    assert_int_equal(r->exposed_ns, 61000);
    assert_true(near(r->pageable_pct, 50));
    assert_int_equal(r->slowest, slow); /* the small one is slower, but small */
    r = copy_row(&f.a, COPY_D2D);
    assert_true(near(r->link_gbps, 5324.8 / 2));
    assert_true(isnan(r->pageable_pct));
    assert_int_equal(r->exposed_ns, 10100); /* with the unknown one: one cause of the ledger */
    r = copy_row(&f.a, COPY_UNKNOWN);
    assert_true(isnan(r->link_gbps) && isnan(r->efficiency_pct));
    assert_int_equal(r->exposed_ns, 0);
    /* "<4 KiB" and "1-16 MiB" to the device, then one row of each other direction. */
    assert_int_equal(f.a.copy_sizes.n, 4);
    assert_string_equal(copy_size_labels[f.a.copy_sizes.v[0].size_class], "<4 KiB");
    assert_string_equal(copy_size_labels[f.a.copy_sizes.v[1].size_class], "1-16 MiB");
    assert_int_equal(f.a.copy_sizes.v[1].count, 2);
    assert_int_equal(f.a.copy_sizes.v[1].duration_ns, 200000);
    finish(&f);
}

static void links_of_the_table_and_of_several_gpus(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 1);
    uint32_t g0 = add_gpu(&f, 0, "gfx942", "AMD Instinct MI300X"),
             g1 = add_gpu(&f, 1, "gfx9999", "?");
    uint32_t s0 = trace_stream(&f.t, p, g0, 0, 0), s1 = trace_stream(&f.t, p, g1, 0, 0);
    f.t.gpus.v[g1].host_link_mbps = 16000;
    /*  Each GPU sends 64000 bytes to the host: 1000 ns at 64 GB/s and 4000 ns at 16 GB/s, so the
     *  link of both is 128000 / 5000 = 25.6. A union per GPU: 2000 + 2000. */
    add_copy(&f, s0, COPY_D2H, 64000, 0, 2000);
    add_copy(&f, s1, COPY_D2H, 64000, 1000, 3000);
    add_copy(&f, s1, COPY_P2P, 1000, 5000, 6000); /* nothing is known about its link */
    add_copy(&f, s0, COPY_SET, 1000, 5000, 6000);
    add_copy(&f, s0, COPY_H2H, 10, 6000, 6000);
    analyze(&f);
    const struct copy_row *r = copy_row(&f.a, COPY_D2H);
    assert_true(near(r->link_gbps, 25.6));
    assert_int_equal(r->total_duration_ns, 4000);
    assert_int_equal(r->exposed_ns, 4000);
    assert_int_equal(r->slowest, 0);
    assert_true(isnan(copy_row(&f.a, COPY_P2P)->link_gbps));
    assert_true(near(copy_row(&f.a, COPY_SET)->link_gbps, 5324.8));
    assert_true(isnan(copy_row(&f.a, COPY_H2H)->bandwidth_gbps)); /* takes no time */
    assert_int_equal(copy_row(&f.a, COPY_H2H)->slowest, NO_INDEX);
    finish(&f);
}

/* ---- allocations ---- */

static void footprint_follows_addresses(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 1), g = add_gpu(&f, 0, "gfx942", "");
    made_thread(&f.t, p, 10);
    vec_push(&f.t.agents, &f.t.arena,
             ((struct agent){.process = p, .type = AGENT_GPU, .gpu = g, .id = 1}));
    vec_push(&f.t.agents, &f.t.arena,
             ((struct agent){.process = p, .type = AGENT_CPU, .gpu = NO_INDEX}));
    /*  0: +100 (A)  10: +50 (B)  20: -A  25: free of an unknown address  30: +70 (A again)
     *  35: +1000 on the host  36: its free  40: A once more without a free: 30 instead of 70
     *  Held: 100 150 50 50 120 120 120 80. */
    add_allocation(&f, ALLOC_FREE, 0xa, 0, 20, NO_INDEX);
    add_allocation(&f, ALLOC_ALLOC, 0xa, 100, 0, 0);
    add_allocation(&f, ALLOC_ALLOC, 0xb, 50, 10, 0);
    add_allocation(&f, ALLOC_FREE, 0xf, 0, 25, NO_INDEX);
    add_allocation(&f, ALLOC_ALLOC, 0xa, 70, 30, 0);
    add_allocation(&f, ALLOC_ALLOC, 0xc, 1000, 35, 1);
    add_allocation(&f, ALLOC_FREE, 0xc, 0, 36, NO_INDEX);
    add_allocation(&f, ALLOC_ALLOC, 0xa, 30, 40, 0);
    f.t.allocations.level[f.t.allocations.n - 1] = LEVEL_VIRTUAL;
    add_allocation(&f, ALLOC_ALLOC, 0xd, 5000, 41, 0);
    f.t.allocations.level[f.t.allocations.n - 1] = LEVEL_SCRATCH;
    analyze(&f);
    assert_int_equal(f.a.allocations.allocations, 5);
    assert_int_equal(f.a.allocations.frees, 3);
    assert_int_equal(f.a.allocations.allocated_bytes, 250);
    assert_int_equal(f.a.allocations.peak_bytes, 150);
    set_window(&f, 22, 28); /* 50 are held from before */
    analyze(&f);
    assert_int_equal(f.a.allocations.allocations, 0);
    assert_int_equal(f.a.allocations.frees, 1);
    assert_int_equal(f.a.allocations.peak_bytes, 50);
    set_window(&f, 15, 22); /* its only record frees, 150 are held before that */
    analyze(&f);
    assert_int_equal(f.a.allocations.peak_bytes, 150);
    set_window(&f, 50, 60);
    analyze(&f);
    assert_int_equal(f.a.allocations.peak_bytes, 80);
    finish(&f);
}

static void allocating_calls_stand_in_for_records(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 1), g = add_gpu(&f, 0, "gfx942", ""),
             t0 = made_thread(&f.t, p, 10);
    uint32_t s = trace_stream(&f.t, p, g, 0, 0), k = add_symbol(&f, "gemm");
    add_call(&f, t0, "hipMalloc", 0, 10);
    add_call(&f, t0, "hsa_amd_memory_pool_allocate", 2, 8); /* part of it */
    add_call(&f, t0, "hipMalloc", 30, 33);
    add_call(&f, t0, "hipFree", 40, 60);
    add_call(&f, t0, "hipFree", 80, 84);
    add_call(&f, t0, "hipHostUnregister", 90, 91);
    add_kernel(&f, s, k, 20, 30, NO_INDEX);
    add_kernel(&f, s, k, 70, 80, NO_INDEX);
    analyze(&f);
    assert_int_equal(f.a.allocations.allocations, 2);
    assert_int_equal(f.a.allocations.frees, 3);
    assert_int_equal(f.a.allocations.device_calls, 5);
    assert_int_equal(f.a.allocations.api_ns, 38);
    assert_int_equal(f.a.allocations.in_loop, 2); /* those at 30 and 40 */
    assert_true(near(f.a.allocations.per_kernel, 1));
    assert_string_equal(f.a.allocations.top_call, "hipFree");
    finish(&f);
}

/* ---- streams ---- */

static void streams_overlap_where_two_run(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 7), g = add_gpu(&f, 3, "gfx942", "");
    uint32_t s0 = trace_stream(&f.t, p, g, 5, text(&f, "main")),
             s1 = trace_stream(&f.t, p, g, 6, 0);
    uint32_t k = add_symbol(&f, "gemm");
    trace_stream(&f.t, p, g, 9, 0); /* without work */
    /*  s0: kernels [0,50) [40,60), copy [60,70): busy 70.  s1: [30,45) [65,100): busy 50.
     *  Both: [30,45) + [65,70) = 20 of 120 - 70. Kernels: sum 120, union 95. */
    add_kernel(&f, s0, k, 0, 50, NO_INDEX);
    add_kernel(&f, s0, k, 40, 60, NO_INDEX);
    add_copy(&f, s0, COPY_H2D, 10, 60, 70);
    add_kernel(&f, s1, k, 30, 45, NO_INDEX);
    add_kernel(&f, s1, k, 65, 100, NO_INDEX);
    analyze(&f);
    assert_int_equal(f.a.streams.n, 2);
    assert_string_equal(f.a.streams.v[0].name, "main");
    assert_int_equal(f.a.streams.v[0].gpu, 3);
    assert_int_equal(f.a.streams.v[0].pid, 7);
    assert_int_equal(f.a.streams.v[0].stream, 5);
    assert_int_equal(f.a.streams.v[0].kernels, 2);
    assert_int_equal(f.a.streams.v[0].copies, 1);
    assert_int_equal(f.a.streams.v[0].busy_ns, 70);
    assert_true(near(f.a.streams.v[0].pct_of_gpu_busy, 70));
    assert_int_equal(f.a.streams.v[1].busy_ns, 50);
    assert_int_equal(f.a.stream_stats.streams, 2);
    assert_int_equal(f.a.stream_stats.busiest_gpu_streams, 2);
    assert_int_equal(f.a.stream_stats.overlap_ns, 20);
    assert_true(near(f.a.stream_stats.overlap_pct, 40));
    assert_true(near(f.a.stream_stats.kernel_concurrency, 120.0 / 95));
    assert_false(f.a.stream_stats.serialised);
    finish(&f);
}

static void streams_that_take_turns_are_serialised(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 1), g = add_gpu(&f, 0, "gfx942", ""), k = add_symbol(&f, "gemm");
    uint32_t s[2] = {trace_stream(&f.t, p, g, 0, 0), trace_stream(&f.t, p, g, 1, 0)};
    for (int64_t i = 0; i < 7; i++)
        add_kernel(&f, s[i % 2], k, i * 10, i * 10 + 10, NO_INDEX);
    analyze(&f);
    assert_true(near(f.a.stream_stats.overlap_pct, 0));
    assert_false(f.a.stream_stats.serialised); /* the second stream has 3 kernels only */
    add_kernel(&f, s[1], k, 70, 80, NO_INDEX);
    analyze(&f);
    assert_true(f.a.stream_stats.serialised);
    finish(&f);
}

/* ---- markers ---- */

static void work_belongs_to_the_ranges_that_launched_it(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 1), t0 = made_thread(&f.t, p, 10), t1 = made_thread(&f.t, p, 11);
    uint32_t g = add_gpu(&f, 0, "gfx942", ""), s = trace_stream(&f.t, p, g, 0, 0);
    uint32_t k = add_symbol(&f, "gemm");
    /*  t0: step [0,50) holds fwd [5,20) and bwd [20,45), step [60,90) holds fwd [65,80)
     *  t1: step [0,10); the process range epoch [0,70) on t0; a moment at 7 on t0, in fwd. */
    add_marker(&f, t0, MARKER_THREAD_RANGE, "fwd", 5, 20);
    add_marker(&f, t0, MARKER_THREAD_RANGE, "step", 0, 50);
    add_marker(&f, t0, MARKER_THREAD_RANGE, "bwd", 20, 45);
    add_marker(&f, t0, MARKER_THREAD_RANGE, "step", 60, 90);
    add_marker(&f, t0, MARKER_THREAD_RANGE, "fwd", 65, 80);
    add_marker(&f, t1, MARKER_THREAD_RANGE, "step", 0, 10);
    add_marker(&f, t0, MARKER_PROCESS_RANGE, "epoch", 0, 70);
    add_marker(&f, t0, MARKER_INSTANT, "here", 7, 7);
    /*  Calls on t0 at 6 (fwd), 20 (bwd), 48 (step), 50 (epoch alone), 95 (nothing); on t1 at 20
     *  (nothing: ranges of t0 are not its own). Kernels of 10 ns each, and one without a call. */
    int64_t calls[] = {6, 20, 48, 50, 95, 20};
    for (int i = 0; i < 6; i++)
        add_kernel(&f, s, k, 100 + 10 * i, 110 + 10 * i,
                   add_call(&f, i < 5 ? t0 : t1, "hipLaunchKernel", calls[i], calls[i] + 1));
    add_kernel(&f, s, k, 160, 170, NO_INDEX);
    uint32_t copy = add_copy(&f, s, COPY_H2D, 1, 180, 185);
    f.t.copies.call[copy] = add_call(&f, t0, "hipMemcpyAsync", 66, 67);
    analyze(&f);
    static const struct {
        const char *name;
        uint32_t depth;
        uint64_t calls;
        int64_t wall_ns;
        uint64_t kernels;
        int64_t copy_ns;
        int32_t parent;
    } expected[] = {
        {"step", 0, 3, 90, 3, 5, -1}, {"fwd", 1, 2, 30, 1, 5, 0},    {"here", 2, 1, 0, 0, 0, 1},
        {"bwd", 1, 1, 25, 1, 0, 0},   {"epoch", 0, 1, 70, 4, 5, -1},
    };
    assert_int_equal(f.a.markers.n, 5);
    for (size_t i = 0; i < 5; i++) {
        const struct marker_row *r = &f.a.markers.v[i];
        assert_string_equal(r->name, expected[i].name);
        assert_int_equal(r->depth, expected[i].depth);
        assert_int_equal(r->calls, expected[i].calls);
        assert_int_equal(r->wall_ns, expected[i].wall_ns);
        assert_int_equal(r->kernels, expected[i].kernels);
        assert_int_equal(r->kernel_ns, 10 * expected[i].kernels);
        assert_int_equal(r->copy_ns, expected[i].copy_ns);
        assert_int_equal(r->parent, expected[i].parent);
    }
    assert_true(near(f.a.markers.v[0].avg_ns, 30));
    assert_int_equal(f.a.markers.v[0].max_ns, 50);
    assert_int_equal(f.a.markers.v[0].longest_end_ns, 50);
    assert_true(near(f.a.markers.v[0].gpu_pct, 100.0 * 30 / 90));
    assert_int_equal(f.a.markers.v[1].first_start_ns, 5);
    assert_int_equal(f.a.marker_stats.markers, 8);
    assert_int_equal(f.a.marker_stats.covered_ns, 90);
    assert_int_equal(f.a.marker_stats.unattributed_kernels, 3);
    assert_int_equal(f.a.marker_stats.unattributed_ns, 30);
    assert_true(near(f.a.marker_stats.uncovered_pct, 100 - 100.0 * 90 / 185));
    finish(&f);
}

static void many_marker_names_give_the_largest(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 1), t0 = made_thread(&f.t, p, 10);
    char name[16];
    int64_t at = 0;
    for (int i = 0; i < 300; i++) { /* "n" of 2i + 2 ns holds "m" of 2i + 1 ns */
        snprintf(name, sizeof(name), "n%d", i);
        add_marker(&f, t0, MARKER_THREAD_RANGE, name, at, at + 2 * i + 2);
        name[0] = 'm';
        add_marker(&f, t0, MARKER_THREAD_RANGE, name, at, at + 2 * i + 1);
        at += 2 * i + 2;
    }
    analyze(&f);
    assert_int_equal(f.a.markers.n, 200);
    for (size_t i = 0; i < 200; i++) {
        const struct marker_row *r = &f.a.markers.v[i];
        snprintf(name, sizeof(name), "%c%d", i % 2 ? 'm' : 'n', 299 - (int)i / 2);
        assert_string_equal(r->name, name);
        assert_int_equal(r->parent, i % 2 ? (int)i - 1 : -1);
    }
    finish(&f);
}

/* ---- whole GPUs ---- */

static void gpus_are_compared_by_compute(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 1), g0 = add_gpu(&f, 0, "gfx942", "A"),
             g1 = add_gpu(&f, 1, "gfx942", "B");
    uint32_t s[] = {trace_stream(&f.t, p, g0, 0, 0), trace_stream(&f.t, p, g0, 1, 0),
                    trace_stream(&f.t, p, g1, 0, 0)};
    uint32_t gemm = add_symbol(&f, "gemm"), nccl = add_symbol(&f, "ncclDevKernel_AllReduce");
    /*  GPU 0: compute [0,60), collective [50,80) and copy [90,100). GPU 1: compute [0,20),
     *  collective [50,80). Window 100. */
    add_kernel(&f, s[0], gemm, 0, 60, NO_INDEX);
    add_kernel(&f, s[1], gemm, 10, 20, NO_INDEX); /* adds no time */
    add_kernel(&f, s[1], nccl, 50, 80, NO_INDEX);
    add_copy(&f, s[0], COPY_D2H, 5, 90, 100);
    add_kernel(&f, s[2], gemm, 0, 20, NO_INDEX);
    add_kernel(&f, s[2], nccl, 50, 80, NO_INDEX);
    analyze(&f);
    assert_int_equal(f.a.gpus.n, 2);
    assert_string_equal(f.a.gpus.v[0].name, "A");
    assert_string_equal(f.a.gpus.v[0].host, "node1");
    assert_int_equal(f.a.gpus.v[0].busy_ns, 90);
    assert_int_equal(f.a.gpus.v[0].compute_ns, 60);
    assert_int_equal(f.a.gpus.v[0].idle_ns, 10);
    assert_int_equal(f.a.gpus.v[1].idle_ns, 50);
    assert_int_equal(f.a.gpus.v[1].kernels, 2);
    assert_true(near(f.a.gpus.v[1].busy_pct, 50));
    assert_true(near(f.a.balance.imbalance_pct, 100)); /* (60 - 20) / 40 */
    assert_int_equal(f.a.balance.lost_ns, 40);
    assert_int_equal(f.a.balance.busiest, 0);
    assert_int_equal(f.a.balance.idlest, 1);
    assert_int_equal(f.a.collectives.kernels, 2);
    assert_int_equal(f.a.collectives.busy_ns, 60);
    assert_int_equal(f.a.collectives.hidden_ns, 10);
    assert_int_equal(f.a.collectives.exposed_ns, 50);
    assert_true(near(f.a.collectives.exposed_pct, 25));
    assert_true(near(f.a.collectives.hidden_pct, 100.0 / 6));
    finish(&f);
}

static void readings_are_summed_up_per_series(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t p = add_process(&f, 1), g0 = add_gpu(&f, 0, "gfx942", ""),
             g1 = add_gpu(&f, 4, "gfx942", "");
    vec_push(&f.t.series, &f.t.arena, ((struct series){text(&f, "power"), text(&f, "W"), g0, p}));
    vec_push(&f.t.series, &f.t.arena, ((struct series){text(&f, "power"), text(&f, "W"), g1, p}));
    vec_push(&f.t.series, &f.t.arena, ((struct series){text(&f, "load"), 0, NO_INDEX, p}));
    add_reading(&f, 1, 10, 100);
    add_reading(&f, 1, 20, 400);
    add_reading(&f, 1, 30, 100);
    add_reading(&f, 1, 30, NAN);
    add_reading(&f, 1, 99, 9000); /* after the window */
    add_reading(&f, 2, 15, -1);
    set_window(&f, 0, 50);
    analyze(&f);
    assert_int_equal(f.a.telemetry.n, 2); /* the first series has no reading */
    const struct telemetry_row *r = &f.a.telemetry.v[0];
    assert_string_equal(r->series, "power");
    assert_string_equal(r->units, "W");
    assert_int_equal(r->gpu, 4);
    assert_int_equal(r->points, 3);
    assert_true(near(r->min, 100) && near(r->mean, 200) && near(r->max, 400));
    assert_int_equal(f.a.telemetry.v[1].gpu, -1);
    f.opts.view.gpu = (int32_t)g0;
    analyze(&f);
    assert_int_equal(f.a.telemetry.n, 1); /* the host's stays */
    finish(&f);
}

static void check_fields(const struct result *r)
{
    assert_non_null(r->fields->key);
    assert_true(r->fields->n > 0 && r->fields->row_size > 0);
    for (size_t i = 0; i < r->fields->n; i++) {
        const struct field *d = &r->fields->v[i];
        assert_true(d->offset < r->fields->row_size && *d->label && strlen(d->doc) > 5);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(d->key, r->fields->v[j].key);
    }
}

static void nothing_gives_zeros_and_every_table(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    analyze(&f);
    assert_int_equal(f.a.api.n + f.a.copies.n + f.a.streams.n + f.a.markers.n + f.a.gpus.n, 0);
    assert_int_equal(f.a.balance.busiest, -1);
    assert_true(isnan(f.a.allocations.per_kernel) && isnan(f.a.stream_stats.overlap_pct));
    assert_false(f.a.stream_stats.serialised);
    assert_int_equal(f.a.marker_stats.unattributed_kernels, 0);
    struct results all = {0};
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        assert_true(*kinds[k]->name && *kinds[k]->doc);
        analysis_kind_results(kinds[k], &f.a, &all, &f.arena);
    }
    static const char *const keys[] = {"api_calls",    "api_classes", "copies",       "copy_sizes",
                                       "allocations",  "streams",     "stream_stats", "markers",
                                       "marker_stats", "collectives", "gpus",         "balance",
                                       "telemetry"};
    assert_int_equal(all.n, ARRAY_LEN(keys));
    for (size_t i = 0; i < all.n; i++) {
        assert_string_equal(all.v[i].fields->key, keys[i]);
        check_fields(&all.v[i]);
    }
    finish(&f);
}

/* ---- random traces against a reference that looks at every nanosecond ---- */

enum { TIME = 120, THREADS = 3, GPUS = 2, STREAMS = 6, NAMES = 4, SEEDS = 1500, MAX_PATHS = 400 };

static uint64_t random_state;

static int64_t below(int64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int64_t)(random_state % (uint64_t)n);
}

static int64_t random_end(int64_t start)
{
    return start + below(below(3) ? 12 : 70) - (below(20) == 0 ? 5 : 0); /* some end too early */
}

static const char *random_name(char prefix)
{
    static char name[3];
    name[0] = prefix;
    name[1] = (char)('a' + below(NAMES));
    return name;
}

static uint32_t random_thread(void)
{
    int64_t t = below(THREADS + 1);
    return t == THREADS ? NO_INDEX : (uint32_t)t;
}

static void random_trace(struct fixture *f, uint64_t seed)
{
    random_state = seed * 0x9e3779b97f4a7c15u + 1;
    begin(f);
    uint32_t p = add_process(f, 1), k = add_symbol(f, "gemm");
    for (int i = 0; i < THREADS; i++)
        made_thread(&f->t, p, 10 + i);
    for (int i = 0; i < GPUS; i++)
        add_gpu(f, i, "gfx942", "");
    for (int i = 0; i < STREAMS; i++)
        trace_stream(&f->t, p, (uint32_t)below(GPUS), i, 0);
    for (int64_t n = below(40), i = 0; i < n; i++) {
        int64_t start = below(TIME - 20);
        add_call(f, random_thread(), random_name('c'), start, random_end(start));
    }
    for (int64_t n = below(30), i = 0; i < n; i++) {
        int64_t start = below(TIME - 20), calls = (int64_t)f->t.regions.n;
        uint32_t call = below(8) && calls ? (uint32_t)below(calls) : NO_INDEX;
        add_kernel(f, (uint32_t)below(STREAMS), k, start, random_end(start), call);
        start = below(TIME - 20);
        uint32_t copy = add_copy(f, (uint32_t)below(STREAMS), (enum copy_kind)below(COPY_KINDS), 1,
                                 start, random_end(start));
        f->t.copies.call[copy] = call;
    }
    for (int64_t n = below(40), i = 0; i < n; i++) {
        int64_t start = below(TIME - 20), kind = below(8);
        if (kind == 0)
            add_marker(f, random_thread(), MARKER_INSTANT, random_name('r'), start, start);
        else if (kind == 1)
            add_marker(f, random_thread(), MARKER_PROCESS_RANGE, random_name('p'), start,
                       random_end(start));
        else
            add_marker(f, random_thread(), MARKER_THREAD_RANGE, random_name('r'), start,
                       random_end(start));
    }
    if (below(2)) {
        int64_t start = below(TIME / 2);
        set_window(f, start, start + below(TIME));
    }
}

static bool touches(const struct view *v, int64_t start, int64_t end)
{
    if (end <= start)
        return start >= v->start_ns && start <= v->end_ns;
    return start < v->end_ns && end > v->start_ns;
}

static int64_t inside(const struct view *v, int64_t start, int64_t end)
{
    struct span s = view_clip(v, start, end);
    return s.end - s.start;
}

/* Does range i come after range j, that is inside it when both are open? */
static bool later(const int64_t *start, const int64_t *end, size_t i, size_t j)
{
    if (start[i] != start[j])
        return start[i] > start[j];
    return end[i] != end[j] ? end[i] < end[j] : i > j;
}

static void check_api(const struct fixture *f)
{
    const struct regions *r = &f->t.regions;
    const struct view *v = &f->a.view;
    int64_t total[128] = {0}, exclusive[128] = {0};
    uint64_t calls[128] = {0};
    for (size_t i = 0; i < r->n; i++) {
        if (touches(v, r->start_ns[i], r->end_ns[i]))
            calls[(int)trace_str(&f->t, r->name[i])[1]]++;
    }
    for (int64_t at = v->start_ns; at < v->end_ns; at++) {
        size_t inner[THREADS + 1] = {r->n, r->n, r->n, r->n};
        for (size_t i = 0; i < r->n; i++) {
            if (at < r->start_ns[i] || at >= r->end_ns[i])
                continue;
            size_t *in = &inner[r->thread[i] == NO_INDEX ? THREADS : r->thread[i]];
            total[(int)trace_str(&f->t, r->name[i])[1]]++;
            if (*in == r->n || later(r->start_ns, r->end_ns, i, *in))
                *in = i;
        }
        for (size_t t = 0; t <= THREADS; t++)
            if (inner[t] < r->n)
                exclusive[(int)trace_str(&f->t, r->name[inner[t]])[1]]++;
    }
    size_t longest[128] = {0};
    int64_t most[128];
    memset(most, 0xff, sizeof(most));   /* -1 */
    for (size_t i = 0; i < r->n; i++) { /* the first of equal ones */
        int c = trace_str(&f->t, r->name[i])[1];
        int64_t ns = inside(v, r->start_ns[i], r->end_ns[i]);
        if (touches(v, r->start_ns[i], r->end_ns[i]) && ns > most[c]) {
            most[c] = ns;
            longest[c] = i;
        }
    }
    for (int c = 0; c < NAMES; c++) {
        char name[] = {'c', (char)('a' + c), 0};
        const struct api_row *row = api_row(&f->a, name);
        assert_int_equal(row ? row->calls : 0, calls['a' + c]);
        assert_int_equal(row ? row->total_ns : 0, total['a' + c]);
        assert_int_equal(row ? row->exclusive_ns : 0, exclusive['a' + c]);
        assert_int_equal(row ? row->max_ns : -1, most['a' + c]);
        assert_int_equal(row ? row->longest : 0, longest['a' + c]);
    }
}

static bool runs(const int64_t *start, const int64_t *end, size_t i, int64_t at)
{
    return at >= start[i] && at < end[i];
}

static void check_streams_and_copies(const struct fixture *f)
{
    const struct kernels *k = &f->t.kernels;
    const struct copies *c = &f->t.copies;
    int64_t overlap = 0, busy[STREAMS] = {0}, copying[COPY_KINDS] = {0};
    for (int64_t at = f->a.view.start_ns; at < f->a.view.end_ns; at++) {
        bool active[STREAMS] = {0}, moving[GPUS][COPY_KINDS] = {{0}};
        int streams[GPUS] = {0};
        for (size_t i = 0; i < k->n; i++)
            active[k->stream[i]] |= runs(k->start_ns, k->end_ns, i, at);
        for (size_t i = 0; i < c->n; i++) {
            bool now = runs(c->start_ns, c->end_ns, i, at);
            active[c->stream[i]] |= now;
            moving[f->t.streams.v[c->stream[i]].gpu][c->kind[i]] |= now;
        }
        for (size_t s = 0; s < STREAMS; s++) {
            busy[s] += active[s];
            streams[f->t.streams.v[s].gpu] += active[s];
        }
        for (size_t g = 0; g < GPUS; g++) {
            overlap += streams[g] >= 2;
            for (size_t d = 0; d < COPY_KINDS; d++)
                copying[d] += moving[g][d];
        }
    }
    assert_int_equal(f->a.stream_stats.overlap_ns, overlap);
    for (size_t i = 0; i < f->a.streams.n; i++) {
        assert_int_equal(f->a.streams.v[i].busy_ns, busy[f->a.streams.v[i].stream]);
        busy[f->a.streams.v[i].stream] = 0;
    }
    for (size_t s = 0; s < STREAMS; s++)
        assert_int_equal(busy[s], 0); /* none was left out */
    for (size_t d = 0; d < COPY_KINDS; d++) {
        const struct copy_row *row = copy_row(&f->a, (enum copy_kind)d);
        assert_int_equal(row ? row->total_duration_ns : 0, copying[d]);
    }
}

/* A path of ranges as the reference sees it. */
struct path {
    char text[128];
    uint64_t calls, kernels;
    int64_t wall_ns, kernel_ns, copy_ns;
    bool at[THREADS + 1]; /* scratch */
};

struct reference {
    const struct fixture *f;
    int64_t end[64];
    size_t parent[64]; /* marker, or SIZE_MAX */
    struct path paths[MAX_PATHS];
    size_t n_paths, of[64]; /* path of each marker, or SIZE_MAX where it is not in the window */
};

static size_t thread_of(uint32_t thread)
{
    return thread == NO_INDEX ? THREADS : thread;
}

static bool nests(const struct markers *m, size_t i)
{
    return m->kind[i] != MARKER_PROCESS_RANGE;
}

static size_t find_parent(const struct reference *ref, size_t i)
{
    const struct markers *m = &ref->f->t.markers;
    size_t parent = SIZE_MAX;
    for (size_t j = 0; j < m->n; j++) {
        if (j == i || ref->of[j] == SIZE_MAX || !nests(m, i) || !nests(m, j) ||
            thread_of(m->thread[j]) != thread_of(m->thread[i]) ||
            !later(m->start_ns, ref->end, i, j) || ref->end[j] <= m->start_ns[i] ||
            ref->end[j] < ref->end[i])
            continue;
        if (parent == SIZE_MAX || later(m->start_ns, ref->end, j, parent))
            parent = j;
    }
    return parent;
}

static void path_text(const struct reference *ref, size_t i, char *out, size_t size)
{
    out[0] = 0;
    if (ref->parent[i] != SIZE_MAX)
        path_text(ref, ref->parent[i], out, size);
    size_t n = strlen(out);
    snprintf(out + n, size - n, "/%s", trace_str(&ref->f->t, ref->f->t.markers.name[i]));
}

static size_t find_path(struct reference *ref, const char *path)
{
    size_t p = 0;
    while (p < ref->n_paths && strcmp(ref->paths[p].text, path))
        p++;
    if (p == ref->n_paths) {
        assert_true(p < MAX_PATHS);
        snprintf(ref->paths[p].text, sizeof(ref->paths[p].text), "%s", path);
        ref->n_paths++;
    }
    return p;
}

static void find_paths(struct reference *ref)
{
    const struct markers *m = &ref->f->t.markers;
    for (size_t i = 0; i < m->n; i++) {
        ref->end[i] = m->end_ns[i] > m->start_ns[i] ? m->end_ns[i] : m->start_ns[i];
        ref->of[i] = touches(&ref->f->a.view, m->start_ns[i], ref->end[i]) ? 0 : SIZE_MAX;
    }
    for (size_t i = 0; i < m->n; i++)
        ref->parent[i] = find_parent(ref, i);
    for (size_t i = 0; i < m->n; i++) {
        if (ref->of[i] == SIZE_MAX)
            continue;
        char path[128];
        path_text(ref, i, path, sizeof(path));
        ref->of[i] = find_path(ref, path);
        ref->paths[ref->of[i]].calls++;
    }
    for (int64_t at = ref->f->a.view.start_ns; at < ref->f->a.view.end_ns; at++) {
        for (size_t p = 0; p < ref->n_paths; p++)
            memset(ref->paths[p].at, 0, sizeof(ref->paths[p].at));
        for (size_t i = 0; i < m->n; i++)
            if (ref->of[i] != SIZE_MAX && runs(m->start_ns, ref->end, i, at))
                ref->paths[ref->of[i]].at[thread_of(m->thread[i])] = true;
        for (size_t p = 0; p < ref->n_paths; p++)
            for (size_t t = 0; t <= THREADS; t++)
                ref->paths[p].wall_ns += ref->paths[p].at[t];
    }
}

/* Gives work of a call to its ranges; false when there is none. */
static bool give(struct reference *ref, uint32_t call, uint64_t kernels, int64_t kernel,
                 int64_t copy)
{
    const struct markers *m = &ref->f->t.markers;
    if (call == NO_INDEX)
        return false;
    int64_t at = ref->f->t.regions.start_ns[call];
    size_t inner = SIZE_MAX;
    bool hit[MAX_PATHS] = {0}, any = false;
    for (size_t i = 0; i < m->n; i++) {
        if (ref->of[i] == SIZE_MAX || !runs(m->start_ns, ref->end, i, at) ||
            thread_of(m->thread[i]) != thread_of(ref->f->t.regions.thread[call]))
            continue;
        any = true;
        if (!nests(m, i))
            hit[ref->of[i]] = true;
        else if (inner == SIZE_MAX || later(m->start_ns, ref->end, i, inner))
            inner = i;
    }
    for (; inner != SIZE_MAX; inner = ref->parent[inner])
        hit[ref->of[inner]] = true;
    for (size_t p = 0; p < ref->n_paths; p++) {
        ref->paths[p].kernels += hit[p] ? kernels : 0;
        ref->paths[p].kernel_ns += hit[p] ? kernel : 0;
        ref->paths[p].copy_ns += hit[p] ? copy : 0;
    }
    return any;
}

static void give_work(struct reference *ref)
{
    const struct fixture *f = ref->f;
    const struct view *v = &f->a.view;
    const struct kernels *k = &f->t.kernels;
    const struct copies *c = &f->t.copies;
    uint64_t lost = 0;
    int64_t lost_ns = 0;
    for (size_t i = 0; i < k->n; i++) {
        int64_t ns = inside(v, k->start_ns[i], k->end_ns[i]);
        if (touches(v, k->start_ns[i], k->end_ns[i]) && !give(ref, k->call[i], 1, ns, 0)) {
            lost++;
            lost_ns += ns;
        }
    }
    for (size_t i = 0; i < c->n; i++)
        if (touches(v, c->start_ns[i], c->end_ns[i]))
            give(ref, c->call[i], 0, 0, inside(v, c->start_ns[i], c->end_ns[i]));
    assert_int_equal(f->a.marker_stats.unattributed_kernels, lost);
    assert_int_equal(f->a.marker_stats.unattributed_ns, lost_ns);
}

static void check_markers(const struct fixture *f)
{
    static struct reference ref;
    memset(&ref, 0, sizeof(ref));
    ref.f = f;
    find_paths(&ref);
    give_work(&ref);
    static char paths[MAX_PATHS][128];
    assert_int_equal(f->a.markers.n, ref.n_paths);
    for (size_t i = 0; i < f->a.markers.n; i++) {
        const struct marker_row *r = &f->a.markers.v[i];
        assert_true(r->parent < (int32_t)i);
        snprintf(paths[i], sizeof(paths[i]), "%.120s/%.2s", r->parent < 0 ? "" : paths[r->parent],
                 r->name);
        const struct path *p = &ref.paths[find_path(&ref, paths[i])];
        assert_int_equal(r->calls, p->calls);
        assert_int_equal(r->wall_ns, p->wall_ns);
        assert_int_equal(r->kernels, p->kernels);
        assert_int_equal(r->kernel_ns, p->kernel_ns);
        assert_int_equal(r->copy_ns, p->copy_ns);
        for (size_t j = 0; j < i; j++) /* among brothers, most time first */
            if (f->a.markers.v[j].parent == r->parent)
                assert_true(f->a.markers.v[j].wall_ns >= r->wall_ns);
    }
    int64_t covered = 0;
    for (int64_t at = f->a.view.start_ns; at < f->a.view.end_ns; at++) {
        bool any = false;
        for (size_t i = 0; i < f->t.markers.n; i++)
            any |= runs(f->t.markers.start_ns, ref.end, i, at);
        covered += any;
    }
    assert_int_equal(f->a.marker_stats.covered_ns, covered);
}

static void random_traces_match_the_reference(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct fixture f;
        random_trace(&f, seed);
        f.opts.view.threads = 1 + (int)(seed % 4); /* how many must not matter */
        analyze(&f);
        check_api(&f);
        check_streams_and_copies(&f);
        check_markers(&f);
        finish(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(exclusive_time_is_without_nested_calls),
        unit_test(overlapping_calls_share_no_time),
        unit_test(classes_count_outermost_calls),
        unit_test(copies_are_compared_with_their_link),
        unit_test(links_of_the_table_and_of_several_gpus),
        unit_test(footprint_follows_addresses),
        unit_test(allocating_calls_stand_in_for_records),
        unit_test(streams_overlap_where_two_run),
        unit_test(streams_that_take_turns_are_serialised),
        unit_test(work_belongs_to_the_ranges_that_launched_it),
        unit_test(many_marker_names_give_the_largest),
        unit_test(gpus_are_compared_by_compute),
        unit_test(readings_are_summed_up_per_series),
        unit_test(nothing_gives_zeros_and_every_table),
        unit_test(random_traces_match_the_reference),
    };
    return unit_run(tests);
}
