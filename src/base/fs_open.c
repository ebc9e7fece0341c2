#define _GNU_SOURCE /* O_NOFOLLOW, O_DIRECTORY, MAP_ANONYMOUS */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/fs.h"
#include "base/human.h"
#include "base/inputs.h"
#include "base/str.h"

/* O_NONBLOCK: a FIFO opens at once, without a writer; regular files do not know the flag. */
enum { HOW = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

static int not_regular(mode_t mode, const char *path, struct gs_error *err)
{
    fail(err, GS_E_IO, "cannot read '%s': %s", path,
         S_ISDIR(mode) ? strerror(EISDIR) : "not a regular file");
    return -1;
}

/* Takes over fd. */
static int checked(int fd, const char *path, struct gs_error *err)
{
    struct stat st = {0};
    if (fd < 0 && errno == ELOOP)
        fail(err, GS_E_IO, "cannot open '%s': a link, and links are not followed here", path);
    else if (fd < 0 && errno == ENXIO) /* a socket */
        not_regular(0, path, err);
    else if (fd < 0)
        fail(err, GS_E_IO, "cannot open '%s': %s", path, strerror(errno));
    if (fd < 0)
        return -1;
    bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (regular && confine_allows(fd, path, err)) {
        inputs_add(&st);
        return fd;
    }
    close(fd);
    return regular ? -1 : not_regular(st.st_mode, path, err);
}

int fs_open_plain(const char *path, int flags)
{
    int fd;
    do
        fd = open(path, flags);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int fs_open(const char *path, struct gs_error *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) /* opening a device may already do harm */
        return not_regular(st.st_mode, path, err);
    return checked(fs_open_plain(path, HOW), path, err);
}

/* The next part of a path; false at its end. */
static bool next_part(const char **rest, char part[NAME_MAX + 1])
{
    *rest += strspn(*rest, "/");
    size_t n = strcspn(*rest, "/");
    if (!n || n > NAME_MAX)
        return false;
    memcpy(part, *rest, n);
    part[n] = 0;
    *rest += n;
    *rest += strspn(*rest, "/");
    return true;
}

int fs_open_within(const char *root, const char *path, struct gs_error *err)
{
    size_t n = strlen(root);
    if (strncmp(root, path, n) != 0 || !path[n])
        return fs_open(path, err); /* the root itself: the user's own word */
    const char *rest = path + n;
    char part[NAME_MAX + 1];
    int at = fs_open_plain(root, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    while (at >= 0 && next_part(&rest, part)) {
        int how = *rest ? O_RDONLY | O_CLOEXEC | O_DIRECTORY : HOW;
        int below = -1;
        if (str_eq(part, ".."))
            errno = ELOOP;
        else
            do
                below = openat(at, part, how | O_NOFOLLOW);
            while (below < 0 && errno == EINTR);
        int saved = *rest && errno == ENOTDIR ? ELOOP : errno; /* so a link to a folder is told */
        close(at);
        errno = saved;
        at = below;
        if (!*rest)
            break;
    }
    return checked(at, path, err);
}

bool fs_is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* From the place where the file stands, or from `at`. */
static ptrdiff_t read_some(int fd, char *to, size_t n, bool placed, uint64_t at)
{
    size_t have = 0;
    while (have < n) {
        ssize_t got = placed ? pread(fd, to + have, n - have, (off_t)(at + have))
                             : read(fd, to + have, n - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (!got)
            break;
        have += (size_t)got;
    }
    return (ptrdiff_t)have;
}

ptrdiff_t fs_read_up_to(int fd, void *to, size_t n)
{
    return read_some(fd, to, n, false, 0);
}

ptrdiff_t fs_read_at(int fd, void *to, size_t n, uint64_t at)
{
    return read_some(fd, to, n, true, at);
}

bool fs_read_all(int fd, void *to, size_t n)
{
    return fs_read_up_to(fd, to, n) == (ptrdiff_t)n;
}

/* What is there, up to the size the file had: it may be cut or grow meanwhile. */
static bool read_all(struct mapping *m, int fd, uint8_t *to)
{
    ptrdiff_t got = fs_read_up_to(fd, to, m->size);
    m->size = got < 0 ? 0 : (size_t)got;
    return got >= 0;
}

bool fs_read(struct mapping *m, const char *path, uint64_t most, struct gs_error *err)
{
    char limit[HUMAN_MAX];
    struct stat st;
    *m = (struct mapping){0};
    int fd = fs_open(path, err);
    if (fd < 0)
        return false;
    if (fstat(fd, &st) != 0 || (uint64_t)st.st_size > most) {
        close(fd);
        return fail(err, GS_E_FORMAT, "cannot read '%s': larger than %s", path,
                    human_bytes(limit, most));
    }
    m->size = (size_t)st.st_size;
    m->reserved = m->size + FS_SLACK;
    void *base =
        mmap(NULL, m->reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    m->data = base == MAP_FAILED ? NULL : base;
    bool ok = m->data && read_all(m, fd, base);
    int saved = errno;
    close(fd);
    if (ok)
        return true;
    unmap_file(m);
    return fail(err, GS_E_IO, "cannot read '%s': %s", path, strerror(saved));
}

static void let_go(void *mapping)
{
    unmap_file(mapping);
}

const struct mapping *fs_read_in(struct arena *a, const char *path, uint64_t most,
                                 struct gs_error *err)
{
    struct mapping *m = arena_new(a, struct mapping);
    arena_defer(a, let_go, m);
    return fs_read(m, path, most, err) ? m : NULL;
}
