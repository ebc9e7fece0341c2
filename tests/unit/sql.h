/* Databases written by libsqlite3; a statement that fails is printed and fails the test. */
#ifndef GS_TESTS_SQL_H
#define GS_TESTS_SQL_H

#include <sqlite3.h>

#include "unit.h"

static inline void run_sql(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        print_error("%s\n%s\n", message, sql);
    assert_null(message);
}

/* In that file, which is made where there is none. */
static inline void run_sql_in(const char *file, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    run_sql(db, sql);
    sqlite3_close(db);
}

#endif
