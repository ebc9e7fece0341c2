/*
 * The files of a folder and below, in a fixed order: real ones first, then what symbolic links
 * lead to, unless it was there already. So links that form a loop end, and no file counts twice.
 * Lines of source are shown, so links that lead out of the folder are not followed.
 */
#define _GNU_SOURCE /* realpath */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/str.h"
#include "source/source_in.h"

enum { PATH_LONGEST = 4096, RULES_LARGEST = 1 << 20 };

struct link {
    const char *path, *shown;
    const struct ignore_file *rules;
};

struct walk {
    struct source_scan *s;
    struct found_files *out;
    struct idmap seen; /* fs_first_time() */
    VEC(struct link) links;
    char root[PATH_MAX]; /* resolved */
};

static const struct {
    const char *extension;
    enum source_language language;
} languages[] = {
#define LANGUAGE(extension, language) {extension, SOURCE_##language},
#include "source/languages.def"
#undef LANGUAGE
};

static const char *const skipped_folders[] = {
#define SKIP(name) name,
#include "source/skip_folders.def"
#undef SKIP
};

void source_skip(struct source_scan *s, const char *path, const char *reason)
{
    s->files_skipped++;
    vec_push(&s->skipped, &s->arena, ((struct source_skip){path, reason}));
}

static bool language_of(const char *name, enum source_language *language)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < ARRAY_LEN(languages); i++)
        if (str_eq(dot + 1, languages[i].extension)) {
            *language = languages[i].language;
            return true;
        }
    return false;
}

static bool skip_folder(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(skipped_folders); i++)
        if (str_eq(name, skipped_folders[i]))
            return true;
    return name[0] == '.';
}

static const struct ignore_file *read_rules(struct walk *w, const char *dir, const char *shown,
                                            const struct ignore_file *above)
{
    struct arena *a = &w->s->arena;
    const char *path = arena_printf(a, "%s/.gitignore", dir);
    struct mapping *m = &w->s->worker_map[0];
    if (fs_is_link(path) || !fs_read(m, path, RULES_LARGEST, NULL))
        return above;
    struct ignore_file *f = arena_new(a, struct ignore_file);
    f->above = above;
    f->base = *shown ? strlen(shown) + 1 : 0;
    ignore_parse(f, (const char *)m->data, m->size, a);
    unmap_file(m);
    return f;
}

static void folder(struct walk *w, const char *dir, const char *shown,
                   const struct ignore_file *rules);

static void file(struct walk *w, const char *path, const char *shown, const struct stat *st)
{
    struct found_file f = {.path = path, .shown = shown};
    if (language_of(shown, &f.language) && fs_first_time(&w->seen, st))
        vec_push(&w->out->v, &w->s->arena, f);
}

/* Something a name in a folder, or a link, leads to. */
static void entry(struct walk *w, const char *path, const char *shown, const struct stat *st,
                  const struct ignore_file *rules)
{
    bool is_folder = S_ISDIR(st->st_mode);
    enum source_language language;
    if (!is_folder && !S_ISREG(st->st_mode)) {
        if (language_of(shown, &language) && !ignored(rules, shown, false))
            source_skip(w->s, shown, "no regular file");
        return;
    }
    if (is_folder && (skip_folder(fs_basename(shown)) || ignored(rules, shown, true))) {
        w->s->folders_skipped++;
        return;
    }
    if (is_folder) {
        if (fs_first_time(&w->seen, st))
            folder(w, path, shown, rules);
    } else if (!ignored(rules, shown, false)) {
        file(w, path, shown, st);
    }
}

static void folder(struct walk *w, const char *dir, const char *shown,
                   const struct ignore_file *rules)
{
    struct arena *a = &w->s->arena;
    struct fs_list names = {0};
    if (strlen(dir) > PATH_LONGEST || !fs_names(&names, dir, true, SIZE_MAX, &w->s->arena, NULL)) {
        source_skip(w->s, shown, strlen(dir) > PATH_LONGEST ? "path too long" : strerror(errno));
        return;
    }
    rules = read_rules(w, dir, shown, rules);
    for (size_t i = 0; i < names.n; i++) {
        const char *path = arena_printf(a, "%s/%s", dir, names.v[i]);
        const char *below = *shown ? arena_printf(a, "%s/%s", shown, names.v[i]) : names.v[i];
        struct stat st;
        if (lstat(path, &st) != 0)
            continue;
        if (S_ISLNK(st.st_mode))
            vec_push(&w->links, a, ((struct link){path, below, rules}));
        else
            entry(w, path, below, &st, rules);
    }
}

/* Whether a link leads to something in the folder that is scanned. */
static bool leads_inside(const struct walk *w, const char *path)
{
    char target[PATH_MAX];
    size_t n = strlen(w->root);
    return n && realpath(path, target) && strncmp(target, w->root, n) == 0 &&
           (!target[n] || target[n] == '/' || w->root[n - 1] == '/');
}

static void follow(struct walk *w, const struct link *l)
{
    struct stat st;
    enum source_language language;
    const char *why = NULL;
    bool there = stat(l->path, &st) == 0;
    bool wanted = (there && S_ISDIR(st.st_mode)) || language_of(l->shown, &language);
    if (there && leads_inside(w, l->path))
        entry(w, l->path, l->shown, &st, l->rules);
    else if (there)
        why = wanted ? "a link that leads out of the folder" : NULL;
    else if (errno == ELOOP)
        why = "a link that leads to itself";
    else
        why = wanted ? "a link that leads nowhere" : NULL;
    if (why && !ignored(l->rules, l->shown, there && S_ISDIR(st.st_mode)))
        source_skip(w->s, l->shown, why);
}

bool collect_files(struct source_scan *s, const char *dir, struct found_files *out,
                   struct gs_error *err)
{
    struct walk w = {.s = s, .out = out};
    struct stat st;
    enum source_language language;
    idmap_init(&w.seen, &s->arena);
    if (stat(dir, &st) != 0)
        return fail(err, GS_E_IO, "cannot open '%s': %s", dir, strerror(errno));
    if (S_ISREG(st.st_mode) && language_of(dir, &language)) {
        file(&w, dir, dir, &st);
        return true;
    }
    if (!S_ISDIR(st.st_mode))
        return fail(err, GS_E_USAGE, "'%s' is not a folder of source files", dir);
    if (!realpath(dir, w.root))
        w.root[0] = 0;
    fs_first_time(&w.seen, &st);
    folder(&w, dir, "", NULL);
    for (size_t i = 0; i < w.links.n; i++) { /* links found on the way are added behind */
        struct link l = w.links.v[i];
        follow(&w, &l);
    }
    return true;
}
