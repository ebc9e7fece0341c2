/*
 * The two ways to check figures, inside of verify_text().
 */
#ifndef GS_VERIFY_CHECK_H
#define GS_VERIFY_CHECK_H

#include "verify/facts.h"

struct context;

/* How well what is said around a figure covers a list of words; of another turn: not known. */
struct covered {
    uint32_t turn;
    double share, name;
};

struct checking {
    struct facts *facts;
    const struct reading *r;
    struct figures figures;     /* of all passages, in order */
    size_t *first;              /* by passage: its first figure; one more at the end */
    struct checked_figure *out; /* by figure */
    bool *done;                 /* by figure: out says what it is, or that it does not count */
    bool *counts;               /* by figure */
    double *weights;            /* by word: how near it was said; all 0 between figures */
    struct context *context;    /* of match.c, used again for each figure */
    struct covered *covered;    /* by place in facts.pool, twice: see match.c */
    uint32_t *seen;             /* by fact: the search that met it */
    uint32_t turn, search;      /* of this figure, of the last search */
    struct place cell;          /* that was looked at last, and whether it is the name of a fact */
    bool cell_is_name;
    uint64_t work;                   /* done by match.c so far, in steps of some ten nanoseconds */
    struct arena *arena, *temporary; /* for what is told, and for this */
};

/* Passages that a reference has word for word (align.c). */
void check_by_reference(struct checking *c);

/* A figure by the words around it (match.c). */
void check_by_words(struct checking *c, size_t passage, size_t figure);

#endif
