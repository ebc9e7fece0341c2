/*
 * A profiler's command line, built option by option. Each option is looked up in the table of those
 * that tools really have (tool_options.def); one that is not there, or is given a value it does not
 * take, is a mistake of ours and stops the program.
 *
 *     struct tool_command c;
 *     tool_command_begin(&c, PROFILER_ROCPROFV3, arena);
 *     tool_command_flag(&c, "--kernel-trace");
 *     tool_command_value(&c, "--output-format", "rocpd");
 *     tool_command_end(&c, &(struct launch_form){.app = app});
 *     puts(c.text);  // rocprofv3 --kernel-trace --output-format rocpd -- ./app
 */
#ifndef GS_PLAN_COMMAND_H
#define GS_PLAN_COMMAND_H

#include <stdbool.h>

#include "base/vec.h"
#include "model/profiler.h"

struct words {
    const char **v;
    size_t n, cap;
};

enum launcher_kind {
    LAUNCHER_NONE,
    LAUNCHER_SLURM,
    LAUNCHER_MPI,
    LAUNCHER_FLUX,
    LAUNCHER_WORKERS, /* torchrun and its like: stays in the program, which is several processes */
};

/* How the program is started. */
struct launch_form {
    struct words environment; /* "OMP_NUM_THREADS=4", in front of everything */
    struct words launcher;    /* "srun -n 4"; empty: none */
    struct words app;         /* program and arguments */
    enum launcher_kind kind;
    int rank; /* only this rank is profiled; -1: all */
};

struct tool_option {
    const char *name;
    struct words values; /* none: a flag */
};

struct tool_command {
    enum profiler tool;
    const char *subcommand; /* "profile", or NULL */
    struct words variables; /* "NAME=value" */
    VEC(struct tool_option) options;
    struct words argv; /* all of it, the launcher first: filled by _end */
    const char *text;  /* the same, quoted for a shell */
    struct arena *arena;
};

void tool_command_begin(struct tool_command *c, enum profiler tool, struct arena *a);
void tool_command_variable(struct tool_command *c, const char *name, const char *value);
void tool_command_flag(struct tool_command *c, const char *option);
void tool_command_value(struct tool_command *c, const char *option, const char *value);
void tool_command_values(struct tool_command *c, const char *option, const char *const *v,
                         size_t n);
void tool_command_end(struct tool_command *c, const struct launch_form *how);

/* Words joined for a shell. */
const char *shell_line(struct arena *a, const struct words *w);

/* The words of a text, at spaces: for commands whose words are known to be plain. */
void words_split(struct words *out, const char *text, struct arena *a);

/*
 * Finds variables and the launcher at the head of a command ("A=1 srun -n 4 ./app") and divides it. False where it
 * cannot be told where the program begins (several programs divided by ':', none, or what looks
 * like an option); `how` is then of no use.
 */
bool launch_form_find(struct launch_form *how, const struct words *command, struct arena *a);

/* The launcher as given, words divided by spaces; one that is not known is taken for one of MPI. */
void launch_form_given(struct launch_form *how, const char *launcher, const struct words *app,
                       struct arena *a);

#endif
