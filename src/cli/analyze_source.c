#include "cli/analyze_source.h"

#include "base/str.h"
#include "render/source_json.h"

struct document {
    const struct source_scan *scan;
    struct analysis_json_opts o;
};

static void write_json(struct jwrite *w, const void *of)
{
    const struct document *d = of;
    source_json_document(w, d->scan, &d->o, false);
}

bool analyze_source_report(const struct source_scan *s, const struct report_form *f,
                           const char *prompt, struct str *out, struct gs_error *err)
{
    struct document document = {s, {.prompt = prompt}};
    if (str_eq(f->format, "json") && !f->list) {
        struct jwrite w;
        jw_init(&w, out, 2);
        source_json_document(&w, s, &document.o, str_eq(f->profile, "rocinsight"));
        return true;
    }
    struct subject about = {.source = s, .top = f->top};
    struct doc *d = report_doc(&about, source_report, f, out->arena, err);
    if (!d)
        return false;
    d->kind = "scan";
    d->json = write_json;
    d->json_of = &document;
    return render_doc(out, d, f->format, &f->text, err);
}
