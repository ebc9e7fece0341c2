#define _GNU_SOURCE /* realpath */
#include "rewrite/package.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/sat.h"
#include "base/str.h"
#include "ingest/ingest.h"

/* In double quotes, as YAML has it: any name is one line and reads back. */
static void quote(struct str *out, const char *text)
{
    str_putc(out, '"');
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            str_printf(out, "\\%c", *p);
        else if (*p < 0x20 || *p == 0x7f)
            str_printf(out, "\\x%02x", *p);
        else
            str_putc(out, (char)*p);
    }
    str_putc(out, '"');
}

static const char *name_in(const char *path, size_t n, struct arena *a)
{
    return n ? arena_printf(a, "%zu-%s", n, fs_basename(path)) : fs_basename(path);
}

/* A name that no other file of the package has. */
static const char *free_name(const struct fs_list *taken, const char *path, struct arena *a)
{
    for (size_t n = 0;; n++) {
        const char *name = name_in(path, n, a);
        bool used = false;
        for (size_t i = 0; i < taken->n; i++)
            used |= str_eq(taken->v[i], name);
        if (!used)
            return name;
    }
}

static bool copy_file(const char *from, const char *to, struct gs_error *err)
{
    enum { BLOCK = 1 << 16 };
    char block[BLOCK];
    struct fs_out out;
    int fd = fs_open(from, err);
    if (fd < 0 || !fs_out_open(&out, to, err)) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    ssize_t n;
    while ((n = read(fd, block, sizeof(block))) > 0)
        fwrite(block, 1, (size_t)n, out.file);
    close(fd);
    if (n < 0) {
        fs_out_abandon(&out);
        return fail(err, GS_E_IO, "cannot read '%s': %s", from, strerror(errno));
    }
    return fs_out_close(&out, err);
}

/* Renamed where that works, else copied and removed: the user asked for it. */
static bool move_file(const char *from, const char *to, struct gs_error *err)
{
    if (rename(from, to) == 0)
        return true;
    if (errno != EXDEV)
        return fail(err, GS_E_IO, "cannot move '%s': %s", from, strerror(errno));
    return copy_file(from, to, err) &&
           (unlink(from) == 0 ||
            fail(err, GS_E_IO, "cannot remove '%s': %s", from, strerror(errno)));
}

static const char *absolute(const char *path, struct arena *a)
{
    char real[PATH_MAX];
    return realpath(path, real) ? arena_strdup(a, real) : path;
}

static bool place(const struct ingest_file *f, const char *folder, enum package_way way,
                  struct fs_list *names, struct arena *a, struct gs_error *err)
{
    const char *name = free_name(names, f->path, a);
    const char *to = arena_printf(a, "%s/%s", folder, name);
    bool ok = way == PACKAGE_NAMES ||
              (way == PACKAGE_COPY ? copy_file(f->path, to, err) : move_file(f->path, to, err));
    vec_push(names, a, (char *)(uintptr_t)(way == PACKAGE_NAMES ? absolute(f->path, a) : name));
    return ok;
}

bool package_make(struct packaged *p, const struct opt_list *paths, const char *folder,
                  enum package_way way, struct arena *arena, struct gs_error *err)
{
    struct ingest_files in = {0};
    struct fs_list names = {0}, there = {0};
    struct str text;
    if (!ingest_find(&in, paths, arena, err))
        return false;
    if (fs_exists(folder) && (!fs_names(&there, folder, true, 1, arena, err) || there.n))
        return fail(err, GS_E_USAGE, "'%s' is there and not an empty folder; give another name",
                    folder);
    if (!fs_make_folders(folder, arena, err))
        return false;
    for (size_t i = 0; i < in.n; i++) {
        p->bytes = add_bytes(p->bytes, (uint64_t)fs_size(in.v[i].path));
        if (!place(&in.v[i], folder, way, &names, arena, err))
            return false;
    }
    str_init(&text, arena);
    str_puts(&text,
             "rocprofiler-sdk:\n  rocpd:\n    rocpd_package_version: \"1.0\"\n    path: \".\"\n"
             "    files:\n");
    for (size_t i = 0; i < names.n; i++) {
        str_puts(&text, "      - ");
        quote(&text, names.v[i]);
        str_putc(&text, '\n');
    }
    p->files = in.n;
    return fs_write(arena_printf(arena, "%s/index.yaml", folder), text.buf, text.len, err);
}
