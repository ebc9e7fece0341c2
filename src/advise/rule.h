/*
 * A rule is one file in rules/ and one line in rules.def. The const struct at its foot carries
 * everything known of it; help, docs/rules.md and `gpusight explain` come from it.
 */
#ifndef GS_ADVISE_RULE_H
#define GS_ADVISE_RULE_H

#include "advise/finding.h"

enum rule_needs {
    NEED_NOTHING = 0,
    NEED_KERNELS = 1 << 0,
    NEED_API = 1 << 1,
    NEED_COPIES = 1 << 2,
    NEED_MARKERS = 1 << 3,
    NEED_COUNTERS = 1 << 4,
};

struct rule {
    const char *name;     /* "tiny-kernels" */
    const char *id;       /* rocinsight's where it has the rule: "ROCPD-LAUNCH-001" */
    const char *category; /* rocinsight's words */
    const char *title;    /* lower case, no full stop */
    enum bottleneck bottleneck;
    enum action_category action;
    unsigned needs;
    bool tuning;   /* about making a kernel faster, not about time lost: no fault of the run */
    bool specific; /* explains time that a more general rule would claim as well: is served first */
    double gain;   /* expected share of the claim that can be won; orders the findings */
    /* Fills f and returns true when it has something to say. */
    bool (*eval)(const struct analysis *a, struct finding *f);
    const char *doc; /* when it fires, why it matters, what to do */
};

#define RULE(name) extern const struct rule rule_##name;
#include "advise/rules.def"
#undef RULE

extern const struct rule *const rules[]; /* NULL at the end */

/* ---- facts that several rules need ---- */

/* Share of window x GPUs, in percent. */
static inline double share_pct(const struct analysis *a, int64_t ns)
{
    return percent_of((double)ns, (double)a->breakdown.gpu_time_ns);
}
static inline int64_t ledger_ns(const struct analysis *a, enum cause c)
{
    return a->ledger.ns[c];
}
static inline const char *short_name_of(const struct analysis *a, const struct resource_row *r)
{
    return trace_str(a->trace, a->trace->symbols.v[r->symbol].short_name);
}
/* Below this share of the window nothing is a finding above INFO. */
#define LEAST_SHARE_PCT 2.0

#endif
