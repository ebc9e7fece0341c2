/*
 * MPI calls that were recorded as markers.
 *
 * rocprofv3 knows no MPI; wrappers write roctx ranges that carry the names of the calls. They stay
 * markers, and they become calls as well, so that analyses see that the host is in MPI.
 */
#ifndef GS_INGEST_LIFT_H
#define GS_INGEST_LIFT_H

#include "model/trace.h"

/* Does nothing for processes whose MPI calls were recorded as such. */
void lift_mpi(struct trace *t);

#endif
