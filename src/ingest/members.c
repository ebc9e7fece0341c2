#include "base/fs.h"
#include "ingest/ingest.h"

void ingest_members(struct ingest_members *out, const char *path, const struct format *f,
                    struct arena *a)
{
    struct fs_list parts = {0};
    if (f->parts)
        f->parts(&parts, path, a);
    for (size_t i = 0; i < parts.n; i++)
        vec_push(&out->v, a, ((struct ingest_member){parts.v[i], parts.v[i]}));
    for (size_t i = 0; !f->parts && i < FS_DB_ROWS; i++)
        vec_push(&out->v, a,
                 ((struct ingest_member){fs_db_file(path, i, a),
                                         arena_printf(a, "%s%s", path, fs_db_ends[i])}));
}
