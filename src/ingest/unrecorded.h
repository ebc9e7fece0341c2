/*
 * Stretches of one source in which nothing at all was recorded, far longer than all the rest: files
 * of several runs that lie in one folder, or tables of them in one database. Nobody ran a program
 * that long; they are taken out, with a note, so that they are not idle time of the GPUs.
 *
 *     struct unrecorded u;
 *     unrecorded_begin(&u, trace);
 *     ... rows of a source are added ...
 *     unrecorded_close(&u, trace);
 */
#ifndef GS_INGEST_UNRECORDED_H
#define GS_INGEST_UNRECORDED_H

#include "model/trace.h"

enum { UNRECORDED_TABLES = 9 };

struct unrecorded {
    size_t rows[UNRECORDED_TABLES]; /* of each table, before */
};

void unrecorded_begin(struct unrecorded *u, const struct trace *t);

/* Moves what comes after such a stretch forward. A stretch of less than an hour stays. */
void unrecorded_close(const struct unrecorded *u, struct trace *t);

#endif
