#define _GNU_SOURCE /* realpath */
#include "cli/output.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/utf8.h"

/* "text, json or pdf", or with `ends` ".txt, .json or .pdf": of "text|json|pdf". */
static const char *listed(const char *choices, bool ends, struct arena *a)
{
    struct str out;
    str_init(&out, a);
    for (const char *p = choices, *next; p; p = next) {
        size_t n = strcspn(p, "|");
        next = p[n] ? p + n + 1 : NULL;
        const struct renderer *r = renderer_find(arena_strndup(a, p, n));
        bool other_name = r && strlen(r->name) != n;
        if (!r || other_name)
            continue;
        str_printf(&out, "%s%s",
                   !out.len ? ""
                   : next   ? ", "
                            : " or ",
                   ends ? renderer_extension(r, a) : r->name);
    }
    return out.buf;
}

static bool is_choice(const char *choices, const char *name)
{
    return has_extension(choices, name);
}

/* What the name says it is. CSV is a form of tables: only commands that print those know it. */
static const struct renderer *promised(const struct output *out)
{
    const char *name = out->o->name, *extension = name ? path_extension(name) : NULL;
    if (extension && has_extension(renderer_csv.extensions, extension))
        return is_choice(out->choices, renderer_csv.name) ? &renderer_csv : NULL;
    return name ? renderer_by_extension(name) : NULL;
}

/* By what -o ends in. */
static const struct renderer *form_of_name(const struct output *out, struct gs_error *err)
{
    const char *name = out->o->name;
    const struct renderer *r = promised(out);
    struct arena *a = out->cli->arena;
    if (r && is_choice(out->choices, r->name))
        return r;
    if (!name || !path_extension(name) || (!r && fs_out_is_direct(name)))
        return renderer_find(arena_strndup(a, out->choices, strcspn(out->choices, "|")));
    if (r)
        fail(err, GS_E_USAGE, "cannot write %s here ('%s'); end the name in %s", r->name, name,
             listed(out->choices, true, a));
    else
        fail(err, GS_E_USAGE, "cannot tell the format from '%s'; end it in %s%s", name,
             listed(out->choices, true, a), strchr(out->choices, '|') ? ", or give --format" : "");
    return NULL;
}

/* Other programs go by the name: it must not promise what the file does not hold. */
static bool name_agrees(const struct output *out, struct gs_error *err)
{
    const char *name = out->o->name;
    const struct renderer *r = promised(out);
    return !r || r == out->form ||
           fail(err, GS_E_USAGE, "cannot write %s into '%s', which says %s; end the name in %s",
                out->form->name, name, r->name, renderer_extension(out->form, out->cli->arena));
}

static void release(void *out)
{
    fs_set_abandon(&((struct output *)out)->set);
}

struct output *output_begin(struct cli *cli, const struct output_opts *o, const char *choices,
                            struct gs_error *err)
{
    struct output *out = arena_new(cli->arena, struct output);
    *out = (struct output){.cli = cli, .o = o, .choices = choices, .path = "-"};
    fs_set_init(&out->set, cli->arena);
    arena_defer(cli->arena, release, out);
    out->form = o->json     ? &renderer_json
                : o->format ? renderer_find(o->format)
                            : form_of_name(out, err);
    return out->form && name_agrees(out, err) ? out : NULL;
}

const char *output_base(const char *trace, struct arena *a)
{
    size_t n = strlen(trace);
    while (n > 1 && trace[n - 1] == '/')
        n--;
    const char *base = fs_basename(arena_strndup(a, trace, n));
    char folder[PATH_MAX];
    if (!base[strspn(base, ".")] && realpath(trace, folder) && fs_basename(folder)[0])
        base = arena_strdup(a, fs_basename(folder)); /* of "." and ".." */
    const char *dot = strrchr(base, '.');
    return dot && dot > base && dot[1] ? arena_strndup(a, base, (size_t)(dot - base)) : base;
}

bool output_named(struct output *out, const char *base, struct gs_error *err)
{
    const struct output_opts *o = out->o;
    struct arena *a = out->cli->arena;
    const char *name = o->name, *extension = renderer_extension(out->form, a);
    if (!name && !o->dir)
        return output_binary_allowed("-", out->form->name, err);
    if (!name) /* whatever dots are in it, it is a name without an extension */
        name = arena_printf(a, "%s%s", base, extension);
    else if (o->adds_extension && !path_extension(name) && !fs_out_is_direct(name) &&
             !str_starts(name, "/dev/"))
        name = arena_printf(a, "%s%s", name, extension);
    if (o->dir && !fs_set_folder(&out->set, o->dir, err))
        return false;
    out->path = o->dir ? arena_printf(a, "%s/%s", o->dir, name) : name;
    return output_binary_allowed(out->path, out->form->name, err);
}

bool output_binary_allowed(const char *path, const char *form, struct gs_error *err)
{
    const struct renderer *r = renderer_find(form);
    bool binary = r ? r->binary : true;
    return !binary || !(str_eq(path, "-") || str_eq(path, "/dev/stdout")) ||
           !isatty(STDOUT_FILENO) ||
           fail(err, GS_E_USAGE, "cannot show %s on a terminal; give -o FILE", form);
}

struct render_opts output_layout(const struct cli *cli, const char *path)
{
    bool here = str_eq(path, "-");
    return (struct render_opts){.columns = cli->columns,
                                .color = cli->color && here,
                                .divide = cli->width_from == WIDTH_ASKED ||
                                          (cli->width_from == WIDTH_TERMINAL && here)};
}

bool output_report(struct output *out, const struct report *given, struct gs_error *err)
{
    struct report report = *given, *r = &report;
    assert(out->path); /* output_named() was called */
    report.sections = out->o->sections;
    report.list_sections = out->o->list_sections;
    report.columns = out->o->columns;
    report.list_columns = out->o->list_columns;
    const struct renderer *form =
        report.list_sections || report.list_columns ? &renderer_text : out->form;
    struct render_opts layout = output_layout(out->cli, out->path);
    struct fs_text *text = arena_new(out->cli->arena, struct fs_text);
    if (form->has && !form->has(r))
        return fail(err, GS_E_USAGE, "cannot write this as %s; formats are %s", form->name,
                    listed(RENDERER_CHOICES, false, out->cli->arena));
    fs_text_init(text, &out->set, out->path);
    layout.ahead = text;
    bool ok = form->write ? form->write(r, out->path, &out->set, err)
                          : form->render(r, &text->text, &layout, err) && fs_text_done(text, err);
    if (ok && !fs_out_is_direct(out->path))
        output_note(out, "wrote %s", out->path);
    return ok;
}

bool output_extra(struct output *out, const char *path, const struct str *text,
                  struct gs_error *err)
{
    if (!fs_set_write(&out->set, path, text->buf, text->len, err))
        return false;
    if (!fs_out_is_direct(path))
        output_note(out, "wrote %s", path);
    return true;
}

void output_note(struct output *out, const char *fmt, ...)
{
    ARENA_FORMATTED(line, out->cli->arena);
    vec_push(&out->notes, out->cli->arena, line);
}

bool output_finish(struct output *out, struct gs_error *err)
{
    if (!fs_set_close(&out->set, err))
        return false;
    for (size_t i = 0; i < out->notes.n; i++)
        log_say("%s", out->notes.v[i]);
    out->notes.n = 0;
    return true;
}

bool output_only(struct output *out, const struct report *r, struct gs_error *err)
{
    return output_named(out, NULL, err) && output_report(out, r, err) && output_finish(out, err);
}

bool output_print(const struct str *text, struct gs_error *err)
{
    return fs_write("-", text->buf, text->len, err);
}

bool output_say(const struct str *text, struct gs_error *err)
{
    struct str safe;
    str_init(&safe, text->arena);
    utf8_escape_lines(&safe, text->buf, text->len);
    return output_print(&safe, err);
}
