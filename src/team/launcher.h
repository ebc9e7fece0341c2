/*
 * Which launcher started this process, and as which of how many, by its environment alone: nothing
 * of MPI is touched before it is known that there are several processes.
 */
#ifndef GS_TEAM_LAUNCHER_H
#define GS_TEAM_LAUNCHER_H

#include <stdbool.h>

struct launcher {
    const char *name;       /* "mpirun of Open MPI"; NULL: none, or a single process */
    int rank, size;         /* as it counts */
    const char *modules[3]; /* to be tried, in order; NULL at the end */
    bool without_mpi;       /* by srun several times, with nothing that MPI could start from */
};

void launcher_find(struct launcher *l);

#endif
