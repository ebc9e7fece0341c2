/* An entry is written. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs_out.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/str.h"
#include "cache/entry.h"
#include "cache/sum.h"

/* ---- the columns ---- */

static const char *data_of(const struct entry_column *c)
{
    return *(const char *const *)(const void *)((const char *)c->table + c->desc->offset);
}

struct summing {
    const struct entry_columns *columns;
    uint64_t *sums;
};

static void sum_piece(void *ctx, size_t piece, int worker)
{
    (void)worker;
    struct summing *s = ctx;
    uint64_t from;
    size_t n;
    const struct entry_column *c = entry_piece(s->columns, piece, &from, &n);
    s->sums[piece] = cache_sum(data_of(c) + from, n);
}

static bool write_columns(struct fs_out *out, const struct entry_columns *columns)
{
    static const char zeroes[ENTRY_ALIGN];
    uint64_t at = 0;
    for (size_t i = 0; i < columns->v.n; i++) {
        const struct entry_column *c = &columns->v.v[i];
        if (!fs_write_all(out->stream, zeroes, (size_t)(c->at - at)) ||
            !fs_write_all(out->stream, data_of(c), (size_t)c->bytes))
            return false;
        at = c->at + c->bytes;
    }
    return true;
}

/* ---- the file ---- */

static bool write_all(struct fs_out *out, struct entry_header *h, const struct str *small,
                      const struct entry_columns *columns)
{
    static const char zeroes[ENTRY_PAGE];
    int fd = out->stream;
    size_t gap = (size_t)(h->columns_at - sizeof(*h) - small->len);
    return fchmod(fd, 0600) == 0 && fs_write_all(fd, h, sizeof(*h)) &&
           fs_write_all(fd, small->buf, small->len) && fs_write_all(fd, zeroes, gap) &&
           write_columns(out, columns);
}

/*
 * Without waiting for the disk: should the machine go down, the checksums tell what did not get there.
 */
static bool write_entry(struct cache_of *of, struct entry_header *h, const struct str *small,
                        const struct entry_columns *columns, struct gs_error *err)
{
    struct fs_out out;
    if (!fs_out_is_no_device(of->path, err) || !fs_out_open(&out, of->path, err))
        return false;
    if (write_all(&out, h, small, columns))
        return fs_out_publish(&out, err);
    int saved = errno;
    fs_out_abandon(&out);
    return fail(err, GS_E_IO, "cannot write '%s': %s", of->path, strerror(saved));
}

static bool store(struct trace *t, struct cache_of *of, struct gs_error *err)
{
    struct entry_columns columns;
    struct str small;
    struct pack p;
    size_t removed;
    if (!entry_columns(&columns, t, of->arena))
        return true; /* no trace has so many rows */
    struct summing s = {&columns, arena_array(of->arena, uint64_t, columns.pieces)};
    parallel_for(of->threads, columns.pieces, sum_piece, &s);
    str_init(&small, of->arena);
    pack_write(&p, &small);
    entry_pack_origin(&p, of);
    entry_pack_trace(&p, t);
    size_t bytes = columns.pieces * sizeof(*s.sums);
    pack_blob(&p, &(const char *){(const char *)s.sums}, &bytes);
    struct entry_header h = {.fingerprint = cache_fingerprint(), .small_bytes = small.len};
    memcpy(h.magic, ENTRY_MAGIC, sizeof(h.magic));
    h.small_sum = cache_sum(small.buf, small.len);
    h.columns_at = (sizeof(h) + small.len + ENTRY_PAGE - 1) & ~(uint64_t)(ENTRY_PAGE - 1);
    h.file_bytes = h.columns_at + columns.bytes;
    h.own_sum = cache_sum(&h, offsetof(struct entry_header, own_sum));
    uint64_t room = CACHE_MOST > h.file_bytes ? CACHE_MOST - h.file_bytes : 0;
    return h.file_bytes > CACHE_MOST || (cache_prune(of->dir, room, &removed, of->arena, err) &&
                                         write_entry(of, &h, &small, &columns, err));
}

/* Whether the files are what they were when reading began, and a change since would show. */
static bool still_the_same(struct cache_of *of)
{
    for (size_t i = 0; i < of->inputs.n; i++) {
        struct identity now;
        if (!identity_take(&now, of->inputs.v[i]) ||
            memcmp(&now, &of->identities[i], sizeof(now)) != 0)
            return false;
    }
    return true;
}

struct store_call {
    struct trace rows; /* only its tables are pointed to, none is changed */
    struct cache_of *of;
    struct gs_error err;
    bool ok;
};

static void store_guarded(void *ctx)
{
    struct store_call *c = ctx;
    c->ok = store(&c->rows, c->of, &c->err);
}

void cache_store(const struct trace *t, struct cache_of *of)
{
    struct store_call c = {.rows = *t, .of = of};
    if (!of->readable || !of->settled || !still_the_same(of))
        log_note("not kept in the cache: files changed while they were read, or just before");
    else if (!mem_guard(store_guarded, &c, &c.err) || !c.ok)
        log_warn("not kept in the cache: %s", c.err.text);
    else
        log_note("kept in the cache: '%s'", of->path);
}
