/*
 * Fuzzing the readers of Perfetto traces and XPlanes, and the writers: any bytes, as a file. Whatever they make
 * of them must be a trace whose references hold, or an error with one line of text; and such a
 * trace can be converted.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "convert/convert.h"
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

static void check(const struct trace *t)
{
    for (size_t i = 0; i < t->kernels.n; i++) {
        must(t->kernels.symbol[i] < t->symbols.n, "symbol");
        must(t->kernels.launch[i] < t->launches.n, "launch");
        must(t->kernels.stream[i] < t->streams.n, "stream of a kernel");
        must(index_ok(t->kernels.call[i], t->regions.n), "call");
        must(index_ok(t->kernels.thread[i], t->threads.n), "thread");
    }
    for (size_t i = 0; i < t->copies.n; i++) {
        must(t->copies.stream[i] < t->streams.n, "stream of a copy");
        must(index_ok(t->copies.src[i], t->agents.n), "source");
        must(index_ok(t->copies.dst[i], t->agents.n), "destination");
    }
    for (size_t i = 0; i < t->regions.n; i++)
        must(t->regions.thread[i] < t->threads.n && t->regions.name[i] < t->strings.n, "region");
    for (size_t i = 0; i < t->markers.n; i++)
        must(index_ok(t->markers.thread[i], t->threads.n), "thread of a marker");
    for (size_t i = 0; i < t->telemetry.n; i++)
        must(t->telemetry.series[i] < t->series.n, "series");
    for (size_t i = 0; i < t->counters.n; i++)
        must(t->counters.counter[i] < t->counter_infos.n, "counter");
}

/* All forms that are one file, into nowhere. */
static void convert(const struct trace *t)
{
    struct arena *a = arena_scratch();
    struct convert_opts o = {.annotate_args = true, .annotate_pmc = true, .threads = 1};
    for (size_t i = 0; converters[i]; i++) {
        struct gs_error err = {0};
        struct fs_set set;
        struct conversion c = {.trace = t, .o = &o, .set = &set, .path = "/dev/null"};
        c.process = NO_INDEX;
        if (!converters[i]->extension || converters[i] == &converter_rocpd ||
            converters[i] == &converter_otf2)
            continue;
        fs_set_init(&set, a);
        must(convert_write(converters[i], &c, &err), err.text);
        fs_set_abandon(&set);
    }
    arena_release(a);
}

struct call {
    const char *path;
    const struct format *format;
};

static void one(void *ctx)
{
    const struct call *call = ctx;
    struct trace t;
    struct gs_error err = {0};
    struct ingest_opts o = {.reader = READER_AUTO, .threads = 1};
    struct ingest_file file = {call->path, call->format, NULL};
    trace_init(&t);
    if (ingest_load_files(&t, &(struct ingest_files){&file, 1, 1}, &o, &err)) {
        check(&t);
        convert(&t);
    } else {
        must(err.text[0] && !strchr(err.text, '\n'), "one line of error");
    }
    trace_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    static const char *const no_tables[] = {NULL};
    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    }
    char *head = malloc(size ? size : 1); /* exact, so that reading past the end shows */
    if (!head || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    if (size)
        memcpy(head, data, size);
    struct probe p = {.path = path, .head = head, .n = size, .tables = no_tables};
    format_perfetto.detect(&p);
    bool xplane = format_xplane.detect(&p);
    free(head);
    mem_guard(one, &(struct call){path, xplane ? &format_xplane : &format_perfetto}, NULL);
    return 0;
}
