#include "query/query.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/task.h"
#include "query/groups_in.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void close_query(void *query)
{
    struct query *q = query;
    sqlite3_finalize(q->format);
    sqlite3_close(q->db);
    sqlite3_close(q->plain);
}

static void must(int rc)
{
    if (rc != SQLITE_OK)
        mem_exhausted();
}

/* ---- what there is ---- */

static const char *type_word(const struct qcolumn *c)
{
    return c->kind == Q_I ? "INTEGER" : c->kind == Q_R ? "REAL" : "TEXT";
}

static void doc_tables(struct query *q, const struct qtable *list)
{
    for (const struct qtable *t = list; t->name; t++) {
        struct query_table_doc d = {.name = t->name, .doc = t->doc, .kind = t->kind};
        for (size_t i = 0; i < t->n_columns; i++) {
            const struct qcolumn *c = &t->parts[0].columns[i];
            vec_push(&d.columns, q->arena,
                     ((struct query_column_doc){c->name, type_word(c), c->doc}));
        }
        vec_push(&q->docs.v, q->arena, d);
    }
}

/* "name TYPE: doc" lines. */
static void doc_view(struct query *q, const struct qview *v)
{
    struct query_table_doc d = {.name = v->name, .doc = v->doc, .kind = v->kind};
    for (const char *line = v->columns, *end; *line; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        const char *colon = memchr(line, ':', (size_t)(end - line)), *type = colon;
        if (!colon)
            continue;
        while (type > line && type[-1] != ' ')
            type--;
        vec_push(&d.columns, q->arena,
                 ((struct query_column_doc){
                     arena_strndup(q->arena, line, (size_t)(type - line) - 1),
                     arena_strndup(q->arena, type, (size_t)(colon - type)),
                     colon + 2 < end ? arena_strndup(q->arena, colon + 2, (size_t)(end - colon) - 2)
                                     : ""}));
    }
    vec_push(&q->docs.v, q->arena, d);
}

static void doc_result(struct query *q, const struct rtable *r)
{
    struct query_table_doc d = {
        .name = r->name, .doc = r->fields->doc, .kind = r->is_sums ? QUERY_SUMS : QUERY_RESULT};
    for (size_t i = 0; i < r->columns.n; i++) {
        const struct field *f = r->columns.v[i];
        const char *type = f->type == FIELD_NUM                            ? "REAL"
                           : f->type <= FIELD_I32 || f->type == FIELD_BOOL ? "INTEGER"
                                                                           : "TEXT";
        const char *doc =
            f->unit ? arena_printf(q->arena, "%s (%s)", f->doc, unit_word(f->unit)) : f->doc;
        vec_push(&d.columns, q->arena, ((struct query_column_doc){f->key, type, doc}));
    }
    vec_push(&q->docs.v, q->arena, d);
}

const struct query_tables *query_tables(struct query *q)
{
    return &q->docs;
}

const char *const query_kind_names[] = {
    "rocpd table", "rocpd view", "rocpd summary", "rows", "result", "sums", NULL};

#define T struct query_table_doc
SHARED_PART(query_table_fields, T,
            FIELD_AS(T, name, FIELD_TEXT, "name", "table", NO_UNIT, "its name", UNCUT),
            FIELD(T, kind, FIELD_ENUM, "kind", NO_UNIT, "whose idea it is",
                  .words = query_kind_names, UNCUT),
            FIELD(T, doc, FIELD_TEXT, "rows", NO_UNIT, "what a row is"));
#undef T

#define T struct query_column_doc
SHARED_PART(query_column_fields, T,
            FIELD(T, name, FIELD_TEXT, "column", NO_UNIT, "of the column", .null = NULL_NEVER,
                  UNCUT),
            FIELD(T, type, FIELD_TEXT, "type", NO_UNIT, "as SQL has it", .null = NULL_NEVER, UNCUT),
            FIELD(T, doc, FIELD_TEXT, "meaning", NO_UNIT, "what it means", .null = NULL_MAYBE));
#undef T

const char *query_nearest_table(struct query *q, const char *name)
{
    const char **names = arena_array(q->arena, const char *, q->docs.v.n + 1);
    for (size_t i = 0; i < q->docs.v.n; i++)
        names[i] = q->docs.v.v[i].name;
    return opt_nearest(name, names);
}

static const char *nearest_column(struct query *q, const char *name)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; i < q->docs.v.n; i++)
        for (size_t k = 0; k < q->docs.v.v[i].columns.n; k++)
            vec_push(&names, q->arena, q->docs.v.v[i].columns.v[k].name);
    vec_push(&names, q->arena, NULL);
    return opt_nearest(name, names.v);
}

/* ---- opening ---- */

static void register_tables(struct query *q)
{
    for (size_t l = 0; query_tables_of_traces[l]; l++)
        for (const struct qtable *t = query_tables_of_traces[l]; t->name; t++)
            if (!vtab_register(q, t))
                must(SQLITE_NOMEM);
    doc_tables(q, query_rocpd_lists);
    doc_tables(q, query_rocpd_tables);
    doc_tables(q, query_rocpd_views);
    must(groups_register(q) ? SQLITE_OK : SQLITE_NOMEM);
    for (const struct qview *v = query_views; v->name; v++) {
        char *sql = sqlite3_mprintf("CREATE TEMP VIEW \"%w\" AS %s", v->name, v->sql);
        must(sql ? sqlite3_exec(q->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM);
        sqlite3_free(sql);
        doc_view(q, v);
    }
    doc_tables(q, query_rows);
    if (q->source.run)
        rtables_make(q);
    rtables_sums(q);
    for (size_t i = 0; i < q->tables.n; i++) {
        if (!rtab_register(q, &q->tables.v[i]))
            must(SQLITE_NOMEM);
        doc_result(q, &q->tables.v[i]);
    }
}

struct query *query_open(const struct query_source *source, struct arena *arena)
{
    static const char *const builtin[] = {
        "SELECT 1 FROM json_each('[]')", "SELECT 1 FROM json_tree('[]')",
        "SELECT 1 FROM pragma_table_info('')", "SELECT 1 FROM pragma_table_list LIMIT 0",
        "SELECT 1 FROM pragma_function_list LIMIT 0"};
    struct query *q = arena_new(arena, struct query);
    q->arena = arena;
    q->source = *source;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY |
                SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX;
    arena_defer(arena, close_query, q);
    must(sqlite3_open_v2(":memory:", &q->db, flags, NULL));
    must(sqlite3_open_v2(":memory:", &q->plain, flags, NULL));
    sqlite3_exec(q->db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
    functions_register(q);
    register_tables(q);
    /* Connected now: SQLite asks the guard about the declarations of its own tables, too. */
    for (size_t i = 0; i < ARRAY_LEN(builtin); i++)
        sqlite3_exec(q->db, builtin[i], NULL, NULL, NULL);
    query_guard_install(q);
    return q;
}

/* ---- loading ---- */

/* Whether what is kept is of this trace, as far as it was loaded. */
static bool is_same(const struct query_kept *k, const struct trace *t)
{
    return k->trace == t && k->n_strings == t->strings.n && k->n_kernels == t->kernels.n &&
           k->n_regions == t->regions.n && k->n_markers == t->markers.n;
}

static void load_trace(void *query)
{
    struct query *q = query;
    bool have = q->run && q->source.run_has_rows && q->run->trace.files.n == 1;
    unsigned leave_out = have || q->has_trace ? 0 : INGEST_ALL & ~q->needs;
    const struct trace *t =
        have ? &q->run->trace : q->source.trace(q->source.ctx, leave_out, &q->load_error);
    q->has_trace = false;
    if (!t)
        return;
    struct query_kept *kept = q->source.kept;
    if (!kept || (kept->trace && !is_same(kept, t)))
        kept = query_kept_new(q->arena);
    if (!kept->trace)
        qdata_make(&kept->data, t, kept->arena);
    kept->trace = t;
    kept->n_strings = t->strings.n;
    kept->n_kernels = t->kernels.n;
    kept->n_regions = t->regions.n;
    kept->n_markers = t->markers.n;
    q->kept = kept;
    q->data = kept->data;
    q->parts = INGEST_ALL & ~leave_out;
    q->loads++;
    q->has_trace = true;
}

static void load_args(void *query)
{
    struct query *q = query;
    q->has_args = ingest_args(&q->data.args, q->data.t, q->arena, &q->load_error);
}

static bool has_parts(const struct query *q)
{
    return q->has_trace && !(q->needs & ~q->parts) && (!q->wants_args || q->has_args);
}

static void load_run(void *query)
{
    struct query *q = query;
    bool replays = q->wants_replays;
    q->has_run = false;
    q->run = q->source.run(q->source.ctx, replays, &q->load_error);
    if (!q->run)
        return;
    rtables_fill(q);
    q->has_run = true;
    q->has_replays = replays;
}

static bool has_results(const struct query *q)
{
    return q->has_run && (!q->wants_replays || q->has_replays);
}

static bool query_need_run(struct query *q)
{
    return has_results(q) || (mem_guard(load_run, q, &q->load_error) && q->has_run);
}

/* Loads what is not there yet; false with q->load_error. Never unwinds. */
static bool query_need_trace(struct query *q)
{
    if (!q->has_trace || (q->needs & ~q->parts)) {
        q->has_args = false;
        if (!mem_guard(load_trace, q, &q->load_error) || !q->has_trace)
            return false;
    }
    return !q->wants_args || q->has_args ||
           (mem_guard(load_args, q, &q->load_error) && q->has_args);
}

/* ---- errors ---- */

/* "no such table: kernel" to "kernel". */
static const char *missing(const char *text, const char *what)
{
    size_t n = strlen(what);
    if (strncmp(text, what, n) != 0)
        return NULL;
    const char *dot = strrchr(text + n, '.');
    return dot ? dot + 1 : text + n;
}

static const char *hint(struct query *q, const char *text)
{
    const char *table = missing(text, "no such table: ");
    const char *column = missing(text, "no such column: ");
    const char *near = table    ? query_nearest_table(q, table)
                       : column ? nearest_column(q, column)
                                : NULL;
    if (near && strcmp(near, column ? column : table) != 0) /* another table may have it */
        return arena_printf(q->arena, "; did you mean '%s'?", near);
    return table ? "; 'gpusight query --tables' lists them" : "";
}

/* Where in the text, and what stands there. */
static bool fail_at(struct query *q, const char *sql, struct gs_error *err)
{
    const char *text = sqlite3_errmsg(q->db);
    int offset = sqlite3_error_offset(q->db);
    if (offset < 0 || (size_t)offset > strlen(sql))
        return fail(err, GS_E_USAGE, "SQL: %s%s", text, hint(q, text));
    size_t line = 1, column = 1;
    for (int i = 0; i < offset; i++) {
        line += sql[i] == '\n';
        column = sql[i] == '\n' ? 1 : column + 1;
    }
    return fail(err, GS_E_USAGE, "SQL, line %zu, column %zu ('%.*s'): %s%s", line, column,
                (int)strcspn(sql + offset, "\n") < 40 ? (int)strcspn(sql + offset, "\n") : 40,
                sql + offset, text, hint(q, text));
}

static bool fail_run(struct query *q, const struct query_limits *l, const char *sql, int rc,
                     struct gs_error *err)
{
    char size[HUMAN_MAX];
    if (task_cancelled())
        return fail(err, GS_E_CANCELLED, "cancelled");
    if (q->timed_out)
        return fail(err, GS_E_USAGE,
                    "the query took longer than %g s; make it narrower, or give '--timeout'",
                    l->seconds);
    if (rc == SQLITE_NOMEM && q->shortage.code) {
        *err = q->shortage;
        return false;
    }
    if (rc == SQLITE_NOMEM || q->too_much)
        return fail(
            err, GS_E_USAGE,
            "the query needs more memory than %s; make it narrower, or give '--sort-memory'",
            human_bytes(size, l->memory));
    if (strstr(sqlite3_errmsg(q->db), "may not be modified"))
        q->refused = "write", rc = SQLITE_AUTH;
    if (rc == SQLITE_AUTH && !q->refused)
        q->refused = "do this";
    if (rc == SQLITE_AUTH || strstr(sqlite3_errmsg(q->db), "not authorized to use function"))
        return fail(err, GS_E_USAGE, "queries only read: SQL that would %s is refused", q->refused);
    return fail_at(q, sql, err);
}

/* ---- running ---- */

static const char *unique_name(const struct query_result *r, const char *name, struct arena *a)
{
    const char *tried = name;
    for (size_t copy = 2, i = 0; i < r->columns.n; i++) {
        if (!str_eq(r->columns.v[i].name, tried))
            continue;
        tried = arena_printf(a, "%s_%zu", name, copy++);
        i = (size_t)-1;
    }
    return tried;
}

static const char *hex_of(const unsigned char *p, size_t n, struct arena *a)
{
    struct str s;
    str_init(&s, a);
    str_puts(&s, "x'");
    for (size_t i = 0; i < n; i++)
        str_printf(&s, "%02x", p[i]);
    str_putc(&s, '\'');
    return s.buf;
}

/* Many rows may have one long name. */
static const char *keep_text(struct query_result *r, const char *text, size_t n)
{
    enum { LONG_TEXT = 128 };
    if (!text || n < LONG_TEXT || memchr(text, 0, n))
        return text ? arena_strndup(r->arena, text, n) : "";
    if (!r->texts) {
        r->texts = arena_new(r->arena, struct strings);
        strings_init(r->texts, r->arena);
    }
    return strings_text(r->texts, strings_addn(r->texts, text, n));
}

/* What the cells of a result take, and their texts written out. */
struct taken {
    uint64_t cells, texts;
};

static struct query_cell cell_of(sqlite3_stmt *s, int i, bool whole_names, struct query_result *r,
                                 struct taken *size)
{
    struct query_cell c = {.kind = VALUE_NONE};
    size_t n = 0;
    switch (sqlite3_column_type(s, i)) {
    case SQLITE_INTEGER:
        return (struct query_cell){VALUE_INT, {.i = sqlite3_column_int64(s, i)}};
    case SQLITE_FLOAT:
        return (struct query_cell){VALUE_REAL, {.real = sqlite3_column_double(s, i)}};
    case SQLITE_TEXT:
        c.kind = VALUE_TEXT;
        c.text = (const char *)sqlite3_column_text(s, i);
        n = (size_t)sqlite3_column_bytes(s, i);
        c.text = keep_text(r, c.text, n);
        break;
    case SQLITE_BLOB:
        c = (struct query_cell){VALUE_TEXT, {.text = "(bytes)"}};
        if (whole_names) /* a text as bytes would be one that nobody finds in it */
            break;
        n = 2 * (size_t)sqlite3_column_bytes(s, i);
        c.kind = VALUE_TEXT;
        c.text = hex_of(sqlite3_column_blob(s, i), n / 2, r->arena);
        break;
    default:
        break;
    }
    size->texts += n;
    return c;
}

static void take_row(struct query_result *r, sqlite3_stmt *s, bool whole_names, struct taken *size)
{
    for (size_t i = 0; i < r->columns.n; i++) {
        struct query_cell c = cell_of(s, (int)i, whole_names, r, size);
        struct query_column *col = &r->columns.v[i];
        if (c.kind != VALUE_NONE && r->n && col->kind != VALUE_NONE && col->kind != c.kind)
            col->kind = VALUE_BOOL; /* for now: they differ */
        else if (c.kind != VALUE_NONE && col->kind == VALUE_NONE)
            col->kind = c.kind;
        vec_push(&r->cells, r->arena, c);
    }
    size->cells += r->columns.n * sizeof(struct query_cell);
    r->n++;
}

/* Steps until the end or a limit; what SQLite says then. */
static int step_all(struct query_result *r, sqlite3_stmt *s, const struct query_limits *l,
                    uint64_t most_text, bool *too_large)
{
    struct taken size = {0};
    int rc;
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        if (l->rows && r->n >= l->rows) {
            r->cut = true;
            return SQLITE_DONE;
        }
        take_row(r, s, l->whole_names, &size);
        *too_large =
            (l->result_size && size.cells + size.texts > l->result_size) || size.texts > most_text;
        if (*too_large)
            return SQLITE_TOOBIG;
    }
    return rc;
}

static void name_columns(struct query_result *r, sqlite3_stmt *s)
{
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        const char *name = sqlite3_column_name(s, i);
        name = unique_name(r, arena_strdup(r->arena, name ? name : ""), r->arena);
        vec_push(&r->columns, r->arena, ((struct query_column){name, VALUE_NONE}));
    }
}

/* A statement, and what must be put back when it ends in whatever way. */
struct running {
    struct query *q;
    sqlite3_stmt *stmt, *written; /* as it was written, where stmt is another form of it */
    int64_t heap;                 /* the limit before; -1: not changed */
};

static void stop(void *running)
{
    struct running *r = running;
    sqlite3_finalize(r->stmt);
    sqlite3_finalize(r->written);
    if (r->heap >= 0)
        sqlite3_hard_heap_limit64(r->heap);
    r->q->until = 0;
}

static bool execute(struct running *run, const char *sql, const struct query_limits *l,
                    struct query_result *r, struct gs_error *err)
{
    struct query *q = run->q;
    double begin = now();
    bool too_large = false;
    q->until = l->seconds > 0 ? begin + l->seconds : 0;
    name_columns(r, run->written ? run->written : run->stmt);
    if (l->memory && run->heap < 0)
        run->heap = sqlite3_hard_heap_limit64((int64_t)l->memory);
    query_guard_begin(q);
    uint64_t most_text = q->has_trace ? trace_text_most(q->data.t) : UINT64_MAX;
    int rc = step_all(r, run->stmt, l, most_text, &too_large);
    r->seconds = now() - begin;
    for (size_t i = 0; i < r->columns.n; i++)
        if (r->columns.v[i].kind == VALUE_BOOL)
            r->columns.v[i].kind = VALUE_NONE;
    if (too_large)
        return fail(err, GS_E_USAGE, "the result is too large; give '--limit'");
    return rc == SQLITE_DONE || fail_run(q, l, sql, rc, err);
}

/* Only what names stand for is loaded; with it there, SQLite plans by real numbers. */
static int prepare(struct query *q, const char *sql, sqlite3_stmt **s, const char **tail)
{
    q->refused = NULL;
    q->timed_out = q->too_much = q->wants_trace = q->wants_args = false;
    q->wants_run = q->wants_replays = false;
    q->needs = 0;
    int rc = sqlite3_prepare_v2(q->db, sql, -1, s, tail);
    bool load = (q->wants_run && !has_results(q)) || (q->wants_trace && !has_parts(q));
    if (rc != SQLITE_OK || !*s || !load || sqlite3_stmt_isexplain(*s))
        return rc;
    sqlite3_finalize(*s);
    *s = NULL;
    if ((q->wants_run && !query_need_run(q)) || (q->wants_trace && !query_need_trace(q)))
        return SQLITE_IOERR;
    return sqlite3_prepare_v2(q->db, sql, -1, s, tail);
}

/* Another form of the statement, whose groups are made by us. */
static void prepare_groups(struct running *run, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    const char *grouped = sqlite3_stmt_isexplain(run->stmt) ? NULL : regroup(run->q, sql);
    if (!grouped || sqlite3_prepare_v2(run->q->db, grouped, -1, &stmt, NULL) != SQLITE_OK)
        return;
    if (sqlite3_column_count(stmt) != sqlite3_column_count(run->stmt)) {
        sqlite3_finalize(stmt);
        return;
    }
    run->written = run->stmt;
    run->stmt = stmt;
}

static bool run_one(struct running *run, const char **sql, const struct query_limits *limits,
                    struct query_result *out, struct gs_error *err)
{
    struct query *q = run->q;
    const char *text = *sql, *tail = text + strlen(text);
    q->whole_names = limits->whole_names;
    q->sort_memory = limits->memory;
    int rc = prepare(q, text, &run->stmt, &tail);
    if (rc != SQLITE_OK && q->load_error.code) {
        *err = q->load_error;
        return false;
    }
    if (rc != SQLITE_OK)
        return fail_run(q, limits, text, rc, err);
    *sql = tail;
    if (!run->stmt)
        return true;
    out->sql = arena_strndup(q->arena, text, (size_t)(tail - text));
    prepare_groups(run, out->sql);
    q->only_sqlite = false;
    if (execute(run, text, limits, out, err))
        return true;
    if (!q->only_sqlite || !run->written)
        return false;
    sqlite3_finalize(run->stmt);
    run->stmt = run->written;
    run->written = NULL;
    *out = (struct query_result){.arena = out->arena, .sql = out->sql};
    *err = (struct gs_error){0};
    return execute(run, text, limits, out, err);
}

bool query_next(struct query *q, const char **sql, const struct query_limits *limits,
                struct query_result *out, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct running *run = arena_new(temporary, struct running);
    *run = (struct running){.q = q, .heap = -1};
    arena_defer(temporary, stop, run);
    *out = (struct query_result){.arena = q->arena};
    q->load_error = q->shortage = (struct gs_error){0};
    bool ok = run_one(run, sql, limits, out, err);
    arena_release(temporary);
    return ok;
}

static bool is_blank(const char *sql)
{
    return sql[strspn(sql, " \t\r\n;")] == 0;
}

bool query_run(struct query *q, const char *sql, const struct query_limits *limits,
               struct query_result *out, struct gs_error *err)
{
    if (!query_next(q, &sql, limits, out, err))
        return false;
    if (!out->sql)
        return fail(err, GS_E_USAGE, "there is no SQL to run");
    return is_blank(sql) || fail(err, GS_E_USAGE, "one statement at a time, please");
}

bool query_is_complete(const char *sql)
{
    return sqlite3_complete(sql);
}
