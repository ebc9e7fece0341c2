#include "cli/analyze_source.h"

#include "base/str.h"
#include "render/render.h"
#include "render/source_json.h"

bool analyze_source_scan(struct analyze_source *s, const char *dir, struct cli *cli,
                         struct gs_error *err)
{
    s->used = dir != NULL;
    return !dir || source_scan_run(&s->scan, dir, cli->threads, err);
}

static void write_json(struct jwrite *w, const void *of)
{
    const struct analyze_source *s = of;
    struct analysis_json_opts o = {.prompt = s->prompt};
    source_json_document(w, &s->scan, &o, false);
}

bool analyze_source_report(const struct analyze_source *s, const struct report_form *f,
                           struct str *out, struct gs_error *err)
{
    if (str_eq(f->format, "json")) {
        struct jwrite w;
        struct analysis_json_opts o = {.prompt = s->prompt};
        jw_init(&w, out, 2);
        source_json_document(&w, &s->scan, &o, str_eq(f->profile, "rocinsight"));
        return true;
    }
    struct subject about = {.source = &s->scan, .top = f->top};
    struct doc *d = report_doc(&about, source_report, f, out->arena, err);
    if (!d)
        return false;
    d->kind = "scan";
    d->json = write_json;
    d->json_of = s;
    return render_doc(out, d, f->format, &f->text, err);
}
