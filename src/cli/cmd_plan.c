/*
 * gpusight plan [TRACE...] -- APP ARGS: the fewest further captures that answer a question.
 */
#include <string.h>

#include "advise/rule.h"
#include "base/str.h"
#include "cli/analyzed.h"
#include "cli/output.h"
#include "plan/plan.h"
#include "render/plan_json.h"
#include "report/plan_doc.h"

struct plan_opts {
    struct plan_words words;
    struct opt_list batch_lines;
    const char *launcher, *folder;
    enum batch_system batch;
    enum reader_mode reader;
    bool app_from_trace;
    struct output_opts out;
};

static const struct opt opts[] = {
    PLAN_WORDS_OPTS(struct plan_opts, words),
    OPT_TEXT(struct plan_opts, launcher, 0, "launcher", "COMMAND",
             "start ranks with this, \"srun -n 4\"; also found at the head of APP"),
    OPT_FLAG(struct plan_opts, app_from_trace, 0, "app-from-trace",
             "without APP, repeat the command that the trace was recorded of; read it before you "
             "run it"),
    OPT_INT(struct plan_opts, words.rank, 0, "rank", 0, 100000000, "N",
            "profile this rank only, run the others as they are"),
    OPT_TEXT(struct plan_opts, folder, 'd', "directory", "DIR",
             "folder that captures write to (gpusight-plan)"),
    OPT_WORD(struct plan_opts, batch, 0, "batch", BATCH_WORDS,
             "shell: as a script for this batch system"),
    OPT_LIST(struct plan_opts, batch_lines, 0, "batch-option", "OPTION",
             "a further directive of that script, such as --account=x; may be repeated"),
    OUTPUT_OPTS(struct plan_opts, out, RENDERER_CHOICES_AND(shell)),
    SECTION_OPTS(struct plan_opts, out),
    READER_OPT(struct plan_opts, reader),
    OPT_END,
};

static void defaults(void *settings)
{
    struct plan_opts *o = settings;
    *o = (struct plan_opts){.folder = "gpusight-plan", .words.rank = -1, .batch = BATCH_NONE};
}

struct call {
    struct cli *cli;
    const struct plan_opts *o;
    const struct run *run; /* of the trace; NULL: none given, or nothing in it */
    bool empty;
    struct plan_request q;
    struct plan plan;
    struct output *out;
    struct gs_error *err;
};

/* The program: as given, as the trace was recorded of, or a stand-in. */
static bool read_app(struct call *k, const char **note)
{
    struct arena *a = k->cli->arena;
    const struct opt_list *given = &k->cli->operands;
    struct words command = {0};
    size_t n = k->cli->behind;
    for (size_t i = given->n - n; i < given->n; i++)
        vec_push(&command, a, given->v[i]);
    if (!n) {
        bool repeat = k->o->app_from_trace && k->run;
        const char *app = repeat ? trace_own_command(&k->run->trace, a) : NULL;
        words_split(&command, app ? app : "./app", a);
        *note = app      ? "no program given: the command is that of the trace"
                : repeat ? "the command of the trace is no plain words or hides a password: put "
                           "yours in place of ./app, or behind '--'"
                         : "no program given: put yours in place of ./app, or behind '--'";
    }
    return plan_request_app(&k->q, k->o->launcher, &command, a, k->err);
}

static bool load(struct call *k)
{
    struct analyzed_opts in = ANALYZED_DEFAULTS;
    in.reader = k->o->reader;
    struct run_opts ro = cli_run_opts(k->cli, &in);
    ro.paths.n -= k->cli->behind;
    if (!ro.paths.n)
        return true;
    k->run = cli_run(k->cli, &ro, k->err);
    if (!k->run && k->err->code != GS_E_EMPTY)
        return false;
    if (!k->run) {
        *k->err = (struct gs_error){0}; /* nothing is there yet: all is left to capture */
        k->empty = true;
        return true;
    }
    k->q.analysis = k->run->analysis;
    return true;
}

static void shell_form(const struct report *r, struct str *out)
{
    plan_shell(out, r->about->plan, r->arena);
}

static bool write_plan(struct call *k)
{
    struct subject about = {.plan = &k->plan};
    struct report report = report_about(REPORT_PLAN, &about, k->cli->arena);
    report.shell = shell_form;
    return output_only(k->out, &report, k->err);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct call *k = arena_new(cli->arena, struct call);
    *k = (struct call){.cli = cli, .o = settings, .err = err};
    struct plan *p = &k->plan;
    const char *note = NULL;
    k->out = output_begin(cli, &k->o->out, RENDERER_CHOICES_AND(shell), err);
    if (!k->out || !plan_request_read(&k->q, &k->o->words, err) || !load(k) || !read_app(k, &note))
        return false;
    if (!k->q.goals)
        k->q.goals = advice_goals(k->run ? &k->run->advice : NULL);
    /* A folder that starts with a dash would be read as an option. */
    k->q.out =
        strchr("-", *k->o->folder) ? arena_printf(cli->arena, "./%s", k->o->folder) : k->o->folder;
    plan_make(p, &k->q, cli->arena);
    if (note)
        vec_push(&p->notes, cli->arena, note);
    if (k->empty)
        vec_push(&p->notes, cli->arena, "the trace holds no event: planned as without one");
    p->batch = k->o->batch;
    for (size_t i = 0; i < k->o->batch_lines.n; i++)
        vec_push(&p->batch_lines, cli->arena, k->o->batch_lines.v[i]);
    if (p->batch != BATCH_NONE && k->out->form != &renderer_shell)
        return fail(err, GS_E_USAGE, "option '--batch' goes with '--format shell'");
    return plan_check_tools(p, k->q.tools, err) && write_plan(k);
}

const struct command command_plan = {
    .name = "plan",
    .summary = "the fewest further captures that answer a question",
    .operands = "[TRACE...] [-- [APP...]]",
    .doc =
        "Works out which profiler to run next, with which options: command lines to paste, "
        "counters "
        "divided into passes that the GPU can do, restricted to the hottest kernels and to calls "
        "past warm-up. What the traces already hold is named and not asked for again. Runs, "
        "overhead and file size are estimated from the events of the traces.\n\n"
        "Behind '--' stands the program to profile with its arguments; without it commands say "
        "./app. What a trace calls its command is text of that file, so it is repeated only with "
        "--app-from-trace. A launcher in front of it "
        "(srun, mpirun, mpiexec, orterun, jsrun, flux run, aprun, ibrun) is recognised: the profiler goes between launcher and program, "
        "and "
        "each rank writes files of its own; so do the "
        "workers of torchrun, accelerate and deepspeed. Variables in front (A=1 ./app) stay there. Without a goal the findings of 'gpusight analyze' "
        "decide, and without a trace a timeline is planned.\n\n"
        "Goals: timeline, launch, copies, allocations, markers, host, io, mpi, communication, "
        "power, "
        "roofline, memory, compute, occupancy, latency, instructions, sampling, all.",
    .examples =
        "gpusight plan trace.db -- ./app --steps 100  # what the findings call for\n"
        "gpusight plan --goal roofline,occupancy trace.db -- ./app  # counters of the hot kernels\n"
        "gpusight plan --gpu H100 --goal all -- ./app  # before the first run\n"
        "gpusight plan --goal mpi --format shell trace.db -- srun -n 8 ./app > capture.sh  # a "
        "script\n"
        "gpusight plan --batch slurm --batch-option --account=x -o job.sh -- srun -n 8 ./app  # a batch script",
    .opts = opts,
    .settings_size = sizeof(struct plan_opts),
    .defaults = defaults,
    .run = run,
    .spreads = true,
};
