/*
 * Look-ups in the table of options that profilers have, tool_options.def.
 */
#ifndef GS_PLAN_TOOL_OPTIONS_H
#define GS_PLAN_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profiler.h"

enum option_takes { TAKES_NONE, TAKES_ONE, TAKES_MANY, TAKES_JOINED };

struct option_row {
    enum profiler tool;
    const char *name;
    enum option_takes takes;
    const char *values; /* "a|b"; "": any */
};

bool tool_separator(enum profiler tool);         /* wants "--" before the program */
const char *tool_subcommand(enum profiler tool); /* NULL: none */
bool tool_variable(enum profiler tool, const char *name);
const struct option_row *option_find(enum profiler tool, const char *name); /* NULL: none */

/* Does the option take these values? */
bool option_takes(const struct option_row *o, const char *const *values, size_t n);

#endif
