/* The runs that are kept, and the way from an argument to one of them. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/parallel.h"
#include "base/str.h"
#include "query/query.h"
#include "report/summary_json.h"
#include "tool/ask.h"

/* What tells whether a file is still the one that was read. */
struct stamp {
    const char *path;
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

/* An answer that was given before: the same question about the same trace has the same one. */
struct given {
    const struct tool *tool;
    const char *args;
    size_t args_len;
    struct str answer;
};

enum { GIVEN_MOST = 256, GIVEN_BYTES = 8 << 20 };

struct kept {
    char id[24];
    const char *path; /* without links; "" of a run that was added */
    struct run *run;
    struct arena *arena; /* NULL: not ours */
    VEC(struct stamp) stamps;
    struct run_profile *profile; /* NULL: not asked for yet */
    struct whatif_room *room;    /* the same */
    struct summary *summary;     /* the same */
    struct query_kept *rows;     /* the same */
    struct arena *answers;       /* of `given`; NULL: none yet */
    VEC(struct given) given;
    size_t given_size;
    uint64_t used;
};

struct tool_box {
    struct arena *arena;
    struct tool_box_opts opts;
    VEC(struct kept) kept;
    const struct run *last;
    struct arena *loading; /* of a run that is not kept yet; left behind when loading unwinds */
    uint64_t clock, ids;
};

struct tool_box *tool_box_new(const struct tool_box_opts *o, struct arena *arena)
{
    struct tool_box *box = arena_new(arena, struct tool_box);
    char real[PATH_MAX];
    box->arena = arena;
    box->opts = *o;
    box->opts.roots = (struct opt_list){0};
    for (size_t i = 0; i < o->roots.n; i++)
        vec_push(&box->opts.roots, arena,
                 arena_strdup(arena, realpath(o->roots.v[i], real) ? real : o->roots.v[i]));
    if (!box->opts.answer_bytes)
        box->opts.answer_bytes = TOOL_ANSWER_BYTES;
    if (!box->opts.most_runs)
        box->opts.most_runs = TOOL_RUNS;
    if (box->opts.most_runs < 2)
        box->opts.most_runs = 2; /* to compare */
    return box;
}

const struct tool_box_opts *tool_box_settings(const struct tool_box *box)
{
    return &box->opts;
}

void tool_box_list(const struct tool_box *box, struct tool_loaded_list *out, struct arena *arena)
{
    for (size_t i = 0; i < box->kept.n; i++) {
        const struct kept *k = &box->kept.v[i];
        const char *path = *k->path ? k->path : k->run->trace.files.v[0].path;
        vec_push(out, arena, ((struct tool_loaded){arena_strdup(arena, k->id), path, k->run}));
    }
}

/* ---- paths ---- */

static bool is_below(const char *path, const char *root)
{
    size_t n = strlen(root);
    while (n > 1 && root[n - 1] == '/')
        n--;
    return !strncmp(path, root, n) && (n == 1 || !path[n] || path[n] == '/');
}

static bool is_inside(const struct tool_box *box, const char *path)
{
    for (size_t i = 0; i < box->opts.roots.n; i++)
        if (is_below(path, box->opts.roots.v[i]))
            return true;
    return false;
}

/* Where a path that is not absolute may mean; NULL after the last. */
static const char *candidate(const struct tool_box *box, const char *path, size_t i,
                             struct arena *arena)
{
    size_t roots = *path == '/' ? 0 : box->opts.roots.n;
    if (i < roots)
        return arena_printf(arena, "%s/%s", box->opts.roots.v[i], path);
    return i == roots ? path : NULL;
}

const char *tool_path(struct tool_box *box, const char *path, struct arena *arena,
                      struct gs_error *err)
{
    char real[PATH_MAX];
    bool missing = *path != '/' || is_inside(box, path);
    const char *try;
    if (!box->opts.roots.n) {
        fail(err, GS_E_USAGE, "'%.200s' is no trace that is loaded; no others can be opened here",
             path);
        return NULL;
    }
    for (size_t i = 0; (try = candidate(box, path, i, arena)) != NULL; i++) {
        if (strlen(try) >= sizeof(real) || !realpath(try, real))
            continue;
        if (is_inside(box, real))
            return arena_strdup(arena, real);
        missing = false;
    }
    /* What lies outside is not told apart from what does not exist there. */
    if (missing && !strstr(path, ".."))
        fail(err, GS_E_IO, "cannot open '%.200s': %s", path, strerror(ENOENT));
    else
        fail(err, GS_E_USAGE, "'%.200s' is outside of the folders that may be read", path);
    return NULL;
}

/* Several files divided by commas are the ranks of one job. */
static bool split(struct tool_box *box, const char *what, struct opt_list *out, struct arena *arena,
                  struct gs_error *err)
{
    struct gs_error whole = {0};
    const char *path = tool_path(box, what, arena, &whole);
    if (path) {
        vec_push(out, arena, path);
        return true;
    }
    if (!strchr(what, ',')) {
        *err = whole;
        return false;
    }
    for (const char *at = what; *at;) {
        size_t n = strcspn(at, ",");
        const char *part = arena_strndup(arena, at, n);
        if (n && !(part = tool_path(box, part, arena, err)))
            return false;
        if (n)
            vec_push(out, arena, part);
        at += n + (at[n] == ',');
    }
    return out->n || fail(err, GS_E_USAGE, "no trace given");
}

/* ---- is it still the same? ---- */

static void stamp(struct kept *k, const char *path)
{
    struct stat st = {0};
    struct stamp s = {.path = path};
    if (stat(path, &st) == 0) {
        s.device = st.st_dev;
        s.inode = st.st_ino;
        s.size = S_ISDIR(st.st_mode) ? 0 : st.st_size;
        s.changed = st.st_mtim;
    }
    vec_push(&k->stamps, k->arena, s);
}

static const char *folder_of(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    return slash && slash > path ? arena_strndup(arena, path, (size_t)(slash - path)) : "/";
}

static void stamp_all(struct kept *k, const struct opt_list *paths)
{
    const struct run *r = k->run;
    for (size_t i = 0; i < paths->n; i++) {
        bool folder = fs_is_dir(paths->v[i]);
        stamp(k, paths->v[i]);
        for (size_t f = 0; folder && f < r->trace.files.n; f++)
            stamp(k, folder_of(r->trace.files.v[f].path, k->arena));
    }
    for (size_t f = 0; f < r->trace.files.n; f++)
        stamp(k, r->trace.files.v[f].path);
    for (size_t i = 0; r->job && i < r->job->ranks.n; i++)
        if (r->job->ranks.v[i].file)
            stamp(k, r->job->ranks.v[i].file);
}

static bool is_unchanged(const struct kept *k)
{
    for (size_t i = 0; i < k->stamps.n; i++) {
        const struct stamp *s = &k->stamps.v[i];
        struct stat st = {0};
        if (stat(s->path, &st) != 0)
            return !s->inode;
        if (st.st_dev != s->device || st.st_ino != s->inode ||
            (S_ISREG(st.st_mode) && st.st_size != s->size) ||
            st.st_mtim.tv_sec != s->changed.tv_sec || st.st_mtim.tv_nsec != s->changed.tv_nsec)
            return false;
    }
    return true;
}

/* ---- loading and letting go ---- */

static void forget(struct kept *k)
{
    if (k->answers)
        arena_release(k->answers);
    k->given.v = NULL;
    k->given.n = k->given.cap = k->given_size = 0;
}

static void drop(struct tool_box *box, size_t i)
{
    struct kept *k = &box->kept.v[i];
    assert(i < box->kept.n && k->arena); /* only what we have loaded goes */
    if (box->last == k->run)
        box->last = NULL;
    forget(k);
    if (k->arena)
        arena_release(k->arena);
    memmove(k, k + 1, (box->kept.n - i - 1) * sizeof(*k));
    box->kept.n--;
}

/* Room for one more: the one of ours that was used longest ago goes. */
static void make_room(struct tool_box *box)
{
    while (box->kept.n >= box->opts.most_runs) {
        size_t oldest = box->kept.n;
        for (size_t i = 0; i < box->kept.n; i++)
            if (box->kept.v[i].arena &&
                (oldest == box->kept.n || box->kept.v[i].used < box->kept.v[oldest].used))
                oldest = i;
        if (oldest == box->kept.n)
            return;
        drop(box, oldest);
    }
}

static struct kept *keep(struct tool_box *box, struct run *run, struct arena *arena,
                         const char *path)
{
    struct kept k = {.run = run, .arena = arena, .path = path, .used = ++box->clock};
    snprintf(k.id, sizeof(k.id), "t%llu", (unsigned long long)++box->ids);
    vec_push(&box->kept, box->arena, k);
    box->last = run;
    return &box->kept.v[box->kept.n - 1];
}

const char *tool_box_add(struct tool_box *box, struct run *run)
{
    return arena_strdup(box->arena, keep(box, run, NULL, "")->id);
}

/* ---- what some questions need, made with the run so that no answer waits for it ---- */

static void make_profile(struct kept *k, struct arena *arena)
{
    const struct run *run = k->run;
    struct run_profile *p = arena_new(arena, struct run_profile);
    profile_make(p, run->analysis, fs_basename(run->trace.files.v[0].path), arena);
    k->profile = p;
}

static void make_room_for(struct kept *k, struct arena *arena)
{
    struct whatif_room *room = arena_new(arena, struct whatif_room);
    whatif_room_make(room, k->run->analysis, arena);
    k->room = room;
}

static void make_summary(struct kept *k, struct arena *arena)
{
    struct summary *s = arena_new(arena, struct summary);
    summary_make(s, k->run->analysis, arena);
    summary_phases(s, arena);
    k->summary = s;
}

struct preparing {
    struct kept *k;
    struct arena *arenas[3]; /* of each thread */
};

static void prepare_one(void *ctx, size_t i, int worker)
{
    struct preparing *p = ctx;
    const struct trace *t = &p->k->run->trace;
    (void)worker;
    if (i == 2 && p->k->run->analysis->depend)
        make_room_for(p->k, p->arenas[2]);
    else if (i == 1 && (t->kernels.n || t->copies.n))
        make_summary(p->k, p->arenas[1]);
    else if (!i && (t->kernels.n || t->copies.n))
        make_profile(p->k, p->arenas[0]);
}

static void prepare(struct kept *k, const struct tool_box *box)
{
    struct preparing p = {k, {arena_child(k->arena), arena_child(k->arena), arena_child(k->arena)}};
    parallel_for(box->opts.threads, 3, prepare_one, &p);
}

static struct kept *load(struct tool_box *box, const struct opt_list *paths, const char *key,
                         struct gs_error *err)
{
    struct run_opts o = RUN_DEFAULTS;
    if (box->loading)
        arena_release(box->loading);
    else
        box->loading = arena_child(box->arena);
    struct arena *arena = box->loading;
    for (size_t i = 0; i < paths->n; i++)
        vec_push(&o.paths, arena, arena_strdup(arena, paths->v[i]));
    o.threads = box->opts.threads;
    o.cache = box->opts.cache;
    o.replay = true;
    o.att_beside = true;
    o.progress = box->opts.progress;
    make_room(box);
    struct run *run = run_make(&o, arena, err);
    if (run && !run->analysis)
        fail(err, GS_E_EMPTY, "no trace in '%s', only a thread trace", key);
    if (!run || !run->analysis) {
        arena_release(arena);
        return NULL;
    }
    struct kept *k = keep(box, run, arena, arena_strdup(arena, key));
    stamp_all(k, &o.paths);
    box->loading = NULL;
    prepare(k, box);
    return k;
}

static struct kept *find_id(struct tool_box *box, const char *id)
{
    for (size_t i = 0; i < box->kept.n; i++)
        if (str_eq(box->kept.v[i].id, id))
            return &box->kept.v[i];
    return NULL;
}

static struct kept *find_path(struct tool_box *box, const char *path)
{
    for (size_t i = 0; i < box->kept.n; i++) {
        struct kept *k = &box->kept.v[i];
        if (!*k->path || !str_eq(k->path, path))
            continue;
        if (is_unchanged(k))
            return k;
        drop(box, i);
        return NULL;
    }
    return NULL;
}

static struct kept *named(struct tool_box *box, const char *trace, struct gs_error *err)
{
    struct opt_list paths = {0};
    struct arena *temporary = arena_scratch();
    struct str key;
    struct kept *k = find_id(box, trace);
    str_init(&key, temporary);
    if (!k && split(box, trace, &paths, temporary, err)) {
        for (size_t i = 0; i < paths.n; i++)
            str_printf(&key, "%s%s", i ? "," : "", paths.v[i]);
        k = find_path(box, key.buf);
        if (!k)
            k = load(box, &paths, key.buf, err);
    }
    arena_release(temporary);
    return k;
}

static struct kept *unnamed(struct tool_box *box, struct gs_error *err)
{
    for (size_t i = 0; i < box->kept.n; i++)
        if (box->kept.v[i].run == box->last || box->kept.n == 1)
            return &box->kept.v[i];
    fail(err, GS_E_USAGE, "no trace is loaded; give its file as 'trace'%s",
         box->opts.roots.n ? ", 'traces' lists what there is" : "");
    return NULL;
}

struct run *tool_run(struct tool_box *box, const char *trace, const char **id, struct gs_error *err)
{
    struct kept *k = trace && *trace ? named(box, trace, err) : unnamed(box, err);
    if (!k)
        return NULL;
    k->used = ++box->clock;
    box->last = k->run;
    *id = k->id;
    return k->run;
}

static struct kept *find_run(struct tool_box *box, const struct run *run)
{
    for (size_t i = 0; i < box->kept.n; i++)
        if (box->kept.v[i].run == run)
            return &box->kept.v[i];
    return NULL;
}

const struct run_profile *tool_profile(struct tool_box *box, const struct run *run)
{
    struct kept *k = find_run(box, run);
    if (!k->profile)
        make_profile(k, k->arena ? k->arena : box->arena);
    return k->profile;
}

struct whatif_room *tool_room(struct tool_box *box, const struct run *run)
{
    struct kept *k = find_run(box, run);
    if (!k->room)
        make_room_for(k, k->arena ? k->arena : box->arena);
    return k->room;
}

struct query_kept *tool_kept(struct tool_box *box, const struct run *run)
{
    struct kept *k = find_run(box, run);
    if (!k->rows)
        k->rows = query_kept_new(arena_child(k->arena ? k->arena : box->arena));
    return k->rows;
}

struct summary *tool_run_summary(struct tool_box *box, const struct run *run)
{
    struct kept *k = find_run(box, run);
    if (!k->summary)
        make_summary(k, k->arena ? k->arena : box->arena);
    return k->summary;
}

/* ---- answers that were given before ---- */

bool tool_given(struct tool_box *box, const struct run *run, const struct tool *tool,
                const char *args, size_t n, struct str *out)
{
    const struct kept *k = find_run(box, run);
    for (size_t i = 0; k && i < k->given.n; i++) {
        const struct given *g = &k->given.v[i];
        if (g->tool != tool || g->args_len != n || memcmp(g->args, args, n) != 0)
            continue;
        str_clear(out);
        str_put(out, g->answer.buf, g->answer.len);
        return true;
    }
    return false;
}

void tool_give(struct tool_box *box, const struct run *run, const struct tool *tool,
               const char *args, size_t n, const struct str *answer)
{
    struct kept *k = find_run(box, run);
    size_t bytes = n + answer->len;
    if (!k || bytes > GIVEN_BYTES / 8)
        return;
    if (k->given.n >= GIVEN_MOST || k->given_size + bytes > GIVEN_BYTES)
        forget(k);
    if (!k->answers)
        k->answers = arena_child(k->arena ? k->arena : box->arena);
    struct given g = {.tool = tool, .args = arena_strndup(k->answers, args, n), .args_len = n};
    str_init(&g.answer, k->answers);
    str_put(&g.answer, answer->buf, answer->len);
    vec_push(&k->given, k->answers, g);
    k->given_size += bytes;
}
