/* Files of the Kineto writer: made under a temporary name, renamed when complete. */
#include <errno.h>
#include <string.h>

#include "base/fs_out.h"
#include "base/utf8.h"
#include "synth/kineto_in.h"
#include "synth/out_path.h"

static void refuse(struct kineto_writer *w, enum gs_code code, const char *what, const char *path,
                   const char *why)
{
    if (w->sink.failed)
        return;
    w->sink.failed = true;
    fail(&w->sink.error, code, "%s '%s'%s%s", what, path, *why ? ": " : "", why);
}

void kinetow_open(struct kineto_writer *w, struct kprocess *p)
{
    struct gs_error why;
    const char *host = utf8_file_word(names_text(w->names, p->rec.host), w->arena);
    const char *name = arena_printf(w->arena, "%s_%lld.pt.trace.json", host, (long long)p->rec.pid);
    p->path = out_path(w->o.path, false, &p->rec, w->names, name, w->arena, &why);
    if (!p->path) {
        sink_fail(&w->sink, &why);
        return;
    }
    for (const struct kprocess *other = w->processes.v; other < p; other++)
        if (str_eq(other->path, p->path))
            refuse(w, GS_E_USAGE, "two processes would be written to", p->path, "use %pid%");
    if (w->sink.failed)
        return;
    struct fs_out *file = arena_new(w->arena, struct fs_out);
    if (!fs_out_name(file, p->path, &why)) {
        sink_fail(&w->sink, &why);
        return;
    }
    p->file = file;
    p->out = gzopen(file->temp, str_ends(p->path, ".gz") ? "wb6" : "wbT");
    if (!p->out)
        refuse(w, GS_E_IO, "cannot write", p->path, strerror(errno));
    else
        gzbuffer(p->out, 256 * 1024);
}

void kinetow_flush(struct kineto_writer *w, struct kprocess *p)
{
    size_t n = w->line.len;
    if (n && p->out && !w->sink.failed && gzwrite(p->out, w->line.buf, (unsigned)n) != (int)n)
        refuse(w, GS_E_IO, "cannot write", p->path, strerror(errno));
    str_clear(&w->line);
}

static void close_file(struct kineto_writer *w, struct kprocess *p, bool keep)
{
    if (keep)
        kinetow_tail(w, p);
    if (p->out && gzclose(p->out) != Z_OK)
        refuse(w, GS_E_IO, "cannot write", p->path, strerror(errno));
    p->out = NULL;
    struct gs_error why;
    if (p->file && (!keep || w->sink.failed))
        fs_out_abandon(p->file);
    else if (p->file && !sink_file_done(&w->sink, p->file, &why))
        sink_fail(&w->sink, &why);
    p->file = NULL;
}

bool kinetow_finish(struct sink *sink, bool keep, struct opt_list *files, struct gs_error *err)
{
    struct kineto_writer *w = (struct kineto_writer *)sink;
    bool failed_before = w->sink.failed;
    for (size_t i = 0; i < w->processes.n; i++) {
        close_file(w, &w->processes.v[i], keep && !w->sink.failed);
        if (files && w->processes.v[i].path)
            vec_push(files, w->arena, (const char *)w->processes.v[i].path);
    }
    return sink_finished(&w->sink, keep, failed_before, err);
}
