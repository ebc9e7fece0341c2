/*
 * gpusight convert TRACE... -f FORMAT: a trace as files of other tools.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "cli/analyzed.h"
#include "cli/output.h"
#include "convert/convert.h"
#include "convert/keys.h"

enum { MOST_APART = 2000 }; /* a database takes milliseconds and 140 KB, however small */

struct convert_settings {
    struct opt_list formats, inputs;
    struct analyzed_opts in; /* what of the traces: filters, window, process, rank */
    const char *name, *dir;
    enum agent_index agent_index;
    const char *backend, *fill_policy, *buffer_size, *shmem_size; /* of a buffer we do not have */
    bool per_rank, no_align, group_by_queue, kernel_rename, annotate_args, annotate_pmc, compress,
        durations;
};

#define T struct convert_settings
static const struct opt opts[] = {
    OPT_LIST(T, formats, 'f', "format", "FORMAT",
             "pftrace, chrome, csv, rocpd, otf2, speedscope or folded; may be repeated, or several "
             "divided by commas (what the name of the output ends in)"),
    OPT_NAMES(NAMES_OUTPUT, T, name, 'o', "output", "NAME",
              "name of the output, with or without its extension; may hold keys such as %rank%, "
              "see below (named after the trace)"),
    OPT_NAMES(NAMES_TARGET, T, dir, 'd', "dir", "DIR",
              "folder to write into; it is made (this one)"),
    OPT_FLAG(T, per_rank, 0, "per-rank", "one output for each process instead of one for all"),
    OPT_FLAG(T, no_align, 0, "no-align", "leave the clocks of several ranks as they are"),
    OPT_GROUP("How things are named and shown"),
    OPT_WORD(T, agent_index, 0, "agent-index", AGENT_INDEX_WORDS,
             "how devices are numbered: as the driver does, in the order they are listed, or CPU "
             "and GPU each on their own (relative)"),
    OPT_FLAG(T, kernel_rename, 0, "kernel-rename",
             "name kernels by the marker range they were launched in, where the trace has it"),
    OPT_FLAG(T, group_by_queue, 0, "group-by-queue",
             "pftrace: tracks of hardware queues instead of streams"),
    OPT_FLAG(T, annotate_args, 0, "annotate-args",
             "pftrace, chrome: exact times and threads go with each call"),
    OPT_FLAG(T, annotate_pmc, 0, "annotate-pmc",
             "pftrace: values of counters go with their kernel, beside the counter tracks"),
    OPT_FLAG(T, compress, 0, "compress", "pftrace: packets are deflated, a fifth of the size"),
    OPT_FLAG(T, durations, 0, "durations", "csv: a column Duration at the end of each trace"),
    OPT_GROUP("As rocpd calls them"),
    OPT_LIST(T, inputs, 'i', "input", "TRACE", "the same as an operand"),
    OPT_LIST(T, formats, 0, "output-format", "FORMAT", "the same as --format"),
    OPT_NAMES(NAMES_TARGET, T, name, 0, "output-file", "NAME", "the same as --output"),
    OPT_NAMES(NAMES_TARGET, T, dir, 0, "output-path", "DIR", "the same as --dir"),
    OPT_WORD(T, agent_index, 0, "agent-index-value", AGENT_INDEX_WORDS,
             "the same as --agent-index"),
    OPT_TEXT(T, backend, 0, "perfetto-backend", "WORD",
             "ignored: the file is written as a stream, there is no buffer that could overflow"),
    OPT_TEXT(T, fill_policy, 0, "perfetto-buffer-fill-policy", "WORD", "ignored, as above"),
    OPT_TEXT(T, buffer_size, 0, "perfetto-buffer-size", "KB", "ignored, as above"),
    OPT_TEXT(T, shmem_size, 0, "perfetto-shmem-size-hint", "KB", "ignored, as above"),
    OPT_GROUP("What of the traces"),
    ROWS_OPTS(T, in),
    OPT_END,
};
#undef T

static void defaults(void *settings)
{
    struct convert_settings *o = settings;
    o->in = (struct analyzed_opts)ANALYZED_DEFAULTS;
    o->agent_index = AGENT_RELATIVE;
    o->dir = getenv("ROCPD_OUTPUT_PATH");
    o->name = getenv("ROCPD_OUTPUT_NAME");
}

/* ---- which formats ---- */

struct chosen {
    const struct converter *v[16];
    size_t n;
};

static bool unknown_format(const char *word, struct gs_error *err)
{
    const char *names[32];
    size_t n = 0;
    for (size_t i = 0; converters[i]; i++)
        names[n++] = converters[i]->name;
    names[n] = NULL;
    const char *near = opt_nearest(word, names);
    if (near)
        return fail(err, GS_E_USAGE, "unknown format '%s'; did you mean '%s'?", word, near);
    return fail(err, GS_E_USAGE,
                "unknown format '%s'; formats are pftrace, chrome, csv, rocpd, otf2, speedscope "
                "and folded",
                word);
}

static bool choose_one(struct chosen *c, const char *word, struct gs_error *err)
{
    const struct converter *w = converter_find(word);
    if (!w)
        return unknown_format(word, err);
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i] == w)
            return true;
    c->v[c->n++] = w;
    return true;
}

/* "-f csv pftrace", as AMD's tools take it: a word that is a format and no file is one more. */
static bool choose_operands(struct chosen *c, struct cli *cli, struct gs_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < cli->operands.n; i++) {
        const char *word = cli->operands.v[i];
        bool format = converter_find(word) && !fs_exists(word);
        if (!format)
            cli->operands.v[kept++] = word;
        else if (!choose_one(c, word, err))
            return false;
    }
    cli->operands.n = kept;
    return true;
}

static bool choose(struct chosen *c, const struct convert_settings *o, struct arena *a,
                   struct gs_error *err)
{
    for (size_t i = 0; i < o->formats.n; i++)
        for (const char *p = o->formats.v[i]; p;) {
            size_t n = strcspn(p, ",");
            if (!choose_one(c, arena_strndup(a, p, n), err))
                return false;
            p = p[n] ? p + n + 1 : NULL;
        }
    if (c->n)
        return true;
    const struct converter *w = o->name ? converter_by_extension(o->name) : NULL;
    if (!w)
        return fail(err, GS_E_USAGE,
                    "no format; give -f pftrace, chrome, csv, rocpd, otf2, speedscope or folded");
    c->v[c->n++] = w;
    return true;
}

/* ---- reading, with the clocks of several ranks brought together ---- */

static const struct trace *load(struct cli *cli, const struct convert_settings *o,
                                struct gs_error *err)
{
    struct opt_list paths = {0};
    for (size_t i = 0; i < o->inputs.n; i++)
        vec_push(&paths, cli->arena, o->inputs.v[i]);
    for (size_t i = 0; i < cli->operands.n; i++)
        vec_push(&paths, cli->arena, cli->operands.v[i]);
    if (!paths.n) {
        fail(err, GS_E_USAGE, "missing operand TRACE; see 'gpusight convert --help'");
        return NULL;
    }
    cli->operands = paths;
    struct run_opts ro = cli_run_opts(cli, &o->in);
    ro.align = !o->no_align;
    return cli_load_rows(cli, &ro, NULL, err);
}

/* ---- names ---- */

/* "demo" of "runs/demo_results.db" */
static const char *base_of(struct cli *cli)
{
    struct arena *a = cli->arena;
    const char *base = output_base(cli->operands.v[0], a);
    static const char *const ends[] = {".json", ".db",      ".sqlite",         ".rpd",
                                       ".csv",  ".pftrace", ".perfetto-trace", ".otf2"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) /* of "x.json.gz", say */
        if (str_ends(base, ends[i]) && strlen(base) > strlen(ends[i]))
            base = arena_strndup(a, base, strlen(base) - strlen(ends[i]));
    size_t n = strlen(base);
    return n > 8 && str_ends(base, "_results") ? arena_strndup(a, base, n - 8) : base;
}

struct names {
    struct cli *cli;
    const struct convert_settings *o;
    const struct trace *t;
    bool apart; /* one output a process */
};

/* Without keys that tell processes apart, the number of each does. */
static const char *name_for(const struct names *n, uint32_t process, const char *name)
{
    struct arena *a = n->cli->arena;
    uint32_t whose = process == NO_INDEX ? 0 : process;
    const struct trace *t = n->t;
    bool marked = keys_tell_apart(name) || (n->o->dir && keys_tell_apart(n->o->dir));
    const char *expanded = keys_expand(name, t, whose, a);
    if (process == NO_INDEX || marked)
        return expanded;
    int32_t rank = t->processes.v[process].rank;
    bool unique = rank >= 0;
    for (size_t i = 0; unique && i < t->processes.n; i++)
        unique = i == process || t->processes.v[i].rank != rank;
    return unique ? arena_printf(a, "%s_rank%d", expanded, (int)rank)
                  : arena_printf(a, "%s_process%u", expanded, (unsigned)process);
}

/* The path of one output: exact where the name ends in what the format ends in, else its base. */
static bool place(const struct names *n, struct conversion *c, const struct converter *w,
                  struct gs_error *err)
{
    struct arena *a = n->cli->arena;
    const char *name = n->o->name ? n->o->name : base_of(n->cli);
    const struct converter *named = n->o->name ? converter_by_extension(name) : NULL;
    bool exact = named == w && w->extension && c->process == NO_INDEX;
    bool direct = n->o->name && fs_out_is_direct(name); /* a name of ours may be that of a folder */
    if (direct && !w->extension)
        return fail(err, GS_E_USAGE, "cannot write %s to '%s': it is several files", w->name, name);
    exact |= direct;
    if (named == w && !exact) {
        const char *ext = str_ends(name, ".perfetto-trace") ? ".perfetto-trace" : w->extension;
        name = arena_strndup(a, name, strlen(name) - strlen(ext));
    } else if (named && named != w && !direct) {
        return fail(err, GS_E_USAGE, "cannot write %s into '%s', which says %s", w->name, name,
                    named->name);
    }
    name = exact ? keys_expand(name, n->t, 0, a) : name_for(n, c->process, name);
    if (n->o->dir && !direct) {
        const char *dir = keys_expand(n->o->dir, n->t, c->process == NO_INDEX ? 0 : c->process, a);
        if (!fs_set_folder(c->set, dir, err))
            return false;
        name = arena_printf(a, "%s/%s", dir, name);
    }
    const char *slash = strrchr(name, '/');
    if (slash && slash > name && !fs_out_is_direct(name) &&
        !fs_set_folder(c->set, arena_strndup(a, name, (size_t)(slash - name)), err))
        return false;
    c->base = name;
    c->path = exact ? name : NULL;
    return !(exact && w->binary && fs_out_is_direct(name) && isatty(STDOUT_FILENO) &&
             (str_eq(name, "-") || str_eq(name, "/dev/stdout"))) ||
           fail(err, GS_E_USAGE, "cannot show %s on a terminal; give -o FILE", w->name);
}

/* ---- the command ---- */

static bool convert_all(struct names *n, struct fs_set *set, const struct chosen *chosen,
                        const struct convert_opts *co, struct gs_error *err)
{
    struct cli *cli = n->cli;
    size_t parts = n->apart ? n->t->processes.n : 1;
    struct opt_list wrote = {0};
    for (size_t p = 0; p < parts; p++)
        for (size_t i = 0; i < chosen->n; i++) {
            struct conversion c = {.trace = n->t, .o = co, .set = set};
            c.process = n->apart ? (uint32_t)p : NO_INDEX;
            if (!place(n, &c, chosen->v[i], err) || !convert_write(chosen->v[i], &c, err))
                return false;
            for (size_t k = 0; k < c.written.n; k++)
                vec_push(&wrote, cli->arena, c.written.v[k]);
        }
    if (!fs_set_close(set, err))
        return false;
    for (size_t i = 0; i < wrote.n; i++)
        if (!fs_out_is_direct(wrote.v[i]))
            log_say("wrote %s", wrote.v[i]);
    return true;
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    const struct convert_settings *o = settings;
    struct chosen chosen = {.n = 0};
    struct convert_opts co = {
        .agent_index = o->agent_index,
        .group_by_queue = o->group_by_queue,
        .kernel_rename = o->kernel_rename,
        .annotate_args = o->annotate_args,
        .annotate_pmc = o->annotate_pmc,
        .compress = o->compress,
        .durations = o->durations,
        .args = true,
        .threads = cli->threads,
    };
    if ((o->formats.n && !choose_operands(&chosen, cli, err)) ||
        !choose(&chosen, o, cli->arena, err))
        return false;
    if (chosen.n > 1 && o->name && fs_out_is_direct(o->name))
        return fail(err, GS_E_USAGE, "cannot write several formats to '%s'", o->name);
    struct names n = {.cli = cli, .o = o, .t = load(cli, o, err)};
    if (!n.t)
        return false;
    n.apart = n.t->processes.n > 1 && (o->per_rank || (o->name && keys_tell_apart(o->name)) ||
                                       (o->dir && keys_tell_apart(o->dir)));
    if (n.apart && o->name && fs_out_is_direct(o->name))
        return fail(err, GS_E_USAGE, "cannot write one output a rank to '%s'", o->name);
    if (n.apart && n.t->processes.n > MOST_APART)
        return fail(
            err, GS_E_USAGE,
            "%zu processes are more than the %d outputs that are written at once; choose some "
            "with --rank or --process",
            n.t->processes.n, MOST_APART);
    struct fs_set *set = fs_set_new(cli->arena);
    return convert_all(&n, set, &chosen, &co, err);
}

const struct command command_convert = {
    .name = "convert",
    .summary = "a trace as Perfetto, Chrome JSON, CSV, rocpd, OTF2 or flame graph",
    .operands = "[TRACE...]",
    .doc =
        "Writes a trace of any format in another one: pftrace (Perfetto protobuf), chrome (JSON for "
        "chrome://tracing, read by PyTorch tools, too), csv (the files of rocprofv3, with their "
        "statistics), rocpd (a database that AMD's tools read), otf2 (for Vampir and its like), "
        "speedscope and folded (flame graphs). Nothing is dropped, moved or rounded; what a format "
        "cannot hold is in docs/convert.md.\n\n"
        "A name that ends in the format's extension is the name of the file; to any other the "
        "format's own ending is added, as AMD's tools do: out_results.pftrace, "
        "out_kernel_trace.csv. Files appear whole, all together, when everything is written; none is "
        "ever one that was read.\n\n"
        "Several traces are the ranks of a job. Their clocks are brought together and they go into "
        "one output, or one each with --per-rank, or with a key such as %rank% in the name.\n\n"
        "Keys in -o and -d: %hostname% %pid% %ppid% %rank% %size% %nid% %job% %cwd% %launch_date% "
        "%launch_time% %tag% %argN% %args% %env{X}% %q{X}; {key} and %h %p %r %s %j are the same. "
        "ROCPD_OUTPUT_NAME and ROCPD_OUTPUT_PATH stand for -o and -d where these are not given. "
        "Called by the name rocpd2csv, rocpd2pftrace, rocpd2otf2 or rocpd2summary, the program "
        "takes their options.",
    .examples =
        "gpusight convert results.db -o trace.pftrace  # for ui.perfetto.dev\n"
        "gpusight convert report.sqlite -f rocpd -o from_nsys  # an Nsight trace for AMD's "
        "tools\n"
        "gpusight convert job/ -f pftrace -f csv -d out --per-rank  # one set for each rank\n"
        "gpusight convert results.db -f folded -o - | flamegraph.pl > flame.svg",
    .opts = opts,
    .settings_size = sizeof(struct convert_settings),
    .writes_here = true,
    .defaults = defaults,
    .run = run,
    .spreads = true,
};
