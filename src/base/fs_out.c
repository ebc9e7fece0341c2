#include "base/fs_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

static bool is_direct(const char *path)
{
    struct stat st;
    return str_eq(path, "-") || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

static bool cannot(struct gs_error *err, const char *path, int code)
{
    return str_eq(path, "-")
               ? fail(err, GS_E_IO, "cannot write to standard output: %s", strerror(code))
               : fail(err, GS_E_IO, "cannot write '%s': %s", path, strerror(code));
}

static bool name_beside(struct fs_out *out, struct gs_error *err)
{
    if (snprintf(out->temp, sizeof(out->temp), "%s.%ld.tmp", out->path, (long)getpid()) <
        (int)sizeof(out->temp))
        return true;
    return fail(err, GS_E_IO, "cannot write '%s': the name is too long", out->path);
}

static bool open_file(struct fs_out *out, const char *path, int flags, struct gs_error *err)
{
    int fd = str_eq(path, "-") ? dup(STDOUT_FILENO)
                               : open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    out->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (out->file)
        return true;
    int saved = errno;
    if (fd >= 0)
        close(fd);
    return cannot(err, out->path, saved);
}

bool fs_out_open(struct fs_out *out, const char *path, struct gs_error *err)
{
    *out = (struct fs_out){.path = path, .direct = is_direct(path)};
    if (out->direct)
        return open_file(out, path, 0, err);
    return name_beside(out, err) && open_file(out, out->temp, O_EXCL, err);
}

/* The file is made at once, so that a folder that cannot be written shows before the work. */
bool fs_out_name(struct fs_out *out, const char *path, struct gs_error *err)
{
    *out = (struct fs_out){.path = path, .direct = is_direct(path)};
    int fd;
    if (out->direct) {
        const char *dir = getenv("TMPDIR");
        snprintf(out->temp, sizeof(out->temp), "%s/gpusight.XXXXXX", dir && *dir ? dir : "/tmp");
        fd = mkstemp(out->temp);
    } else {
        if (!name_beside(out, err))
            return false;
        fd = open(out->temp, O_WRONLY | O_CREAT | O_CLOEXEC | O_EXCL, 0666);
    }
    if (fd < 0)
        return cannot(err, out->direct ? out->temp : path, errno);
    close(fd);
    return true;
}

void fs_out_abandon(struct fs_out *out)
{
    if (out->file)
        fclose(out->file);
    out->file = NULL;
    if (out->temp[0])
        unlink(out->temp);
    out->temp[0] = 0;
}

/* What a library wrote to the temporary file goes to the pipe or device. */
static bool copy_out(struct fs_out *out, struct gs_error *err)
{
    char buffer[1 << 16];
    FILE *in = fopen(out->temp, "rb");
    if (!in)
        return cannot(err, out->temp, errno);
    bool ok = open_file(out, out->path, 0, err);
    for (size_t n; ok && (n = fread(buffer, 1, sizeof(buffer), in)) > 0;)
        if (fwrite(buffer, 1, n, out->file) != n)
            ok = cannot(err, out->path, errno);
    if (ok && ferror(in))
        ok = cannot(err, out->temp, EIO);
    fclose(in);
    unlink(out->temp);
    out->temp[0] = 0;
    return ok;
}

bool fs_out_close(struct fs_out *out, struct gs_error *err)
{
    bool ok = true;
    if (!out->file && out->direct)
        ok = copy_out(out, err);
    if (out->file) {
        errno = 0;
        bool bad = fflush(out->file) != 0 || ferror(out->file);
        int saved = errno ? errno : EIO;
        bad |= fclose(out->file) != 0;
        out->file = NULL;
        if (bad && ok)
            ok = cannot(err, out->path, saved);
    }
    if (ok && !out->direct && rename(out->temp, out->path) != 0)
        ok = cannot(err, out->path, errno);
    if (ok)
        out->temp[0] = 0;
    else
        fs_out_abandon(out);
    return ok;
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
