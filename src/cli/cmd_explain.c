/*
 * gpusight explain [TERM]: what a word in the output means, without a network.
 */
#include "base/str.h"
#include "cli/output.h"
#include "report/terms.h"

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    (void)settings;
    struct arena *a = cli->arena;
    struct terms terms;
    terms_list(&terms, a);
    const char *name = cli->operands.n ? cli->operands.v[0] : NULL;
    struct doc *d = name ? term_doc(&terms, name, a) : terms_doc(&terms, a);
    if (!d) {
        const char *near = term_nearest(&terms, name, a);
        if (near)
            return fail(err, GS_E_USAGE, "unknown term '%s'; did you mean '%s'?", name, near);
        return fail(err, GS_E_USAGE, "unknown term '%s'; 'gpusight explain' lists all", name);
    }
    struct str out;
    str_init(&out, a);
    render_text(&out, d, &(struct render_opts){cli->columns, cli->color});
    return output_print(&out, err);
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
                "gpusight explain GRBM_GUI_ACTIVE  # a counter",
    .run = run,
};
