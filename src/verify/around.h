/*
 * What is said around a figure: the words near it, weighed by how near they are (around.c).
 */
#ifndef GS_VERIFY_AROUND_H
#define GS_VERIFY_AROUND_H

#include "verify/check.h"

enum { SAID_MAX = 160, NAMES_MAX = 32 };

struct said {
    uint32_t word;
    double weight;
    size_t place; /* in the text of the reading; NO_PASSAGE: not in the sentence */
};

/* What is said around a figure. */
struct context {
    struct checking *c;
    const struct figure *figure;
    struct said words[SAID_MAX];
    size_t n;
    double weight;           /* of what is being added */
    size_t from;             /* where the text being added begins */
    size_t anchor;           /* where words before the figure are measured from */
    bool by_distance;        /* weigh by how near it is */
    size_t names[NAMES_MAX]; /* where identifiers stand in the sentence */
    size_t n_names;
    uint64_t whole; /* the name beside it, all of it, where facts have it; 0: none */
    bool titled;    /* a column or a key says what it is */
    bool names_one; /* an identifier that facts have stands near */
    bool counted;   /* a word for something that is counted stands beside it */
};

/*
 * Fills x->words for the figure `i` of a passage: of its sentence, row or JSON member, of the heading
 * above it. Units of titles and keys become those of the figure. False: it is no figure that counts.
 */
bool around_figure(struct context *x, size_t passage, size_t i);

#endif
