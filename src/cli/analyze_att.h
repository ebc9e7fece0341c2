/* The part of 'gpusight analyze' that reads thread traces: --att-dir, --no-att, --att-listing. */
#ifndef GS_CLI_ANALYZE_ATT_H
#define GS_CLI_ANALYZE_ATT_H

#include "att/att.h"
#include "cli/output.h"
#include "model/trace.h"
#include "render/analysis_json.h"

struct analyze_att_opts {
    struct opt_list dir;
    enum att_listing listing;
    bool off;
};

#define ANALYZE_ATT_OPTS(T, m)                                                                     \
    OPT_LIST(                                                                                      \
        T, m.dir, 0, "att-dir", "DIR",                                                             \
        "a thread trace (rocprofv3 --att): stalls by instruction; works without a trace. One "     \
        "beside the trace is found by itself"),                                                    \
        OPT_FLAG(T, m.off, 0, "no-att", "do not look for a thread trace beside the trace"),        \
        OPT_WORD(T, m.listing, 0, "att-listing", "block|all|none",                                 \
                 "annotated code of the thread trace: the hottest block, all that ran, none")

/* The report of a thread trace alone, in the form asked for. */
bool analyze_att_report(const struct att *t, struct subject *about, struct output *out,
                        enum json_profile profile, const char *prompt, struct gs_error *err);

#endif
