/*
 * Fuzzing the rocprofv3 JSON reader: any bytes as a file. It must load or fail with one message,
 * and every number it leaves in the trace must be a row of the list it refers to.
 */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ingest_file file = {as_file(data, size), &format_rocprofv3_json, NULL};
    struct trace t;
    struct gs_error err = {0};
    trace_init(&t);
    if (!ingest_load_one(&t, &file, &(struct ingest_opts){.threads = 1}, &err)) {
        must_be_one_line(&err);
    } else {
        must(!err.text[0], "no error where it loads");
        must_refer(&t);
    }
    trace_release(&t);
    return 0;
}
