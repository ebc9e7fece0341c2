/* Files of the rocpd writer: made under a temporary name, renamed when they are complete. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "synth/rocpd_in.h"

static void replace(struct str *out, const char *path, const char *what, const char *by)
{
    const char *at;
    while ((at = strstr(path, what))) {
        str_put(out, path, (size_t)(at - path));
        str_puts(out, by);
        path = at + strlen(what);
    }
    str_puts(out, path);
}

static const char *replaced(struct rocpd *w, const char *path, const char *what, const char *by)
{
    struct str out;
    str_init(&out, w->arena);
    replace(&out, path, what, by);
    return out.buf;
}

/* Makes all folders on the way to a file. */
static void make_folders(struct rocpd *w, const char *path)
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

static char *file_path(struct rocpd *w, const struct rprocess *p)
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
        path = arena_printf(w->arena,
                            w->o.flavor == ROCPD_SYS ? "%s%srocpd-%lld.db" : "%s%s%lld_results.db",
                            path, str_ends(path, "/") ? "" : "/", (long long)p->rec.pid);
    make_folders(w, path);
    return arena_strdup(w->arena, path);
}

struct rfile *rocpdw_open(struct rocpd *w, const struct rprocess *p)
{
    struct rfile *f = arena_new(w->arena, struct rfile);
    f->path = file_path(w, p);
    f->temp = arena_printf(w->arena, "%s.%ld.tmp", f->path, (long)getpid());
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
        rocpdw_fail(w, f->db, f->path);
    char *sql = arena_printf(w->arena,
                             "PRAGMA page_size=%lld; PRAGMA journal_mode=off; PRAGMA "
                             "synchronous=off; PRAGMA locking_mode=exclusive; PRAGMA "
                             "cache_size=-65536; BEGIN",
                             (long long)(w->o.page_size ? w->o.page_size : 4096));
    rocpdw_exec(w, f->db, sql);
    return f;
}

static void for_sets(struct rocpd *w, struct rfile *f, const char *sql)
{
    for (size_t i = 0; i < w->processes.n; i++)
        if (w->processes.v[i].file == f)
            rocpdw_exec(w, f->db, rocpdw_expand(w, &w->processes.v[i], sql));
}

/* Moves the last dispatch of every process of the file into the write-ahead log. */
static void leave_wal(struct rocpd *w, struct rfile *f)
{
    sqlite3_db_config(f->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    rocpdw_exec(w, f->db, "PRAGMA journal_mode=delete");
    for_sets(w, f,
             "CREATE TEMP TABLE \"kept{u}\" AS SELECT * FROM \"rocpd_kernel_dispatch{u}\" "
             "ORDER BY id DESC LIMIT 1; DELETE FROM \"rocpd_kernel_dispatch{u}\" WHERE id IN "
             "(SELECT id FROM \"kept{u}\")");
    rocpdw_exec(w, f->db, "PRAGMA journal_mode=wal; BEGIN");
    for_sets(w, f, "INSERT INTO \"rocpd_kernel_dispatch{u}\" SELECT * FROM \"kept{u}\"");
    rocpdw_exec(w, f->db, "COMMIT");
}

static void close_file(struct rocpd *w, struct rfile *f, bool keep)
{
    for (size_t i = 0; i < w->processes.n; i++) {
        struct rprocess *p = &w->processes.v[i];
        for (int k = 0; k < INS_COUNT && p->file == f; k++)
            sqlite3_finalize(p->insert[k]);
        for (size_t k = 0; k < p->arg_inserts.n && p->file == f; k++)
            sqlite3_finalize(p->arg_inserts.v[k].st);
    }
    if (keep && !w->sink.failed) {
        rocpdw_complete(w, f);
        if (w->o.drop.n)
            rocpdw_views(w, f);
        rocpdw_exec(w, f->db, "COMMIT; PRAGMA locking_mode=normal");
        if (w->o.journal == JOURNAL_WAL)
            rocpdw_exec(w, f->db, "PRAGMA journal_mode=wal");
        if (w->o.journal == JOURNAL_WAL_LEFT)
            leave_wal(w, f);
    }
    if (sqlite3_close(f->db) != SQLITE_OK)
        rocpdw_fail(w, f->db, "close");
    f->db = NULL;
}

/* A log left beside the file goes with it. */
static void move_file(struct rocpd *w, const struct rfile *f, bool keep)
{
    const char *tails[] = {"-wal", ""};
    for (int i = 0; i < 2; i++) {
        char *from = arena_printf(w->arena, "%s%s", f->temp, tails[i]);
        char *to = arena_printf(w->arena, "%s%s", f->path, tails[i]);
        if (!keep || w->sink.failed) {
            unlink(from);
        } else if (rename(from, to) != 0 && errno == ENOENT && *tails[i]) {
            unlink(to); /* of an older file */
        } else if (!fs_exists(to)) {
            w->sink.failed = true;
            fail(&w->sink.error, GS_E_IO, "cannot write '%s': %s", f->path, strerror(errno));
        }
    }
    unlink(arena_printf(w->arena, "%s-shm", f->temp));
}

bool rocpdw_finish(struct sink *sink, bool keep, struct opt_list *files, struct gs_error *err)
{
    struct rocpd *w = (struct rocpd *)sink;
    bool failed_before = w->sink.failed;
    for (size_t i = 0; i < w->files.n; i++)
        close_file(w, w->files.v[i], keep);
    for (size_t i = 0; i < w->files.n; i++) {
        move_file(w, w->files.v[i], keep);
        if (files)
            vec_push(files, w->arena, (const char *)w->files.v[i]->path);
    }
    if (w->sink.failed && !failed_before && err)
        *err = w->sink.error;
    return keep && !w->sink.failed;
}
