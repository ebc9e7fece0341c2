#define _XOPEN_SOURCE 700 /* realpath */
#include "base/confine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char **allowed; /* NULL: everything */
static size_t n_allowed;

void confine_to(const char *const *folders, size_t n, struct arena *arena)
{
    char real[PATH_MAX];
    const char **v = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        v[i] = arena_strdup(arena, realpath(folders[i], real) ? real : folders[i]);
    n_allowed = n;
    allowed = v;
}

static bool is_inside(const char *path)
{
    for (size_t i = 0; i < n_allowed; i++) {
        size_t n = strlen(allowed[i]);
        if (!strncmp(path, allowed[i], n) && (n == 1 || !path[n] || path[n] == '/'))
            return true;
    }
    return false;
}

/* The name of an open file; without /proc, what its path leads to, if that is the same file. */
static bool name_of(int fd, const char *path, char name[PATH_MAX])
{
    char link[64];
    struct stat open_file, named;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, PATH_MAX - 1);
    if (n > 0) {
        name[n] = 0;
        return true;
    }
    return path && realpath(path, name) && !fstat(fd, &open_file) && !stat(name, &named) &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

bool confine_allows(int fd, const char *path, struct gs_error *err)
{
    char name[PATH_MAX];
    if (!allowed || (name_of(fd, path, name) && is_inside(name)))
        return true;
    return fail(err, GS_E_IO, "cannot read '%s': outside of the folders that may be read", path);
}
