/*
 * Loading traces for a command, with a progress bar where it takes long.
 */
#ifndef GS_CLI_LOAD_H
#define GS_CLI_LOAD_H

#include "cli/command.h"
#include "ingest/ingest.h"

/* As ingest_load(); `reader` is the word of the --reader option. */
bool cli_load(struct cli *cli, struct trace *t, const struct opt_list *paths, const char *reader,
              struct gs_error *err);

/* Says it better where a path is no trace but something else we know; always false. */
bool cli_load_failed(struct cli *cli, const struct opt_list *paths, struct gs_error *err);

#endif
