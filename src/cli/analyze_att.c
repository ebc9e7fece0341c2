#include "cli/analyze_att.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/str.h"
#include "render/att_json.h"

static void set_up(struct analyze_att *s, const struct analyze_att_opts *o)
{
    s->doc.listing = str_eq(o->listing, "all")    ? ATT_LIST_ALL
                     : str_eq(o->listing, "none") ? ATT_LIST_NONE
                                                  : ATT_LIST_BLOCK;
}

/* Notes stand in the report; what is damaged is worth a warning as well. */
static void warn(const struct analyze_att *s)
{
    for (size_t i = 0; i < s->att.notes.n && i < 10; i++)
        log_warn("thread trace: %s", s->att.notes.v[i]);
}

bool analyze_att_asked(struct analyze_att *s, const struct analyze_att_opts *o, size_t top,
                       struct gs_error *err)
{
    set_up(s, o);
    s->doc.top = top;
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

static void write_json(struct str *out, const struct analyze_att *s, const char *prompt)
{
    struct jwrite w;
    struct analysis_json_opts o = {.prompt = prompt};
    jw_init(&w, out, 2);
    att_json_document(&w, &s->att, &o);
}

struct att_form {
    const struct analyze_att *s;
    const char *prompt;
};

static void att_json_form(const struct report *r, struct str *out, bool in_page)
{
    const struct att_form *f = r->ctx;
    (void)in_page;
    write_json(out, f->s, f->prompt);
}

static struct doc *att_doc_form(const struct report *r)
{
    const struct att_form *f = r->ctx;
    return att_doc(&f->s->att, &f->s->doc, r->arena);
}

bool analyze_att_report(const struct analyze_att *s, struct output *out, const char *profile,
                        const char *prompt, struct gs_error *err)
{
    struct att_form f = {s, prompt};
    struct report r = {.ctx = &f,
                       .arena = out->cli->arena,
                       .doc = att_doc_form,
                       .json = att_json_form,
                       .kind = "thread trace"};
    if (out->form == &renderer_json && str_eq(profile, "rocinsight"))
        return fail(err, GS_E_USAGE, "option '--json-profile rocinsight' needs a trace");
    return output_named(out, "source", err) && output_report(out, &r, err);
}
