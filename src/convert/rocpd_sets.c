/*
 * Tables of many sets. CREATE TABLE walks all tables that are there, twice, so hundreds of sets
 * would take time in the square of their number. So only the first set is made that way; the others
 * get empty pages at the end of the file and rows in sqlite_schema that name these as their roots,
 * all that CREATE TABLE would have left.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fs_out.h"
#include "convert/rocpd_writer.h"
#include "model/rocpd_schema.h"

enum { PAGE = 4096, FEW = 16 }; /* the page of rocpd_writer_begin() */

/* A table of the first set, or an index that SQLite made for one. */
struct root {
    const struct rocpd_table *table;
    const char *index; /* "_1"; NULL: the table itself */
};

struct roots {
    VEC(struct root) v;
    int64_t first; /* the page of the first root of the second set */
};

static void create_tables(struct rocpd_writer *w, const struct rocpd_name *name)
{
    for (const struct rocpd_table *t = rocpd_tables; t->name && !w->failed; t++) {
        struct str sql;
        if (!rocpd_in_version(t->name, w->v305))
            continue;
        str_init(&sql, w->arena);
        rocpd_table_sql(&sql, t, name->suffix, name->guid, w->v305);
        rocpd_writer_exec(w, sql.buf);
    }
}

static const char *table_name(struct rocpd_writer *w, const struct rocpd_table *t,
                              const struct rocpd_name *name)
{
    return arena_printf(w->arena, "rocpd_%s%s", rocpd_plain_name(t->name), name->suffix);
}

/* What SQLite made of one set. */
static bool find_roots(struct rocpd_writer *w, const struct rocpd_name *name, struct roots *out)
{
    static const char head[] = "sqlite_autoindex_";
    sqlite3_stmt *st = NULL;
    if (w->failed || sqlite3_prepare_v2(
                         w->db, "SELECT name FROM sqlite_schema WHERE tbl_name = ? ORDER BY rowid",
                         -1, &st, NULL) != SQLITE_OK)
        return !w->failed && rocpd_writer_failed(w, "schema");
    for (const struct rocpd_table *t = rocpd_tables; t->name; t++) {
        if (!rocpd_in_version(t->name, w->v305))
            continue;
        const char *table = table_name(w, t, name);
        sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
        while (sqlite3_step(st) == SQLITE_ROW) {
            const char *found = (const char *)sqlite3_column_text(st, 0);
            size_t n = sizeof(head) - 1 + strlen(table);
            bool index = found && !strncmp(found, head, sizeof(head) - 1) && strlen(found) > n;
            vec_push(&out->v, w->arena,
                     ((struct root){t, index ? arena_strdup(w->arena, found + n) : NULL}));
        }
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    return true;
}

static void put_u32(unsigned char *at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(v >> (24 - 8 * i));
}

/* An empty leaf of a table or an index: https://www.sqlite.org/fileformat2.html, 1.6. */
static bool append_leaves(int fd, const struct roots *r, size_t sets)
{
    unsigned char page[PAGE] = {0};
    page[5] = PAGE >> 8;
    for (size_t i = 0; i < sets; i++)
        for (size_t k = 0; k < r->v.n; k++) {
            page[0] = r->v.v[k].index ? 0x0a : 0x0d;
            if (!fs_write_all(fd, page, sizeof(page)))
                return false;
        }
    return true;
}

/* The number of pages stands in the first one, too. */
static bool append_pages(struct rocpd_writer *w, struct roots *r, size_t sets)
{
    int fd = open(w->out->temp, O_WRONLY | O_CLOEXEC);
    off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    unsigned char count[4];
    put_u32(count, (uint32_t)(end / PAGE + (off_t)(sets * r->v.n)));
    errno = end % PAGE ? EIO : errno;
    bool ok = end > 0 && end % PAGE == 0 && append_leaves(fd, r, sets) &&
              pwrite(fd, count, sizeof(count), 28) == (ssize_t)sizeof(count);
    int error = errno;
    ok = (fd < 0 || close(fd) == 0) && ok;
    r->first = end / PAGE + 1;
    if (!ok)
        w->failed =
            !fail(&w->error, GS_E_IO, "cannot write '%s': %s", w->out->path, strerror(error));
    return ok;
}

struct texts {
    struct str own, table, sql;
};

static bool put_root(struct rocpd_writer *w, sqlite3_stmt *st, struct texts *x,
                     const struct root *r, const struct rocpd_name *name, int64_t page)
{
    str_clear(&x->own);
    str_clear(&x->table);
    str_clear(&x->sql);
    str_printf(&x->table, "rocpd_%s%s", rocpd_plain_name(r->table->name), name->suffix);
    str_printf(&x->own, "%s%s%s", r->index ? "sqlite_autoindex_" : "", x->table.buf,
               r->index ? r->index : "");
    rocpd_table_sql(&x->sql, r->table, name->suffix, name->guid, w->v305);
    sqlite3_bind_text(st, 1, r->index ? "index" : "table", -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 2, x->own.buf, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 3, x->table.buf, -1, SQLITE_STATIC);
    sqlite3_bind_int64(st, 4, page);
    sqlite3_bind_text(st, 5, r->index ? NULL : x->sql.buf, -1, SQLITE_STATIC);
    int rc = sqlite3_step(st);
    sqlite3_reset(st);
    return rc == SQLITE_DONE || rocpd_writer_failed(w, "schema");
}

static bool put_schema(struct rocpd_writer *w, const struct roots *r,
                       const struct rocpd_name *names, size_t n)
{
    sqlite3_stmt *st = NULL;
    if (!rocpd_writer_exec(w, "PRAGMA writable_schema=ON"))
        return false;
    if (sqlite3_prepare_v2(w->db,
                           "INSERT INTO sqlite_schema(type, name, tbl_name, rootpage, sql) "
                           "VALUES(?, ?, ?, ?, ?)",
                           -1, &st, NULL) != SQLITE_OK)
        return rocpd_writer_failed(w, "schema");
    struct texts x;
    str_init(&x.own, w->arena);
    str_init(&x.table, w->arena);
    str_init(&x.sql, w->arena);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        for (size_t k = 0; ok && k < r->v.n; k++)
            ok = put_root(w, st, &x, &r->v.v[k], &names[i], r->first + (int64_t)(i * r->v.n + k));
    sqlite3_finalize(st);
    return ok && rocpd_writer_exec(w, "COMMIT");
}

bool rocpd_writer_prepare(struct rocpd_writer *w, const struct rocpd_name *names, size_t n)
{
    struct roots r = {0};
    if (!w->failed && w->prepared + n > ROCPD_MOST_SETS)
        w->failed = !fail(&w->error, GS_E_USAGE,
                          "cannot write '%s': more than %d sets of tables; 'gpusight convert -f "
                          "rocpd' puts many processes into one",
                          w->out->path, ROCPD_MOST_SETS);
    w->prepared += n;
    for (size_t i = 0; i < n && (i < 1 || n <= FEW); i++)
        create_tables(w, &names[i]);
    if (n <= FEW || w->failed)
        return !w->failed;
    if (!rocpd_writer_exec(w, "COMMIT") || !find_roots(w, names, &r))
        return false;
    rocpd_writer_end(w);
    if (!append_pages(w, &r, n - 1) || !rocpd_writer_begin(w) ||
        !put_schema(w, &r, names + 1, n - 1))
        return false;
    rocpd_writer_end(w); /* the next connection reads the schema anew */
    return rocpd_writer_begin(w);
}
