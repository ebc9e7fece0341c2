/* Traces of other machines, as files of this one for as long as they are read. */
#define _GNU_SOURCE /* mkdtemp */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/fs_out.h"
#include "base/sha256.h"
#include "base/str.h"
#include "base/unfinished.h"
#include "ingest/detect.h"
#include "ingest/remote.h"

enum { CHUNK = 4 << 20 };

/* ---- where the file is ---- */

/* Files there, and what they are called for readers. */
struct members {
    VEC(const char *) paths, names;
};

static bool answer_members(struct pack *question, struct str *out, struct arena *arena,
                           struct gs_error *err)
{
    const char *path, *name;
    struct ingest_members all = {0};
    struct members m = {0};
    struct pack p;
    pack_text(question, &path);
    pack_text(question, &name);
    const struct format *f = pack_done(question) && name && path ? detect_named(name) : NULL;
    if (!f)
        return fail(err, GS_E_IO, "a question of another process cannot be read");
    ingest_members(&all, path, f, arena);
    for (size_t i = 0; i < all.v.n; i++) {
        if (!fs_is_file(all.v.v[i].path))
            continue;
        vec_push(&m.paths, arena, all.v.v[i].path);
        vec_push(&m.names, arena, all.v.v[i].as);
    }
    pack_write(&p, out);
    PACK_VEC(&p, &m.paths, pack_text);
    PACK_VEC(&p, &m.names, pack_text);
    return true;
}

const struct team_kind remote_members_kind = {"members", answer_members};

static bool answer_read(struct pack *question, struct str *out, struct arena *arena,
                        struct gs_error *err)
{
    const char *path;
    int64_t at;
    (void)arena;
    pack_text(question, &path);
    PACK(question, at);
    if (!pack_done(question) || !path)
        return fail(err, GS_E_IO, "a question of another process cannot be read");
    int fd = fs_open(path, err);
    if (fd < 0)
        return false;
    ptrdiff_t n = fs_read_at(fd, str_room(out, CHUNK), CHUNK, (uint64_t)at);
    if (n < 0)
        fail(err, GS_E_IO, "cannot read '%s': %s", path, strerror(errno));
    else
        out->len += (size_t)n;
    close(fd);
    return n >= 0;
}

const struct team_kind remote_read_kind = {"read", answer_read};

static bool answer_hash(struct pack *question, struct str *out, struct arena *arena,
                        struct gs_error *err)
{
    const char *path;
    struct mapping m;
    uint8_t hash[SHA256_BYTES];
    char hex[SHA256_HEX];
    (void)arena;
    pack_text(question, &path);
    if (!pack_done(question) || !path)
        return fail(err, GS_E_IO, "a question of another process cannot be read");
    if (!map_file(&m, path, err))
        return false;
    sha256(hash, m.data, m.size);
    unmap_file(&m);
    sha256_hex(hex, hash);
    str_puts(out, hex);
    return true;
}

const struct team_kind remote_hash_kind = {"hash", answer_hash};

/* ---- here ---- */

struct copied {
    VEC(const char *) names; /* files and folders, in the order in which they were made */
    VEC(struct unfinished *) watch;
};

static void remove_copies(void *what)
{
    struct copied *c = what;
    for (size_t i = c->names.n; i--;) {
        if (unlink(c->names.v[i]) != 0)
            rmdir(c->names.v[i]);
        unfinished_done(c->watch.v[i]);
    }
    c->names.n = 0;
}

static void own(struct copied *c, const char *name, struct arena *a)
{
    vec_push(&c->watch, a, NULL);
    vec_push(&c->names, a, name);
    c->watch.v[c->names.n - 1] = unfinished_add(name);
}

static bool make_folder(struct copied *c, const char *path, struct arena *a, struct gs_error *err)
{
    if (mkdir(path, 0700) == 0) {
        own(c, path, a);
        return true;
    }
    return errno == EEXIST || fail(err, GS_E_IO, "cannot create '%s': %s", path, strerror(errno));
}

/* ROOT/a/b/c of a/b/c: what a reader takes from the names on the way stays. */
static bool make_way(struct copied *c, const char *root, const char *path, const char **to,
                     struct arena *a, struct gs_error *err)
{
    struct str s;
    str_init(&s, a);
    str_puts(&s, root);
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        bool last = !p[n];
        if (n && !(n == 1 && *p == '.')) {
            str_putc(&s, '/');
            if (n == 2 && !memcmp(p, "..", 2))
                str_puts(&s, "up");
            else
                str_put(&s, p, n);
            if (!last && !make_folder(c, arena_strdup(a, s.buf), a, err))
                return false;
        }
        p += n + !last;
    }
    *to = arena_strdup(a, s.buf);
    return true;
}

static bool copy_member(const struct remote *r, const char *path, const char *to, struct arena *a,
                        struct gs_error *err)
{
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail(err, GS_E_IO, "cannot create '%s': %s", to, strerror(errno));
    bool ok = true;
    struct arena *temporary = arena_child(a);
    for (int64_t at = 0; ok;) {
        struct str question;
        struct pack p;
        struct team_answer answer;
        str_init(&question, temporary);
        pack_write(&p, &question);
        pack_text(&p, &path);
        PACK(&p, at);
        ok = team_ask(r->processes[0], &remote_read_kind, &question, &answer, temporary, err);
        if (ok && !fs_write_all(fd, answer.bytes, answer.n))
            ok = fail(err, GS_E_IO, "cannot copy '%s' to '%s': %s; set TMPDIR to a larger place",
                      path, to, strerror(errno));
        if (!ok || answer.n < CHUNK)
            break;
        at += (int64_t)answer.n;
        arena_release(temporary);
    }
    if (close(fd) != 0 && ok)
        ok = fail(err, GS_E_IO, "cannot write '%s': %s", to, strerror(errno));
    arena_release(temporary);
    return ok;
}

static bool ask_members(const struct ingest_file *file, struct members *m, struct arena *a,
                        struct gs_error *err)
{
    struct str question;
    struct pack p;
    struct team_answer answer;
    const char *path = file->remote->path, *name = file->format->name;
    str_init(&question, a);
    pack_write(&p, &question);
    pack_text(&p, &path);
    pack_text(&p, &name);
    if (!team_ask(file->remote->processes[0], &remote_members_kind, &question, &answer, a, err))
        return false;
    pack_read(&p, answer.bytes, answer.n, a);
    PACK_VEC(&p, &m->paths, pack_text);
    PACK_VEC(&p, &m->names, pack_text);
    return (pack_done(&p) && m->paths.n && m->paths.n == m->names.n) ||
           fail(err, GS_E_IO, "'%s' is not there any more", file->path);
}

const char *remote_copy(const struct ingest_file *file, struct arena *a, struct gs_error *err)
{
    const char *tmp = getenv("TMPDIR"), *to, *path;
    struct members m = {0};
    struct copied *c = arena_new(a, struct copied);
    arena_defer(a, remove_copies, c);
    char *root = arena_printf(a, "%s/gpusight-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!ask_members(file, &m, a, err))
        return NULL;
    if (!mkdtemp(root)) {
        fail(err, GS_E_IO, "cannot create '%s': %s", root, strerror(errno));
        return NULL;
    }
    own(c, root, a);
    for (size_t i = 0; i < m.paths.n; i++) {
        if (!make_way(c, root, m.names.v[i], &to, a, err))
            return NULL;
        own(c, to, a);
        if (!copy_member(file->remote, m.paths.v[i], to, a, err))
            return NULL;
    }
    return make_way(c, root, file->remote->path, &path, a, err) ? path : NULL;
}
