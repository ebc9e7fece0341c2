/* Files of the Nsight Systems writer: made under a temporary name, renamed when complete. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "synth/nsys_in.h"

static const char *replaced(struct nsys_writer *w, const char *path, const char *what,
                            const char *by)
{
    struct str out;
    str_init(&out, w->arena);
    for (const char *at; (at = strstr(path, what)); path = at + strlen(what)) {
        str_put(&out, path, (size_t)(at - path));
        str_puts(&out, by);
    }
    str_puts(&out, path);
    return out.buf;
}

/* Makes all folders on the way to a file. */
static void make_folders(struct nsys_writer *w, const char *path)
{
    char *copy = arena_strdup(w->arena, path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(copy, 0777) != 0 && errno != EEXIST && !w->sink.failed) {
            w->sink.failed = true;
            fail(&w->sink.error, GS_E_IO, "cannot make folder '%s': %s", copy, strerror(errno));
        }
        *slash = '/';
    }
}

static char *file_path(struct nsys_writer *w, const struct nprocess *p)
{
    const char *path = w->o.path;
    bool pattern = strchr(path, '%') != NULL;
    if (!w->o.merge) {
        path = replaced(w, path, "%pid%", arena_printf(w->arena, "%lld", (long long)p->rec.pid));
        path = replaced(w, path, "%rank%", arena_printf(w->arena, "%lld", (long long)p->rec.rank));
        path = replaced(w, path, "%host%", names_text(w->names, p->rec.host));
    }
    bool many = w->processes.n > 1 && !w->o.merge && !pattern;
    if (many || str_ends(path, "/") || fs_is_dir(path))
        path = arena_printf(w->arena, "%s%sreport.%lld.sqlite", path,
                            str_ends(path, "/") ? "" : "/", (long long)p->rec.pid);
    make_folders(w, path);
    return arena_strdup(w->arena, path);
}

struct nfile *nsysw_open(struct nsys_writer *w, int process)
{
    const struct nprocess *p = &w->processes.v[process];
    struct nfile *f = arena_new(w->arena, struct nfile);
    f->path = file_path(w, p);
    f->temp = arena_printf(w->arena, "%s.%ld.tmp", f->path, (long)getpid());
    f->first_process = process;
    f->origin_ns = p->rec.start_ns;
    for (size_t i = 0; i < w->files.n; i++)
        if (str_eq(w->files.v[i]->path, f->path) && !w->sink.failed) {
            w->sink.failed = true;
            fail(&w->sink.error, GS_E_USAGE, "two processes would be written to '%s'; use %%pid%%",
                 f->path);
        }
    vec_push(&w->files, w->arena, f);
    unlink(f->temp);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (!w->sink.failed && sqlite3_open_v2(f->temp, &f->db, flags, NULL) != SQLITE_OK)
        nsysw_fail(w, f->db, f->path);
    nsysw_exec(w, f,
               arena_printf(w->arena,
                            "PRAGMA page_size=%lld; PRAGMA journal_mode=off; PRAGMA "
                            "synchronous=off; PRAGMA locking_mode=exclusive; PRAGMA "
                            "cache_size=-65536; BEGIN",
                            (long long)(w->o.page_size ? w->o.page_size : 4096)));
    return f;
}

static void close_file(struct nsys_writer *w, struct nfile *f, bool keep)
{
    for (int i = 0; i < NI_COUNT; i++)
        sqlite3_finalize(f->insert[i]);
    if (keep && !w->sink.failed) {
        nsysw_complete(w, f);
        nsysw_exec(w, f, "COMMIT; PRAGMA locking_mode=normal");
    }
    if (f->db && sqlite3_close(f->db) != SQLITE_OK)
        nsysw_fail(w, f->db, "close");
    if (!keep || w->sink.failed) {
        unlink(f->temp);
    } else if (rename(f->temp, f->path) != 0) {
        w->sink.failed = true;
        fail(&w->sink.error, GS_E_IO, "cannot write '%s': %s", f->path, strerror(errno));
    }
}

bool nsysw_finish(struct sink *sink, bool keep, struct opt_list *files, struct gs_error *err)
{
    struct nsys_writer *w = (struct nsys_writer *)sink;
    bool failed_before = w->sink.failed;
    for (size_t i = 0; i < w->files.n; i++) {
        close_file(w, w->files.v[i], keep);
        if (files)
            vec_push(files, w->arena, (const char *)w->files.v[i]->path);
    }
    if (w->sink.failed && !failed_before && err)
        *err = w->sink.error;
    return keep && !w->sink.failed;
}
