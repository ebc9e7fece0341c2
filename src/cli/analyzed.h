/* Commands that show an analysis: loading, analyzing and advising for the options they share. */
#ifndef GS_CLI_ANALYZED_H
#define GS_CLI_ANALYZED_H

#include "cli/command.h"
#include "run/run_words.h"

/* What the options amount to, for the operands of the command. */
struct run_opts cli_run_opts(const struct cli *cli, const struct analyzed_opts *o);

/*
 * As run_make(), in the arena of cli; says it better where a path is no trace but something else
 * that we know.
 */
struct run *cli_run(struct cli *cli, const struct run_opts *o, struct gs_error *err);

/*
 * Only loaded: the rows that filters leave. What that is goes to *only, or is said in a note where
 * that is NULL. cli_load() has them all; `reader` is that of --reader.
 */
const struct trace *cli_load_rows(struct cli *cli, const struct run_opts *o, const char **only,
                                  struct gs_error *err);
const struct trace *cli_load(struct cli *cli, enum reader_mode reader, struct gs_error *err);

#endif
