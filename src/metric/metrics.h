/*
 * Metrics derived from hardware counters: the lines of metrics.def.
 *
 *     struct metric_set set;
 *     metric_set_init(&set, device.arch, arena);       // formulas read once
 *     for (size_t i = 0; i < set.n; i++)
 *         double v = formula_eval(set.v[i].formula, &scope);
 *
 * Thread-safety: a set is read-only once made.
 */
#ifndef GS_METRIC_METRICS_H
#define GS_METRIC_METRICS_H

#include "metric/device.h"
#include "metric/formula.h"

/* Parts of the GPU; metric_group_words has their names. */
enum metric_group {
    GROUP_DEVICE,
    GROUP_OCCUPANCY,
    GROUP_COMPUTE,
    GROUP_FLOPS,
    GROUP_LDS,
    GROUP_L1,
    GROUP_L2,
    GROUP_FABRIC,
    GROUP_FRONTEND,
    GROUP_STALLS,
};
extern const char *const metric_group_words[]; /* NULL at the end */

/* The metrics by name: METRIC_occupancy_pct. */
enum metric_id {
    NO_METRIC, /* ends lists */
#define METRIC(id, ...) METRIC_##id,
#define ALSO(...)
#include "metric/metrics.def"
};

struct metric_def {
    enum metric_id metric;
    const char *id, *label;
    enum unit unit;
    enum metric_group group;
    const char *archs; /* beginnings of architecture names, between spaces */
    const char *formula;
    const char *peak; /* "": none */
    const char *doc;
};

/* All lines. */
const struct metric_def *metric_defs(size_t *n);

/* Whether a line is meant for an architecture ("gfx90a"). */
bool metric_fits(const struct metric_def *def, const char *arch);

/* For people: "gfx10*, gfx11*". */
const char *metric_archs(const struct metric_def *def, struct arena *arena);

struct metric {
    const struct metric_def *def;
    const struct formula *formula;
    const struct formula *peak; /* NULL: none */
};

struct metric_set {
    struct metric *v; /* in the order of metrics.def */
    size_t n;
};

/* The metrics of an architecture; none for one that is not known. */
void metric_set_init(struct metric_set *set, const char *arch, struct arena *arena);

/* A metric of the set, or NULL. */
const struct metric *metric_set_find(const struct metric_set *set, enum metric_id id);

#endif
