#include "cli/alias.h"

#include <stdlib.h>

#include "base/fs.h"
#include "base/str.h"

/* Words behind the command; where AMD's tools write unless told otherwise comes with them. */
static const struct {
    const char *name, *words[4];
    bool writes;
} aliases[] = {
    {"rocpd2csv", {"convert", "--format", "csv", NULL}, true},
    {"rocpd2pftrace", {"convert", "--format", "pftrace", NULL}, true},
    {"rocpd2otf2", {"convert", "--format", "otf2", NULL}, true},
    {"rocpd2summary", {"summary", "--by-domain", NULL, NULL}, false},
};

char **alias_expand(struct arena *a, int *argc, char **argv)
{
    enum { ROOM = 16 };
    const char *name = *argc > 0 ? fs_basename(argv[0]) : "";
    for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
        if (!str_eq(name, aliases[i].name))
            continue;
        char **out = arena_array(a, char *, (size_t)*argc + ROOM);
        int n = 0;
        out[n++] = argv[0];
        for (size_t k = 0; aliases[i].words[k]; k++)
            out[n++] = arena_strdup(a, aliases[i].words[k]);
        if (aliases[i].writes && !getenv("ROCPD_OUTPUT_NAME"))
            out[n++] = arena_strdup(a, "--output=out");
        if (aliases[i].writes && !getenv("ROCPD_OUTPUT_PATH"))
            out[n++] = arena_strdup(a, "--dir=./rocpd-output-data");
        for (int k = 1; k < *argc; k++) {
            bool input = str_eq(argv[k], "-i") || str_eq(argv[k], "--input");
            if (!input || aliases[i].writes) /* operands of summary need no word in front */
                out[n++] = argv[k];
        }
        *argc = n;
        return out;
    }
    return argv;
}
