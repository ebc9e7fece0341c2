/*
 * Verify: every figure of a text about a trace, matched with what the analysis says.
 *
 *     struct facts *facts = facts_new(arena);
 *     facts_add_run(facts, run);                    what the analysis knows
 *     facts_add_json(facts, "tool", answer, len);   and a tool's answer, where there is one
 *     struct verification *v = verify_text(text, len, VERIFY_TEXT, facts, arena);
 *     for (size_t i = 0; i < v->figures.n; i++)
 *         mark(text + v->figures.v[i].at, v->figures.v[i].n, v->figures.v[i].verdict);
 *
 * A figure is a number with its unit: "1.2 s", "43 %", "3.2x", "1,800 kernels", "9.17 GB/s". The
 * digits shown say how exact it is meant. What a figure is about is told by the words around it:
 * those of its clause, then of its sentence; the title of its column and the name of its row; the
 * key and the names beside it in JSON. A figure is
 *   - confirmed, where a fact with such words has this value,
 *   - contradicted, where the words name a fact and that has another value,
 *   - not found otherwise.
 * Names, versions, dates, addresses and commands are no figures, and small numbers in prose count
 * only beside a word for something that is counted.
 *
 * Reports that we wrote can be compared more strictly. facts_add_reference() takes what we would
 * write about the trace ourselves; where a passage differs from one of it in nothing but figures,
 * these must be equal, whatever other facts there are.
 *
 * facts belong to one thread: verify_text() puts them in order when they have grown. Nothing in
 * a text is trusted: any bytes will do. What would take more than some seconds or
 * hundreds of megabytes is left, and told (verification.too_many).
 */
#ifndef GS_VERIFY_VERIFY_H
#define GS_VERIFY_VERIFY_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

struct run;
struct results;
struct facts;

enum verify_kind {
    VERIFY_TEXT,
    VERIFY_MARKDOWN,
    VERIFY_HTML,
    VERIFY_JSON,
    VERIFY_CSV,
    VERIFY_KINDS
};
enum figure_verdict { FIGURE_CONFIRMED, FIGURE_CONTRADICTED, FIGURE_NOT_FOUND };

struct checked_figure {
    size_t at, n;  /* its bytes in the text, unit included */
    uint64_t line; /* from 1 */
    const char *shown;
    enum figure_verdict verdict;
    const char *about;   /* the fact: "hotspots: calls of 'gemm'"; NULL: none */
    const char *right;   /* its value, as a person would write it; NULL: none */
    const char *passage; /* the words it stands in, cut where they are long */
};

struct verification {
    VEC(struct checked_figure) figures; /* in the order of the text */
    uint64_t confirmed, contradicted, not_found;
    const char *too_many; /* NULL, or of what a text has too many for all of it to be checked */
};

struct facts *facts_new(struct arena *arena);

/* All tables of all analyses, the findings, and the figures in their sentences. */
void facts_add_run(struct facts *f, const struct run *run);
void facts_add_results(struct facts *f, const struct results *all);

/* Every number of a JSON document; keys are its words, texts beside it its names. */
void facts_add_json(struct facts *f, const char *source, const char *json, size_t n);

/*
 * A text of ours about the same trace, of which a copy is kept. Kinds that are not those of the
 * text verified are unused; one that does not fit into the room that is left is not taken.
 */
void facts_add_reference(struct facts *f, enum verify_kind kind, const char *text, size_t n);

/* How many bytes of them are still taken. */
size_t facts_reference_room(const struct facts *f);

/* How many facts there are. */
size_t facts_count(const struct facts *f);
bool facts_left_out(const struct facts *f); /* there were more than are kept: not all is found */

/* The kind of a text: by the extension of its name where that says so, else by what it begins with. */
enum verify_kind verify_kind_of(const char *name, const char *text, size_t n);

struct verification *verify_text(const char *text, size_t n, enum verify_kind kind, struct facts *f,
                                 struct arena *arena);

/* Where `part` begins in text[0..n); NULL: nowhere. */
const char *text_find(const char *text, size_t n, const char *part);

#endif
