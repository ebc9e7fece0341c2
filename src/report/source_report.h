/*
 * Tier 0 for people: the scan of a source folder as a section of the report or a report of its
 * own, and the links between a trace and the lines that it comes from.
 */
#ifndef GS_REPORT_SOURCE_REPORT_H
#define GS_REPORT_SOURCE_REPORT_H

#include "advise/beside.h"
#include "report/doc.h"
#include "source/source.h"

/* Appends the section; links may be NULL. */
void source_section(struct doc *d, const struct source_scan *s, const struct source_links *links,
                    size_t top);

/* The report of a scan without a trace. */
struct doc *source_doc(const struct source_scan *s, size_t top, struct arena *arena);

extern const struct fields source_kernel_fields, source_fact_fields, source_file_fields,
    source_skip_fields, source_pattern_fields, source_link_fields, source_call_fields;

/* Facts as rows of source_fact_fields. */
struct source_fact_row {
    const char *kind, *name, *pattern_id, *file, *function, *detail;
    uint32_t line, loop_depth;
    bool in_loop, in_macro;
};
struct source_fact_row source_fact_row(const struct source_scan *s, const struct source_fact *f);

struct source_file_row {
    const char *path, *language;
    uint64_t bytes, lines;
};
struct source_file_row source_file_row(const struct source_file *f);

#endif
