/*
 * Values as people read them, beyond what a field says of itself (field_text()).
 */
#ifndef GS_REPORT_VALUE_H
#define GS_REPORT_VALUE_H

#include "base/arena.h"
#include "field/field.h"

/* Whether a list of words, divided by spaces, has this one. */
bool value_listed(const char *list, const char *word);

/* Whether there is nothing to say: no text, no number. */
bool value_is_empty(const struct field *f, const void *row);

/* Numbers for people in an arena, as base/human.h has them; "-" for NaN. */
const char *value_ns(struct arena *a, int64_t ns);
const char *value_bytes(struct arena *a, uint64_t n);
const char *value_count(struct arena *a, uint64_t n);
const char *value_pct(struct arena *a, double pct);
const char *value_figure(struct arena *a, double v);
/* Differences: "+1.20 ms", "-3.4 %". */
const char *value_signed_ns(struct arena *a, int64_t ns);
const char *value_signed_pct(struct arena *a, double pct);

#endif
