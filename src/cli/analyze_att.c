#include "cli/analyze_att.h"

#include "base/str.h"
#include "render/att_json.h"
#include "render/doc_page.h"
#include "render/picture.h"
#include "render/render.h"

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

bool analyze_att_report(const struct att *t, const struct att_doc_opts *o, const char *format,
                        const char *profile, const char *prompt, const struct cli *cli,
                        bool to_terminal, struct str *out, struct gs_error *err)
{
    if (str_eq(format, "json") && str_eq(profile, "rocinsight"))
        return fail(err, GS_E_USAGE, "option '--json-profile rocinsight' needs a trace");
    if (str_eq(format, "json")) {
        write_json(out, t, prompt);
        return true;
    }
    struct doc *d = att_doc(t, o, out->arena);
    if (str_eq(format, "pdf"))
        return render_pdf(out, d, NULL, err);
    if (str_eq(format, "html")) {
        struct str json;
        str_init(&json, out->arena);
        write_json(&json, t, prompt);
        render_doc_html(out, d, "thread trace", &json);
    } else if (str_eq(format, "markdown")) {
        render_markdown(out, d);
    } else {
        struct render_opts r = {cli->columns, cli->color && to_terminal};
        render_text(out, d, &r);
    }
    return true;
}
