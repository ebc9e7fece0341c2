#include "convert/rocpd_writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/spill.h"
#include "model/rocpd_schema.h"

/* {u} is the suffix; a line that starts with '@' belongs to schema 3.0.5. */
static const char *const statements[ROCPD_INSERTS] = {
    [ROCPD_INS_STRING] = "\"rocpd_string{u}\"(id, string) VALUES(?, ?)",
    [ROCPD_INS_NODE] = "\"rocpd_info_node{u}\"(id, hash, machine_id, system_name, hostname) "
                       "VALUES(?, ?, ?, ?, ?)",
    [ROCPD_INS_PROCESS] =
        "\"rocpd_info_process{u}\"(id, nid, ppid, pid, init, fini, start, end, command, "
        "environment) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?5, ?6, ?7, ?8)",
    [ROCPD_INS_THREAD] =
        "\"rocpd_info_thread{u}\"(id, nid, ppid, pid, tid, name) VALUES(?, ?, ?, ?, ?, ?)",
    [ROCPD_INS_AGENT] =
        "\"rocpd_info_agent{u}\"(id, nid, pid, type, absolute_index, logical_index, type_index, "
        "uuid, name, model_name, vendor_name, product_name, user_name, extdata) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, ?10, ?9, ?9, ?11)",
    [ROCPD_INS_QUEUE] =
        "\"rocpd_info_queue{u}\"(id, nid, pid, name, extdata) VALUES(?, ?, ?, ?, ?)",
    [ROCPD_INS_STREAM] =
        "\"rocpd_info_stream{u}\"(id, nid, pid, name, extdata) VALUES(?, ?, ?, ?, ?)",
    [ROCPD_INS_PMC_INFO] =
        "\"rocpd_info_pmc{u}\"(id, nid, pid, agent_id, target_arch, name, symbol, description, "
        "component, units, value_type, block, expression, is_constant, is_derived) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8, ?9, 'ABS', ?10, ?11, 0, ?12)",
    [ROCPD_INS_CODE_OBJECT] =
        "\"rocpd_info_code_object{u}\"(id, nid, pid, agent_id, uri) VALUES(?, ?, ?, ?, ?)",
    [ROCPD_INS_SYMBOL] =
        "\"rocpd_info_kernel_symbol{u}\"(id, nid, pid, code_object_id, kernel_name, display_name, "
        "group_segment_size, private_segment_size, sgpr_count, arch_vgpr_count, accum_vgpr_count, "
        "extdata) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ROCPD_INS_TRACK] = "\"rocpd_track{u}\"(id, nid, pid, tid, name_id) VALUES(?, ?, ?, ?, ?)",
    [ROCPD_INS_EVENT] =
        "\"rocpd_event{u}\"(id, category_id, stack_id, parent_stack_id, correlation_id) "
        "VALUES(?1, ?2, ?3, ?4, 0)",
    [ROCPD_INS_EVENT_EXT] =
        "\"rocpd_event{u}\"(id, category_id, stack_id, parent_stack_id, correlation_id, extdata) "
        "VALUES(?1, ?2, ?3, ?4, 0, ?5)",
    [ROCPD_INS_REGION] = "\"rocpd_region{u}\"(id, nid, pid, tid, start, end, name_id, event_id) "
                         "VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
    [ROCPD_INS_SAMPLE] =
        "\"rocpd_sample{u}\"(id, track_id, timestamp, event_id) VALUES(?, ?, ?, ?)",
    [ROCPD_INS_ARG] = "\"rocpd_arg{u}\"(id, event_id, position, type, name, value, extdata) "
                      "VALUES(?, ?, ?, ?, ?, ?, ?)",
    [ROCPD_INS_KERNEL] =
        "\"rocpd_kernel_dispatch{u}\"(id, nid, pid, tid, agent_id, kernel_id, dispatch_id, "
        "queue_id, stream_id, start, end, private_segment_size, group_segment_size, "
        "workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, "
        "grid_size_z, region_name_id, event_id\n@, graph_exec_id, graph_node_id\n) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
        "?19, ?20, ?21\n@, ?22, ?23\n)",
    [ROCPD_INS_COPY] =
        "\"rocpd_memory_copy{u}\"(id, nid, pid, tid, start, end, name_id, dst_agent_id, "
        "src_agent_id, size, stream_id, event_id) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ROCPD_INS_ALLOC] =
        "\"rocpd_memory_allocate{u}\"(id, nid, pid, tid, agent_id, type, level, start, end, "
        "address, size, queue_id, stream_id, event_id) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?)",
    [ROCPD_INS_PMC] = "\"rocpd_pmc_event{u}\"(id, event_id, pmc_id, value\n@, xcc, shader_engine, "
                      "instance\n) VALUES(?1, ?2, ?3, ?4\n@, ?5, ?6, ?7\n)",
};

bool rocpd_writer_failed(struct rocpd_writer *w, const char *what)
{
    int code = sqlite3_errcode(w->db);
    if (!w->failed)
        fail(&w->error, code == SQLITE_CONSTRAINT || code == SQLITE_TOOBIG ? GS_E_FORMAT : GS_E_IO,
             "cannot write '%s': %s: %s", w->out->path, what, sqlite3_errmsg(w->db));
    if (code == SQLITE_FULL || (code & 0xff) == SQLITE_IOERR)
        w->error.code = GS_E_IO;
    w->failed = true;
    return false;
}

bool rocpd_writer_exec(struct rocpd_writer *w, const char *sql)
{
    return !w->failed && (sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
                          rocpd_writer_failed(w, "schema"));
}

void rocpd_writer_end(struct rocpd_writer *w)
{
    for (size_t i = 0; i < w->sets.n; i++)
        for (int k = 0; k < ROCPD_INSERTS; k++) {
            sqlite3_finalize(w->sets.v[i]->insert[k]);
            w->sets.v[i]->insert[k] = NULL;
        }
    for (sqlite3_stmt *st; w->db && (st = sqlite3_next_stmt(w->db, NULL));)
        sqlite3_finalize(st); /* of others, that were unwound */
    sqlite3_close(w->db);
    w->db = NULL;
}

static void close_db(void *writer)
{
    rocpd_writer_end(writer);
}

/* In KiB. */
static unsigned cache_size(void)
{
    enum { USUAL = 64 << 10, PART = 16 };
    uint64_t bound = spill_bound();
    return bound && bound / PART < (uint64_t)USUAL << 10 ? (unsigned)(bound / PART >> 10) : USUAL;
}

bool rocpd_writer_begin(struct rocpd_writer *w)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (!w->failed && sqlite3_open_v2(w->out->temp, &w->db, flags, NULL) != SQLITE_OK)
        w->failed =
            !fail(&w->error, GS_E_IO, "cannot write '%s': %s", w->out->path, sqlite3_errmsg(w->db));
    return rocpd_writer_exec(
        w, arena_printf(w->arena,
                        "PRAGMA page_size=4096; PRAGMA auto_vacuum=none; PRAGMA journal_mode=off; "
                        "PRAGMA synchronous=off; PRAGMA locking_mode=exclusive; "
                        "PRAGMA cache_size=-%u; BEGIN",
                        cache_size()));
}

struct rocpd_writer *rocpd_writer_open(struct fs_set *set, const char *path, bool v305,
                                       struct arena *a, struct gs_error *err)
{
    struct rocpd_writer *w = arena_new(a, struct rocpd_writer);
    *w = (struct rocpd_writer){.arena = a, .set = set, .v305 = v305};
    w->out = fs_set_database(set, path, err);
    if (!w->out)
        return NULL;
    arena_defer(a, close_db, w);
    if (rocpd_writer_begin(w))
        return w;
    *err = w->error;
    return NULL;
}

static void put_metadata(struct rocpd_set *s, const char *tag, const char *value)
{
    rocpd_writer_exec(
        s->w,
        arena_printf(s->w->arena, "INSERT INTO \"rocpd_metadata%s\"(tag, value) VALUES('%s', '%s')",
                     s->suffix, tag, value));
}

struct rocpd_set *rocpd_writer_set_empty(struct rocpd_writer *w, const char *guid,
                                         const char *suffix)
{
    struct rocpd_set *s = arena_new(w->arena, struct rocpd_set);
    *s = (struct rocpd_set){.w = w, .guid = guid, .suffix = suffix};
    idmap_init(&s->strings, w->arena);
    vec_push(&w->sets, w->arena, s);
    if (w->sets.n > w->prepared)
        rocpd_writer_prepare(w, &(struct rocpd_name){guid, suffix}, 1);
    return s;
}

const char *rocpd_suffix(const char *guid, struct arena *a)
{
    char *suffix = arena_printf(a, "_%s", guid);
    for (char *c = suffix; *c; c++)
        if (*c == '-')
            *c = '_';
    return suffix;
}

struct rocpd_set *rocpd_writer_set(struct rocpd_writer *w, const char *guid)
{
    const char *suffix = rocpd_suffix(guid, w->arena);
    struct rocpd_set *s = rocpd_writer_set_empty(w, guid, suffix);
    put_metadata(s, "schema_version", w->v305 ? "3.0.5" : "3");
    put_metadata(s, "schema_version_major", "3");
    put_metadata(s, "schema_version_minor", "0");
    put_metadata(s, "schema_version_patch", w->v305 ? "5" : "0");
    put_metadata(s, "uuid", suffix);
    put_metadata(s, "guid", guid);
    rocpd_string(s, ""); /* AMD's files have it first */
    return s;
}

/* ---- rows ---- */

static sqlite3_stmt *statement(struct rocpd_set *s, enum rocpd_insert which)
{
    struct rocpd_writer *w = s->w;
    if (s->insert[which] || w->failed)
        return w->failed ? NULL : s->insert[which];
    struct str sql;
    str_init(&sql, w->arena);
    str_puts(&sql, "INSERT INTO ");
    rocpd_expand(&sql, statements[which], s->suffix, s->guid, w->v305);
    if (sqlite3_prepare_v3(w->db, sql.buf, -1, SQLITE_PREPARE_PERSISTENT, &s->insert[which],
                           NULL) != SQLITE_OK)
        rocpd_writer_failed(w, sql.buf);
    return s->insert[which];
}

static bool step(struct rocpd_set *s, sqlite3_stmt *st)
{
    int rc = sqlite3_step(st);
    sqlite3_reset(st);
    if (rc == SQLITE_CONSTRAINT)
        return false;
    return rc == SQLITE_DONE || rocpd_writer_failed(s->w, "row");
}

static void bind_int(sqlite3_stmt *st, int i, int64_t v)
{
    if (v == ROCPD_NULL)
        sqlite3_bind_null(st, i);
    else
        sqlite3_bind_int64(st, i, v);
}

bool rocpd_run(struct rocpd_set *s, enum rocpd_insert which, const char *form, ...)
{
    sqlite3_stmt *st = statement(s, which);
    if (!st)
        return false;
    va_list ap;
    va_start(ap, form);
    for (int i = 1; *form; form++, i++) {
        if (*form == 'i')
            bind_int(st, i, va_arg(ap, int64_t));
        else if (*form == 's')
            sqlite3_bind_text(st, i, va_arg(ap, const char *), -1, SQLITE_STATIC);
        else
            sqlite3_bind_double(st, i, va_arg(ap, double));
    }
    va_end(ap);
    return step(s, st);
}

bool rocpd_run_ints(struct rocpd_set *s, enum rocpd_insert which, const int64_t *values, int n)
{
    sqlite3_stmt *st = statement(s, which);
    if (!st)
        return false;
    for (int i = 0; i < n; i++)
        bind_int(st, i + 1, values[i]);
    return step(s, st);
}

/* Two texts with one hash would be one string: the hash has 64 bits and a secret. */
int64_t rocpd_string(struct rocpd_set *s, const char *text)
{
    uint64_t key = hash_bytes(text, strlen(text));
    uint32_t id = idmap_get(&s->strings, key);
    if (id != NO_INDEX)
        return id;
    id = (uint32_t)++s->n_strings;
    idmap_put(&s->strings, key, id);
    rocpd_run(s, ROCPD_INS_STRING, "is", (int64_t)id, text);
    return id;
}

int64_t rocpd_add_event(struct rocpd_set *s, const char *category, int64_t stack, int64_t parent,
                        const char *extdata)
{
    int64_t id = ++s->events, name = rocpd_string(s, category);
    if (extdata)
        rocpd_run(s, ROCPD_INS_EVENT_EXT, "iiiis", id, name, stack, parent, extdata);
    else
        rocpd_run_ints(s, ROCPD_INS_EVENT, (int64_t[]){id, name, stack, parent}, 4);
    return id;
}

/* ---- the end ---- */

static void write_views(struct rocpd_writer *w)
{
    VEC(const char *) suffixes = {0};
    struct str sql;
    str_init(&sql, w->arena);
    for (size_t i = 0; i < w->sets.n; i++)
        vec_push(&suffixes, w->arena, w->sets.v[i]->suffix);
    for (const struct rocpd_table *t = rocpd_tables; t->name; t++) {
        if (!rocpd_in_version(t->name, w->v305))
            continue;
        str_clear(&sql);
        rocpd_union_sql(&sql, rocpd_plain_name(t->name), suffixes.v, suffixes.n);
        rocpd_writer_exec(w, sql.buf);
    }
    for (const struct rocpd_view *v = rocpd_views; v->name; v++) {
        if (!rocpd_in_version(v->name, w->v305))
            continue;
        str_clear(&sql);
        rocpd_view_sql(&sql, v, w->v305);
        rocpd_writer_exec(w, sql.buf);
    }
}

bool rocpd_writer_close(struct rocpd_writer *w, struct gs_error *err)
{
    struct str sql;
    str_init(&sql, w->arena);
    if (!w->failed && w->sets.n)
        write_views(w);
    for (size_t i = 0; i < w->sets.n; i++) {
        str_clear(&sql);
        rocpd_finish_sql(&sql, w->sets.v[i]->suffix, w->v305);
        rocpd_writer_exec(w, sql.buf);
    }
    rocpd_writer_exec(w, rocpd_autoincrement_sql);
    rocpd_writer_exec(w, "COMMIT");
    rocpd_writer_end(w);
    if (w->failed) {
        *err = w->error;
        return false;
    }
    return fs_set_done(w->set, w->out, err);
}
