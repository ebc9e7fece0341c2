#include "cli/analyze_source.h"

#include "base/str.h"
#include "render/doc_page.h"
#include "render/picture.h"
#include "render/render.h"
#include "render/source_json.h"

static void write_json(const struct source_scan *s, const char *prompt, bool strict, int indent,
                       struct str *out)
{
    struct jwrite w;
    struct analysis_json_opts o = {.prompt = prompt};
    jw_init(&w, out, indent);
    source_json_document(&w, s, &o, strict);
}

bool analyze_source_report(const struct source_scan *s, const char *format, const char *profile,
                           const char *prompt, size_t top, const struct cli *cli, bool to_terminal,
                           struct str *out, struct gs_error *err)
{
    if (str_eq(format, "json")) {
        write_json(s, prompt, str_eq(profile, "rocinsight"), 2, out);
        return true;
    }
    struct doc *d = source_doc(s, top, out->arena);
    if (str_eq(format, "pdf"))
        return render_pdf(out, d, NULL, err);
    if (str_eq(format, "markdown")) {
        render_markdown(out, d);
    } else if (str_eq(format, "html")) {
        struct str json;
        str_init(&json, out->arena);
        write_json(s, prompt, false, 0, &json);
        render_doc_html(out, d, "scan", &json);
    } else {
        struct render_opts r = {cli->columns, cli->color && to_terminal};
        render_text(out, d, &r);
    }
    return true;
}
