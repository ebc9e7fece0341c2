#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs_stale.h"
#include "base/hash.h"
#include "base/vec.h"

const char *const fs_db_ends[FS_DB_FILES] = {"", "-wal", "-journal", "-shm"};

const char *fs_db_file(const char *path, size_t i, struct arena *a)
{
    char resolved[PATH_MAX];
    const char *real = i && realpath(path, resolved) ? resolved : path;
    return arena_printf(a, "%s%s", real, fs_db_ends[i]);
}

/* Maps the file over the front of a larger anonymous reservation, which provides the slack. */
static bool map_fd(struct mapping *m, int fd, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    m->reserved = (size / page + 2) * page;
    void *base = mmap(NULL, m->reserved, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return false;
    m->data = base;
    m->size = size;
    return !size || mmap(base, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) != MAP_FAILED;
}

bool map_file(struct mapping *m, const char *path, struct gs_error *err)
{
    *m = (struct mapping){0};
    int fd = fs_open(path, err);
    if (fd < 0)
        return false;
    struct stat st;
    bool ok = fstat(fd, &st) == 0 && map_fd(m, fd, (size_t)st.st_size);
    int saved = errno;
    close(fd);
    if (ok)
        return true;
    unmap_file(m);
    return fail(err, GS_E_IO, "cannot map '%s': %s", path, strerror(saved));
}

void unmap_file(struct mapping *m)
{
    if (m->reserved && m->data)
        munmap((void *)(uintptr_t)m->data, m->reserved);
    *m = (struct mapping){0};
}

bool fs_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool fs_first_time(struct idmap *met, const struct stat *st)
{
    uint64_t key = hash_u64(hash_u64((uint64_t)st->st_dev) ^ (uint64_t)st->st_ino);
    if (idmap_get(met, key) != NO_INDEX)
        return false;
    idmap_put(met, key, 0);
    return true;
}

bool fs_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool fs_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

int64_t fs_size(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}

const char *fs_basename(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *fs_label(const char *path, bool folder, struct arena *a)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    const char *end = path + n, *from = end;
    for (int parts = folder ? 1 : 2; from > path; from--)
        if (from[-1] == '/' && --parts <= 0)
            break;
    return arena_strndup(a, from, (size_t)(end - from));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void close_dir(void *d)
{
    if (*(DIR **)d)
        closedir(*(DIR **)d);
}

bool fs_names(struct fs_list *out, const char *dir, bool dotted, size_t most, struct arena *a,
              struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    DIR **d = arena_new(temporary, DIR *);
    arena_defer(temporary, close_dir, d);
    do
        *d = opendir(dir);
    while (!*d && errno == EINTR);
    bool ok = *d || fail(err, GS_E_IO, "cannot open '%s': %s", dir, strerror(errno));
    errno = 0; /* tells an error from the end */
    for (struct dirent *e; ok && out->n < most && (e = readdir(*d)); errno = 0)
        if ((e->d_name[0] != '.' && !fs_is_unfinished(e->d_name)) ||
            (dotted && e->d_name[0] == '.' && strcmp(e->d_name, ".") != 0 &&
             strcmp(e->d_name, "..") != 0))
            vec_push(out, a, arena_strdup(a, e->d_name));
    if (ok && errno)
        ok = fail(err, GS_E_IO, "cannot read '%s': %s", dir, strerror(errno));
    arena_release(temporary);
    if (out->n)
        qsort(out->v, out->n, sizeof(*out->v), by_name);
    return ok;
}

char *fs_join(const char *dir, const char *name, struct arena *a)
{
    size_t n = strlen(dir);
    return arena_printf(a, "%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name);
}

bool fs_list(struct fs_list *out, const char *dir, struct arena *a, struct gs_error *err)
{
    struct fs_list names = {0};
    if (!fs_names(&names, dir, false, SIZE_MAX, a, err))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        char *path = fs_join(dir, names.v[i], a);
        if (fs_is_file(path))
            vec_push(out, a, path);
    }
    return true;
}
