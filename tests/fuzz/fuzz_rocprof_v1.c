/*
 * Fuzzing what stands in small text files: results.csv of the older rocprof, which must become a
 * trace whose references hold or one line of error, and index.yaml of packages, whose names must
 * be ones.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "ingest/index.h"
#include "ingest/ingest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static void check(const struct trace *t)
{
    for (size_t i = 0; i < t->kernels.n; i++) {
        must(t->kernels.symbol[i] < t->symbols.n, "symbol");
        must(t->kernels.launch[i] < t->launches.n, "launch");
        must(t->kernels.stream[i] < t->streams.n, "stream of a kernel");
    }
    for (size_t i = 0; i < t->counters.n; i++)
        must(t->counters.counter[i] < t->counter_infos.n, "counter");
}

static void as_results(const char *path)
{
    struct trace t;
    struct gs_error err = {0};
    struct ingest_opts o = {.reader = READER_AUTO, .threads = 1};
    struct ingest_file file = {path, &format_rocprof_v1, NULL};
    trace_init(&t);
    if (ingest_load_files(&t, &(struct ingest_files){&file, 1, 1}, &o, &err))
        check(&t);
    else
        must(err.text[0] && !strchr(err.text, '\n'), "one line of error");
    trace_release(&t);
}

static void as_index(const char *path)
{
    struct arena *a = arena_scratch();
    struct fs_list names = {0};
    struct gs_error err = {0};
    if (index_is(path) && index_read(&names, path, a, &err)) {
        must(names.n > 0, "some names");
        for (size_t i = 0; i < names.n; i++)
            must(names.v[i][0] != 0, "a name");
    }
    arena_release(a);
}

static void one(void *path)
{
    as_results(path);
    as_index(path);
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
    format_rocprof_v1.detect(&p);
    free(head);
    mem_guard(one, path, NULL);
    return 0;
}
