/* Arguments: rocpd_arg refers to events, and so do the regions of its set. */
#include "ingest/args.h"

#include <string.h>

#include "base/idindex.h"
#include "base/str.h"
#include "ingest/rocpd/rocpd.h"

struct arg_reader {
    void (*take)(void *ctx, const struct trace_arg_text *a);
    void *ctx;
    const struct trace *t;
    struct db *db;
    const char *suffix;
    uint32_t file;
    struct arena *temporary;
    struct str texts;              /* of the row at hand */
    struct idindex region, marker; /* id -> row, of this set */
    struct idindex event;          /* event id -> row; markers behind the regions */
};

/* Ids and rows on the way to an index. */
struct pairs {
    VEC(int64_t) id;
    VEC(uint32_t) row;
};

static void add_pair(struct pairs *p, int64_t id, uint32_t row, struct arena *a)
{
    vec_push(&p->id, a, id);
    vec_push(&p->row, a, row);
}

/* Of several with one id the last counts. */
static void make_index(struct idindex *x, struct pairs *p, struct arena *a)
{
    for (size_t i = 0, k = p->id.n; i + 1 < k--; i++) {
        int64_t id = p->id.v[i];
        uint32_t row = p->row.v[i];
        p->id.v[i] = p->id.v[k];
        p->row.v[i] = p->row.v[k];
        p->id.v[k] = id;
        p->row.v[k] = row;
    }
    idindex_make(x, p->id.v, p->row.v, p->id.n, a);
}

static uint32_t file_of(const struct trace *t, uint32_t thread)
{
    uint32_t process = thread < t->threads.n ? t->threads.v[thread].process : NO_INDEX;
    return process < t->processes.n ? t->processes.v[process].file : NO_INDEX;
}

static void index_rows(struct arg_reader *r)
{
    const struct trace *t = r->t;
    struct pairs regions = {0}, markers = {0};
    for (size_t i = 0; i < t->regions.n - t->lifted_calls; i++)
        if (file_of(t, t->regions.thread[i]) == r->file)
            add_pair(&regions, t->regions.id[i], (uint32_t)i, r->temporary);
    for (size_t i = 0; i < t->markers.n; i++)
        if (file_of(t, t->markers.thread[i]) == r->file && t->markers.kind[i] != MARKER_INSTANT)
            add_pair(&markers, t->markers.id[i], (uint32_t)i, r->temporary);
    make_index(&r->region, &regions, r->temporary);
    make_index(&r->marker, &markers, r->temporary);
}

static bool read_events(struct arg_reader *r, struct gs_error *err)
{
    struct db_query q;
    struct pairs events = {0};
    const char *table = arena_printf(r->temporary, "rocpd_region%s", r->suffix);
    r->event = (struct idindex){0};
    if (!db_has_table(r->db, table) || !db_has_column(r->db, table, "event_id"))
        return true;
    if (!db_query(&q, r->db, err, "SELECT event_id, id FROM \"%w\" NOT INDEXED", table))
        return false;
    while (db_next(&q)) {
        int64_t id = sqlite3_column_int64(q.stmt, 1);
        uint32_t region = idindex_get(&r->region, id), marker = idindex_get(&r->marker, id);
        if (region == NO_INDEX && marker == NO_INDEX)
            continue;
        add_pair(&events, sqlite3_column_int64(q.stmt, 0),
                 region != NO_INDEX ? region : (uint32_t)r->t->regions.n + marker, r->temporary);
    }
    make_index(&r->event, &events, r->temporary);
    return db_done(&q, err);
}

/* Where a text lies in r->texts: reading one column may change where another one is. */
static size_t text(struct arg_reader *r, struct db_query *q, int column)
{
    size_t at = r->texts.len;
    const char *s = db_text(q, column);
    str_put(&r->texts, s, db_bytes(q, column));
    str_put(&r->texts, "", 1);
    return at;
}

static bool read_args(struct arg_reader *r, struct gs_error *err)
{
    static const char *const columns[] = {"event_id", "position", "type",
                                          "name",     "value",    "extdata"};
    struct db_query q;
    struct str list;
    const char *table = arena_printf(r->temporary, "rocpd_arg%s", r->suffix);
    if (!db_has_table(r->db, table))
        return true;
    str_init(&list, r->temporary);
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        str_printf(&list, ", %s", db_has_column(r->db, table, columns[i]) ? columns[i] : "NULL");
    if (!db_query(&q, r->db, err, "SELECT id%s FROM \"%w\" NOT INDEXED", list.buf, table))
        return false;
    while (db_next(&q)) {
        uint32_t row = idindex_get(&r->event, sqlite3_column_int64(q.stmt, 1));
        if (row == NO_INDEX)
            continue;
        bool marker = row >= r->t->regions.n;
        str_clear(&r->texts);
        size_t type = text(r, &q, 3), name = text(r, &q, 4), value = text(r, &q, 5),
               extdata = text(r, &q, 6);
        const char *texts = r->texts.buf;
        struct trace_arg_text a = {
            .arg = {.id = sqlite3_column_int64(q.stmt, 0),
                    .region = marker ? NO_INDEX : row,
                    .marker = marker ? row - (uint32_t)r->t->regions.n : NO_INDEX,
                    .position = sqlite3_column_int(q.stmt, 2)},
            .type = texts + type,
            .name = texts + name,
            .value = texts + value,
            .extdata = texts + extdata,
        };
        r->take(r->ctx, &a);
    }
    return db_done(&q, err);
}

/* The sets of a file stand in the trace in the order in which they were read. */
static bool read_file(struct arg_reader *r, uint32_t first, struct gs_error *err)
{
    struct suffix_list sets = {0};
    const char *path = r->t->files.v[first].path;
    r->db = db_new(r->temporary, path, READER_AUTO, 1, err);
    if (!r->db)
        return false;
    rocpd_find_sets(r->db, &sets, r->temporary);
    for (size_t i = 0; i < sets.n && first + i < r->t->files.n; i++) {
        if (!str_eq(r->t->files.v[first + i].path, path))
            break;
        r->suffix = sets.v[i];
        r->file = first + (uint32_t)i;
        index_rows(r);
        if (!read_events(r, err) || !read_args(r, err))
            return false;
    }
    return true;
}

static bool may_have(const struct trace *t, uint32_t file)
{
    return t->files.v[file].format == TRACE_ROCPD &&
           (!file || !str_eq(t->files.v[file].path, t->files.v[file - 1].path));
}

bool ingest_has_args(const struct trace *t)
{
    for (uint32_t i = 0; i < t->files.n; i++)
        if (may_have(t, i))
            return true;
    return false;
}

bool ingest_each_arg(const struct trace *t, void (*take)(void *ctx, const struct trace_arg_text *a),
                     void *ctx, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    bool ok = true;
    for (uint32_t i = 0; ok && i < t->files.n; i++) {
        struct arg_reader r = {.take = take, .ctx = ctx, .t = t};
        if (!may_have(t, i))
            continue;
        r.temporary = arena_child(temporary);
        str_init(&r.texts, r.temporary);
        ok = read_file(&r, i, err) || wrap(err, "cannot read '%s'", t->files.v[i].path);
        arena_release(r.temporary);
    }
    arena_release(temporary);
    return ok;
}

struct listed {
    struct trace_args *out;
    struct arena *arena;
};

static void list_one(void *ctx, const struct trace_arg_text *a)
{
    struct listed *l = ctx;
    struct trace_arg row = a->arg;
    row.type = strings_add(&l->out->strings, a->type);
    row.name = strings_add(&l->out->strings, a->name);
    row.value = strings_add(&l->out->strings, a->value);
    row.extdata = strings_add(&l->out->strings, a->extdata);
    vec_push(&l->out->v, l->arena, row);
}

bool ingest_args(struct trace_args *out, const struct trace *t, struct arena *a,
                 struct gs_error *err)
{
    strings_init(&out->strings, a);
    return ingest_each_arg(t, list_one, &(struct listed){out, a}, err);
}
