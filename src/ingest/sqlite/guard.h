/*
 * Guard: what SQLite may do with a stranger's database.
 *
 * Nothing the file brings is ever run: no views, virtual tables, triggers or computed columns, and
 * no functions but the few our own queries use. An authorizer lets statements read real
 * tables only (schema.h), each one after its pages were checked (pages_check), and a budget of
 * steps and of time, which grows with the file, ends what takes too long all the same.
 */
#ifndef GS_INGEST_SQLITE_GUARD_H
#define GS_INGEST_SQLITE_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct db;

enum { GUARD_WHY = 192 };

struct guard {
    uint64_t steps_left;
    int64_t time_left_ms;  /* of this thread's CPU */
    struct timespec since; /* when the running statement last reported */
    uint64_t text_left;    /* bytes of the running query */
    char why[GUARD_WHY];   /* what was refused, or "" */
    bool lacks_memory;
};

/* Before the first statement. */
void guard_install(struct db *db);
/* A query begins: it may deliver as much text as the file can hold. */
void guard_query(struct db *db);
/* Takes n bytes of text from the budget; false: that is more than the file can hold. */
bool guard_text(struct db *db, uint64_t n);

/* Whether a query may have an nth row; no table has more than the file has room for. */
bool guard_row(struct db *db, uint64_t n);

#endif
