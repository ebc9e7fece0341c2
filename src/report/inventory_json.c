#include "base/str.h"
#include "report/inventory.h"
#include "report/trust.h"

struct category_json {
    const char *name;
    uint64_t count;
};

struct inventory_json {
    const struct inventory *i;
    const struct trace *t;
    struct trace_file first; /* what all files have in common */
    uint64_t span_ns;
    VEC(struct category_json) categories;
    inventory_processes processes;
    inventory_gpus gpus;
    uint64_t masked_values;
    struct trust_json trust;
};

#define T struct trace_file
PART(first_fields, T,
     OR_NULL(T, format, FIELD_ENUM, "format", "found by content", .words = trace_format_names),
     OR_NULL(T, schema_version, FIELD_TEXT, "schema_version", "version of the format"),
     OR_NULL(T, tool_version, FIELD_TEXT, "tool_version", "of the profiler; empty: not known"),
     OR_NULL(T, flavor, FIELD_ENUM, "writer", "profiler that wrote it",
             .words = trace_writer_names),
     OR_NULL(T, reader, FIELD_TEXT, "reader", "how it was read"));
PART(file_fields, T, ALWAYS(T, path, FIELD_TEXT, "path", "the file as it was named"),
     OR_NULL(T, guid, FIELD_TEXT, "guid", "of the session; empty: none"),
     OR_NULL(T, schema_version, FIELD_TEXT, "schema_version", "version of the format"),
     OR_NULL(T, flavor, FIELD_ENUM, "writer", "profiler that wrote it",
             .words = trace_writer_names),
     OR_NULL(T, reader, FIELD_TEXT, "reader", "how it was read"),
     OR_NULL(T, reader_reason, FIELD_TEXT, "reader_reason", "why not fast; null otherwise"),
     ALWAYS(T, bytes, FIELD_U64, "bytes", "size"));
#undef T

#define T struct inventory
#define SPAN .flag = FLAG(T, has_span)
PART(span_fields, T, OR_NULL(T, start_ns, FIELD_I64, "start_ns", "first time; null: none", SPAN),
     OR_NULL(T, end_ns, FIELD_I64, "end_ns", "last time; null: none", SPAN));
PART(range_fields, T, ALWAYS(T, regions, FIELD_U64, "regions", "host calls and ranges"),
     ALWAYS(T, markers, FIELD_U64, "markers", "of the program"));
#undef T

#define T struct trace
#define COUNT(member, key, doc) ALWAYS(T, member, FIELD_U64, key, doc)
PART(work_fields, T, COUNT(kernels.n, "kernels", "dispatches"),
     COUNT(copies.n, "copies", "copies and sets"),
     COUNT(allocations.n, "allocations", "allocations and frees"));
PART(value_fields, T, COUNT(counter_records, "counter_values", "of hardware counters"),
     COUNT(sample_records, "samples", "of the host"),
     COUNT(telemetry.n, "telemetry_points", "readings of clocks, power..."),
     COUNT(pc_samples.n, "pc_samples", "of the program counter"),
     COUNT(symbols.n, "kernel_names", "different kernels"),
     COUNT(streams.n, "streams", "streams and queues"), COUNT(threads.n, "threads", "of the host"));
PART(files_fields, T, ALWAYS(T, files, FIELD_LIST, "files", "one by one", .of = &file_fields));
#undef T

PART(category_fields, struct category_json,
     ALWAYS(struct category_json, name, FIELD_TEXT, "name", ""),
     ALWAYS(struct category_json, count, FIELD_U64, "count", "records"));

#define T struct inventory_json
PART(count_fields, T, SPREAD(T, t, FIELD_REF, &work_fields), SPREAD(T, i, FIELD_REF, &range_fields),
     SPREAD(T, t, FIELD_REF, &value_fields));

PART(document, T, SPREAD(T, first, FIELD_OBJECT, &first_fields),
     SPREAD(T, i, FIELD_REF, &span_fields),
     ALWAYS(T, span_ns, FIELD_U64, "span_ns", "end_ns - start_ns"),
     WITHIN("counts", "records", &count_fields),
     ALWAYS(T, categories, FIELD_PAIRS, "categories", "records by the profiler's categories",
            .of = &category_fields),
     ALWAYS(T, processes, FIELD_LIST, "processes", "that were recorded",
            .of = &inventory_process_fields),
     IF_ANY(T, masked_values, FIELD_U64, "masked_values",
            "passwords and the like in commands that are hidden; not there: none"),
     ALWAYS(T, gpus, FIELD_LIST, "gpus", "that the trace lists", .of = &inventory_gpu_fields),
     SPREAD(T, trust, FIELD_OBJECT, &trust_capability_fields),
     SPREAD(T, trust, FIELD_OBJECT, &trust_quality_fields), SPREAD(T, t, FIELD_REF, &files_fields));

static void take_lists(T *d, const struct trace *t, struct arena *arena)
{
    for (size_t c = 0; c < t->categories.n; c++)
        vec_push(&d->categories, arena,
                 ((struct category_json){trace_str(t, t->categories.v[c].name),
                                         t->categories.v[c].count}));
    d->processes = inventory_list_processes(t, arena);
    d->gpus = inventory_list_gpus(t, arena);
}

void inventory_json(const struct inventory *i, struct jwrite *w)
{
    const struct trace *t = i->trace;
    T d = {.i = i, .t = t, .span_ns = i->has_span ? inventory_span_ns(i) : 0};
    d.masked_values = t->masked_values;
    if (t->files.n)
        d.first = t->files.v[0];
    if (i->checked)
        d.first.reader = "check";
    take_lists(&d, t, w->out->arena);
    trust_json_make(&d.trust, &i->quality, &i->capabilities, w->out->arena);
    fields_write(w, NULL, &document, &d);
}

void inventory_json_schema(struct str *out)
{
    fields_schema_document(out, "urn:gpusight:info:1.0", "gpusight info",
                           "What 'gpusight info --json' writes; null means that it cannot be said. "
                           "Made by 'gpusight --generate info-schema'.",
                           &document);
}
