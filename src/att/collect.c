/* The dispatches of a folder: stats files, decoded folders, and which belong together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "att/att_in.h"
#include "base/fs.h"
#include "base/str.h"

enum { DEEPEST = 4, MOST_DISPATCHES = 10000, MOST_ENTRIES = 1000000, MOST_NOTES = 200 };

void att_note(struct att *t, const char *fmt, ...)
{
    if (t->notes.n == MOST_NOTES)
        vec_push(&t->notes, &t->arena, "there are more such notes");
    if (t->notes.n >= MOST_NOTES)
        return;
    ARENA_FORMATTED(text, &t->arena);
    vec_push(&t->notes, &t->arena, text);
}

/* "…stats_NAME.csv", also compressed: NAME. NULL: another file. */
static const char *stats_name(struct att *t, const char *file, enum att_mode mode)
{
    const char *certain = strstr(file, "stats_ui_output");
    const char *p = certain ? certain : str_starts(file, "stats_") ? file : NULL;
    const char *end = p ? strstr(p, ".csv") : NULL;
    if (!end || (mode == ATT_BESIDE && !certain))
        return NULL;
    if (end[4] && !str_eq(end, ".csv.gz") && !str_eq(end, ".csv.zst"))
        return NULL;
    p += strlen("stats_");
    return arena_strndup(&t->arena, p, (size_t)(end - p));
}

static int64_t number_after(const char *name, const char *word)
{
    const char *p = strstr(name, word);
    char *end;
    if (!p || p[strlen(word)] < '0' || p[strlen(word)] > '9')
        return -1;
    errno = 0;
    long long v = strtoll(p + strlen(word), &end, 10);
    return errno ? -1 : v;
}

/* One entry a name and folder, whichever of the two halves comes first. */
static struct att_dispatch *dispatch_of(struct att *t, size_t first, const char *name)
{
    const char *bare = str_starts(name, "ui_output_") ? name + strlen("ui_output_") : name;
    for (size_t i = first; i < t->dispatches.n; i++)
        if (str_eq(t->dispatches.v[i].name, bare))
            return &t->dispatches.v[i];
    if (t->dispatches.n >= MOST_DISPATCHES)
        return NULL;
    struct att_dispatch *d = vec_add(&t->dispatches, &t->arena);
    *d = (struct att_dispatch){.name = bare,
                               .agent = number_after(bare, "agent_"),
                               .dispatch = number_after(bare, "dispatch_")};
    return d;
}

static bool is_decoded(struct att *t, const char *dir)
{
    return fs_exists(arena_printf(&t->arena, "%s/code.json", dir)) ||
           fs_exists(arena_printf(&t->arena, "%s/filenames.json", dir)) ||
           fs_exists(arena_printf(&t->arena, "%s/occupancy.json", dir));
}

static bool look_in(struct att *t, const char *dir, enum att_mode mode, int depth,
                    struct gs_error *err)
{
    struct fs_list names = {0};
    size_t first = t->dispatches.n, slash = strlen(dir);
    if (!fs_names(&names, dir, false, MOST_ENTRIES, &t->arena, err))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        struct att_dispatch *d;
        const char *name = names.v[i], *stats = stats_name(t, name, mode);
        const char *path =
            arena_printf(&t->arena, "%s%s%s", dir, slash && dir[slash - 1] == '/' ? "" : "/", name);
        bool folder = fs_is_dir(path);
        if (folder && fs_is_link(path)) {
            if (str_starts(name, "ui_output"))
                att_note(t, "'%s' is a link, which is not followed", name);
            continue;
        }
        if (stats && !folder && (d = dispatch_of(t, first, stats)))
            d->stats = path;
        else if (folder && str_starts(name, "ui_output") && (d = dispatch_of(t, first, name)))
            d->folder = path;
    }
    for (size_t i = 0; mode == ATT_EXPLICIT && depth < DEEPEST && i < names.n; i++) {
        const char *path = arena_printf(&t->arena, "%s/%s", dir, names.v[i]);
        struct gs_error why;
        if (!str_starts(names.v[i], "ui_output") && fs_is_dir(path) && !fs_is_link(path) &&
            !look_in(t, path, mode, depth + 1, &why))
            att_note(t, "%s", why.text);
    }
    return true;
}

bool att_collect(struct att *t, const char *dir, enum att_mode mode, struct gs_error *err)
{
    if (mode == ATT_EXPLICIT && !fs_is_dir(dir) && fs_exists(dir)) { /* one stats file */
        struct att_dispatch *d = dispatch_of(t, t->dispatches.n, fs_basename(dir));
        if (d)
            d->stats = dir;
        return true;
    }
    if (mode == ATT_EXPLICIT && fs_is_dir(dir) && is_decoded(t, dir)) {
        struct att_dispatch *d = dispatch_of(t, t->dispatches.n, fs_basename(dir));
        if (d)
            d->folder = dir;
        return true;
    }
    return look_in(t, dir, mode, 0, err);
}

bool att_is_there(struct att *t, const char *dir)
{
    struct gs_error ignored;
    size_t before = t->dispatches.n;
    if (!fs_is_dir(dir))
        return false;
    bool there = att_collect(t, dir, ATT_EXPLICIT, &ignored) && t->dispatches.n > before;
    t->dispatches.n = before;
    t->notes.n = 0;
    return there;
}
