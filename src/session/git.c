/*
 * Checkpoints in git: commits that only refs/gpusight/SESSION/N holds, made with plumbing, an index
 * of our own and no hooks. The user's branch, index, stash and working tree are not looked at.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "launch/child.h"
#include "session/tree.h"

enum { MOST_ANSWER = 64 << 20, GIT_SECONDS = 600 };

/* Standard output of git in the source folder, its last line end cut; NULL: it failed. */
static const char *git(struct session *s, const char *to, const char *const *words)
{
    struct arena *a = s->arena;
    struct words argv = {0};
    struct child_result r;
    struct gs_error err = {0};
    const char *log = to ? to : fs_join(s->folder, "git.out", a);
    const char *head[] = {"env",
                          "-u",
                          "GIT_DIR",
                          "-u",
                          "GIT_WORK_TREE",
                          "-u",
                          "GIT_OBJECT_DIRECTORY",
                          "-u",
                          "GIT_NAMESPACE",
                          "-u",
                          "GIT_AUTHOR_DATE",
                          "-u",
                          "GIT_COMMITTER_DATE",
                          "GIT_AUTHOR_NAME=gpusight",
                          "GIT_AUTHOR_EMAIL=gpusight@localhost",
                          "GIT_COMMITTER_NAME=gpusight",
                          "GIT_COMMITTER_EMAIL=gpusight@localhost",
                          "GIT_TERMINAL_PROMPT=0",
                          "GIT_OPTIONAL_LOCKS=0",
                          arena_printf(a, "GIT_INDEX_FILE=%s/index", s->folder),
                          "git",
                          "-C",
                          s->source,
                          "-c",
                          "core.hooksPath=/dev/null",
                          "-c",
                          "core.logAllRefUpdates=false",
                          "-c",
                          "core.fsmonitor=false",
                          "-c",
                          "gc.auto=0",
                          "-c",
                          "core.splitIndex=false"};
    for (size_t i = 0; i < ARRAY_LEN(head); i++)
        vec_push(&argv, a, head[i]);
    for (; *words; words++)
        vec_push(&argv, a, *words);
    vec_push(&argv, a, (const char *)NULL);
    unlink(log);
    struct child_opts o = {.argv = argv.v, .timeout_s = GIT_SECONDS, .silent = true, .log = log};
    if (!child_run(&o, &r, &err) || child_failure(&r, a))
        return NULL;
    const struct mapping *m = to ? NULL : fs_read_in(a, log, MOST_ANSWER, &err);
    if (to)
        return "";
    size_t n = m ? m->size : 0;
    while (n && m->data[n - 1] == '\n')
        n--;
    const char *text = m ? arena_strndup(a, (const char *)m->data, n) : "";
    unlink(log);
    return text;
}

#define GIT(s, ...) git(s, NULL, (const char *const[]){__VA_ARGS__, NULL})

/* The last line, where it is the name of an object: what git says on the way is no answer. */
static const char *hash_of(const char *answer)
{
    const char *line = answer ? strrchr(answer, '\n') : NULL;
    line = line ? line + 1 : answer;
    size_t n = line ? strspn(line, "0123456789abcdef") : 0;
    return n >= 40 && !line[n] ? line : NULL;
}

static const char *ref_name(const struct session *s, int64_t number)
{
    return arena_printf(s->arena, "refs/gpusight/%s/%lld", s->id, (long long)number);
}

static bool add_file(struct session *s, const struct tree_file *f, const char *prefix)
{
    struct arena *a = s->arena;
    const char *path = arena_printf(a, "%s%s", prefix, f->path);
    if (!*f->object)
        return GIT(s, "update-index", "--force-remove", "--", f->path) != NULL;
    const char *content = arena_printf(a, "%s/objects/%s", s->folder, f->object);
    const char *blob = hash_of(GIT(s, "hash-object", "-w", "--no-filters", "--", content));
    return blob &&
           GIT(s, "update-index", "--add", "--cacheinfo",
               arena_printf(a, "%s,%s,%s", f->mode & 0100 ? "100755" : "100644", blob, path));
}

static const char *commit(struct session *s, const struct checkpoint *c, const char *prefix)
{
    const char *head = hash_of(GIT(s, "rev-parse", "--verify", "-q", "HEAD^{commit}"));
    const struct checkpoint *up = session_checkpoint(s, c->parent);
    const char *parent = up && *up->commit ? up->commit : head;
    unlink(fs_join(s->folder, "index", s->arena));
    if (head && !GIT(s, "read-tree", head))
        return NULL;
    for (size_t i = 0; i < c->files.n; i++)
        if (!add_file(s, &c->files.v[i], prefix))
            return NULL;
    const char *tree = hash_of(GIT(s, "write-tree", "--missing-ok"));
    if (!tree)
        return NULL;
    const char *words = arena_printf(s->arena, "gpusight %s: %s", s->id, c->summary);
    return hash_of(parent ? GIT(s, "commit-tree", tree, "-p", parent, "-m", words)
                          : GIT(s, "commit-tree", tree, "-m", words));
}

void git_keep(struct session *s, struct checkpoint *c)
{
    const char *prefix =
        program_find("git", NULL, s->arena) ? GIT(s, "rev-parse", "--show-prefix") : NULL;
    if (!prefix)
        return;
    const char *made = commit(s, c, prefix);
    if (made && GIT(s, "update-ref", "--no-deref", ref_name(s, c->number), made))
        c->commit = made;
    else
        log_warn("checkpoint %lld could not be put into git; the session's folder has it",
                 (long long)c->number);
    unlink(fs_join(s->folder, "index", s->arena));
}

void git_drop(struct session *s, int64_t number)
{
    for (size_t i = 0; i < s->checkpoints.n; i++) {
        const struct checkpoint *c = &s->checkpoints.v[i];
        if (*c->commit && (number < 0 || c->number == number))
            GIT(s, "update-ref", "--no-deref", "-d", ref_name(s, c->number));
    }
}

bool git_fetch(struct session *s, const struct checkpoint *c, const char *path, const char *to)
{
    const char *commit = c && *c->commit ? c->commit : s->checkpoints.v[0].commit;
    const char *prefix = *commit ? GIT(s, "rev-parse", "--show-prefix") : NULL;
    if (!prefix)
        return false;
    const char *words[] = {"cat-file", "blob",
                           arena_printf(s->arena, "%s:%s%s", commit, prefix, path), NULL};
    return git(s, to, words) != NULL;
}
