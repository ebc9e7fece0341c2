/*
 * gpusight collect DIR... --db FILE|URL: many runs into one database.
 */
#include "base/fs.h"
#include "base/human.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/fleet_opts.h"
#include "run/run_words.h"

struct collect_opts {
    struct fleet_settings fleet;
    enum fleet_division runs;
    enum reader_mode reader;
    int64_t top;
    bool replace;
};

static const struct opt opts[] = {
    FLEET_OPT(struct collect_opts, fleet,
              "the database: a file of SQLite, made where there is none, or "
              "'postgresql://USER@HOST/DATABASE'"),
    OPT_WORD(struct collect_opts, runs, 0, "runs", "auto|files|folders",
             "what is one run: auto: the traces of a folder that say which rank they are, else "
             "each trace; files: each trace; folders: each file and folder in DIR (auto)"),
    OPT_FLAG(struct collect_opts, replace, 0, "replace",
             "analyze anew what is there already, after an update of gpusight say"),
    OPT_INT(struct collect_opts, top, 0, "top", 1, 100000, "N", "hotspots kept of a run (50)"),
    READER_OPT(struct collect_opts, reader),
    OPT_END,
};

static void defaults(void *settings)
{
    struct collect_opts *o = settings;
    *o = (struct collect_opts){.top = 50};
}

struct call {
    struct cli *cli;
    struct collect_opts *o;
    struct fleet *fleet;
    struct fleet_found found;
    struct str out; /* a line a run */
    size_t added, known, bad;
    struct gs_error first; /* of what was left out */
    struct gs_error *err;
};

/* One run at a time, in an arena of its own; a shortage is an error of that run. */
struct one {
    struct call *k;
    const struct fleet_found_run *run;
    struct arena *arena;
    const char *verdict;
    bool ok, added, known;
    bool database; /* the error is of the database, not of the run: there is no point in going on */
    struct gs_error err;
};

static void collect_guarded(void *ctx)
{
    struct one *w = ctx;
    struct call *k = w->k;
    struct run_opts o = RUN_DEFAULTS;
    struct fleet_content content;
    struct fleet_add_opts add = {(size_t)k->o->top, k->o->replace};
    if (!fleet_content(&content, k->fleet, w->run, k->o->replace, w->arena, &w->err))
        return;
    w->database = !fleet_has(k->fleet, content.hash, &w->known, &w->err);
    w->ok = w->known && !w->database && !k->o->replace;
    if (w->ok)
        fleet_remember(k->fleet, w->run, &content);
    if (w->ok || w->database)
        return;
    for (size_t i = 0; i < w->run->traces.n; i++)
        vec_push(&o.paths, w->arena, w->run->traces.v[i].path);
    o.reader = k->o->reader;
    o.threads = k->cli->threads;
    o.cache = k->cli->cache;
    o.replay = true;
    struct run *r = run_make(&o, w->arena, &w->err);
    if (!r || !fleet_unchanged(&content, w->run, &w->err))
        return;
    if (!r->trace.kernels.n && !r->trace.copies.n) {
        fail(&w->err, GS_E_EMPTY, "no GPU work in it");
        return;
    }
    w->verdict = verdict_status_name(r->advice.verdict.status);
    w->ok = fleet_add(k->fleet, w->run, &content, r, &add, &w->added, &w->err);
    w->database = !w->ok;
    w->known = !w->added;
    if (w->ok)
        fleet_remember(k->fleet, w->run, &content);
}

static void put_line(struct call *k, const char *what, const char *name, const char *rest)
{
    str_printf(&k->out, "%-8s  ", what);
    utf8_escape(&k->out, name, strlen(name));
    str_printf(&k->out, "%s%s\n", *rest ? "  " : "", rest);
}

static bool collect_one(struct call *k, const struct fleet_found_run *run)
{
    struct one w = {.k = k, .run = run, .arena = arena_child(k->cli->arena)};
    if (!mem_guard(collect_guarded, &w, &w.err))
        w.ok = false;
    if (w.ok && w.added) {
        k->added++;
        put_line(k, "added", run->path, w.verdict);
    } else if (w.ok) {
        k->known++;
        log_note("'%s' is there already", run->path);
    } else if (w.database) {
        *k->err = w.err;
    } else {
        k->first = k->bad++ ? k->first : w.err;
        put_line(k, "left out", run->path, w.err.text);
    }
    arena_release(w.arena);
    return w.ok || !w.database;
}

static bool report(struct call *k)
{
    str_printf(&k->out, "%zu run%s added, %zu there already, %zu left out\n", k->added,
               human_s(k->added), k->known, k->bad);
    return fs_write("-", k->out.buf, k->out.len, k->err);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct call *k = arena_new(cli->arena, struct call);
    *k = (struct call){.cli = cli, .o = settings, .err = err};
    str_init(&k->out, cli->arena);
    if (!k->o->fleet.db)
        return fail(err, GS_E_USAGE, "option '--db' is missing; see 'gpusight collect --help'");
    k->fleet = fleet_opts_open(cli, &k->o->fleet, FLEET_WRITE, err);
    if (!k->fleet || !fleet_find(&k->found, &cli->operands, k->o->runs, cli->arena, err))
        return false;
    for (size_t i = 0; i < k->found.bad.n; i++)
        put_line(k, "left out", k->found.bad.v[i].path, k->found.bad.v[i].why);
    k->bad = k->found.bad.n;
    if (k->bad)
        fail(&k->first, k->found.bad.v[0].code, "%s", k->found.bad.v[0].why);
    for (size_t i = 0; i < k->found.runs.n; i++)
        if (!collect_one(k, &k->found.runs.v[i])) {
            struct gs_error why = *err;
            report(k); /* what was added stays */
            *err = why;
            return false;
        }
    if (!report(k))
        return false;
    if (k->added || k->known)
        return true;
    if (k->bad) {
        *err = k->first;
        return false;
    }
    return fail(err, GS_E_EMPTY, "no traces in '%s'", cli->operands.v[0]);
}

static bool before(struct cli *cli, void *settings, struct gs_error *err)
{
    struct collect_opts *o = settings;
    return fleet_opts_before(cli, &o->fleet, FLEET_WRITE, err);
}

const struct command command_collect = {
    .name = "collect",
    .summary = "many runs into one database, for sites that profile every night",
    .operands = "DIR...",
    .doc =
        "Looks for traces in folders and below, analyzes each run, and puts verdict, ledger, "
        "findings, hotspots and versions into a database: a file of SQLite, or a server of "
        "PostgreSQL. 'history --db' and 'compare --db' read from it, and so do dashboards, by views "
        "made for them.\n\n"
        "A run is known by the content of its files: what is there already is not analyzed again, "
        "wherever it lies now. Each is added in one transaction, so an interrupted collect goes on "
        "where it was. Traces that cannot be read are named and left out; the exit code is 0 when "
        "any run was added or known, else that of the first trace that was left out.\n\n"
        "The network is used only for an address given with --db. Its password is taken from "
        "~/.pgpass, PGPASSWORD or the address, and is never printed.\n\n"
        "docs/fleet.md has the tables and views.",
    .examples =
        "gpusight collect traces/ --db fleet.db  # what is new in a folder\n"
        "gpusight collect nightly/ --db postgresql://perf@db.site/gpu  # into a server\n"
        "gpusight history --db fleet.db --name 'train/*'  # change points over all nights\n"
        "gpusight compare --db fleet.db latest~1 latest  # last night against the one before",
    .opts = opts,
    .settings_size = sizeof(struct collect_opts),
    .defaults = defaults,
    .fills_db = true,
    .before = before,
    .run = run,
};
