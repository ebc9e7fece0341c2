#include "team/launcher.h"

#include <limits.h>
#include <stdlib.h>

#include "base/array.h"

/* A number from the environment, or -1. */
static int number(const char *name)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return -1;
    long n = strtol(text, &end, 10);
    return *end || n < 0 || n > INT_MAX ? -1 : (int)n;
}

/*
 * Open MPI names its variables in all its launchers; hydra and srun --mpi=pmi2 speak PMI, srun
 * --mpi=pmix PMIx, and leave the size to Slurm. SLURM_NTASKS alone says nothing: a batch script,
 * which is one process, has it, too.
 */
void launcher_find(struct launcher *l)
{
    static const struct {
        const char *name, *rank, *size;
        const char *modules[3];
    } known[] = {
        {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"openmpi", NULL}},
        {"PMI", "PMI_RANK", "PMI_SIZE", {"mpich", "openmpi", NULL}},
        {"PMIx", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", {"openmpi", "mpich", NULL}},
        {"PMIx", "PMIX_RANK", "SLURM_NTASKS", {"openmpi", "mpich", NULL}},
    };
    *l = (struct launcher){0};
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        int rank = number(known[i].rank), size = number(known[i].size);
        if (rank < 0 || size < 2 || rank >= size)
            continue;
        *l = (struct launcher){.name = known[i].name, .rank = rank, .size = size};
        for (size_t k = 0; known[i].modules[k]; k++)
            l->modules[k] = known[i].modules[k];
        return;
    }
    l->without_mpi = number("SLURM_STEP_NUM_TASKS") > 1 && number("SLURM_PROCID") == 0;
}
