/*
 * gpusight help [COMMAND]: the same as gpusight COMMAND --help.
 */
#include "cli/help.h"

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    (void)settings;
    if (!cli->operands.n)
        return help_overview(cli, err);
    const struct command *c = command_find(cli->operands.v[0]);
    return c ? help_command(cli, c, err) : command_unknown(cli->operands.v[0], err);
}

const struct command command_help = {
    .name = "help",
    .summary = "list the commands, or explain one",
    .operands = "[COMMAND]",
    .doc =
        "Without an operand the commands are listed. With the name of one, its options, examples "
        "and exit codes are shown, as COMMAND --help does.",
    .examples = "gpusight help       # the list of commands\n"
                "gpusight help info  # everything about one of them",
    .run = run,
};
