#include "cli/analyze_att.h"

#include "base/str.h"
#include "render/att_json.h"

static void write_json(struct str *out, const struct att *t, const char *prompt)
{
    struct jwrite w;
    struct analysis_json_opts o = {.prompt = prompt};
    jw_init(&w, out, 2);
    att_json_document(&w, t, &o);
}

struct att_form {
    const struct att *att;
    const char *prompt;
};

static void att_json_form(const struct report *r, struct str *out, bool in_page)
{
    const struct att_form *f = r->ctx;
    (void)in_page;
    write_json(out, f->att, f->prompt);
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
