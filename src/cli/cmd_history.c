/*
 * gpusight history DIR: a series of runs, where it got faster or slower, and who is fastest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/str.h"
#include "cli/runs.h"
#include "compare/history.h"
#include "field/field.h"
#include "render/render.h"
#include "report/section.h"

struct history_opts {
    const char *by, *format, *output, *reader;
    bool json;
};

static const struct opt opts[] = {
    OPT_CHOICE(struct history_opts, by, 0, "by", "name|time",
               "order of the runs: name, or time of the file (name)"),
    OPT_CHOICE(struct history_opts, format, 0, "format", "text|json|markdown",
               "form of the report (text)"),
    OPT_FLAG(struct history_opts, json, 0, "json", "the same as --format json"),
    OPT_TEXT(struct history_opts, output, 'o', "output", "FILE",
             "write to FILE instead of standard output"),
    OPT_CHOICE(struct history_opts, reader, 0, "reader", "auto|fast|sqlite|check",
               "how to read databases"),
    OPT_END,
};

static void defaults(void *settings)
{
    struct history_opts *o = settings;
    *o = (struct history_opts){.by = "name", .format = "text", .output = "-", .reader = "auto"};
}

struct entry {
    const char *path;
    int64_t seconds, nanoseconds;
};

struct call {
    struct cli *cli;
    const struct history_opts *o;
    VEC(struct entry) entries;
    VEC(struct run_profile) runs;
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
        for (size_t i = 0; i < names.n; i++)
            add_entry(k, names.v[i]);
    }
    if (k->entries.n && given->n == 1)
        qsort(k->entries.v, k->entries.n, sizeof(*k->entries.v), by_name);
    if (k->entries.n && str_eq(k->o->by, "time"))
        qsort(k->entries.v, k->entries.n, sizeof(*k->entries.v), by_time);
    return true;
}

/* In a folder there may be anything: what is no run is named and left out. */
static bool load_runs(struct call *k)
{
    bool strict = k->cli->operands.n > 1;
    for (size_t i = 0; i < k->entries.n; i++) {
        struct run_profile p;
        if (profile_load(k->cli, &p, k->entries.v[i].path, k->o->reader, k->err)) {
            vec_push(&k->runs, k->cli->arena, p);
            continue;
        }
        if (strict)
            return false;
        fprintf(stderr, "left out: %s\n", k->err->text);
        *k->err = (struct gs_error){0};
    }
    if (!k->runs.n)
        return fail(k->err, GS_E_EMPTY, "no run in '%s'", k->cli->operands.v[0]);
    return true;
}

static void write_json(struct str *out, const struct history *h)
{
    struct jwrite w;
    jw_init(&w, out, 2);
    jw_open(&w, NULL, '{');
    jw_str(&w, "schema_version", "1.0");
    jw_uint(&w, "workloads", h->groups);
    fields_write_rows(&w, "runs", &history_fields, h->runs.v, h->runs.n);
    jw_open(&w, "leader_board", '[');
    for (uint32_t place = 1; place <= h->runs.n; place++)
        for (size_t i = 0; i < h->runs.n; i++)
            if (h->runs.v[i].group == 1 && h->runs.v[i].place == place)
                jw_str(&w, NULL, h->runs.v[i].label);
    jw_close(&w);
    jw_close(&w);
    str_putc(out, '\n');
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct history_opts *o = settings;
    struct call k = {.cli = cli, .o = o, .err = err};
    struct history h;
    struct str out;
    if (o->json)
        o->format = "json";
    if (!find_runs(&k) || !load_runs(&k))
        return false;
    history_make(&h, k.runs.v, k.runs.n, cli->arena);
    str_init(&out, cli->arena);
    struct subject s = {.history = &h,
                        .title = cli->operands.n > 1 ? "history" : cli->operands.v[0]};
    struct doc *d = history_report(&s, NULL, cli->arena, err);
    struct render_opts r = {cli->columns, cli->color && str_eq(o->output, "-")};
    if (str_eq(o->format, "json"))
        write_json(&out, &h);
    else if (!render_doc(&out, d, o->format, &r, err))
        return false;
    return fs_write(o->output, out.buf, out.len, err);
}

const struct command command_history = {
    .name = "history",
    .summary = "a series of runs: change points and a leader board",
    .operands = "RUN...",
    .doc =
        "Takes the runs in a folder in order (saved baselines, JSON of 'gpusight analyze', "
        "traces, and sub-folders, each one run), or several runs in the order given. Each is "
        "compared with the one before it: where it is faster or slower by more than noise, there "
        "is a change point, with its first cause. Runs that did other work are set apart.\n\n"
        "The comparison is that of 'gpusight compare'.",
    .examples = "gpusight history .gpusight/baselines  # all that was kept\n"
                "gpusight history --by time runs/  # in order of time\n"
                "gpusight history --json a.db b.db c.db  # for programs",
    .opts = opts,
    .settings_size = sizeof(struct history_opts),
    .defaults = defaults,
    .run = run,
};
