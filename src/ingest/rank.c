#include "ingest/rank.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/jread.h"
#include "base/str.h"

/* In order of trust: what the MPI library sets for itself, then the launchers. */
static const char *const variables[] = {
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID", "RANK",
};

enum { N_VARIABLES = ARRAY_LEN(variables), LARGEST_RANK = 100000000 };

static void read_environment(struct process *p, struct jread *j)
{
    size_t best = N_VARIABLES;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        size_t i = 0;
        while (i < best && !jr_is(j, variables[i]))
            i++;
        if (i == best) {
            jr_skip(j);
            continue;
        }
        int64_t rank = jr_int(j, -1);
        if (rank < 0 || rank > LARGEST_RANK)
            continue;
        best = i;
        p->rank = (int32_t)rank;
        p->rank_source = variables[i];
    }
}

void rank_from_environment(struct process *p, const char *json, size_t n)
{
    struct arena *temporary = arena_scratch();
    read_environment(p, jr_text(temporary, json, n));
    arena_release(temporary);
}

void rank_from_path(struct process *p, const char *path)
{
    if (p->rank >= 0)
        return;
    for (const char *at = path + strlen(path); at-- > path;) {
        if (strncasecmp(at, "rank", 4))
            continue;
        const char *digits = at + 4;
        if (*digits == '_' || *digits == '-' || *digits == '.')
            digits++;
        int64_t rank = 0;
        const char *d = digits;
        for (; isdigit((unsigned char)*d) && rank <= LARGEST_RANK; d++)
            rank = rank * 10 + (*d - '0');
        if (d == digits || rank > LARGEST_RANK)
            continue;
        p->rank = (int32_t)rank;
        p->rank_source = "file name";
        return;
    }
}
