#include "cli/analyze_source.h"

#include "base/str.h"
#include "render/source_json.h"

static void write_json(const struct source_scan *s, const char *prompt, bool strict, int indent,
                       struct str *out)
{
    struct jwrite w;
    struct analysis_json_opts o = {.prompt = prompt};
    jw_init(&w, out, indent);
    source_json_document(&w, s, &o, strict);
}

struct source_form {
    const struct source_scan *s;
    const char *profile, *prompt;
};

static void source_json_form(const struct report *r, struct str *out, bool in_page)
{
    const struct source_form *f = r->ctx;
    write_json(f->s, f->prompt, !in_page && str_eq(f->profile, "rocinsight"), in_page ? 0 : 2, out);
}

bool analyze_source_report(struct subject *about, struct output *out, const char *profile,
                           const char *prompt, struct gs_error *err)
{
    struct source_form f = {about->source, profile, prompt};
    struct report r = {.ctx = &f,
                       .arena = out->cli->arena,
                       .about = about,
                       .make = source_report,
                       .json = source_json_form,
                       .kind = "scan"};
    return output_named(out, "source", err) && output_report(out, &r, err);
}
