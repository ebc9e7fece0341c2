/*
 * gpusight verify REPORT TRACE...: are the figures of a text those of the trace?
 */
#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/analyze_workload.h"
#include "cli/analyzed.h"
#include "cli/asked.h"
#include "cli/output.h"
#include "cli/reference.h"
#include "verify/verify_doc.h"

struct verify_opts {
    enum verify_kind kind; /* VERIFY_KINDS: by the text itself */
    const char *source_dir;
    struct opt_list att;
    bool strict, all, no_att, by_words;
    int64_t top_kernels;
    struct output_opts out;
    struct analyzed_opts in;
};

enum { REPORT_BYTES_MAX = 64 << 20, TOP_KERNELS = 10, LONGER_ROWS = 1000 };

static const struct opt opts[] = {
    OPT_GROUP("How to judge"),
    OPT_WORD(struct verify_opts, kind, 0, "kind", "text|markdown|html|json|csv",
             "what REPORT is, where its name and its beginning do not say so"),
    OPT_FLAG(struct verify_opts, strict, 0, "strict",
             "figures that are not found fail as well (exit code 1)"),
    OPT_FLAG(struct verify_opts, by_words, 0, "by-words",
             "judge reports of gpusight like those of others: by the words around a figure"),
    OPT_FLAG(struct verify_opts, all, 0, "all", "list confirmed figures, too, with their facts"),
    OPT_GROUP("What the report is about"),
    ANALYZED_OPTS(struct verify_opts),
    OPT_TEXT(struct verify_opts, source_dir, 0, "source-dir", "DIR",
             "source code that the report has read, too"),
    OPT_LIST(struct verify_opts, att, 0, "att-dir", "DIR", "thread trace that it has read, too"),
    OPT_FLAG(struct verify_opts, no_att, 0, "no-att", "it has not read the one beside the trace"),
    OPT_INT(struct verify_opts, top_kernels, 0, "top-kernels", 1, 1000000, "N",
            "rows of its tables, where it was made with this option (10)"),
    OPT_GROUP("Output"),
    OUTPUT_OPTS(struct verify_opts, out, RENDERER_CHOICES),
    COLUMN_OPTS(struct verify_opts, out),
    OPT_END,
};

static void defaults(void *settings)
{
    struct verify_opts *o = settings;
    *o = (struct verify_opts){
        .in = ANALYZED_DEFAULTS, .top_kernels = TOP_KERNELS, .kind = VERIFY_KINDS};
}

struct verify_call {
    struct cli *cli;
    struct verify_opts *o;
    const struct mapping *text;
    enum verify_kind kind;
    struct verify_report report;
};

static bool read_report(struct verify_call *c, const char *path, struct gs_error *err)
{
    c->text = fs_read_in(c->cli->arena, path, REPORT_BYTES_MAX, err);
    if (!c->text)
        return false;
    const char *text = (const char *)c->text->data;
    c->kind = c->o->kind == VERIFY_KINDS ? verify_kind_of(path, text, c->text->size) : c->o->kind;
    return true;
}

/* Whether there is no event at all; a part that is empty is another matter, which err has. */
static bool is_empty(struct verify_call *c, const struct opt_list *traces,
                     const struct verified_text *t, struct gs_error *err)
{
    struct analyzed_opts all = ANALYZED_DEFAULTS;
    struct run_opts ro = cli_run_opts(c->cli, &all);
    struct gs_error ignored = {0};
    ro.paths = *traces;
    const struct trace *trace = cli_load_rows(c->cli, &ro, NULL, &ignored);
    if (!trace || trace_events(trace))
        return false;
    reference_add_empty(t, trace);
    *err = (struct gs_error){0};
    return true;
}

static bool facts_of_traces(struct verify_call *c, struct facts *f, struct gs_error *err)
{
    const struct verified_text t = {.cli = c->cli,
                                    .facts = f,
                                    .kind = c->kind,
                                    .text = (const char *)c->text->data,
                                    .n = c->text->size};
    const char *workload;
    struct opt_list traces = {.v = c->cli->operands.v + 1, .n = c->cli->operands.n - 1};
    if (workload_operand(&traces, c->cli->arena, &workload)) {
        struct workload_report *w = arena_new(c->cli->arena, struct workload_report);
        if (!workload_load(w, c->cli, workload, NULL, (size_t)c->o->top_kernels, err))
            return false;
        reference_add_workload(&t, w);
        return true;
    }
    struct run_opts ro = cli_run_opts(c->cli, &c->o->in);
    ro.paths = traces;
    ro.source_dir = c->o->source_dir;
    ro.att_dirs = c->o->att;
    ro.att_beside = !c->o->no_att;
    struct run *run = cli_run(c->cli, &ro, err);
    if (!run)
        return err->code == GS_E_EMPTY && is_empty(c, &traces, &t, err);
    if (!run->analysis)
        return fail(err, GS_E_EMPTY, "no trace in '%s'", traces.v[0]);
    facts_add_run(f, run);
    if (c->o->by_words)
        return true;
    if (traces.n == 2)
        reference_add_comparison(&t, traces.v[0], traces.v[1]);
    bool sure, by_default = c->o->top_kernels == TOP_KERNELS;
    size_t top = (size_t)c->o->top_kernels, said = asked_rows(t.text, t.n, &sure);
    reference_add_run(&t, run, by_default && sure ? said : top);
    /* one that does not say how long its tables are may have been made with longer ones */
    if (by_default && !sure && said != top && (said || run->analysis->hotspots.n > top))
        reference_add_longer(&t, run, said ? said : LONGER_ROWS);
    reference_add_asked(&t, run);
    return true;
}

static struct doc *doc_form(const struct report *r)
{
    const struct verify_call *c = r->ctx;
    return verify_doc(&c->report, r->arena);
}

static void json_form(const struct report *r, struct jwrite *w, bool in_page)
{
    const struct verify_call *c = r->ctx;
    verify_json(&c->report, w, in_page, r->arena);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct verify_opts *o = settings;
    struct verify_call *c = arena_new(cli->arena, struct verify_call);
    struct facts *f = facts_new(cli->arena);
    *c = (struct verify_call){.cli = cli, .o = o};
    if (cli->operands.n < 2)
        return fail(err, GS_E_USAGE, "no trace given; write 'gpusight verify REPORT TRACE'");
    struct output *out = output_begin(cli, &o->out, RENDERER_CHOICES, err);
    if (!out || !read_report(c, cli->operands.v[0], err) || !facts_of_traces(c, f, err))
        return false;
    if (facts_left_out(f))
        log_warn(
            "the trace says more than the first %zu facts, which are kept: figures about others "
            "are not found",
            facts_count(f));
    const struct verification *v =
        verify_text((const char *)c->text->data, c->text->size, c->kind, f, cli->arena);
    if (v->too_many)
        return fail(err, GS_E_USAGE, "'%s' has too many %s to be checked at once; give it in parts",
                    cli->operands.v[0], v->too_many);
    struct str about;
    str_init(&about, cli->arena);
    for (size_t i = 1; i < cli->operands.n; i++)
        str_printf(&about, "%s%s", i > 1 ? ", " : "", cli->operands.v[i]);
    c->report = (struct verify_report){.name = cli->operands.v[0],
                                       .about = about.buf,
                                       .v = v,
                                       .facts = facts_count(f),
                                       .all = o->all};
    struct report report = {
        .ctx = c, .arena = cli->arena, .doc = doc_form, .json = json_form, .kind = "verification"};
    if (!output_only(out, &report, err))
        return false;
    if (v->contradicted || (o->strict && v->not_found))
        return fail(err, GS_E_GATE, "%s", "");
    return true;
}

const struct command command_verify = {
    .name = "verify",
    .summary = "check every figure of a report against the trace it is about",
    .operands = "REPORT TRACE...",
    .doc =
        "Reads text, Markdown, HTML, JSON or CSV that talks about a trace, written by gpusight, by "
        "another tool, a language model or a person. Each figure in it is confirmed by a fact of "
        "the analysis, contradicted (the fact it is about has another value, which is printed), or "
        "not found. Units, rounding, percentages and ratios are understood; the words, names, "
        "titles and keys around a figure say what it is about.\n\n"
        "The exit code is 0 when nothing is contradicted, and 1 when something is; with --strict "
        "also when a figure is not found. See docs/verify.md.",
    .examples = "gpusight verify ticket.md results.db  # is the ticket right?\n"
                "gpusight verify --strict report.html results.db  # a gate for CI\n"
                "gpusight verify --json answer.txt results.db | jq '.figures[]'  # for programs",
    .opts = opts,
    .settings_size = sizeof(struct verify_opts),
    .defaults = defaults,
    .run = run,
    .spreads = true,
};
