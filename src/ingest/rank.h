/*
 * Which MPI rank wrote this trace: from the variables a launcher sets, or from the file name.
 * A process's environment holds secrets: only the values of these variables are ever looked at,
 * and only a small number is kept.
 */
#ifndef GS_INGEST_RANK_H
#define GS_INGEST_RANK_H

#include <stddef.h>

#include "model/trace.h"

/* Sets rank and rank_source from an environment JSON object, if it names a rank. */
void rank_from_environment(struct process *p, const char *json, size_t n);

/* Sets them from "rank3", "rank-3" or "rank_3" in the path, if still unknown. */
void rank_from_path(struct process *p, const char *path);

#endif
