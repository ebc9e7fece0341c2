/* With the protocol itself: for programs that can load nothing, or where no libpq is installed. */
#include <stdlib.h>
#include <sys/socket.h>

#include "base/str.h"
#include "fleet/client.h"
#include "fleet/pg/pg.h"

static bool ready(void)
{
    return true;
}

static bool run(void *db, const char *sql, const struct fleet_value *v, size_t n, fleet_taker *take,
                void *ctx, uint64_t *changed, struct gs_error *err)
{
    struct pg *p = db;
    const char *texts[CLIENT_MOST_VALUES];
    char numbers[CLIENT_MOST_VALUES][CLIENT_NUMBER];
    struct pg_rows r;
    if (!client_texts(texts, numbers, v, n, err))
        return false;
    struct arena *temporary = arena_scratch();
    bool ok = pg_run(p, sql, texts, n, &r, temporary, err);
    if (ok && changed)
        *changed = r.changed;
    for (size_t i = 0; ok && take && i < r.rows; i++)
        if (!take(ctx, r.cells.v + i * r.columns, (int)r.columns))
            break;
    arena_release(temporary);
    return ok;
}

static const struct fleet_backend backend = {
    .begin = "BEGIN", .alone = FLEET_ALONE, .has_to_timestamp = true, .run = run};

static void release(void *what)
{
    static const char goodbye[] = {'X', 0, 0, 0, 4};
    struct pg *p = what;
    ssize_t n = p->fd >= 0 ? send(p->fd, goodbye, sizeof(goodbye), MSG_NOSIGNAL) : 0;
    (void)n; /* a server that is gone needs none */
    pg_close(p);
}

static bool open_wire(struct fleet *f, const char *address, struct gs_error *err)
{
    struct pg *p = arena_new(f->arena, struct pg);
    struct pg_target t;
    p->fd = -1;
    arena_defer(f->arena, release, p);
    if (!pg_target_read(&t, address, f->arena, err))
        return false;
    f->place =
        client_cleaned(f->place, t.password, f->arena); /* wherever else it may stand in it */
    bool ok = pg_connect(p, &t, f->arena, err);
    unsetenv("PGPASSWORD"); /* nobody needs it any more */
    if (!ok)
        return wrap(err, "cannot reach '%s'", f->place);
    f->backend = &backend;
    f->db = p;
    return true;
}

const struct client client_wire = {.name = "wire", .ready = ready, .open = open_wire};
