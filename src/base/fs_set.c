#include "base/fs_set.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"
#include "base/unfinished.h"

void fs_set_init(struct fs_set *set, struct arena *a)
{
    *set = (struct fs_set){.arena = a};
}

/* Folders above it that are missing are made, too, and go with it. */
bool fs_set_folder(struct fs_set *set, const char *dir, struct gs_error *err)
{
    struct arena *a = set->arena;
    for (const char *p = dir; *p; p++) {
        size_t n = (size_t)(p - dir) + 1;
        const char *part = p[1] && p[1] != '/' ? NULL : arena_strndup(a, dir, n);
        if (!part || *p == '/' || fs_exists(part))
            continue;
        vec_push(&set->folders, a, part);
        vec_push(&set->made, a, unfinished_add(part));
    }
    size_t n = strlen(dir);
    while (n && dir[n - 1] == '/')
        n--;
    vec_push(&set->into, a, arena_strndup(a, dir, n));
    return fs_make_folders(dir, a, err);
}

static bool in_folder_of_ours(const struct fs_set *set, const char *path)
{
    size_t n = (size_t)(fs_basename(path) - path);
    while (n && path[n - 1] == '/')
        n--;
    for (size_t i = set->into.n; i-- > 0;)
        if (strlen(set->into.v[i]) == n && !memcmp(set->into.v[i], path, n) && path[n])
            return true;
    return false;
}

/* Whether two paths name one file, which need not be there. */
static bool same_target(const char *x, const char *y, struct arena *a)
{
    struct stat s, t;
    if (str_eq(x, y))
        return true;
    if (!str_eq(fs_basename(x), fs_basename(y)))
        return false;
    const char *dir_x = arena_printf(a, "%.*s.", (int)(fs_basename(x) - x), x);
    const char *dir_y = arena_printf(a, "%.*s.", (int)(fs_basename(y) - y), y);
    return stat(dir_x, &s) == 0 && stat(dir_y, &t) == 0 && s.st_dev == t.st_dev &&
           s.st_ino == t.st_ino;
}

static struct fs_set_file *add(struct fs_set *set, const char *path, struct gs_error *err)
{
    if (in_folder_of_ours(set, path) && !fs_out_is_no_device(path, err))
        return NULL;
    struct fs_set_file *file = arena_new(set->arena, struct fs_set_file);
    file->out = (struct fs_out){.path = arena_strdup(set->arena, path), .fd = -1};
    const char *base = fs_basename(path);
    uint64_t key = hash_bytes(base, strlen(base));
    if (!set->by_name.arena)
        idmap_init(&set->by_name, set->arena);
    file->alike = idmap_get(&set->by_name, key);
    for (uint32_t i = file->alike; i != NO_INDEX; i = set->files.v[i]->alike)
        if (!set->files.v[i]->out.direct &&
            same_target(set->files.v[i]->out.path, path, set->arena)) {
            fail(err, GS_E_USAGE, "cannot write '%s': two results would go there", path);
            return NULL;
        }
    idmap_put(&set->by_name, key, (uint32_t)set->files.n);
    vec_push(&set->files, set->arena, file);
    return file;
}

static struct fs_out *begin(struct fs_set *set, const char *path,
                            bool (*open)(struct fs_out *, const char *, struct gs_error *),
                            struct gs_error *err)
{
    struct fs_set_file *file = add(set, path, err);
    if (!file || !open(&file->out, file->out.path, err))
        return NULL;
    file->pending = &file->out;
    return file->pending;
}

struct fs_out *fs_set_open(struct fs_set *set, const char *path, struct gs_error *err)
{
    return begin(set, path, fs_out_open, err);
}

struct fs_out *fs_set_name(struct fs_set *set, const char *path, struct gs_error *err)
{
    return begin(set, path, fs_out_name, err);
}

struct fs_out *fs_set_database(struct fs_set *set, const char *path, struct gs_error *err)
{
    return begin(set, path, fs_out_database, err);
}

bool fs_set_done(struct fs_set *set, struct fs_out *out, struct gs_error *err)
{
    (void)set;
    return fs_out_complete(out, err);
}

void fs_set_drop(struct fs_set *set, struct fs_out *out)
{
    fs_out_abandon(out);
    for (size_t i = 0; i < set->files.n; i++)
        if (set->files.v[i]->pending == out)
            set->files.v[i]->pending = NULL;
}

void fs_set_take(struct fs_set *set, struct fs_out *out)
{
    struct fs_set_file *file = arena_new(set->arena, struct fs_set_file);
    file->out = (struct fs_out){.path = out->path, .fd = -1, .direct = out->direct};
    file->pending = out;
    file->alike = NO_INDEX;
    vec_push(&set->files, set->arena, file);
}

bool fs_set_write(struct fs_set *set, const char *path, const char *data, size_t n,
                  struct gs_error *err)
{
    if (fs_out_is_direct(path)) {
        struct fs_set_file *file = fs_out_check(path, err) ? add(set, path, err) : NULL;
        if (!file)
            return false;
        file->out.direct = true;
        file->data = data;
        file->n = n;
        return true;
    }
    struct fs_out *out = fs_set_open(set, path, err);
    return out && fs_out_write(out, data, n, err) && fs_set_done(set, out, err);
}

static bool publish(struct fs_set_file *file, struct gs_error *err)
{
    struct fs_out *out = file->pending;
    file->pending = NULL;
    return file->data ? fs_write(file->out.path, file->data, file->n, err)
                      : !out || fs_out_publish(out, err);
}

/* All names, or what stood there before. */
static bool give_names(struct fs_set *set, struct gs_error *err)
{
    for (size_t i = 0; i < set->files.n; i++)
        if (set->files.v[i]->pending && !fs_out_give_name(set->files.v[i]->pending, err))
            return false;
    for (size_t i = 0; i < set->files.n; i++) {
        if (set->files.v[i]->pending)
            fs_out_keep_name(set->files.v[i]->pending);
        set->files.v[i]->pending = NULL;
    }
    return true;
}

/* Each folder once, where its files follow each other. */
static void settle(const struct fs_set *set)
{
    const char *last = NULL;
    for (size_t i = 0; i < set->files.n; i++) {
        const struct fs_set_file *file = set->files.v[i];
        const char *path = file->out.path;
        size_t n = (size_t)(fs_basename(path) - path);
        if (file->out.direct ||
            (last && (size_t)(fs_basename(last) - last) == n && !memcmp(last, path, n)))
            continue;
        fs_out_settle(path);
        last = path;
    }
}

/* What blocks, on a pipe nobody reads, comes first and can be ended; names are given in one go. */
bool fs_set_close(struct fs_set *set, struct gs_error *err)
{
    bool ok = true;
    for (size_t i = 0; i < set->files.n && ok; i++)
        if (set->files.v[i]->out.direct)
            ok = publish(set->files.v[i], err);
    unfinished_hold();
    ok = ok && give_names(set, err);
    if (!ok)
        fs_set_abandon(set);
    for (size_t i = 0; i < set->made.n && ok; i++)
        unfinished_done(set->made.v[i]);
    unfinished_let_go();
    if (ok)
        settle(set);
    if (ok)
        *set = (struct fs_set){.arena = set->arena};
    return ok;
}

void fs_set_abandon(struct fs_set *set)
{
    for (size_t i = 0; i < set->files.n; i++)
        if (set->files.v[i]->pending)
            fs_out_abandon(set->files.v[i]->pending);
    for (size_t i = set->folders.n; i-- > 0;) {
        rmdir(set->folders.v[i]); /* stays where something is in it */
        unfinished_done(set->made.v[i]);
    }
    *set = (struct fs_set){.arena = set->arena};
}

static void abandon(void *set)
{
    fs_set_abandon(set);
}

struct fs_set *fs_set_new(struct arena *a)
{
    struct fs_set *set = arena_new(a, struct fs_set);
    fs_set_init(set, a);
    arena_defer(a, abandon, set);
    return set;
}
