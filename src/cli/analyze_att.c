#include "cli/analyze_att.h"

#include "base/str.h"
#include "render/att_json.h"

enum att_listing att_listing_of(const char *word)
{
    return str_eq(word, "all")    ? ATT_LIST_ALL
           : str_eq(word, "none") ? ATT_LIST_NONE
                                  : ATT_LIST_BLOCK;
}

struct document {
    const struct att *t;
    struct analysis_json_opts o;
};

static void write_json(struct jwrite *w, const void *of)
{
    const struct document *d = of;
    att_json_document(w, d->t, &d->o);
}

bool analyze_att_report(const struct att *t, enum att_listing listing, const struct report_form *f,
                        const char *prompt, struct str *out, struct gs_error *err)
{
    struct document document = {t, {.prompt = prompt}};
    if (str_eq(f->format, "json") && str_eq(f->profile, "rocinsight"))
        return fail(err, GS_E_USAGE, "option '--json-profile rocinsight' needs a trace");
    if (str_eq(f->format, "json") && !f->list) {
        struct jwrite w;
        jw_init(&w, out, 2);
        write_json(&w, &document);
        return true;
    }
    struct subject about = {.att = t, .listing = listing, .top = f->top};
    struct doc *d = report_doc(&about, att_report, f, out->arena, err);
    if (!d)
        return false;
    d->kind = "thread trace";
    d->json = write_json;
    d->json_of = &document;
    return render_doc(out, d, f->format, &f->text, err);
}
