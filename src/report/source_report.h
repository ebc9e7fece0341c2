/*
 * Tier 0 for people: the rows of a scan, and the links between a trace and the lines that it
 * comes from.
 */
#ifndef GS_REPORT_SOURCE_REPORT_H
#define GS_REPORT_SOURCE_REPORT_H

#include "advise/advise.h"
#include "analyze/field.h"
#include "source/source.h"

/* A hot kernel and its lines. */
struct source_link {
    uint32_t rank;          /* of the hotspot */
    const char *kernel;     /* as the trace calls it, short */
    const char *definition; /* "file:line"; NULL: not in the folder */
    const char *launch;     /* of the first launch; NULL: none */
    uint32_t launches, loop_launches;
    uint32_t candidates; /* definitions of that name; above 1 the link is a guess */
    const char *configuration;
};

/* A host call of the trace and the places that make it. */
struct source_call {
    const char *name;
    uint64_t calls;
    int64_t total_ns;
    uint32_t sites, loop_sites;
    const char *places; /* "src/a.cpp:12 (in loop), …", those in loops first */
};

struct source_links {
    VEC(struct source_link) kernels;
    VEC(struct source_call) calls;
};

/* Finds the links and adds the lines to the evidence of findings that they explain. */
void source_link(struct source_links *out, const struct source_scan *s, const struct analysis *a,
                 struct advice *advice, struct arena *arena);

extern const struct fields source_kernel_fields, source_fact_fields, source_file_fields,
    source_skip_fields, source_pattern_fields, source_link_fields, source_call_fields;

/* Facts as rows of source_fact_fields. */
struct source_fact_row {
    const char *kind, *name, *pattern_id, *file, *function, *detail;
    uint32_t line, loop_depth;
    bool in_loop, in_macro;
};
struct source_fact_row source_fact_row(const struct source_scan *s, const struct source_fact *f);

/* Patterns with the first place of each, one in a loop before others. */
struct source_place_row {
    const char *severity, *description, *first;
    uint32_t count, in_loop;
};
extern const struct fields source_place_fields;

struct source_file_row {
    const char *path, *language;
    uint64_t bytes, lines;
};
struct source_file_row source_file_row(const struct source_file *f);

#endif
