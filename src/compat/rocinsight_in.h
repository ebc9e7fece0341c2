/* rocinsight's document as a struct: ours, and what has another shape there. */
#ifndef GS_COMPAT_ROCINSIGHT_IN_H
#define GS_COMPAT_ROCINSIGHT_IN_H

#include "compat/rocinsight.h"
#include "render/analysis_json_in.h"

/* A finding, or what source code suggests. */
struct rocinsight_advice {
    enum priority priority;
    const char *id, *category, *issue, *suggestion, *impact;
    double confidence; /* NaN: nothing was measured */
    VEC(const char *) actions;
    VEC(struct profiler_command) commands; /* of tools that it knows */
};

struct rocinsight_source {
    const struct source_json *s;
    VEC(struct rocinsight_advice) advice;
};

/* An instruction of a thread trace; cycles are totals over all hits. */
struct rocinsight_stall {
    const char *text, *source;
    uint64_t hits, latency, stall;
    double ratio;
};

struct rocinsight_stalls {
    const char *name, *file, *category;
    uint64_t instructions, stall;
    double ratio;
    VEC(struct rocinsight_stall) top;
};

struct rocinsight_att {
    const char *reason;
    bool has_data;
    uint64_t high_stall;
    VEC(struct rocinsight_stalls) kernels;
};

struct rocinsight {
    struct analysis_document d;
    bool has_trace;
    const char *explanation; /* of a language model; NULL: none */
    VEC(struct rocinsight_advice) advice;
    VEC(struct copy_row) copies; /* with its words as directions */
    VEC(struct category_row) categories;
    VEC(struct short_bucket) histogram;
    struct rocinsight_att *att;       /* NULL: none */
    struct rocinsight_source *source; /* NULL: none */
};

extern const struct fields rocinsight_fields, rocinsight_att_fields;

struct rocinsight_att *rocinsight_att_make(const struct att *t, struct arena *arena);

#endif
