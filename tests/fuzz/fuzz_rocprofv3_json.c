/*
 * Fuzzing the rocprofv3 JSON reader: any bytes as a file. It must load or fail with one message,
 * and every number it leaves in the trace must be a row of the list it refers to.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ingest/ingest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void in_range(uint32_t index, size_t n)
{
    if (index != NO_INDEX && index >= n)
        abort();
}

static void check(const struct trace *t)
{
    for (size_t i = 0; i < t->kernels.n; i++) {
        in_range(t->kernels.symbol[i], t->symbols.n);
        in_range(t->kernels.launch[i], t->launches.n);
        in_range(t->kernels.stream[i], t->streams.n);
        in_range(t->kernels.queue[i], t->queues.n);
        in_range(t->kernels.thread[i], t->threads.n);
        in_range(t->kernels.call[i], t->regions.n);
        in_range(t->launches.v[t->kernels.launch[i]].rename, t->strings.n);
    }
    for (size_t i = 0; i < t->copies.n; i++) {
        in_range(t->copies.stream[i], t->streams.n);
        in_range(t->copies.call[i], t->regions.n);
        in_range(t->copies.src[i], t->agents.n);
        in_range(t->copies.dst[i], t->agents.n);
    }
    for (size_t i = 0; i < t->allocations.n; i++) {
        in_range(t->allocations.agent[i], t->agents.n);
        in_range(t->allocations.call[i], t->regions.n);
    }
    for (size_t i = 0; i < t->regions.n; i++) {
        in_range(t->regions.name[i], t->strings.n);
        in_range(t->regions.kind[i], REGION_KINDS);
    }
    for (size_t i = 0; i < t->markers.n; i++)
        in_range(t->markers.name[i], t->strings.n);
    for (size_t i = 0; i < t->counters.n; i++) {
        in_range(t->counters.kernel[i], t->kernels.n);
        in_range(t->counters.counter[i], t->counter_infos.n);
    }
    for (size_t i = 0; i < t->pc_samples.n; i++) {
        in_range(t->pc_samples.kernel[i], t->kernels.n);
        in_range(t->pc_samples.instruction[i], t->strings.n);
        in_range(t->pc_samples.comment[i], t->strings.n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[] = "/tmp/gpusight-fuzz-XXXXXX";
    static int fd = -1;
    if (fd < 0)
        fd = mkstemp(path);
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        return 0;
    struct trace t;
    struct gs_error err = {0};
    trace_init(&t);
    bool ok = ingest_load_one(&t, &(struct ingest_file){path, &format_rocprofv3_json, NULL},
                              &(struct ingest_opts){.threads = 1}, &err);
    if (ok ? err.text[0] : !err.text[0])
        abort();
    if (ok)
        check(&t);
    trace_release(&t);
    return 0;
}
