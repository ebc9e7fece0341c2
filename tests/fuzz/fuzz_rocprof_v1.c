/*
 * Fuzzing what stands in small text files: results.csv of the older rocprof, which must become a
 * trace whose references hold or one line of error, and index.yaml of packages, whose names must
 * be ones.
 */
#include "base/mem.h"
#include "harness.h"
#include "ingest/index.h"
#include "ingest/ingest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void as_results(const char *path)
{
    struct trace t;
    struct gs_error err = {0};
    struct ingest_opts o = {.reader = READER_AUTO, .threads = 1};
    struct ingest_file file = {path, &format_rocprof_v1, NULL};
    trace_init(&t);
    if (ingest_load_files(&t, &(struct ingest_files){&file, 1, 1}, &o, &err))
        must_refer(&t);
    else
        must_be_one_line(&err);
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
    const char *path = as_file(data, size);
    is_detected(&format_rocprof_v1, path, data, size);
    mem_guard(one, (void *)(uintptr_t)path, NULL);
    return 0;
}
