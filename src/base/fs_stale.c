#define _GNU_SOURCE /* O_NOFOLLOW */
#include "base/fs_stale.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/inputs.h"

enum { PID_DIGITS = 10 };

bool fs_is_unfinished(const char *name)
{
    static const char end[] = ".tmp";
    size_t n = strlen(name), digits = 0, tail = sizeof(end) - 1;
    if (n <= tail || strcmp(name + n - tail, end) != 0)
        return false;
    n -= tail;
    while (digits < n && name[n - digits - 1] >= '0' && name[n - digits - 1] <= '9')
        digits++;
    return digits && digits <= PID_DIGITS && digits + 1 < n && name[n - digits - 1] == '.';
}

bool fs_writer_is_gone(const char *name)
{
    char proc[64];
    size_t at = strlen(name) - strlen(".tmp");
    while (name[at - 1] != '.')
        at--;
    snprintf(proc, sizeof(proc), "/proc/%.*s", (int)(strlen(name + at) - strlen(".tmp")),
             name + at);
    return access("/proc/self", F_OK) == 0 && access(proc, F_OK) != 0;
}

/* Its writer held a lock as long as it lived, on whatever machine that was. */
static bool is_left(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool left = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && inputs_allow(path, &st, NULL) &&
                flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return left;
}

static void remove_with_tails(const char *path)
{
    char name[PATH_MAX + 16];
    for (size_t i = FS_DB_FILES; i-- > 0;) {
        snprintf(name, sizeof(name), "%s%s", path, fs_db_ends[i]);
        unlink(name);
    }
}

void fs_stale_remove(const char *path)
{
    const char *base = fs_basename(path);
    size_t length = strlen(base);
    char name[PATH_MAX];
    snprintf(name, sizeof(name), "%.*s", (int)(base - path), path);
    DIR *dir = opendir(base == path ? "." : name);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        bool ours = !strncmp(e->d_name, base, length) && e->d_name[length] == '.' &&
                    fs_is_unfinished(e->d_name) &&
                    strspn(e->d_name + length + 1, "0123456789") ==
                        strlen(e->d_name + length + 1) - strlen(".tmp");
        if (!ours || !fs_writer_is_gone(e->d_name) ||
            snprintf(name, sizeof(name), "%.*s%s", (int)(base - path), path, e->d_name) >=
                (int)sizeof(name))
            continue;
        if (is_left(name))
            remove_with_tails(name);
    }
    if (dir)
        closedir(dir);
}

void fs_stale_claim(int fd)
{
    (void)flock(fd, LOCK_EX | LOCK_NB); /* where there are no locks, nothing is removed either */
}
