/*
 * Schema: the tables of a database, read once. Where only their names are wanted (READER_NAMES), they come
 * from the pages, so that SQLite parses the schema of a file when it is loaded and not when it is looked at;
 * then no table has columns.
 *
 * Only real tables count: what is a view, a virtual table, or calls itself a table in the
 * schema without being one does not exist here, and SQLite is kept from reading it (guard.h).
 *
 * Thread-safety: belongs to the thread of the connection.
 */
#ifndef GS_INGEST_SQLITE_SCHEMA_H
#define GS_INGEST_SQLITE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"

struct db;

struct db_column {
    const char *name;
    uint32_t position; /* among all columns */
    bool is_key;       /* the first of the primary key, declared INTEGER */
    bool is_computed;  /* generated: reading it would run an expression of the file */
};

struct db_table {
    const char *name;
    uint32_t root; /* page; 0: two tables claim it */
    bool is_checked;
    uint64_t rows; /* once it is checked */
    struct db_column *columns;
    size_t n_columns;
    bool has_columns; /* they have been read */
};

struct schema {
    struct db_table *v; /* in the order of the file */
    size_t n, cap;
    struct idmap by_name; /* hash -> table; */
    struct arena arena;
    bool is_loaded;
};

bool schema_load(struct db *db, struct gs_error *err);
void schema_release(struct schema *s);

/* NULL where there is none. */
struct db_table *schema_table(struct schema *s, const char *name);

/* A table with its columns, or NULL where there is no such table or an error is in err. */
struct db_table *schema_columns(struct db *db, const char *name, struct gs_error *err);

/* A column that may be read (not a computed one), whatever its case, or NULL. */
const struct db_column *schema_column(const struct db_table *t, const char *name);

#endif
