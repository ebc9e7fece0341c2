/*
 * gpusight history DIR: a series of runs, where it got faster or slower, and who is fastest.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/inputs.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/fleet_opts.h"
#include "cli/output.h"
#include "cli/runs.h"
#include "compare/history.h"
#include "field/field.h"
#include "run/run_words.h"

struct history_opts {
    struct output_opts out;
    enum { BY_NAME, BY_TIME } by;
    enum reader_mode reader;
    const char *name;
    struct fleet_settings fleet;
};

static const struct opt opts[] = {
    OPT_WORD(struct history_opts, by, 0, "by", "name|time",
             "order of the runs: name, or time of the file (name)"),
    OUTPUT_OPTS(struct history_opts, out, RENDERER_CHOICES),
    SECTION_OPTS(struct history_opts, out),
    READER_OPT(struct history_opts, reader),
    FLEET_OPT(struct history_opts, fleet,
              "the runs of a database of 'gpusight collect', in order of time"),
    OPT_TEXT(struct history_opts, name, 0, "name", "PATTERN",
             "of --db, those whose name is like this, with * and ?"),
    OPT_END,
};

struct entry {
    const char *path;
    int64_t seconds, nanoseconds;
};

struct call {
    struct cli *cli;
    struct history_opts *o;
    VEC(struct entry) entries;
    VEC(struct run_profile) runs;
    struct history history;
    struct output *out;
    struct gs_error *err;
};

static void add_entry(struct call *k, const char *path)
{
    struct stat s;
    struct entry e = {.path = path};
    if (stat(path, &s) == 0) {
        e.seconds = s.st_mtim.tv_sec;
        e.nanoseconds = s.st_mtim.tv_nsec;
    }
    vec_push(&k->entries, k->cli->arena, e);
}

static int by_name(const void *left, const void *right)
{
    const struct entry *x = left, *y = right;
    return strcmp(x->path, y->path);
}

static int by_time(const void *left, const void *right)
{
    const struct entry *x = left, *y = right;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    if (x->nanoseconds != y->nanoseconds)
        return x->nanoseconds < y->nanoseconds ? -1 : 1;
    return by_name(left, right);
}

/* What has several names in a folder is one run, by the name that is no link: "latest" is not another. */
static void add_entries(struct call *k, const struct fs_list *names)
{
    struct arena *temporary = arena_scratch();
    struct idmap met;
    idmap_init(&met, temporary);
    for (int links = 0; links < 2; links++)
        for (size_t i = 0; i < names->n; i++) {
            struct stat st;
            if (fs_is_link(names->v[i]) != (bool)links)
                continue;
            if (stat(names->v[i], &st) != 0 || fs_first_time(&met, &st))
                add_entry(k, names->v[i]);
        }
    arena_release(temporary);
}

/* One folder: its files and sub-folders are the runs. Several operands: each is a run. */
static bool find_runs(struct call *k)
{
    const struct opt_list *given = &k->cli->operands;
    struct arena *arena = k->cli->arena;
    if (given->n > 1) {
        for (size_t i = 0; i < given->n; i++)
            add_entry(k, given->v[i]);
    } else {
        struct fs_list names = {0};
        if (!fs_is_dir(given->v[0]))
            return fail(k->err, GS_E_USAGE, "'%s' is no folder; give a folder or several runs",
                        given->v[0]);
        if (!runs_in(&names, given->v[0], arena, k->err))
            return false;
        add_entries(k, &names);
    }
    if (k->entries.n && given->n == 1)
        qsort(k->entries.v, k->entries.n, sizeof(*k->entries.v), by_name);
    if (k->entries.n && k->o->by == BY_TIME)
        qsort(k->entries.v, k->entries.n, sizeof(*k->entries.v), by_time);
    return true;
}

/* All, those of a pattern, or those named, in that order. */
static bool load_stored(struct call *k)
{
    struct arena *a = k->cli->arena;
    struct history_opts *o = k->o;
    const struct opt_list *given = &k->cli->operands;
    struct fleet_entries all = {0}, chosen = {0};
    struct fleet *f = fleet_opts_open(k->cli, &o->fleet, FLEET_READ, k->err);
    if (!f || !fleet_list(f, o->name, &all, a, k->err))
        return false;
    for (size_t i = 0; i < given->n; i++) {
        const struct fleet_entry *e = fleet_choose(&all, given->v[i], f, k->err);
        if (!e)
            return false;
        vec_push(&chosen.v, a, *e);
    }
    const struct fleet_entries *from = given->n ? &chosen : &all;
    for (size_t i = 0; i < from->v.n; i++) {
        struct run_profile p;
        if (!fleet_profile(f, &from->v.v[i], &p, a, k->err))
            return false;
        vec_push(&k->runs, a, p);
    }
    return k->runs.n || fail(k->err, GS_E_EMPTY, "no run%s%s%s in '%s'", o->name ? " like '" : "",
                             o->name ? o->name : "", o->name ? "'" : "", fleet_place(f));
}

/* In a folder there may be anything: what is no run is named and left out. */
static bool load_runs(struct call *k)
{
    bool strict = k->cli->operands.n > 1;
    for (size_t i = 0; i < k->entries.n; i++) {
        struct run_profile p;
        size_t mark = inputs_mark();
        if (profile_load(k->cli, &p, k->entries.v[i].path, k->o->reader, k->err)) {
            vec_push(&k->runs, k->cli->arena, p);
            continue;
        }
        if (strict)
            return false;
        log_say("left out: %s", k->err->text);
        inputs_forget(mark); /* an older history, say, which may be written anew */
        *k->err = (struct gs_error){0};
    }
    if (!k->runs.n)
        return fail(k->err, GS_E_EMPTY, "no run in '%s'", k->cli->operands.v[0]);
    return true;
}

static bool check_operands(const struct call *k)
{
    if (!k->o->fleet.db && k->o->name)
        return fail(k->err, GS_E_USAGE, "option '--name' needs '--db'");
    return k->o->fleet.db || k->cli->operands.n ||
           fail(k->err, GS_E_USAGE, "missing operand RUN; see 'gpusight history --help'");
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct call *k = arena_new(cli->arena, struct call);
    *k = (struct call){.cli = cli, .o = settings, .err = err};
    struct subject about = {.history = &k->history,
                            .title = k->o->fleet.db         ? fleet_mask(k->o->fleet.db, cli->arena)
                                     : cli->operands.n == 1 ? cli->operands.v[0]
                                                            : "history"};
    struct report report = report_about(REPORT_HISTORY, &about, cli->arena);
    k->out = output_begin(cli, &k->o->out, RENDERER_CHOICES, err);
    if (!k->out || !check_operands(k) ||
        !(k->o->fleet.db ? load_stored(k) : find_runs(k) && load_runs(k)))
        return false;
    history_make(&k->history, k->runs.v, k->runs.n, cli->arena);
    return output_only(k->out, &report, err);
}

static bool before(struct cli *cli, void *settings, struct gs_error *err)
{
    struct history_opts *o = settings;
    return fleet_opts_before(cli, &o->fleet, FLEET_READ, err);
}

const struct command command_history = {
    .name = "history",
    .summary = "a series of runs: change points and a leader board",
    .operands = "[RUN...]",
    .doc =
        "Takes the runs in a folder in order (saved baselines, JSON of 'gpusight analyze', "
        "traces, and sub-folders, each one run), or several runs in the order given. Each is "
        "compared with the one before it: where it is faster or slower by more than noise, there "
        "is a change point, with its first cause. Runs that did other work are set apart.\n\n"
        "With --db the runs come from a database of 'gpusight collect', in order of time: all, those "
        "like --name, or those given by name, by the first letters of their hash, or as latest, "
        "latest~1 and so on.\n\n"
        "The comparison is that of 'gpusight compare'.",
    .examples = "gpusight history .gpusight/baselines  # all that was kept\n"
                "gpusight history --by time runs/  # in order of time\n"
                "gpusight history --db fleet.db --name 'train/*'  # every night\n"
                "gpusight history --json a.db b.db c.db  # for programs",
    .opts = opts,
    .settings_size = sizeof(struct history_opts),
    .before = before,
    .run = run,
    .spreads = true,
};
