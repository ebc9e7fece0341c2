/* An entry is read: mapped, checked from end to end, and made a trace. */
#define _GNU_SOURCE /* MAP_POPULATE */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/spill.h"
#include "base/str.h"
#include "cache/entry.h"
#include "cache/folder.h"
#include "cache/sum.h"

struct mapped {
    char *data;
    size_t bytes;
};

static void unmap(void *what)
{
    struct mapped *m = what;
    if (m->data)
        munmap(m->data, m->bytes);
    m->data = NULL;
}

static bool lists_hold(const struct trace *t, const size_t counts[CK_KINDS])
{
    bool ok = true;
#define CHECK(list, type) ok &= cache_rows_hold(#list, t->list.v, t->list.n, sizeof(type), counts);
    CACHE_LISTS(CHECK)
#undef CHECK
    for (size_t i = 0; i < t->threads.n; i++)
        ok &= t->threads.v[i].gets_from <= t->threads.n;
    return ok;
}

/* ---- the columns ---- */

struct checking {
    const struct entry_columns *columns;
    const char *data;
    const char *sums;
    bool copied; /* to blocks that --memory can let go of; else the tables are the entry */
    size_t counts[CK_KINDS];
    bool wrong[PARALLEL_MAX];
};

/* Nothing was written to the mapping yet, so the pages that lie in the piece can go. */
static void copy_piece(const struct entry_column *c, uint64_t from, const char *data, size_t n)
{
    char *to = *(char **)(void *)((char *)c->table + c->desc->offset);
    uintptr_t first = ((uintptr_t)data + ENTRY_PAGE - 1) & ~(uintptr_t)(ENTRY_PAGE - 1);
    uintptr_t end = ((uintptr_t)data + n) & ~(uintptr_t)(ENTRY_PAGE - 1);
    memcpy(to + from, data, n);
    if (end > first)
        madvise((void *)first, end - first, MADV_DONTNEED);
}

static void check_piece(void *ctx, size_t piece, int worker)
{
    struct checking *k = ctx;
    uint64_t from, sum;
    size_t n;
    const struct entry_column *c = entry_piece(k->columns, piece, &from, &n);
    const char *data = k->data + c->at + from;
    memcpy(&sum, k->sums + piece * sizeof(sum), sizeof(sum));
    if (cache_sum(data, n) != sum ||
        !cache_values_hold(&c->rule, c->desc->size, data, n / c->desc->size, k->counts))
        k->wrong[worker] = true;
    if (k->copied)
        copy_piece(c, from, data, n);
}

/* Tables become the pages of the entry. */
static void lend_columns(const struct entry_columns *columns, char *data)
{
    for (size_t i = 0; i < columns->v.n; i++) {
        const struct entry_column *c = &columns->v.v[i];
        struct table *table = c->table;
        assert(!*(void **)(void *)((char *)c->table + c->desc->offset)); /* nothing is lost */
        *(void **)(void *)((char *)c->table + c->desc->offset) = data + c->at;
        table->cap = table->n;
        table->lent = true;
    }
}

static void make_room(struct trace *t)
{
    size_t n;
#define RESERVE(name)                                                                              \
    n = t->name.n;                                                                                 \
    t->name.n = 0; /* nothing is there yet that would have to move */                              \
    table_reserve(&t->name, &name##_desc, n);                                                      \
    t->name.n = n;
    TRACE_TABLES(RESERVE)
#undef RESERVE
}

static bool get_columns(struct pack *p, struct trace *t, const struct mapped *m,
                        const struct entry_header *h, const struct cache_of *of)
{
    struct entry_columns columns;
    size_t bytes = 0;
    struct checking *k = arena_new(of->arena, struct checking);
    *k = (struct checking){.columns = &columns, .data = m->data + h->columns_at};
    pack_blob(p, &k->sums, &bytes);
    cache_counts(t, k->counts);
    if (!pack_done(p) || !entry_columns(&columns, t, of->arena) ||
        columns.bytes != h->file_bytes - h->columns_at ||
        bytes != columns.pieces * sizeof(uint64_t) || !lists_hold(t, k->counts))
        return false;
    bool ok = true;
    k->copied = spill_wants(columns.bytes, mem_held());
    if (k->copied)
        make_room(t);
    parallel_for(of->threads, columns.pieces, check_piece, k);
    for (int w = 0; w < PARALLEL_MAX; w++)
        ok &= !k->wrong[w];
    if (ok && !k->copied)
        lend_columns(&columns, m->data + h->columns_at);
    return ok;
}

/* ---- the file ---- */

static bool header_holds(const struct entry_header *h, uint64_t bytes)
{
    return bytes >= sizeof(*h) && !memcmp(h->magic, ENTRY_MAGIC, sizeof(h->magic)) &&
           h->own_sum == cache_sum(h, offsetof(struct entry_header, own_sum)) &&
           h->fingerprint == cache_fingerprint() && h->file_bytes == bytes &&
           h->columns_at <= bytes && h->columns_at % ENTRY_PAGE == 0 &&
           h->columns_at >= sizeof(*h) && h->small_bytes <= h->columns_at - sizeof(*h);
}

/* Private, so that a filter may write where it likes; the file is opened to be read only. */
static struct mapped *map(const char *path, struct entry_header *h, struct arena *owner)
{
    struct mapped *m = arena_new(owner, struct mapped);
    uint64_t bytes = 0;
    arena_defer(owner, unmap, m);
    int fd = cache_open(path, &bytes);
    if (fd < 0)
        return NULL;
    if (pread(fd, h, sizeof(*h), 0) == (ssize_t)sizeof(*h) && header_holds(h, bytes)) {
        void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
        m->data = p == MAP_FAILED ? NULL : p;
        m->bytes = bytes;
    }
    close(fd);
    return m->data ? m : NULL;
}

static bool small_of(struct pack *p, const struct mapped *m, const struct entry_header *h,
                     struct arena *a)
{
    const char *small = m->data + sizeof(*h);
    pack_read(p, small, h->small_bytes, a);
    return cache_sum(small, h->small_bytes) == h->small_sum;
}

/* It must have been made from the same names, options and files. */
static bool fill(struct trace *t, const struct mapped *m, const struct entry_header *h,
                 struct cache_of *of)
{
    struct str wanted;
    struct pack p;
    str_init(&wanted, of->arena);
    pack_write(&p, &wanted);
    entry_pack_origin(&p, of);
    if (!small_of(&p, m, h, &t->arena))
        return false;
    const char *made_from = pack_here(&p, wanted.len);
    if (!made_from || memcmp(made_from, wanted.buf, wanted.len) != 0)
        return false;
    entry_pack_trace(&p, t);
    for (size_t i = 0; i < t->categories.n; i++)
        idmap_put(&t->category_of, t->categories.v[i].name, (uint32_t)i);
    return get_columns(&p, t, m, h, of);
}

/* As if it had not been begun; what was put into the arena stays there, unused. */
static void forget(struct trace *t)
{
#define FORGET(name) table_release(&t->name, &name##_desc);
    TRACE_TABLES(FORGET)
#undef FORGET
#define FORGET(list, type) memset(&t->list, 0, sizeof(t->list));
    CACHE_LISTS(FORGET)
#undef FORGET
    memset(&t->files, 0, sizeof(t->files));
    memset(&t->notes, 0, sizeof(t->notes));
    memset(&t->loads, 0, sizeof(t->loads));
    t->masked_values = t->lifted_calls = t->sample_records = t->counter_records = 0;
    strings_init(&t->strings, &t->arena);
    idmap_init(&t->category_of, &t->arena);
}

/* What was asked for must have been left alone before it is read, or nothing is kept. */
static void settle(struct cache_of *of)
{
    of->settled = true;
    for (size_t i = 0; i < of->inputs.n; i++)
        of->settled &= identity_settled(&of->identities[i]);
    for (size_t i = 0; i < of->inputs.n; i++) { /* one that was changed meanwhile is not settled */
        struct identity before = of->identities[i];
        of->readable &= identity_take(&of->identities[i], of->inputs.v[i]);
        of->settled &= !memcmp(&before, &of->identities[i], sizeof(before));
    }
}

bool cache_load(struct trace *t, struct cache_of *of)
{
    struct entry_header h;
    struct mapped *m = of->readable ? map(of->path, &h, &t->arena) : NULL;
    if (m && fill(t, m, &h, of)) {
        log_note("taken from the cache: '%s'", of->path);
        return of->hit = true;
    }
    if (m) {
        forget(t);
        unmap(m);
    }
    settle(of);
    return false;
}

bool cache_is_hit(const struct cache_of *of)
{
    return of->hit;
}

void cache_describe(struct cache_entry *e, const char *path, struct arena *a)
{
    struct entry_header h;
    struct arena *temporary = arena_child(a);
    const struct mapped *m = map(path, &h, temporary);
    struct cache_inputs names = {0};
    struct pack p;
    if (m && small_of(&p, m, &h, a)) {
        PACK_VEC(&p, &names, pack_text);
        e->n_traces = names.n;
        e->trace = names.n && names.v[0] ? names.v[0] : "";
        e->current = true;
    }
    arena_release(temporary);
}
