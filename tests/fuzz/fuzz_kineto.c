/*
 * Fuzzing the reader of PyTorch profiler traces: any bytes, as a file. Whatever it makes of them
 * must be a trace whose references hold, or an error with one line of text.
 */
#include "harness.h"
#include "ingest/ingest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = as_file(data, size);
    is_detected(&format_kineto, path, data, size);
    struct trace t;
    struct gs_error err = {0};
    struct ingest_opts o = {.reader = READER_AUTO, .threads = 1};
    trace_init(&t);
    if (ingest_load_one(&t, &(struct ingest_file){path, &format_kineto, NULL}, &o, &err))
        must_refer(&t);
    else
        must_be_one_line(&err);
    trace_release(&t);
    return 0;
}
