/*
 * Fuzzing the reader of PyTorch profiler traces: any bytes, as a file. Whatever it makes of them
 * must be a trace whose references hold, or an error with one line of text.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ingest/ingest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

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
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    }
    static const char *const no_tables[] = {NULL};
    char *head = malloc(size ? size : 1); /* exact, so that reading past the end shows */
    if (!head || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    if (size)
        memcpy(head, data, size);
    struct probe p = {.path = path, .head = head, .n = size, .tables = no_tables};
    format_kineto.detect(&p);
    free(head);
    struct trace t;
    struct gs_error err = {0};
    struct ingest_opts o = {.reader = READER_AUTO, .threads = 1};
    trace_init(&t);
    if (ingest_load_one(&t, &(struct ingest_file){path, &format_kineto, NULL}, &o, &err)) {
        check_kernels(&t);
        check_rest(&t);
    } else {
        must(err.text[0] && !strchr(err.text, '\n'), "one line of error");
    }
    trace_release(&t);
    return 0;
}
