/*
 * The one list of forms that a report can take. Options, help, completion, what the extension of an
 * output means and the errors about all that come from it.
 *
 * To add a form: a const struct renderer here or in a file of its own, and a line in renderers.def.
 */
#ifndef GS_RENDER_RENDERERS_H
#define GS_RENDER_RENDERERS_H

#include "render/render.h"
#include "render/workbook_out.h"
#include "report/section.h"

/*
 * What a command has to show: a doc and JSON at least. Functions are called at most once and only
 * for the form asked for.
 */
struct report {
    void *ctx; /* for the functions */
    struct arena *arena;
    struct subject *about; /* what report_maker makes a doc of, with these sections */
    report_maker *make;
    const char *sections;                       /* divided by commas; NULL: all */
    bool list_sections;                         /* instead of the report */
    const char *columns;                        /* of tables, see report/columns.h; NULL: a few */
    bool list_columns;                          /* instead of the report */
    struct doc *(*doc)(const struct report *r); /* where there are no sections */
    void (*json)(const struct report *r, struct jwrite *w, bool in_page); /* in_page: inside html */
    const char *kind;                                       /* of the JSON a page lets one save */
    void (*shell)(const struct report *r, struct str *out); /* SOME */
    void (*workbook)(const struct report *r, struct workbook *w); /* SOME */
    void (*csv)(const struct report *r, struct str *out);         /* SOME: one table */
    const char *chart_prefix; /* how Markdown reaches pictures of charts; NULL: no pictures */
};

/*
 * One whose JSON is all of what it is about, of any kind but analyses, source scans and thread
 * traces, whose JSON has options.
 */
struct report report_about(enum report_kind kind, struct subject *about, struct arena *arena);
struct inventory;
struct report report_about_inventory(struct inventory *i, struct arena *arena);

/* The doc, made; NULL: see err. */
struct doc *report_doc(const struct report *r, struct gs_error *err);

struct renderer {
    const char *name;
    const char *extensions;         /* "html|htm": the first is added to names that have none */
    const struct renderer *same_as; /* another name for that one */
    bool binary;                    /* nothing for a terminal */
    bool (*has)(const struct report *r); /* NULL: every report */
    /* One of them: to text, or into a file of the set. */
    bool (*render)(const struct report *r, struct str *out, const struct render_opts *o,
                   struct gs_error *err);
    bool (*write)(const struct report *r, const char *path, struct fs_set *set,
                  struct gs_error *err);
};

#define RENDERER(name, which) extern const struct renderer renderer_##name;
#include "render/renderers.def"
#undef RENDERER

/* All of them, NULL at the end. */
extern const struct renderer *const renderers[];

/*
 * "|text|json...": those of every report, and the same with one that some have; `tables` are the
 * forms of commands that print tables, with rocpd's words for them.
 */
extern const char renderer_choices[], renderer_choices_shell[], renderer_choices_xlsx[],
    renderer_choices_tables[];
#define RENDERER_CHOICES (renderer_choices + 1)
#define RENDERER_CHOICES_AND(name) (renderer_choices_##name + 1)

/* By name, other names resolved; NULL: there is none. */
const struct renderer *renderer_find(const char *name);

/* By what a path ends in, of all forms but csv, which is many things; NULL: no extension, or none of theirs. */
const struct renderer *renderer_by_extension(const char *path);

/* Behind the last dot of the last part; NULL: none. ".bashrc" has none. */
const char *path_extension(const char *path);

/* Whether `extensions` ("html|htm") has this one, in any case. */
bool has_extension(const char *extensions, const char *extension);

/* ".html": the usual extension, with its dot. */
const char *renderer_extension(const struct renderer *r, struct arena *a);

#endif
