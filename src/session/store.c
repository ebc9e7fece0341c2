#define _GNU_SOURCE /* realpath */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fs_out.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/str.h"
#include "session/store.h"
#include "session/tree.h"

enum { MOST_SESSIONS = 100000, MOST_FILE = 256 << 20 };

/* ---- files for this user alone ---- */

bool store_stage(const char *path, const char *data, size_t n, int64_t mode, struct gs_error *err)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return fail(err, GS_E_IO, "cannot write '%s': %s", path, strerror(errno));
    bool ok = fs_write_all(fd, data, n) && fchmod(fd, (mode_t)mode) == 0 && fsync(fd) == 0;
    int why = errno;
    ok = close(fd) == 0 && ok;
    if (!ok)
        unlink(path);
    return ok || fail(err, GS_E_IO, "cannot write '%s': %s", path, strerror(why));
}

bool store_put(const char *path, const char *data, size_t n, struct arena *a, struct gs_error *err)
{
    const char *temp = arena_printf(a, "%s.new", path);
    if (!store_stage(temp, data, n, 0600, err))
        return false;
    if (rename(temp, path) != 0)
        return fail(err, GS_E_IO, "cannot write '%s': %s", path, strerror(errno));
    fs_out_settle(path);
    return true;
}

/* ---- times ---- */

static const char *time_now(struct arena *a, const char *form)
{
    char text[64];
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, sizeof(text), form, &parts);
    return arena_strdup(a, text);
}

const char *store_time(struct arena *a)
{
    return time_now(a, "%Y-%m-%dT%H:%M:%SZ");
}

/* ---- opening ---- */

/*
 * A lock of the process, not of the descriptor: when we are killed, a child that has not come to be
 * another program yet still has the descriptor.
 */
static bool lock(struct session *s, struct gs_error *err)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const char *path = fs_join(s->folder, "lock", s->arena);
    s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (s->lock < 0)
        return fail(err, GS_E_IO, "cannot open '%s': %s", path, strerror(errno));
    if (fcntl(s->lock, F_SETLK, &whole) == 0)
        return true;
    if (errno != EACCES && errno != EAGAIN)
        return fail(err, GS_E_IO, "cannot lock '%s': %s", path, strerror(errno));
    return fail(err, GS_E_IO, "session '%s' is in use by another process", s->id);
}

static void unlock(void *session)
{
    struct session *s = session;
    if (s->lock >= 0)
        close(s->lock);
}

static struct session *make(struct arena *a)
{
    struct session *s = arena_new(a, struct session);
    *s = (struct session){.arena = a,
                          .lock = -1,
                          .moving = NOT_MOVING,
                          .repeat = 3,
                          .plateau = 2,
                          .goal_pct = NAN,
                          .budget_s = NAN};
    arena_defer(a, unlock, s);
    return s;
}

/* "toy" of "/home/me/toy": at most 24 harmless characters. */
static const char *slug(const char *source, struct arena *a)
{
    char *name = arena_strndup(a, fs_basename(source), strnlen(fs_basename(source), 24));
    for (char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '-';
    return *name ? name : "source";
}

struct session *session_new(const char *root, const char *source, struct arena *a,
                            struct gs_error *err)
{
    enum { MOST_EQUAL = 1000 };
    struct session *s = make(a);
    const char *base = time_now(a, "%Y-%m-%d_%H-%M-%S");
    s->source = source;
    for (int i = 1; i < MOST_EQUAL && !s->folder; i++) {
        const char *id = i == 1 ? arena_printf(a, "%s_%s", base, slug(source, a))
                                : arena_printf(a, "%s_%s-%d", base, slug(source, a), i);
        const char *folder = fs_join(root, id, a);
        if (mkdir(folder, 0700) == 0) {
            s->folder = folder;
            s->id = id;
        } else if (errno != EEXIST)
            break;
    }
    if (!s->folder) {
        fail(err, GS_E_IO, "cannot make a folder in '%s': %s", root, strerror(errno));
        return NULL;
    }
    const char *objects = fs_join(s->folder, "objects", a);
    if (mkdir(objects, 0700) != 0) {
        fail(err, GS_E_IO, "cannot make '%s': %s", objects, strerror(errno));
        return NULL;
    }
    s->created = store_time(a);
    vec_push(&s->checkpoints, a,
             ((struct checkpoint){.time = s->created,
                                  .parent = -1,
                                  .summary = "as found",
                                  .result = OUTCOME_BASE,
                                  CHECKPOINT_BLANK}));
    return lock(s, err) && session_save(s, err) ? s : NULL;
}

bool session_save(struct session *s, struct gs_error *err)
{
    struct str text;
    s->updated = store_time(s->arena);
    str_init(&text, s->arena);
    session_write(s, &text);
    return store_put(fs_join(s->folder, "session.json", s->arena), text.buf, text.len, s->arena,
                     err);
}

bool session_ids(const char *root, struct fs_list *out, struct arena *a, struct gs_error *err)
{
    struct fs_list all = {0};
    if (!fs_exists(root))
        return true;
    if (!fs_names(&all, root, false, MOST_SESSIONS, a, err))
        return false;
    for (size_t i = 0; i < all.n; i++)
        if (fs_is_file(fs_join(fs_join(root, all.v[i], a), "session.json", a)))
            vec_push(out, a, all.v[i]);
    return true;
}

/* The folder that is meant; NULL: see err. */
static const char *find(const char *root, const char *id, struct arena *a, struct gs_error *err)
{
    struct fs_list ids = {0};
    const char *found = NULL;
    if (strchr(id, '/')) {
        size_t n = strlen(id);
        const char *folder =
            str_ends(id, "/session.json") ? arena_strndup(a, id, n - strlen("/session.json")) : id;
        if (fs_is_file(fs_join(folder, "session.json", a)))
            return folder;
        fail(err, GS_E_USAGE, "'%s' is no session", id);
        return NULL;
    }
    if (!session_ids(root, &ids, a, err))
        return NULL;
    if (str_eq(id, "latest") && ids.n)
        return fs_join(root, ids.v[ids.n - 1], a);
    for (size_t i = 0; i < ids.n; i++) {
        if (!str_starts(ids.v[i], id) || !*id)
            continue;
        if (found && !str_eq(ids.v[i], id)) {
            fail(err, GS_E_USAGE, "'%s' is the start of several sessions; give more of it", id);
            return NULL;
        }
        found = ids.v[i];
        if (str_eq(found, id))
            break;
    }
    if (!found)
        fail(err, GS_E_USAGE, "no session '%s'; see 'gpusight session list'", id);
    return found ? fs_join(root, found, a) : NULL;
}

/* All that a session makes in its folder. */
static const char *const own_names[] = {"objects", "logs",        "runs",       "edit",
                                        "staged",  "staged.new",  "output.txt", "output.txt.new",
                                        "index",   "index.lock",  "git.out",    "session.json.new",
                                        "lock",    "session.json"};

/* A folder that was handed over may be made so that ours go elsewhere. */
static bool holds_no_links(const struct session *s, struct gs_error *err)
{
    for (size_t i = 0; i < ARRAY_LEN(own_names); i++) {
        const char *path = fs_join(s->folder, own_names[i], s->arena);
        if (fs_is_link(path))
            return fail(err, GS_E_FORMAT, "'%s' is a link; no session makes one", path);
    }
    return true;
}

struct session *session_open(const char *root, const char *id, bool locked, struct arena *a,
                             struct gs_error *err)
{
    struct session *s = make(a);
    s->folder = find(root, id, a, err);
    if (!s->folder)
        return NULL;
    char *real = realpath(s->folder, NULL);
    if (real)
        s->folder = arena_strdup(a, real);
    free(real);
    s->id = fs_basename(s->folder);
    if (locked && (!holds_no_links(s, err) || !lock(s, err)))
        return NULL;
    const char *path = fs_join(s->folder, "session.json", a);
    const struct mapping *m = fs_read_in(a, path, MOST_FILE, err);
    if (!m)
        return NULL;
    if (!session_read(s, (const char *)m->data, m->size, err)) {
        wrap(err, "cannot read '%s'", path);
        return NULL;
    }
    return s;
}

/* ---- deleting ---- */

/* A file, or a folder with everything in it; links are not followed. */
static bool store_remove(const char *path, struct arena *a, struct gs_error *err)
{
    DIR *d = fs_is_link(path) ? NULL : opendir(path);
    if (!d)
        return unlink(path) == 0 || errno == ENOENT ||
               fail(err, GS_E_IO, "cannot remove '%s': %s", path, strerror(errno));
    bool ok = true;
    const struct dirent *e;
    while (ok && (e = readdir(d)))
        if (!str_eq(e->d_name, ".") && !str_eq(e->d_name, ".."))
            ok = store_remove(fs_join(path, e->d_name, a), a, err);
    closedir(d);
    return ok && (rmdir(path) == 0 ||
                  fail(err, GS_E_IO, "cannot remove '%s': %s", path, strerror(errno)));
}

/* What others put into the folder stays. */
bool session_delete(struct session *s, struct gs_error *err)
{
    git_drop(s, -1);
    for (size_t i = 0; i < ARRAY_LEN(own_names); i++)
        if (!store_remove(fs_join(s->folder, own_names[i], s->arena), s->arena, err))
            return false;
    if (rmdir(s->folder) == 0)
        return true;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return fail(err, GS_E_IO, "cannot remove '%s': %s", s->folder, strerror(errno));
    log_warn("'%s' holds files that are not the session's; they stay", s->folder);
    return true;
}

/* ---- small ---- */

struct session_event *session_event(struct session *s, enum event_kind kind, const char *fmt, ...)
{
    ARENA_FORMATTED(text, s->arena);
    vec_push(&s->events, s->arena,
             ((struct session_event){.time = store_time(s->arena),
                                     .kind = kind,
                                     .text = session_hidden(s, text),
                                     .checkpoint = s->current,
                                     .seconds = NAN}));
    return &s->events.v[s->events.n - 1];
}

struct session_event *session_step(struct session *s, enum event_kind kind, const char *failure)
{
    struct session_event *e = session_event(s, kind, "%s", failure ? failure : STEP_WELL);
    e->well = !failure;
    return e;
}

const char *session_hidden(struct session *s, const char *text)
{
    size_t hidden;
    return secret_mask(text, s->arena, &hidden);
}

struct checkpoint *session_checkpoint(const struct session *s, int64_t number)
{
    return number >= 0 && (size_t)number < s->checkpoints.n ? &s->checkpoints.v[number] : NULL;
}

double session_gain_pct(const struct session *s)
{
    double rest = 1;
    const struct checkpoint *c = session_checkpoint(s, s->current);
    for (size_t i = 0; c && i < s->checkpoints.n; i++, c = session_checkpoint(s, c->parent))
        if (isfinite(c->change_pct))
            rest *= 1 + c->change_pct / 100;
    return 100 * (1 - rest);
}
