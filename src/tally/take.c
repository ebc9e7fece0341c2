/* Which operands are no traces but tables of sums. */
#include "base/fs.h"
#include "base/str.h"
#include "ingest/ingest.h"
#include "tally/tally.h"

struct named {
    const char *path;
    const struct tally_kind *kind;
};

struct named_list {
    struct named *v;
    size_t n, cap;
};

static bool may_be(const char *name)
{
    static const char *const ends[] = {".txt",    ".json",    ".csv",      ".txt.gz", ".json.gz",
                                       ".csv.gz", ".txt.zst", ".json.zst", ".csv.zst"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(name, ends[i]))
            return true;
    return false;
}

/* The files of a folder that holds no trace. */
static bool list_folder(const char *dir, struct named_list *out, struct sightings *seen,
                        struct arena *a)
{
    size_t before = out->n;
    struct fs_list names = {0};
    struct ingest_files traces = {0};
    struct gs_error why;
    if (!fs_names(&names, dir, false, SIZE_MAX, a, &why))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        const char *path = fs_join(dir, names.v[i], a);
        const struct tally_kind *kind = may_be(path) ? tally_kind_of(path, seen) : NULL;
        if (kind)
            vec_push(out, a, ((struct named){path, kind}));
    }
    struct opt_list one = {&dir, 1, 1};
    if (out->n > before && !ingest_find(&traces, &one, seen, a, &why) && why.code == GS_E_EMPTY)
        return true;
    out->n = before;
    return false;
}

/* The file, or the files of the folder, if that is what it is. */
static bool list_path(const char *path, struct named_list *out, struct sightings *seen,
                      struct arena *a)
{
    if (fs_is_dir(path))
        return list_folder(path, out, seen, a);
    const struct tally_kind *kind = tally_kind_of(path, seen);
    if (kind)
        vec_push(out, a, ((struct named){path, kind}));
    return kind != NULL;
}

bool tally_take(struct opt_list *paths, struct tally **out, struct sightings *seen, struct arena *a,
                struct gs_error *err)
{
    struct opt_list rest = {0};
    struct named_list found = {0};
    for (size_t i = 0; i < paths->n; i++)
        if (!list_path(paths->v[i], &found, seen, a))
            vec_push(&rest, a, paths->v[i]);
    *out = NULL;
    if (!found.n)
        return true;
    struct tally *t = arena_new(a, struct tally);
    t->arena = a;
    for (size_t i = 0; i < found.n; i++)
        if (!tally_add(t, found.v[i].path, found.v[i].kind, err))
            return false;
    *paths = rest;
    *out = t;
    return true;
}

bool tally_only(struct opt_list *paths, struct tally **out, struct sightings *seen, struct arena *a,
                struct gs_error *err)
{
    if (!tally_take(paths, out, seen, a, err))
        return false;
    if (*out && paths->n)
        return fail(err, GS_E_USAGE,
                    "'%s' is %s, which has no times, and cannot be shown with '%s'; give one kind "
                    "at a time",
                    (*out)->files.v[0].path, (*out)->files.v[0].kind, paths->v[0]);
    return true;
}
