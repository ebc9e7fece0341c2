#define _GNU_SOURCE /* O_TMPFILE, renameat2 */
#include "base/fs_out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/fs_stale.h"
#include "base/inputs.h"
#include "base/str.h"
#include "base/unfinished.h"

enum { STREAM_BUFFER = 1 << 16 };

/* The descriptor a path stands for, or -1: opening it anew would lose the place to write at. */
static int own_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (str_eq(path, "-") || str_eq(path, "/dev/stdout"))
        return STDOUT_FILENO;
    if (str_eq(path, "/dev/stderr"))
        return STDERR_FILENO;
    for (size_t i = 0; i < 2; i++) {
        const char *rest = path + strlen(folders[i]);
        if (str_starts(path, folders[i]) && *rest && strlen(rest) < 6 &&
            strspn(rest, "0123456789") == strlen(rest))
            return atoi(rest);
    }
    return -1;
}

static bool cannot(struct gs_error *err, const char *path, int code)
{
    return str_eq(path, "-")
               ? fail(err, GS_E_IO, "cannot write to standard output: %s", strerror(code))
               : fail(err, GS_E_IO, "cannot write '%s': %s", path, strerror(code));
}

bool fs_out_check(const char *path, struct gs_error *err)
{
    struct stat st;
    int fd = own_descriptor(path);
    bool there = fd >= 0 ? fstat(fd, &st) == 0 : stat(path, &st) == 0;
    return inputs_allow(fd >= 0 ? NULL : path, there ? &st : NULL, err);
}

bool fs_out_is_direct(const char *path)
{
    struct stat st;
    return own_descriptor(path) >= 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

bool fs_out_is_no_device(const char *path, struct gs_error *err)
{
    struct stat st;
    return stat(path, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ||
           fail(err, GS_E_IO, "cannot write '%s': a pipe or a device has this name", path);
}

static bool begin(struct fs_out *out, const char *path, struct gs_error *err)
{
    *out = (struct fs_out){.path = path, .fd = -1, .direct = fs_out_is_direct(path)};
    return fs_out_check(path, err);
}

/* Permissions for the temporary file: never more than those of the file it will replace. */
static mode_t mode_for(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_mode & 0666 : 0666;
}

static void folder_of(const char *path, char *dir, size_t size)
{
    int n = (int)(fs_basename(path) - path);
    snprintf(dir, size, "%.*s", n ? n : 2, n ? path : "./");
}

/* A file without a name in the folder; false where the system has none. */
static bool open_nameless(struct fs_out *out, const char *dir, mode_t mode)
{
    do
        out->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    while (out->fd < 0 && errno == EINTR);
    if (out->fd < 0)
        return false;
    snprintf(out->temp, sizeof(out->temp), "/proc/self/fd/%d", out->fd);
    out->nameless = access(out->temp, F_OK) == 0;
    if (out->nameless)
        return true;
    close(out->fd);
    out->fd = -1;
    return false;
}

static bool name_beside(struct fs_out *out, struct gs_error *err)
{
    if (snprintf(out->temp, sizeof(out->temp), "%s.%ld.tmp", out->path, (long)getpid()) >=
        (int)sizeof(out->temp))
        return fail(err, GS_E_IO, "cannot write '%s': the name is too long", out->path);
    if (fs_out_check(out->temp, NULL))
        unlink(out->temp); /* of a process that was killed and had the same number */
    fs_stale_remove(out->path);
    out->unfinished = unfinished_add(out->temp);
    return out->unfinished || fail(err, GS_E_IO, "cannot write '%s': out of memory", out->path);
}

static bool open_beside(struct fs_out *out, struct gs_error *err)
{
    if (!name_beside(out, err))
        return false;
    do
        out->fd = open(out->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_for(out->path));
    while (out->fd < 0 && errno == EINTR);
    if (out->fd >= 0) {
        fs_stale_claim(out->fd);
        return true;
    }
    int saved = errno;
    unfinished_done(out->unfinished);
    out->temp[0] = 0;
    return cannot(err, out->path, saved);
}

static bool open_target(struct fs_out *out, struct gs_error *err)
{
    char dir[PATH_MAX];
    folder_of(out->path, dir, sizeof(dir));
    return open_nameless(out, dir, mode_for(out->path)) || open_beside(out, err);
}

static ssize_t stream_write(void *fd, const char *data, size_t n)
{
    return fs_write_all((int)(intptr_t)fd, data, n) ? (ssize_t)n : 0;
}

static int stream_close(void *fd)
{
    return close((int)(intptr_t)fd);
}

/* One that goes on where a signal interrupts it: those of the C library do not. */
static bool open_stream(struct fs_out *out, struct gs_error *err)
{
    const cookie_io_functions_t functions = {.write = stream_write, .close = stream_close};
    int own = own_descriptor(out->path);
    int fd = !out->direct ? dup(out->fd)
             : own >= 0   ? dup(own)
                          : fs_open_plain(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0 && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY) { /* open, but not to write */
        close(fd);
        fd = -1;
        errno = EBADF;
    }
    out->file = fd < 0 ? NULL : fopencookie((void *)(intptr_t)fd, "wb", functions);
    if (out->file) {
        setvbuf(out->file, NULL, _IOFBF, STREAM_BUFFER);
        out->stream = fd;
        return true;
    }
    int saved = errno;
    if (fd >= 0)
        close(fd);
    fs_out_abandon(out);
    return cannot(err, out->path, saved);
}

bool fs_out_open(struct fs_out *out, const char *path, struct gs_error *err)
{
    if (!begin(out, path, err) || (!out->direct && !open_target(out, err)))
        return false;
    return open_stream(out, err);
}

/* The file is made at once, so that a folder that cannot be written shows before the work. */
bool fs_out_name(struct fs_out *out, const char *path, struct gs_error *err)
{
    if (!begin(out, path, err))
        return false;
    if (!out->direct)
        return open_target(out, err);
    const char *dir = getenv("TMPDIR");
    dir = dir && *dir ? dir : "/tmp";
    if (open_nameless(out, dir, 0600))
        return true;
    snprintf(out->temp, sizeof(out->temp), "%s/gpusight.XXXXXX", dir);
    out->fd = mkstemp(out->temp);
    if (out->fd < 0)
        return cannot(err, out->temp, errno);
    out->unfinished = unfinished_add(out->temp);
    return true;
}

static bool begin_database(struct fs_out *out, const char *path, struct gs_error *err)
{
    return begin(out, path, err) &&
           (!out->direct || fs_is_dir(path) ||
            fail(err, GS_E_USAGE,
                 "cannot write '%s': a database needs a file, not a pipe or a device", path));
}

bool fs_out_database(struct fs_out *out, const char *path, struct gs_error *err)
{
    return begin_database(out, path, err) && open_beside(out, err);
}

bool fs_out_database_alone(struct fs_out *out, const char *path, struct gs_error *err)
{
    return begin_database(out, path, err) && open_target(out, err);
}

void fs_out_abandon(struct fs_out *out)
{
    if (out->file)
        fclose(out->file);
    out->file = NULL;
    if (out->temp[0] && out->fd >= 0)
        close(out->fd);
    out->fd = -1;
    if (out->swapped)
        rename(out->temp, out->path);
    else if (out->named)
        unlink(out->path);
    else if (out->temp[0] && !out->nameless)
        unlink(out->temp);
    out->named = out->swapped = false;
    out->temp[0] = 0;
    unfinished_done(out->unfinished);
    out->unfinished = NULL;
}

/* What waits in the temporary file goes to the pipe or device. */
static bool copy_out(struct fs_out *out, struct gs_error *err)
{
    char buffer[1 << 16];
    ptrdiff_t n = 0;
    int in = fs_open_plain(out->temp, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return cannot(err, out->path, errno);
    bool ok = open_stream(out, err);
    while (ok && (n = fs_read_up_to(in, buffer, sizeof(buffer))) > 0)
        ok = fs_out_write(out, buffer, (size_t)n, err);
    if (n < 0)
        ok = cannot(err, out->path, errno);
    close(in);
    return ok;
}

static bool flush(struct fs_out *out, struct gs_error *err)
{
    if (!out->file)
        return true;
    errno = 0;
    bool bad = fflush(out->file) != 0 || ferror(out->file);
    int saved = errno ? errno : EIO;
    if (fclose(out->file) != 0 && !bad) {
        bad = true;
        saved = errno;
    }
    out->file = NULL;
    return !bad || cannot(err, out->path, saved);
}

/* Some file systems cannot; only what says that bytes were lost is an error. */
static bool reach_disk(int fd)
{
    int result;
    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0 || (errno != EIO && errno != ENOSPC && errno != EDQUOT);
}

bool fs_out_complete(struct fs_out *out, struct gs_error *err)
{
    struct stat st;
    if (out->direct)
        return true;
    if (!flush(out, err))
        return false;
    /* With the owner first: changing it takes away what the mode gives. */
    if (stat(out->path, &st) == 0 && S_ISREG(st.st_mode)) {
        if (fchown(out->fd, st.st_uid, st.st_gid) != 0 &&
            fchown(out->fd, (uid_t)-1, st.st_gid) != 0)
            st.st_mode &= ~(mode_t)(S_IRWXG & ~((st.st_mode & S_IRWXO) << 3));
        fchmod(out->fd, st.st_mode & (out->is_private ? 0600 : 0777));
    }
    return reach_disk(out->fd) || cannot(err, out->path, errno);
}

/* In place of what stands there, which gets the other name where the file system can do that. */
static bool exchange(struct fs_out *out, struct gs_error *err)
{
    struct stat st;
    bool may = lstat(out->path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode));
    out->swapped = may && renameat2(AT_FDCWD, out->temp, AT_FDCWD, out->path, RENAME_EXCHANGE) == 0;
    out->named = out->swapped || rename(out->temp, out->path) == 0;
    return out->named || cannot(err, out->path, errno);
}

/* linkat() never replaces: where a file is in the way, a name beside it is needed for a moment. */
bool fs_out_give_name(struct fs_out *out, struct gs_error *err)
{
    char own[64];
    snprintf(own, sizeof(own), "%.60s", out->temp);
    if (!out->nameless)
        return exchange(out, err);
    if (linkat(AT_FDCWD, own, AT_FDCWD, out->path, AT_SYMLINK_FOLLOW) == 0) {
        out->named = true;
        return true;
    }
    if (errno != EEXIST)
        return cannot(err, out->path, errno);
    out->nameless = false;
    if (!name_beside(out, err))
        return false;
    if (linkat(AT_FDCWD, own, AT_FDCWD, out->temp, AT_SYMLINK_FOLLOW) != 0)
        return cannot(err, out->path, errno);
    return exchange(out, err);
}

void fs_out_keep_name(struct fs_out *out)
{
    if (!out->swapped && !out->direct)
        out->nameless = true; /* there is no other name to remove any more */
    out->named = out->swapped = false;
    fs_out_abandon(out);
}

bool fs_out_publish(struct fs_out *out, struct gs_error *err)
{
    bool ok = !out->direct ? fs_out_give_name(out, err)
                           : (out->file || copy_out(out, err)) && flush(out, err);
    if (ok)
        fs_out_keep_name(out);
    else
        fs_out_abandon(out);
    return ok;
}

void fs_out_settle(const char *path)
{
    char dir[PATH_MAX];
    folder_of(path, dir, sizeof(dir));
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)reach_disk(fd);
    close(fd);
}

bool fs_out_close(struct fs_out *out, struct gs_error *err)
{
    bool settle = !out->direct;
    if (!fs_out_complete(out, err)) {
        fs_out_abandon(out);
        return false;
    }
    if (!fs_out_publish(out, err))
        return false;
    if (settle)
        fs_out_settle(out->path);
    return true;
}

bool fs_write_all(int fd, const void *data, size_t n)
{
    for (const char *at = data; n;) {
        ssize_t done = write(fd, at, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

bool fs_out_write(struct fs_out *out, const char *data, size_t n, struct gs_error *err)
{
    return fs_write_all(out->stream, data, n) || cannot(err, out->path, errno);
}

bool fs_write(const char *path, const char *data, size_t n, struct gs_error *err)
{
    struct fs_out out;
    if (!fs_out_open(&out, path, err))
        return false;
    if (fs_out_write(&out, data, n, err))
        return fs_out_close(&out, err);
    fs_out_abandon(&out);
    return false;
}

bool fs_make_folders(const char *dir, struct arena *a, struct gs_error *err)
{
    char *path = arena_strdup(a, dir);
    for (char *p = *path ? path + 1 : path; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        mkdir(path, 0777);
        *p = '/';
    }
    struct stat st;
    if (mkdir(path, 0777) == 0)
        return true;
    int saved = errno;
    if (saved == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return true;
    return fail(err, GS_E_IO, "cannot make folder '%s': %s", dir,
                strerror(saved == EEXIST ? ENOTDIR : saved));
}
