/*
 * META_DATA_EXPORT (EXPORT_META_DATA up to schema 3.1), META_DATA_CAPTURE and the clock.
 *
 * Times count from the start of the session. The first file of a job keeps them, so that they are
 * the ones Nsight Systems shows; other files are shifted by the difference between the starts,
 * so that one clock holds for all.
 */
#include <stdlib.h>
#include <string.h>

#include "base/jwrite.h"
#include "base/str.h"
#include "ingest/nsys/nsys.h"
#include "ingest/rank.h"

static const char *const export_tables[] = {"META_DATA_EXPORT", "EXPORT_META_DATA", NULL};

/* UTC of the moment 0 of the file; false where it is not known. */
static bool read_origin(struct nsys *n, int64_t *origin)
{
    struct db_query q;
    bool known = false;
    if (nsys_has_column(n, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs") &&
        db_query(&q, n->db, NULL,
                 "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME NOT INDEXED "
                 "LIMIT 1")) {
        known = db_next(&q);
        *origin = known ? sqlite3_column_int64(q.stmt, 0) : 0;
        db_done(&q, NULL);
    }
    for (const char *const *t = export_tables; *t; t++) {
        if (!nsys_has_column(n, *t, "value") || !nsys_has_column(n, *t, "name") ||
            !db_query(
                &q, n->db, NULL,
                "SELECT 1 FROM \"%w\" NOT INDEXED WHERE name='EXPORT_PARAM_TIME_NORMALIZE' AND "
                "value='true'",
                *t))
            continue;
        if (db_next(&q)) { /* the times are UTC already */
            known = true;
            *origin = 0;
        }
        db_done(&q, NULL);
    }
    return known;
}

/* A session is known by its start, and that is what later files need of the first one. */
static void find_shift(struct nsys *n, struct trace_file *f)
{
    static const char mark[] = "session ";
    const struct trace *t = n->trace;
    const char *first = t->files.n ? t->files.v[0].guid : "";
    int64_t origin;
    bool known = read_origin(n, &origin);
    if (known)
        f->guid = arena_printf(&n->trace->arena, "%s%lld", mark, (long long)origin);
    if (known && str_starts(first, mark))
        n->shift_ns =
            (int64_t)((uint64_t)origin - (uint64_t)strtoll(first + strlen(mark), NULL, 10));
    else if (t->files.n)
        trace_note(
            n->trace, NOTE_OTHER, 1,
            "file does not say when it began: its times cannot be compared with the others'");
    f->origin_ns = known ? (int64_t)((uint64_t)origin - (uint64_t)n->shift_ns) : 0;
}

static bool read_export(struct nsys *n, struct trace_file *f, const char *table,
                        struct gs_error *err)
{
    struct arena *a = &n->trace->arena;
    struct db_query q;
    if (!nsys_has_column(n, table, "name") || !nsys_has_column(n, table, "value"))
        return true;
    if (!db_query(&q, n->db, err, "SELECT name, value FROM \"%w\" NOT INDEXED", table))
        return false;
    while (db_next(&q)) {
        const char *name = db_text(&q, 0), *value = db_text(&q, 1);
        if (str_eq(name, "EXPORT_SCHEMA_VERSION"))
            f->schema_version = arena_strdup(a, value);
        else if (str_eq(name, "EXPORT_PRODUCT_VERSION"))
            f->tool_version = arena_strdup(a, value);
    }
    return db_done(&q, err);
}

/* NAME="VALUE" as a member of a JSON object, which is what rank.h reads. */
static void add_variable(struct jwrite *w, struct arena *a, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return;
    const char *value = equals + 1 + (equals[1] == '"');
    size_t len = strcspn(value, "\"");
    jw_str(w, arena_strndup(a, text, (size_t)(equals - text)), arena_strndup(a, value, len));
}

/* Only variables that may name a rank are looked at; see rank.h. */
static bool read_environment(struct nsys *n, struct gs_error *err)
{
    struct db_query q;
    if (!db_query(&q, n->db, err,
                  "SELECT value FROM META_DATA_CAPTURE NOT INDEXED WHERE name LIKE "
                  "'PROCESS_%%:ENVIRONMENT_VARIABLE' AND (value LIKE '%%RANK=%%' OR value LIKE "
                  "'SLURM_PROCID=%%')"))
        return false;
    struct str json;
    struct jwrite w;
    str_init(&json, n->arena);
    jw_init(&w, &json, 0);
    jw_open(&w, NULL, '{');
    while (db_next(&q))
        add_variable(&w, n->arena, db_text(&q, 0));
    jw_close(&w);
    rank_from_environment(&n->env, json.buf, json.len);
    return db_done(&q, err);
}

/* The launched program and its arguments, in the order they were given. */
static bool read_command(struct nsys *n, struct gs_error *err)
{
    struct db_query q;
    struct str command;
    str_init(&command, n->arena);
    if (!db_query(&q, n->db, err,
                  "SELECT value FROM META_DATA_CAPTURE NOT INDEXED WHERE "
                  "name='PROCESS_0:COMMAND' OR name LIKE "
                  "'PROCESS\\_0:ARGUMENT\\_%%' ESCAPE '\\' ORDER BY name<>'PROCESS_0:COMMAND', "
                  "CAST(substr(name, 20) AS INTEGER)"))
        return false;
    while (db_next(&q)) {
        str_puts(&command, command.len ? " " : "");
        str_puts(&command, db_text(&q, 0));
    }
    n->command = strings_addn(&n->trace->strings, command.buf, command.len);
    return db_done(&q, err);
}

bool nsys_read_meta(struct nsys *n, struct trace_file *f, struct gs_error *err)
{
    f->schema_version = f->tool_version = f->guid = "";
    for (const char *const *t = export_tables; *t; t++)
        if (nsys_has(n, *t) && !read_export(n, f, *t, err))
            return false;
    find_shift(n, f);
    if (!nsys_has_column(n, "META_DATA_CAPTURE", "name") ||
        !nsys_has_column(n, "META_DATA_CAPTURE", "value"))
        return true;
    return read_environment(n, err) && read_command(n, err);
}
