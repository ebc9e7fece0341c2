/* Explanations, reports as text, and source code. */
#include <string.h>

#include "base/str.h"
#include "render/render.h"
#include "report/columns.h"
#include "report/section.h"
#include "report/source_report.h"
#include "report/terms.h"
#include "tool/ask.h"

/* ---- explain ---- */

struct explain_doc {
    const char *term, *text;
};

static const void *call_explain(struct tool_ask *ask, struct gs_error *err)
{
    struct explain_doc *d = arena_new(ask->arena, struct explain_doc);
    struct terms terms;
    struct str out;
    terms_list(&terms, ask->arena);
    struct doc *doc = term_doc(&terms, ask->args.term, ask->arena);
    if (!doc) {
        const char *near = term_nearest(&terms, ask->args.term, ask->arena);
        fail(err, GS_E_USAGE, "unknown term '%.80s'%s%s%s", ask->args.term,
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return NULL;
    }
    str_init(&out, ask->arena);
    render_text(&out, doc, &(struct render_opts){.columns = 100});
    *d = (struct explain_doc){ask->args.term, out.buf};
    return d;
}

#define T struct explain_doc
PART(explain_result, T, ALWAYS(T, term, FIELD_TEXT, "term", "the word"),
     ALWAYS(T, text, FIELD_TEXT, "text", "what it means"));
#undef T
static const struct field explain_params_list[] = {
    ALWAYS(struct tool_args, term, FIELD_TEXT, "term",
           "a metric, table, cause, rule, counter or class, such as pct_of_wall, tiny-kernels"),
};
static const struct fields explain_params = FIELDS("", "", struct tool_args, explain_params_list);

const struct tool tool_explain = {
    .name = "explain",
    .title = "What a word means",
    .description =
        "The meaning and formula of a metric, a cause of the ledger, a rule or its id, a "
        "category, a hardware counter or any key of an answer",
    .params = &explain_params,
    .result = &explain_result,
    .call = call_explain,
};

/* ---- report ---- */

enum { PIECE = 24000 };

struct report_doc {
    struct tool_head head;
    const char *text;
    uint64_t bytes;
    const char *next;
};

/* A piece of the text from `first` on, up to the end of a line, whole characters only. */
static void cut_piece(struct report_doc *d, const struct str *all, size_t first,
                      struct arena *arena)
{
    size_t n = all->len - first;
    if (n > PIECE) {
        n = PIECE;
        while (n > PIECE / 2 && all->buf[first + n - 1] != '\n')
            n--;
        if (n == PIECE / 2)
            for (n = PIECE; (all->buf[first + n] & 0xc0) == 0x80;)
                n--;
    }
    d->text = arena_strndup(arena, all->buf + first, n);
    d->next = first + n < all->len ? arena_printf(arena, "%zu", first + n) : NULL;
    d->bytes = all->len;
}

static const void *call_report(struct tool_ask *ask, struct gs_error *err)
{
    struct report_doc *d = arena_new(ask->arena, struct report_doc);
    const struct run *r = ask->run;
    struct subject about = {.a = r->analysis,
                            .advice = &r->advice,
                            .att = r->att,
                            .top = ask->args.has_limit ? ask->limit : 10};
    struct str all;
    tool_head_set(ask, &d->head);
    struct doc *doc = analysis_report(&about, ask->args.sections, ask->arena, err);
    if (!doc || (ask->args.columns && !columns_choose(doc, ask->args.columns, err)))
        return NULL;
    str_init(&all, ask->arena);
    if (ask->args.format && str_eq(ask->args.format, "text"))
        render_text(&all, doc, &(struct render_opts){.columns = 100});
    else
        render_markdown(&all, doc, NULL);
    if (ask->first > all.len) {
        fail(err, GS_E_USAGE, "the cursor is behind the end: the report has %zu bytes", all.len);
        return NULL;
    }
    cut_piece(d, &all, ask->first, ask->arena);
    return d;
}

#define T struct report_doc
PART(report_head, struct tool_head,
     ALWAYS(struct tool_head, trace, FIELD_TEXT, "trace", "id of the trace"));
PART(report_result, T, SPREAD(T, head, FIELD_OBJECT, &report_head),
     ALWAYS(T, text, FIELD_TEXT, "text", "the report, or a piece of it"),
     ALWAYS(T, bytes, FIELD_U64, "bytes", "of the whole report"),
     OR_NULL(T, next, FIELD_TEXT, "next_cursor", "cursor of the next piece; null: no more"));
#undef T
static const struct field report_params_list[] = {
    P_TRACE,
    P(format, FIELD_TEXT, "markdown when not given", .words = WORDS("markdown", "text")),
    P(sections, FIELD_TEXT, "only these, divided by commas: findings, kernels, copies, ..."),
    P(columns, FIELD_TEXT,
      "of tables: all, or these, divided by commas; +p95_ns adds one to those shown anyway"),
    P_PAGE,
};
static const struct fields report_params = FIELDS("", "", struct tool_args, report_params_list);

const struct tool tool_report = {
    .name = "report",
    .not_offered = true,
    .title = "The report as text",
    .description = "What 'gpusight analyze' prints, as Markdown or plain text, all of it or some "
                   "sections, in pieces of 24,000 bytes",
    .params = &report_params,
    .result = &report_result,
    .needs_run = true,
    .call = call_report,
};

/* ---- source ---- */

struct source_doc {
    struct tool_head head;
    const char *dir;
    const struct source_scan *s;
    VEC(struct source_fact_row) facts;
    VEC(struct source_kernel) kernels;
    VEC(struct source_place_row) patterns;
    VEC(struct source_link) links;
    VEC(struct source_call) calls;
};

static struct source_scan *scan(struct tool_ask *ask, const char *dir, struct gs_error *err)
{
    const char *path = tool_path(ask->box, dir, ask->arena, err);
    int threads = tool_box_settings(ask->box)->threads;
    return path ? source_scan_in(ask->arena, path, threads, err) : NULL;
}

static bool is_wanted(const struct tool_ask *ask, const struct source_fact_row *f)
{
    const char *part = ask->args.contains;
    return !part || str_has_fold(f->name, part) || str_has_fold(f->file, part) ||
           (f->function && str_has_fold(f->function, part));
}

static void take_patterns(struct tool_ask *ask, struct source_doc *d)
{
    VEC(struct source_place_row) rows = {0};
    for (size_t i = 0; i < d->s->patterns.n; i++) {
        const struct source_pattern *p = &d->s->patterns.v[i];
        const struct source_fact *f = p->facts.n ? &d->s->facts.v[p->facts.v[0]] : NULL;
        for (size_t k = 0; k < p->facts.n; k++)
            if (d->s->facts.v[p->facts.v[k]].loop_depth) {
                f = &d->s->facts.v[p->facts.v[k]];
                break;
            }
        const char *first =
            f ? arena_printf(ask->arena, "%s:%u", d->s->files.v[f->file].path, f->line) : NULL;
        vec_push(
            &rows, ask->arena,
            ((struct source_place_row){p->severity, p->description, first, p->count, p->in_loop}));
    }
    tool_rows(ask, &d->patterns, rows.v, rows.n);
}

static const void *call_source(struct tool_ask *ask, struct gs_error *err)
{
    struct source_doc *d = arena_new(ask->arena, struct source_doc);
    const char *dir =
        ask->args.source_dir ? ask->args.source_dir : tool_box_settings(ask->box)->source_dir;
    VEC(struct source_fact_row) facts = {0};
    struct source_links *links = arena_new(ask->arena, struct source_links);
    struct advice none = {0};
    if (!dir) {
        fail(err, GS_E_USAGE, "argument 'source_dir' is missing");
        return NULL;
    }
    if (!(d->s = scan(ask, dir, err)))
        return NULL;
    d->dir = dir;
    if (ask->args.trace) {
        ask->run = tool_run(ask->box, ask->args.trace, &ask->id, err);
        if (!ask->run)
            return NULL;
        source_link(links, d->s, ask->run->analysis, &none, ask->arena);
    }
    d->head.trace = ask->id;
    tool_head_set(ask, &d->head);
    for (size_t i = 0; i < d->s->facts.n; i++) {
        struct source_fact_row f = source_fact_row(d->s, &d->s->facts.v[i]);
        if (is_wanted(ask, &f))
            vec_push(&facts, ask->arena, f);
    }
    tool_rows(ask, &d->facts, facts.v, facts.n);
    tool_rows(ask, &d->kernels, d->s->kernels.v, d->s->kernels.n);
    tool_rows(ask, &d->links, links->kernels.v, links->kernels.n);
    tool_rows(ask, &d->calls, links->calls.v, links->calls.n);
    take_patterns(ask, d);
    return d;
}

#define T struct source_doc
#define ROWS(member, doc, fields) ALWAYS(T, member, FIELD_LIST, #member, doc, .of = fields)
PART(source_head, struct tool_head,
     OR_NULL(struct tool_head, trace, FIELD_TEXT, "trace", "id of the trace; null: none"),
     ALWAYS(struct tool_head, total, FIELD_U64, "total", "facts, on all pages"),
     OR_NULL(struct tool_head, next_cursor, FIELD_TEXT, "next_cursor",
             "cursor of the next page of facts; null: no more"));
PART(scan_fields, struct source_scan,
     ALWAYS(struct source_scan, programming_model, FIELD_ENUM, "programming_model",
            "HIP, CUDA, PyTorch, ...", .words = source_model_words),
     ALWAYS(struct source_scan, files_scanned, FIELD_U32, "files_scanned", "files that were read"),
     ALWAYS(struct source_scan, files_skipped, FIELD_U32, "files_skipped", "and left out"));
PART(source_result, T, SPREAD(T, head, FIELD_OBJECT, &source_head),
     ALWAYS(T, dir, FIELD_TEXT, "source_dir", "folder that was scanned"),
     SPREAD(T, s, FIELD_REF, &scan_fields),
     ROWS(facts, "places that matter to the GPU, by file and line", &source_fact_fields),
     ROWS(kernels, "definitions and launches", &source_kernel_fields),
     ROWS(links, "hot kernels of the trace and their lines", &source_link_fields),
     ROWS(calls, "host calls of the trace and the lines that make them", &source_call_fields),
     ROWS(patterns, "what may cost time, with the first place of each", &source_place_fields));
#undef T
static const struct field source_params_list[] = {
    P(source_dir, FIELD_TEXT, "folder of the source code"),
    P(trace, FIELD_TEXT, "file or id of a trace: its hot kernels and calls get their lines"),
    P(contains, FIELD_TEXT, "only facts whose name, file or function holds this"),
    P_PAGE,
};
static const struct fields source_params = FIELDS("", "", struct tool_args, source_params_list);

const struct tool tool_source = {
    .name = "source",
    .title = "Lines of source code",
    .description = "Kernels, launches, waits, copies and allocations in C, C++, HIP, CUDA, OpenCL, "
                   "Fortran and Python code with file, line and loops around; with a trace, the "
                   "lines of its hot kernels and calls",
    .params = &source_params,
    .result = &source_result,
    .call = call_source,
};
