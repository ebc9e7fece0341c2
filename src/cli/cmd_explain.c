/*
 * gpusight explain [TERM]: what a word in the output means, without a network.
 */
#include "base/str.h"
#include "cli/output.h"
#include "report/terms.h"

#define CHOICES "text|json|markdown"

struct explain_opts {
    struct output_opts out;
};

static const struct opt opts[] = {OUTPUT_OPTS(struct explain_opts, out, CHOICES), OPT_END};

struct explained {
    struct terms terms;
    const char *name; /* NULL: all of them */
    struct doc *doc;
};

static struct doc *doc_form(const struct report *r)
{
    return ((const struct explained *)r->ctx)->doc;
}

static void json_form(const struct report *r, struct jwrite *w, bool in_page)
{
    (void)in_page;
    const struct explained *e = r->ctx;
    terms_json(&e->terms, e->name, w);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    const struct explain_opts *o = settings;
    struct explained e = {.name = cli->operands.n ? cli->operands.v[0] : NULL};
    struct report report = {
        .ctx = &e, .arena = cli->arena, .doc = doc_form, .json = json_form, .kind = "terms"};
    struct output *out = output_begin(cli, &o->out, CHOICES, err);
    if (!out)
        return false;
    terms_list(&e.terms, cli->arena);
    e.doc = e.name ? term_doc(&e.terms, e.name, cli->arena) : terms_doc(&e.terms, cli->arena);
    if (!e.doc) {
        const char *near = term_nearest(&e.terms, e.name, cli->arena);
        if (near)
            return fail(err, GS_E_USAGE, "unknown term '%s'; did you mean '%s'?", e.name, near);
        return fail(err, GS_E_USAGE, "unknown term '%s'; 'gpusight explain' lists all", e.name);
    }
    return output_only(out, &report, err);
}

const struct command command_explain = {
    .name = "explain",
    .summary = "what a metric, cause, rule or counter means",
    .operands = "[TERM]",
    .doc =
        "Prints the documentation of a word in gpusight's output: a metric (calls, or "
        "hotspots.calls "
        "for that of one table), a table, a cause of the ledger, a rule (by name or id), a "
        "category of findings, a kernel category, a class of host calls, a capability of a trace, "
        "a "
        "data-quality check or a common hardware counter. Without a term all of them are "
        "listed.\n\n"
        "Everything comes from the tables the program works with; nothing is looked up elsewhere.",
    .examples = "gpusight explain  # all terms\n"
                "gpusight explain pct_of_wall  # a metric\n"
                "gpusight explain tiny-kernels  # a rule\n"
                "gpusight explain GRBM_GUI_ACTIVE  # a counter\n"
                "gpusight explain --json | jq '.terms | length'  # all, for a program",
    .opts = opts,
    .settings_size = sizeof(struct explain_opts),
    .run = run,
};
