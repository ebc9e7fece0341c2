/*
 * gpusight whatif TRACE...: the run again, with changes.
 */
#include "cli/analyzed.h"
#include "cli/output.h"
#include "depend/change_words.h"
#include "depend/whatif.h"

struct whatif_opts {
    struct change_words change;
    struct output_opts out;
    struct analyzed_opts in;
};

static const struct opt opts[] = {
    OPT_GROUP("What changes; options combine"),
    CHANGE_OPTS(struct whatif_opts),
    OPT_TEXT(struct whatif_opts, change.rank, 0, "rank", "N=typical",
             "of a job, rank N in detail, without waiting for late ranks"),
    OPT_GROUP("What to look at"),
    WINDOW_OPTS(struct whatif_opts, in),
    STEP_OPTS(struct whatif_opts, in),
    OPT_INT(struct whatif_opts, in.process, 0, "process", 0, 1e15, "PID", "only this process"),
    READER_OPT(struct whatif_opts, in.reader),
    OPT_GROUP("Output"),
    OUTPUT_OPTS(struct whatif_opts, out, RENDERER_CHOICES),
    SECTION_OPTS(struct whatif_opts, out),
    OPT_END,
};

static void defaults(void *settings)
{
    struct whatif_opts *o = settings;
    *o = (struct whatif_opts){.in = ANALYZED_DEFAULTS, .change.noun = "option '--"};
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct whatif_opts *o = settings;
    struct arena *arena = cli->arena;
    struct change c = {0};
    struct whatif *w = arena_new(arena, struct whatif);
    struct subject about = {.whatif = w};
    struct report report = report_about(REPORT_WHATIF, &about, arena);
    struct output *out = output_begin(cli, &o->out, RENDERER_CHOICES, err);
    int64_t rank;
    if (!out || !change_read(&c, &o->change, &rank, arena, err))
        return false;
    o->in.rank = rank;
    struct run_opts ro = cli_run_opts(cli, &o->in);
    ro.facts_only = true;
    ro.replay = true;
    struct run *r = cli_run(cli, &ro, err);
    if (!r || !change_of_run(&c, &o->change, r->analysis, err))
        return false;
    if (!r->analysis->depend)
        return fail(err, GS_E_EMPTY, "no GPU work in '%s'; 'gpusight info' shows what there is",
                    cli->operands.v[0]);
    whatif_make(w, r->analysis, &c, arena);
    return output_only(out, &report, err);
}

const struct command command_whatif = {
    .name = "whatif",
    .summary = "how long the run would take with a change",
    .operands = "TRACE...",
    .doc =
        "Makes the graph of what each kernel, copy and host call waited for, and runs it again "
        "with changes: faster kernels, waits or allocations taken out, launches as graphs, "
        "copies beside kernels, another link, host or GPU. Prints the new time as an interval "
        "with its reasons, what limits then, and what the GPUs do before and after.\n\n"
        "Without a change it is a check: the replay gives the recorded time. docs/whatif.md says "
        "how each change is modelled.",
    .examples = "gpusight whatif --remove sync results.db  # without waits\n"
                "gpusight whatif --graph --kernel gemm=0.5x results.db  # both together\n"
                "gpusight whatif --overlap copies --pinned results.db  # copies beside kernels\n"
                "gpusight whatif --gpu H200 results.db  # on another GPU",
    .opts = opts,
    .settings_size = sizeof(struct whatif_opts),
    .defaults = defaults,
    .run = run,
    .spreads = true,
};
