/*
 * The analysis as JSON, for programs: the document of `gpusight analyze --format json`.
 *
 * A superset of rocinsight's document: its keys with their meaning where that is sound, and all
 * tables of all analyses under "analyses". schema/analysis.schema.json describes it; it is made
 * by schema_json() from the same tables. Times are integers in ns; what cannot be said is null.
 *
 * The same trace and options give the same bytes: nothing comes from the clock unless it is given.
 */
#ifndef GS_RENDER_ANALYSIS_JSON_H
#define GS_RENDER_ANALYSIS_JSON_H

#include "advise/advise.h"
#include "base/jwrite.h"

#define ANALYSIS_SCHEMA_VERSION "1.0.0"
#define NO_TIMESTAMP "1970-01-01T00:00:00" /* where null is not allowed */

struct att;
struct explanation;
struct source_scan;
struct run;
struct source_links;

/* Whose document: ours, or rocinsight's (compat/rocinsight.h). */
enum json_profile { JSON_GPUSIGHT, JSON_ROCINSIGHT };

struct analysis_json_opts {
    const char *timestamp;            /* ISO 8601; NULL: null */
    int64_t duration_ms;              /* the analysis took; 0 where that must not show */
    const char *prompt;               /* the user's question; NULL: none */
    size_t top_kernels;               /* rows of "hotspots" and of "kernel_resources"; 0: all */
    const struct source_scan *source; /* for "tier0"; NULL: none */
    const struct source_links *links; /* what in it the trace shows; NULL: not looked for */
    const struct att *att;            /* for "thread_trace"; NULL: none */
    const struct explanation *explanation; /* of a language model; NULL: none */
    bool without_tables;                   /* "analyses" is empty: who asks has the results */
};

/* For a run with what lies beside its trace; inside a page that has chapters of its own. */
struct analysis_json_opts run_json_opts(const struct run *run, size_t top, bool in_page);

void analysis_json(struct jwrite *w, const struct analysis *a, const struct advice *advice,
                   const struct analysis_json_opts *o);

/* The JSON Schema of analysis_json(), as a whole file. */
void analysis_json_schema(struct str *out);

#endif
