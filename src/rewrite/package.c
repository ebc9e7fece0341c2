#define _GNU_SOURCE /* realpath */
#include "rewrite/package.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/sat.h"
#include "base/str.h"
#include "base/unfinished.h"
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

/* A file that goes into the package. */
struct part {
    const char *from, *to;
    bool copied; /* in the set; else it is moved by its name */
    bool moved;
};

struct packing {
    enum package_way way;
    const char *folder;
    struct fs_set *set;
    struct arena *arena;
    struct fs_list names; /* for the index */
    struct idmap taken;   /* hash of a name in the folder: how many wanted it */
    VEC(struct part) parts;
};

/* A name that no other file of the package has; those that resemble each other get numbers. */
static const char *free_name(struct packing *p, const char *path)
{
    const char *base = fs_basename(path), *name = base;
    uint64_t wanted = hash_bytes(base, strlen(base));
    uint32_t n = idmap_get(&p->taken, wanted);
    for (n = n == NO_INDEX ? 0 : n;; n++) {
        name = n ? arena_printf(p->arena, "%u-%s", n, base) : base;
        if (!n || idmap_get(&p->taken, hash_bytes(name, strlen(name))) == NO_INDEX)
            break;
    }
    idmap_put(&p->taken, wanted, n + 1);
    if (n)
        idmap_put(&p->taken, hash_bytes(name, strlen(name)), 1);
    return name;
}

static bool copy_file(struct packing *p, const char *from, const char *to, struct gs_error *err)
{
    enum { BLOCK = 1 << 16 };
    char block[BLOCK];
    int fd = fs_open(from, err);
    struct fs_out *out = fd < 0 ? NULL : fs_set_open(p->set, to, err);
    ptrdiff_t n = -1;
    while (out && (n = fs_read_up_to(fd, block, sizeof(block))) > 0)
        fwrite(block, 1, (size_t)n, out->file);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    if (!out)
        return false;
    return n == 0 ? fs_set_done(p->set, out, err)
                  : fail(err, GS_E_IO, "cannot read '%s': %s", from, strerror(saved));
}

static const char *absolute(const char *path, struct arena *a)
{
    char real[PATH_MAX];
    return realpath(path, real) ? arena_strdup(a, real) : path;
}

/* By its name where it lies on the same disk, else as a copy that replaces it. */
static bool can_be_renamed(const char *from, const char *folder)
{
    struct stat x, y;
    return lstat(from, &x) == 0 && stat(folder, &y) == 0 && x.st_dev == y.st_dev;
}

static bool place(struct packing *p, const struct ingest_file *f, struct gs_error *err)
{
    struct arena *a = p->arena;
    if (p->way == PACKAGE_NAMES) {
        vec_push(&p->names, a, (char *)(uintptr_t)absolute(f->path, a));
        return true;
    }
    const char *name = free_name(p, f->path);
    vec_push(&p->names, a, (char *)(uintptr_t)name);
    for (size_t i = 0; i < FS_DB_ROWS; i++) { /* the last rows of a database may be beside it */
        struct part part = {fs_db_file(f->path, i, a),
                            arena_printf(a, "%s/%s%s", p->folder, name, fs_db_ends[i]), false,
                            false};
        if (i && !fs_is_file(part.from))
            continue;
        part.copied = p->way == PACKAGE_COPY || !can_be_renamed(part.from, p->folder);
        vec_push(&p->parts, a, part);
        if (part.copied && !copy_file(p, part.from, part.to, err))
            return false;
    }
    return true;
}

/* All of them, or none. */
static bool move_files(struct packing *p, struct gs_error *err)
{
    for (size_t i = 0; i < p->parts.n; i++) {
        struct part *part = &p->parts.v[i];
        part->moved = !part->copied && rename(part->from, part->to) == 0;
        if (!part->copied && !part->moved)
            return fail(err, GS_E_IO, "cannot move '%s': %s", part->from, strerror(errno));
    }
    return true;
}

static void move_back(struct packing *p)
{
    for (size_t i = 0; i < p->parts.n; i++)
        if (p->parts.v[i].moved)
            rename(p->parts.v[i].to, p->parts.v[i].from);
}

/* Signals wait: what is moved must be in the index. */
static bool finish(struct packing *p, struct gs_error *err)
{
    unfinished_hold();
    bool ok = move_files(p, err) && fs_set_close(p->set, err);
    if (!ok)
        move_back(p);
    for (size_t i = 0; i < p->parts.n && ok && p->way == PACKAGE_MOVE; i++)
        if (p->parts.v[i].copied && unlink(p->parts.v[i].from) != 0)
            ok = fail(err, GS_E_IO, "cannot remove '%s', which was copied: %s", p->parts.v[i].from,
                      strerror(errno));
    unfinished_let_go();
    return ok;
}

static bool write_index(struct packing *p, struct gs_error *err)
{
    struct str *text = arena_new(p->arena, struct str);
    str_init(text, p->arena);
    str_puts(text,
             "rocprofiler-sdk:\n  rocpd:\n    rocpd_package_version: \"1.0\"\n    path: \".\"\n"
             "    files:\n");
    for (size_t i = 0; i < p->names.n; i++) {
        str_puts(text, "      - ");
        quote(text, p->names.v[i]);
        str_putc(text, '\n');
    }
    return fs_set_write(p->set, arena_printf(p->arena, "%s/index.yaml", p->folder), text->buf,
                        text->len, err);
}

/* Those that lie in several files, or a folder, are not taken apart. */
static bool may_go(const struct ingest_files *in, struct gs_error *err)
{
    for (size_t i = 0; i < in->n; i++)
        if (in->v[i].format->capture || in->v[i].format->scattered)
            return fail(err, GS_E_USAGE,
                        "cannot put '%s' into a package: it lies in several files; make it one "
                        "with 'gpusight convert -f rocpd'",
                        in->v[i].path);
    return true;
}

bool package_make(struct packaged *result, const struct opt_list *paths, const char *folder,
                  enum package_way way, struct arena *arena, struct gs_error *err)
{
    struct ingest_files in = {0};
    struct fs_list there = {0};
    struct packing *p = arena_new(arena, struct packing);
    *p = (struct packing){.way = way, .folder = folder, .arena = arena};
    if (!ingest_find(&in, paths, NULL, arena, err) || !may_go(&in, err))
        return false;
    if (fs_exists(folder) && (!fs_names(&there, folder, true, 1, arena, err) || there.n))
        return fail(err, GS_E_USAGE, "'%s' is there and not an empty folder; give another name",
                    folder);
    idmap_init(&p->taken, arena);
    p->set = fs_set_new(arena);
    if (!fs_set_folder(p->set, folder, err))
        return false;
    for (size_t i = 0; i < in.n; i++) {
        result->bytes = add_bytes(result->bytes, (uint64_t)fs_size(in.v[i].path));
        if (!place(p, &in.v[i], err))
            return false;
    }
    result->files = in.n;
    return write_index(p, err) && finish(p, err);
}
