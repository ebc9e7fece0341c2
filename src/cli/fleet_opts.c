#include "cli/fleet_opts.h"

#include "base/str.h"

/* Other ways to write an address: not taken for the name of a file, which would have a password. */
static bool is_half_an_address(const char *place)
{
    static const char *const starts[] = {"postgresql:", "postgres:", "host=", "dbname=", "user="};
    for (size_t i = 0; i < ARRAY_LEN(starts); i++)
        if (str_starts(place, starts[i]))
            return true;
    return str_has(place, "password=");
}

bool fleet_opts_before(struct cli *cli, struct fleet_settings *s, enum fleet_mode mode,
                       struct gs_error *err)
{
    if (!s->db)
        return true;
    if (!*s->db)
        return fail(err, GS_E_USAGE, "option '--db' needs a file or an address");
    if (!fleet_is_address(s->db) && is_half_an_address(s->db))
        return fail(
            err, GS_E_USAGE,
            "what '--db' was given is no file; write 'postgresql://USER@HOST:PORT/DATABASE'");
    if (!fleet_is_address(s->db))
        return !str_has(s->db, "://") ||
               fail(err, GS_E_USAGE, "'%s' is no address of PostgreSQL; write 'postgresql://...'",
                    arena_strndup(cli->arena, s->db,
                                  (size_t)(strstr(s->db, "://") - s->db) + strlen("://")));
    char *given = (char *)s->db; /* of argv */
    s->db = arena_strdup(cli->arena, given);
    fleet_mask_here(given);
    s->fleet = fleet_open(s->db, mode, cli->arena, err);
    return s->fleet != NULL;
}

struct fleet *fleet_opts_open(struct cli *cli, struct fleet_settings *s, enum fleet_mode mode,
                              struct gs_error *err)
{
    if (!s->fleet)
        s->fleet = fleet_open(s->db, mode, cli->arena, err);
    return s->fleet;
}
