/*
 * snapshots.json: which copies of source files lie in the decoded folder, so that an instruction
 * can show its line even where the source is not. A tree of folders with names of copies as
 * leaves, or flat: the keys on the way make the path.
 */
#include <stdlib.h>
#include <string.h>

#include "att/att_in.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"

enum { MOST_FILES = 4096, LARGEST = 16 * 1024 * 1024, LONGEST_LINE = 200, DEEPEST = 64 };

struct copy {
    const char *path, *file; /* of the source; of the copy */
    const char **lines;      /* NULL: not read yet */
    size_t n;
};

struct snapshots {
    VEC(struct copy) copies;
    struct idmap by_path;
};

/* A plain name in the folder: what a file says must not lead out of it. */
static bool is_plain(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/');
}

static void read_tree(struct att *t, const char *dir, struct snapshots *s, const char *path,
                      int depth)
{
    struct jread *j = &t->json;
    if (depth > DEEPEST) {
        jr_skip(j);
        return;
    }
    if (jr_type(j) == J_OBJECT) {
        jr_object(j);
        while (jr_key(j)) {
            const char *key = j->text; /* valid until the next call */
            bool slash = !*path || path[strlen(path) - 1] == '/' || *key == '/';
            const char *below = arena_printf(&t->arena, "%s%s%s", path, slash ? "" : "/", key);
            read_tree(t, dir, s, below, depth + 1);
        }
        return;
    }
    const char *name = jr_str(j, NULL);
    if (!name || !is_plain(name) || s->copies.n >= MOST_FILES)
        return;
    struct copy c = {.path = path, .file = arena_printf(&t->arena, "%s/%s", dir, name)};
    idmap_put(&s->by_path, hash_bytes(path, strlen(path)), (uint32_t)s->copies.n);
    vec_push(&s->copies, &t->arena, c);
}

static void split_lines(struct att *t, struct copy *c)
{
    struct str text;
    char block[4096];
    ptrdiff_t got;
    struct gs_error err;
    VEC(const char *) lines = {0};
    c->lines = arena_array(&t->arena, const char *, 1);
    if (fs_size(c->file) > LARGEST || !input_open_within(&t->input, t->root, c->file, &err))
        return;
    str_init(&text, &t->arena);
    while ((got = input_read(&t->input, block, sizeof(block))) > 0 && text.len < LARGEST)
        str_put(&text, block, (size_t)got);
    input_close(&t->input);
    for (const char *p = text.buf, *end = p + text.len; p < end;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        const char *stop = nl ? nl : end, *first = p;
        while (first < stop && (*first == ' ' || *first == '\t'))
            first++;
        while (stop > first && (stop[-1] == '\r' || stop[-1] == ' '))
            stop--;
        size_t n = (size_t)(stop - first);
        vec_push(&lines, &t->arena,
                 arena_strndup(&t->arena, first, n < LONGEST_LINE ? n : LONGEST_LINE));
        p = nl ? nl + 1 : end;
    }
    c->lines = lines.v ? lines.v : c->lines;
    c->n = lines.n;
}

/* The text of "path:line", or NULL. */
static const char *line_of(struct att *t, struct snapshots *s, const char *source)
{
    const char *colon = strrchr(source, ':');
    if (!colon)
        return NULL;
    unsigned long line = strtoul(colon + 1, NULL, 10);
    size_t n = (size_t)(colon - source);
    uint32_t at = idmap_get(&s->by_path, hash_bytes(source, n));
    if (!line || at == NO_INDEX)
        return NULL;
    struct copy *c = &s->copies.v[at];
    if (strlen(c->path) != n || memcmp(c->path, source, n) != 0)
        return NULL;
    if (!c->lines)
        split_lines(t, c);
    return line <= c->n && *c->lines[line - 1] ? c->lines[line - 1] : NULL;
}

void att_read_snapshots(struct att *t, const char *dir, struct att_rows *rows)
{
    const char *path = arena_printf(&t->arena, "%s/snapshots.json", dir);
    struct snapshots s = {0};
    if (!fs_exists(path) || !att_json_open(t, path))
        return;
    idmap_init(&s.by_path, &t->arena);
    read_tree(t, dir, &s, "", 0);
    att_json_close(t, path);
    for (size_t i = 0; s.copies.n && i < rows->n; i++)
        if (rows->v[i].source)
            rows->v[i].source_text = line_of(t, &s, rows->v[i].source);
}
