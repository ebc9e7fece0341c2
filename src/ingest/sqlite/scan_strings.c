#include <string.h>

#include "ingest/sqlite/scan.h"

struct string_rows {
    struct arena *arena;
    size_t n;
    int64_t *ids;
    struct slice *texts; /* copies, since the sqlite way gives them back at once */
};

static void begin(void *ctx, size_t rows)
{
    struct string_rows *all = ctx;
    all->n = rows;
    all->ids = arena_array(all->arena, int64_t, rows);
    all->texts = arena_array(all->arena, struct slice, rows);
}

static void take(void *ctx, const struct scan_batch *b)
{
    struct string_rows *all = ctx;
    memcpy(all->ids + b->first, b->col[0], b->n * sizeof(int64_t));
    for (size_t i = 0; i < b->n; i++) {
        struct slice s = batch_texts(b, 1)[i];
        all->texts[b->first + i] =
            (struct slice){s.n ? arena_strndup(all->arena, s.p, s.n) : "", s.n};
    }
}

bool scan_strings(struct db *db, const char *table, struct strings *to, struct idtable *ids,
                  struct gs_error *err)
{
    static const struct scan_col cols[] = {{"id", SCAN_INT, false, 0},
                                           {"string", SCAN_TEXT, false, 0}};
    struct arena *temporary = arena_scratch();
    struct string_rows all = {.arena = temporary};
    struct scan scan = {table, cols, ARRAY_LEN(cols), begin, take, &all, NULL};
    int threads = db->threads;
    db->threads = 1; /* the batches share one arena */
    bool ok = scan_table(db, &scan, err);
    db->threads = threads;
    for (size_t i = 0; ok && i < all.n; i++)
        idtable_put(ids, all.ids[i], strings_addn(to, all.texts[i].p, all.texts[i].n));
    idtable_seal(ids);
    arena_release(temporary);
    return ok;
}
