#include "ingest/ingest.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/str.h"
#include "base/vec.h"
#include "ingest/detect.h"

enum { DEEPEST_FOLDER = 4, MOST_FILES = 100000 };

struct found {
    const char *path;
    const struct format *format;
};

struct finder {
    struct arena *arena;
    VEC(struct found) files;
};

enum reader_mode reader_mode_of(const char *word)
{
    if (str_eq(word, "fast"))
        return READER_FAST;
    if (str_eq(word, "sqlite"))
        return READER_SQLITE;
    if (str_eq(word, "check"))
        return READER_CHECK;
    return READER_AUTO;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds a file, or the capture it belongs to unless that is there already. */
static void add_file(struct finder *f, const char *path, const struct format *format)
{
    if (f->files.n >= MOST_FILES)
        return;
    if (format->capture) {
        path = format->capture(path, f->arena);
        for (size_t i = f->files.n; i-- > 0;) /* mostly the last */
            if (f->files.v[i].format == format && str_eq(f->files.v[i].path, path))
                return;
    }
    vec_push(&f->files, f->arena, ((struct found){path, format}));
}

static bool find_in_folder(struct finder *f, const char *dir, int depth, struct gs_error *err);

static bool find_entry(struct finder *f, const char *path, int depth, struct gs_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return true; /* a dangling link among other files is no concern */
    if (S_ISDIR(st.st_mode))
        return depth >= DEEPEST_FOLDER || find_in_folder(f, path, depth + 1, err);
    if (!S_ISREG(st.st_mode) || str_ends(path, "-wal") || str_ends(path, "-shm") ||
        str_ends(path, "-journal"))
        return true;
    struct gs_error ignored;
    const struct format *format = detect_format(path, f->arena, &ignored);
    if (format)
        add_file(f, path, format);
    return true;
}

/* The traces in a folder and below, by name; files of other kinds are passed over. */
static bool find_in_folder(struct finder *f, const char *dir, int depth, struct gs_error *err)
{
    DIR *d = opendir(dir);
    if (!d)
        return fail(err, GS_E_IO, "cannot open '%s': %s", dir, strerror(errno));
    VEC(char *) names = {0};
    size_t n = strlen(dir);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            vec_push(&names, f->arena,
                     arena_printf(f->arena, "%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/",
                                  e->d_name));
    closedir(d);
    if (names.n)
        qsort(names.v, names.n, sizeof(*names.v), by_name);
    for (size_t i = 0; i < names.n; i++)
        if (!find_entry(f, names.v[i], depth, err))
            return false;
    return true;
}

/* `path` is no file; it may be what the files of a capture share, as out/123 of out/123_*.csv. */
static bool find_capture(struct finder *f, const char *path)
{
    struct fs_list beside = {0};
    const char *base = fs_basename(path);
    const char *dir = base == path ? "." : arena_strndup(f->arena, path, (size_t)(base - path));
    struct gs_error ignored;
    if (!*base || !fs_list(&beside, dir, f->arena, &ignored))
        return false;
    for (size_t i = 0; i < beside.n; i++) {
        const char *name = fs_basename(beside.v[i]);
        if (!str_starts(name, base))
            continue;
        const char *file = arena_printf(f->arena, "%.*s%s", (int)(base - path), path, name);
        const struct format *format = detect_format(file, f->arena, &ignored);
        if (!format || !format->capture || !str_eq(format->capture(file, f->arena), path))
            continue;
        add_file(f, file, format);
        return true;
    }
    return false;
}

static bool find_path(struct finder *f, const char *path, struct gs_error *err)
{
    if (fs_is_dir(path)) {
        size_t before = f->files.n;
        if (!find_in_folder(f, path, 0, err))
            return false;
        if (f->files.n == before)
            return fail(err, GS_E_EMPTY, "no traces in '%s'", path);
        return true;
    }
    if (!fs_exists(path) && find_capture(f, path))
        return true;
    const struct format *format = detect_format(path, f->arena, err);
    if (!format)
        return false;
    add_file(f, path, format);
    return true;
}

static bool same_format(const struct finder *f, struct gs_error *err)
{
    for (size_t i = 1; i < f->files.n; i++)
        if (f->files.v[i].format != f->files.v[0].format)
            return fail(err, GS_E_USAGE,
                        "traces of different formats: '%s' is %s, '%s' is %s; give one kind at a time",
                        f->files.v[0].path, f->files.v[0].format->label, f->files.v[i].path,
                        f->files.v[i].format->label);
    return true;
}

static uint64_t size_of(const char *path)
{
    int64_t size = fs_size(path);
    return size < 0 ? 0 : (uint64_t)size;
}

static bool load_all(struct trace *t, const struct finder *f, const struct ingest_opts *o,
                     struct gs_error *err)
{
    uint64_t done = 0, total = 0;
    for (size_t i = 0; i < f->files.n; i++)
        total += size_of(f->files.v[i].path);
    progress_expect(o->progress, total);
    for (size_t i = 0; i < f->files.n; i++) {
        const struct found *file = &f->files.v[i];
        if (!file->format->load(t, file->path, o, err))
            return wrap(err, "cannot read '%s'", file->path);
        done += size_of(file->path);
        progress_set(o->progress, done); /* parts that are never read count, too */
    }
    return true;
}

/* Loads once more through libsqlite3 and compares every column. */
static bool check(struct trace *t, const struct finder *f, struct ingest_opts o,
                  struct gs_error *err)
{
    struct trace other;
    trace_init(&other);
    o.reader = READER_SQLITE;
    bool ok = load_all(&other, f, &o, err);
    if (ok) {
        const char *difference = trace_difference(t, &other, f->arena);
        if (difference)
            ok = fail(err, GS_E_FORMAT, "the fast and the sqlite reader differ at %s", difference);
    }
    trace_release(&other);
    return ok;
}

bool ingest_load(struct trace *t, const struct opt_list *paths, const struct ingest_opts *opts,
                 struct gs_error *err)
{
    struct ingest_opts o = *opts;
    if (o.threads < 1)
        o.threads = parallel_cores();
    struct finder f = {.arena = &t->arena};
    for (size_t i = 0; i < paths->n; i++)
        if (!find_path(&f, paths->v[i], err))
            return false;
    if (!same_format(&f, err) || !load_all(t, &f, &o, err))
        return false;
    return o.reader != READER_CHECK || check(t, &f, o, err);
}
