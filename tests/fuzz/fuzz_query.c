/*
 * Fuzzing SQL over a small trace: any text is answered or refused with a message, within its limits,
 * and nothing is changed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/made_thread.h"
#include "query/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct trace trace;

static const struct trace *give(void *ctx, unsigned leave_out, struct gs_error *err)
{
    (void)ctx, (void)leave_out, (void)err;
    return &trace;
}

static void make(void)
{
    trace_init(&trace);
    vec_push(&trace.processes, &trace.arena, ((struct process){.pid = 100, .rank = 1}));
    made_thread(&trace, 0, 1);
    uint32_t gpu = trace_gpu(&trace, &(struct gpu){.index = 0, .used = true});
    uint32_t stream = trace_stream(&trace, 0, gpu, 3, 0);
    uint32_t name = strings_add(&trace.strings, "gemm");
    vec_push(&trace.symbols, &trace.arena, ((struct symbol){.name = name, .short_name = name}));
    for (int i = 0; i < 20; i++) {
        trace_room(&trace, kernels, 1);
        struct kernels *k = &trace.kernels;
        size_t n = k->n++;
        k->start_ns[n] = i * 10;
        k->end_ns[n] = i * 10 + i % 4;
        k->id[n] = 20 - i;
        k->symbol[n] = 0;
        k->launch[n] = k->queue[n] = NO_INDEX;
        k->call[n] = NO_INDEX;
        k->stream[n] = stream;
        k->thread[n] = 0;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct query_limits limits = {
        .seconds = 0.3, .rows = 100, .memory = 64 << 20, .result_size = 16 << 20};
    struct query_result r;
    struct gs_error err = {0};
    struct arena a;
    if (!trace.processes.n)
        make();
    arena_init(&a);
    struct query *q = query_open(&(struct query_source){.trace = give}, &a);
    const char *sql = arena_strndup(&a, (const char *)data, size);
    for (int i = 0; i < 4 && *sql; i++) {
        if (!query_next(q, &sql, &limits, &r, &err)) {
            if (!err.text[0])
                abort();
            break;
        }
        struct str out;
        str_init(&out, &a);
        query_csv(&r, &out, false);
    }
    if (trace.kernels.n != 20)
        abort();
    arena_release(&a);
    return 0;
}
