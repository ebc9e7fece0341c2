/* Files of the Nsight Systems writer: made under a temporary name, renamed when complete. */
#include "base/str.h"
#include "synth/db_file.h"
#include "synth/nsys_in.h"
#include "synth/out_path.h"

struct nfile *nsysw_open(struct nsys_writer *w, int process)
{
    const struct nprocess *p = &w->processes.v[process];
    struct nfile *f = arena_new(w->arena, struct nfile);
    struct gs_error why;
    const char *name = arena_printf(w->arena, "report.%lld.sqlite", (long long)p->rec.pid);
    f->path = out_path(w->o.path, w->o.merge, &p->rec, w->names, name, w->arena, &why);
    if (!f->path)
        sink_fail(&w->sink, &why);
    f->first_process = process;
    f->origin_ns = p->rec.start_ns;
    for (size_t i = 0; i < w->files.n && f->path; i++)
        if (str_eq(w->files.v[i]->path, f->path)) {
            fail(&why, GS_E_USAGE, "two processes would be written to '%s'; use %%pid%%", f->path);
            sink_fail(&w->sink, &why);
        }
    if (!w->sink.failed && !fs_out_database_alone(&f->out, f->path, &why))
        sink_fail(&w->sink, &why);
    f->temp = f->out.temp;
    vec_push(&w->files, w->arena, f);
    if (!w->sink.failed && db_file_open(f->temp, &f->db) != SQLITE_OK)
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
    for (int i = 0; i < NI_COUNT; i++) {
        sqlite3_finalize(f->insert[i]);
        f->insert[i] = NULL; /* a shortage below calls once more */
    }
    if (keep && !w->sink.failed) {
        nsysw_complete(w, f);
        nsysw_exec(w, f, "COMMIT; PRAGMA locking_mode=normal");
    }
    if (f->db && sqlite3_close(f->db) != SQLITE_OK)
        nsysw_fail(w, f->db, "close");
    f->db = NULL;
    struct gs_error why;
    if (!keep || w->sink.failed)
        fs_out_abandon(&f->out);
    else if (!sink_file_done(&w->sink, &f->out, &why))
        sink_fail(&w->sink, &why);
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
    return sink_finished(&w->sink, keep, failed_before, err);
}
