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

bool analyze_source_report(const struct analyze_source *s, const char *format, const char *profile,
                           const char *prompt, size_t top, const struct cli *cli, bool to_terminal,
                           struct str *out, struct gs_error *err)
{
    if (str_eq(format, "json")) {
        struct jwrite w;
        struct analysis_json_opts o = {.prompt = prompt};
        jw_init(&w, out, 2);
        source_json_document(&w, &s->scan, &o, str_eq(profile, "rocinsight"));
        return true;
    }
    struct doc *d = source_doc(&s->scan, top, out->arena);
    if (str_eq(format, "markdown")) {
        render_markdown(out, d);
    } else if (str_eq(format, "text")) {
        struct render_opts r = {cli->columns, cli->color && to_terminal};
        render_text(out, d, &r);
    } else {
        return fail(err, GS_E_USAGE,
                    "option '--format %s' needs a trace; a source folder alone "
                    "gives text, markdown or json",
                    format);
    }
    return true;
}
