#include "ingest/detect.h"

#include <string.h>

#include "base/input.h"
#include "base/str.h"
#include "base/vec.h"
#include "ingest/foreign.h"
#include "ingest/nsys/report.h"

enum { HEAD = 64 * 1024, MOST_TABLES = 4096 };

static const struct format *const formats[] = {
#define FORMAT(name) &format_##name,
#include "ingest/formats.def"
#undef FORMAT
};

/* *again: a compressed database was looked at only in front, and its schema is not there. */
static bool list_tables_as(struct probe *p, enum reader_mode mode, bool *again, struct arena *a,
                           struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct db *db = arena_new(temporary, struct db);
    VEC(const char *) names = {0};
    bool ok = db_open(db, temporary, p->path, mode, 1, err);
    *again = !db->unpacked.whole;
    if (ok) {
        for (size_t i = 0; i < db->schema.n && i < MOST_TABLES; i++)
            vec_push(&names, a, arena_strdup(a, db->schema.v[i].name));
        vec_push(&names, a, NULL);
        p->tables = names.v;
    }
    arena_release(temporary);
    return ok;
}

static bool list_tables(struct probe *p, struct arena *a, struct gs_error *err)
{
    bool again;
    return list_tables_as(p, READER_SCHEMA, &again, a, err) ||
           (again && list_tables_as(p, READER_SQLITE, &again, a, err));
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
    if (nsys_explain_report(p, err) || foreign_explain(p, err))
        return false;
    if (p->is_sqlite)
        return fail(err, GS_E_FORMAT, "an SQLite database, but not of a GPU profiler");
    if (looks_like_text(p->head, p->n))
        return fail(err, GS_E_FORMAT, "a text file, not a trace gpusight knows");
    return fail(err, GS_E_FORMAT, "not a trace gpusight knows");
}

bool detect_probe(struct probe *p, const char *path, struct arena *a, struct gs_error *err)
{
    static const char *const none[] = {NULL};
    *p = (struct probe){.path = path, .tables = none};
    char *head = arena_alloc(a, HEAD + 1);
    struct arena *temporary = arena_scratch();
    struct input *in = input_new(temporary, path, err);
    bool ok = in && input_peek(in, head, HEAD, &p->n);
    if (in && !ok)
        input_error(in, err);
    arena_release(temporary);
    if (!ok)
        return false;
    p->head = head;
    p->is_sqlite = p->n >= 16 && !memcmp(head, "SQLite format 3", 16);
    return !p->is_sqlite || list_tables(p, a, err) || wrap(err, "cannot read '%s'", path);
}

const struct format *detect_probed(const struct probe *p, struct gs_error *err)
{
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (formats[i]->detect(p))
            return formats[i];
    unknown_format(p, err);
    wrap(err, "cannot read '%s'", p->path);
    return NULL;
}

const struct format *detect_format(const char *path, struct arena *a, struct gs_error *err)
{
    struct probe p;
    return detect_probe(&p, path, a, err) ? detect_probed(&p, err) : NULL;
}

const struct format *detect_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (str_eq(formats[i]->name, name))
            return formats[i];
    return NULL;
}
