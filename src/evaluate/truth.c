/*
 * Traces with truth in a folder.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/jread.h"
#include "evaluate/evaluate.h"

enum { TRUTH_MAX = 16 << 20 };
#define TRUTH_END ".truth.json"

static void read_texts(struct jread *j, struct opt_list *out, struct arena *a)
{
    if (jr_type(j) == J_STRING) {
        const char *s = jr_strdup(j, a);
        if (s)
            vec_push(out, a, s);
        return;
    }
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        struct str all;
        str_init(&all, a);
        if (jr_type(j) == J_STRING) {
            const char *s = jr_str(j, NULL);
            str_puts(&all, s ? s : "");
        } else if (jr_object(j)) /* PerfAdvisor's: action, mechanism, rationale */
            while (jr_key(j)) {
                const char *s = jr_type(j) == J_STRING ? jr_str(j, NULL) : NULL;
                if (s)
                    str_printf(&all, "%s%s", all.len ? ". " : "", s);
                else
                    jr_skip(j);
            }
        if (all.len)
            vec_push(out, a, all.buf);
    }
}

/* What is no bottleneck that we know cannot be found either. */
static void read_also_true(struct jread *j, struct eval_truth *t, struct arena *a)
{
    struct opt_list names = {0};
    read_texts(j, &names, a);
    for (size_t i = 0; i < names.n; i++) {
        const struct eval_bottleneck *b = eval_bottleneck_find(names.v[i]);
        if (b)
            vec_push(&t->also_true, a, b);
    }
}

static void read_members(struct jread *j, struct eval_truth *t, struct arena *a)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "scenario"))
            t->scenario = jr_strdup(j, a);
        else if (jr_is(j, "expected_bottleneck") || jr_is(j, "expected"))
            t->expected = jr_strdup(j, a);
        else if (jr_is(j, "also_true"))
            read_also_true(j, t, a);
        else if (jr_is(j, "suggestions"))
            read_texts(j, &t->suggestions, a);
        else if (jr_is(j, "share_pct"))
            t->share_pct = jr_num(j, NAN);
        else
            jr_skip(j);
    }
}

static bool read_truth(struct eval_truth *t, const char *path, struct arena *a,
                       struct gs_error *err)
{
    const struct mapping *m = fs_read_in(a, path, TRUTH_MAX, err);
    struct jread j;
    if (!m)
        return false;
    *t = (struct eval_truth){.share_pct = NAN, .file = arena_strdup(a, path)};
    jr_memory(&j, (const char *)m->data, m->size);
    read_members(&j, t, a);
    bool ok = jr_end(&j, err);
    jr_release(&j);
    if (!ok)
        return wrap(err, "cannot read '%s'", path);
    if (!t->expected)
        return fail(err, GS_E_FORMAT, "no 'expected_bottleneck' in '%s'", path);
    t->planted = eval_bottleneck_find(t->expected);
    if (!t->planted && !str_eq(t->expected, "none"))
        return fail(err, GS_E_FORMAT,
                    "unknown bottleneck '%s' in '%s'; docs/evaluate.md lists them", t->expected,
                    path);
    if (!t->scenario)
        t->scenario = t->expected;
    return true;
}

/* ---- which files ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool entries(struct fs_list *out, const char *dir, struct arena *a, struct gs_error *err)
{
    DIR *d = opendir(dir);
    if (!d)
        return fail(err, GS_E_IO, "cannot open '%s': %s", dir, strerror(errno));
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        if (*e->d_name != '.')
            vec_push(out, a, arena_strdup(a, e->d_name));
    closedir(d);
    if (out->n)
        qsort(out->v, out->n, sizeof(*out->v), by_name);
    return true;
}

static bool is_trace_name(const char *name)
{
    static const char *const ends[] = {".db",     ".sqlite", ".sqlite3", ".rpd",
                                       ".rpd.gz", ".json",   ".json.gz", ".json.zst"};
    if (str_ends(name, TRUTH_END) || str_ends(name, ".hypotheses.json"))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(name, ends[i]))
            return true;
    return false;
}

static int64_t rank_in(const char *name, size_t stem)
{
    return name[stem] == '.' && isdigit((unsigned char)name[stem + 1])
               ? strtoll(name + stem + 1, NULL, 10)
               : -1;
}

/* STEM.db, STEM.0.db STEM.1.db ... in the order of ranks, or the folder STEM. */
static void find_traces(struct eval_truth *t, const struct fs_list *all, const char *dir,
                        const char *stem, const char *truth, struct arena *a)
{
    size_t n = strlen(stem);
    int64_t last = -2;
    for (;;) { /* by rank: few files, so each is looked for */
        const char *next = NULL;
        int64_t next_rank = INT64_MAX;
        for (size_t i = 0; i < all->n; i++) {
            const char *name = all->v[i];
            if (strncmp(name, stem, n) != 0 || name[n] != '.' || str_eq(name, truth) ||
                !is_trace_name(name))
                continue;
            int64_t rank = rank_in(name, n);
            if (rank > last && rank < next_rank)
                next = name, next_rank = rank;
        }
        if (!next)
            break;
        vec_push(&t->paths, a, arena_printf(a, "%s/%s", dir, next));
        last = next_rank;
        if (next_rank < 0)
            break; /* one file for all */
    }
    const char *folder = arena_printf(a, "%s/%s", dir, stem);
    if (!t->paths.n && fs_is_dir(folder))
        vec_push(&t->paths, a, folder);
}

/* "test_07.json" of PerfAdvisor */
static bool is_test(const char *name)
{
    if (!str_starts(name, "test_"))
        return false;
    const char *p = name + 5;
    while (isdigit((unsigned char)*p))
        p++;
    return p > name + 5 && str_eq(p, ".json");
}

static bool look_in(struct evaluation *e, const char *dir, const char *prefix, struct gs_error *err)
{
    struct fs_list all = {0};
    struct arena *a = e->arena;
    if (!entries(&all, dir, a, err))
        return false;
    for (size_t i = 0; i < all.n; i++) {
        const char *name = all.v[i];
        bool ours = str_ends(name, TRUTH_END);
        if (!ours && !is_test(name))
            continue;
        size_t n = strlen(name) - strlen(ours ? TRUTH_END : ".json");
        struct eval_truth t;
        if (!read_truth(&t, arena_printf(a, "%s/%s", dir, name), a, err))
            return false;
        const char *stem = arena_strndup(a, name, n);
        find_traces(&t, &all, dir, stem, name, a);
        t.run_id = arena_printf(a, "%s%s", prefix, stem);
        if (t.paths.n)
            vec_push(&e->truths, a, t);
    }
    return true;
}

static void give(struct evaluation *e, const char *key, const struct eval_truth *known)
{
    for (size_t i = 0; i < e->truths.n; i++) {
        struct eval_truth *t = &e->truths.v[i];
        if (!str_eq(t->expected, key) && !str_eq(t->scenario, key))
            continue;
        if (!t->also_true.n)
            t->also_true = known->also_true;
        if (!t->suggestions.n)
            t->suggestions = known->suggestions;
    }
}

/* {"kernel_launch_overhead": {...}}, with or without an object around it */
static void read_entries(struct evaluation *e, struct jread *j, bool inner)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        struct eval_truth t = {.share_pct = NAN};
        if (!inner && (jr_is(j, "scenarios") || jr_is(j, "bottlenecks"))) {
            read_entries(e, j, true);
            continue;
        }
        const char *key = arena_strndup(e->arena, j->text, j->text_len);
        read_members(j, &t, e->arena);
        give(e, key, &t);
    }
}

/* What PerfAdvisor keeps apart: for each bottleneck or scenario, what else is true, and advice. */
static bool read_meta(struct evaluation *e, const char *path, struct gs_error *err)
{
    const struct mapping *m = fs_read_in(e->arena, path, TRUTH_MAX, err);
    struct jread j;
    if (!m)
        return false;
    jr_memory(&j, (const char *)m->data, m->size);
    read_entries(e, &j, false);
    bool ok = jr_end(&j, err);
    jr_release(&j);
    return ok || wrap(err, "cannot read '%s'", path);
}

bool evaluation_find(struct evaluation *e, const char *dir, const char *truth_dir,
                     struct gs_error *err)
{
    struct fs_list all = {0};
    struct arena *a = e->arena;
    e->folder = dir;
    if (!entries(&all, dir, a, err) || !look_in(e, dir, "", err))
        return false;
    for (size_t i = 0; i < all.n; i++) {
        const char *sub = arena_printf(a, "%s/%s", dir, all.v[i]);
        if (fs_is_dir(sub) && !look_in(e, sub, arena_printf(a, "%s/", all.v[i]), err))
            return false;
    }
    const char *places[] = {truth_dir, dir, arena_printf(a, "%s/..", dir)};
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        const char *meta =
            places[i] ? arena_printf(a, "%s/ground_truth_meta.json", places[i]) : NULL;
        if (meta && fs_is_file(meta)) {
            e->truth_folder = places[i];
            return read_meta(e, meta, err);
        }
    }
    e->truth_folder = dir;
    return true;
}
