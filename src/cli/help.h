/*
 * Help on standard output, made from the command and option tables.
 */
#ifndef GS_CLI_HELP_H
#define GS_CLI_HELP_H

#include "base/str.h"
#include "cli/command.h"

bool help_overview(struct cli *cli, struct gs_error *err);
bool help_command(struct cli *cli, const struct command *c, struct gs_error *err);

/* The "--help" that opt_parse() knows everywhere, as a row for lists of options. */
extern const struct opt help_option;

/* What exit codes mean; ends with a NULL text. The man page prints the same table. */
struct exit_code {
    enum gs_code code;
    const char *text;
};
extern const struct exit_code exit_codes[];

/* The environment variables that are read; ends with a NULL name. */
struct env_variable {
    const char *name, *text;
};
extern const struct env_variable env_variables[];

#endif
