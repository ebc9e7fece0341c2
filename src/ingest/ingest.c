#include "ingest/ingest.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/human.h"
#include "base/input.h"
#include "base/inputs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/spill.h"
#include "base/str.h"
#include "base/vec.h"
#include "ingest/detect.h"
#include "ingest/door.h"
#include "ingest/index.h"
#include "ingest/kept.h"
#include "ingest/lift.h"
#include "ingest/remote.h"

enum { DEEPEST_FOLDER = 64, MOST_FILES = 100000 };

/* A file or folder, whatever it is called. */
struct identity {
    dev_t device;
    ino_t inode;
    bool other; /* a database that is no trace, whatever it is called */
};

struct finder {
    struct arena *arena;
    struct sightings *seen;
    struct ingest_files files;
    VEC(struct identity) met;
    struct idmap met_index; /* hash of an identity -> met */
    struct idmap captures;  /* hash of its name -> files */
    size_t n_traces;        /* found, also those found before */
    bool listing;           /* inside the list of a package: a list in a list is none */
};

static uint64_t key_of(const struct stat *st)
{
    return hash_u64((uint64_t)st->st_dev) ^ (uint64_t)st->st_ino;
}

static struct identity *was_met(const struct finder *f, const struct stat *st)
{
    uint32_t i = idmap_get(&f->met_index, key_of(st));
    struct identity *id = i == NO_INDEX ? NULL : &f->met.v[i];
    return id && id->device == st->st_dev && id->inode == st->st_ino ? id : NULL;
}

/* True for the first time: links lead to one file by several names, and folders into themselves. */
static bool meet(struct finder *f, const struct stat *st)
{
    if (was_met(f, st))
        return false;
    vec_push(&f->met, f->arena, ((struct identity){st->st_dev, st->st_ino, false}));
    idmap_put(&f->met_index, key_of(st), (uint32_t)f->met.n - 1);
    return true;
}

/* A trace that is there already, under another name or the same: it is not looked into again. */
static bool is_known(struct finder *f, const char *path, const struct stat *st)
{
    const struct identity *met = S_ISREG(st->st_mode) ? was_met(f, st) : NULL;
    if (!met || met->other)
        return false;
    for (size_t i = 1; i < FS_DB_FILES; i++) /* its other name has journals of its own */
        inputs_add_beside(path, fs_db_ends[i]);
    f->n_traces++;
    return true;
}

/* The same for what the files of a capture share. Two names with one hash: all are looked at. */
static bool meet_capture(struct finder *f, const char *path)
{
    uint64_t key = hash_bytes(path, strlen(path));
    uint32_t at = idmap_get(&f->captures, key);
    if (at != NO_INDEX && str_eq(f->files.v[at].path, path))
        return false;
    for (size_t i = at == NO_INDEX ? f->files.n : 0; i < f->files.n; i++)
        if (f->files.v[i].format->capture && str_eq(f->files.v[i].path, path))
            return false;
    idmap_put(&f->captures, key, (uint32_t)f->files.n);
    return true;
}

/* Adds a file, or the capture it belongs to, unless that is there already. */
static bool add_file(struct finder *f, const char *path, const struct format *format,
                     struct gs_error *err)
{
    struct stat st;
    f->n_traces++;
    if (stat(path, &st) == 0 && !meet(f, &st))
        return true;
    if (f->files.n >= MOST_FILES)
        return fail(err, GS_E_USAGE, "more than %d traces", MOST_FILES);
    if (format->capture) {
        path = format->capture(path, f->arena);
        if (!meet_capture(f, path))
            return true;
    }
    vec_push(&f->files, f->arena, ((struct ingest_file){path, format, NULL}));
    return true;
}

/* A file in a folder: other kinds are passed over, but no trace that is damaged or locked. */
static bool find_file(struct finder *f, const char *path, struct gs_error *err)
{
    struct sighting s;
    struct stat st;
    bool found = stat(path, &st) == 0;
    if (found && (is_known(f, path, &st) || was_met(f, &st)))
        return true;
    size_t mark = inputs_mark();
    detect_look(&s, f->seen, path);
    if (s.format)
        return add_file(f, path, s.format, err);
    if (s.readable) {
        if (found && s.is_sqlite && meet(f, &st))
            was_met(f, &st)->other = true;
        inputs_forget(mark); /* a report of ours, say, which may be written anew */
        return true;
    }
    if (s.is_sqlite || (s.why.code == GS_E_IO && access(path, R_OK) == 0))
        return fail(err, s.why.code, "%s; to leave it out, name the others", s.why.text);
    log_warn("%s; passed over", s.why.text);
    return true;
}

/* JAX writes the same events twice: HOST.trace.json.gz has a million at most, HOST.xplane.pb all. */
static bool has_better_twin(const char *path, struct arena *a)
{
    static const char *const ends[] = {".trace.json.gz", ".trace.json"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(path, ends[i]))
            return fs_exists(
                arena_printf(a, "%.*s.xplane.pb", (int)(strlen(path) - strlen(ends[i])), path));
    return false;
}

bool ingest_belongs_to_another(const char *path, bool folder, struct arena *a)
{
    if (folder) /* of a thread trace: a file a wave, thousands of them */
        return str_starts(fs_basename(path), "ui_output_agent_");
    for (size_t i = 1; i < FS_DB_FILES; i++)
        if (str_ends(path, fs_db_ends[i]))
            return true;
    return has_better_twin(path, a);
}

static bool find_in_folder(struct finder *f, const char *dir, int depth, struct gs_error *err);

static bool find_entry(struct finder *f, const char *path, int depth, struct gs_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return true; /* a dangling link among other files is no concern */
    if (ingest_belongs_to_another(path, S_ISDIR(st.st_mode), f->arena))
        return true;
    if (S_ISDIR(st.st_mode))
        return depth >= DEEPEST_FOLDER || !meet(f, &st) || find_in_folder(f, path, depth + 1, err);
    return !S_ISREG(st.st_mode) || find_file(f, path, err);
}

/* The paths of what is in a folder, sorted. */
static bool list_folder(struct finder *f, const char *dir, struct fs_list *out,
                        struct gs_error *err)
{
    bool ok = fs_names(out, dir, false, SIZE_MAX, f->arena, err);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = fs_join(dir, out->v[i], f->arena);
    return ok;
}

static bool find_listed(struct finder *f, const char *path, struct gs_error *err);

/*
 * The traces in a folder and below, by name; files of other kinds are passed over. A package is
 * what its list names, which may lie elsewhere.
 */
static bool find_in_folder(struct finder *f, const char *dir, int depth, struct gs_error *err)
{
    struct fs_list names = {0};
    const char *index = fs_join(dir, "index.yaml", f->arena);
    if (!f->listing && index_is(index))
        return find_listed(f, index, err);
    if (!list_folder(f, dir, &names, err))
        return false;
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
    if (!*base || !list_folder(f, dir, &beside, &ignored))
        return false;
    for (size_t i = 0; i < beside.n; i++) {
        const char *name = fs_basename(beside.v[i]);
        if (!str_starts(name, base))
            continue;
        const char *file = arena_printf(f->arena, "%.*s%s", (int)(base - path), path, name);
        struct sighting s;
        size_t mark = inputs_mark();
        detect_look(&s, f->seen, file);
        if (!s.format || !s.format->capture || !str_eq(s.format->capture(file, f->arena), path)) {
            inputs_forget(mark);
            continue;
        }
        return add_file(f, file, s.format, &ignored);
    }
    return false;
}

static bool find_path(struct finder *f, const char *path, int depth, struct gs_error *err);

/* The files that the list of a package names. */
static bool find_listed(struct finder *f, const char *path, struct gs_error *err)
{
    struct fs_list names = {0};
    if (!index_read(&names, path, f->arena, err))
        return false;
    f->listing = true;
    bool ok = true;
    for (size_t i = 0; ok && i < names.n; i++)
        ok = find_path(f, names.v[i], 1, err) || wrap(err, "cannot read what '%s' names", path);
    f->listing = false;
    return ok;
}

static bool find_path(struct finder *f, const char *path, int depth, struct gs_error *err)
{
    struct stat st;
    bool found = stat(path, &st) == 0;
    if (found && S_ISDIR(st.st_mode)) {
        size_t before = f->n_traces;
        if (!meet(f, &st))
            return true;
        if (!find_in_folder(f, path, 0, err))
            return false;
        if (f->n_traces == before)
            return fail(err, GS_E_EMPTY, "no traces in '%s'%s", path,
                        str_ends(path, ".rpdb") ? "; a package has a list of them, index.yaml"
                                                : "");
        return true;
    }
    if (found && is_known(f, path, &st))
        return true;
    if (!fs_exists(path) && find_capture(f, path))
        return true;
    if (depth < 1 && index_is(path))
        return find_listed(f, path, err);
    struct sighting s;
    detect_look(&s, f->seen, path);
    if (!s.format)
        *err = s.why;
    return s.format && add_file(f, path, s.format, err);
}

static bool find_all(struct finder *f, const struct opt_list *paths, struct gs_error *err)
{
    idmap_init(&f->met_index, f->arena);
    idmap_init(&f->captures, f->arena);
    for (size_t i = 0; i < paths->n; i++)
        if (!find_path(f, paths->v[i], 0, err))
            return false;
    return true;
}

static bool same_format(const struct ingest_files *f, struct gs_error *err)
{
    for (size_t i = 1; i < f->n; i++)
        if (f->v[i].format != f->v[0].format)
            return fail(
                err, GS_E_USAGE,
                "traces of different formats: '%s' is %s, '%s' is %s; give one kind at a time",
                f->v[0].path, f->v[0].format->label, f->v[i].path, f->v[i].format->label);
    return true;
}

uint64_t ingest_size(const struct ingest_file *file)
{
    int64_t size = file->remote ? file->remote->bytes : fs_size(file->path);
    return size < 0 ? 0 : (uint64_t)size;
}

static uint64_t size_of_all(const struct ingest_files *files)
{
    uint64_t total = 0;
    for (size_t i = 0; i < files->n; i++)
        total += ingest_size(&files->v[i]);
    return total;
}

struct input *ingest_input(const char *path, const struct ingest_opts *o, struct arena *arena,
                           struct gs_error *err)
{
    struct input *in = input_new(arena, path, err);
    if (in)
        in->progress = o->progress;
    return in;
}

struct db *ingest_db(const char *path, const struct ingest_opts *o,
                     bool (*detect)(const struct probe *p), struct arena *arena,
                     struct gs_error *err)
{
    struct db *db = db_new(arena, path, o->reader, o->threads, err);
    if (!db)
        return NULL;
    const char **tables = arena_array(arena, const char *, db->schema.n + 1);
    for (size_t i = 0; i < db->schema.n; i++)
        tables[i] = db->schema.v[i].name;
    if (!detect(&(struct probe){.path = path, .is_sqlite = true, .tables = tables})) {
        fail(err, GS_E_IO, "it was replaced by another file while it was read");
        return NULL;
    }
    db->progress = o->progress;
    return db;
}

struct trace_file ingest_file(const char *path, enum trace_format format, enum trace_writer flavor,
                              const char *reader)
{
    int64_t bytes = fs_size(path);
    return (struct trace_file){.path = path,
                               .format = format,
                               .flavor = flavor,
                               .schema_version = "",
                               .tool_version = "",
                               .guid = "",
                               .reader = reader,
                               .bytes = bytes < 0 ? 0 : (uint64_t)bytes};
}

struct load_call {
    struct trace *trace;
    const struct ingest_file *file;
    const char *path;
    const struct ingest_opts *o;
    struct gs_error *err;
    bool ok;
};

static void load_guarded(void *ctx)
{
    struct load_call *c = ctx;
    c->ok = c->file->format->load(c->trace, c->path, c->o, arena_scratch(), c->err);
}

/* A shortage while a file is read is an error of that file. */
static bool load_path(struct trace *t, const struct ingest_file *file, const char *path,
                      const struct ingest_opts *o, struct gs_error *err)
{
    struct load_call call = {t, file, path, o, err, false};
    return mem_guard(load_guarded, &call, err) && call.ok;
}

/* One that only others see: as a copy, which has the name of the original in all that is said. */
static bool load_copy(struct trace *t, const struct ingest_file *file, const struct ingest_opts *o,
                      struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    size_t before = t->files.n;
    const char *copy = remote_copy(file, temporary, err);
    bool ok = copy && load_path(t, file, copy, o, err);
    if (copy && !ok && str_has(err->text, copy))
        fail(err, err->code, "the copy of it cannot be read; try '--mpi no' where it is");
    for (size_t i = before; i < t->files.n; i++)
        t->files.v[i].path = arena_printf(
            &t->arena, "%s%s", file->path,
            str_starts(t->files.v[i].path, copy) ? t->files.v[i].path + strlen(copy) : "");
    arena_release(temporary);
    return ok;
}

bool ingest_load_one(struct trace *t, const struct ingest_file *file, const struct ingest_opts *o,
                     struct gs_error *err)
{
    if (file->remote && !file->remote->here)
        return load_copy(t, file, o, err);
    return load_path(t, file, file->path, o, err);
}

static bool load_all(struct trace *t, const struct ingest_files *files, const struct ingest_opts *o,
                     struct gs_error *err)
{
    uint64_t done = 0;
    progress_expect(o->progress, size_of_all(files));
    for (size_t i = 0; i < files->n; i++) {
        const struct ingest_file *file = &files->v[i];
        trace_next_load(t);
        if (!ingest_load_one(t, file, o, err)) {
            trace_drop_load(t);
            return wrap(err, "cannot read '%s'", file->path);
        }
        assert(t->files.n > i); /* every reader names what it has read */
        done += ingest_size(file);
        progress_set(o->progress, done); /* parts that are never read count, too */
    }
    door_pass(t, o->threads);
    lift_mpi(t);
    return true;
}

/* Loads once more through libsqlite3 and compares every column. */
static bool check(struct trace *t, const struct ingest_files *files, const struct ingest_opts *o,
                  struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct trace *other = trace_new(temporary);
    struct ingest_opts slow = *o;
    slow.reader = READER_SQLITE;
    const char *difference = NULL;
    bool ok = load_all(other, files, &slow, err);
    if (ok)
        difference = trace_difference(t, other, &t->arena);
    arena_release(temporary);
    return ok && (!difference || fail(err, GS_E_FORMAT,
                                      "the fast and the sqlite reader differ at %s", difference));
}

/* What only other machines see has no identity here. */
static bool all_here(const struct ingest_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        if (files->v[i].remote && !files->v[i].remote->here)
            return false;
    return true;
}

/* From the cache, or into it; then it is whole, so that whoever comes next finds what they need. */
static bool load_kept(struct trace *t, const struct ingest_files *files, struct ingest_opts *o,
                      struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct cache_of *of = kept_of(files, o, temporary, err);
    size_t warnings = log_warnings();
    o->leave_out = 0;
    bool ok = of && (cache_load(t, of) || load_all(t, files, o, err));
    if (ok && !cache_is_hit(of) && log_warnings() == warnings) /* warnings are given each time */
        cache_store(t, of);
    arena_release(temporary);
    return ok;
}

bool ingest_find_here(struct ingest_files *out, const struct opt_list *paths, bool mixed,
                      struct sightings *seen, struct arena *a, struct gs_error *err)
{
    struct finder f = {.arena = a, .seen = seen};
    bool ok = find_all(&f, paths, err) && (mixed || same_format(&f.files, err));
    if (ok)
        *out = f.files;
    return ok;
}

bool ingest_find(struct ingest_files *out, const struct opt_list *paths, struct sightings *seen,
                 struct arena *a, struct gs_error *err)
{
    if (team_size() < 2 || team_rank() != 0)
        return ingest_find_here(out, paths, false, seen, a, err);
    return remote_find(out, paths, a, err) && same_format(out, err);
}

bool ingest_find_mixed(struct ingest_files *out, const struct opt_list *paths,
                       struct sightings *seen, struct arena *a, struct gs_error *err)
{
    if (team_size() < 2 || team_rank() != 0)
        return ingest_find_here(out, paths, true, seen, a, err);
    return remote_find(out, paths, a, err);
}

/* A process that takes more than its container may is ended without a word: this one is said before. */
static void warn_of_limit(uint64_t bytes)
{
    char needed[HUMAN_MAX], allowed[HUMAN_MAX];
    uint64_t most = spill_bound() ? UINT64_MAX : cgroup_memory("");
    if (bytes > most / 4 * 3)
        log_warn("the trace may take %s of memory or more, and %s are allowed in this container; "
                 "'--memory %lluM' keeps within that",
                 human_bytes(needed, bytes), human_bytes(allowed, most),
                 (unsigned long long)((most >> 20) / 4 * 3));
}

bool ingest_load_files(struct trace *t, const struct ingest_files *files,
                       const struct ingest_opts *opts, struct gs_error *err)
{
    enum { FILE_TO_MEMORY = 4 }; /* a trace takes about a quarter of its file, or more */
    struct ingest_opts o = *opts;
    if (o.threads < 1)
        o.threads = parallel_cores();
    if (!spill_fits(size_of_all(files) / FILE_TO_MEMORY, err))
        return false;
    warn_of_limit(size_of_all(files) / FILE_TO_MEMORY);
    if (o.cache && o.reader != READER_CHECK && !t->files.n && all_here(files))
        return load_kept(t, files, &o, err);
    return load_all(t, files, &o, err) && (o.reader != READER_CHECK || check(t, files, &o, err));
}
