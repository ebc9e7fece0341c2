/*
 * Fuzzing the readers of Perfetto traces and XPlanes, and the writers: any bytes, as a file. Whatever
 * they make of them must be a trace whose references hold, or an error with one line of text; and
 * such a trace can be converted.
 */
#include "base/mem.h"
#include "convert/convert.h"
#include "harness.h"
#include "ingest/ingest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
        must_refer(&t);
        convert(&t);
    } else {
        must_be_one_line(&err);
    }
    trace_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = as_file(data, size);
    is_detected(&format_perfetto, path, data, size);
    bool xplane = is_detected(&format_xplane, path, data, size);
    mem_guard(one, &(struct call){path, xplane ? &format_xplane : &format_perfetto}, NULL);
    return 0;
}
