/*
 * Values that look alike.
 *
 * Files hold millions of records of one kind, written by one line of a program: all bytes are the
 * same but for the numbers. A struct jalike keeps such a record, taken apart into what stands between
 * its numbers; another one is then read by comparing bytes and taking numbers, without looking at
 * a key. What differs in any way is left to the reader.
 *
 *     struct jalike like;
 *     if (jalike_learn(&like, text, n))                   objects and whole numbers only
 *         while (jr_item(j))
 *             if (!jr_alike(j, &like, numbers))           numbers in the order of the text
 *                 ... read the item
 *
 * Thread-safety: as the reader's; a struct jalike that is not changed may be shared.
 */
#ifndef GS_BASE_JREAD_ALIKE_H
#define GS_BASE_JREAD_ALIKE_H

#include "base/jread.h"

enum { JALIKE_TEXT = 2048, JALIKE_NUMBERS = 64 };

struct jalike {
    size_t n;                          /* numbers */
    size_t length;                     /* of the text between them */
    uint16_t upto[JALIKE_NUMBERS + 1]; /* where the text before each number ends; all of it */
    char text[JALIKE_TEXT];
};

/* False: longer than that, or something else than objects, keys and numbers without a sign. */
bool jalike_learn(struct jalike *a, const char *text, size_t n);

/* The same text with other numbers, NUL-terminated: its length; 0: it does not fit. */
size_t jalike_print(const struct jalike *a, const uint64_t *numbers, char *buf, size_t size);

/* Reads the next value into numbers[a->n]; false: it is not alike, and nothing is consumed. */
bool jr_alike(struct jread *j, const struct jalike *a, uint64_t *numbers);

#endif
