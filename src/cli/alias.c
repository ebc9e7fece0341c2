#include "cli/alias.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "base/vec.h"
#include "plan/command.h"

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

/* ---- rocinsight's sessions ---- */

struct spoken {
    const char *command, *resumed, *source, *trace;
    bool interactive;
    char **rest;
    int n;
};

/* The value of "--name=value" or of the next word; NULL: it is another option. */
static const char *value_of(const char *name, int argc, char **argv, int *i)
{
    size_t n = strlen(name);
    if (!str_starts(argv[*i], name))
        return NULL;
    if (argv[*i][n] == '=')
        return argv[*i] + n + 1;
    if (argv[*i][n] || *i + 1 >= argc)
        return NULL;
    return argv[++*i];
}

static void hear(struct spoken *s, int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        const char *v;
        if (str_eq(argv[i], "--interactive") &&
            (i + 1 == argc || argv[i + 1][0] == '-' || fs_is_file(argv[i + 1])))
            s->interactive = true;
        else if ((v = value_of("--interactive", argc, argv, &i))) {
            s->interactive = true;
            s->command = v;
        } else if ((v = value_of("--resume-session", argc, argv, &i)))
            s->resumed = v;
        else if ((v = value_of("--source-dir", argc, argv, &i)))
            s->source = v;
        else if ((v = value_of("--input", argc, argv, &i)) || (v = value_of("-i", argc, argv, &i)))
            s->trace = v;
        else if (argv[i][0] != '-' && fs_exists(argv[i]))
            s->trace = argv[i];
        else
            s->rest[s->n++] = argv[i];
    }
}

/* "analyze --interactive [COMMAND]" and "analyze --resume-session ID", as rocinsight has them. */
static char **expand_session(struct arena *a, int *argc, char **argv)
{
    struct spoken s = {.rest = arena_array(a, char *, (size_t)*argc + 1)};
    struct words words = {0};
    if (*argc < 3 || !str_eq(argv[1], "analyze"))
        return argv;
    hear(&s, *argc, argv);
    if (!s.interactive && !s.resumed)
        return argv;
    vec_push(&words, a, (const char *)argv[0]);
    vec_push(&words, a, "session");
    vec_push(&words, a, s.resumed ? "resume" : "new");
    if (s.resumed)
        vec_push(&words, a, s.resumed);
    else
        vec_push(&words, a,
                 (const char *)arena_printf(a, "--source=%s", s.source ? s.source : "."));
    if (s.trace && !s.resumed)
        vec_push(&words, a, (const char *)arena_printf(a, "--trace=%s", s.trace));
    for (int i = 0; i < s.n; i++)
        vec_push(&words, a, (const char *)s.rest[i]);
    if (s.command) {
        vec_push(&words, a, "--");
        words_split(&words, s.command, a);
    }
    char **out = arena_array(a, char *, words.n + 1);
    for (size_t i = 0; i < words.n; i++)
        out[i] = arena_strdup(a, words.v[i]);
    *argc = (int)words.n;
    return out;
}

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
    return expand_session(a, argc, argv);
}
