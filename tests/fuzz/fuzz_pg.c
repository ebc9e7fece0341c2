/*
 * Fuzzing a server of PostgreSQL: all that it ever says is the input, and then it hangs up. Whatever that is,
 * start-up and a statement end, and rows are as wide as they were described. The same bytes as an address.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fleet/pg/pg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool what)
{
    if (!what)
        abort();
}

static void talk(const uint8_t *data, size_t size, struct arena *a)
{
    static const char *const values[] = {"1", NULL};
    struct pg_target t = {.user = "me", .database = "d", .application = "fuzz"};
    struct pg *p = arena_new(a, struct pg);
    struct pg_rows rows;
    struct gs_error err = {0};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return;
    if (send(ends[1], data, size, MSG_DONTWAIT) >= 0 && shutdown(ends[1], SHUT_WR) == 0) {
        *p = (struct pg){.fd = ends[0], .arena = a, .password = "geheim", .local = true};
        if (pg_start(p, &t, &err))
            for (int i = 0; i < 2 && pg_run(p, "SELECT $1, $2", values, 2, &rows, a, &err); i++)
                expect(rows.cells.n == rows.rows * rows.columns);
        expect(!strstr(err.text, "geheim"));
    }
    if (p->fd >= 0)
        close(ends[0]);
    close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct pg_target t;
    struct gs_error err = {0};
    arena_init(&a);
    talk(data, size, &a);
    const char *text = arena_strndup(&a, (const char *)data, size);
    if (pg_target_read(&t, arena_printf(&a, "postgresql://%s", text), &a, &err))
        for (size_t i = 0; i < t.n; i++)
            expect(*t.v[i].name && atoi(t.v[i].port) > 0 && atoi(t.v[i].port) < 65536);
    arena_release(&a);
    return 0;
}
