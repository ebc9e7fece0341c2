#include "cli/globals.h"

#include <stdlib.h>

#include "base/parallel.h"

const struct opt globals_opts[] = {
    OPT_WORD(struct globals, color, 0, "color", "auto|always|never",
             "when to use colour; auto means on a terminal and unless NO_COLOR is set"),
    OPT_INT(struct globals, threads, 0, "threads", 1, PARALLEL_MAX, "N",
            "how many threads to use instead of one per core; the result is the same"),
    OPT_BYTES(struct globals, max_unpacked, 0, "max-unpacked", "SIZE",
              "what a compressed file may unpack to, such as 8G, instead of 64 times its size "
              "(200 times below 128 MiB, and 64 MiB in any case)"),
    OPT_BYTES(struct globals, memory, 0, "memory", "SIZE",
              "hold no more than this in memory, such as 4G, and the rest on a disk (TMPDIR, or "
              "/var/tmp); the result is the same (no bound)"),
    OPT_TEXT(struct globals, cache, 0, "cache", "DIR",
             "keep loaded traces in this folder, so that the next command on them begins at once "
             "(GPUSIGHT_CACHE, else none)"),
    OPT_WORD(struct globals, sandbox, 0, "sandbox", "auto|on|off",
             "read files in a box: no writes but the output, no network, no other programs; on "
             "fails where the kernel has none (auto)"),
    OPT_WORD(struct globals, mpi, 0, "mpi", TEAM_MODES,
             "work as one with the other processes that mpirun or srun has started; yes fails "
             "where that cannot be (auto)"),
    OPT_FLAG(struct globals, verbose, 'v', "verbose", "say what is being done, on standard error"),
    OPT_FLAG(struct globals, quiet, 'q', "quiet", "print no warnings"),
    OPT_FLAG(struct globals, version, 0, "version", "print the version and what was built in"),
    OPT_END,
};

void globals_defaults(struct globals *g)
{
    *g = (struct globals){0};
    const char *cache = getenv("GPUSIGHT_CACHE");
    if (cache && *cache)
        g->cache = cache;
    const char *text = getenv("GPUSIGHT_THREADS");
    long n = text ? strtol(text, NULL, 10) : 0;
    if (n >= 1 && n <= PARALLEL_MAX)
        g->threads = n;
}
