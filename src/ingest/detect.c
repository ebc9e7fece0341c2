#include "ingest/detect.h"

#include <string.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "base/hash.h"
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
    return list_tables_as(p, READER_NAMES, &again, a, err) ||
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

static const struct format *format_of(const struct probe *p, struct gs_error *err)
{
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (formats[i]->detect(p))
            return formats[i];
    unknown_format(p, err);
    wrap(err, "cannot read '%s'", p->path);
    return NULL;
}

bool detect_header(const struct probe *p, bool (*is_ours)(struct csv *first))
{
    struct csv_head head = {p->head, p->n};
    if (p->is_sqlite || memchr(p->head, '\0', p->n))
        return false;
    struct arena *temporary = arena_scratch();
    struct csv *c = csv_new(temporary, csv_head_read, &head);
    bool ours = csv_row(c) && is_ours(c);
    arena_release(temporary);
    return ours;
}

/* ---- what was seen before ---- */

struct kept_sighting {
    const char *path;
    struct stat st;
    const struct format *format;
    bool readable, is_sqlite;
    enum gs_code code; /* of `why`, and its text; with a format neither means anything */
    const char *text;
};

struct sightings {
    struct arena *arena;
    VEC(struct kept_sighting) v;
    struct idmap by_path; /* hash of it -> v */
};

struct sightings *sightings_new(struct arena *a)
{
    struct sightings *s = arena_new(a, struct sightings);
    s->arena = a;
    idmap_init(&s->by_path, a);
    return s;
}

static uint64_t key_of(const char *path)
{
    return hash_bytes(path, strlen(path));
}

static bool is_unchanged(const struct kept_sighting *k, const struct stat *now)
{
    return k->st.st_dev == now->st_dev && k->st.st_ino == now->st_ino &&
           k->st.st_size == now->st_size && k->st.st_mtim.tv_sec == now->st_mtim.tv_sec &&
           k->st.st_mtim.tv_nsec == now->st_mtim.tv_nsec;
}

static const struct kept_sighting *recall(const struct sightings *seen, const char *path)
{
    struct stat now;
    uint32_t i = seen ? idmap_get(&seen->by_path, key_of(path)) : NO_INDEX;
    bool known = i != NO_INDEX && str_eq(seen->v.v[i].path, path) && stat(path, &now) == 0 &&
                 is_unchanged(&seen->v.v[i], &now);
    return known ? &seen->v.v[i] : NULL;
}

static void keep(struct sightings *seen, const struct sighting *s, const char *path,
                 const struct stat *st)
{
    struct kept_sighting k = {.st = *st,
                              .format = s->format,
                              .readable = s->readable,
                              .is_sqlite = s->is_sqlite,
                              .code = s->why.code};
    k.path = arena_strdup(seen->arena, path);
    k.text = s->format ? "" : arena_strdup(seen->arena, s->why.text);
    vec_push(&seen->v, seen->arena, k);
    idmap_put(&seen->by_path, key_of(path), (uint32_t)seen->v.n - 1);
}

void detect_look_at(struct sighting *out, struct sightings *seen, struct probe *p, const char *path,
                    struct arena *a)
{
    struct stat st;
    bool there = seen && stat(path, &st) == 0;
    *out = (struct sighting){0};
    out->readable = detect_probe(p, path, a, &out->why);
    out->is_sqlite = p->is_sqlite;
    if (out->readable)
        out->format = format_of(p, &out->why);
    if (there)
        keep(seen, out, path, &st);
}

void detect_look(struct sighting *out, struct sightings *seen, const char *path)
{
    const struct kept_sighting *k = recall(seen, path);
    struct probe p;
    if (k) {
        *out = (struct sighting){k->format, k->readable, k->is_sqlite, {0}};
        fail(&out->why, k->code, "%s", k->text);
        return;
    }
    struct arena *temporary = arena_scratch();
    detect_look_at(out, seen, &p, path, temporary);
    arena_release(temporary);
}

const struct format *detect_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (str_eq(formats[i]->name, name))
            return formats[i];
    return NULL;
}
