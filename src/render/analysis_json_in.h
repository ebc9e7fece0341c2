/*
 * The analysis document as a struct: what analysis_json() fills and fields_write() writes. The
 * documents of source code and of a thread trace alone are parts of it, with tables of their own.
 */
#ifndef GS_RENDER_ANALYSIS_JSON_IN_H
#define GS_RENDER_ANALYSIS_JSON_IN_H

#include "att/att.h"
#include "render/analysis_json.h"
#include "report/source_report.h"
#include "report/trust.h"

struct metadata_json {
    const char *version, *document_version, *database_file, *timestamp, *prompt;
    VEC(struct trace_file) files;
    int64_t duration_ms;
};

struct gpu_json {
    const char *name, *arch, *host, *vendor;
    int64_t agent; /* as the profiler numbers it; -1: none */
    int32_t index;
    uint32_t cu_count;
};

struct cause_json {
    const char *cause, *label;
    enum cause_kind kind;
    int64_t ns;
    double pct;
};

struct ledger_gpu_json {
    int32_t gpu;
    const char *name;
    VEC(struct cause_json) causes;
};

struct finding_json {
    struct finding f;
    const char *rule, *impact, *predicted_by;
    VEC(struct cause_json) claims;
};

struct advice_json {
    const struct source_advice *a;
    VEC(struct profiler_command) commands;
};

struct pattern_json {
    const struct source_pattern *p;
    VEC(const char *) locations;
};

struct source_json {
    const struct source_scan *s;
    const char *timestamp;
    const char *explanation; /* of a language model; NULL: none */
    VEC(struct pattern_json) patterns;
    VEC(struct advice_json) advice;
    VEC(struct source_file_row) files;
    VEC(struct source_fact_row) facts;
    struct source_links links;
};

struct att_kernel_json {
    const struct att_kernel *k;
    VEC(const char *) dispatch_names;
};

struct att_json {
    const struct att *t;
    VEC(struct att_kernel_json) kernels;
};

struct analysis_document {
    struct metadata_json metadata;
    const struct analysis *a;
    const struct verdict *verdict;
    struct overview overview;
    struct counter_stats counters;
    bool has_counters, has_regions;
    VEC(struct gpu_json) gpus;
    VEC(struct cause_json) causes;
    VEC(struct ledger_gpu_json) ledger_gpus;
    VEC(struct finding_json) findings;
    VEC(struct job_rank) ranks;
    double imbalance;
    const struct straggler *straggler;
    const struct efficiencies *efficiencies;
    const struct job *job;
    VEC(struct hotspot) hotspots;
    const char *arch; /* of the first GPU */
    VEC(struct resource_row) resources;
    struct trust_json trust;
    VEC(const char *) errors;              /* always empty: what fails ends the run */
    struct source_json *source;            /* NULL: none */
    struct att_json *att;                  /* NULL: none */
    const struct explanation *explanation; /* NULL: none */
    struct results results;                /* all tables */
};

extern const struct fields analysis_document_fields, source_document_fields, att_document_fields;
extern const struct fields verdict_json_fields, cause_json_fields, ledger_gpu_json_fields;
extern const struct fields finding_json_fields, profiler_command_fields;
extern const struct fields source_json_fields, source_advice_fields;
extern const struct fields att_json_fields;
/* Parts that rocinsight's document has in common with ours. */
extern const struct fields metadata_run_fields, counter_metrics_fields, warning_fields;
extern const struct fields source_dir_fields, source_risk_fields, source_first_fields;

/* Version of the document, and what the options say. */
void metadata_make(struct metadata_json *m, const struct analysis_json_opts *o,
                   const char *document_version);

/* All but what lies beside the trace: source code and thread trace. */
void analysis_document_make(struct analysis_document *d, const struct analysis *a,
                            const struct advice *advice, const struct analysis_json_opts *o,
                            struct arena *arena);
/* Of source code alone. */
void source_document_make(struct analysis_document *d, const struct source_scan *s,
                          const struct analysis_json_opts *o, struct arena *arena);

/* links may be NULL. */
struct source_json *source_json_make(const struct source_scan *s, const struct source_links *links,
                                     const char *timestamp, struct arena *arena);
struct att_json *att_json_make(const struct att *t, struct arena *arena);
void finding_json_make(struct finding_json *out, const struct finding *f, struct arena *arena);

/* A list that is another's, as far as `most` of its rows; 0: all. */
#define LEND(to, from, most)                                                                       \
    ((to)->v = (from)->v, (to)->n = (most) && (most) < (from)->n ? (most) : (from)->n)

#endif
