/*
 * Fuzzing databases by what is in them: the bytes are a program of changes to sound files, rocpd
 * and Nsight Systems: values, rows, columns and tables, views and virtual tables in place of
 * tables, and pages. Bytes as a file (fuzz_rocpd) hardly ever change more than one of these.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/load_paths.h"
#include "bytes.h"
#include "everything.h"
#include "harness.h"
#include "seed_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_STEPS = 24, MOST_TABLES = 64, SEEDS = 2 };

static struct seed {
    unsigned char *image;
    size_t n, tables;
    char *table[MOST_TABLES];
} seeds[SEEDS];

static void read_seed(struct seed *s, const char *path)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    sqlite3_int64 n;
    must(sqlite3_open(path, &db) == SQLITE_OK, "seed opens");
    must(sqlite3_prepare_v2(db,
                            "SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE "
                            "'sqlite%' ORDER BY name",
                            -1, &st, NULL) == SQLITE_OK,
         "seed has tables");
    while (sqlite3_step(st) == SQLITE_ROW && s->tables < MOST_TABLES)
        s->table[s->tables++] = strdup((const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    s->image = sqlite3_serialize(db, "main", &n, 0);
    s->n = (size_t)n;
    sqlite3_close(db);
    unlink(path);
    must(s->image && s->tables, "seed is read");
}

static void make_seeds(void)
{
    char path[64];
    snprintf(path, sizeof(path), "/tmp/gpusight-fuzz-%d.db", (int)getpid());
    must(write_rocpd(path), "rocpd is written");
    read_seed(&seeds[0], path);
    must(write_nsys(path), "export is written");
    read_seed(&seeds[1], path);
}

static const char *value(struct bytes *b)
{
    static const char *const values[] = {"0",
                                         "1",
                                         "-1",
                                         "NULL",
                                         "9223372036854775807",
                                         "-9223372036854775807-1",
                                         "4611686018427387904",
                                         "1e300",
                                         "''",
                                         "'x'",
                                         "zeroblob(9)",
                                         "x'00ff'",
                                         "4294967296",
                                         "2147483648",
                                         "rowid",
                                         "-rowid",
                                         "1000000000000000000",
                                         "'_Z1fIiEv1cI1aIRT_1bIiEEE'",
                                         "'<script>'",
                                         "char(27)||'[31m'",
                                         "printf('%.*c',70000,'A')",
                                         "'{\"a\":['",
                                         "255",
                                         "65536"};
    return values[take(b) % ARRAY_LEN(values)];
}

/* The name of a column of a table, in quotes; "id" where there is none of that number. */
static void column(char *out, size_t n, sqlite3 *db, const char *table, unsigned number)
{
    sqlite3_stmt *st;
    char *sql = sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q)", table);
    unsigned count = 0;
    snprintf(out, n, "\"id\"");
    for (int pass = 0; pass < 2; pass++) {
        if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
            break;
        for (unsigned i = 0; sqlite3_step(st) == SQLITE_ROW; i++)
            if (!pass)
                count++;
            else if (i == number % count)
                snprintf(out, n, "\"%s\"", (const char *)sqlite3_column_text(st, 0));
        sqlite3_finalize(st);
        if (!count)
            break;
    }
    sqlite3_free(sql);
}

static void step(sqlite3 *db, const struct seed *s, struct bytes *b)
{
    const char *table = s->table[take(b) % s->tables];
    char c[200], d[200], *sql = NULL;
    uint8_t kind = take(b) % 16, every = (uint8_t)(take(b) % 7 + 1);
    column(c, sizeof(c), db, table, take(b));
    column(d, sizeof(d), db, table, take(b));
    if (kind < 7)
        sql = sqlite3_mprintf("UPDATE OR REPLACE \"%w\" SET %s=%s WHERE rowid%%%d=0", table, c,
                              value(b), every);
    else if (kind < 9)
        sql = sqlite3_mprintf("UPDATE OR REPLACE \"%w\" SET %s=%s WHERE rowid%%%d=0", table, c, d,
                              every);
    else if (kind == 9)
        sql = sqlite3_mprintf("DELETE FROM \"%w\" WHERE rowid%%%d=0", table, every);
    else if (kind == 10)
        sql = sqlite3_mprintf("ALTER TABLE \"%w\" DROP COLUMN %s", table, c);
    else if (kind == 11)
        sql = sqlite3_mprintf("DROP TABLE \"%w\"", table);
    else if (kind == 12)
        sql = sqlite3_mprintf(
            "DROP TABLE \"%w\"; CREATE VIEW \"%w\" AS WITH RECURSIVE q(x) AS "
            "(VALUES(1) UNION ALL SELECT x+1 FROM q) SELECT x AS %s, x AS %s FROM q",
            table, table, c, d);
    else if (kind == 13)
        sql = sqlite3_mprintf(
            "CREATE VIEW IF NOT EXISTS evil AS WITH RECURSIVE q(x) AS (VALUES(1) UNION ALL SELECT "
            "x+1 FROM q) SELECT x AS rowid, x AS docid, x AS %s, x AS %s FROM q; DROP TABLE "
            "\"%w\"; "
            "PRAGMA writable_schema=ON; INSERT INTO sqlite_master VALUES('table',%Q,%Q,3,'CREATE "
            "VIRTUAL TABLE \"%w\" USING fts4(content=\"evil\", %s, %s)')",
            c, d, table, table, table, table, c, d);
    else if (kind == 14)
        sql = sqlite3_mprintf("CREATE INDEX \"i%d\" ON \"%w\"(%s, %s)", every, table, c, d);
    else
        sql = sqlite3_mprintf("ALTER TABLE \"%w\" RENAME COLUMN %s TO \"x%d\"", table, c, every);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
}

/* Pages over others, a byte of a header, a pointer. */
static void change_pages(unsigned char *image, size_t n, struct bytes *b)
{
    enum { PAGE = 512 };
    size_t pages = n / PAGE;
    for (int left = take(b) % 4; left && pages; left--) {
        unsigned char *page = image + (take(b) | (size_t)take(b) << 8) % pages * PAGE;
        unsigned char *other = image + (take(b) | (size_t)take(b) << 8) % pages * PAGE;
        uint8_t kind = take(b);
        if (kind < 80)
            memmove(page, other, PAGE);
        else if (kind < 160)
            page[kind % 16] = take(b);
        else
            memcpy(page + 8 + kind % 64 * 4, (uint8_t[]){0, 0, take(b), take(b)}, 4);
    }
}

/* A change that reads an endless view ends: what is tried is our reader, not SQLite's writer. */
static int enough(void *left)
{
    return --*(int *)left < 0;
}

static unsigned char *changed(const struct seed *s, struct bytes *b, size_t *n)
{
    sqlite3 *db = NULL;
    sqlite3_int64 size;
    unsigned char *copy = sqlite3_malloc64(s->n);
    must(copy && sqlite3_open(":memory:", &db) == SQLITE_OK, "memory for a database");
    memcpy(copy, s->image, s->n);
    must(sqlite3_deserialize(db, "main", copy, (sqlite3_int64)s->n, (sqlite3_int64)s->n,
                             SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) ==
             SQLITE_OK,
         "seed is a database");
    sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    for (int i = take(b) % MOST_STEPS; i && b->n; i--) {
        int left = 100;
        sqlite3_progress_handler(db, 1000, enough, &left);
        step(db, s, b);
    }
    sqlite3_progress_handler(db, 0, NULL, NULL);
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    unsigned char *image = sqlite3_serialize(db, "main", &size, 0);
    sqlite3_close(db);
    *n = image ? (size_t)size : 0;
    return image;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!seeds[0].image)
        make_seeds();
    struct bytes b = {data, size};
    const struct seed *s = &seeds[take(&b) % SEEDS];
    size_t n;
    unsigned char *image = changed(s, &b, &n);
    if (!image)
        return 0;
    change_pages(image, n, &b);
    const char *paths[] = {as_file(image, n)};
    sqlite3_free(image);
    struct opt_list list = {paths, 1, 1};
    struct ingest_opts o = {.reader = READER_CHECK, .threads = 1};
    struct gs_error err = {0};
    struct trace t;
    trace_init(&t);
    if (load_paths(&t, &list, &o, &err)) {
        must_refer(&t);
        everything(&t, (enum everything_part)(size % (SHOW_ALL + 1)));
    } else {
        must_be_one_line(&err);
        must(!strstr(err.text, "reader differ at"), err.text);
    }
    trace_release(&t);
    return 0;
}
