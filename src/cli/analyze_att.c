#include "cli/analyze_att.h"

#include "base/str.h"
#include "render/att_json.h"

struct att_form {
    const struct att *att;
    const char *prompt;
};

static void att_json_form(const struct report *r, struct jwrite *w, bool in_page)
{
    const struct att_form *f = r->ctx;
    (void)in_page;
    att_json_document(w, f->att, &(struct analysis_json_opts){.prompt = f->prompt});
}

bool analyze_att_report(const struct att *t, struct subject *about, struct output *out,
                        enum json_profile profile, const char *prompt, struct gs_error *err)
{
    struct att_form f = {t, prompt};
    struct report r = {.ctx = &f,
                       .arena = out->cli->arena,
                       .about = about,
                       .make = att_report,
                       .json = att_json_form,
                       .kind = "thread trace"};
    if (out->form == &renderer_json && profile == JSON_ROCINSIGHT)
        return fail(err, GS_E_USAGE, "option '--json-profile rocinsight' needs a trace");
    return output_named(out, "source", err) && output_report(out, &r, err);
}
