/* Archives: which files one has, and the child that reads them. */
#include "ingest/otf2/otf2.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/sat.h"
#include "base/str.h"
#include "ingest/ingest.h"

static bool detect(const struct probe *p)
{
    return !p->is_sqlite && p->n >= 6 && p->head[0] == 3 && !memcmp(p->head + 2, "OTF2", 4);
}

/* What the other names of an archive begin with; the path itself where it is called otherwise. */
static const char *stem_of(const char *path, struct arena *a)
{
    size_t n = strlen(path);
    return n > 5 && str_ends(path, ".otf2") ? arena_strndup(a, path, n - 5) : path;
}

static uint64_t archive_bytes(const char *path, uint64_t *n_files, struct arena *a)
{
    struct fs_list files = {0};
    struct gs_error ignored;
    uint64_t sum = fs_size(path) < 0 ? 0 : (uint64_t)fs_size(path);
    const char *stem = stem_of(path, a);
    *n_files = 0;
    if (fs_is_dir(stem) && fs_list(&files, stem, a, &ignored))
        for (size_t i = 0; i < files.n; i++) {
            int64_t size = fs_size(arena_printf(a, "%s/%s", stem, fs_basename(files.v[i])));
            sum = add_bytes(sum, size < 0 ? 0 : (uint64_t)size);
            ++*n_files;
        }
    return sum;
}

/* The anchor alone says nothing: people copy it without the rest. */
static bool is_whole(const char *path, struct arena *a, struct gs_error *err)
{
    size_t n = strlen(path);
    if (!str_ends(path, ".otf2"))
        return true;
    const char *stem = arena_strndup(a, path, n - 5), *def = arena_printf(a, "%s.def", stem);
    if (fs_exists(def) && fs_is_dir(stem))
        return true;
    return fail(err, GS_E_FORMAT,
                "an OTF2 archive that is not whole: '%s' is missing; copy NAME.otf2, NAME.def and "
                "the folder NAME together",
                fs_exists(def) ? stem : def);
}

struct reading {
    int fd;
    pid_t child;
};

static void end_child(void *in)
{
    struct reading *r = in;
    int status;
    if (r->fd >= 0)
        close(r->fd); /* it ends when it writes next */
    r->fd = -1;
    while (r->child > 0 && waitpid(r->child, &status, 0) < 0 && errno == EINTR)
        ;
    r->child = 0;
}

static bool start_child(struct reading *r, const char *path, const char *stem, uint64_t bytes,
                        uint64_t files, struct gs_error *err)
{
    int ends[2];
    if (pipe(ends) != 0)
        return fail(err, GS_E_IO, "cannot make a pipe: %s", strerror(errno));
    r->child = fork();
    if (r->child == 0) {
        close(ends[0]);
        otf2_child(path, stem, ends[1], bytes, files);
    }
    close(ends[1]);
    r->fd = ends[0];
    return r->child > 0 || fail(err, GS_E_IO, "cannot start a process: %s", strerror(errno));
}

static bool load(struct trace *t, const char *path, const struct ingest_opts *opts,
                 struct arena *arena, struct gs_error *err)
{
    struct reading *r = arena_new(arena, struct reading);
    struct trace_file f = ingest_file(path, TRACE_OTF2, WRITER_OTF2, "libotf2");
    (void)opts;
    uint64_t files;
    *r = (struct reading){.fd = -1};
    arena_defer(arena, end_child, r);
    f.bytes = archive_bytes(path, &files, arena);
    vec_push(&t->files, &t->arena, f);
    return is_whole(path, arena, err) &&
           start_child(r, path, stem_of(path, arena), f.bytes, files, err) &&
           otf2_read(t, r->fd, path, arena, err);
}

/* The anchor, the definitions, and a file or two for each location. */
static void parts(struct fs_list *out, const char *path, struct arena *a)
{
    struct fs_list files = {0};
    struct gs_error ignored;
    const char *stem = stem_of(path, a);
    vec_push(out, a, arena_strdup(a, path));
    if (stem == path)
        return;
    vec_push(out, a, arena_printf(a, "%s.def", stem));
    if (fs_is_dir(stem) && fs_names(&files, stem, true, SIZE_MAX, a, &ignored))
        for (size_t i = 0; i < files.n; i++)
            vec_push(out, a, fs_join(stem, files.v[i], a));
}

const struct format format_otf2 = {
    .name = "otf2",
    .label = "OTF2 archive",
    .scattered = true,
    .detect = detect,
    .parts = parts,
    .load = load,
};
