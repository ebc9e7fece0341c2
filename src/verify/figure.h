/*
 * Figures: numbers in a text with their units.
 */
#ifndef GS_VERIFY_FIGURE_H
#define GS_VERIFY_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum dimension {
    DIM_NUMBER, /* none: counts, grades, factors */
    DIM_TIME,   /* ns */
    DIM_BYTES,
    DIM_RATE, /* bytes a second */
    DIM_PCT,
    DIM_RATIO, /* "1.77 times", "3x" */
    DIM_FLOPS,
    DIM_HZ,
    DIM_OTHER, /* watts, degrees: equal only to numbers without a unit */
    DIM_NAME,  /* no figure: an identifier, version or date with digits in it */
};

/* Of a range, "0.8 to 1.7 ms". */
enum range_side { SIDE_NONE, SIDE_LOW, SIDE_HIGH };

struct figure {
    double value;      /* in the unit of its dimension */
    double tolerance;  /* half of the last digit shown */
    double scale;      /* of its unit */
    uint32_t at, n;    /* with its unit; documents are smaller than 4 GiB */
    uint32_t number_n; /* without */
    enum dimension dim;
    int digits; /* that are significant */
    bool about; /* "about", "~": less exact than it looks */
    enum range_side side;
};

struct figures {
    struct figure *v;
    size_t n, cap;
};

/* Those of text[at..at + n), in order; names with digits among them. Ends behind FIGURES_MAX. */
enum { FIGURES_MAX = 500000 };
void figures_find(struct figures *out, const char *text, size_t at, size_t n, struct arena *a);

/* Whether a value could be shown like this. */
bool figure_fits(const struct figure *f, double value);

/*
 * The unit that a word is or ends with: "ns", "total_ns", "Total Time (ns)", "duration_pct".
 * False: none.
 */
bool unit_of_words(const char *words, size_t n, enum dimension *dim, double *scale);

/* The unit of this name; its length, or 0. */
size_t unit_at(const char *text, size_t n, enum dimension *dim, double *scale);

/* As people write values of a dimension. */
const char *dimension_text(enum dimension dim, double value, struct arena *a);

#endif
