/*
 * Commands that write a trace again, changed: the options they share, loading what filters leave, and
 * writing one file of any form that 'gpusight convert' knows.
 */
#ifndef GS_CLI_REWRITTEN_H
#define GS_CLI_REWRITTEN_H

#include "cli/analyzed.h"
#include "convert/convert.h"

struct rewritten_opts {
    const char *name, *format; /* "-o"; NULL: what the name ends in, else rocpd */
    struct analyzed_opts in;
};

#define REWRITTEN_OPTS(T, m)                                                                       \
    OPT_NAMES(NAMES_OUTPUT, T, m.name, 'o', "output", "FILE", "the file to write; needed"),        \
        OPT_CHOICE(T, m.format, 'f', "format", "rocpd|pftrace|chrome|csv|otf2|speedscope|folded",  \
                   "its form (what the name ends in, else rocpd)")

#define REWRITTEN_DEFAULTS                                                                         \
    {                                                                                              \
        .in = ANALYZED_DEFAULTS                                                                    \
    }

/* What the filters leave of the traces; *only says what that is, NULL: all. */
struct trace *rewritten_load(struct cli *cli, const struct rewritten_opts *o, const char **only,
                             struct gs_error *err);

/* Puts it into the set, with the arguments of calls where `args`; *files are the names. */
bool rewritten_put(struct cli *cli, const struct rewritten_opts *o, const struct trace *t,
                   bool args, struct fs_set *set, struct opt_list *files, struct gs_error *err);

/* The same, written at once. */
bool rewritten_write(struct cli *cli, const struct rewritten_opts *o, const struct trace *t,
                     bool args, struct opt_list *files, struct gs_error *err);

#endif
