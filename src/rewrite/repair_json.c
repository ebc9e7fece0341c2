#include "rewrite/repair_in.h"

#include <string.h>

#include "base/fs_out.h"
#include "base/input.h"

enum { BLOCK = 1 << 20, DEEPEST = 1024 };

/* Where the text is sound up to, and what is open there. */
struct walker {
    bool in_string, escaped;
    int depth;
    char open[DEEPEST];
    uint64_t at;       /* bytes so far */
    uint64_t good;     /* up to here whole elements */
    int good_depth;    /* open there */
    bool done, broken; /* the document is over; it was no JSON */
};

static void whole_until(struct walker *w, uint64_t at)
{
    w->good = at;
    w->good_depth = w->depth;
}

static void take_structure(struct walker *w, char c)
{
    if (c == '{' || c == '[') {
        if (w->depth == DEEPEST)
            w->broken = true;
        else
            w->open[w->depth++] = c;
        whole_until(w, w->at + 1); /* an empty container is whole */
    } else if (c == '}' || c == ']') {
        if (!w->depth || w->open[--w->depth] != (c == '}' ? '{' : '['))
            w->broken = true;
        whole_until(w, w->at + 1);
        w->done = !w->depth;
    } else if (c == ',') {
        whole_until(w, w->at); /* what stands before it is whole */
    }
}

static void walk(struct walker *w, const char *data, size_t n)
{
    for (size_t i = 0; i < n && !w->broken; i++, w->at++) {
        char c = data[i];
        if (w->in_string) {
            if (w->escaped)
                w->escaped = false;
            else if (c == '\\')
                w->escaped = true;
            else if (c == '"')
                w->in_string = false;
        } else if (c == '"') {
            w->in_string = true;
        } else if (strchr("{}[],", c) && c) {
            take_structure(w, c);
        }
        if (w->done) {
            w->at++;
            return;
        }
    }
}

/* A comma counts only where a whole member or item stands before it: "{ "a": 1," is cut to 1. */
static bool read_all(struct walker *w, struct input *in)
{
    char *block = arena_alloc(arena_scratch(), BLOCK);
    for (ptrdiff_t n; !w->done && !w->broken && (n = input_read(in, block, BLOCK)) > 0;)
        walk(w, block, (size_t)n);
    return !w->broken;
}

static bool copy(struct input *in, struct fs_out *out, uint64_t n, const struct walker *w)
{
    char *block = arena_alloc(arena_scratch(), BLOCK);
    for (ptrdiff_t got; n && (got = input_read(in, block, n < BLOCK ? (size_t)n : BLOCK)) > 0;
         n -= (uint64_t)got)
        fwrite(block, 1, (size_t)got, out->file);
    for (int i = w->good_depth; i > 0; i--)
        fputc(w->open[i - 1] == '{' ? '}' : ']', out->file);
    fputc('\n', out->file);
    return !n;
}

bool repair_json(struct repaired *r, const char *path, const char *out, struct fs_set *set,
                 struct arena *arena, struct gs_error *err)
{
    struct walker w = {0};
    struct input *in = input_new(arena, path, err);
    if (!in)
        return false;
    if (!read_all(&w, in) || !w.good)
        return fail(err, GS_E_FORMAT, "nothing to save in '%s': it is no JSON of a trace", path);
    uint64_t end = w.at;
    r->whole = w.done;
    r->bytes_kept = w.good;
    r->bytes_lost = end - w.good;
    struct input *again = input_new(arena, path, err);
    struct fs_out *to = again ? fs_set_open(set, out, err) : NULL;
    if (!to)
        return false;
    if (!copy(again, to, w.good, &w))
        return fail(err, GS_E_IO, "'%s' changed while it was read", path);
    return fs_set_done(set, to, err);
}
