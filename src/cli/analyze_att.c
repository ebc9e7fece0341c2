#include "cli/analyze_att.h"

#include "base/str.h"
#include "render/att_json.h"

enum att_listing att_listing_of(const char *word)
{
    return str_eq(word, "all")    ? ATT_LIST_ALL
           : str_eq(word, "none") ? ATT_LIST_NONE
                                  : ATT_LIST_BLOCK;
}

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
                        const char *profile, const char *prompt, struct gs_error *err)
{
    struct att_form f = {t, prompt};
    struct report r = {.ctx = &f,
                       .arena = out->cli->arena,
                       .about = about,
                       .make = att_report,
                       .json = att_json_form,
                       .kind = "thread trace"};
    if (out->form == &renderer_json && str_eq(profile, "rocinsight"))
        return fail(err, GS_E_USAGE, "option '--json-profile rocinsight' needs a trace");
    return output_named(out, "source", err) && output_report(out, &r, err);
}
