#include "base/str.h"
#include "cli/command.h"

#define COMMAND(name) &command_##name,
const struct command *const cli_commands[] = {
#include "cli/commands.def"
    NULL,
};
#undef COMMAND

#define COMMAND(name) #name,
static const char *const names[] = {
#include "cli/commands.def"
    NULL,
};
#undef COMMAND

const struct command *command_find(const char *name)
{
    for (const struct command *const *c = cli_commands; *c; c++)
        if (str_eq((*c)->name, name))
            return *c;
    return NULL;
}

bool command_unknown(const char *name, struct gs_error *err)
{
    const char *near = opt_nearest(name, names);
    if (near)
        return fail(err, GS_E_USAGE, "unknown command '%s'; did you mean '%s'?", name, near);
    return fail(err, GS_E_USAGE, "unknown command '%s'; see 'gpusight help'", name);
}
