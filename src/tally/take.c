/* Which operands are no traces but tables of sums. */
#include "base/fs.h"
#include "base/str.h"
#include "ingest/ingest.h"
#include "tally/tally.h"

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
static bool list_folder(const char *dir, struct opt_list *out, struct arena *a)
{
    struct fs_list names = {0};
    struct ingest_files traces = {0};
    struct gs_error why;
    if (!fs_names(&names, dir, false, SIZE_MAX, a, &why))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        const char *path = fs_join(dir, names.v[i], a);
        if (may_be(path) && tally_is(path))
            vec_push(out, a, path);
    }
    struct opt_list one = {&dir, 1, 1};
    return out->n && !ingest_find(&traces, &one, a, &why) && why.code == GS_E_EMPTY;
}

bool tally_take(struct opt_list *paths, struct tally **out, struct arena *a, struct gs_error *err)
{
    struct opt_list rest = {0}, found = {0};
    for (size_t i = 0; i < paths->n; i++) {
        struct opt_list inside = {0};
        const char *path = paths->v[i];
        if (fs_is_dir(path) ? list_folder(path, &inside, a) : tally_is(path) != NULL) {
            for (size_t k = 0; k < inside.n; k++)
                vec_push(&found, a, inside.v[k]);
            if (!inside.n)
                vec_push(&found, a, path);
        } else {
            vec_push(&rest, a, path);
        }
    }
    *out = NULL;
    if (!found.n)
        return true;
    struct tally *t = arena_new(a, struct tally);
    t->arena = a;
    for (size_t i = 0; i < found.n; i++)
        if (!tally_add(t, found.v[i], err))
            return false;
    *paths = rest;
    *out = t;
    return true;
}

bool tally_only(struct opt_list *paths, struct tally **out, struct arena *a, struct gs_error *err)
{
    if (!tally_take(paths, out, a, err))
        return false;
    if (*out && paths->n)
        return fail(err, GS_E_USAGE,
                    "'%s' is %s, which has no times, and cannot be shown with '%s'; give one kind "
                    "at a time",
                    (*out)->files.v[0].path, (*out)->files.v[0].kind, paths->v[0]);
    return true;
}
