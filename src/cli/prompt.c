#include "cli/prompt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "config.h"

#ifdef HAVE_EDIT
#include <editline/readline.h>
#endif

enum { MOST_HISTORY = 1000 };

struct prompt {
    struct arena *arena;
    const char *file; /* NULL: no history is kept */
    const char *const *words;
};

bool prompt_is_possible(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* A folder and those above it, for this user alone. */
static bool make_folders(const char *path, struct arena *a)
{
    char *part = arena_strdup(a, path);
    for (char *p = part + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return false;
        *p = '/';
    }
    return mkdir(part, 0700) == 0 || errno == EEXIST;
}

const char *state_folder(struct arena *a)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const char *path = state && *state == '/' ? arena_printf(a, "%s/gpusight", state)
                       : home && *home == '/' ? arena_printf(a, "%s/.local/state/gpusight", home)
                                              : NULL;
    return path && make_folders(path, a) ? path : NULL;
}

#ifdef HAVE_EDIT

/* libedit asks for one word after the other and has no place for context. */
static const char *const *completed;

static char *next_word(const char *text, int state)
{
    static size_t at;
    size_t n = strlen(text);
    if (!state)
        at = 0;
    while (completed && completed[at]) {
        const char *word = completed[at++];
        if (!strncmp(word, text, n))
            return strdup(word);
    }
    return NULL;
}

static char **complete(const char *text, int start, int end)
{
    (void)start, (void)end;
    rl_attempted_completion_over = 1; /* no names of files */
    return rl_completion_matches(text, next_word);
}

static void save(void *prompt)
{
    const struct prompt *p = prompt;
    if (p->file) {
        mode_t old = umask(077);
        write_history(p->file);
        umask(old);
    }
    completed = NULL;
}

struct prompt *prompt_new(const char *file, const char *const *words, struct arena *a)
{
    struct prompt *p = arena_new(a, struct prompt);
    const char *folder = state_folder(a);
    *p = (struct prompt){a, folder ? arena_printf(a, "%s/%s", folder, file) : NULL, words};
    rl_readline_name = "gpusight";
    using_history();
    stifle_history(MOST_HISTORY);
    if (p->file)
        read_history(p->file);
    completed = words;
    rl_attempted_completion_function = complete;
    arena_defer(a, save, p);
    return p;
}

const char *prompt_line(struct prompt *p, const char *prompt)
{
    char *line = readline(prompt);
    const char *kept = line ? arena_strdup(p->arena, line) : NULL;
    free(line);
    return kept;
}

void prompt_keep(struct prompt *p, const char *text)
{
    char *line = arena_strdup(p->arena, text);
    for (char *c = line; *c; c++)
        if (*c == '\n')
            *c = ' ';
    if (*line)
        add_history(line);
}

#else

struct prompt *prompt_new(const char *file, const char *const *words, struct arena *a)
{
    struct prompt *p = arena_new(a, struct prompt);
    (void)file;
    *p = (struct prompt){a, NULL, words};
    return p;
}

const char *prompt_line(struct prompt *p, const char *prompt)
{
    char *line = NULL;
    size_t cap = 0;
    fputs(prompt, stdout);
    fflush(stdout);
    ssize_t n = getline(&line, &cap, stdin);
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
        n--;
    const char *kept = n >= 0 ? arena_strndup(p->arena, line, (size_t)n) : NULL;
    free(line);
    return kept;
}

void prompt_keep(struct prompt *p, const char *text)
{
    (void)p, (void)text;
}

#endif
