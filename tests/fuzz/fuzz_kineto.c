/*
 * Fuzzing the reader of PyTorch profiler traces: any bytes, as a file. Whatever it makes of them
 * must be a trace whose references hold, or an error with one line of text.
 */
#include "harness.h"
#include "ingest/ingest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool index_ok(uint32_t i, size_t n)
{
    return i < n || i == NO_INDEX;
}

static void check_kernels(const struct trace *t)
{
    const struct kernels *k = &t->kernels;
    for (size_t i = 0; i < k->n; i++) {
        must(k->symbol[i] < t->symbols.n, "symbol");
        must(k->launch[i] < t->launches.n, "launch");
        must(k->stream[i] < t->streams.n, "stream of a kernel");
        must(index_ok(k->call[i], t->regions.n), "call");
        must(index_ok(k->thread[i], t->threads.n), "thread");
    }
}

static void check_rest(const struct trace *t)
{
    for (size_t i = 0; i < t->copies.n; i++) {
        must(t->copies.stream[i] < t->streams.n, "stream of a copy");
        must(index_ok(t->copies.src[i], t->agents.n), "source");
        must(index_ok(t->copies.dst[i], t->agents.n), "destination");
        must(t->copies.kind[i] < COPY_KINDS, "kind of a copy");
    }
    for (size_t i = 0; i < t->regions.n; i++) {
        must(t->regions.thread[i] < t->threads.n, "thread of a region");
        must(t->regions.name[i] < t->strings.n, "name of a region");
    }
    for (size_t i = 0; i < t->markers.n; i++)
        must(index_ok(t->markers.thread[i], t->threads.n), "thread of a marker");
    for (size_t i = 0; i < t->allocations.n; i++)
        must(index_ok(t->allocations.agent[i], t->agents.n), "agent");
    for (size_t i = 0; i < t->streams.n; i++)
        must(index_ok(t->streams.v[i].gpu, t->gpus.n), "GPU of a stream");
    for (size_t i = 0; i < t->threads.n; i++)
        must(t->threads.v[i].process < t->processes.n, "process of a thread");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = as_file(data, size);
    is_detected(&format_kineto, path, data, size);
    struct trace t;
    struct gs_error err = {0};
    struct ingest_opts o = {.reader = READER_AUTO, .threads = 1};
    trace_init(&t);
    if (ingest_load_one(&t, &(struct ingest_file){path, &format_kineto, NULL}, &o, &err)) {
        check_kernels(&t);
        check_rest(&t);
    } else {
        must_be_one_line(&err);
    }
    trace_release(&t);
    return 0;
}
