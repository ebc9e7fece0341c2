/*
 * Focus: the names of a database's tables. Taken from the pages they are those that libsqlite3
 * tells, in its order; and nothing is parsed for them.
 */
#define _GNU_SOURCE /* nftw */
#include "unit.h"

#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "ingest/sqlite/db.h"
#include "scratch.h"
#include "sql.h"

static void make(const char *sql)
{
    unlink(path);
    run_sql_in(path, sql);
}

/* "a:2 b:3 ": a table and its page; NULL where it cannot be opened. */
static const char *names(enum reader_mode mode, struct arena *a, bool *parsed)
{
    struct gs_error err = {0};
    struct str out;
    int used = 0, most = 0;
    str_init(&out, a);
    struct db *db = db_new(a, path, mode, 1, &err);
    if (!db)
        return NULL;
    for (size_t i = 0; i < db->schema.n; i++)
        str_printf(&out, "%s:%u ", db->schema.v[i].name, db->schema.v[i].root);
    sqlite3_db_status(db->handle, SQLITE_DBSTATUS_SCHEMA_USED, &used, &most, 0);
    *parsed = used > 0;
    return out.buf;
}

static size_t expect_same(bool from_pages)
{
    struct arena a = {0};
    bool parsed;
    const char *all = names(READER_SQLITE, &a, &parsed);
    assert_non_null(all);
    assert_true(parsed);
    const char *quick = names(READER_NAMES, &a, &parsed);
    assert_non_null(quick);
    assert_string_equal(quick, all);
    assert_int_equal(parsed, !from_pages);
    size_t n = 0;
    for (const char *p = all; (p = strchr(p, ' ')); p++)
        n++;
    arena_release(&a);
    return n;
}

static void names_are_read_without_a_parser(void **state)
{
    (void)state;
    make("CREATE TABLE a (x); CREATE TABLE \"b.b\" (y); CREATE INDEX i ON a (x);"
         "CREATE VIEW v AS SELECT x FROM a; CREATE TABLE c (z INTEGER PRIMARY KEY AUTOINCREMENT)");
    assert_int_equal(expect_same(true), 4); /* and sqlite_sequence */
}

/* On several pages, and some behind others that were dropped. */
static void many_tables_are_read(void **state)
{
    (void)state;
    struct arena a = {0};
    for (unsigned size = 512; size <= 65536; size *= 2) {
        struct str sql;
        str_init(&sql, &a);
        str_printf(&sql, "PRAGMA page_size=%u;", size);
        for (int i = 0; i < 300; i++)
            str_printf(&sql, "CREATE TABLE t%d (x, y%d);", i, i);
        str_puts(&sql, "DROP TABLE t7; DROP TABLE t70; CREATE TABLE t7 (z)");
        make(sql.buf);
        assert_int_equal(expect_same(true), 299);
    }
    arena_release(&a);
}

/* A statement longer than a page is on others; of small pages not even its beginning may be there. */
static void long_statements_are_read(void **state)
{
    (void)state;
    struct arena a = {0};
    for (unsigned columns = 20; columns < 600; columns += 7) {
        struct str sql;
        str_init(&sql, &a);
        str_puts(&sql, "PRAGMA page_size=4096; CREATE TABLE first (x); CREATE TABLE wide (x0");
        for (unsigned i = 1; i < columns; i++)
            str_printf(&sql, ", x%u", i);
        str_puts(&sql, "); CREATE TABLE last (x)");
        make(sql.buf);
        assert_int_equal(expect_same(true), 3);
        memcpy(strstr(sql.buf, "4096"), " 512", 4);
        make(sql.buf);
        struct arena other = {0};
        bool parsed;
        const char *quick = names(READER_NAMES, &other, &parsed);
        assert_non_null(quick);
        assert_int_equal(expect_same(!parsed), 3);
        arena_release(&other);
    }
    arena_release(&a);
}

static void what_only_sqlite_can_tell_is_asked(void **state)
{
    (void)state;
    make("PRAGMA encoding='UTF-16'; CREATE TABLE a (x); CREATE TABLE b (x)");
    assert_int_equal(expect_same(false), 2);
    make("CREATE TABLE a (x); CREATE TABLE b (x); CREATE TABLE c (x); PRAGMA writable_schema=ON;"
         "UPDATE sqlite_schema SET rootpage='3' WHERE name='a';"
         "UPDATE sqlite_schema SET rootpage=CAST(rootpage AS REAL) + 0.5 WHERE name='b'");
    struct arena a = {0};
    bool parsed;
    const char *all = names(READER_SQLITE, &a, &parsed);
    const char *quick = names(READER_NAMES, &a, &parsed);
    assert_true(all ? quick && str_eq(all, quick) : !quick);
    arena_release(&a);
}

static void two_tables_with_one_page_have_none(void **state)
{
    (void)state;
    make(
        "CREATE TABLE a (x); CREATE TABLE b (x); CREATE TABLE c (x); PRAGMA writable_schema=ON;"
        "UPDATE sqlite_schema SET rootpage=2, sql='CREATE  TABLE c(x)' WHERE name='c';"
        "INSERT INTO sqlite_schema VALUES ('table', 'v', 'v', 4, 'CREATE VIRTUAL TABLE v USING w'),"
        "('table', 'n', 'n', 0, 'CREATE TABLE n (x)'), ('view', 'w', 'w', 5, 'CREATE TABLE w (x)')");
    struct arena a = {0};
    bool parsed;
    assert_string_equal(names(READER_NAMES, &a, &parsed), "a:0 b:3 c:0 ");
    assert_false(parsed);
    arena_release(&a);
}

/* Whoever loads it is told. */
static void a_broken_statement_is_not_met_by_a_look(void **state)
{
    (void)state;
    make("CREATE TABLE a (x); PRAGMA writable_schema=ON;"
         "UPDATE sqlite_schema SET sql='CREATE TABLE a ((('");
    struct arena a = {0};
    bool parsed;
    assert_string_equal(names(READER_NAMES, &a, &parsed), "a:2 ");
    assert_null(names(READER_AUTO, &a, &parsed));
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(names_are_read_without_a_parser),
        unit_test(many_tables_are_read),
        unit_test(long_statements_are_read),
        unit_test(what_only_sqlite_can_tell_is_asked),
        unit_test(two_tables_with_one_page_have_none),
        unit_test(a_broken_statement_is_not_met_by_a_look),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
