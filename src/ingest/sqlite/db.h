/*
 * An SQLite database opened for reading, twice: by libsqlite3 (everything with semantics) and as
 * pages (bulk tables, see scan.h). A read transaction is held while it is open, so both
 * see the same content. Nothing is ever written to the database or beside it; a compressed one is
 * unpacked first (see unpack.h). Nothing in it is run, and nothing takes more than its size
 * explains (see guard.h).
 *
 * Thread-safety: the connection is for one thread; the pages for all.
 */
#ifndef GS_INGEST_SQLITE_DB_H
#define GS_INGEST_SQLITE_DB_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "ingest/sqlite/guard.h"
#include "ingest/sqlite/pages.h"
#include "ingest/sqlite/schema.h"
#include "ingest/unpack.h"

enum { LONGEST_VALUE = 256 * 1024 * 1024 };

/* As --reader names them (run/run_words.h); the last one has no name there. */
enum reader_mode {
    READER_AUTO,
    READER_FAST,
    READER_SQLITE,
    READER_CHECK,
    READER_NAMES, /* of its tables, for a look: no more is unpacked and parsed than that may need */
};

struct db {
    const char *path;
    struct unpacked unpacked; /* its path is the one to open */
    sqlite3 *handle;
    struct overlay *overlay;
    uint64_t bytes; /* of the file */
    /* The same file for each worker; closed last, since closing drops SQLite's locks. */
    int fds[PARALLEL_MAX];
    int n_fds; /* so many are different */
    struct pages pages;
    _Atomic int problem;  /* errno of a read of the file that failed; 0: none has */
    bool can_check;       /* the pages are those SQLite sees */
    const char *not_fast; /* why pages cannot be used for rows, or NULL; a static text */
    struct schema schema;
    struct guard guard;
    uint64_t log_bytes, journal_bytes; /* of the write-ahead log and the journal beside it */
    bool log_left;                     /* a write-ahead log that could not be carried over */
    bool unfinished;                   /* a journal was rolled back or a write-ahead log applied */
    enum reader_mode mode;
    int threads;
    struct progress *progress; /* set by the reader; may be NULL */
    /* What scan_table() did, for the user. */
    unsigned fast_scans, slow_scans;
    const char *slow_reason;
};

/* The arena owns it: it is closed with the arena, at the latest. */
bool db_open(struct db *db, struct arena *owner, const char *path, enum reader_mode mode,
             int threads, struct gs_error *err);
/* The same with the struct, too; NULL when it cannot be opened. */
struct db *db_new(struct arena *a, const char *path, enum reader_mode mode, int threads,
                  struct gs_error *err);
void db_close(struct db *db);

/* Bytes that what is in the database can come from. */
static inline uint64_t db_room(const struct db *db)
{
    return db->bytes + db->log_bytes + db->journal_bytes;
}

/* How its tables were read so far: "fast", "sqlite", or "mixed". */
static inline const char *db_reader(const struct db *db)
{
    return !db->slow_scans ? "fast" : db->fast_scans ? "mixed" : "sqlite";
}

/* GS_E_FORMAT with SQLite's own words. Always false. */
bool db_fail(struct db *db, struct gs_error *err);
/* That the file is damaged, unless it only could not be read. */
bool db_damaged(struct db *db, const char *why, struct gs_error *err);

/*
 * Runs a query for each row: step with sqlite3_step() semantics is hidden.
 *
 *     struct db_query q;
 *     if (!db_query(&q, db, err, "SELECT a, b FROM \"%w\"", table)) return false;
 *     while (db_next(&q))
 *         use(sqlite3_column_int64(q.stmt, 0));
 *     if (!db_done(&q, err)) return false;
 */
struct db_query {
    struct db *db;
    sqlite3_stmt *stmt;
    uint64_t rows; /* so far */
    int rc;
};
bool db_query(struct db_query *q, struct db *db, struct gs_error *err, const char *fmt, ...);
/*
 * The same for columns (NULL behind the last) of a table. Later schemas add columns, odd files lack
 * some: those are NULL, and a table that is not there has no rows. db_columns(): as SQL.
 */
const char *db_columns(struct db *db, const char *table, const char *const *columns,
                       struct arena *arena);
bool db_select(struct db_query *q, struct db *db, const char *table, const char *const *columns,
               struct gs_error *err);
bool db_next(struct db_query *q);
bool db_done(struct db_query *q, struct gs_error *err);

/* Column text or "" ; never NULL. Where the file cannot hold so much, the query ends. */
const char *db_text(struct db_query *q, int column);
/* How many bytes db_text() gave; 0 when it ended the query. */
size_t db_bytes(struct db_query *q, int column);

/* True when a real (not virtual) table of this name exists. */
bool db_has_table(struct db *db, const char *name);
/* True when it has a column that may be read; not one that is computed. */
bool db_has_column(struct db *db, const char *table, const char *column);

#endif
