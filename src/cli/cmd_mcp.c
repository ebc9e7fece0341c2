/*
 * gpusight mcp [DIR...]: the tools, for programs that let a model work with traces.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/fs.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/globals.h"
#include "cli/sandbox.h"
#include "mcp/mcp.h"

struct mcp_settings {
    const char *guide;
    int64_t page;
};

static const struct opt opts[] = {
    OPT_TEXT(struct mcp_settings, guide, 0, "guide", "FILE",
             "the guide that clients can read, instead of the one found by the usual order"),
    OPT_INT(struct mcp_settings, page, 0, "page", 1, 10000, "N",
            "items of a page when tools, resources and prompts are listed (100)"),
    OPT_END,
};

static void defaults(void *settings)
{
    *(struct mcp_settings *)settings = (struct mcp_settings){.page = 100};
}

static bool check_folders(struct cli *cli, struct gs_error *err)
{
    char here[4096];
    if (!cli->operands.n && (!getcwd(here, sizeof(here)) || str_eq(here, "/")))
        return fail(err, GS_E_USAGE,
                    "no folder given, and the current one is '/'; name the "
                    "folders that traces may be read from");
    if (!cli->operands.n)
        vec_push(&cli->operands, cli->arena, arena_strdup(cli->arena, here));
    for (size_t i = 0; i < cli->operands.n; i++)
        if (!fs_exists(cli->operands.v[i]))
            return fail(err, GS_E_IO, "no file or folder '%s'", cli->operands.v[i]);
    return true;
}

/* Where traces are, and where those that were loaded before are kept. */
static const struct opt_list *readable(struct cli *cli)
{
    struct opt_list *all = arena_new(cli->arena, struct opt_list);
    for (size_t i = 0; i < cli->operands.n; i++)
        vec_push(all, cli->arena, cli->operands.v[i]);
    if (cli->cache)
        vec_push(all, cli->arena, cli->cache);
    return all;
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    const struct mcp_settings *o = settings;
    struct guide guide;
    if (!check_folders(cli, err) || !guide_load(&guide, o->guide, cli->arena, err) ||
        !sandbox_confine(cli->sandbox, readable(cli), err))
        return false;
    confine_to(cli->operands.v, cli->operands.n, cli->arena);
    struct mcp_opts m = {.in = STDIN_FILENO,
                         .out = STDOUT_FILENO,
                         .roots = cli->operands,
                         .threads = cli->threads,
                         .cache = cli->cache,
                         .page = (size_t)o->page,
                         .guide = &guide};
    return mcp_serve(&m, cli->arena, err);
}

const struct command command_mcp = {
    .name = "mcp",
    .summary = "a Model Context Protocol server: exact tools for coding agents",
    .operands = "[DIR...]",
    .doc =
        "Speaks the Model Context Protocol (versions 2024-11-05 to 2025-06-18) on standard input "
        "and output, for programs that let a model work with traces: tools with schemas "
        "(docs/tools.md), the guide, schemas and documentation as resources, and prompts. A "
        "trace is loaded once and kept; it is read again when its files have changed.\n\n"
        "Only files below the folders given are read, links resolved; without a folder, below "
        "the current one. Nothing is written and nothing is sent anywhere. It ends when its "
        "input does.\n\n"
        "docs/mcp.md has the configuration of clients.",
    .examples = "gpusight mcp ~/traces  # what a client starts\n"
                "gpusight mcp traces src  # traces, and source code for the tool 'source'",
    .opts = opts,
    .settings_size = sizeof(struct mcp_settings),
    .defaults = defaults,
    .run = run,
};
