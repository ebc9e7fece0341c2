/* The source folder: what of it the trace shows, risks, patterns, and what to capture. */
#include "base/str.h"
#include "report/section.h"
#include "report/source_report.h"

static void overview(const struct source_scan *s, struct doc *d)
{
    enum { MOST = 10 };
    struct arena *a = d->arena;
    doc_fact(d, "folder", "%s", s->dir);
    doc_fact(d, "programming model", "%s", source_model_words[s->programming_model]);
    doc_fact(d, "files", "%u read (%s, %s lines), %u left out", s->files_scanned,
             value_bytes(a, s->bytes), value_count(a, s->lines), s->files_skipped);
    doc_fact(d, "kernels", "%zu", s->kernels.n);
    doc_fact(d, "markers", s->already_instrumented ? "%u" : "none", s->marker_count);
    for (size_t i = 0; i < s->skipped.n && i < MOST; i++)
        doc_item(d, "%s: %s", s->skipped.v[i].path, s->skipped.v[i].reason);
    if (s->skipped.n > MOST)
        doc_item(d, "and %zu more", s->skipped.n - MOST);
}

static void table(struct doc *d, const char *title, const struct result *r, const struct rows *o)
{
    if (r->n)
        doc_heading(d, 3, "%s", title);
    doc_rows(d, r, o);
}

static const char *first_place(const struct source_scan *s, const struct source_pattern *p,
                               struct arena *a)
{
    if (!p->facts.n)
        return "";
    const struct source_fact *f = &s->facts.v[p->facts.v[0]];
    for (size_t i = 0; i < p->facts.n && !f->loop_depth; i++)
        if (s->facts.v[p->facts.v[i]].loop_depth)
            f = &s->facts.v[p->facts.v[i]];
    return arena_printf(a, "%s:%u", s->files.v[f->file].path, f->line);
}

static void patterns(const struct source_scan *s, struct doc *d)
{
    VEC(struct source_place_row) rows = {0};
    for (size_t i = 0; i < s->patterns.n; i++) {
        const struct source_pattern *p = &s->patterns.v[i];
        struct source_place_row r = {p->severity, p->description, first_place(s, p, d->arena),
                                     p->count, p->in_loop};
        vec_push(&rows, d->arena, r);
    }
    table(d, "Patterns", RESULT(source_place_fields, rows),
          &(struct rows){.key = "source_patterns"});
}

static const char *place(struct arena *a, const char *file, uint32_t line)
{
    return file ? arena_printf(a, "%s:%u", file, line) : NULL;
}

/* As the links of hot kernels, in the order of files. */
static void kernels(const struct subject *s, struct doc *d)
{
    VEC(struct source_link) rows = {0};
    for (size_t i = 0; i < s->source->kernels.n; i++) {
        const struct source_kernel *k = &s->source->kernels.v[i];
        struct source_link r = {.kernel = k->name,
                                .definition = place(d->arena, k->defined ? k->file : NULL, k->line),
                                .launch = place(d->arena, k->launch_file, k->launch_line),
                                .launches = k->launches,
                                .loop_launches = k->loop_launches,
                                .configuration = k->configuration};
        vec_push(&rows, d->arena, r);
    }
    table(d, "Kernels", RESULT(source_link_fields, rows),
          &(struct rows){.key = "source_kernels",
                         .caption = "in the order of files",
                         .shown = "kernel definition launch launches loop_launches configuration",
                         .never = "rank candidates",
                         .top = s->top});
}

static bool has(const struct subject *s)
{
    return s->source != NULL;
}

static void build(const struct subject *s, struct doc *d)
{
    const struct source_scan *scan = s->source;
    overview(scan, d);
    if (s->links) {
        table(d, "Hot kernels in the source", RESULT(source_link_fields, s->links->kernels),
              &(struct rows){.caption = "joined by name",
                             .shown = "rank kernel definition launch launches loop_launches "
                                      "configuration",
                             .top = s->top});
        table(d, "Host calls in the source", RESULT(source_call_fields, s->links->calls),
              &(struct rows){.caption = "calls of the trace that the source makes by the same name",
                             .shown = "name calls total_ns places",
                             .top = s->top});
    }
    doc_heading(d, 3, "Risk areas");
    for (size_t i = 0; i < scan->risk_areas.n; i++)
        doc_item(d, "%s", scan->risk_areas.v[i]);
    patterns(scan, d);
    kernels(s, d);
}

static void advice(const struct subject *s, struct doc *d)
{
    const struct source_scan *scan = s->source;
    struct str counters;
    for (size_t i = 0; i < scan->advice.n; i++) {
        const struct source_advice *a = &scan->advice.v[i];
        doc_heading(d, 3, "[%s] %s", priority_name(a->priority), a->category);
        doc_text(d, "%s: %s.", a->issue, a->suggestion);
        for (size_t k = 0; k < a->actions.n; k++)
            doc_item(d, "%s", a->actions.v[k]);
        for (size_t k = 0; k < a->commands.n; k++)
            doc_code(d, "%s", a->commands.v[k].full_command);
    }
    str_init(&counters, d->arena);
    for (size_t i = 0; i < scan->suggested_counters.n; i++)
        str_printf(&counters, "%s%s", i ? " " : "", scan->suggested_counters.v[i]);
    if (scan->vendor != SOURCE_OF_NVIDIA)
        doc_fact(d, "counters", "%s", counters.buf);
    doc_fact(d, "start here", "%s", scan->first_command);
}

const struct section section_source = {
    "source", "Source", "Source", IN(REPORT_ANALYSIS) | IN(REPORT_SOURCE), has, build};
const struct section section_source_advice = {
    "captures", "What to capture", "What to capture", IN(REPORT_SOURCE), has, advice};

struct doc *source_report(struct subject *s, const char *sections, struct arena *arena,
                          struct gs_error *err)
{
    struct doc *d = doc_new(arena);
    const struct source_scan *scan = s->source;
    bool serious = scan->patterns.n && scan->patterns.v[0].severity == SEVERITY_high;
    s->kind = REPORT_SOURCE;
    doc_title(d, "Source scan of %s", scan->dir);
    doc_callout(d, serious ? TONE_WARN : TONE_INFO, "%s", scan->risk_areas.v[0]);
    return sections_build(d, s, sections, err) ? d : NULL;
}
