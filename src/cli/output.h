/*
 * Where the results of a command go, and in which form: the options -o, -d, --format and --json,
 * and everything that follows from them. All commands write through this.
 *
 *     struct info_opts { struct output_opts out; ... };
 *     static const struct opt opts[] = {OUTPUT_OPTS(struct info_opts, out, RENDERER_CHOICES), ...};
 *
 *     struct output *out = output_begin(cli, &o->out, RENDERER_CHOICES, err);
 *     ok = out && (load, analyze...) && output_report(out, &report, err) &&
 *          output_finish(out, err);
 *
 * The form is the one asked for, else that of the extension of -o, else text. A name that ends in
 * the extension of another form is an error, as text in a file called .html would be read as HTML;
 * so is an extension we do not know where no form was asked for.
 *
 * Nothing is written before output_finish(), and then only when no target is a file that the
 * command has read (base/inputs.h): files appear together, and each is named on standard error.
 */
#ifndef GS_CLI_OUTPUT_H
#define GS_CLI_OUTPUT_H

#include "base/fs_set.h"
#include "cli/command.h"
#include "render/renderers.h"

struct output_opts {
    const char *format, *name, *dir;
    const char *sections; /* of the report; NULL: all that have something to show */
    const char *columns;  /* of its tables; NULL: those of use to most */
    bool json, list_sections, list_columns;
    bool adds_extension; /* a default of the command: -o NAME becomes NAME.txt */
};

/* clang-format off */
#define OUTPUT_OPTS(T, m, choices)                                                                 \
    OPT_CHOICE(T, m.format, 0, "format", choices,                                                  \
               "form of the report (text, or what the name of the output ends in)"),               \
    OPT_FLAG(T, m.json, 0, "json", "the same as --format json"),                                   \
    OPT_NAMES(NAMES_OUTPUT, T, m.name, 'o', "output", "FILE",                                                     \
             "write to FILE instead of standard output; never to one that is read")

/* Of commands whose reports have tables (report/columns.h). */
#define COLUMN_OPTS(T, m)                                                                          \
    OPT_TEXT(T, m.columns, 0, "columns", "all|LIST",                                               \
             "all columns of tables that have something in them, or these, by key or label, "      \
             "divided by commas: p95_ns; +p95_ns adds it to those shown; copies.link_gbps is of "  \
             "one table"),                                                                         \
    OPT_FLAG(T, m.list_columns, 0, "list-columns",                                                 \
             "list the tables of the report, their columns and what these mean")

/* Of commands whose reports have sections (report/section.h). */
#define SECTION_OPTS(T, m)                                                                         \
    OPT_TEXT(T, m.sections, 0, "sections", "LIST",                                                 \
             "only these sections of the report, divided by commas, with all their details"),      \
    OPT_FLAG(T, m.list_sections, 0, "list-sections",                                               \
             "list the sections of the report, and which of them have something to show"),         \
    COLUMN_OPTS(T, m)
/* clang-format on */

struct output {
    struct cli *cli;
    const struct output_opts *o;
    const char *choices;
    const struct renderer *form;
    const char *path; /* where the report goes, once output_named() was called; "-" */
    struct fs_set set;
    VEC(const char *) notes; /* "wrote ..." lines, for the end */
};

/*
 * Decides the form; NULL when there is none. It belongs to the command's arena; what was not
 * finished is gone with it.
 */
struct output *output_begin(struct cli *cli, const struct output_opts *o, const char *choices,
                            struct gs_error *err);

/*
 * Decides the path. `base`: what the file is called in a folder given by -d, without an extension;
 * NULL for commands that have no -d.
 */
bool output_named(struct output *out, const char *base, struct gs_error *err);

/* "demo" of "runs/demo.db": a base for output_named(). */
const char *output_base(const char *trace, struct arena *a);

/* The report, to out->path. */
bool output_report(struct output *out, const struct report *r, struct gs_error *err);

/* Another result, in a form of its own. */
bool output_extra(struct output *out, const char *path, const struct str *text,
                  struct gs_error *err);

/* A line for the end, about files that were put into out->set. */
void output_note(struct output *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

bool output_finish(struct output *out, struct gs_error *err);

/* A report and nothing else, for commands without -d: named, written, finished. */
bool output_only(struct output *out, const struct report *r, struct gs_error *err);

/* Text for standard output, of commands that have nothing else: checked as every target is. */
bool output_print(const struct str *text, struct gs_error *err);

/* The same for text with words of others in it, which may do nothing in a terminal. */
bool output_say(const struct str *text, struct gs_error *err);

/*
 * How text is laid out for a file or standard output ("-"). Colour is for the latter only; tables are
 * divided to fit a terminal, or the width that COLUMNS asks for, and stay whole in files and pipes.
 */
struct render_opts output_layout(const struct cli *cli, const char *path);

/* Whether this form goes to a terminal that cannot show it; fails then. */
bool output_binary_allowed(const char *path, const char *form, struct gs_error *err);

#endif
