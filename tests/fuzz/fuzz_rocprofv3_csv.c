/*
 * Fuzzing the reader of rocprofv3's CSV: any bytes as the files of a capture, divided by lines of
 * "=". It must load or fail with one line, and every number it leaves in the trace must be a row of the
 * list it refers to. What kind a file is shows in its header, so the names do not matter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/inputs.h"
#include "base/mem.h"
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const files[] = {
    "agent_info",       "kernel_trace",       "hip_api_trace", "memory_copy_trace",
    "marker_api_trace", "counter_collection", "hsa_api_trace", "pc_sampling_stochastic"};
static char folder[] = "/tmp/gpusight-fuzz-csv-XXXXXX";

static const char *path_of(size_t i)
{
    static char path[96];
    snprintf(path, sizeof(path), "%s/%s.csv", folder, files[i]);
    return path;
}

static void remove_folder(void)
{
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        unlink(path_of(i));
    rmdir(folder);
}

static void write_file(size_t i, const char *text, size_t n)
{
    if (!n) {
        unlink(path_of(i));
        return;
    }
    FILE *f = fopen(path_of(i), "wb");
    must(f && fwrite(text, 1, n, f) == n && fclose(f) == 0, "the file is written");
}

static void write_files(const char *p, const char *end)
{
    const char *begin = p;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        const char *stop = p;
        while (stop < end && !(*stop == '=' && (stop == begin || stop[-1] == '\n')))
            stop++;
        write_file(i, p, (size_t)(stop - p));
        for (p = stop; p < end && (*p == '=' || *p == '\n');)
            p++;
    }
}

static void load(void *path)
{
    struct trace t;
    struct gs_error err = {0};
    struct ingest_opts o = {.threads = 1};
    struct ingest_file file = {path, &format_rocprofv3_csv, NULL};
    trace_init(&t);
    if (ingest_load_files(&t, &(struct ingest_files){&file, 1, 1}, &o, &err))
        must_refer(&t);
    else
        must_be_one_line(&err);
    trace_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char capture[96];
    if (!*capture) {
        must(mkdtemp(folder), "a folder");
        snprintf(capture, sizeof(capture), "%s/", folder);
        atexit(remove_folder);
    }
    is_detected(&format_rocprofv3_csv, capture, data, size);
    write_files((const char *)data, (const char *)data + size);
    inputs_forget(0);
    mem_guard(load, capture, NULL);
    return 0;
}
