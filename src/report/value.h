/*
 * Values of results as people read them: the one place that turns a field of a row into words, for
 * every medium.
 */
#ifndef GS_REPORT_VALUE_H
#define GS_REPORT_VALUE_H

#include "analyze/field.h"
#include "base/arena.h"

/* Whether a list of words, divided by spaces, has this one. */
bool value_listed(const char *list, const char *word);

/* Texts and yes or no; everything else is a number. */
bool value_is_text(const struct field *f);

/* 213 ms, 36.8 %, 64.0 KiB, 9.17 GB/s, yes; "-" where it cannot be said. */
const char *value_text(struct arena *a, const struct field *f, const void *row);

/* The same of a difference: "+213 ms". */
const char *value_change(struct arena *a, const struct field *f, const void *row);

/* A point in time, from `origin_ns` on. */
const char *value_moment(struct arena *a, const struct field *f, const void *row,
                         int64_t origin_ns);

/* Every digit, for sorting and for programs; "" where it cannot be said. */
const char *value_exact(struct arena *a, const struct field *f, const void *row);

/* As a number; NaN for texts. */
double value_number(const struct field *f, const void *row);

/* Whether there is nothing to say: no text, no number. */
bool value_is_empty(const struct field *f, const void *row);

/* Numbers for people in an arena, as base/human.h has them; "-" for NaN. */
const char *value_ns(struct arena *a, int64_t ns);
const char *value_bytes(struct arena *a, uint64_t n);
const char *value_count(struct arena *a, uint64_t n);
const char *value_pct(struct arena *a, double pct);
/* Differences: "+1.20 ms", "-3.4 %". */
const char *value_signed_ns(struct arena *a, int64_t ns);
const char *value_signed_pct(struct arena *a, double pct);

/* The field of this key, or NULL. */
const struct field *value_field(const struct fields *f, const char *key);

#endif
