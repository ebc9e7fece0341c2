#include "session/tree.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs_out.h"
#include "base/hash.h"
#include "base/human.h"
#include "base/log.h"
#include "base/sha256.h"
#include "base/str.h"
#include "base/utf8.h"
#include "session/store.h"

enum { MOST_SOURCE = 64 << 20 };

/* ---- what may be touched ---- */

bool tree_check(const char *source, struct gs_error *err)
{
    struct stat st;
    if (stat(source, &st) != 0 || !S_ISDIR(st.st_mode))
        return fail(err, GS_E_USAGE, "'%s' is no folder", source);
    if (access(source, W_OK) != 0 || !(st.st_mode & 0222))
        return fail(err, GS_E_USAGE, "'%s' is read-only; give a checkout that may be edited",
                    source);
    return true;
}

static bool is_odd_part(const char *p, size_t n)
{
    return !n || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.') ||
           (n == 4 && strncmp(p, ".git", 4) == 0);
}

/* GS_E_USAGE with the reason where a path must not be touched. */
static bool tree_allows(const struct session *s, const char *path, struct gs_error *err)
{
    struct stat st;
    if (!utf8_valid(path, strlen(path))) /* session.json could not name it */
        return fail(err, GS_E_USAGE, "'%s' has a name that is no UTF-8; it is not edited", path);
    for (const char *p = path;;) {
        size_t n = strcspn(p, "/");
        bool last = !p[n];
        if (is_odd_part(p, n))
            return fail(err, GS_E_USAGE, "'%s' is outside of the source folder", path);
        const char *full = arena_printf(s->arena, "%s/%.*s", s->source, (int)(p + n - path), path);
        bool there = lstat(full, &st) == 0;
        if (there && !(last ? S_ISREG(st.st_mode) : S_ISDIR(st.st_mode)))
            return fail(err, GS_E_USAGE, "'%s' is a link or no ordinary file; it is not edited",
                        path);
        if (there && last && !(st.st_mode & 0222))
            return fail(err, GS_E_USAGE, "'%s' is read-only", path);
        if (last)
            return true;
        p += n + 1;
    }
}

static const char *full_path(const struct session *s, const char *path)
{
    return fs_join(s->source, path, s->arena);
}

const struct mapping *tree_content(struct session *s, const char *path, struct gs_error *err)
{
    if (!tree_allows(s, path, err) || !fs_exists(full_path(s, path)))
        return NULL;
    return fs_read_in(s->arena, full_path(s, path), MOST_SOURCE, err);
}

/* ---- contents ---- */

static const char *object_name(struct session *s, const void *data, size_t n)
{
    uint8_t sum[SHA256_BYTES];
    char *name = arena_alloc(s->arena, OBJECT_NAME);
    sha256(sum, data, n);
    sha256_hex(name, sum);
    return name;
}

static const char *object_path(const struct session *s, const char *object)
{
    return arena_printf(s->arena, "%s/objects/%s", s->folder, object);
}

/* NULL: see err. */
static const char *object_put(struct session *s, const void *data, size_t n, struct gs_error *err)
{
    const char *name = object_name(s, data, n), *path = object_path(s, name);
    if (!fs_exists(path) && !store_put(path, n ? data : "", n, s->arena, err))
        return NULL;
    return name;
}

/* The state of a file on the disk, its content kept; false: it cannot be read. */
static bool state_now(struct session *s, const char *path, struct tree_file *f,
                      struct gs_error *err)
{
    struct stat st;
    struct gs_error none = {0};
    const struct mapping *m = tree_content(s, path, &none);
    *f = (struct tree_file){.path = path, .object = "", .mode = 0644};
    if (none.code) {
        *err = none;
        return false;
    }
    if (!m)
        return true;
    if (stat(full_path(s, path), &st) == 0)
        f->mode = st.st_mode & 0777;
    f->object = object_put(s, m->data, m->size, err);
    return f->object != NULL;
}

/* The first of that path; NULL: none. Files come to a list and stay at their places. */
static struct tree_file *find(struct tree_files *files, const char *path, struct arena *a)
{
    if (!files->places) {
        files->places = arena_new(a, struct idmap);
        idmap_init(files->places, a);
        files->placed = 0;
    }
    for (; files->placed < files->n; files->placed++) {
        const char *known = files->v[files->placed].path;
        idmap_claim(files->places, hash_bytes(known, strlen(known)), (uint32_t)files->placed);
    }
    uint32_t at = idmap_get(files->places, hash_bytes(path, strlen(path)));
    return at != NO_INDEX && str_eq(files->v[at].path, path) ? &files->v[at] : NULL;
}

/* Files that a checkpoint does not name are as the session found them. */
static const struct tree_file *state_at(const struct session *s, int64_t number, const char *path)
{
    assert(s->checkpoints.n && session_checkpoint(s, number));
    const struct tree_file *f = find(&session_checkpoint(s, number)->files, path, s->arena);
    return f ? f : find(&s->checkpoints.v[0].files, path, s->arena);
}

static void put_file(struct tree_files *files, struct arena *a, struct tree_file f)
{
    struct tree_file *known = find(files, f.path, a);
    if (known)
        *known = f;
    else
        vec_push(files, a, f);
}

/* ---- checkpoints ---- */

static struct checkpoint *add(struct session *s, const char *summary, enum outcome result)
{
    struct checkpoint c = {.number = (int64_t)s->checkpoints.n,
                           .parent = s->current,
                           .time = store_time(s->arena),
                           .summary = summary,
                           .result = result,
                           CHECKPOINT_BLANK};
    assert(session_checkpoint(s, s->current)); /* reading a session checks it */
    const struct tree_files *now = &session_checkpoint(s, s->current)->files;
    for (size_t i = 0; i < now->n; i++)
        vec_push(&c.files, s->arena, now->v[i]);
    vec_push(&s->checkpoints, s->arena, c);
    return &s->checkpoints.v[c.number];
}

/* What the user has changed in files of the session becomes a state of its own. */
static bool take_own_edits(struct session *s, struct gs_error *err)
{
    struct tree_files changed = {0};
    const struct tree_files *known = &s->checkpoints.v[0].files;
    for (size_t i = 0; i < known->n; i++) {
        struct tree_file f;
        if (!state_now(s, known->v[i].path, &f, err))
            return false;
        if (!str_eq(f.object, state_at(s, s->current, f.path)->object))
            vec_push(&changed, s->arena, f);
    }
    if (!changed.n)
        return true;
    struct checkpoint *c = add(s, "edited by hand", OUTCOME_KEPT);
    for (size_t i = 0; i < changed.n; i++)
        put_file(&c->files, s->arena, changed.v[i]);
    git_keep(s, c);
    s->current = c->number;
    session_event(s, EVENT_OWN_EDIT, "%zu file%s of the session had been edited by hand", changed.n,
                  human_s(changed.n));
    return session_save(s, err);
}

static bool know_file(struct session *s, const char *path, struct gs_error *err)
{
    struct tree_file f;
    struct tree_files *base = &s->checkpoints.v[0].files;
    if (find(base, path, s->arena))
        return true;
    if (!state_now(s, path, &f, err))
        return false;
    vec_push(base, s->arena, f);
    return true;
}

struct checkpoint *tree_checkpoint(struct session *s, const struct edit *e, struct gs_error *err)
{
    struct tree_files after = {0};
    size_t known = s->checkpoints.v[0].files.n;
    if (!take_own_edits(s, err))
        return NULL;
    for (size_t i = 0; i < e->files.n; i++) {
        const struct edit_file *f = &e->files.v[i];
        if (!tree_allows(s, f->path, err) || !know_file(s, f->path, err))
            return NULL;
        struct tree_file to = *state_at(s, s->current, f->path);
        to.object = f->gone ? "" : object_put(s, f->text, f->n, err);
        if (!to.object)
            return NULL;
        vec_push(&after, s->arena, to);
    }
    if (known != s->checkpoints.v[0].files.n)
        git_keep(s, &s->checkpoints.v[0]);
    struct checkpoint *c = add(s, e->summary ? e->summary : "an edit", OUTCOME_TRYING);
    for (size_t i = 0; i < after.n; i++)
        put_file(&c->files, s->arena, after.v[i]);
    c->finding = e->finding ? e->finding : "";
    c->key = e->key;
    git_keep(s, c);
    return session_save(s, err) ? c : NULL;
}

/* ---- moving ---- */

static bool write_file(struct session *s, const struct tree_file *f, const char *data, size_t n,
                       struct gs_error *err)
{
    struct arena *a = s->arena;
    const char *to = full_path(s, f->path), *slash = strrchr(to, '/');
    const char *folder = arena_strndup(a, to, (size_t)(slash - to));
    const char *staged = fs_join(s->folder, "staged", a);
    if (!fs_make_folders(folder, a, err) || !store_stage(staged, data, n, f->mode, err))
        return false;
    if (rename(staged, to) == 0) {
        fs_out_settle(to);
        return true;
    }
    if (errno != EXDEV)
        return fail(err, GS_E_IO, "cannot write '%s': %s", to, strerror(errno));
    unlink(staged);
    staged = arena_printf(a, "%s/.gpusight-%s.tmp", folder, s->id);
    if (!store_stage(staged, data, n, f->mode, err))
        return false;
    if (rename(staged, to) != 0)
        return fail(err, GS_E_IO, "cannot write '%s': %s", to, strerror(errno));
    fs_out_settle(to);
    return true;
}

/* Folders that an edit made for its file, once they are empty again. */
static void drop_folders(const struct session *s, const char *path)
{
    char *part = arena_strdup(s->arena, path), *slash;
    size_t least = strlen(s->source);
    while ((slash = strrchr(part, '/')) && (size_t)(slash - part) > least) {
        *slash = 0;
        if (rmdir(part) != 0)
            return;
    }
}

static bool put_state(struct session *s, int64_t number, const struct tree_file *want,
                      struct gs_error *err)
{
    const char *from = object_path(s, want->object), *to = full_path(s, want->path);
    if (!*want->object) {
        if (unlink(to) != 0 && errno != ENOENT)
            return fail(err, GS_E_IO, "cannot remove '%s': %s", to, strerror(errno));
        fs_out_settle(to);
        drop_folders(s, to);
        return true;
    }
    if (!fs_exists(from))
        git_fetch(s, session_checkpoint(s, number), want->path, from);
    const struct mapping *m = fs_read_in(s->arena, from, MOST_SOURCE, err);
    if (!m)
        return false;
    if (!str_eq(object_name(s, m->data, m->size), want->object))
        return fail(err, GS_E_FORMAT, "the kept content of '%s' is damaged: '%s'", want->path,
                    from);
    return write_file(s, want, (const char *)m->data, m->size, err);
}

static bool is_known(const struct session *s, const struct tree_file *f)
{
    for (size_t i = 0; i < s->checkpoints.n; i++)
        if (str_eq(state_at(s, (int64_t)i, f->path)->object, f->object))
            return true;
    return false;
}

static void drop_staged(struct session *s, const char *path)
{
    const char *to = full_path(s, path), *slash = strrchr(to, '/');
    unlink(arena_printf(s->arena, "%.*s/.gpusight-%s.tmp", (int)(slash - to), to, s->id));
}

bool tree_move(struct session *s, int64_t number, struct gs_error *err)
{
    const struct tree_files *all = &s->checkpoints.v[0].files;
    if (s->moving == NOT_MOVING) {
        s->moving = number;
        if (!session_save(s, err))
            return false;
    }
    for (size_t i = 0; i < all->n; i++) {
        struct tree_file have;
        const struct tree_file *want = state_at(s, number, all->v[i].path);
        if (!tree_allows(s, want->path, err) || !state_now(s, want->path, &have, err))
            return false;
        drop_staged(s, want->path);
        if (str_eq(have.object, want->object))
            continue;
        if (!is_known(s, &have)) {
            log_warn("'%s' had been changed meanwhile; that content is kept in '%s'", have.path,
                     object_path(s, have.object));
            session_event(s, EVENT_OWN_EDIT, "'%s' had been changed meanwhile; kept as objects/%s",
                          have.path, have.object);
        }
        if (!put_state(s, number, want, err))
            return false;
    }
    return true;
}

bool tree_settle(struct session *s, int64_t number, struct gs_error *err)
{
    s->current = number;
    s->moving = NOT_MOVING;
    return session_save(s, err);
}

bool tree_roll_back(struct session *s, int64_t number, struct gs_error *err)
{
    const struct checkpoint *c = session_checkpoint(s, number);
    if (!c)
        return fail(err, GS_E_USAGE, "there is no checkpoint %lld; see 'gpusight session show'",
                    (long long)number);
    if (checkpoint_is_pruned(c))
        return fail(err, GS_E_USAGE, "checkpoint %lld was pruned", (long long)number);
    if (!take_own_edits(s, err))
        return false;
    s->current = s->moving = number;
    s->trace = NULL;
    session_event(s, EVENT_ROLLBACK, "to checkpoint %lld: %s", (long long)number,
                  session_checkpoint(s, number)->summary);
    return session_save(s, err) && tree_move(s, number, err) && tree_settle(s, number, err);
}

/* What was tried when the session ended, be it before its files were moved: it may be tried again. */
static bool end_trials(struct session *s)
{
    bool any = false;
    for (size_t i = 0; i < s->checkpoints.n; i++)
        if (s->checkpoints.v[i].result == OUTCOME_TRYING) {
            s->checkpoints.v[i].result = OUTCOME_INTERRUPTED;
            any = true;
        }
    return any;
}

bool tree_recover(struct session *s, bool *did, struct gs_error *err)
{
    bool ended = end_trials(s);
    *did = s->moving != NOT_MOVING;
    if (!*did)
        return (!ended || session_save(s, err)) && take_own_edits(s, err);
    session_event(s, EVENT_RECOVERED, "the files are those of checkpoint %lld again",
                  (long long)s->current);
    return tree_move(s, s->current, err) && tree_settle(s, s->current, err);
}

int64_t tree_same_state(const struct session *s, int64_t number)
{
    const struct tree_files *all = &s->checkpoints.v[0].files;
    for (size_t i = 0; i < s->checkpoints.n; i++) {
        const struct checkpoint *c = &s->checkpoints.v[i];
        bool same = c->number != number && !checkpoint_is_pruned(c) &&
                    c->result != OUTCOME_INTERRUPTED && c->result != OUTCOME_TRYING;
        for (size_t k = 0; same && k < all->n; k++)
            same = str_eq(state_at(s, c->number, all->v[k].path)->object,
                          state_at(s, number, all->v[k].path)->object);
        if (same)
            return c->number;
    }
    return -1;
}

/* ---- pruning ---- */

static bool is_needed(const struct session *s, const struct checkpoint *c)
{
    return !c->number || c->result == OUTCOME_KEPT || c->number == s->current;
}

/* What object_put() calls a content, or has begun to: others' files stay. */
static bool is_object(const char *name)
{
    size_t n = strspn(name, "0123456789abcdef");
    return n == (size_t)2 * SHA256_BYTES && (!name[n] || str_eq(name + n, ".new"));
}

bool tree_prune(struct session *s, size_t *dropped, struct gs_error *err)
{
    struct fs_list names = {0};
    const char *folder = fs_join(s->folder, "objects", s->arena);
    *dropped = 0;
    for (size_t i = 0; i < s->checkpoints.n; i++) {
        struct checkpoint *c = &s->checkpoints.v[i];
        if (is_needed(s, c) || c->result == OUTCOME_TRYING || checkpoint_is_pruned(c))
            continue;
        git_drop(s, c->number);
        c->commit = "";
        c->files = (struct tree_files){0};
        c->result += OUTCOMES;
        ++*dropped;
    }
    if (!fs_names(&names, folder, true, (size_t)-1, s->arena, err))
        return false;
    struct idmap used;
    idmap_init(&used, s->arena);
    for (size_t k = 0; k < s->checkpoints.n; k++)
        for (size_t m = 0; m < s->checkpoints.v[k].files.n; m++) {
            const char *object = s->checkpoints.v[k].files.v[m].object;
            idmap_put(&used, hash_bytes(object, strlen(object)), 0);
        }
    for (size_t i = 0; i < names.n; i++)
        if (is_object(names.v[i]) &&
            idmap_get(&used, hash_bytes(names.v[i], strlen(names.v[i]))) == NO_INDEX)
            unlink(fs_join(folder, names.v[i], s->arena));
    session_event(s, EVENT_PRUNE, "%zu checkpoint%s that were taken back: no contents any more",
                  *dropped, human_s(*dropped));
    return session_save(s, err);
}
