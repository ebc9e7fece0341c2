/* Which runs there are in folders, and what each consists of. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/inputs.h"
#include "base/str.h"
#include "fleet/fleet.h"
#include "ingest/detect.h"

enum { DEEPEST = 64 };

struct walk {
    struct fleet_found *out;
    enum fleet_division how;
    struct arena *arena;
    struct sightings *seen;
    struct idmap met; /* folders and files: fs_first_time() */
    struct gs_error *err;
};

static void add_bad(struct walk *w, const char *path, const struct gs_error *why)
{
    vec_push(&w->out->bad, w->arena,
             ((struct fleet_bad){arena_strdup(w->arena, path), arena_strdup(w->arena, why->text),
                                 why->code}));
}

static void add_run(struct walk *w, const char *path, bool folder, const struct ingest_files *files)
{
    struct fleet_found_run r = {.path = path, .name = fs_label(path, folder, w->arena)};
    for (size_t i = 0; i < files->n; i++)
        vec_push(&r.traces, w->arena, files->v[i]);
    vec_push(&w->out->runs, w->arena, r);
}

/* Names that only traces have: a file that is called so and cannot be read as one is damaged. */
static bool is_called_a_trace(const char *path)
{
    static const char *const ends[] = {
        ".db",    ".sqlite",         ".rpd",      ".pftrace", ".otf2",
        ".db.gz", ".perfetto-trace", ".nsys-rep", ".rpd.gz"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(path, ends[i]))
            return true;
    return false;
}

static bool is_fleet(const struct probe *p)
{
    for (size_t i = 0; p->tables[i]; i++)
        if (str_eq(p->tables[i], "gpusight_schema"))
            return true;
    return false;
}

/* A file of a folder: a trace, a damaged one, or something else. */
static void look_at_file(struct walk *w, const char *path, struct ingest_files *files)
{
    struct arena *temporary = arena_scratch();
    struct sighting s;
    struct probe p;
    struct opt_list one = {.v = &path, .n = 1};
    struct ingest_files found = {0};
    size_t mark = inputs_mark();
    detect_look_at(&s, w->seen, &p, path, temporary);
    if (s.readable && is_fleet(&p))
        w->out->others++;
    else if (s.format && ingest_find_here(&found, &one, false, w->seen, w->arena, &s.why)) {
        bool known = false;
        for (size_t i = files->n; i-- && !known;) /* another file of the same capture */
            known = str_eq(files->v[i].path, found.v[0].path);
        if (!known)
            vec_push(files, w->arena, found.v[0]);
    } else if (s.format || s.is_sqlite || !s.readable || is_called_a_trace(path))
        add_bad(w, path, &s.why);
    else {
        w->out->others++;
        inputs_forget(mark); /* what this prints may go there */
    }
    arena_release(temporary);
}

struct rank_of {
    int32_t rank;
    bool ok;
};

static struct rank_of rank_of_file(const struct ingest_file *file)
{
    struct arena *temporary = arena_scratch();
    struct trace *t = trace_new(temporary);
    struct ingest_files one = {(struct ingest_file *)file, 1, 1};
    struct ingest_opts o = {.threads = 1, .leave_out = INGEST_ALL};
    struct gs_error ignored;
    struct rank_of r = {-1, false};
    if (ingest_load_files(t, &one, &o, &ignored))
        for (size_t i = 0; i < t->processes.n; i++)
            if (t->processes.v[i].rank >= 0)
                r = (struct rank_of){t->processes.v[i].rank, true};
    arena_release(temporary);
    return r;
}

/* Whether each says that it is another rank. */
static bool are_ranks(const struct ingest_files *files)
{
    struct arena *temporary = arena_scratch();
    struct idmap seen;
    bool ok = files->n > 1;
    idmap_init(&seen, temporary);
    for (size_t i = 0; ok && i < files->n; i++) {
        struct rank_of r = rank_of_file(&files->v[i]);
        ok = r.ok && files->v[i].format == files->v[0].format &&
             idmap_get(&seen, (uint64_t)r.rank) == NO_INDEX;
        idmap_put(&seen, (uint64_t)r.rank, 0);
    }
    arena_release(temporary);
    return ok;
}

static bool walk_folder(struct walk *w, const char *dir, int depth);

/* A whole folder, or a file, as one run. */
static void add_whole(struct walk *w, const char *path)
{
    struct opt_list one = {.v = &path, .n = 1};
    struct ingest_files files = {0};
    struct gs_error why = {0};
    if (!fs_is_dir(path)) {
        look_at_file(w, path, &files);
        if (files.n)
            add_run(w, path, false, &files);
    } else if (ingest_find_here(&files, &one, false, w->seen, w->arena, &why))
        add_run(w, path, true, &files);
    else if (why.code == GS_E_EMPTY)
        w->out->others++;
    else
        add_bad(w, path, &why);
}

static bool walk_folder(struct walk *w, const char *dir, int depth)
{
    struct fs_list names = {0};
    struct ingest_files files = {0};
    if (depth > DEEPEST)
        return true;
    if (!fs_names(&names, dir, false, SIZE_MAX, w->arena, w->err))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        const char *path = fs_join(dir, names.v[i], w->arena);
        struct stat st;
        if (stat(path, &st) != 0 || ingest_belongs_to_another(path, S_ISDIR(st.st_mode), w->arena))
            continue;
        if (w->how == FLEET_FOLDERS) {
            add_whole(w, path);
        } else if (S_ISREG(st.st_mode)) {
            if (fs_first_time(&w->met, &st)) /* else by another of its names */
                look_at_file(w, path, &files);
        } else if (S_ISDIR(st.st_mode) && fs_first_time(&w->met, &st) &&
                   !walk_folder(w, path, depth + 1)) {
            add_bad(w, path, w->err); /* one that is closed to us is no reason to stop */
            *w->err = (struct gs_error){0};
        }
    }
    if (w->how == FLEET_AUTO && are_ranks(&files)) {
        add_run(w, dir, true, &files);
        return true;
    }
    for (size_t i = 0; i < files.n; i++) {
        struct ingest_files one = {&files.v[i], 1, 1};
        add_run(w, files.v[i].path, false, &one);
    }
    return true;
}

bool fleet_find(struct fleet_found *out, const struct opt_list *paths, enum fleet_division how,
                struct arena *a, struct gs_error *err)
{
    struct walk w = {.out = out, .how = how, .arena = a, .err = err};
    w.seen = sightings_new(a);
    idmap_init(&w.met, a);
    for (size_t i = 0; i < paths->n; i++) {
        struct stat st;
        if (stat(paths->v[i], &st) != 0)
            return fail(err, GS_E_IO, "cannot open '%s': %s", paths->v[i], strerror(errno));
        if (!S_ISDIR(st.st_mode))
            add_whole(&w, paths->v[i]);
        else if (fs_first_time(&w.met, &st) && !walk_folder(&w, paths->v[i], 0))
            return false;
    }
    return true;
}
