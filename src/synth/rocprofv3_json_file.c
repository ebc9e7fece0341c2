/*
 * Files of the rocprofv3 JSON writer: made under a temporary name, renamed when they are complete.
 * Every process has one; merging puts them behind each other in the end.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "synth/out_path.h"
#include "synth/rocprofv3_json_in.h"

static const char HEAD[] = "{\"rocprofiler-sdk-tool\":[", TAIL[] = "]}";

static void write_failed(struct rv3json *w, const char *path)
{
    if (w->sink.failed)
        return;
    w->sink.failed = true;
    fail(&w->sink.error, GS_E_IO, "cannot write '%s': %s", path, strerror(errno));
}

void rv3jsonw_put(struct rv3json *w, struct jprocess *p)
{
    if (!w->sink.failed && fwrite(w->text.buf, 1, w->text.len, p->f) != w->text.len)
        write_failed(w, p->path);
}

static bool taken(const struct rv3json *w, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (str_eq(w->processes.v[k].path, w->processes.v[i].path))
            return true;
    return false;
}

static void open_one(struct rv3json *w, size_t i)
{
    struct jprocess *p = &w->processes.v[i];
    p->path = out_path(w->o.path, w->o.merge, &p->rec, w->names, "_results.json", w->arena,
                       &w->sink.error);
    if (!p->path) {
        w->sink.failed = true;
        return;
    }
    if (!w->o.merge && taken(w, i)) {
        w->sink.failed = true;
        fail(&w->sink.error, GS_E_USAGE, "two processes would be written to '%s'; use %%pid%%",
             p->path);
        return;
    }
    p->temp = arena_printf(w->arena, "%s.%ld.%zu.tmp", p->path, (long)getpid(), i);
    p->f = fopen(p->temp, "w+b");
    if (!p->f)
        write_failed(w, p->path);
    else if (!i || !w->o.merge)
        fputs(HEAD, p->f);
}

void rv3jsonw_open(struct rv3json *w)
{
    for (size_t i = 0; i < w->processes.n && !w->sink.failed; i++)
        open_one(w, i);
}

/* Behind what is in `to`. */
static void append(struct rv3json *w, struct jprocess *to, struct jprocess *from)
{
    char buf[64 * 1024];
    size_t n;
    rewind(from->f);
    fputc(',', to->f);
    while ((n = fread(buf, 1, sizeof(buf), from->f)) > 0)
        if (fwrite(buf, 1, n, to->f) != n)
            break;
    if (ferror(from->f) || ferror(to->f))
        write_failed(w, to->path);
}

static void close_one(struct rv3json *w, struct jprocess *p, bool keep)
{
    if (!p->f)
        return;
    bool bad = ferror(p->f) != 0;
    bad |= fclose(p->f) != 0;
    p->f = NULL;
    if (bad)
        write_failed(w, p->path);
    if (!keep || w->sink.failed || rename(p->temp, p->path) != 0) {
        if (keep)
            write_failed(w, p->path);
        unlink(p->temp);
    }
}

bool rv3jsonw_finish(struct sink *sink, bool keep, struct opt_list *files, struct gs_error *err)
{
    struct rv3json *w = (struct rv3json *)sink;
    bool failed_before = w->sink.failed;
    for (size_t i = 0; i < w->processes.n && keep && !w->sink.failed; i++) {
        struct jprocess *p = &w->processes.v[i];
        if (i && w->o.merge)
            append(w, &w->processes.v[0], p);
        if (!w->o.merge)
            fputs(TAIL, p->f);
    }
    if (keep && w->o.merge && w->processes.n && !w->sink.failed)
        fputs(TAIL, w->processes.v[0].f);
    for (size_t i = 0; i < w->processes.n; i++) {
        bool own = !i || !w->o.merge;
        close_one(w, &w->processes.v[i], keep && own);
        if (files && own && w->processes.v[i].path)
            vec_push(files, w->arena, (const char *)w->processes.v[i].path);
    }
    if (w->sink.failed && !failed_before && err)
        *err = w->sink.error;
    return keep && !w->sink.failed;
}
