#include "plan/command.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "plan/quote.h"
#include "plan/tool_options.h"

void tool_command_begin(struct tool_command *c, enum profiler tool, struct arena *a)
{
    *c = (struct tool_command){.tool = tool, .subcommand = tool_subcommand(tool), .arena = a};
}

/* Reached by a mistake in this program only; tests walk all there is to build. */
static void mistaken(enum profiler tool, const char *option)
{
    log_warn("internal error: %s has no option %s of this form", profiler_name(tool), option);
    abort();
}

void tool_command_variable(struct tool_command *c, const char *name, const char *value)
{
    if (!tool_variable(c->tool, name))
        mistaken(c->tool, name);
    vec_push(&c->variables, c->arena, arena_printf(c->arena, "%s=%s", name, value));
}

static void add(struct tool_command *c, const char *option, const char *const *v, size_t n)
{
    struct tool_option o = {.name = option};
    const struct option_row *row = option_find(c->tool, option);
    if (!row || !option_takes(row, v, n))
        mistaken(c->tool, option);
    for (size_t i = 0; i < n; i++)
        vec_push(&o.values, c->arena, v[i]);
    vec_push(&c->options, c->arena, o);
}

void tool_command_flag(struct tool_command *c, const char *option)
{
    add(c, option, NULL, 0);
}

void tool_command_value(struct tool_command *c, const char *option, const char *value)
{
    add(c, option, &value, 1);
}

void tool_command_values(struct tool_command *c, const char *option, const char *const *v, size_t n)
{
    add(c, option, v, n);
}

const char *shell_line(struct arena *a, const struct words *w)
{
    struct str line;
    str_init(&line, a);
    for (size_t i = 0; i < w->n; i++)
        str_printf(&line, "%s%s", i ? " " : "", shell_word(a, w->v[i]));
    return line.buf;
}

void words_split(struct words *out, const char *text, struct arena *a)
{
    for (const char *p = text; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        if (n)
            vec_push(out, a, arena_strndup(a, p, n));
        p += n;
    }
}

static void append(struct words *out, const struct words *more, struct arena *a)
{
    for (size_t i = 0; i < more->n; i++)
        vec_push(out, a, more->v[i]);
}

/* The tool with its options, up to where the program follows. */
static void tool_words(struct words *out, const struct tool_command *c,
                       const struct words *environment)
{
    struct arena *a = c->arena;
    if (c->variables.n || environment->n)
        vec_push(out, a, "env");
    append(out, environment, a);
    append(out, &c->variables, a);
    vec_push(out, a, profiler_name(c->tool));
    if (c->subcommand)
        vec_push(out, a, c->subcommand);
    for (size_t i = 0; i < c->options.n; i++) {
        const struct tool_option *o = &c->options.v[i];
        if (option_find(c->tool, o->name)->takes == TAKES_JOINED) {
            assert(o->values.n == 1); /* option_takes() was asked */
            vec_push(out, a, arena_printf(a, "%s=%s", o->name, o->values.v[0]));
            continue;
        }
        vec_push(out, a, o->name);
        append(out, &o->values, a);
    }
    if (tool_separator(c->tool))
        vec_push(out, a, "--");
}

/* Where each launcher's ranks find their number. */
static const char *rank_variable(enum launcher_kind kind)
{
    return kind == LAUNCHER_SLURM ? "${SLURM_PROCID:-0}"
           : kind == LAUNCHER_FLUX
               ? "${FLUX_TASK_RANK:-0}"
               : "${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-${SLURM_PROCID:-0}}}}";
}

/* One rank runs under the profiler, the others as they are; "$@" is the program. */
static void one_rank(struct words *out, const struct words *tool, const struct launch_form *how,
                     struct arena *a)
{
    vec_push(out, a, "sh");
    vec_push(out, a, "-c");
    vec_push(out, a,
             arena_printf(a, "[ \"%s\" = %d ] || exec \"$@\"; exec %s \"$@\"",
                          rank_variable(how->kind), how->rank, shell_line(a, tool)));
    vec_push(out, a, "sh");
}

void tool_command_end(struct tool_command *c, const struct launch_form *how)
{
    static const struct words none;
    struct words tool = {0};
    tool_words(&tool, c, how->launcher.n ? &none : &how->environment);
    if (how->launcher.n && how->environment.n) {
        vec_push(&c->argv, c->arena, "env");
        append(&c->argv, &how->environment, c->arena);
    }
    append(&c->argv, &how->launcher, c->arena);
    if (how->launcher.n && how->rank >= 0)
        one_rank(&c->argv, &tool, how, c->arena);
    else
        append(&c->argv, &tool, c->arena);
    append(&c->argv, &how->app, c->arena);
    c->text = shell_line(c->arena, &c->argv);
}
