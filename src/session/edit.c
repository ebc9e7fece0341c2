/*
 * Edits as text: unified diffs and SEARCH/REPLACE blocks, applied in memory.
 *
 * Both must fit exactly. A hunk of a diff may have moved; then the nearest place is taken. A SEARCH
 * text must stand in the file once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/str.h"
#include "session/tree.h"

struct text {
    const char *at;
    size_t n;
};

struct lines {
    struct text *v;
    size_t n, cap;
};

/* Each with its line end, so that nothing is changed by the way. */
static void split_lines(struct lines *out, const char *p, size_t n, struct arena *a)
{
    while (n) {
        const char *end = memchr(p, '\n', n);
        size_t len = end ? (size_t)(end - p) + 1 : n;
        vec_push(out, a, ((struct text){p, len}));
        p += len;
        n -= len;
    }
}

static bool starts(struct text t, const char *with)
{
    size_t n = strlen(with);
    return t.n >= n && memcmp(t.at, with, n) == 0;
}

static const char *trimmed(struct arena *a, const char *p, size_t n)
{
    while (n && (p[n - 1] == '\n' || p[n - 1] == '\r' || p[n - 1] == ' ' || p[n - 1] == '\t'))
        n--;
    for (; n && (*p == ' ' || *p == '\t'); p++)
        n--;
    return arena_strndup(a, p, n);
}

static bool is_edit_line(struct text t)
{
    return starts(t, "--- ") || starts(t, "diff ") || starts(t, "<<<<<<< SEARCH");
}

void edit_head(struct edit *e, const char *text, size_t n, struct arena *a)
{
    struct lines lines = {0};
    uint8_t sum[SHA256_BYTES];
    char *key = arena_alloc(a, OBJECT_NAME);
    sha256(sum, text, n);
    sha256_hex(key, sum);
    *e = (struct edit){.key = key};
    split_lines(&lines, text, n, a);
    for (size_t i = 0; i < lines.n && !is_edit_line(lines.v[i]); i++) {
        const struct text t = lines.v[i];
        if (starts(t, "Finding: "))
            e->finding = trimmed(a, t.at + strlen("Finding: "), t.n - strlen("Finding: "));
        else if (starts(t, "Summary: "))
            e->summary = trimmed(a, t.at + strlen("Summary: "), t.n - strlen("Summary: "));
    }
}

/* The file as the edit has it so far, or as it is on the disk. */
static struct edit_file *file_of(struct edit *e, struct session *s, const char *path,
                                 struct gs_error *err)
{
    for (size_t i = 0; i < e->files.n; i++)
        if (str_eq(e->files.v[i].path, path))
            return &e->files.v[i];
    struct gs_error none = {0};
    const struct mapping *m = tree_content(s, path, &none);
    if (none.code) {
        *err = none;
        return NULL;
    }
    vec_push(&e->files, s->arena,
             ((struct edit_file){
                 .path = path, .text = m ? (const char *)m->data : NULL, .n = m ? m->size : 0}));
    return &e->files.v[e->files.n - 1];
}

/* ---- SEARCH/REPLACE ---- */

static const char *find_text(const char *in, size_t n, const char *what, size_t len)
{
    for (size_t i = 0; len && i + len <= n; i++)
        if (memcmp(in + i, what, len) == 0)
            return in + i;
    return NULL;
}

static bool replace(struct edit_file *f, struct text search, struct text by, struct arena *a,
                    struct gs_error *err)
{
    struct str out;
    if (!search.n && f->text)
        return fail(err, GS_E_FORMAT, "an empty SEARCH makes a file, and '%s' is there", f->path);
    const char *at = search.n ? find_text(f->text, f->n, search.at, search.n) : f->text;
    if (search.n && !at)
        return fail(err, GS_E_FORMAT, "the SEARCH text does not stand in '%s'", f->path);
    size_t before = at ? (size_t)(at - f->text) : 0, behind = before + search.n;
    if (search.n && find_text(f->text + before + 1, f->n - before - 1, search.at, search.n))
        return fail(err, GS_E_FORMAT, "the SEARCH text stands in '%s' more than once", f->path);
    str_init(&out, a);
    str_put(&out, f->text ? f->text : "", before);
    str_put(&out, by.at, by.n);
    if (f->text)
        str_put(&out, f->text + behind, f->n - behind);
    f->text = out.buf;
    f->n = out.len;
    return true;
}

/* The lines from *i up to the one that begins with `end`, which is left behind. */
static bool take_until(const struct lines *l, size_t *i, const char *end, struct text *out)
{
    *out = (struct text){*i < l->n ? l->v[*i].at : "", 0};
    for (; *i < l->n; ++*i) {
        if (starts(l->v[*i], end)) {
            ++*i;
            return true;
        }
        out->n += l->v[*i].n;
    }
    return false;
}

/* The line above the block names its file: "src/a.c", "File: src/a.c", "### src/a.c:". */
static const char *path_above(const struct lines *l, size_t i, struct arena *a)
{
    while (i > 0) {
        char *t = arena_strdup(a, trimmed(a, l->v[i - 1].at, l->v[i - 1].n));
        i--;
        if (!*t || str_starts(t, "```"))
            continue;
        t += strspn(t, "#*` ");
        if (str_starts(t, "File: ") || str_starts(t, "file: "))
            t += strlen("File: ");
        for (size_t n = strlen(t); n && strchr(":`* ", t[n - 1]);)
            t[--n] = 0;
        return t;
    }
    return "";
}

static bool read_blocks(struct edit *e, struct session *s, const struct lines *l,
                        struct gs_error *err)
{
    const char *path = NULL;
    for (size_t i = 0; i < l->n;) {
        struct text search, by;
        if (!starts(l->v[i], "<<<<<<< SEARCH")) {
            i++;
            continue;
        }
        if (!(i > 0 && starts(l->v[i - 1], ">>>>>>> REPLACE") && path))
            path = path_above(l, i, s->arena);
        i++;
        if (!take_until(l, &i, "=======", &search) || !take_until(l, &i, ">>>>>>> REPLACE", &by))
            return fail(err, GS_E_FORMAT, "a SEARCH/REPLACE block does not end");
        struct edit_file *f = file_of(e, s, path, err);
        if (!f || !replace(f, search, by, s->arena, err))
            return false;
    }
    return true;
}

/* ---- unified diffs ---- */

struct hunk {
    size_t line; /* of the old file, from 1 */
    struct lines before, after;
};

static bool same_lines(const struct lines *in, size_t at, const struct lines *what)
{
    if (at + what->n > in->n)
        return false;
    for (size_t i = 0; i < what->n; i++)
        if (in->v[at + i].n != what->v[i].n ||
            memcmp(in->v[at + i].at, what->v[i].at, what->v[i].n) != 0)
            return false;
    return true;
}

/* The place nearest to where the hunk says; SIZE_MAX: it fits nowhere. */
static size_t place_of(const struct lines *in, const struct hunk *h, size_t least)
{
    size_t best = SIZE_MAX, want = h->line ? h->line - 1 : 0, distance = SIZE_MAX;
    for (size_t i = least; i <= in->n; i++) {
        size_t d = i > want ? i - want : want - i;
        if (d < distance && same_lines(in, i, &h->before)) {
            best = i;
            distance = d;
        }
    }
    return best;
}

static void cut_line_end(struct lines *l)
{
    if (l->n && l->v[l->n - 1].n && l->v[l->n - 1].at[l->v[l->n - 1].n - 1] == '\n')
        l->v[l->n - 1].n--;
}

static bool read_hunk(struct hunk *h, const struct lines *l, size_t *i, struct arena *a)
{
    unsigned long line = 0, old = 1, new = 1;
    char *p = arena_strndup(a, l->v[*i].at, l->v[*i].n), *end;
    *h = (struct hunk){0};
    line = strtoul(p + strlen("@@ -"), &end, 10);
    if (*end == ',')
        old = strtoul(end + 1, &end, 10);
    char *plus = strchr(end, '+');
    if (!plus)
        return false;
    (void)strtoul(plus + 1, &end, 10);
    if (*end == ',')
        new = strtoul(end + 1, &end, 10);
    h->line = line + (old == 0);
    for (++*i; *i < l->n && (old || new || l->v[*i].at[0] == '\\'); ++*i) {
        struct text t = l->v[*i], rest = {t.at + 1, t.n - 1};
        char mark = t.at[0] == '\n' ? ' ' : t.at[0];
        if (t.at[0] == '\n')
            rest = t;
        if (mark == '\\') {
            char last = l->v[*i - 1].at[0];
            if (last != '+')
                cut_line_end(&h->before);
            if (last != '-')
                cut_line_end(&h->after);
            continue;
        }
        if (!strchr(" +-", mark))
            return false;
        if (mark != '+' && old-- > 0)
            vec_push(&h->before, a, rest);
        if (mark != '-' && new -- > 0)
            vec_push(&h->after, a, rest);
    }
    return !old && !new;
}

static const char *diff_path(struct text line, struct arena *a)
{
    char *t = arena_strdup(a, trimmed(a, line.at + 4, line.n - 4));
    t[strcspn(t, "\t")] = 0;
    return str_starts(t, "a/") || str_starts(t, "b/") ? t + 2 : t;
}

static bool patch_file(struct edit_file *f, const struct lines *l, size_t *i, struct arena *a,
                       struct gs_error *err)
{
    struct lines old = {0};
    struct str out;
    size_t done = 0;
    split_lines(&old, f->text ? f->text : "", f->n, a);
    str_init(&out, a);
    while (*i < l->n && starts(l->v[*i], "@@ -")) {
        struct hunk h;
        size_t first = *i;
        if (!read_hunk(&h, l, i, a))
            return fail(err, GS_E_FORMAT, "the diff of '%s' is damaged at its line %zu", f->path,
                        first + 1);
        size_t at = place_of(&old, &h, done);
        if (at == SIZE_MAX)
            return fail(err, GS_E_FORMAT, "a hunk does not fit '%s' (line %zu)", f->path, h.line);
        for (; done < at; done++)
            str_put(&out, old.v[done].at, old.v[done].n);
        for (size_t k = 0; k < h.after.n; k++)
            str_put(&out, h.after.v[k].at, h.after.v[k].n);
        done += h.before.n;
    }
    for (; done < old.n; done++)
        str_put(&out, old.v[done].at, old.v[done].n);
    f->text = out.buf;
    f->n = out.len;
    return true;
}

static bool read_diff(struct edit *e, struct session *s, const struct lines *l,
                      struct gs_error *err)
{
    for (size_t i = 0; i + 1 < l->n;) {
        if (!starts(l->v[i], "--- ") || !starts(l->v[i + 1], "+++ ")) {
            i++;
            continue;
        }
        const char *from = diff_path(l->v[i], s->arena), *to = diff_path(l->v[i + 1], s->arena);
        bool gone = str_eq(to, "/dev/null");
        struct edit_file *f = file_of(e, s, gone ? from : to, err);
        i += 2;
        if (!f || !patch_file(f, l, &i, s->arena, err))
            return false;
        f->gone = gone;
    }
    return true;
}

bool edit_read(struct edit *e, struct session *s, const char *text, size_t n, struct gs_error *err)
{
    struct lines lines = {0};
    edit_head(e, text, n, s->arena);
    split_lines(&lines, text, n, s->arena);
    bool blocks = false;
    for (size_t i = 0; i < lines.n && !blocks; i++)
        blocks = starts(lines.v[i], "<<<<<<< SEARCH");
    if (!(blocks ? read_blocks(e, s, &lines, err) : read_diff(e, s, &lines, err)))
        return false;
    return e->files.n || fail(err, GS_E_FORMAT,
                              "no edit: neither a unified diff nor "
                              "SEARCH/REPLACE blocks");
}

/* ---- for people ---- */

static void put_lines(struct str *out, char mark, const struct lines *l, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        str_putc(out, mark);
        str_put(out, l->v[i].at, l->v[i].n);
        if (l->v[i].at[l->v[i].n - 1] != '\n')
            str_putc(out, '\n');
    }
}

/* One hunk from the first line that differs to the last, three lines around it. */
void edit_diff(struct str *out, struct session *s, const struct edit *e)
{
    enum { AROUND = 3 };
    for (size_t i = 0; i < e->files.n; i++) {
        struct lines a = {0}, b = {0};
        struct gs_error none = {0};
        const struct edit_file *f = &e->files.v[i];
        const struct mapping *m = tree_content(s, f->path, &none);
        split_lines(&a, m ? (const char *)m->data : "", m ? m->size : 0, s->arena);
        split_lines(&b, f->gone ? "" : f->text, f->gone ? 0 : f->n, s->arena);
        size_t head = 0, tail = 0;
        while (head < a.n && head < b.n && a.v[head].n == b.v[head].n &&
               !memcmp(a.v[head].at, b.v[head].at, a.v[head].n))
            head++;
        while (tail < a.n - head && tail < b.n - head &&
               a.v[a.n - 1 - tail].n == b.v[b.n - 1 - tail].n &&
               !memcmp(a.v[a.n - 1 - tail].at, b.v[b.n - 1 - tail].at, a.v[a.n - 1 - tail].n))
            tail++;
        size_t first = head > AROUND ? head - AROUND : 0, more = tail > AROUND ? AROUND : tail;
        str_printf(out, "--- a/%s\n+++ b/%s\n@@ -%zu,%zu +%zu,%zu @@\n", f->path, f->path,
                   first + 1, a.n - tail + more - first, first + 1, b.n - tail + more - first);
        put_lines(out, ' ', &a, first, head);
        put_lines(out, '-', &a, head, a.n - tail);
        put_lines(out, '+', &b, head, b.n - tail);
        put_lines(out, ' ', &a, a.n - tail, a.n - tail + more);
    }
}
