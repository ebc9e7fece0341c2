#define _GNU_SOURCE /* memfd_create */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

void must_be_one_line(const struct gs_error *err)
{
    must(err->text[0] && !strchr(err->text, '\n'), "one line of error");
}

/* ---- traces ---- */

static void row_of(uint32_t index, size_t n, const char *what)
{
    must(index == NO_INDEX || index < n, what);
}

static void kernels_refer(const struct trace *t)
{
    const struct kernels *k = &t->kernels;
    for (size_t i = 0; i < k->n; i++) {
        must(k->symbol[i] < t->symbols.n, "symbol");
        row_of(k->launch[i], t->launches.n, "launch");
        row_of(k->stream[i], t->streams.n, "stream of a kernel");
        row_of(k->queue[i], t->queues.n, "queue of a kernel");
        row_of(k->call[i], t->regions.n, "call of a kernel");
        row_of(k->thread[i], t->threads.n, "thread of a kernel");
    }
    for (size_t i = 0; i < t->launches.n; i++)
        must(t->launches.v[i].rename < t->strings.n, "other name of a kernel");
    for (size_t i = 0; i < t->symbols.n; i++)
        must(t->symbols.v[i].name < t->strings.n, "name of a kernel");
}

static void other_work_refers(const struct trace *t)
{
    const struct copies *c = &t->copies;
    for (size_t i = 0; i < c->n; i++) {
        row_of(c->stream[i], t->streams.n, "stream of a copy");
        row_of(c->call[i], t->regions.n, "call of a copy");
        row_of(c->src[i], t->agents.n, "source");
        row_of(c->dst[i], t->agents.n, "destination");
        must(c->kind[i] < COPY_KINDS, "kind of a copy");
    }
    for (size_t i = 0; i < t->allocations.n; i++) {
        row_of(t->allocations.agent[i], t->agents.n, "agent");
        row_of(t->allocations.call[i], t->regions.n, "call of an allocation");
    }
}

static void host_refers(const struct trace *t)
{
    for (size_t i = 0; i < t->regions.n; i++) {
        must(t->regions.name[i] < t->strings.n, "name of a call");
        must(t->regions.kind[i] < REGION_KINDS, "kind of a call");
        row_of(t->regions.thread[i], t->threads.n, "thread of a call");
    }
    for (size_t i = 0; i < t->markers.n; i++) {
        must(t->markers.name[i] < t->strings.n, "name of a marker");
        row_of(t->markers.thread[i], t->threads.n, "thread of a marker");
    }
    for (size_t i = 0; i < t->syncs.n; i++) {
        row_of(t->syncs.call[i], t->regions.n, "call that waits");
        row_of(t->syncs.stream[i], t->streams.n, "stream that waits");
        row_of(t->syncs.source[i], t->streams.n, "stream of an event");
        row_of(t->syncs.record[i], t->regions.n, "call of an event");
    }
}

static void measured_refer(const struct trace *t)
{
    for (size_t i = 0; i < t->counters.n; i++) {
        row_of(t->counters.kernel[i], t->kernels.n, "kernel of a counter");
        must(t->counters.counter[i] < t->counter_infos.n, "counter");
    }
    for (size_t i = 0; i < t->pc_samples.n; i++) {
        row_of(t->pc_samples.kernel[i], t->kernels.n, "kernel of a sample");
        must(t->pc_samples.instruction[i] < t->strings.n, "instruction");
        must(t->pc_samples.comment[i] < t->strings.n, "comment");
    }
    for (size_t i = 0; i < t->telemetry.n; i++)
        must(t->telemetry.series[i] < t->series.n, "series");
}

void must_refer(const struct trace *t)
{
    kernels_refer(t);
    other_work_refers(t);
    host_refers(t);
    measured_refer(t);
    for (size_t i = 0; i < t->streams.n; i++)
        row_of(t->streams.v[i].gpu, t->gpus.n, "GPU of a stream");
    for (size_t i = 0; i < t->threads.n; i++)
        must(t->threads.v[i].process < t->processes.n, "process of a thread");
}

/* ---- files ---- */

const char *as_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    }
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    return path;
}

bool is_detected(const struct format *format, const char *path, const uint8_t *data, size_t size)
{
    static const char *const no_tables[] = {NULL};
    char *head = malloc(size ? size : 1);
    if (!head)
        abort();
    if (size)
        memcpy(head, data, size);
    struct probe p = {.path = path, .head = head, .n = size, .tables = no_tables};
    bool found = format->detect(&p);
    free(head);
    return found;
}
