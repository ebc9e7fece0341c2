/*
 * The reference pages in docs/, made from the tables of the program so that they cannot disagree
 * with it: `gpusight --generate metrics` and `--generate rules`. A test compares them.
 */
#ifndef GS_RENDER_REFERENCE_H
#define GS_RENDER_REFERENCE_H

#include "base/str.h"

/* docs/metrics.md: causes of the ledger, every table and field, quality checks. */
void reference_metrics(struct str *out);

/* docs/counter-metrics.md: metrics derived from hardware counters. */
void reference_counters(struct str *out);

/* docs/rules.md: every rule. */
void reference_rules(struct str *out);

#endif
