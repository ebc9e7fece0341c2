#include "tables.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/load_paths.h"
#include "harness.h"

enum { MOST_TABLES = 32, MOST_ROWS = 200 };

struct bytes {
    const uint8_t *p;
    size_t n;
};

static uint64_t take(struct bytes *b, unsigned count)
{
    uint64_t v = 0;
    for (; count && b->n; count--, b->n--)
        v = v << 8 | *b->p++;
    return v;
}

static void bind(sqlite3_stmt *st, int column, struct bytes *b, const struct table_words *words)
{
    uint8_t kind = (uint8_t)take(b, 1);
    if (kind < 16)
        sqlite3_bind_null(st, column);
    else if (kind < 160)
        sqlite3_bind_int64(st, column, kind % 16);
    else if (kind < 200)
        sqlite3_bind_int64(st, column, (int64_t)take(b, kind % 8 + 1));
    else if (kind < 210)
        sqlite3_bind_double(st, column, (double)(int64_t)take(b, 8) / 7);
    else if (kind < 240)
        sqlite3_bind_text(st, column, words->v[kind % 8], -1, SQLITE_STATIC);
    else {
        size_t n = take(b, 1);
        n = n < b->n ? n : b->n;
        sqlite3_bind_text(st, column, (const char *)b->p, (int)n, SQLITE_STATIC);
        b->p += n;
        b->n -= n;
    }
}

static sqlite3_stmt *make_table(sqlite3 *db, const struct made_table *t)
{
    sqlite3_stmt *st;
    char sql[512];
    snprintf(sql, sizeof(sql), "CREATE TABLE %s (%s)", t->name, t->columns);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    int len = snprintf(sql, sizeof(sql), "INSERT OR IGNORE INTO %s VALUES (?", t->name);
    for (int c = 1; c < t->n; c++)
        len += snprintf(sql + len, sizeof(sql) - (size_t)len, ",?");
    snprintf(sql + len, sizeof(sql) - (size_t)len, ")");
    must(sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK, "a table of the target");
    return st;
}

static void fill(sqlite3 *db, const struct made_table *tables, size_t n,
                 const struct table_words *words, struct bytes b)
{
    sqlite3_stmt *st[MOST_TABLES];
    must(n <= MOST_TABLES, "room for the tables");
    for (size_t i = 0; i < n; i++)
        st[i] = make_table(db, &tables[i]);
    must(!words->rows || sqlite3_exec(db, words->rows, NULL, NULL, NULL) == SQLITE_OK,
         "the rows that are always there");
    for (int row = 0; b.n && row < MOST_ROWS; row++) {
        size_t t = take(&b, 1) % n;
        for (int c = 1; c <= tables[t].n; c++)
            bind(st[t], c, &b, words);
        sqlite3_step(st[t]);
        sqlite3_reset(st[t]);
    }
    for (size_t i = 0; i < n; i++)
        sqlite3_finalize(st[i]);
}

static char path[64];

static void remove_file(void)
{
    unlink(path);
}

static void write_file(sqlite3 *db)
{
    sqlite3_int64 n = 0;
    unsigned char *image = sqlite3_serialize(db, "main", &n, 0);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(image && fd >= 0 && write(fd, image, (size_t)n) == (ssize_t)n, "the file is written");
    close(fd);
    sqlite3_free(image);
}

void tables_read(const struct made_table *tables, size_t n, const struct table_words *words,
                 const uint8_t *data, size_t size)
{
    sqlite3 *db;
    if (!*path) {
        snprintf(path, sizeof(path), "/tmp/fuzz-tables-%d.db", (int)getpid());
        atexit(remove_file);
    }
    sqlite3_open(":memory:", &db);
    fill(db, tables, n, words, (struct bytes){data, size});
    write_file(db);
    sqlite3_close(db);

    const char *paths[] = {path};
    struct opt_list list = {paths, 1, 1};
    struct ingest_opts o = {.reader = READER_CHECK, .threads = 1};
    struct gs_error err = {0};
    struct trace t;
    trace_init(&t);
    if (load_paths(&t, &list, &o, &err)) {
        must_refer(&t);
    } else {
        must_be_one_line(&err);
        must(!strstr(err.text, "differ"), "the two ways of reading agree");
    }
    trace_release(&t);
}
