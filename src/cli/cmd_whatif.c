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
    OPT_LIST(struct whatif_opts, change.kernels, 0, "kernel", "PATTERN=0.5x",
             "kernels whose name holds PATTERN take this much of their time; '*' is all"),
    OPT_LIST(struct whatif_opts, change.remove, 0, "remove", "WHAT",
             "take out: sync, allocation, launch, copy, first-use or communication"),
    OPT_FLAG(struct whatif_opts, change.graph, 0, "graph",
             "launches that follow each other closely become one graph"),
    OPT_TEXT(struct whatif_opts, change.graph_range, 0, "graph-range", "START..END",
             "... only in this part of the run, written as for --window"),
    OPT_CHOICE(struct whatif_opts, change.overlap, 0, "overlap", "copies",
               "copies over the link run beside kernels, double-buffered"),
    OPT_CHOICE(struct whatif_opts, change.merge, 0, "merge", "copies",
               "tiny copies in a row, of one direction, become one"),
    OPT_CHOICE(struct whatif_opts, change.fuse, 0, "fuse", "optimizer|chains",
               "kernels become one: those of an optimizer step, or chains of elementwise ones"),
    OPT_FLAG(struct whatif_opts, change.stay, 0, "stay",
             "data that goes to the host only to come back stays on the device"),
    OPT_INT(struct whatif_opts, change.streams, 0, "streams", 1, 1024, "N",
            "kernels that leave room on the device run N at once"),
    OPT_FLAG(struct whatif_opts, change.pinned, 0, "pinned",
             "copies from and to pageable memory run as from pinned memory"),
    OPT_TEXT(struct whatif_opts, change.link, 0, "link", "2x",
             "the link to the host is so much faster"),
    OPT_TEXT(struct whatif_opts, change.host, 0, "host", "0.5x",
             "the host takes so much of its time"),
    OPT_FLAG(struct whatif_opts, change.prefetch, 0, "prefetch",
             "long host work between calls is done ahead by another thread"),
    OPT_TEXT(struct whatif_opts, change.rank, 0, "rank", "N=typical",
             "of a job, rank N in detail, without waiting for late ranks"),
    OPT_TEXT(
        struct whatif_opts, change.gpu, 0, "gpu", "MODEL",
        "another GPU, by its name: matrix kernels scale by its matrix units, others by memory"),
    OPT_GROUP("What to look at"),
    OPT_TEXT(struct whatif_opts, in.window, 0, "window", "START..END",
             "only this part: 10%..90%, 1s..2.5s, absolute ns, marker:NAME"),
    OPT_INT(struct whatif_opts, in.phase, 0, "phase", 1, 32, "N", "only this phase"),
    OPT_TEXT(struct whatif_opts, in.iteration, 0, "iteration", "N|A..B",
             "only this repetition of the step, or these"),
    OPT_INT(struct whatif_opts, in.process, 0, "process", 0, 1e15, "PID", "only this process"),
    OPT_CHOICE(struct whatif_opts, in.reader, 0, "reader", "auto|fast|sqlite|check",
               "how to read databases"),
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

static void json_form(const struct report *r, struct str *out, bool in_page)
{
    struct jwrite w;
    jw_init(&w, out, in_page ? 0 : 2);
    fields_write(&w, NULL, &whatif_document_fields, r->ctx);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct whatif_opts *o = settings;
    struct arena *arena = cli->arena;
    struct change c = {0};
    struct whatif *w = arena_new(arena, struct whatif);
    struct subject about = {.whatif = w};
    struct report report = {.ctx = w,
                            .arena = arena,
                            .about = &about,
                            .make = whatif_report,
                            .json = json_form,
                            .kind = "what if"};
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
    return output_named(out, NULL, err) && output_report(out, &report, err) &&
           output_finish(out, err);
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
