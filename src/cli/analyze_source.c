#include "cli/analyze_source.h"

#include "base/str.h"
#include "cli/report_time.h"
#include "compat/rocinsight.h"
#include "render/source_json.h"

struct source_form {
    const struct source_scan *s;
    enum json_profile profile;
    const char *prompt;
    const struct timespec *begin;
    const struct explanation *explanation;
};

static void source_json_form(const struct report *r, struct jwrite *w, bool in_page)
{
    const struct source_form *f = r->ctx;
    struct analysis_json_opts o = {.prompt = f->prompt, .explanation = f->explanation};
    bool strict = !in_page && f->profile == JSON_ROCINSIGHT;
    if (strict) {
        struct report_time now = report_time(f->begin, r->arena);
        o.timestamp = now.timestamp;
        o.duration_ms = now.duration_ms;
    }
    if (strict)
        rocinsight_source_json(w, f->s, &o);
    else
        source_json_document(w, f->s, &o);
}

bool analyze_source_report(struct subject *about, struct output *out, enum json_profile profile,
                           const char *prompt, const struct timespec *begin, struct gs_error *err)
{
    struct source_form f = {about->source, profile, prompt, begin, about->explanation};
    struct report r = {.ctx = &f,
                       .arena = out->cli->arena,
                       .about = about,
                       .make = source_report,
                       .json = source_json_form,
                       .kind = "scan"};
    return output_named(out, "source", err) && output_report(out, &r, err);
}
