/*
 * Files of the rocprofv3 JSON writer: made under a temporary name, renamed when they are complete.
 * Every process has one; merging puts them behind each other in the end.
 */
#include <errno.h>
#include <string.h>

#include "base/fs_out.h"
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
    const char *name = arena_printf(w->arena, "%lld_results.json", (long long)p->rec.pid);
    p->path = out_path(w->o.path, w->o.merge, &p->rec, w->names, name, w->arena, &w->sink.error);
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
    /* Parts that will be merged into the first need a file of their own, but no name. */
    struct fs_out *file = arena_new(w->arena, struct fs_out);
    const char *target = p->path;
    if (i && w->o.merge && !fs_out_is_direct(p->path))
        target = arena_printf(w->arena, "%s.%zu", p->path, i);
    if (!fs_out_name(file, target, &w->sink.error)) {
        w->sink.failed = true;
        return;
    }
    p->file = file;
    p->f = fopen(file->temp, "w+b");
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
    struct fs_out *file = p->file;
    if (p->f) {
        bool bad = ferror(p->f) != 0;
        bad |= fclose(p->f) != 0;
        if (bad)
            write_failed(w, p->path);
    }
    p->f = NULL;
    p->file = NULL;
    if (!file)
        return;
    if (!keep || w->sink.failed)
        fs_out_abandon(file);
    else if (!sink_file_done(&w->sink, file, &w->sink.error))
        w->sink.failed = true;
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
    return sink_finished(&w->sink, keep, failed_before, err);
}
