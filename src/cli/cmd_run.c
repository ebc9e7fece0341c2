/*
 * gpusight run -- APP ARGS: from a program to its verdict.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advise/advise.h"
#include "base/fs.h"
#include "base/fs_out.h"
#include "base/human.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/analyzed.h"
#include "cli/output.h"
#include "launch/child.h"
#include "launch/profilers.h"
#include "plan/plan.h"
#include "plan/quote.h"
#include "render/analysis_json.h"
#include "render/html/html.h"
#include "report/plan_doc.h"

struct running {
    struct profilers profilers;
    struct plan_request q;
    struct plan plan;
    enum wrapper wrapper; /* instead of a profiler */
    size_t wrapped_at;
    const char *folder, *chosen; /* of all results; of those that are analyzed */
    const char *failure;         /* of the program; NULL: none */
    VEC(double) seconds;         /* of each repetition */
};

struct run_settings {
    struct plan_words words;
    struct opt_list batch_lines;
    const char *launcher, *folder;
    enum batch_system batch;
    enum wrapper profiler; /* WRAPPER_NONE: what fits */
    int64_t repeat;
    double timeout_s;
    uint64_t most_bytes;
    bool all_passes, dry_run, submit, quiet_app;
    struct output_opts out;
    struct analyzed_opts in;
    struct running call; /* from before() to run() */
};

static const struct opt opts[] = {
    OPT_GROUP("What to capture"),
    PLAN_WORDS_OPTS(struct run_settings, words),
    OPT_WORD(struct run_settings, profiler, 0, "profiler", "auto|torch|jax",
             "of Python programs: the one of their framework instead of one that is installed"),
    OPT_FLAG(struct run_settings, all_passes, 0, "all-passes",
             "run all captures of the plan, not only the first; counters after the timeline"),
    OPT_INT(struct run_settings, repeat, 0, "repeat", 1, 1000, "N",
            "run the first capture so often, for noise; the median run is analyzed"),
    OPT_GROUP("How to run"),
    OPT_TEXT(struct run_settings, launcher, 0, "launcher", "COMMAND",
             "start ranks with this, \"srun -n 4\"; also found at the head of APP"),
    OPT_INT(struct run_settings, words.rank, 0, "rank", 0, 100000000, "N",
            "profile this rank only, run the others as they are"),
    OPT_TEXT(struct run_settings, folder, 'd', "directory", "DIR",
             "an empty or new folder for the results (gpusight-run-1, -2 ...)"),
    OPT_NUM(struct run_settings, timeout_s, 0, "timeout", 0, 1e9, "SECONDS",
            "end the program, and everything it has started, after this time"),
    OPT_BYTES(struct run_settings, most_bytes, 0, "max-size", "SIZE",
              "end it when its results grow beyond this, such as 20G (50G)"),
    OPT_FLAG(struct run_settings, quiet_app, 0, "quiet-app",
             "keep the program's output in DIR/output.log only"),
    OPT_FLAG(struct run_settings, dry_run, 0, "dry-run", "show the commands and run nothing"),
    OPT_WORD(struct run_settings, batch, 0, "batch", BATCH_WORDS,
             "write DIR/job.sh for this batch system instead of running here"),
    OPT_LIST(struct run_settings, batch_lines, 0, "batch-option", "OPTION",
             "a further directive of that script, such as --account=x; may be repeated"),
    OPT_FLAG(struct run_settings, submit, 0, "submit", "hand that script in"),
    OPT_GROUP("Output"),
    OUTPUT_OPTS(struct run_settings, out, RENDERER_CHOICES),
    SECTION_OPTS(struct run_settings, out),
    OPT_END,
};

static void defaults(void *settings)
{
    struct run_settings *s = settings;
    *s = (struct run_settings){.batch = BATCH_NONE,
                               .repeat = 1,
                               .most_bytes = CHILD_MOST_BYTES,
                               .words.rank = -1,
                               .out.adds_extension = true,
                               .in = ANALYZED_DEFAULTS};
}

/* ---- the folder ---- */

static bool make_folder(struct run_settings *s, struct arena *a, struct gs_error *err)
{
    enum { MOST = 10000 };
    const char *given = s->folder;
    if (given && (*given == '-' || !*given))
        given = arena_printf(a, "./%s", given);
    for (int i = 1; !given && i <= MOST; i++) {
        const char *name = arena_printf(a, "gpusight-run-%d", i);
        if (s->dry_run ? access(name, F_OK) != 0 : mkdir(name, 0777) == 0)
            given = name;
        else if (!s->dry_run && errno != EEXIST)
            return fail(err, GS_E_IO, "cannot make '%s': %s", name, strerror(errno));
    }
    s->call.folder = given;
    if (s->dry_run || !s->folder)
        return true;
    struct fs_list names = {0};
    if (fs_exists(given) && !fs_names(&names, given, true, 1, a, err))
        return false;
    if (names.n)
        return fail(err, GS_E_USAGE, "'%s' is there and not empty; give another folder", given);
    return fs_make_folders(given, a, err);
}

/* ---- which profiler ---- */

static void plan_in(struct run_settings *s, const char *folder, struct arena *a)
{
    struct plan_request *q = &s->call.q;
    q->out = folder;
    if (!q->tools) {
        q->tools = s->call.profilers.tools;
        q->installed = true;
    }
    plan_make(&s->call.plan, q, a);
}

/* Whether a profiler of this machine answers what is asked; one for kernels alone has no timeline. */
static bool profiler_fits(struct run_settings *s, struct arena *a)
{
    struct running *c = &s->call;
    if (!(c->profilers.tools & (c->q.tools ? c->q.tools : ~0u)))
        return false;
    plan_in(s, ".", a);
    return c->plan.captures.n > 0 && !(c->plan.open & ON(timeline));
}

static bool no_profiler(const struct running *c, bool asked, struct gs_error *err)
{
    const char *app = c->q.form.app.v[0];
    if (asked)
        return fail(err, GS_E_USAGE,
                    "'%s' runs no Python script that a wrapper could be put around", app);
    if (c->plan.notes.n)
        return fail(err, GS_E_USAGE, "nothing to capture for '%s': %s", app, c->plan.notes.v[0]);
    return fail(err, GS_E_USAGE,
                "no profiler found for '%s': rocprofv3, rocprof-sys, nsys and ncu are neither in "
                "PATH nor where they are usually installed",
                app);
}

static bool choose_wrapper(struct run_settings *s, struct arena *a, struct gs_error *err)
{
    struct running *c = &s->call;
    bool asked = s->profiler != WRAPPER_NONE;
    if (!asked && profiler_fits(s, a))
        return plan_check_tools(&c->plan, c->q.tools, err);
    enum wrapper found = wrapper_find(&c->q.form.app, &c->wrapped_at, a);
    if (found == WRAPPER_NONE || (!asked && !(c->q.goals & ON(timeline))))
        return no_profiler(c, asked, err);
    c->wrapper = asked ? s->profiler : found;
    if (!asked)
        log_say("no profiler that records a timeline is installed: the one of %s is used",
                c->wrapper == WRAPPER_JAX ? "JAX" : "PyTorch");
    return true;
}

static bool read_request(struct cli *cli, struct run_settings *s, struct gs_error *err)
{
    struct running *c = &s->call;
    struct arena *a = cli->arena;
    struct words command = {0};
    for (size_t i = 0; i < cli->operands.n; i++)
        vec_push(&command, a, cli->operands.v[i]);
    if (!command.n)
        return fail(err, GS_E_USAGE, "no program given; see 'gpusight run --help'");
    profilers_find(&c->profilers, a);
    if (!plan_request_read(&c->q, &s->words, err) ||
        !plan_request_app(&c->q, s->launcher, &command, a, err))
        return false;
    if (!c->q.goals)
        c->q.goals = ON(timeline);
    if (!c->q.gpu && c->profilers.vendor != VENDOR_UNKNOWN)
        c->q.gpu = hardware_find(c->profilers.vendor == VENDOR_AMD ? "gfx942" : "sm_90", NULL, 0);
    return choose_wrapper(s, a, err);
}

/* ---- running ---- */

/* The tool is started by its name: where it was found goes in front of PATH. */
static void put_in_path(const char *program, struct arena *a)
{
    const char *slash = program ? strrchr(program, '/') : NULL, *path = getenv("PATH");
    if (slash)
        setenv("PATH",
               arena_printf(a, "%.*s:%s", (int)(slash - program), program, path ? path : ""), 1);
}

/* False: it could not be started, or was interrupted. Other failures are kept for the end. */
static bool run_words(struct cli *cli, struct run_settings *s, const struct words *argv,
                      const char *folder, struct gs_error *err)
{
    struct arena *a = cli->arena;
    struct words all = *argv;
    struct child_result r;
    const char *line = shell_line(a, argv);
    vec_push(&all, a, (const char *)NULL);
    log_say("%s %s", s->dry_run ? "would run" : "running", line);
    if (s->dry_run)
        return true;
    struct child_opts o = {.argv = all.v,
                           .timeout_s = s->timeout_s,
                           .output_to_stderr = true,
                           .silent = s->quiet_app,
                           .log = arena_printf(a, "%s/output.log", folder),
                           .watched = folder,
                           .most_bytes = s->most_bytes};
    if (!child_run(&o, &r, err))
        return false;
    vec_push(&s->call.seconds, a, r.seconds);
    const char *why = child_failure(&r, a);
    if (why && !s->call.failure)
        s->call.failure = arena_printf(a, "'%s' %s", argv->v[0], why);
    return !r.interrupted || fail(err, GS_E_CANCELLED, "%s", s->call.failure);
}

static bool run_capture(struct cli *cli, struct run_settings *s, const struct capture *c,
                        const char *folder, struct gs_error *err)
{
    const char *path = s->call.profilers.path[c->command.tool];
    if (!path && !s->dry_run) {
        log_warn("%s is not installed: '%s' is left out", profiler_name(c->command.tool), c->title);
        return true;
    }
    put_in_path(path, cli->arena);
    return run_words(cli, s, &c->command.argv, folder, err);
}

static bool run_wrapped(struct cli *cli, struct run_settings *s, const char *folder,
                        struct gs_error *err)
{
    struct arena *a = cli->arena;
    const struct launch_form *form = &s->call.q.form;
    struct words app = form->app, argv = {0};
    if (!s->dry_run && !wrapper_put(&app, s->call.wrapped_at, s->call.wrapper, folder, a, err))
        return false;
    if (form->environment.n)
        vec_push(&argv, a, "env");
    for (size_t i = 0; i < form->environment.n; i++)
        vec_push(&argv, a, form->environment.v[i]);
    for (size_t i = 0; i < form->launcher.n; i++)
        vec_push(&argv, a, form->launcher.v[i]);
    for (size_t i = 0; i < app.n; i++)
        vec_push(&argv, a, app.v[i]);
    return run_words(cli, s, &argv, folder, err);
}

static bool run_once(struct cli *cli, struct run_settings *s, const char *folder,
                     struct gs_error *err)
{
    if (!s->dry_run && !fs_make_folders(folder, cli->arena, err))
        return false;
    if (s->call.wrapper)
        return run_wrapped(cli, s, folder, err);
    plan_in(s, folder, cli->arena);
    return run_capture(cli, s, &s->call.plan.captures.v[0], folder, err);
}

static bool by_seconds(const void *ctx, uint32_t a, uint32_t b)
{
    const double *v = ctx;
    return v[a] != v[b] ? v[a] < v[b] : a < b;
}

/* The run in the middle; how far the others are from it is said. */
static size_t median_run(const struct running *c, struct arena *a)
{
    size_t n = c->seconds.n;
    uint32_t *order = arena_array(a, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t k = i;
        for (; k > 0 && by_seconds(c->seconds.v, (uint32_t)i, order[k - 1]); k--)
            order[k] = order[k - 1];
        order[k] = (uint32_t)i;
    }
    double low = c->seconds.v[order[0]], high = c->seconds.v[order[n - 1]];
    double middle = c->seconds.v[order[n / 2]];
    log_say("%zu run%s: median %.3f s, from %.3f to %.3f s (%.1f %%)", n, human_s(n), middle, low,
            high, middle > 0 ? 100 * (high - low) / middle : 0);
    return order[n / 2];
}

static bool run_repeats(struct cli *cli, struct run_settings *s, struct gs_error *err)
{
    struct running *c = &s->call;
    struct arena *a = cli->arena;
    c->chosen = c->folder;
    if (s->repeat == 1)
        return run_once(cli, s, c->folder, err);
    for (int64_t i = 1; i <= s->repeat; i++)
        if (!run_once(cli, s, arena_printf(a, "%s/run-%lld", c->folder, (long long)i), err))
            return false;
    if (c->seconds.n)
        c->chosen = arena_printf(a, "%s/run-%zu", c->folder, median_run(c, a) + 1);
    return true;
}

/* The captures that are left, planned again by what the first one shows. */
static bool run_further(struct cli *cli, struct run_settings *s, struct gs_error *err)
{
    struct running *c = &s->call;
    struct run_opts ro = cli_run_opts(cli, &s->in);
    ro.paths = (struct opt_list){0};
    vec_push(&ro.paths, cli->arena, c->chosen);
    const struct run *r = run_make(&ro, cli->arena, err);
    if (!r)
        return false;
    c->q.analysis = r->analysis;
    if (!s->words.goals.n)
        c->q.goals |= advice_goals(&r->advice);
    c->q.gpu = s->words.gpu ? c->q.gpu : NULL; /* that of the trace */
    plan_in(s, c->chosen, cli->arena);
    for (size_t i = 0; i < c->plan.captures.n; i++)
        if (!run_capture(cli, s, &c->plan.captures.v[i], c->chosen, err))
            return false;
    return true;
}

/* ---- batch systems ---- */

static bool submit(struct cli *cli, struct run_settings *s, const char *script,
                   struct gs_error *err)
{
    static const struct {
        const char *command, *sub;
    } ways[] = {[BATCH_SLURM] = {"sbatch", NULL},
                [BATCH_PBS] = {"qsub", NULL},
                [BATCH_LSF] = {"bsub", NULL},
                [BATCH_FLUX] = {"flux", "batch"}};
    struct words argv = {0};
    vec_push(&argv, cli->arena, ways[s->batch].command);
    if (ways[s->batch].sub)
        vec_push(&argv, cli->arena, ways[s->batch].sub);
    vec_push(&argv, cli->arena, script);
    if (!run_words(cli, s, &argv, s->call.folder, err))
        return false;
    return !s->call.failure || fail(err, GS_E_IO, "%s", s->call.failure);
}

static bool write_batch(struct cli *cli, struct run_settings *s, struct gs_error *err)
{
    struct arena *a = cli->arena;
    struct running *c = &s->call;
    struct str text;
    const char *script = arena_printf(a, "%s/job.sh", c->folder);
    if (c->wrapper)
        return fail(err, GS_E_USAGE,
                    "no profiler found here; give --tool and --gpu for the script");
    plan_in(s, c->folder, a);
    if (!s->all_passes && c->plan.captures.n > 1)
        c->plan.captures.n = 1;
    c->plan.batch = s->batch;
    for (size_t i = 0; i < s->batch_lines.n; i++)
        vec_push(&c->plan.batch_lines, a, s->batch_lines.v[i]);
    str_init(&text, a);
    plan_shell(&text, &c->plan, a);
    if (s->dry_run)
        return output_print(&text, err);
    if (!fs_write(script, text.buf, text.len, err))
        return false;
    log_say("wrote %s; when the job is done: gpusight analyze %s", script,
            shell_word(a, c->folder));
    return !s->submit || submit(cli, s, script, err);
}

/* Programs are run outside of the box, before what they wrote is read in it. */
static bool before(struct cli *cli, void *settings, struct gs_error *err)
{
    struct run_settings *s = settings;
    if (s->submit && s->batch == BATCH_NONE)
        return fail(err, GS_E_USAGE, "option '--submit' goes with '--batch'");
    if (!read_request(cli, s, err) || !make_folder(s, cli->arena, err))
        return false;
    if (s->batch != BATCH_NONE)
        return write_batch(cli, s, err);
    if (!run_repeats(cli, s, err))
        return false;
    if (s->all_passes && s->call.profilers.tools && !s->dry_run)
        return run_further(cli, s, err);
    if (s->call.plan.captures.n > 1)
        log_say("%zu more captures answer the rest: --all-passes", s->call.plan.captures.n - 1);
    return true;
}

/* ---- the verdict ---- */

enum { TOP = 10 }; /* rows in tables, as 'analyze' has */

static void json_form(const struct report *r, struct jwrite *w, bool in_page)
{
    const struct run *run = r->ctx;
    struct analysis_json_opts o = run_json_opts(run, TOP, in_page);
    analysis_json(w, run->analysis, &run->advice, &o);
}

static bool show(struct cli *cli, struct run_settings *s, struct run *run, struct gs_error *err)
{
    struct subject about = subject_of_run(run, TOP);
    about.timeline_limit = HTML_TIMELINE_LIMIT;
    struct report r = {.ctx = run,
                       .arena = cli->arena,
                       .about = &about,
                       .make = analysis_report,
                       .json = json_form,
                       .kind = "analysis"};
    struct output *out = output_begin(cli, &s->out, RENDERER_CHOICES, err);
    return out && output_only(out, &r, err);
}

/* ncu writes what only it reads. */
static bool reports_only(const struct running *c)
{
    size_t n = 0;
    while (n < c->plan.captures.n && c->plan.captures.v[n].command.tool == PROFILER_NCU)
        n++;
    return !c->wrapper && n > 0 && n == c->plan.captures.n;
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct run_settings *s = settings;
    struct running *c = &s->call;
    if (s->dry_run || s->batch != BATCH_NONE)
        return true;
    if (reports_only(c)) {
        log_say("the reports are in %s; ncu itself reads them: ncu --import FILE --page details",
                c->chosen);
        return !c->failure || fail(err, GS_E_IO, "%s", c->failure);
    }
    struct run_opts ro = cli_run_opts(cli, &s->in);
    ro.paths = (struct opt_list){0};
    ro.att_beside = true;
    vec_push(&ro.paths, cli->arena, c->chosen);
    struct run *r = run_make(&ro, cli->arena, err);
    if (!r && c->failure)
        return fail(err, GS_E_IO, "%s, and left no trace; its output is in '%s/output.log'",
                    c->failure, c->chosen);
    if (!r)
        return false;
    if (!r->analysis)
        return fail(err, GS_E_EMPTY, "no trace in '%s'", c->chosen);
    if (!show(cli, s, r, err))
        return false;
    log_say("the traces are in %s", c->folder);
    return !c->failure ||
           fail(err, GS_E_IO, "%s; what was recorded until then is shown", c->failure);
}

const struct command command_run = {
    .name = "run",
    .summary = "run a program under the profiler that fits, and say where its time went",
    .operands = "[APP...]",
    .doc =
        "Finds the profiler that this machine has (rocprofv3, rocprof-sys, rocprof-compute, nsys, "
        "ncu), plans the capture, runs the program under it with its output on the screen, finds "
        "the traces and analyzes them. For a Python program on a machine without any, the "
        "profiler of PyTorch or JAX is put around its script; nothing need be installed.\n\n"
        "The program stands behind '--', with variables and a launcher in front of it as usual: "
        "srun, mpirun, mpiexec, orterun, jsrun and flux run get the profiler inside and a file a "
        "rank, torchrun, accelerate and deepspeed a file a worker.\n\n"
        "It runs without a shell, with this environment, reading nothing from the terminal; "
        "Ctrl-C and --timeout end everything it has started. Its output goes to standard error, "
        "so that the report can be piped, and into DIR/output.log.\n\n"
        "With --batch a script is written for a cluster instead, and handed in with --submit.",
    .examples =
        "gpusight run -- ./app --steps 100  # capture, analyze, verdict\n"
        "gpusight run -- python3 train.py  # also with nothing but PyTorch\n"
        "gpusight run --repeat 5 -o report.html -- ./app  # the median run, as a page\n"
        "gpusight run --goal roofline --all-passes -- ./app  # counters of the hot kernels too\n"
        "gpusight run --dry-run -- mpirun -n 8 ./app  # what would be run\n"
        "gpusight run --batch slurm --batch-option --account=x --submit -- srun -n 8 ./app",
    .opts = opts,
    .settings_size = sizeof(struct run_settings),
    .writes_here = true,
    .defaults = defaults,
    .before = before,
    .run = run,
};
