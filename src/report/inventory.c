#include "report/inventory.h"

#include <inttypes.h>

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
    doc_fact(d, "format", "%s, schema %s, written by %s%s%s", f->format,
             *f->schema_version ? f->schema_version : "unknown", f->flavor,
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
    bool hosts = false;
    for (size_t g = 1; g < t->gpus.n; g++)
        hosts |= t->gpus.v[g].host != t->gpus.v[0].host;
    if (hosts)
        doc_column(b, "host", COLUMN_TEXT);
    for (size_t c = 0; c < 7; c++)
        doc_column(b, c == 3 && t->gpus.v[0].vendor == VENDOR_NVIDIA ? "SMs" : titles[c], kinds[c]);
    for (size_t g = 0; g < t->gpus.n; g++) {
        const struct gpu *u = &t->gpus.v[g];
        if (hosts)
            doc_cell(b, "%s", trace_str(t, u->host));
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
