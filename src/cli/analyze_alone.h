/*
 * What 'gpusight analyze' shows without a trace: a thread trace (--att-dir), or a scan of source code
 * (--source-dir).
 */
#ifndef GS_CLI_ANALYZE_ALONE_H
#define GS_CLI_ANALYZE_ALONE_H

#include <time.h>

#include "att/att.h"
#include "cli/output.h"
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

/* Its report, in the form asked for. */
struct alone {
    struct subject *about; /* with `att` or `source` */
    enum json_profile profile;
    const char *prompt;
    const struct timespec *begin; /* of the command, by CLOCK_MONOTONIC */
};
bool analyze_alone(struct alone *x, struct output *out, struct gs_error *err);

#endif
