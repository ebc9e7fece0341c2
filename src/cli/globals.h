/*
 * The options that every command has.
 */
#ifndef GS_CLI_GLOBALS_H
#define GS_CLI_GLOBALS_H

#include <stdint.h>

#include "base/opt.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "team/team.h"

struct globals {
    enum color_when color;
    int64_t threads;       /* 0: one per core */
    uint64_t max_unpacked; /* 0: by the size of the file */
    uint64_t memory;       /* 0: no bound */
    const char *cache;     /* folder of loaded traces; NULL: none */
    enum sandbox_mode sandbox;
    enum team_mode mpi;
    bool verbose, quiet, version;
};

extern const struct opt globals_opts[];

/* What holds without options; GPUSIGHT_THREADS is read here. */
void globals_defaults(struct globals *g);

#endif
