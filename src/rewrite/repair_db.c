/*
 * Databases of SQLite, page by page: a tree is walked as far as it is there, a page that is missing,
 * damaged or met before costs only what is on it.
 */
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"
#include "ingest/sqlite/pages.h"
#include "rewrite/repair_in.h"

enum { LONGEST_RECORD = 64 << 20, DEEPEST = 40, MOST_FIELDS = 2000 };

struct field_at;

struct salvage {
    struct repaired *r;
    struct pages pages;
    int fd;
    uint8_t *seen; /* by page */
    uint64_t lost_pages, lost_cells, lost_tables;
    uint8_t *record; /* room for one */
    struct field_at *fields;
    sqlite3 *out;
    const char *path;
    struct arena *arena;
    struct gs_error *err;
};

/* A record, put together from its page and what flows over. */
struct cell_bytes {
    int64_t rowid;
    uint8_t *data;
    size_t n;
};

typedef bool cell_fn(struct salvage *s, void *ctx, const struct cell_bytes *c);

static size_t varint(const uint8_t *p, const uint8_t *end, uint64_t *out)
{
    uint64_t v = 0;
    for (size_t i = 0; i < 9 && p + i < end; i++) {
        if (i == 8) {
            *out = v << 8 | p[i];
            return 9;
        }
        v = v << 7 | (p[i] & 0x7f);
        if (!(p[i] & 0x80)) {
            *out = v;
            return i + 1;
        }
    }
    return 0;
}

static uint32_t be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool fetch(struct salvage *s, uint32_t number, uint8_t *buf)
{
    off_t at = (off_t)(number - 1) * s->pages.page_size;
    return number && fs_read_at(s->fd, buf, s->pages.page_size, (uint64_t)at) ==
                         (ptrdiff_t)s->pages.page_size;
}

/* How much of a record is on its own page, by SQLite's file format. */
static size_t local_size(uint64_t n, uint32_t usable)
{
    uint64_t most = usable - 35, least = (usable - 12) * 32 / 255 - 23;
    if (n <= most)
        return (size_t)n;
    uint64_t k = least + (n - least) % (usable - 4);
    return (size_t)(k <= most ? k : least);
}

/* False: it is not whole. */
static bool read_cell(struct salvage *s, const uint8_t *page, uint32_t at, struct cell_bytes *c)
{
    const uint8_t *end = page + s->pages.usable, *p = page + at;
    uint64_t n, rowid;
    size_t k = varint(p, end, &n), m = k ? varint(p + k, end, &rowid) : 0;
    if (!m || n > LONGEST_RECORD)
        return false;
    p += k + m;
    size_t local = local_size(n, s->pages.usable);
    if ((size_t)(end - p) < local)
        return false;
    c->rowid = (int64_t)rowid;
    c->n = (size_t)n;
    memcpy(c->data, p, local);
    if (local == n)
        return true;
    if ((size_t)(end - p) < local + 4)
        return false;
    uint8_t next[65536];
    uint32_t number = be32(p + local);
    for (size_t have = local; have < n; number = be32(next)) {
        size_t part = s->pages.usable - 4;
        if (!fetch(s, number, next))
            return false;
        part = part < n - have ? part : (size_t)n - have;
        memcpy(c->data + have, next + 4, part);
        have += part;
    }
    return true;
}

/* Every record below a page; what cannot be read is counted. */
static bool walk(struct salvage *s, uint32_t number, int depth, cell_fn *fn, void *ctx)
{
    struct arena *temporary = arena_child(s->arena);
    uint8_t *page = arena_alloc(temporary, s->pages.page_size);
    struct tree_page t;
    bool ok = true, there = number && number <= s->pages.n_pages && !s->seen[number] &&
                            depth <= DEEPEST && fetch(s, number, page) &&
                            tree_open(&s->pages, page, number, &t) && !t.is_index;
    s->lost_pages += !there;
    if (there)
        s->seen[number] = 1;
    for (uint32_t i = 0; there && !t.is_leaf && ok && i <= t.n_cells; i++)
        ok = walk(s, tree_child(&t, i), depth + 1, fn, ctx);
    for (uint32_t i = 0; there && t.is_leaf && ok && i < t.n_cells; i++) {
        struct cell_bytes c = {.data = s->record};
        if (read_cell(s, page, tree_cell(&t, i), &c))
            ok = fn(s, ctx, &c);
        else
            s->lost_cells++;
    }
    arena_release(temporary);
    return ok;
}

/* ---- records ---- */

struct field_at {
    uint64_t type;
    const uint8_t *p;
    size_t n;
};

static size_t size_of_type(uint64_t type)
{
    static const uint8_t sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
    return type < sizeof(sizes) ? sizes[type] : (size_t)(type - 12) / 2;
}

/* The fields of a record; 0: it is none. */
static size_t split(const struct cell_bytes *c, struct field_at *out, size_t most)
{
    const uint8_t *end = c->data + c->n;
    uint64_t head;
    size_t k = varint(c->data, end, &head), n = 0;
    if (!k || head > c->n || head < k)
        return 0;
    const uint8_t *type = c->data + k, *types_end = c->data + head, *body = types_end;
    while (type < types_end && n < most) {
        uint64_t t;
        size_t m = varint(type, types_end, &t);
        if (!m || t == 10 || t == 11 || size_of_type(t) > (size_t)(end - body))
            return 0;
        out[n++] = (struct field_at){t, body, size_of_type(t)};
        body += size_of_type(t);
        type += m;
    }
    return n;
}

static int64_t integer_of(const struct field_at *f)
{
    if (f->type == 8 || f->type == 9)
        return (int64_t)f->type - 8;
    uint64_t v = f->n && (f->p[0] & 0x80) ? UINT64_MAX : 0;
    for (size_t i = 0; i < f->n; i++)
        v = v << 8 | f->p[i];
    return (int64_t)v;
}

static void bind(sqlite3_stmt *st, int i, const struct field_at *f)
{
    if (!f->type)
        sqlite3_bind_null(st, i);
    else if (f->type == 7) {
        int64_t bits = integer_of(f);
        double real;
        memcpy(&real, &bits, sizeof(real));
        sqlite3_bind_double(st, i, real);
    } else if (f->type < 10)
        sqlite3_bind_int64(st, i, integer_of(f));
    else if (f->type % 2)
        sqlite3_bind_text(st, i, (const char *)f->p, (int)f->n, SQLITE_STATIC);
    else
        sqlite3_bind_blob(st, i, f->p, (int)f->n, SQLITE_STATIC);
}

/* ---- tables ---- */

/*
 * Functions that checks of a schema may ask for every row: none makes much of little. Others would
 * let the file that is read run what it likes; a table that needs them is not made again.
 */
static bool is_modest(const char *function)
{
    static const char *const known[] = {"json_valid", "json_type", "typeof",  "length",
                                        "abs",        "ifnull",    "coalesce"};
    for (size_t i = 0; function && i < ARRAY_LEN(known); i++)
        if (sqlite3_stricmp(function, known[i]) == 0)
            return true;
    return false;
}

/* What a schema may do to the file that we write: be there. */
static int allow(void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)ctx, (void)a, (void)c, (void)d;
    switch (action) {
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_VIEW:
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_READ:
    case SQLITE_SELECT:
    case SQLITE_TRANSACTION:
    case SQLITE_PRAGMA:
    case SQLITE_CREATE_INDEX: /* those that UNIQUE makes */
    case SQLITE_REINDEX:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return is_modest(b) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

struct lost_table {
    const char *name, *sql, *type;
    uint32_t root;
};

struct table_list {
    VEC(struct lost_table) v;
};

static const char *text_of(const struct field_at *f, struct arena *a)
{
    return f->type >= 13 && f->type % 2 ? arena_strndup(a, (const char *)f->p, f->n) : "";
}

static bool take_schema(struct salvage *s, void *ctx, const struct cell_bytes *c)
{
    struct table_list *list = ctx;
    struct field_at f[5];
    if (split(c, f, 5) < 5)
        return true;
    struct lost_table t = {text_of(&f[1], s->arena), text_of(&f[4], s->arena),
                           text_of(&f[0], s->arena), (uint32_t)integer_of(&f[3])};
    if (str_starts(t.sql, "CREATE TABLE") || str_starts(t.sql, "CREATE VIEW"))
        vec_push(&list->v, s->arena, t);
    return true;
}

struct filling {
    sqlite3_stmt *put;
    int columns, key; /* of the output; the column that is the rowid, or -1 */
    uint64_t rows;
};

static bool take_row(struct salvage *s, void *ctx, const struct cell_bytes *c)
{
    struct filling *f = ctx;
    size_t n = split(c, s->fields, MOST_FIELDS);
    if (!n) {
        s->lost_cells++;
        return true;
    }
    for (int i = 0; i < f->columns; i++) {
        if (i == f->key)
            sqlite3_bind_int64(f->put, i + 1, c->rowid);
        else if ((size_t)i < n)
            bind(f->put, i + 1, &s->fields[i]);
        else
            sqlite3_bind_null(f->put, i + 1);
    }
    int rc = sqlite3_step(f->put);
    sqlite3_reset(f->put);
    if (rc == SQLITE_DONE)
        f->rows++;
    else if ((rc & 0xff) == SQLITE_CONSTRAINT)
        s->lost_cells++;
    else
        return fail(s->err, GS_E_IO, "cannot write '%s': %s", s->path, sqlite3_errmsg(s->out));
    return true;
}

static bool prepare(struct salvage *s, const char *table, struct filling *f)
{
    struct str sql;
    sqlite3_stmt *info;
    int keys = 0;
    *f = (struct filling){.key = -1};
    char *ask = sqlite3_mprintf("SELECT type, pk FROM pragma_table_info(%Q)", table);
    if (sqlite3_prepare_v2(s->out, ask, -1, &info, NULL) == SQLITE_OK)
        for (; sqlite3_step(info) == SQLITE_ROW; f->columns++) {
            const char *type = (const char *)sqlite3_column_text(info, 0);
            if (!sqlite3_column_int(info, 1))
                continue;
            keys++;
            f->key = type && sqlite3_stricmp(type, "INTEGER") == 0 ? f->columns : -1;
        }
    sqlite3_finalize(info);
    sqlite3_free(ask);
    if (keys != 1)
        f->key = -1;
    if (!f->columns || f->columns > MOST_FIELDS)
        return false;
    str_init(&sql, s->arena);
    char *head = sqlite3_mprintf("INSERT OR IGNORE INTO \"%w\" VALUES(", table);
    str_puts(&sql, head ? head : "");
    sqlite3_free(head);
    for (int i = 0; i < f->columns; i++)
        str_puts(&sql, i ? ", ?" : "?");
    str_putc(&sql, ')');
    return sqlite3_prepare_v2(s->out, sql.buf, -1, &f->put, NULL) == SQLITE_OK;
}

static bool save_table(struct salvage *s, const struct lost_table *t)
{
    struct filling f;
    uint64_t pages = s->lost_pages, cells = s->lost_cells;
    if (str_starts(t->name, "sqlite_"))
        return true;
    if (sqlite3_exec(s->out, t->sql, NULL, NULL, NULL) != SQLITE_OK || !prepare(s, t->name, &f)) {
        vec_push(&s->r->notes, s->arena,
                 arena_printf(s->arena, "%s: cannot be made again", t->name));
        s->lost_tables++;
        return true;
    }
    bool ok = walk(s, t->root, 0, take_row, &f);
    sqlite3_finalize(f.put);
    s->r->rows += f.rows;
    s->r->tables++;
    pages = s->lost_pages - pages;
    cells = s->lost_cells - cells;
    if (pages || cells) {
        vec_push(&s->r->notes, s->arena,
                 arena_printf(s->arena,
                              "%s: %" PRIu64 " rows saved; %" PRIu64
                              " pages are missing or damaged, "
                              "%" PRIu64 " rows on others",
                              t->name, f.rows, pages, cells));
    }
    return ok;
}

static bool save_all(struct salvage *s, const struct table_list *list)
{
    for (size_t i = 0; i < list->v.n; i++)
        if (str_eq(list->v.v[i].type, "table") && !save_table(s, &list->v.v[i]))
            return false;
    for (size_t i = 0; i < list->v.n; i++)
        if (str_eq(list->v.v[i].type, "view") &&
            sqlite3_exec(s->out, list->v.v[i].sql, NULL, NULL, NULL) != SQLITE_OK)
            vec_push(
                &s->r->notes, s->arena,
                arena_printf(s->arena, "%s: the view cannot be made again", list->v.v[i].name));
    return true;
}

/* ---- the file ---- */

static bool open_pages(struct salvage *s, const char *path)
{
    uint8_t header[PAGES_HEADER];
    struct stat st;
    s->fd = fs_open(path, s->err);
    if (s->fd < 0)
        return false;
    if (fs_read_at(s->fd, header, sizeof(header), 0) != sizeof(header) || fstat(s->fd, &st) != 0)
        return fail(s->err, GS_E_FORMAT, "nothing to save in '%s': it has no header", path);
    /* Whole pages only: the last one may be cut. */
    uint32_t page = (uint32_t)header[16] << 8 | header[17];
    page = page == 1 ? 65536 : page;
    uint64_t size = page ? (uint64_t)st.st_size / page * page : 0;
    if (!pages_init(&s->pages, header, (size_t)size, &s->fd))
        return fail(s->err, GS_E_FORMAT, "nothing to save in '%s': its header is damaged", path);
    s->seen = arena_alloc(s->arena, (size_t)s->pages.n_pages + 1);
    s->record = arena_alloc(s->arena, LONGEST_RECORD);
    s->fields = arena_array(s->arena, struct field_at, MOST_FIELDS);
    return true;
}

static void close_all(void *salvage)
{
    struct salvage *s = salvage;
    for (sqlite3_stmt *st; s->out && (st = sqlite3_next_stmt(s->out, NULL));)
        sqlite3_finalize(st); /* of what was unwound */
    sqlite3_close(s->out);
    if (s->fd >= 0)
        close(s->fd);
}

bool repair_database(struct repaired *r, const char *path, const char *out, struct fs_set *set,
                     struct arena *arena, struct gs_error *err)
{
    struct salvage *s = arena_new(arena, struct salvage);
    struct table_list list = {0};
    *s = (struct salvage){.r = r, .fd = -1, .path = out, .arena = arena, .err = err};
    arena_defer(arena, close_all, s);
    if (!open_pages(s, path))
        return false;
    struct fs_out *to = fs_set_database(set, out, err);
    if (!to)
        return false;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(to->temp, &s->out, flags, NULL) != SQLITE_OK)
        return fail(err, GS_E_IO, "cannot write '%s': %s", out, sqlite3_errmsg(s->out));
    sqlite3_exec(s->out, "PRAGMA journal_mode=off; PRAGMA synchronous=off; BEGIN", NULL, NULL,
                 NULL);
    sqlite3_set_authorizer(s->out, allow, NULL);
    if (!walk(s, 1, 0, take_schema, &list) || !save_all(s, &list))
        return false;
    if (!r->tables)
        return fail(err, GS_E_FORMAT, "nothing to save in '%s': no table is left of it", path);
    if (sqlite3_exec(s->out, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        return fail(err, GS_E_IO, "cannot write '%s': %s", out, sqlite3_errmsg(s->out));
    r->whole = !s->lost_pages && !s->lost_cells && !s->lost_tables;
    sqlite3_close(s->out);
    s->out = NULL;
    return fs_set_done(set, to, err);
}
