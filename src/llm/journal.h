/*
 * Files that grow line by line and are there even when the program ends in between: recordings,
 * logs, transcripts, archives. Readable by their owner alone. They are never files that were read.
 */
#ifndef GS_LLM_JOURNAL_H
#define GS_LLM_JOURNAL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct journal;

/* `append`: what is there stays. */
struct journal *journal_open(const char *path, bool append, struct arena *a, struct gs_error *err);
void journal_put(struct journal *j, const struct str *text); /* NULL: nothing */

#endif
