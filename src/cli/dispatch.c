#include "cli/dispatch.h"

#include <string.h>
#include <sys/stat.h>

#include "base/cgroup.h"
#include "base/fs.h"
#include "base/human.h"
#include "base/input.h"
#include "base/inputs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/spill.h"
#include "base/str.h"
#include "base/vec.h"
#include "cache/cache.h"
#include "cli/alias.h"
#include "cli/command.h"
#include "cli/generate.h"
#include "cli/globals.h"
#include "cli/help.h"
#include "cli/sandbox.h"
#include "cli/terminal.h"
#include "config.h"
#include "ingest/detect.h"
#include "ingest/remote.h"
#include "job/spread.h"
#include "llm/target.h"
#include "team/team.h"

static bool print_version(struct gs_error *err)
{
    static const char text[] = "gpusight " GPUSIGHT_VERSION "\n"
                               "features:"
#ifdef HAVE_ZSTD
                               " zstd"
#endif
#ifdef HAVE_DEMANGLE
                               " demangle"
#endif
#ifdef HAVE_CAIRO
                               " cairo"
#endif
                               " xlsx"
#ifdef HAVE_OTF2
                               " otf2"
#endif
                               " llm"
#ifdef HAVE_CURL
                               " libcurl"
#endif
#ifdef HAVE_EDIT
                               " edit"
#endif
#ifdef HAVE_MPI
                               " mpi"
#endif
                               " postgresql"
#ifdef HAVE_PQ
                               " libpq"
#endif
#ifdef STATIC
                               " static"
#endif
                               "\n";
    return fs_write("-", text, sizeof(text) - 1, err);
}

/* True for "--threads" and its abbreviations: the next word is the value, not the command. */
static bool wants_value(const char *word)
{
    if (!str_starts(word, "--") || strchr(word, '='))
        return false;
    for (const struct opt *o = globals_opts; o->name; o++)
        if (word[2] && str_starts(o->name, word + 2))
            return o->kind != OPT_KIND_FLAG;
    return false;
}

/* The index of the command's name: the first word that is no option. */
static int find_name(int argc, char **argv)
{
    int i = 1;
    while (i < argc && argv[i][0] == '-' && argv[i][1])
        i += 1 + wants_value(argv[i]);
    return i < argc ? i : argc;
}

/*
 * The command's options and the global ones in one table, so that they may be mixed freely. The
 * global settings lie behind the command's in one block; `shift` is the distance.
 */
static const struct opt *merge_tables(struct arena *a, const struct opt *own, size_t shift)
{
    VEC(struct opt) all = {0};
    for (const struct opt *o = own; o && o->name; o++)
        if (*o->name)
            vec_push(&all, a, *o);
    for (const struct opt *o = globals_opts; o->name; o++) {
        vec_push(&all, a, *o);
        all.v[all.n - 1].offset += shift;
    }
    vec_push(&all, a, ((struct opt)OPT_END));
    return all.v;
}

/* Compares the number of operands with a description such as "OLD NEW" or "[TRACE...]". */
static bool check_operands(const struct command *c, const struct opt_list *given,
                           struct gs_error *err)
{
    size_t least = 0, most = 0;
    for (const char *p = c->operands; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        if (*p != '[' && least++ == given->n)
            return fail(err, GS_E_USAGE, "missing operand %.*s; see 'gpusight %s --help'",
                        (int)strcspn(p, " ."), p, c->name);
        const char *dots = strstr(p, "...");
        if (most != SIZE_MAX)
            most = dots && dots < p + len ? SIZE_MAX : most + 1;
        p += len;
    }
    if (given->n > most)
        return fail(err, GS_E_USAGE, "unexpected operand '%s'; see 'gpusight %s --help'",
                    given->v[most], c->name);
    return true;
}

/* Operands that stood behind "--": all words there are, and are the last ones. */
static size_t count_behind(const struct opt_list *operands, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        size_t n = (size_t)(argc - i - 1);
        if (!str_eq(argv[i], "--") || n > operands->n)
            continue;
        if (!n || operands->v[operands->n - n] == argv[i + 1])
            return n;
    }
    return 0;
}

static void apply_globals(struct cli *cli, const struct globals *g)
{
    cli->color = terminal_color(g->color);
    cli->columns = terminal_columns(&cli->width_from);
    cli->threads = g->threads ? (int)g->threads : parallel_cores();
    cli->sandbox = g->sandbox;
    cli->cache = g->cache;
    input_allow_unpacked(g->max_unpacked);
    log_set_level(g->quiet ? LOG_QUIET : g->verbose ? LOG_VERBOSE : LOG_NORMAL);
}

/* Whatever a command does with its operands, and with files that options name, it writes no result
 * over one of them. */
static void note_operands(const struct opt_list *operands, bool folders)
{
    static const char *const journals[] = {"-wal", "-shm", "-journal"};
    struct stat st;
    for (size_t i = 0; i < operands->n; i++) {
        if (stat(operands->v[i], &st) != 0 || !(folders || S_ISREG(st.st_mode)))
            continue;
        inputs_add(&st);
        for (size_t k = 0; S_ISREG(st.st_mode) && k < ARRAY_LEN(journals); k++)
            inputs_add_beside(operands->v[i], journals[k]);
    }
}

/* The folder is made here, so that the box need not be open around it. */
static void allow_cache(struct cli *cli, struct opt_list *targets)
{
    if (!cli->cache)
        return;
    cache_folder(cli->cache, NULL);
    vec_push(targets, cli->arena, cli->cache);
}

static const struct team_kind *const team_questions[] = {&remote_list_kind, &remote_members_kind,
                                                         &remote_read_kind, &remote_hash_kind,
                                                         &job_ranks_kind,   NULL};

/* What was asked for, or three quarters of what the container allows where that is less. */
static bool bound_memory(const struct globals *g, struct gs_error *err)
{
    char given[HUMAN_MAX], taken[HUMAN_MAX];
    uint64_t allowed = cgroup_memory(""), least = (uint64_t)SPILL_LEAST_MIB << 20;
    uint64_t most = allowed / 4 * 3 > least ? allowed / 4 * 3 : least;
    if (!g->memory)
        return true;
    if (g->memory <= most)
        return spill_limit(g->memory, err);
    log_warn("'--memory' of %s is more than this container allows; %s are held",
             human_bytes(given, g->memory), human_bytes(taken, most));
    return spill_limit(most, err);
}

/* *done: the first process runs the command, and this one has answered its questions. */
static bool join_team(struct cli *cli, const struct globals *g, bool *done, struct gs_error *err)
{
    struct opt_list targets = {0};
    enum team_role role;
    int threads = (int)g->threads;
    *done = false;
    if (!team_start(g->mpi, &threads, &role, err))
        return false;
    apply_globals(cli, g); /* standard output may be another now */
    cli->threads = threads ? threads : cli->threads;
    team_kinds(team_questions);
    remote_operands(&cli->operands);
    job_spread_options(cli->threads, cli->cache);
    *done = role == TEAM_IDLE;
    if (role != TEAM_SERVES)
        return true;
    allow_cache(cli, &targets);
    if (!bound_memory(g, err) || !sandbox_enter(g->sandbox, &targets, err))
        return false;
    team_serve();
    return *done = true;
}

static bool run_command(struct cli *cli, const struct command *c, const struct globals *before,
                        int argc, char **argv, struct gs_error *err)
{
    size_t shift = (c->settings_size + 15) & ~(size_t)15;
    void *settings = arena_alloc(cli->arena, shift + sizeof(struct globals));
    struct globals *g = (void *)((char *)settings + shift);
    *g = *before;
    if (c->defaults)
        c->defaults(settings);
    bool help, done;
    cli->one_of_many = team_follows();
    if (!opt_parse(merge_tables(cli->arena, c->opts, shift), settings, argc, argv, &cli->operands,
                   &help, cli->arena, err))
        return false;
    apply_globals(cli, g);
    cli->one_of_many &= g->mpi != TEAM_NO;
    cli->behind = count_behind(&cli->operands, argc, argv);
    if (help)
        return help_command(cli, c, err);
    if (g->version)
        return print_version(err);
    if (!check_operands(c, &cli->operands, err))
        return false;
    struct opt_list targets = {0};
    if (c->spreads && (!join_team(cli, g, &done, err) || done))
        return done;
    struct opt_list sources = {0};
    sandbox_sources(&sources, c, settings, cli->arena);
    note_operands(&cli->operands, true);
    note_operands(&sources, false);
    if (c->before && !c->before(cli, settings, err))
        return false;
    if (cli->forget_keys)
        llm_forget_environment(cli->arena);
    if (!bound_memory(g, err)) /* after the messenger is a process of its own */
        return false;
    sandbox_targets(&targets, c, settings, cli->arena);
    for (size_t i = 0; i < cli->operands.n && c->moves && c->moves(settings); i++)
        vec_push(&targets, cli->arena, cli->operands.v[i]);
    if (*c->operands)
        allow_cache(cli, &targets);
    return sandbox_enter(g->sandbox, &targets, err) && c->run(cli, settings, err);
}

static bool run_line(struct arena *a, int argc, char **argv, struct gs_error *err)
{
    argv = alias_expand(a, &argc, argv);
    if (argc > 1 && str_eq(argv[1], "--generate"))
        return generate(a, argc - 2, argv + 2, err);
    struct cli cli = {.arena = a, .seen = sightings_new(a)};
    struct globals g;
    globals_defaults(&g);
    int name = find_name(argc, argv);
    bool help;
    if (!opt_parse(globals_opts, &g, name ? name - 1 : 0, argv + 1, &cli.operands, &help, a, err))
        return false;
    apply_globals(&cli, &g);
    if (g.version)
        return print_version(err);
    if (help || name == argc)
        return help_overview(&cli, err);
    const struct command *c = command_find(argv[name]);
    if (!c)
        return command_unknown(argv[name], err);
    bool ok = run_command(&cli, c, &g, argc - name - 1, argv + name + 1, err);
    if (!ok && c->spreads && cli.one_of_many)
        err->text[0] = 0; /* the first process has said so */
    return ok;
}

struct line {
    struct arena *arena;
    int argc;
    char **argv;
    struct gs_error *err;
    bool ok;
};

static void run_guarded(void *ctx)
{
    struct line *l = ctx;
    l->ok = run_line(l->arena, l->argc, l->argv, l->err);
}

bool dispatch(struct arena *a, int argc, char **argv, struct gs_error *err)
{
    struct line l = {a, argc, argv, err, false};
    return mem_guard(run_guarded, &l, err) && l.ok;
}
