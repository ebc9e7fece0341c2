#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "base/fs_set.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/command.h"
#include "synth/kineto.h"
#include "synth/nsys.h"
#include "synth/rocpd.h"
#include "synth/rocprofv3_json.h"
#include "synth/synth.h"
#include "synth/truth.h"

#define SYNTH_FORMATS "rocpd|rocprofv3-json|nsys|kineto" /* the names of formats[] */

struct synth_opts {
    const char *output, *format, *truth, *show;
    enum rocpd_flavor flavor;
    enum rocpd_journal journal;
    struct opt_list set, drop;
    int64_t seed, page_size, args, max_events;
    bool list, merge;
};

static const struct opt opts[] = {
    OPT_NAMES(
        NAMES_OUTPUT, struct synth_opts, output, 'o', "output", "OUT",
        "file to write; a folder for several processes; %pid%, %rank% and %host% are replaced"),
    OPT_LIST(struct synth_opts, set, 0, "set", "NAME=VALUE", "give a parameter another value"),
    OPT_INT(struct synth_opts, seed, 0, "seed", 0, 9e15, "N", "start of the random numbers"),
    OPT_CHOICE(struct synth_opts, format, 0, "format", SYNTH_FORMATS,
               "rocpd, the JSON of rocprofv3, an Nsight Systems export (HIP calls then get CUDA's "
               "names), or the JSON of the PyTorch profiler"),
    OPT_WORD(struct synth_opts, flavor, 0, "flavor", "rocprofv3|rocprofv3-3.0.5|rocprof-sys",
             "which profiler the file imitates"),
    OPT_NAMES(NAMES_TARGET, struct synth_opts, truth, 0, "truth", "FILE",
              "write exact totals as JSON"),
    OPT_FLAG(struct synth_opts, list, 0, "list", "list the scenarios and their parameters"),
    OPT_TEXT(struct synth_opts, show, 0, "show", "SCENARIO", "print the text of a scenario"),
    OPT_FLAG(struct synth_opts, merge, 0, "merge", "all processes in one file"),
    OPT_INT(struct synth_opts, args, 0, "args", -1, 8, "N",
            "at most N arguments per API region; -1: all"),
    OPT_INT(struct synth_opts, page_size, 0, "page-size", 512, 65536, "N", "SQLite page size"),
    OPT_WORD(struct synth_opts, journal, 0, "journal", "none|wal|wal-left",
             "leave the file in WAL mode, or with rows only in the log beside it"),
    OPT_LIST(struct synth_opts, drop, 0, "drop", "TABLE[.COLUMN]", "leave out a table or a column"),
    OPT_INT(struct synth_opts, max_events, 0, "max-events", 1, 1e12, "N", "limit on records"),
    OPT_END,
};

static void defaults(void *settings)
{
    struct synth_opts *o = settings;
    o->seed = 1;
    o->format = "rocpd";
    o->args = -1;
    o->page_size = 4096;
    o->max_events = (int64_t)SYNTH_MAX_EVENTS;
}

struct synth_call {
    struct cli *cli;
    const struct synth_opts *o;
    struct gs_error *err;
    struct sink *writer; /* has files to clean up */
    struct fs_set *set;  /* all that is written appears together */
};

/* --- listing ----------------------------------------------------------------------------- */

static bool list_one(struct synth_call *c, const struct scenario *s, struct str *out)
{
    struct program *p;
    if (!synth_parse(&p, s->text, strlen(s->text), c->cli->arena, c->err))
        return wrap(c->err, "scenario '%s'", s->name);
    str_printf(out, "%-20s %s\n", s->name, p->doc);
    for (size_t i = 0; i < p->params.n; i++) {
        const struct param *q = &p->params.v[i];
        char value[64] = "computed";
        if (q->e->op == EX_CONST)
            snprintf(value, sizeof(value), "%lld", (long long)q->e->value);
        str_printf(out, "%-20s   %s = %s%s%s\n", "", q->name, value, *q->doc ? "  " : "", q->doc);
    }
    return true;
}

static bool list(struct synth_call *c)
{
    struct str out;
    str_init(&out, c->cli->arena);
    for (const struct scenario *s = synth_scenarios; s->name; s++)
        if (!list_one(c, s, &out))
            return false;
    return fs_write("-", out.buf, out.len, c->err);
}

static const struct scenario *find(struct synth_call *c, const char *name)
{
    const struct scenario *s = scenario_find(name);
    const char *words[256];
    size_t n = 0;
    for (const struct scenario *k = synth_scenarios; k->name && n < 255; k++)
        words[n++] = k->name;
    words[n] = NULL;
    const char *near = s ? NULL : opt_nearest(name, words);
    if (near)
        fail(c->err, GS_E_USAGE, "no scenario '%s'; did you mean '%s'?", name, near);
    else if (!s)
        fail(c->err, GS_E_USAGE, "no scenario '%s'; see --list", name);
    return s;
}

/* --- making ------------------------------------------------------------------------------ */

enum { LARGEST_DESCRIPTION = 64 << 20 };

/* A name with a dot or a slash is a file. */
static bool load(struct synth_call *c, struct program **out)
{
    const char *name = c->cli->operands.v[0];
    struct arena *a = c->cli->arena;
    if (!strpbrk(name, "./")) {
        const struct scenario *s = find(c, name);
        return s &&
               (synth_parse(out, s->text, strlen(s->text), a, c->err) || wrap(c->err, "%s", name));
    }
    struct arena *temporary = arena_scratch();
    const struct mapping *m = fs_read_in(temporary, name, LARGEST_DESCRIPTION, c->err);
    bool read = m, ok = m && synth_parse(out, (const char *)m->data, m->size, a, c->err);
    arena_release(temporary);
    return ok || !read ? ok : wrap(c->err, "%s", name);
}

static struct sink *new_rocpd(const struct synth_opts *o, struct arena *a)
{
    struct rocpd_options r = {.flavor = o->flavor, .path = o->output, .merge = o->merge};
    r.page_size = o->page_size;
    r.args = o->args;
    r.drop = o->drop;
    r.journal = o->journal;
    return rocpdw_new(&r, a);
}

static struct sink *new_json(const struct synth_opts *o, struct arena *a)
{
    return rv3jsonw_new(&(struct rv3json_options){o->output, o->merge, o->args}, a);
}

static struct sink *new_nsys(const struct synth_opts *o, struct arena *a)
{
    return nsysw_new(&(struct nsys_options){o->output, o->merge, o->page_size, o->drop}, a);
}

static struct sink *new_kineto(const struct synth_opts *o, struct arena *a)
{
    return kinetow_new(&(struct kineto_options){o->output}, a);
}

/* The formats of traces, as renderers.def has those of reports. */
static const struct synth_format {
    const char *name;
    bool has_mpi; /* and sensors, whatever the flavor */
    struct sink *(*begin)(const struct synth_opts *o, struct arena *a);
    bool (*finish)(struct sink *w, bool keep, struct opt_list *files, struct gs_error *err);
} formats[] = {{"rocpd", false, new_rocpd, rocpdw_finish},
               {"rocprofv3-json", false, new_json, rv3jsonw_finish},
               {"nsys", true, new_nsys, nsysw_finish},
               {"kineto", false, new_kineto, kinetow_finish}};

static const struct synth_format *format_of(const struct synth_opts *o)
{
    size_t i = 0;
    while (!str_eq(formats[i].name, o->format)) /* the options allow no other */
        i++;
    return &formats[i];
}

static bool finish_writer(struct synth_call *c, bool keep, struct opt_list *files,
                          struct gs_error *err)
{
    bool ok = format_of(c->o)->finish(c->writer, keep, files, err);
    c->writer = NULL;
    return ok;
}

/* Errors of the description get its name in front, those of the system speak for themselves. */
static bool simulate(struct synth_call *c, struct program *p, const struct synth_options *s,
                     struct sink *sink)
{
    if (synth_run(p, s, sink, c->err))
        return true;
    return c->err->code == GS_E_FORMAT ? wrap(c->err, "%s", c->cli->operands.v[0]) : false;
}

static bool write_truth(struct synth_call *c, struct program *p, const struct synth_options *s)
{
    struct truth *t = truth_new(c->cli->arena);
    struct str out;
    if (!simulate(c, p, s, truth_sink(t)))
        return false;
    str_init(&out, c->cli->arena);
    truth_json(t, &out);
    return fs_set_write(c->set, c->o->truth, out.buf, out.len, c->err);
}

/* Before anything is written: the truth must not go where a trace or the description is. */
static bool check_truth(struct synth_call *c)
{
    const struct synth_opts *o = c->o;
    if (!o->truth)
        return true;
    if (o->output && str_eq(o->truth, o->output))
        return fail(c->err, GS_E_USAGE, "cannot write '%s': two results would go there", o->truth);
    return fs_out_check(o->truth, c->err) && (!o->output || fs_out_check(o->output, c->err));
}

static bool make(struct synth_call *c)
{
    const struct synth_opts *o = c->o;
    struct program *p;
    if (!load(c, &p) || !check_truth(c))
        return false;
    for (size_t i = 0; i < o->set.n; i++)
        if (!synth_set(p, o->set.v[i], c->err))
            return false;
    bool sys = format_of(o)->has_mpi || o->flavor == ROCPD_SYS; /* has MPI calls and sensors */
    struct synth_options s = {.seed = (uint64_t)o->seed, .max_events = (uint64_t)o->max_events};
    s.mpi_as_markers = !sys;
    s.no_telemetry = !sys;
    c->set = fs_set_new(c->cli->arena);
    if (o->truth && !write_truth(c, p, &s))
        return false;
    if (!o->output)
        return fs_set_close(c->set, c->err);
    c->writer = format_of(o)->begin(o, c->cli->arena);
    c->writer->set = c->set;
    if (!simulate(c, p, &s, c->writer))
        return false;
    struct opt_list files = {0};
    bool ok = finish_writer(c, true, &files, c->err) && fs_set_close(c->set, c->err);
    for (size_t i = 0; i < files.n && ok; i++)
        log_say("wrote %s", files.v[i]);
    return ok;
}

/* What was not finished is removed. */
static void clean_up(void *call)
{
    if (((struct synth_call *)call)->writer)
        finish_writer(call, false, NULL, NULL);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct synth_call *c = arena_new(cli->arena, struct synth_call);
    const struct synth_opts *o = settings;
    *c = (struct synth_call){.cli = cli, .o = o, .err = err};
    arena_defer(cli->arena, clean_up, c);
    if (o->list)
        return list(c);
    if (o->show) {
        const struct scenario *s = find(c, o->show);
        return s && fs_write("-", s->text, strlen(s->text), err);
    }
    if (cli->operands.n != 1)
        return fail(err, GS_E_USAGE, "one scenario or .trace file is needed; see --list");
    if (!o->output && !o->truth)
        return fail(err, GS_E_USAGE, "nothing to write; give -o OUT or --truth FILE");
    return make(c);
}

const struct command command_synth = {
    .name = "synth",
    .summary = "make a trace from a description, for tests, demos and measurements",
    .operands = "[SCENARIO|FILE.trace]",
    .doc = "Simulates a program on GPUs from a short description and writes the trace that a "
           "profiler would have written. The same description and seed give the same bytes.\n\n"
           "A scenario is a description built into the program, see --list and --show; anything "
           "with a dot or a slash in its name is read as a file. Parameters of a description are "
           "changed with --set. The language is described in docs/synth.md.\n\n"
           "--truth writes the exact totals of the records: counts, unions of intervals, bytes, "
           "times per kernel, as integers.",
    .examples = "gpusight synth demo -o demo.db  # a small trace with planted problems\n"
                "gpusight synth bench --set n=100000 -o b.db --truth b.json  # with exact totals\n"
                "gpusight synth mpi_job --set ranks=8 -o job/  # one file per rank\n"
                "gpusight synth --show demo > my.trace  # a start for a description of your own",
    .opts = opts,
    .settings_size = sizeof(struct synth_opts),
    .defaults = defaults,
    .run = run,
};
