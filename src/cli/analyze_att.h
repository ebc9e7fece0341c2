/* The part of 'gpusight analyze' that reads thread traces: --att-dir, --no-att, --att-listing. */
#ifndef GS_CLI_ANALYZE_ATT_H
#define GS_CLI_ANALYZE_ATT_H

#include "cli/report_form.h"
#include "model/trace.h"

struct analyze_att_opts {
    struct opt_list dir;
    const char *listing;
    bool off;
};

#define ANALYZE_ATT_OPTS(T, m)                                                                     \
    OPT_LIST(                                                                                      \
        T, m.dir, 0, "att-dir", "DIR",                                                             \
        "a thread trace (rocprofv3 --att): stalls by instruction; works without a trace. One "     \
        "beside the trace is found by itself"),                                                    \
        OPT_FLAG(T, m.off, 0, "no-att", "do not look for a thread trace beside the trace"),        \
        OPT_CHOICE(T, m.listing, 0, "att-listing", "block|all|none",                               \
                   "annotated code of the thread trace: the hottest block, all that ran, none")

struct analyze_att {
    struct att att; /* owned: att_init() and att_release() around it */
    enum att_listing listing;
    const char *prompt; /* kept in the JSON; NULL: none */
    bool used;
};

/* What was asked for by --att-dir; nothing happens without. */
bool analyze_att_asked(struct analyze_att *s, const struct analyze_att_opts *o,
                       struct gs_error *err);

/*
 * Whether the only operand is a folder that holds a thread trace and, as `why` says, no trace: then
 * it is read.
 */
bool analyze_att_instead(struct analyze_att *s, const struct analyze_att_opts *o,
                         const struct opt_list *paths, struct gs_error *why);

/* What lies beside the files of the trace, unless asked otherwise; and the join of both. */
void analyze_att_beside(struct analyze_att *s, const struct analyze_att_opts *o,
                        const struct analysis *a, struct advice *advice);

/* The report of a thread trace alone, in the form asked for. */
bool analyze_att_report(const struct analyze_att *s, const struct report_form *f, struct str *out,
                        struct gs_error *err);

#endif
