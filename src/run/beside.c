/* What a run knows besides its traces: source code and thread traces. */
#include "att/att.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/str.h"
#include "run/run_in.h"
#include "source/source.h"

bool run_read_source(struct run_call *c)
{
    if (c->o->source_dir)
        c->r->source = source_scan_in(c->r->arena, c->o->source_dir, c->o->threads, c->err);
    return c->r->source || !c->o->source_dir;
}

/* ---- thread traces ---- */

static void release_att(void *att)
{
    att_release(att);
}

static struct att *new_att(struct arena *arena)
{
    struct att *t = arena_new(arena, struct att);
    att_init(t);
    arena_defer(arena, release_att, t);
    return t;
}

/* Notes stand in the report; what is damaged is worth a warning as well. */
static void warn(const struct att *t)
{
    for (size_t i = 0; i < t->notes.n && i < 10; i++)
        log_warn("thread trace: %s", t->notes.v[i]);
}

bool run_read_att(struct run_call *c)
{
    const struct opt_list *dirs = &c->o->att_dirs;
    if (!dirs->n)
        return true;
    struct att *t = new_att(c->r->arena);
    for (size_t i = 0; i < dirs->n; i++) {
        if (att_read(t, dirs->v[i], ATT_EXPLICIT, c->err))
            continue;
        if (!c->o->paths.n || c->err->code != GS_E_EMPTY)
            return false;
        log_warn("%s; the report goes on without it", c->err->text); /* there is a trace */
        *c->err = (struct gs_error){0};
    }
    if (!t->dispatches.n)
        return true;
    c->r->att = t;
    warn(t);
    return true;
}

bool run_att_instead(struct run_call *c)
{
    const struct opt_list *paths = &c->o->paths;
    if (c->r->att || !c->o->att_beside || paths->n != 1 || c->err->code != GS_E_EMPTY)
        return false;
    struct att *t = new_att(c->r->arena);
    if (!att_is_there(t, paths->v[0]) || !att_read(t, paths->v[0], ATT_EXPLICIT, c->err))
        return false;
    *c->err = (struct gs_error){0}; /* it was to be no failure */
    c->r->att = t;
    warn(t);
    return true;
}

static const char *folder_of(const char *path, struct arena *a)
{
    const char *base = fs_basename(path);
    if (fs_is_dir(path))
        return path;
    return base == path ? "." : arena_strndup(a, path, (size_t)(base - path));
}

void run_att_beside(struct run_call *c)
{
    enum { MOST_FOLDERS = 64 };
    const struct trace *t = &c->r->trace;
    struct gs_error ignored;
    const char *last = NULL;
    if (!c->o->att_beside || c->r->att)
        return;
    struct att *att = new_att(c->r->arena);
    for (size_t i = 0; i < t->files.n && i < MOST_FOLDERS; i++) {
        const char *dir = folder_of(t->files.v[i].path, c->r->arena);
        if (last && str_eq(dir, last)) /* files of one folder stand together */
            continue;
        last = dir;
        att_read(att, dir, ATT_BESIDE, &ignored);
    }
    if (!att->dispatches.n)
        return;
    c->r->att = att;
    log_note("found a thread trace in '%s'", att->dir);
    warn(att);
}
