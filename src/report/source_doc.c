#include "base/human.h"
#include "base/str.h"
#include "report/source_report.h"

static void overview(struct doc *d, const struct source_scan *s)
{
    char bytes[HUMAN_MAX], lines[HUMAN_MAX];
    doc_fact(d, "folder", "%s", s->dir);
    doc_fact(d, "programming model", "%s", s->programming_model);
    doc_fact(d, "files", "%u read (%s, %s lines), %u left out", s->files_scanned,
             human_bytes(bytes, s->bytes), human_count(lines, s->lines), s->files_skipped);
    doc_fact(d, "kernels", "%zu", s->kernels.n);
    doc_fact(d, "markers", s->already_instrumented ? "%u" : "none", s->marker_count);
}

static void left_out(struct doc *d, const struct source_scan *s)
{
    enum { MOST = 10 };
    for (size_t i = 0; i < s->skipped.n && i < MOST; i++)
        doc_item(d, "%s: %s", s->skipped.v[i].path, s->skipped.v[i].reason);
    if (s->skipped.n > MOST)
        doc_item(d, "and %zu more", s->skipped.n - MOST);
}

static void risks(struct doc *d, const struct source_scan *s)
{
    doc_heading(d, 3, "Risk areas");
    for (size_t i = 0; i < s->risk_areas.n; i++)
        doc_item(d, "%s", s->risk_areas.v[i]);
}

static const char *place(struct arena *a, const char *file, uint32_t line)
{
    return file ? arena_printf(a, "%s:%u", file, line) : "-";
}

static void kernels(struct doc *d, const struct source_scan *s, size_t top)
{
    if (!s->kernels.n)
        return;
    doc_heading(d, 3, "Kernels");
    struct block *t = doc_table(
        d, s->kernels.n > top ? arena_printf(d->arena, "the first %zu of %zu", top, s->kernels.n)
                              : "in the order of files");
    doc_column(t, "kernel", COLUMN_TEXT);
    doc_column(t, "defined at", COLUMN_TEXT);
    doc_column(t, "launched at", COLUMN_TEXT);
    doc_column(t, "sites", COLUMN_NUMBER);
    doc_column(t, "in loops", COLUMN_NUMBER);
    doc_column(t, "configuration", COLUMN_TEXT);
    for (size_t i = 0; i < s->kernels.n && i < top; i++) {
        const struct source_kernel *k = &s->kernels.v[i];
        doc_cell(t, "%s", k->name);
        doc_cell(t, "%s", place(d->arena, k->defined ? k->file : NULL, k->line));
        doc_cell(t, "%s", place(d->arena, k->launch_file, k->launch_line));
        doc_cell(t, "%u", k->launches);
        doc_cell(t, "%u", k->loop_launches);
        doc_cell(t, "%s", k->configuration ? k->configuration : "");
    }
}

/* The first place of a pattern, one in a loop before others. */
static const char *first_place(struct doc *d, const struct source_scan *s,
                               const struct source_pattern *p)
{
    if (!p->facts.n)
        return "";
    const struct source_fact *f = &s->facts.v[p->facts.v[0]];
    for (size_t i = 0; i < p->facts.n && !f->loop_depth; i++)
        if (s->facts.v[p->facts.v[i]].loop_depth)
            f = &s->facts.v[p->facts.v[i]];
    return place(d->arena, s->files.v[f->file].path, f->line);
}

static void patterns(struct doc *d, const struct source_scan *s)
{
    if (!s->patterns.n)
        return;
    doc_heading(d, 3, "Patterns");
    struct block *t = doc_table(d, "what the code does, most serious first");
    doc_column(t, "severity", COLUMN_KEEP);
    doc_column(t, "pattern", COLUMN_TEXT);
    doc_column(t, "count", COLUMN_NUMBER);
    doc_column(t, "in loops", COLUMN_NUMBER);
    doc_column(t, "first at", COLUMN_TEXT);
    for (size_t i = 0; i < s->patterns.n; i++) {
        const struct source_pattern *p = &s->patterns.v[i];
        doc_cell(t, "%s", p->severity);
        doc_cell(t, "%s", p->description);
        doc_cell(t, "%u", p->count);
        doc_cell(t, "%u", p->in_loop);
        doc_cell(t, "%s", first_place(d, s, p));
    }
}

static void linked_kernels(struct doc *d, const struct source_links *l, size_t top)
{
    if (!l->kernels.n)
        return;
    doc_heading(d, 3, "Hot kernels in the source");
    struct block *t = doc_table(d, "joined by name");
    doc_column(t, "#", COLUMN_NUMBER);
    doc_column(t, "kernel", COLUMN_TEXT);
    doc_column(t, "defined at", COLUMN_TEXT);
    doc_column(t, "launched at", COLUMN_TEXT);
    doc_column(t, "in loops", COLUMN_NUMBER);
    doc_column(t, "configuration", COLUMN_TEXT);
    for (size_t i = 0; i < l->kernels.n && i < top; i++) {
        const struct source_link *k = &l->kernels.v[i];
        doc_cell(t, "%u", k->rank);
        doc_cell(t, "%s", k->kernel);
        doc_cell(t, "%s%s", k->definition ? k->definition : "-", k->candidates > 1 ? " ?" : "");
        doc_cell(t, "%s", k->launch ? k->launch : "-");
        doc_cell(t, "%u of %u", k->loop_launches, k->launches);
        doc_cell(t, "%s", k->configuration ? k->configuration : "");
    }
}

static void linked_calls(struct doc *d, const struct source_links *l, size_t top)
{
    if (!l->calls.n)
        return;
    doc_heading(d, 3, "Host calls in the source");
    struct block *t = doc_table(d, "calls of the trace that the source makes by the same name");
    doc_column(t, "call", COLUMN_TEXT);
    doc_column(t, "calls", COLUMN_NUMBER);
    doc_column(t, "host time", COLUMN_NUMBER);
    doc_column(t, "where", COLUMN_TEXT);
    for (size_t i = 0; i < l->calls.n && i < top; i++) {
        char n[HUMAN_MAX], ns[HUMAN_MAX];
        doc_cell(t, "%s", l->calls.v[i].name);
        doc_cell(t, "%s", human_count(n, l->calls.v[i].calls));
        doc_cell(t, "%s", human_time(ns, l->calls.v[i].total_ns));
        doc_cell(t, "%s", l->calls.v[i].places);
    }
}

static void advice(struct doc *d, const struct source_scan *s)
{
    doc_heading(d, 2, "What to capture");
    for (size_t i = 0; i < s->advice.n; i++) {
        const struct source_advice *a = &s->advice.v[i];
        doc_heading(d, 3, "[%s] %s", a->priority, a->category);
        doc_text(d, "%s: %s.", a->issue, a->suggestion);
        for (size_t k = 0; k < a->actions.n; k++)
            doc_item(d, "%s", a->actions.v[k]);
        for (size_t k = 0; k < a->commands.n; k++)
            doc_code(d, "%s", a->commands.v[k].full_command);
    }
    struct str counters;
    str_init(&counters, d->arena);
    for (size_t i = 0; i < s->suggested_counters.n; i++)
        str_printf(&counters, "%s%s", i ? " " : "", s->suggested_counters.v[i]);
    if (!str_eq(s->vendor, "nvidia"))
        doc_fact(d, "counters", "%s", counters.buf);
    doc_fact(d, "start here", "%s", s->first_command);
}

void source_section(struct doc *d, const struct source_scan *s, const struct source_links *links,
                    size_t top)
{
    doc_heading(d, 2, "Source");
    overview(d, s);
    left_out(d, s);
    if (links) {
        linked_kernels(d, links, top);
        linked_calls(d, links, top);
    }
    risks(d, s);
    patterns(d, s);
    kernels(d, s, top);
}

struct doc *source_doc(const struct source_scan *s, size_t top, struct arena *arena)
{
    struct doc *d = doc_new(arena);
    doc_heading(d, 1, "Source scan of %s", s->dir);
    bool serious = s->patterns.n && str_eq(s->patterns.v[0].severity, "high");
    doc_callout(d, serious ? TONE_WARN : TONE_INFO, "%s", s->risk_areas.v[0]);
    source_section(d, s, NULL, top);
    advice(d, s);
    return d;
}
