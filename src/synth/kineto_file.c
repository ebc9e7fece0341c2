/* Files of the Kineto writer: made under a temporary name, renamed when complete. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "synth/kineto_in.h"

static void refuse(struct kineto_writer *w, enum gs_code code, const char *what, const char *path,
                   const char *why)
{
    if (w->sink.failed)
        return;
    w->sink.failed = true;
    fail(&w->sink.error, code, "%s '%s'%s%s", what, path, *why ? ": " : "", why);
}

static const char *replaced(struct kineto_writer *w, const char *path, const char *what,
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
static void make_folders(struct kineto_writer *w, const char *path)
{
    char *copy = arena_strdup(w->arena, path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            refuse(w, GS_E_IO, "cannot make folder", copy, strerror(errno));
        *slash = '/';
    }
}

static char *file_path(struct kineto_writer *w, const struct kprocess *p)
{
    const char *path = w->o.path;
    bool pattern = strchr(path, '%') != NULL;
    path = replaced(w, path, "%pid%", arena_printf(w->arena, "%lld", (long long)p->rec.pid));
    path = replaced(w, path, "%rank%", arena_printf(w->arena, "%lld", (long long)p->rec.rank));
    path = replaced(w, path, "%host%", names_text(w->names, p->rec.host));
    if ((w->processes.n > 1 && !pattern) || str_ends(path, "/") || fs_is_dir(path))
        path = arena_printf(w->arena, "%s%s%s_%lld.pt.trace.json", path,
                            str_ends(path, "/") ? "" : "/", names_text(w->names, p->rec.host),
                            (long long)p->rec.pid);
    make_folders(w, path);
    return arena_strdup(w->arena, path);
}

void kinetow_open(struct kineto_writer *w, struct kprocess *p)
{
    p->path = file_path(w, p);
    p->temp = arena_printf(w->arena, "%s.%ld.tmp", p->path, (long)getpid());
    for (const struct kprocess *other = w->processes.v; other < p; other++)
        if (str_eq(other->path, p->path))
            refuse(w, GS_E_USAGE, "two processes would be written to", p->path, "use %pid%");
    if (w->sink.failed)
        return;
    p->out = gzopen(p->temp, str_ends(p->path, ".gz") ? "wb6" : "wbT");
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
    if (!p->temp)
        return;
    if (!keep || w->sink.failed)
        unlink(p->temp);
    else if (rename(p->temp, p->path) != 0)
        refuse(w, GS_E_IO, "cannot write", p->path, strerror(errno));
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
    if (w->sink.failed && !failed_before && err)
        *err = w->sink.error;
    return keep && !w->sink.failed;
}
