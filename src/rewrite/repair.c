#include "rewrite/repair.h"

#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/input.h"
#include "convert/rocpd_writer.h"
#include "rewrite/merge.h"
#include "rewrite/repair_in.h"

static bool is_database(const char *path, struct arena *a, bool *is, struct gs_error *err)
{
    char head[16];
    size_t n = 0;
    struct input *in = input_new(a, path, err);
    if (!in)
        return false;
    if (!input_peek(in, head, sizeof(head), &n) && !n)
        return input_error(in, err);
    *is = n == sizeof(head) && memcmp(head, "SQLite format 3", sizeof(head)) == 0;
    return true;
}

/* A log or journal that a writer has left: the rows in it are only seen through SQLite. */
static bool has_log(const char *path, struct arena *a)
{
    for (size_t i = 1; i < FS_DB_ROWS; i++)
        if (fs_size(fs_db_file(path, i, a)) > 0)
            return true;
    return false;
}

/* All sets of tables through the reader that applies logs; false when that cannot read it. */
static bool copy_with_log(struct repaired *r, const char *path, const char *out, struct fs_set *set,
                          struct arena *arena)
{
    struct merged m = {0};
    struct opt_list paths = {0};
    struct gs_error why;
    vec_push(&paths, arena, path);
    if (!rocpd_merge(&m, &(struct merge_opts){.paths = &paths, .out = out}, set, arena, &why))
        return false;
    r->log = true;
    r->rows = m.rows;
    r->tables = m.sets;
    for (size_t i = 0; i < m.notes.n; i++)
        vec_push(&r->notes, arena, m.notes.v[i]);
    return true;
}

bool repair_file(struct repaired *r, const char *path, const char *out, struct fs_set *set,
                 struct arena *arena, struct gs_error *err)
{
    bool database = false;
    if (!is_database(path, arena, &database, err))
        return false;
    if (!database)
        return repair_json(r, path, out, set, arena, err);
    if (has_log(path, arena)) {
        if (copy_with_log(r, path, out, set, arena))
            return true;
        fs_set_abandon(set);
        fs_set_init(set, arena);
        vec_push(&r->notes, arena,
                 "the log beside it cannot be applied: what is only there is lost");
    }
    return repair_database(r, path, out, set, arena, err);
}
