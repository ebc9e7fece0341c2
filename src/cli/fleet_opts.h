/*
 * --db of commands that read or fill a fleet (fleet/fleet.h).
 *
 * The server of an address is reached in `before`, while it can still be: the command itself runs in
 * its box. A file is opened by the command. The password of an address is taken out of what other
 * users of the machine see of the command line.
 */
#ifndef GS_CLI_FLEET_OPTS_H
#define GS_CLI_FLEET_OPTS_H

#include "cli/command.h"
#include "fleet/fleet.h"

struct fleet_settings {
    const char *db;      /* NULL: not given */
    struct fleet *fleet; /* after fleet_opts_before(), of an address */
};

#define FLEET_OPT(T, m, help) OPT_NAMES(NAMES_DB, T, m.db, 0, "db", "FILE|URL", help)

bool fleet_opts_before(struct cli *cli, struct fleet_settings *s, enum fleet_mode mode,
                       struct gs_error *err);

/* The database; NULL where it cannot be used. */
struct fleet *fleet_opts_open(struct cli *cli, struct fleet_settings *s, enum fleet_mode mode,
                              struct gs_error *err);

#endif
