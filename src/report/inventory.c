#include "report/inventory.h"

#include <inttypes.h>
#include <string.h>

#include "base/fs.h"
#include "base/human.h"
#include "base/sat.h"
#include "base/str.h"
#include "report/trust.h"

void inventory_make(struct inventory *i, const struct trace *t, const char *reader, int workers,
                    struct arena *a)
{
    *i = (struct inventory){.trace = t, .reader = reader};
    i->has_span = trace_span(t, workers, &i->start_ns, &i->end_ns);
    i->markers = t->markers.n;
    i->regions = t->regions.n - t->lifted_calls;
    for (size_t m = 0; m < t->markers.n; m++)
        i->regions += t->markers.kind[m] != MARKER_INSTANT;
    capabilities_find(&i->capabilities, t, a);
    quality_check(&i->quality, t, workers, a);
}

/* Times of broken clocks lie so far apart that only an unsigned number holds the difference. */
static uint64_t span_ns(const struct inventory *i)
{
    return (uint64_t)i->end_ns - (uint64_t)i->start_ns;
}

static uint64_t total_bytes(const struct trace *t)
{
    uint64_t bytes = 0;
    for (size_t f = 0; f < t->files.n; f++)
        if (!f || strcmp(t->files.v[f].path, t->files.v[f - 1].path))
            bytes = add_bytes(bytes, t->files.v[f].bytes);
    return bytes;
}

/* ---- the doc ---- */

static void overview(const struct inventory *i, struct doc *d)
{
    const struct trace *t = i->trace;
    const struct trace_file *f = t->files.n ? &t->files.v[0] : NULL;
    char text[HUMAN_MAX];
    if (!f)
        return;
    doc_fact(d, "format", "%s, schema %s, written by %s%s%s", f->format,
             *f->schema_version ? f->schema_version : "unknown", f->flavor,
             *f->tool_version ? " " : "", f->tool_version);
    doc_fact(d, "size", "%s, read by the %s reader%s%s", human_bytes(text, total_bytes(t)),
             f->reader, f->reader_reason ? ": " : "", f->reader_reason ? f->reader_reason : "");
    if (i->has_span)
        doc_fact(d, "time span", "%s",
                 human_time(text, span_ns(i) > INT64_MAX ? INT64_MAX : (int64_t)span_ns(i)));
    doc_fact(d, "quality", "%c (%d of 100)", i->quality.grade, i->quality.points);
}

static void processes(const struct inventory *i, struct doc *d)
{
    enum { MOST = 20 };
    const struct trace *t = i->trace;
    doc_heading(d, 2, "Processes");
    struct block *b = doc_table(d, "");
    doc_column(b, "rank", COLUMN_NUMBER);
    doc_column(b, "host", COLUMN_TEXT);
    doc_column(b, "pid", COLUMN_NUMBER);
    doc_column(b, "command", COLUMN_TEXT);
    for (size_t p = 0; p < t->processes.n && p < MOST; p++) {
        const struct process *s = &t->processes.v[p];
        if (s->rank >= 0)
            doc_cell(b, "%d", s->rank);
        else
            doc_cell(b, "-");
        doc_cell(b, "%s", trace_str(t, s->host));
        doc_cell(b, "%" PRId64, s->pid);
        doc_cell(b, "%s", trace_str(t, s->command));
    }
    if (t->processes.n > MOST)
        b->text = arena_printf(d->arena, "and %zu more", t->processes.n - MOST);
    if (t->masked_values)
        doc_text(d, "%" PRIu64 " %s in commands %s masked: passwords, tokens and the like.",
                 t->masked_values, t->masked_values == 1 ? "value" : "values",
                 t->masked_values == 1 ? "is" : "are");
}

static void gpus(const struct inventory *i, struct doc *d)
{
    const struct trace *t = i->trace;
    char text[HUMAN_MAX];
    if (!t->gpus.n)
        return;
    doc_heading(d, 2, "GPUs");
    struct block *b = doc_table(d, "");
    static const char *const titles[] = {"GPU", "name", "arch", "CUs", "clock", "memory", "used"};
    static const enum column_kind kinds[] = {COLUMN_NUMBER, COLUMN_TEXT,   COLUMN_KEEP,
                                             COLUMN_NUMBER, COLUMN_NUMBER, COLUMN_NUMBER,
                                             COLUMN_KEEP};
    for (size_t c = 0; c < 7; c++)
        doc_column(b, c == 3 && t->gpus.v[0].vendor == VENDOR_NVIDIA ? "SMs" : titles[c], kinds[c]);
    for (size_t g = 0; g < t->gpus.n; g++) {
        const struct gpu *u = &t->gpus.v[g];
        doc_cell(b, "%d", u->index);
        doc_cell(b, "%s", trace_str(t, u->name));
        doc_cell(b, "%s", trace_str(t, u->arch));
        doc_cell(b, u->cu_count ? "%u" : "-", u->cu_count);
        doc_cell(b, u->clock_mhz ? "%u MHz" : "-", u->clock_mhz);
        doc_cell(b, "%s", u->memory_bytes ? human_bytes(text, u->memory_bytes) : "-");
        doc_cell(b, "%s", u->used ? "yes" : "no");
    }
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
    for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
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
        any |= !k->present;
    }
    if (!any)
        return;
    doc_heading(d, 2, "It cannot tell");
    for (size_t c = 0; c < i->capabilities.n; c++) {
        const struct capability *k = &i->capabilities.v[c];
        if (k->present)
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

/* ---- JSON ---- */

static void json_files(const struct inventory *i, struct jwrite *w)
{
    jw_open(w, "files", '[');
    for (size_t f = 0; f < i->trace->files.n; f++) {
        const struct trace_file *file = &i->trace->files.v[f];
        jw_open(w, NULL, '{');
        jw_str(w, "path", file->path);
        jw_str(w, "guid", file->guid);
        jw_str(w, "schema_version", file->schema_version);
        jw_str(w, "writer", file->flavor);
        jw_str(w, "reader", file->reader);
        jw_str(w, "reader_reason", file->reader_reason);
        jw_uint(w, "bytes", file->bytes);
        jw_close(w);
    }
    jw_close(w);
}

static void json_counts(const struct inventory *i, struct jwrite *w)
{
    const struct trace *t = i->trace;
    jw_open(w, "counts", '{');
    jw_uint(w, "kernels", t->kernels.n);
    jw_uint(w, "copies", t->copies.n);
    jw_uint(w, "allocations", t->allocations.n);
    jw_uint(w, "regions", i->regions);
    jw_uint(w, "markers", i->markers);
    jw_uint(w, "counter_values", t->counter_records);
    jw_uint(w, "samples", t->sample_records);
    jw_uint(w, "telemetry_points", t->telemetry.n);
    jw_uint(w, "pc_samples", t->pc_samples.n);
    jw_uint(w, "kernel_names", t->symbols.n);
    jw_uint(w, "streams", t->streams.n);
    jw_uint(w, "threads", t->threads.n);
    jw_close(w);
}

static void json_processes(const struct inventory *i, struct jwrite *w)
{
    const struct trace *t = i->trace;
    jw_open(w, "processes", '[');
    for (size_t p = 0; p < t->processes.n; p++) {
        const struct process *s = &t->processes.v[p];
        jw_open(w, NULL, '{');
        jw_int(w, "pid", s->pid);
        if (s->rank >= 0)
            jw_int(w, "rank", s->rank);
        else
            jw_null(w, "rank");
        jw_str(w, "rank_source", s->rank_source);
        jw_str(w, "host", trace_str(t, s->host));
        jw_str(w, "command", trace_str(t, s->command));
        jw_close(w);
    }
    jw_close(w);
}

static void json_gpus(const struct inventory *i, struct jwrite *w)
{
    const struct trace *t = i->trace;
    jw_open(w, "gpus", '[');
    for (size_t g = 0; g < t->gpus.n; g++) {
        const struct gpu *u = &t->gpus.v[g];
        jw_open(w, NULL, '{');
        jw_int(w, "index", u->index);
        jw_int(w, "node_id", u->node_id);
        jw_str(w, "host", trace_str(t, u->host));
        jw_str(w, "name", trace_str(t, u->name));
        jw_str(w, "arch", trace_str(t, u->arch));
        jw_str(w, "vendor", vendor_name(u->vendor));
        jw_uint(w, "cu_count", u->cu_count);
        jw_uint(w, "simd_per_cu", u->simd_per_cu);
        jw_uint(w, "max_waves_per_simd", u->max_waves_per_simd);
        jw_uint(w, "wave_size", u->wave_size);
        jw_uint(w, "lds_bytes_per_cu", u->lds_bytes_per_cu);
        jw_uint(w, "xcc_count", u->xcc_count);
        jw_uint(w, "clock_mhz", u->clock_mhz);
        jw_uint(w, "memory_bytes", u->memory_bytes);
        jw_bool(w, "used", u->used);
        jw_close(w);
    }
    jw_close(w);
}

void inventory_json(const struct inventory *i, struct jwrite *w)
{
    const struct trace *t = i->trace;
    const struct trace_file *f = t->files.n ? &t->files.v[0] : NULL;
    jw_open(w, NULL, '{');
    jw_str(w, "format", f ? f->format : NULL);
    jw_str(w, "schema_version", f ? f->schema_version : NULL);
    jw_str(w, "tool_version", f ? f->tool_version : NULL);
    jw_str(w, "writer", f ? f->flavor : NULL);
    jw_str(w, "reader", str_eq(i->reader, "check") ? "check" : f ? f->reader : NULL);
    if (i->has_span) {
        jw_int(w, "start_ns", i->start_ns);
        jw_int(w, "end_ns", i->end_ns);
        jw_uint(w, "span_ns", span_ns(i));
    } else {
        jw_null(w, "start_ns");
        jw_null(w, "end_ns");
        jw_int(w, "span_ns", 0);
    }
    json_counts(i, w);
    jw_open(w, "categories", '{');
    for (size_t c = 0; c < t->categories.n; c++)
        jw_uint(w, trace_str(t, t->categories.v[c].name), t->categories.v[c].count);
    jw_close(w);
    json_processes(i, w);
    if (t->masked_values) /* only where something is hidden */
        jw_uint(w, "masked_values", t->masked_values);
    json_gpus(i, w);
    struct trust_json trust;
    trust_json_make(&trust, &i->quality, &i->capabilities, w->out->arena);
    fields_write_members(w, &trust_capability_fields, &trust);
    fields_write_members(w, &trust_quality_fields, &trust);
    json_files(i, w);
    jw_close(w);
}
