/*
 * Tier 0 for people: the rows of a scan.
 */
#ifndef GS_REPORT_SOURCE_REPORT_H
#define GS_REPORT_SOURCE_REPORT_H

#include "advise/beside.h"
#include "field/field.h"
#include "source/source.h"

extern const struct fields source_kernel_fields, source_fact_fields, source_file_fields,
    source_skip_fields, source_link_fields, source_call_fields;

/* Facts as rows of source_fact_fields. */
struct source_fact_row {
    const char *kind, *name, *pattern_id, *file, *function, *detail;
    uint32_t line, loop_depth;
    bool in_loop, in_macro;
};
struct source_fact_row source_fact_row(const struct source_scan *s, const struct source_fact *f);

/* Patterns with the first place of each, one in a loop before others. */
struct source_place_row {
    enum source_severity severity;
    const char *description, *first;
    uint32_t count, in_loop;
};
extern const struct fields source_place_fields;

struct source_file_row {
    const char *path, *language;
    uint64_t bytes, lines;
};
struct source_file_row source_file_row(const struct source_file *f);

#endif
