/* Files of the rocpd writer: made under a temporary name, renamed when they are complete. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/unfinished.h"
#include "synth/db_file.h"
#include "synth/out_path.h"
#include "synth/rocpd_in.h"

struct rfile *rocpdw_open(struct rocpd *w, const struct rprocess *p)
{
    struct rfile *f = arena_new(w->arena, struct rfile);
    struct gs_error why;
    const char *name =
        arena_printf(w->arena, w->o.flavor == ROCPD_SYS ? "rocpd-%lld.db" : "%lld_results.db",
                     (long long)p->rec.pid);
    f->path = out_path(w->o.path, w->o.merge, &p->rec, w->names, name, w->arena, &why);
    if (!f->path)
        sink_fail(&w->sink, &why);
    for (size_t i = 0; i < w->files.n && f->path; i++)
        if (str_eq(w->files.v[i]->path, f->path)) {
            fail(&why, GS_E_USAGE, "two processes would be written to '%s'; use %%pid%%", f->path);
            sink_fail(&w->sink, &why);
        }
    bool alone = w->o.journal == JOURNAL_NONE;
    if (!w->sink.failed &&
        !(alone ? fs_out_database_alone : fs_out_database)(&f->out, f->path, &why))
        sink_fail(&w->sink, &why);
    f->temp = f->out.temp;
    vec_push(&w->files, w->arena, f);
    if (!w->sink.failed && db_file_open(f->temp, &f->db) != SQLITE_OK)
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
        if (p->file != f)
            continue;
        for (int k = 0; k < INS_COUNT; k++) {
            sqlite3_finalize(p->insert[k]);
            p->insert[k] = NULL; /* a shortage below calls once more */
        }
        for (size_t k = 0; k < p->arg_inserts.n; k++)
            sqlite3_finalize(p->arg_inserts.v[k].st);
        p->arg_inserts.n = 0;
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

/* A log left beside the file goes with it, and one of an older file is removed. */
static bool move_log(const struct rocpd *w, const struct rfile *f)
{
    char *from = arena_printf(w->arena, "%s-wal", f->temp);
    char *to = arena_printf(w->arena, "%s-wal", f->path);
    bool none = f->out.nameless; /* then nothing can lie beside it */
    if (!none && rename(from, to) == 0)
        return true;
    return (none || errno == ENOENT) && (unlink(to) == 0 || errno == ENOENT);
}

static void move_file(struct rocpd *w, struct rfile *f, bool keep)
{
    struct gs_error why;
    if (!keep || w->sink.failed) {
        for (size_t i = 1; i < FS_DB_FILES && f->temp && *f->temp; i++)
            unlink(arena_printf(w->arena, "%s%s", f->temp, fs_db_ends[i]));
        fs_out_abandon(&f->out);
        return;
    }
    unlink(arena_printf(w->arena, "%s-shm", f->temp));
    if (w->sink.set && w->o.journal == JOURNAL_NONE) {
        if (!sink_file_done(&w->sink, &f->out, &why))
            sink_fail(&w->sink, &why);
        else
            unlink(arena_printf(w->arena, "%s-wal", f->path)); /* of an older file */
        return;
    }
    if (!fs_out_complete(&f->out, &why)) {
        sink_fail(&w->sink, &why);
        fs_out_abandon(&f->out);
        return;
    }
    unfinished_hold(); /* a log without its database would be taken for that of an older one */
    bool moved = move_log(w, f);
    if (!moved) {
        fail(&why, GS_E_IO, "cannot write '%s-wal': %s", f->path, strerror(errno));
        fs_out_abandon(&f->out);
    }
    bool ok = moved && fs_out_publish(&f->out, &why);
    unfinished_let_go();
    if (ok)
        fs_out_settle(f->path);
    else
        sink_fail(&w->sink, &why);
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
    return sink_finished(&w->sink, keep, failed_before, err);
}
