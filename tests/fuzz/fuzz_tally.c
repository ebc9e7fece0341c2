/*
 * Fuzzing what is read line by line: tables of sums, and what the older rocprof leaves. Any bytes, as
 * a file: tables whose rows can be written, or a trace whose references hold, or an error of one line.
 */
#include "base/mem.h"
#include "base/str.h"
#include "harness.h"
#include "ingest/ingest.h"
#include "tally/tally.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tables(const char *path, struct arena *a)
{
    struct tally t = {.arena = a};
    struct gs_error err = {0};
    struct str out;
    struct jwrite w;
    const struct tally_kind *kind = tally_kind_of(path, NULL);
    if (!kind)
        return;
    if (!tally_add(&t, path, kind, &err)) {
        must_be_one_line(&err);
        return;
    }
    for (size_t i = 0; i < t.lines.n; i++)
        must(t.lines.v[i].parent < t.lines.v[i].line, "a parent stands above");
    str_init(&out, a);
    jw_init(&w, &out, 0);
    fields_write(&w, NULL, &tally_fields, &t);
    must(out.len > 0 && tally_tables(&t, false)->n > 0, "a table");
}

static void trace(const char *path)
{
    struct trace t;
    struct gs_error err = {0};
    struct ingest_opts o = {.reader = READER_AUTO, .threads = 1};
    struct ingest_file file = {.path = path, .format = &format_rocprof_v1};
    trace_init(&t);
    if (ingest_load_files(&t, &(struct ingest_files){&file, 1, 1}, &o, &err))
        must_refer(&t);
    else
        must_be_one_line(&err);
    for (size_t i = 0; !err.text[0] && i < t.markers.n; i++)
        must(t.markers.start_ns[i] <= t.markers.end_ns[i], "a marker ends after it began");
    trace_release(&t);
}

static void one(void *ctx)
{
    struct arena *a = arena_scratch();
    tables(ctx, a);
    trace(ctx);
    arena_release(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mem_guard(one, (void *)(uintptr_t)as_file(data, size), NULL);
    return 0;
}
