/*
 * The metrics of workloads: the rows of panels.def and what they use.
 */
#ifndef GS_WORKLOAD_PANELS_H
#define GS_WORKLOAD_PANELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"

enum { PANEL_SPEED_OF_LIGHT = 2, PANEL_MEMORY_CHART = 3, PANEL_CHANNELS = 18 };

enum workload_unit {
#define UNIT(name, word, counted) WORKLOAD_IN_##name,
#include "workload/units.def"
#undef UNIT
};

struct workload_unit_info {
    const char *word;
    bool counted; /* divided by the normal unit */
};
const struct workload_unit_info *workload_unit_info(enum workload_unit unit);
/* "req/n": where nobody has said what the normal unit is. */
const char *workload_unit_name(enum workload_unit unit, struct arena *a);

struct workload_metric {
    int panel;
    const char *key, *name;
    enum workload_unit unit;
    const char *formula, *peak, *level, *doc;
};

struct workload_panel {
    int id;
    const char *title;
};

/* A fact about all dispatches selected; metrics use it as $name. */
struct workload_fact {
    const char *name, *formula, *doc;
};

/* In the order of panels.def; the metrics of a panel stand together. */
const struct workload_metric *workload_metrics(size_t *n);
const struct workload_panel *workload_panels(size_t *n);
const struct workload_fact *workload_facts(size_t *n);

/* NULL: there is none. */
const struct workload_panel *workload_panel(int id);

/* What an architecture does in a clock (archs.def); 0: it cannot. */
struct workload_arch {
    const char *name, *family;
    double l1_line, l2_request, l2_clock;
    double valu_f16, valu_f32, valu_f64;
    double mfma_f6f4, mfma_f8, mfma_f16, mfma_bf16, mfma_f32, mfma_f64, mfma_i8;
};
const struct workload_arch *workload_arch(const char *name); /* NULL: unknown */

/*
 * A formula of panels.def as metric/formula.h takes it: for MI300 and later (`newer`) or those
 * before, with `denominator` for $denom.
 */
const char *panels_formula(const char *text, bool newer, const char *denominator, struct arena *a);

/* Hashes (hash_bytes()) of the names of all counters that a formula uses. */
void panels_names(struct idmap *set, struct arena *a);

#endif
