/*
 * "srun -n 4 ./app": where the launcher ends and the program begins.
 */
#include <string.h>

#include "base/str.h"
#include "plan/command.h"

#define LAUNCHER(name, kind, one, two) {name, LAUNCHER_##kind, one, two},
static const struct launcher {
    const char *name;
    enum launcher_kind kind;
    const char *one, *two; /* options that take so many words */
} launchers[] = {
#include "plan/launchers.def"
};

static const struct launcher *find(const char *program)
{
    const char *slash = strrchr(program, '/');
    for (size_t i = 0; i < ARRAY_LEN(launchers); i++)
        if (str_eq(launchers[i].name, slash ? slash + 1 : program))
            return &launchers[i];
    return NULL;
}

static bool listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        if (len == n && strncmp(p, word, n) == 0)
            return true;
        p += len;
    }
    return false;
}

/* The index of the program, or n. */
static size_t find_program(const struct launcher *l, const struct words *w)
{
    size_t i = l->kind == LAUNCHER_FLUX ? 2 : 1; /* behind "flux run" */
    while (i < w->n && w->v[i][0] == '-') {
        if (str_eq(w->v[i], "--"))
            return i + 1 < w->n ? i + 1 : w->n;
        i += listed(l->two, w->v[i]) ? 3 : listed(l->one, w->v[i]) ? 2 : 1;
    }
    return i < w->n ? i : w->n;
}

static bool several_programs(const struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (str_eq(w->v[i], ":"))
            return true;
    return false;
}

/* How many words at the head are variables, "env" in front of them included. */
static size_t variables_at_head(const struct words *w, struct words *out, struct arena *a)
{
    size_t first = w->n && str_eq(w->v[0], "env") ? 1 : 0, i = first;
    for (; i < w->n; i++) {
        size_t n =
            strspn(w->v[i], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
        if (!n || w->v[i][n] != '=' || strchr("0123456789", w->v[i][0]))
            break;
        vec_push(out, a, w->v[i]);
    }
    return i > first ? i : 0;
}

/* torchrun, accelerate launch, deepspeed, python -m torch.distributed.run. */
static bool starts_workers(const struct words *w)
{
    const char *slash = w->n ? strrchr(w->v[0], '/') : NULL, *name = slash ? slash + 1 : NULL;
    name = name ? name : w->n ? w->v[0] : "";
    if (str_eq(name, "torchrun") || str_eq(name, "deepspeed") || str_eq(name, "horovodrun"))
        return true;
    if (str_eq(name, "accelerate"))
        return w->n > 1 && str_eq(w->v[1], "launch");
    if (!str_starts(name, "python"))
        return false;
    for (size_t i = 1; i + 1 < w->n && w->v[i][0] == '-'; i++)
        if (str_eq(w->v[i], "-m"))
            return str_starts(w->v[i + 1], "torch.distributed.") ||
                   str_starts(w->v[i + 1], "accelerate.commands.launch") ||
                   str_starts(w->v[i + 1], "deepspeed.launcher");
    return false;
}

static bool is_flux(const struct words *w)
{
    return w->n > 1 && (str_eq(w->v[1], "run") || str_eq(w->v[1], "submit"));
}

bool launch_form_find(struct launch_form *how, const struct words *given, struct arena *a)
{
    size_t variables = variables_at_head(given, &how->environment, a);
    struct words rest = {given->v + variables, given->n - variables, given->n - variables};
    const struct words *command = &rest;
    const struct launcher *l = command->n ? find(command->v[0]) : NULL;
    if (l && l->kind == LAUNCHER_FLUX && !is_flux(command))
        l = NULL;
    size_t program = l && !several_programs(command) ? find_program(l, command) : 0;
    bool found = !l || (program && program < command->n);
    if (!found)
        program = 0;
    for (size_t i = 0; i < program; i++)
        vec_push(&how->launcher, a, command->v[i]);
    for (size_t i = program; i < command->n; i++)
        vec_push(&how->app, a, command->v[i]);
    how->kind = program ? l->kind : starts_workers(&how->app) ? LAUNCHER_WORKERS : LAUNCHER_NONE;
    return found && command->n && *command->v[program] && *command->v[program] != '-';
}

void launch_form_given(struct launch_form *how, const char *launcher, const struct words *app,
                       struct arena *a)
{
    words_split(&how->launcher, launcher, a);
    for (size_t i = 0; i < app->n; i++)
        vec_push(&how->app, a, app->v[i]);
    const struct launcher *l = how->launcher.n ? find(how->launcher.v[0]) : NULL;
    how->kind = !how->launcher.n ? LAUNCHER_NONE : l ? l->kind : LAUNCHER_MPI;
}
