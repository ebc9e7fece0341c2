#include "report/inventory.h"

#include <inttypes.h>
#include <string.h>

#include "base/fs.h"
#include "base/human.h"
#include "base/str.h"

static void overview(const struct inventory *i, struct doc *d)
{
    const struct trace *t = i->trace;
    const struct trace_file *f = t->files.n ? &t->files.v[0] : NULL;
    char text[HUMAN_MAX];
    if (!f)
        return;
    doc_fact(d, "format", "%s, schema %s, written by %s%s%s", trace_format_names[f->format],
             *f->schema_version ? f->schema_version : "unknown", trace_writer_names[f->flavor],
             *f->tool_version ? " " : "", f->tool_version);
    doc_fact(d, "size", "%s, read by the %s reader%s%s", human_bytes(text, inventory_bytes(t)),
             f->reader, f->reader_reason ? ": " : "", f->reader_reason ? f->reader_reason : "");
    if (i->has_span)
        doc_fact(d, "time span", "%s",
                 human_time(text, inventory_span_ns(i) > INT64_MAX
                                      ? INT64_MAX
                                      : (int64_t)inventory_span_ns(i)));
    doc_fact(d, "quality", "%c (%d of 100)", i->quality.grade, i->quality.points);
}

#define T struct inventory_process
SHARED_PART(inventory_process_fields, T,
            FIELD(T, pid, FIELD_I64, "pid", NO_UNIT, "process id", .null = NULL_NEVER),
            FIELD(T, rank, FIELD_I32, "rank", NO_UNIT, "of a job; null: none", .null = NULL_MAYBE),
            FIELD(T, rank_source, FIELD_TEXT, "rank from", NO_UNIT, "where the rank is from",
                  .null = NULL_MAYBE),
            FIELD(T, host, FIELD_TEXT, "host", NO_UNIT, "it ran on", .null = NULL_NEVER),
            FIELD(T, command, FIELD_TEXT, "command", NO_UNIT, "line", .null = NULL_NEVER));
#undef T

inventory_processes inventory_list_processes(const struct trace *t, struct arena *a)
{
    inventory_processes rows = {0};
    for (size_t p = 0; p < t->processes.n; p++) {
        const struct process *s = &t->processes.v[p];
        vec_push(&rows, a,
                 ((struct inventory_process){s->pid, s->rank, s->rank_source, trace_str(t, s->host),
                                             trace_str(t, s->command)}));
    }
    return rows;
}

static void processes(const struct inventory *i, struct doc *d)
{
    enum { MOST = 20 };
    const struct trace *t = i->trace;
    inventory_processes rows = inventory_list_processes(t, d->arena);
    doc_heading(d, 2, "Processes");
    doc_rows(d, RESULT(inventory_process_fields, rows),
             &(struct rows){.key = "processes",
                            .caption = "",
                            .shown = "rank host pid command",
                            .empty_too = true,
                            .top = MOST});
    if (t->masked_values)
        doc_text(d, "%" PRIu64 " %s in commands %s masked: passwords, tokens and the like.",
                 t->masked_values, t->masked_values == 1 ? "value" : "values",
                 t->masked_values == 1 ? "is" : "are");
}

#define T struct inventory_gpu
#define SIZE(member, key, label, unit, doc)                                                        \
    FIELD_AS(T, g.member, FIELD_U32, key, label, unit, doc, .null = NULL_NEVER,                    \
             .style = STYLE_OVER_ZERO)
#define NAME(member, label, doc, ...)                                                              \
    FIELD(T, member, FIELD_TEXT, label, NO_UNIT, doc, .null = NULL_NEVER, ##__VA_ARGS__)
SHARED_PART(inventory_gpu_fields, T,
            FIELD_AS(T, g.index, FIELD_I32, "index", "GPU", NO_UNIT, "number on its host, from 0",
                     .null = NULL_NEVER),
            FIELD_AS(T, g.node_id, FIELD_I32, "node_id", "node", NO_UNIT,
                     "as the driver numbers devices", .null = NULL_NEVER),
            NAME(host, "host", "it is in"), NAME(name, "name", "product name"),
            NAME(arch, "architecture", "gfx942, sm_90, ...", UNCUT),
            FIELD_AS(T, g.vendor, FIELD_ENUM, "vendor", "vendor", NO_UNIT, "who made it",
                     .null = NULL_NEVER, .words = vendor_names),
            SIZE(cu_count, "cu_count", "CUs", NO_UNIT,
                 "compute units or SMs; 0: not known, as below"),
            SIZE(simd_per_cu, "simd_per_cu", "SIMDs", NO_UNIT, "SIMDs of each"),
            SIZE(max_waves_per_simd, "max_waves_per_simd", "waves/SIMD", NO_UNIT, "waves at once"),
            SIZE(wave_size, "wave_size", "wave size", NO_UNIT, "work-items of a wave"),
            SIZE(lds_bytes_per_cu, "lds_bytes_per_cu", "LDS/CU", IN_BYTES, "LDS or shared memory"),
            SIZE(xcc_count, "xcc_count", "dies", NO_UNIT, "compute dies"),
            SIZE(clock_mhz, "clock_mhz", "highest clock", IN_MHZ, "highest clock"),
            FIELD_AS(T, g.memory_bytes, FIELD_U64, "memory_bytes", "memory", IN_BYTES,
                     "device memory", .null = NULL_NEVER, .style = STYLE_OVER_ZERO),
            FIELD_AS(T, g.used, FIELD_BOOL, "used", "used", NO_UNIT,
                     "some kernel or copy ran on it", .null = NULL_NEVER, UNCUT));
#undef T

inventory_gpus inventory_list_gpus(const struct trace *t, struct arena *a)
{
    inventory_gpus rows = {0};
    for (size_t g = 0; g < t->gpus.n; g++) {
        const struct gpu *u = &t->gpus.v[g];
        vec_push(&rows, a,
                 ((struct inventory_gpu){*u, trace_str(t, u->host), trace_str(t, u->name),
                                         trace_str(t, u->arch)}));
    }
    return rows;
}

/* The same columns, by the vendor's word. */
static const struct fields *with_sms(struct arena *a)
{
    const struct fields *from = &inventory_gpu_fields;
    struct field *list = arena_array(a, struct field, from->n);
    struct fields *to = arena_new(a, struct fields);
    memcpy(list, from->v, from->n * sizeof(*list));
    list[fields_find(from, "cu_count") - from->v].label = "SMs";
    *to = *from;
    to->v = list;
    return to;
}

static void gpus(const struct inventory *i, struct doc *d)
{
    const struct trace *t = i->trace;
    inventory_gpus rows = inventory_list_gpus(t, d->arena);
    bool hosts = false;
    for (size_t g = 1; g < t->gpus.n; g++)
        hosts |= t->gpus.v[g].host != t->gpus.v[0].host;
    if (!rows.n)
        return;
    const struct fields *fields =
        t->gpus.v[0].vendor == VENDOR_NVIDIA ? with_sms(d->arena) : &inventory_gpu_fields;
    doc_heading(d, 2, "GPUs");
    doc_rows(d, RESULT(*fields, rows),
             &(struct rows){.key = "gpus",
                            .caption = "",
                            .shown = hosts ? "host index name arch cu_count clock_mhz memory_bytes "
                                             "used"
                                           : "index name arch cu_count clock_mhz memory_bytes used",
                            .empty_too = true});
}

static void records(const struct inventory *i, struct doc *d)
{
    const struct trace *t = i->trace;
    const struct {
        const char *name;
        uint64_t n;
    } rows[] = {
        {"kernels", t->kernels.n},         {"copies", t->copies.n},
        {"allocations", t->allocations.n}, {"regions", i->regions},
        {"markers", i->markers},           {"counter values", t->counter_records},
        {"samples", t->sample_records},    {"telemetry points", t->telemetry.n},
        {"PC samples", t->pc_samples.n},
    };
    char text[HUMAN_MAX];
    doc_heading(d, 2, "Records");
    for (size_t r = 0; r < ARRAY_LEN(rows); r++)
        doc_fact(d, rows[r].name, "%s", human_count(text, rows[r].n));
    if (!t->categories.n)
        return;
    struct str s;
    str_init(&s, d->arena);
    for (size_t c = 0; c < t->categories.n; c++)
        str_printf(&s, "%s%s (%s)", c ? ", " : "", trace_str(t, t->categories.v[c].name),
                   human_count(text, t->categories.v[c].count));
    doc_fact(d, "categories", "%s", s.buf);
}

static void abilities(const struct inventory *i, struct doc *d)
{
    bool any = false;
    doc_heading(d, 2, "This trace can tell");
    for (size_t c = 0; c < i->capabilities.n; c++) {
        const struct capability *k = &i->capabilities.v[c];
        if (k->present)
            doc_item(d, "%s", k->answers);
        any |= k->wanted;
    }
    if (!any) {
        doc_text(d, "There is nothing more to capture.");
        return;
    }
    doc_heading(d, 2, "It cannot tell");
    for (size_t c = 0; c < i->capabilities.n; c++) {
        const struct capability *k = &i->capabilities.v[c];
        if (!k->wanted)
            continue;
        doc_item(d, "%s; capture it with", k->lacking);
        doc_code(d, "%s", k->command);
    }
}

static void quality(const struct inventory *i, struct doc *d)
{
    if (!i->quality.reasons.n)
        return;
    doc_heading(d, 2, "Data quality: %c", i->quality.grade);
    for (size_t r = 0; r < i->quality.reasons.n; r++) {
        const struct quality_reason *q = &i->quality.reasons.v[r];
        doc_item(d, "%s (affects %s; -%d)", q->text, q->affects, q->points);
    }
}

struct doc *inventory_doc(const struct inventory *i, struct arena *a)
{
    struct doc *d = doc_new(a);
    const struct trace *t = i->trace;
    doc_heading(d, 1, "%s%s", t->files.n ? fs_basename(t->files.v[0].path) : "trace",
                t->files.n > 1 ? arena_printf(a, " and %zu more", t->files.n - 1) : "");
    overview(i, d);
    processes(i, d);
    gpus(i, d);
    records(i, d);
    abilities(i, d);
    quality(i, d);
    return d;
}
