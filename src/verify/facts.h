/*
 * Facts as verify_text() uses them: values with their words, by value and by word.
 */
#ifndef GS_VERIFY_FACTS_H
#define GS_VERIFY_FACTS_H

#include "base/hash.h"
#include "verify/figure.h"
#include "verify/reading.h"
#include "verify/words.h"

struct known {
    double value;
    enum dimension dim;
    uint32_t words, table, subject; /* into facts.pool: of the column, the table, the row */
    uint16_t n_words, n_table, n_subject;
    bool weak; /* can confirm, but says too little to contradict: of a sentence, derived, a number
                * of something */
    const char *what, *whom; /* "hotspots: calls", "gemm"; whom may be NULL */
    uint64_t whole;          /* of whom, as a whole: fact_name(); 0: none */
};

struct reference {
    enum verify_kind kind;
    const char *text; /* read when it is needed */
    size_t n;
    const struct reading *reading;
};

struct facts {
    struct arena *arena;
    struct words words;
    VEC(struct known) v;
    VEC(uint32_t) pool;
    struct idmap
        lists; /* hash of a list of words to where it stands in the pool: each stands once */
    VEC(struct reference) references;
    size_t reference_size;
    struct idmap wholes; /* the names of all facts, as wholes */
    /* made by facts_seal() */
    uint32_t *by_value; /* by dimension, then value */
    uint32_t *postings; /* facts of each word, from starts[word] to starts[word + 1] */
    uint32_t *starts;
    double *rarity; /* of each word: rare ones say more */
    size_t sealed;  /* facts.n then; 0: not yet */
    bool left_out;  /* there were more than are kept */
};

void facts_seal(struct facts *f);

/* The unit of a field as a dimension. */
enum dimension facts_dimension(const char *unit, double *scale);

/* What is put in common for the values of a column. */
struct fact_kind {
    enum dimension dim;
    const char *what;
    struct word_list words, table;
    bool weak;
};

void facts_put(struct facts *f, const struct fact_kind *kind, double value, const char *whom,
               const struct word_list *subject);

/* Sums by name, of kernels, copies, host calls and markers (facts_sums.c). */
void facts_add_sums(struct facts *f, const struct run *run);

/* A name as a whole, for comparison; spaces around it do not count. */
uint64_t fact_name(const char *name, size_t n);

/* Where facts of this dimension begin that are not below value; into by_value. */
size_t facts_from(const struct facts *f, enum dimension dim, double value);

/* "hotspots: calls of 'gemm'" */
const char *fact_about(const struct known *f, struct arena *a);

#endif
