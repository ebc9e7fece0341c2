/*
 * Is a command line one that the profiler takes? tool_argv_fault() gives NULL: yes; else what is wrong.
 * It reads the line as the profiler would, by the table of its options, and so says whether what was put
 * together from that table (plan/command.h) came out right.
 */
#ifndef GS_TESTS_ARGV_FAULT_H
#define GS_TESTS_ARGV_FAULT_H

#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "plan/command.h"
#include "plan/tool_options.h"

/* The values behind option `at`; returns where the next option is. */
static inline size_t take_values(const struct words *argv, size_t at, const struct option_row *o,
                                 struct words *values, struct arena *a)
{
    size_t most = o->takes == TAKES_NONE ? 0 : o->takes == TAKES_ONE ? 1 : SIZE_MAX;
    while (at < argv->n && values->n < most && argv->v[at][0] != '-')
        vec_push(values, a, argv->v[at++]);
    return at;
}

static inline const char *option_fault(enum profiler tool, const struct words *argv, size_t *at,
                                       struct arena *a)
{
    const char *word = argv->v[(*at)++];
    const char *equals = strchr(word, '=');
    struct words values = {0};
    if (equals) {
        const struct option_row *o =
            option_find(tool, arena_strndup(a, word, (size_t)(equals - word)));
        vec_push(&values, a, equals + 1);
        if (!o || o->takes != TAKES_JOINED || !option_takes(o, values.v, 1))
            return arena_printf(a, "%s: '%s'", profiler_name(tool), word);
        return NULL;
    }
    const struct option_row *o = option_find(tool, word);
    if (!o || o->takes == TAKES_JOINED)
        return arena_printf(a, "%s: no option '%s'", profiler_name(tool), word);
    *at = take_values(argv, *at, o, &values, a);
    return option_takes(o, values.v, values.n)
               ? NULL
               : arena_printf(a, "%s: value of '%s'", profiler_name(tool), word);
}

static inline const char *tool_argv_fault(const struct words *argv, struct arena *a)
{
    size_t at = 0, first_variable = 0;
    if (argv->n && str_eq(argv->v[0], "env"))
        for (first_variable = at = 1; at < argv->n && strchr(argv->v[at], '=');)
            at++;
    int found = at < argv->n ? str_word(argv->v[at], profiler_names) : -1;
    if (found < 0)
        return arena_printf(a, "no tool '%s'", at < argv->n ? argv->v[at] : "");
    enum profiler tool = (enum profiler)found;
    for (size_t i = first_variable; first_variable && i < at; i++)
        if (!tool_variable(tool, arena_strndup(a, argv->v[i], strcspn(argv->v[i], "="))))
            return arena_printf(a, "%s: no variable '%s'", profiler_name(tool), argv->v[i]);
    at++;
    if (tool_subcommand(tool) && (at == argv->n || !str_eq(argv->v[at++], tool_subcommand(tool))))
        return arena_printf(a, "%s: without '%s'", profiler_name(tool), tool_subcommand(tool));
    while (at < argv->n && argv->v[at][0] == '-' && !str_eq(argv->v[at], "--")) {
        const char *fault = option_fault(tool, argv, &at, a);
        if (fault)
            return fault;
    }
    bool dashes = at < argv->n && str_eq(argv->v[at], "--");
    if (dashes != tool_separator(tool))
        return arena_printf(a, "%s: %s '--'", profiler_name(tool),
                            dashes ? "does not know" : "wants");
    return at + dashes < argv->n ? NULL : arena_printf(a, "%s: no program", profiler_name(tool));
}

#endif
