/*
 * The shipped scenarios as traces with their truth, for `gpusight evaluate`.
 */
#ifndef GS_CLI_SCENARIOS_H
#define GS_CLI_SCENARIOS_H

#include "cli/command.h"

/* Writes NAME.db (or the folder NAME, for jobs) and NAME.truth.json for each into `dir`. */
bool scenarios_write(struct cli *cli, const char *dir, struct gs_error *err);

#endif
