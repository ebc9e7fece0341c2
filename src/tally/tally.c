#include <assert.h>
#include <string.h>

#include "base/fs.h"
#include "base/inputs.h"
#include "base/str.h"
#include "ingest/detect.h"
#include "tally/tally_in.h"

/* A file may hold so many rows: more is no profile that anyone reads. */
enum { MOST_ROWS = 50 * 1000 * 1000 };

static const struct tally_kind *const kinds[] = {&tally_profile_text, &tally_profile_json,
                                                 &tally_statistics_csv, &tally_compute_db};

const struct tally_kind *tally_kind_of(const char *path, struct sightings *seen)
{
    struct arena *temporary = arena_scratch();
    struct probe p;
    struct sighting s = {0};
    size_t mark = inputs_mark();
    const struct tally_kind *found = NULL;
    if (fs_is_file(path))
        detect_look_at(&s, seen, &p, path, temporary);
    for (size_t i = 0; s.readable && !found && i < ARRAY_LEN(kinds); i++)
        if (kinds[i]->detect(&p))
            found = kinds[i];
    arena_release(temporary);
    if (!found && !s.format)
        inputs_forget(mark);
    return found;
}

static size_t rows_of(const struct tally *t)
{
    return t->lines.n + t->statistics.n + t->workloads.n + t->kernels.n + t->metrics.n +
           t->dispatches.n + t->roofs.n;
}

/*
 * Kilobytes must not become gigabytes: a column may be there hundreds of times, and a name belong to
 * every row. Lines of profilers take a hundred bytes and more, packed some less.
 */
static void set_limits(struct tally *t, const char *path)
{
    enum { BYTES_A_LINE = 16, LINES_A_PACKED_BYTE = 4, FEW_LINES = 10000 };
    enum { TEXT_RATIO = 64, TEXT_ALWAYS = 64 << 20 };
    uint64_t size = fs_size(path) < 0 ? 0 : (uint64_t)fs_size(path);
    bool packed = str_ends(path, ".gz") || str_ends(path, ".zst");
    size = size < UINT64_MAX / TEXT_RATIO ? size : UINT64_MAX / TEXT_RATIO;
    uint64_t lines = packed ? size * LINES_A_PACKED_BYTE : size / BYTES_A_LINE;
    t->most_lines = t->lines.n + (size_t)(lines < FEW_LINES ? FEW_LINES : lines);
    t->text_left = size * TEXT_RATIO;
    t->text_left = t->text_left < TEXT_ALWAYS ? TEXT_ALWAYS : t->text_left;
}

bool tally_add(struct tally *t, const char *path, const struct tally_kind *k, struct gs_error *err)
{
    size_t before = rows_of(t);
    set_limits(t, path);
    if (!k->read(t, arena_strdup(t->arena, path), err))
        return wrap(err, "cannot read '%s'", path);
    if (t->too_large)
        return fail(err, GS_E_FORMAT,
                    "'%s' makes more rows and texts than fit to its size: no profiler writes that",
                    path);
    assert(rows_of(t) >= before); /* tables only grow */
    size_t rows = rows_of(t) - before;
    if (!rows)
        return fail(err, GS_E_EMPTY, "'%s' is %s without rows", path, k->what);
    if (rows > MOST_ROWS)
        return fail(err, GS_E_FORMAT, "'%s' holds more rows than a table may have", path);
    vec_push(&t->files, t->arena,
             ((struct tally_file){arena_strdup(t->arena, path), k->what, rows}));
    return true;
}

bool tally_text(struct tally *t, size_t bytes)
{
    t->too_large |= bytes > t->text_left;
    t->text_left -= t->too_large ? t->text_left : bytes;
    return !t->too_large;
}

/* ---- lines of trees ---- */

static const char *number(const char *p, const char *end, int64_t *out)
{
    int64_t v = 0;
    const char *start = p;
    while (p < end && *p >= '0' && *p <= '9' && p - start < 9)
        v = v * 10 + (*p++ - '0');
    *out = p > start ? v : -1;
    return p;
}

const char *tally_label(const char *text, size_t n, struct tally_line *line, int64_t *indent,
                        struct arena *a)
{
    const char *p = text, *end = text + n;
    int64_t first = -1, second = -1;
    *indent = -1;
    line->rank = line->thread = -1;
    while (p < end && *p == ' ')
        p++;
    const char *body = p;
    if (p < end && *p == '|') {
        p = number(p + 1, end, &first);
        if (p < end && *p == '|')
            p = number(p + 1, end, &second);
    }
    if (end - p >= 3 && !memcmp(p, ">>>", 3)) {
        line->thread = second >= 0 ? second : first;
        line->rank = second >= 0 ? first : -1;
        body = p + 3 + (p + 3 < end && p[3] == ' ');
    }
    p = body;
    while (p < end && *p == ' ')
        p++;
    if (end - p >= 2 && !memcmp(p, "|_", 2)) {
        *indent = (p - body) / 2 + 1;
        p += 2;
    }
    while (end > p && (end[-1] == ' ' || end[-1] == '\r'))
        end--;
    return arena_strndup(a, p, (size_t)(end - p));
}

void tally_root(struct tally *t)
{
    t->above.n = 0;
}

void tally_push(struct tally *t, struct tally_line *line, size_t value)
{
    enum { DEEPEST = 4096 };
    t->too_large |= t->lines.n >= t->most_lines;
    if (t->too_large)
        return;
    size_t depth = line->depth < 0 ? 0 : line->depth > DEEPEST ? DEEPEST : (size_t)line->depth;
    line->line = (int64_t)t->lines.n + 1;
    if (!value) {
        t->above.n = t->above.n < depth ? t->above.n : depth;
        while (t->above.n < depth)
            vec_push(&t->above, t->arena, -1);
        vec_push(&t->above, t->arena, line->line);
    }
    assert(t->above.n >= depth); /* a further value has the lines above of the first */
    line->parent = -1;
    for (size_t i = depth; i-- > 0 && line->parent < 0;)
        line->parent = t->above.v[i] < 0 ? -1 : t->above.v[i] + (int64_t)value;
    vec_push(&t->lines, t->arena, *line);
}
