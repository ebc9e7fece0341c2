/*
 * A rule is one file in rules/ and one line in rules.def. The const struct at its foot carries
 * everything known of it; help, docs/rules.md and `gpusight explain` come from it.
 */
#ifndef GS_ADVISE_RULE_H
#define GS_ADVISE_RULE_H

#include "advise/finding.h"
#include "plan/goals.h"
#include "source/source.h"

enum rule_needs {
    NEED_NOTHING = 0,
    NEED_KERNELS = 1 << 0,
    NEED_API = 1 << 1,
    NEED_COPIES = 1 << 2,
    NEED_MARKERS = 1 << 3,
    NEED_COUNTERS = 1 << 4,
};

/* What a rule is about, in rocinsight's words. */
enum rule_category {
#define CATEGORY(id, words) ABOUT_##id,
#include "advise/rule_categories.def"
#undef CATEGORY
};
extern const char *const rule_categories[]; /* "API Overhead", by value; NULL at the end */

/* A kind of calls among those that a rule cites. */
#define CITES(fact_kind) (1u << (fact_kind))

struct rule {
    const char *name;  /* "tiny-kernels" */
    const char *id;    /* rocinsight's where it has the rule: "ROCPD-LAUNCH-001" */
    const char *title; /* lower case, no full stop */
    enum rule_category category;
    enum bottleneck bottleneck;
    enum action_category action;
    unsigned needs;
    unsigned goals; /* what to plan for when it has found something: ON(goal) */
    unsigned cites; /* calls in the source that it speaks of, where they cost time: CITES(kind) */
    bool tuning;    /* about making a kernel faster, not about time lost: no fault of the run */
    bool specific; /* explains time that a more general rule would claim as well: is served first */
    bool takes_long; /* asked before the others, so that nobody waits for it alone */
    double gain;     /* expected share of the claim that can be won; orders the findings */
    /* Fills f and returns true when it has something to say. */
    bool (*eval)(const struct analysis *a, struct finding *f);
    const char *doc; /* when it fires, why it matters, what to do */
};

#define RULE(name) extern const struct rule rule_##name;
#include "advise/rules.def"
#undef RULE

extern const struct rule *const rules[]; /* NULL at the end */

/* By its name, as documents have it; NULL: none. */
const struct rule *rule_named(const char *name);

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
