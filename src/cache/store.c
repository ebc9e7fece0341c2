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
#include "cache/folder.h"
#include "cache/sum.h"

/* ---- what is small ---- */

static void put(struct str *s, const void *data, size_t n)
{
    if (n)
        str_put(s, data, n);
}

static void put_number(struct str *s, uint64_t n)
{
    put(s, &n, sizeof(n));
}

static void put_text(struct str *s, const char *text)
{
    uint32_t n = text ? (uint32_t)strlen(text) : ENTRY_NO_TEXT;
    put(s, &n, sizeof(n));
    if (text)
        put(s, text, n + 1);
}

static void put_rows(struct str *s, const void *rows, size_t n, size_t row_bytes)
{
    put_number(s, n);
    put(s, rows, n * row_bytes);
}

static void put_origin(struct str *s, const struct cache_of *of)
{
    put_number(s, of->names.n);
    for (size_t i = 0; i < of->names.n; i++)
        put_text(s, of->names.v[i]);
    put_text(s, of->options);
    put_number(s, of->inputs.n);
    for (size_t i = 0; i < of->inputs.n; i++) {
        put_text(s, of->inputs.v[i]);
        put(s, &of->identities[i], sizeof(of->identities[i]));
    }
}

static void put_files(struct str *s, const struct trace *t)
{
    put_number(s, t->files.n);
    for (size_t i = 0; i < t->files.n; i++) {
        const struct trace_file *f = &t->files.v[i];
        const char *const texts[] = {f->path,         f->format, f->flavor, f->schema_version,
                                     f->tool_version, f->guid,   f->reader, f->reader_reason};
        for (size_t k = 0; k < ARRAY_LEN(texts); k++)
            put_text(s, texts[k]);
        put_number(s, f->bytes);
        put_number(s, (uint64_t)f->origin_ns);
    }
}

/* A pointer is of use to nobody: the text goes beside the row. */
static void put_processes(struct str *s, const struct trace *t)
{
    put_number(s, t->processes.n);
    for (size_t i = 0; i < t->processes.n; i++) {
        struct process p = t->processes.v[i];
        p.rank_source = NULL;
        put(s, &p, sizeof(p));
    }
    for (size_t i = 0; i < t->processes.n; i++)
        put_text(s, t->processes.v[i].rank_source);
}

static void put_lists(struct str *s, const struct trace *t)
{
    put_processes(s, t);
#define PUT(list, type)                                                                            \
    if ((const void *)&t->list != (const void *)&t->processes)                                     \
        put_rows(s, t->list.v, t->list.n, sizeof(type));
    CACHE_LISTS(PUT)
#undef PUT
    put_number(s, t->notes.n);
    for (size_t i = 0; i < t->notes.n; i++) {
        put_number(s, t->notes.v[i].kind);
        put_number(s, t->notes.v[i].count);
        put_text(s, t->notes.v[i].text);
    }
}

/* Texts that no row refers to are left out, and keep their numbers: secrets may be among them. */
static void put_strings(struct str *s, const struct trace *t)
{
    const bool *used = cache_strings_used(t, s->arena);
    put_number(s, t->strings.n);
    for (size_t i = 0; i < t->strings.n; i++) {
        uint32_t len = used[i] ? t->strings.v[i].len : 0;
        put(s, &len, sizeof(len));
    }
    for (size_t i = 0; i < t->strings.n; i++)
        put(s, used[i] ? t->strings.v[i].text : "", used[i] ? (size_t)t->strings.v[i].len + 1 : 1);
}

static void put_small(struct str *s, const struct trace *t, const struct cache_of *of)
{
    put_origin(s, of);
    put_number(s, t->masked_values);
    put_number(s, t->lifted_calls);
    put_number(s, t->sample_records);
    put_number(s, t->counter_records);
    put_files(s, t);
    put_strings(s, t);
    put_lists(s, t);
#define PUT(name) put_number(s, t->name.n);
    TRACE_TABLES(PUT)
#undef PUT
}

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
        if (!fs_write_all(fileno(out->file), zeroes, (size_t)(c->at - at)) ||
            !fs_write_all(fileno(out->file), data_of(c), (size_t)c->bytes))
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
    int fd = fileno(out->file);
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
    if (!fs_out_open(&out, of->path, err))
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
    size_t removed;
    if (!entry_columns(&columns, t, of->arena))
        return true; /* no trace has so many rows */
    struct summing s = {&columns, arena_array(of->arena, uint64_t, columns.pieces)};
    parallel_for(of->threads, columns.pieces, sum_piece, &s);
    str_init(&small, of->arena);
    put_small(&small, t, of);
    put_rows(&small, s.sums, columns.pieces, sizeof(*s.sums));
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
