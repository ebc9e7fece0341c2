/* Between the files of the JSON document. */
#ifndef GS_RENDER_ANALYSIS_JSON_IN_H
#define GS_RENDER_ANALYSIS_JSON_IN_H

#include "advise/overview.h"
#include "render/analysis_json.h"
#include "render/fields_json.h"

struct analysis_document {
    struct jwrite *w;
    const struct analysis *a;
    const struct advice *advice;
    const struct analysis_json_opts *o;
    struct results results; /* all tables */
};

/* analysis_sections.c: each writes one member of the document. */
void write_ledger(struct analysis_document *d);
void write_memory(struct analysis_document *d);
void write_counters(struct analysis_document *d);
void write_short_kernels(struct analysis_document *d);
void write_resources(struct analysis_document *d);
void write_api(struct analysis_document *d);
void write_regions(struct analysis_document *d);

/* job_json.c: ranks, imbalance, straggler, efficiencies, job */
void write_job(struct analysis_document *d);

/* findings_json.c */
void write_recommendations(struct analysis_document *d);
void write_command(struct jwrite *w, const struct profiler_command *c);

/* The agent of a GPU as the profiler numbers it; -1: none. */
int64_t agent_of_gpu(const struct trace *t, uint32_t gpu);

/*
 * What the document looks like, for its schema: analysis_shape.c.
 *
 * A type is "integer", "number", "string", "boolean" or "object" and what is behind it from the
 * left: "[]" an array of such, "{}" an object with such values, "?" or null.
 */
struct member {
    const char *key; /* NULL ends a list */
    const char *type;
    const char *doc;
    const char *words;            /* of a string: all it can be, divided by '|' */
    const struct fields *fields;  /* of an object: its first members */
    const char *table;            /* the same, by key among all tables */
    const struct member *members; /* of an object: the members after these */
};

#define MEMBER(k, t, d, ...)                                                                       \
    {                                                                                              \
        .key = k, .type = t, .doc = d, ##__VA_ARGS__                                               \
    }

extern const struct member command_members[]; /* of one profiler command */
extern const struct member analysis_members[], recommendation_members[], source_members[],
    att_members[];
extern const struct member source_only_members[], source_advice_members[],
    att_only_members[]; /* without a trace */

#endif
