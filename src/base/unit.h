/*
 * Units of numbers that we make: one list (units.def), compared as values, written as words.
 *
 *     .unit = IN_NS                  of a field, a metric or a piece of evidence
 *     unit_word(IN_NS)               "ns"
 */
#ifndef GS_BASE_UNIT_H
#define GS_BASE_UNIT_H

enum unit {
#define UNIT(name, word) name,
#include "base/units.def"
#undef UNIT
};

/* By their number; NULL at the end. */
extern const char *const unit_words[];

static inline const char *unit_word(enum unit u) /* "" where there is none */
{
    return unit_words[u];
}

#endif
