/* The folder: whose it is, what is in it, what goes when it is full. */
#define _GNU_SOURCE /* O_DIRECTORY */
#include "cache/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/fs_out.h"
#include "base/str.h"
#include "base/vec.h"
#include "cache/cache.h"

static bool no_folder(const char *dir, struct gs_error *err)
{
    return fail(err, GS_E_IO, "cannot use '%s' as a cache: %s", dir, strerror(errno));
}

static bool make(const char *dir, struct gs_error *err)
{
    struct arena a;
    arena_init(&a);
    const char *base = fs_basename(dir);
    bool ok = base == dir || !*base ||
              fs_make_folders(arena_strndup(&a, dir, (size_t)(base - dir)), &a, err);
    arena_release(&a);
    return ok && (mkdir(dir, 0700) == 0 || errno == EEXIST || no_folder(dir, err));
}

bool cache_folder(const char *dir, struct gs_error *err)
{
    struct stat st;
    if (!*dir)
        return fail(err, GS_E_USAGE, "option '--cache' needs the name of a folder");
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        if (!make(dir, err))
            return false;
        fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (fd < 0)
        return no_folder(dir, err);
    bool known = fstat(fd, &st) == 0;
    close(fd);
    if (!known)
        return no_folder(dir, err);
    if (st.st_uid != geteuid())
        return fail(err, GS_E_IO,
                    "cannot use '%s' as a cache: it belongs to another user; name a folder of "
                    "your own",
                    dir);
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return fail(err, GS_E_IO,
                    "cannot use '%s' as a cache: others can write to it; 'chmod go-w' it or name "
                    "another",
                    dir);
    return true;
}

/* An entry can be trusted no more than its folder, and no less. */
int cache_open(const char *path, uint64_t *bytes)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        !(st.st_mode & (S_IWGRP | S_IWOTH)) && st.st_size >= 0) {
        *bytes = (uint64_t)st.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

static bool is_entry(const char *name)
{
    return str_ends(name, CACHE_EXTENSION) && strspn(name, "0123456789abcdef") == CACHE_NAME;
}

static int by_use(const void *a, const void *b)
{
    const struct cache_entry *x = a, *y = b;
    if (x->used != y->used)
        return x->used < y->used ? 1 : -1;
    return strcmp(x->file, y->file);
}

bool cache_list(struct cache_entries *out, const char *dir, struct arena *a, struct gs_error *err)
{
    struct fs_list names = {0};
    *out = (struct cache_entries){0};
    if (!cache_folder(dir, err) || !fs_names(&names, dir, false, SIZE_MAX, a, err))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        struct stat st;
        const char *path = fs_join(dir, names.v[i], a);
        if (!is_entry(names.v[i]) || lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
            continue;
        struct cache_entry e = {.file = names.v[i], .trace = "", .bytes = (uint64_t)st.st_size};
        e.used = (int64_t)(st.st_atime > st.st_mtime ? st.st_atime : st.st_mtime);
        cache_describe(&e, path, a);
        vec_push(out, a, e);
    }
    if (out->n)
        qsort(out->v, out->n, sizeof(*out->v), by_use);
    return true;
}

bool cache_prune(const char *dir, uint64_t most, size_t *removed, struct arena *a,
                 struct gs_error *err)
{
    struct cache_entries all;
    uint64_t total = 0;
    *removed = 0;
    if (!cache_list(&all, dir, a, err))
        return false;
    for (size_t i = 0; i < all.n; i++)
        total += all.v[i].bytes;
    for (int others_first = 1; others_first >= 0; others_first--)
        for (size_t i = all.n; i-- > 0 && total > most;) {
            if (all.v[i].current == (others_first == 1))
                continue;
            if (unlink(fs_join(dir, all.v[i].file, a)) != 0 && errno != ENOENT)
                return fail(err, GS_E_IO, "cannot remove '%s' of '%s': %s", all.v[i].file, dir,
                            strerror(errno));
            total -= all.v[i].bytes;
            ++*removed;
        }
    return true;
}
