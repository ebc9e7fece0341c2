#include "ingest/detect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/input.h"
#include "base/str.h"
#include "base/vec.h"
#include "ingest/nsys/report.h"

enum { HEAD = 64 * 1024, MOST_TABLES = 4096 };

static const struct format *const formats[] = {
#define FORMAT(name) &format_##name,
#include "ingest/formats.def"
#undef FORMAT
};

static bool list_tables(struct probe *p, struct arena *a, struct gs_error *err)
{
    struct db db;
    if (!db_open(&db, p->path, READER_SQLITE, 1, err))
        return false;
    VEC(const char *) names = {0};
    struct db_query q;
    bool ok = db_query(&q, &db, err, "SELECT name FROM sqlite_schema WHERE type='table' LIMIT %d",
                       MOST_TABLES);
    if (ok) {
        while (db_next(&q))
            vec_push(&names, a, arena_strdup(a, db_text(&q, 0)));
        ok = db_done(&q, err);
    }
    db_close(&db);
    vec_push(&names, a, NULL);
    p->tables = names.v;
    return ok;
}

static bool looks_like_text(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] < 0x20 && s[i] != '\n' && s[i] != '\r' && s[i] != '\t')
            return false;
    return true;
}

static bool unknown_format(const struct probe *p, struct gs_error *err)
{
    if (!p->n)
        return fail(err, GS_E_FORMAT, "the file is empty");
    if (nsys_explain_report(p, err))
        return false;
    if (p->is_sqlite)
        return fail(err, GS_E_FORMAT, "an SQLite database, but not of a GPU profiler");
    if (looks_like_text(p->head, p->n))
        return fail(err, GS_E_FORMAT, "a text file, not a trace gpusight knows");
    return fail(err, GS_E_FORMAT, "not a trace gpusight knows");
}

const struct format *detect_format(const char *path, struct arena *a, struct gs_error *err)
{
    static const char *const none[] = {NULL};
    struct probe p = {.path = path, .tables = none};
    char *head = arena_alloc(a, HEAD + 1);
    struct input in;
    if (!input_open(&in, path, err))
        return NULL;
    bool ok = input_peek(&in, head, HEAD, &p.n);
    if (!ok)
        input_error(&in, err);
    input_close(&in);
    if (!ok) {
        wrap(err, "cannot read '%s'", path);
        return NULL;
    }
    p.head = head;
    p.is_sqlite = p.n >= 16 && !memcmp(head, "SQLite format 3", 16);
    if (p.is_sqlite && !list_tables(&p, a, err)) {
        wrap(err, "cannot read '%s'", path);
        return NULL;
    }
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        if (formats[i]->detect(&p))
            return formats[i];
    unknown_format(&p, err);
    wrap(err, "cannot read '%s'", path);
    return NULL;
}
