#include "cli/analyze_att.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/str.h"
#include "render/att_json.h"
#include "render/render.h"

static void set_up(struct analyze_att *s, const struct analyze_att_opts *o)
{
    s->listing = str_eq(o->listing, "all")    ? ATT_LIST_ALL
                 : str_eq(o->listing, "none") ? ATT_LIST_NONE
                                              : ATT_LIST_BLOCK;
}

/* Notes stand in the report; what is damaged is worth a warning as well. */
static void warn(const struct analyze_att *s)
{
    for (size_t i = 0; i < s->att.notes.n && i < 10; i++)
        log_warn("thread trace: %s", s->att.notes.v[i]);
}

bool analyze_att_asked(struct analyze_att *s, const struct analyze_att_opts *o,
                       struct gs_error *err)
{
    set_up(s, o);
    for (size_t i = 0; i < o->dir.n; i++)
        if (!att_read(&s->att, o->dir.v[i], ATT_EXPLICIT, err))
            return false;
    s->used = o->dir.n > 0;
    if (s->used)
        warn(s);
    return true;
}

bool analyze_att_instead(struct analyze_att *s, const struct analyze_att_opts *o,
                         const struct opt_list *paths, struct gs_error *why)
{
    if (s->used || o->off || paths->n != 1 || why->code != GS_E_EMPTY ||
        !att_is_there(&s->att, paths->v[0]))
        return false;
    s->used = att_read(&s->att, paths->v[0], ATT_EXPLICIT, why);
    if (s->used)
        warn(s);
    return s->used;
}

static const char *folder_of(const char *path, struct arena *a)
{
    const char *base = fs_basename(path);
    if (fs_is_dir(path))
        return path;
    return base == path ? "." : arena_strndup(a, path, (size_t)(base - path));
}

void analyze_att_beside(struct analyze_att *s, const struct analyze_att_opts *o,
                        const struct analysis *a, struct advice *advice)
{
    enum { MOST_FOLDERS = 64 };
    const struct trace *t = a->trace;
    struct gs_error ignored;
    const char *last = NULL;
    for (size_t i = 0; !o->off && !o->dir.n && i < t->files.n && i < MOST_FOLDERS; i++) {
        const char *dir = folder_of(t->files.v[i].path, &s->att.arena);
        if (last && str_eq(dir, last)) /* files of one folder stand together */
            continue;
        last = dir;
        att_read(&s->att, dir, ATT_BESIDE, &ignored);
    }
    if (!s->used && s->att.dispatches.n) {
        s->used = true;
        log_note("found a thread trace in '%s'", s->att.dir);
        warn(s);
    }
    if (s->used)
        att_join(&s->att, a, advice);
}

static void write_json(struct jwrite *w, const void *of)
{
    const struct analyze_att *s = of;
    struct analysis_json_opts o = {.prompt = s->prompt};
    att_json_document(w, &s->att, &o);
}

bool analyze_att_report(const struct analyze_att *s, const struct report_form *f, struct str *out,
                        struct gs_error *err)
{
    if (str_eq(f->format, "json") && str_eq(f->profile, "rocinsight"))
        return fail(err, GS_E_USAGE, "option '--json-profile rocinsight' needs a trace");
    if (str_eq(f->format, "json")) {
        struct jwrite w;
        jw_init(&w, out, 2);
        write_json(&w, s);
        return true;
    }
    struct subject about = {.att = &s->att, .listing = s->listing, .top = f->top};
    struct doc *d = report_doc(&about, att_report, f, out->arena, err);
    if (!d)
        return false;
    d->kind = "thread trace";
    d->json = write_json;
    d->json_of = s;
    return render_doc(out, d, f->format, &f->text, err);
}
