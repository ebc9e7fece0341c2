/*
 * A database of a fleet: a file of SQLite, or a server of PostgreSQL.
 *
 *     struct fleet *f = fleet_open("fleet.db", FLEET_WRITE, arena, err);
 *     fleet_run(f, "DELETE FROM gpusight_run WHERE run = $1", values, 1, NULL, NULL, NULL, err);
 *
 * The same statements go to both; values are always parameters, never part of the text. Texts are
 * made valid UTF-8 first. A database that is not one of ours is refused before anything is written
 * to it, and so is one of a later version.
 *
 * An address ("postgresql://...") is the only thing that makes this talk to the network. It must be
 * opened before the command goes into its box. The password comes from the address, PGPASSWORD or
 * .pgpass; no error and no output shows it.
 *
 * Thread-safety: one thread.
 */
#ifndef GS_FLEET_STORE_H
#define GS_FLEET_STORE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum fleet_mode { FLEET_READ, FLEET_WRITE };

enum fleet_kind { FLEET_NULL, FLEET_INT, FLEET_REAL, FLEET_TEXT };

struct fleet_value {
    enum fleet_kind kind;
    int64_t number;
    double real;
    const char *text;
};

static inline struct fleet_value fleet_int(int64_t v)
{
    return (struct fleet_value){.kind = FLEET_INT, .number = v};
}

static inline struct fleet_value fleet_count(uint64_t v)
{
    return fleet_int(v > INT64_MAX ? INT64_MAX : (int64_t)v);
}

static inline struct fleet_value fleet_real(double v) /* NaN and infinities: NULL */
{
    bool finite = v - v == 0;
    return (struct fleet_value){.kind = finite ? FLEET_REAL : FLEET_NULL, .real = v};
}

static inline struct fleet_value fleet_text(const char *v) /* NULL: NULL */
{
    return (struct fleet_value){.kind = v ? FLEET_TEXT : FLEET_NULL, .text = v};
}

/* A row: texts, NULL for NULL. False ends the query. */
typedef bool fleet_taker(void *ctx, const char *const *columns, int n);

struct fleet;

bool fleet_is_address(const char *place); /* of a server, not a file */

/* The database is closed with the arena. */
struct fleet *fleet_open(const char *place, enum fleet_mode mode, struct arena *a,
                         struct gs_error *err);

/* One statement. `take` and `changed` (rows that it changed) may be NULL. */
bool fleet_run(struct fleet *f, const char *sql, const struct fleet_value *v, size_t n,
               fleet_taker *take, void *ctx, uint64_t *changed, struct gs_error *err);

bool fleet_begin(struct fleet *f, struct gs_error *err);
bool fleet_commit(struct fleet *f, struct gs_error *err);
void fleet_rollback(struct fleet *f);

/* Where it is, without a password. */
const char *fleet_place(const struct fleet *f);

/* The password in an address becomes "***": in a copy, or where it stands (argv). */
const char *fleet_mask(const char *place, struct arena *a);
void fleet_mask_here(char *place);

/* ---- behind it ---- */

/* PostgreSQL: a lock of the transaction, by a number that is ours. */
#define FLEET_ALONE "SELECT pg_advisory_xact_lock(1196641127)"

struct fleet_backend {
    const char *begin;     /* for transactions that write */
    const char *alone;     /* then: until the end, no other one that says this; NULL: by itself */
    bool has_to_timestamp; /* PostgreSQL's word for a time; else SQLite's */
    bool (*run)(void *db, const char *sql, const struct fleet_value *v, size_t n, fleet_taker *take,
                void *ctx, uint64_t *changed, struct gs_error *err);
};

struct fleet {
    const struct fleet_backend *backend;
    void *db;
    const char *place;
    struct arena *arena;
};

bool fleet_open_sqlite(struct fleet *f, const char *path, enum fleet_mode mode,
                       struct gs_error *err);
bool fleet_open_postgresql(struct fleet *f, const char *address, struct gs_error *err);

/* Makes the tables where there are none, and checks their version: schema.c. */
bool fleet_schema(struct fleet *f, enum fleet_mode mode, struct gs_error *err);

#endif
