#include "render/renderers.h"

#include <string.h>
#include <strings.h>

#include "base/fs.h"
#include "base/log.h"
#include "render/html/html.h"
#include "render/picture.h"
#include "report/columns.h"

struct doc *report_doc(const struct report *r, struct gs_error *err)
{
    struct doc *d = !r->make
                        ? r->doc(r)
                        : r->make(r->about, r->list_sections ? NULL : r->sections, r->arena, err);
    if (!d || (r->columns && !columns_choose(d, r->columns, err)))
        return NULL;
    return r->list_sections && r->make ? sections_list(r->about, r->arena)
           : r->list_columns           ? columns_list(d)
                                       : d;
}

static bool text(const struct report *r, struct str *out, const struct render_opts *o,
                 struct gs_error *err)
{
    const struct doc *d = report_doc(r, err);
    if (d)
        render_text(out, d, o);
    return d;
}

const struct renderer renderer_text = {
    .name = "text", .extensions = "txt|text|log|out", .render = text};

static void pour(void *text)
{
    fs_text_pour(text);
}

static bool json(const struct report *r, struct str *out, const struct render_opts *o,
                 struct gs_error *err)
{
    struct jwrite w;
    (void)err;
    jw_init(&w, out, 2);
    if (o->ahead) {
        w.pour = pour;
        w.into = o->ahead;
        w.most = FS_TEXT_HELD;
    }
    r->json(r, &w, false);
    return true;
}

const struct renderer renderer_json = {.name = "json", .extensions = "json", .render = json};

static bool markdown(const struct report *r, struct str *out, const struct render_opts *o,
                     struct gs_error *err)
{
    const struct doc *d = report_doc(r, err);
    (void)o;
    if (d)
        render_markdown(out, d, r->chart_prefix);
    return d;
}

const struct renderer renderer_markdown = {
    .name = "markdown", .extensions = "md|markdown", .render = markdown};

static bool html(const struct report *r, struct str *out, const struct render_opts *o,
                 struct gs_error *err)
{
    struct doc *d = report_doc(r, err);
    struct str data;
    struct jwrite w;
    (void)o;
    if (!d)
        return false;
    str_init(&data, r->arena);
    jw_init(&w, &data, 0);
    r->json(r, &w, true);
    d->kind = r->kind;
    d->json = &data;
    render_html(out, d);
    return true;
}

const struct renderer renderer_html = {
    .name = "html", .extensions = "html|htm|xhtml", .render = html};
const struct renderer renderer_webview = {
    .name = "webview", .extensions = "", .same_as = &renderer_html};

static bool pdf(const struct report *r, struct str *out, const struct render_opts *o,
                struct gs_error *err)
{
    const struct doc *d = report_doc(r, err);
    (void)o;
    return d && render_pdf(out, d, err);
}

const struct renderer renderer_pdf = {
    .name = "pdf", .extensions = "pdf", .binary = true, .render = pdf};

/* rocpd's words. */
const struct renderer renderer_console = {
    .name = "console", .extensions = "", .same_as = &renderer_text};
const struct renderer renderer_md = {.name = "md", .extensions = "", .same_as = &renderer_markdown};
const struct renderer renderer_dashboard = {
    .name = "dashboard", .extensions = "", .same_as = &renderer_html};

/* Forms that some reports write themselves. */
#define WRITTEN(form, ends)                                                                        \
    static bool has_##form(const struct report *r)                                                 \
    {                                                                                              \
        return r->form;                                                                            \
    }                                                                                              \
    static bool form(const struct report *r, struct str *out, const struct render_opts *o,         \
                     struct gs_error *err)                                                         \
    {                                                                                              \
        (void)o, (void)err;                                                                        \
        r->form(r, out);                                                                           \
        return true;                                                                               \
    }                                                                                              \
    const struct renderer renderer_##form = {                                                      \
        .name = #form, .extensions = ends, .has = has_##form, .render = form}
WRITTEN(csv, "csv");
WRITTEN(shell, "sh");

static bool has_workbook(const struct report *r)
{
    return r->workbook;
}

static bool xlsx(const struct report *r, const char *path, struct fs_set *set, struct gs_error *err)
{
    struct workbook w;
    size_t split = 0;
    r->workbook(r, &w);
    if (!render_xlsx(&w, path, &split, set, err))
        return false;
    if (split)
        log_warn(
            "more rows than an Excel sheet holds: %zu sheets were added, named NAME_2 and so on",
            split);
    return true;
}

const struct renderer renderer_xlsx = {
    .name = "xlsx", .extensions = "xlsx", .binary = true, .has = has_workbook, .write = xlsx};

const struct renderer *const renderers[] = {
#define RENDERER(name, which) &renderer_##name,
#include "render/renderers.def"
#undef RENDERER
    NULL};

#define CHOICE_EVERY(name) "|" #name
#define CHOICE_SOME(name)
#define RENDERER(name, which) CHOICE_##which(name)
const char renderer_choices[] =
#include "render/renderers.def"
    "";
const char renderer_choices_shell[] =
#include "render/renderers.def"
    "|shell";
const char renderer_choices_xlsx[] =
#include "render/renderers.def"
    "|xlsx";
const char renderer_choices_tables[] =
#include "render/renderers.def"
    "|csv|xlsx|console|md|dashboard";
#undef RENDERER

const struct renderer *renderer_find(const char *name)
{
    for (size_t i = 0; renderers[i]; i++)
        if (str_eq(renderers[i]->name, name))
            return renderers[i]->same_as ? renderers[i]->same_as : renderers[i];
    return NULL;
}

const char *path_extension(const char *path)
{
    const char *base = fs_basename(path), *dot = strrchr(base, '.');
    return dot && dot > base && dot[1] ? dot + 1 : NULL;
}

bool has_extension(const char *extensions, const char *extension)
{
    size_t n = strlen(extension);
    for (const char *p = extensions; *p; p += strcspn(p, "|"), p += *p == '|')
        if (strcspn(p, "|") == n && !strncasecmp(p, extension, n))
            return true;
    return false;
}

const struct renderer *renderer_by_extension(const char *path)
{
    const char *extension = path_extension(path);
    for (size_t i = 0; extension && renderers[i]; i++)
        if (renderers[i] != &renderer_csv && has_extension(renderers[i]->extensions, extension))
            return renderers[i];
    return NULL;
}

const char *renderer_extension(const struct renderer *r, struct arena *a)
{
    return arena_printf(a, ".%.*s", (int)strcspn(r->extensions, "|"), r->extensions);
}
