/*
 * PostgreSQL's protocol, version 3.0, as far as a fleet needs it: one connection, statements with
 * parameters as text, rows as text. No TLS and no Kerberos: what needs them is refused in a line, and
 * is what libpq is for.
 *
 *     struct pg_target t;
 *     struct pg p;
 *     if (!pg_target_read(&t, "postgresql://perf@host/db", arena, err) ||
 *         !pg_connect(&p, &t, arena, err)) ...
 *     pg_run(&p, "SELECT name FROM x WHERE id = $1", values, 1, &result, err);
 *     pg_close(&p);
 *
 * A server is a stranger: lengths, counts and texts are checked, a message is held only as far as it
 * has come, and what never ends is cut off. Connecting takes connect_timeout seconds, 30 unless said;
 * a statement takes as long as the server needs.
 *
 * Thread-safety: one connection, one thread.
 */
#ifndef GS_FLEET_PG_PG_H
#define GS_FLEET_PG_PG_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

/* ---- where: address.c, pass.c ---- */

struct pg_host {
    const char *name; /* "/var/run/postgresql": the folder of a socket; a name or a number */
    const char *port;
};

struct pg_target {
    struct pg_host *v;
    size_t n, cap;
    const char *user, *database;
    const char *password; /* NULL: none given */
    const char *passfile, *options, *application;
    int timeout_s;
    bool clear; /* sslmode=disable: the user knows that nothing is encrypted */
};

/* Of an address, and of PGHOST and its like for what it does not say. */
bool pg_target_read(struct pg_target *t, const char *address, struct arena *a,
                    struct gs_error *err);

/* The password for a host: that of the address, of PGPASSWORD, or of the file; NULL: none. */
const char *pg_password(const struct pg_target *t, const struct pg_host *h, struct arena *a);

/* ---- the connection: connect.c ---- */

struct pg {
    int fd; /* -1: none */
    struct arena *arena;
    const char *password;
    int64_t deadline_ms; /* by the monotonic clock; 0: none */
    bool local;          /* nobody listens between here and there */
    char in[16384];
    size_t in_at, in_n;
};

/* A socket to the first host that answers; the protocol is pg_start()'s. */
bool pg_dial(struct pg *p, const struct pg_target *t, const struct pg_host **host,
             struct gs_error *err);
bool pg_send(struct pg *p, const struct str *message, struct gs_error *err);
/* The next message: its type, and its body in `body`, with a NUL behind it. */
bool pg_receive(struct pg *p, char *type, struct str *body, struct gs_error *err);
void pg_close(struct pg *p);

/* ---- the protocol: talk.c, auth.c ---- */

/* Both of the above and pg_start(). */
bool pg_connect(struct pg *p, const struct pg_target *t, struct arena *a, struct gs_error *err);
/* Start-up on a socket that is open, until the server is ready. */
bool pg_start(struct pg *p, const struct pg_target *t, struct gs_error *err);

struct pg_rows {
    VEC(const char *) cells; /* row after row; NULL: NULL */
    size_t columns, rows;
    uint64_t changed;
};

/* One statement, all of whose rows are read into the arena. */
bool pg_run(struct pg *p, const char *sql, const char *const *values, size_t n, struct pg_rows *out,
            struct arena *a, struct gs_error *err);

/* Messages as they are written and read. */
void pg_begin(struct str *m, char type, size_t *at); /* type 0: none, as the first message has */
void pg_end(struct str *m, size_t at);
void pg_put_int(struct str *m, uint32_t v);
void pg_put_text(struct str *m, const char *text); /* and its NUL */

struct pg_body {
    const char *at, *end;
    bool bad; /* more was asked for than there is */
};
struct pg_body pg_body_of(const struct str *s);
uint32_t pg_get_int(struct pg_body *b);
const char *pg_get_text(struct pg_body *b); /* to the next NUL; "" where there is none */
const char *pg_get_bytes(struct pg_body *b, uint32_t n); /* NULL where there are fewer */

/* What the server asks for (message 'R') after its code; state between its questions. */
struct pg_auth {
    const char *user, *password;
    bool clear_is_fine;
    enum { AUTH_NONE, AUTH_FIRST, AUTH_PROOF, AUTH_DONE } scram;
    const char *nonce, *first_bare; /* of SCRAM */
    char signature[64];             /* that the server must show, in base64 */
};
/* Answers in `reply` (empty: there is nothing to say); *done: we are in. */
bool pg_auth_answer(struct pg_auth *auth, const struct str *body, struct str *reply, bool *done,
                    struct arena *a, struct gs_error *err);

enum { MD5_BYTES = 16 };
void pg_md5(uint8_t out[MD5_BYTES], const void *data, size_t n); /* RFC 1321; md5.c */

#endif
