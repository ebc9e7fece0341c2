/*
 * The few forms of YAML that AMD's tool writes:
 *
 *     rocprofiler-sdk:
 *       rocpd:
 *         rocpd_package_version: "1.0"
 *         path: "."
 *         files: [a.db, "b.db"]
 *
 * or with the files one a line, each behind a dash.
 */
#include "ingest/index.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/inputs.h"
#include "base/str.h"
#include "base/vec.h"

enum { LONGEST = 1 << 20, MOST = 100000 };

/* All of a small file; NULL: larger, or it cannot be read. */
static char *slurp(const char *path, size_t most, struct arena *a)
{
    struct gs_error ignored;
    struct mapping m;
    if (!fs_is_file(path) || fs_size(path) > (int64_t)most || !fs_read(&m, path, most, &ignored))
        return NULL;
    char *text = arena_strndup(a, (const char *)m.data, m.size);
    unmap_file(&m);
    return strlen(text) == 0 ? NULL : text;
}

bool index_is(const char *path)
{
    struct arena *a = arena_scratch();
    size_t mark = inputs_mark();
    bool named = str_ends(path, ".yaml") || str_ends(path, ".yml");
    char *text = named ? slurp(path, LONGEST, a) : NULL;
    bool ours = text && strstr(text, "rocprofiler-sdk:") && strstr(text, "files:");
    if (!ours)
        inputs_forget(mark);
    arena_release(a);
    return ours;
}

/* A value without blanks and quotes around it. */
static char *word(const char *s, size_t n, struct arena *a)
{
    while (n && isspace((unsigned char)*s))
        s++, n--;
    while (n && isspace((unsigned char)s[n - 1]))
        n--;
    if (n >= 2 && (*s == '"' || *s == '\'') && s[n - 1] == *s)
        s++, n -= 2;
    return arena_strndup(a, s, n);
}

static void add(struct fs_list *out, const char *dir, const char *name, struct arena *a)
{
    if (*name && out->n < MOST)
        vec_push(out, a, *name == '/' ? arena_strdup(a, name) : arena_printf(a, "%s%s", dir, name));
}

/* "[a.db, b.db]" */
static void add_inline(struct fs_list *out, const char *dir, const char *s, size_t n,
                       struct arena *a)
{
    const char *end = s + n, *open = memchr(s, '[', n);
    const char *close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
    for (const char *p = open ? open + 1 : end; close && p < close;) {
        const char *comma = memchr(p, ',', (size_t)(close - p));
        comma = comma ? comma : close;
        add(out, dir, word(p, (size_t)(comma - p), a), a);
        p = comma + 1;
    }
}

static const char *value_of(const char *line, size_t n, const char *key, size_t *left)
{
    while (n && isspace((unsigned char)*line))
        line++, n--;
    size_t k = strlen(key);
    if (n < k || memcmp(line, key, k))
        return NULL;
    *left = n - k;
    return line + k;
}

bool index_read(struct fs_list *out, const char *path, struct arena *a, struct gs_error *err)
{
    char *text = slurp(path, LONGEST, a);
    const char *base = fs_basename(path), *dir = arena_strndup(a, path, (size_t)(base - path));
    bool in_files = false;
    for (const char *p = text; p && *p;) {
        size_t n = strcspn(p, "\n"), left;
        const char *v, *dash = p + strspn(p, " ");
        if ((v = value_of(p, n, "path:", &left))) {
            char *sub = word(v, left, a);
            if (*sub && !str_eq(sub, "."))
                dir =
                    *sub == '/' ? arena_printf(a, "%s/", sub) : arena_printf(a, "%s%s/", dir, sub);
        } else if ((v = value_of(p, n, "files:", &left))) {
            in_files = true;
            add_inline(out, dir, v, left, a);
        } else if (in_files && dash < p + n && *dash == '-') {
            add(out, dir, word(dash + 1, (size_t)(p + n - dash - 1), a), a);
        } else if (dash < p + n && *dash != '#') {
            in_files = false;
        }
        p += n + (p[n] == '\n');
    }
    return out->n || fail(err, GS_E_EMPTY, "'%s' names no files", path);
}
