/* Runs out of the database. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "compare/profile_write.h"
#include "fleet/fleet.h"

enum { SHORTEST_HASH = 4 };

struct listing {
    struct fleet_entries *out;
    const char *pattern;
    struct arena *arena;
};

static bool take_entry(void *ctx, const char *const *columns, int n)
{
    struct listing *l = ctx;
    if (n < 3 || !columns[0] || !columns[1] || !columns[2])
        return true;
    if (l->pattern && fnmatch(l->pattern, columns[1], 0) != 0)
        return true;
    vec_push(
        &l->out->v, l->arena,
        ((struct fleet_entry){arena_strdup(l->arena, columns[0]),
                              arena_strdup(l->arena, columns[1]), strtoll(columns[2], NULL, 10)}));
    return true;
}

/* The database has an order of its own for letters. */
static int by_time(const void *x, const void *y)
{
    const struct fleet_entry *a = x, *b = y;
    if (a->started_ns != b->started_ns)
        return a->started_ns < b->started_ns ? -1 : 1;
    int names = strcmp(a->name, b->name);
    return names ? names : strcmp(a->run, b->run);
}

bool fleet_list(struct fleet *f, const char *pattern, struct fleet_entries *out, struct arena *a,
                struct gs_error *err)
{
    struct listing l = {out, pattern, a};
    if (!fleet_run(f, "SELECT run, name, started_ns FROM gpusight_run", NULL, 0, take_entry, &l,
                   NULL, err))
        return false;
    if (out->v.n)
        qsort(out->v.v, out->v.n, sizeof(*out->v.v), by_time);
    return true;
}

/* "latest", "latest~3"; SIZE_MAX: it is not of that form. */
static size_t how_late(const char *word)
{
    static const char latest[] = "latest";
    if (!str_starts(word, latest))
        return SIZE_MAX;
    const char *rest = word + strlen(latest);
    char *end;
    if (!*rest)
        return 0;
    if (*rest != '~' || rest[1] < '0' || rest[1] > '9')
        return SIZE_MAX;
    unsigned long n = strtoul(rest + 1, &end, 10);
    return *end || n > 1000000000 ? SIZE_MAX : n;
}

const struct fleet_entry *fleet_choose(const struct fleet_entries *all, const char *word,
                                       const struct fleet *f, struct gs_error *err)
{
    size_t late = how_late(word), n = 0, len = strlen(word);
    const struct fleet_entry *found = NULL;
    for (size_t i = 0; i < all->v.n; i++)
        if (str_eq(all->v.v[i].name, word))
            found = &all->v.v[i];
    if (found)
        return found;
    if (late < all->v.n)
        return &all->v.v[all->v.n - 1 - late];
    for (size_t i = 0; late == SIZE_MAX && len >= SHORTEST_HASH && i < all->v.n; i++)
        if (str_starts(all->v.v[i].run, word)) {
            found = &all->v.v[i];
            n++;
        }
    if (n == 1)
        return found;
    if (n > 1)
        fail(err, GS_E_USAGE, "'%s' begins the hash of %zu runs in '%s'; give more of it", word, n,
             fleet_place(f));
    else
        fail(err, GS_E_USAGE,
             "no run '%s' in '%s'; 'gpusight history --db' shows the names there are", word,
             fleet_place(f));
    return NULL;
}

struct reading {
    struct run_profile *p;
    const struct fleet_entry *e;
    struct arena *arena;
    struct gs_error *err;
    bool ok, found;
};

static bool take_profile(void *ctx, const char *const *columns, int n)
{
    struct reading *r = ctx;
    r->found = n > 0 && columns[0];
    r->ok = r->found &&
            profile_parse(r->p, columns[0], strlen(columns[0]), r->e->name, r->arena, r->err);
    return false;
}

bool fleet_profile(struct fleet *f, const struct fleet_entry *e, struct run_profile *p,
                   struct arena *a, struct gs_error *err)
{
    struct fleet_value v = fleet_text(e->run);
    struct reading r = {p, e, a, err, false, false};
    if (!fleet_run(f, "SELECT profile FROM gpusight_run WHERE run = $1", &v, 1, take_profile, &r,
                   NULL, err))
        return false;
    if (!r.found)
        return fail(err, GS_E_FORMAT, "'%s' has nothing of the run '%s'", fleet_place(f), e->name);
    if (r.ok)
        p->label = arena_strdup(a, e->name);
    return r.ok;
}
