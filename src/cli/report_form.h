/*
 * How a report is asked for: its form, and which sections of it.
 */
#ifndef GS_CLI_REPORT_FORM_H
#define GS_CLI_REPORT_FORM_H

#include "cli/command.h"
#include "render/render.h"
#include "report/section.h"

struct report_form {
    const char *format;   /* text, json, markdown, html, pdf */
    const char *profile;  /* of JSON: gpusight, rocinsight */
    const char *sections; /* divided by commas; NULL: all that have something to show */
    bool list;            /* of sections, instead of the report */
    size_t top;           /* rows of tables */
    struct render_opts text;
};

/* clang-format off */
#define SECTION_OPTS(T, names, list)                                                               \
    OPT_TEXT(T, names, 0, "sections", "LIST",                                                      \
             "only these sections, divided by commas, with all their details"),                    \
    OPT_FLAG(T, list, 0, "list-sections",                                                          \
             "list the sections of the report, and which of them have something to show")
/* clang-format on */

/* The report, or the list of its sections. NULL: see err. */
static inline struct doc *report_doc(struct subject *s, report_maker *make,
                                     const struct report_form *f, struct arena *arena,
                                     struct gs_error *err)
{
    struct doc *d = make(s, f->list ? NULL : f->sections, arena, err);
    return d && f->list ? sections_list(s, arena) : d;
}

#endif
