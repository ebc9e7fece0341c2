/* An entry is read: mapped, checked from end to end, and made a trace. */
#define _GNU_SOURCE /* MAP_POPULATE */
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

/* ---- what is small ---- */

/* Where reading is; once something was wrong, all that follows is empty. */
struct cursor {
    char *at, *end;
    bool ok;
};

static void *get(struct cursor *c, size_t n, size_t size)
{
    size_t left = (size_t)(c->end - c->at), bytes;
    if (!c->ok || __builtin_mul_overflow(n, size, &bytes) || bytes > left) {
        c->ok = false;
        return NULL;
    }
    char *p = c->at;
    c->at += bytes;
    return p;
}

static uint64_t get_number(struct cursor *c)
{
    uint64_t n = 0;
    const void *p = get(c, 1, sizeof(n));
    if (p)
        memcpy(&n, p, sizeof(n));
    return n;
}

/* In place; NULL for one that is not there. */
static const char *get_text(struct cursor *c)
{
    uint32_t n = ENTRY_NO_TEXT;
    const void *p = get(c, 1, sizeof(n));
    if (p)
        memcpy(&n, p, sizeof(n));
    if (n == ENTRY_NO_TEXT)
        return NULL;
    const char *text = get(c, (size_t)n + 1, 1);
    if (text && (text[n] || memchr(text, 0, n)))
        c->ok = false;
    return c->ok ? text : NULL;
}

static bool is_text(const char *text, const char *wanted)
{
    return text && str_eq(text, wanted);
}

/* Whether it was made from the same names, options and files. */
static bool same_origin(struct cursor *c, const struct cache_of *of)
{
    if (get_number(c) != of->names.n)
        return false;
    for (size_t i = 0; i < of->names.n; i++)
        if (!is_text(get_text(c), of->names.v[i]))
            return false;
    if (!is_text(get_text(c), of->options) || get_number(c) != of->inputs.n)
        return false;
    for (size_t i = 0; i < of->inputs.n; i++) {
        if (!is_text(get_text(c), of->inputs.v[i]))
            return false;
        const void *was = get(c, 1, sizeof(struct identity));
        if (!was || memcmp(was, &of->identities[i], sizeof(struct identity)) != 0)
            return false;
    }
    return c->ok;
}

static void get_files(struct cursor *c, struct trace *t)
{
    uint64_t n = get_number(c);
    for (uint64_t i = 0; i < n && c->ok; i++) {
        struct trace_file f = {.path = get_text(c)};
        f.format = get_text(c);
        f.flavor = get_text(c);
        f.schema_version = get_text(c);
        f.tool_version = get_text(c);
        f.guid = get_text(c);
        f.reader = get_text(c);
        f.reader_reason = get_text(c);
        f.bytes = get_number(c);
        f.origin_ns = (int64_t)get_number(c);
        c->ok &= f.path && f.format;
        if (c->ok)
            vec_push(&t->files, &t->arena, f);
    }
}

/* Strings of an entry are all different; the first is "", as in every trace. */
static void get_strings(struct cursor *c, struct trace *t)
{
    uint64_t n = get_number(c);
    const char *lengths = get(c, n, sizeof(uint32_t));
    c->ok &= n >= 1 && n < NO_INDEX;
    if (c->ok)
        vec_reserve(&t->strings, &t->arena, n);
    for (uint64_t i = 0; i < n && c->ok; i++) {
        uint32_t len;
        memcpy(&len, lengths + i * sizeof(len), sizeof(len));
        const char *text = get(c, (size_t)len + 1, 1);
        if (!text || text[len] || memchr(text, 0, len) || (i == 0) != (len == 0))
            c->ok = false;
        else if (i)
            strings_place(&t->strings, text, len);
    }
}

/* Rows of a list; copied, since lists grow and the entry has them at any address. */
static void *get_rows(struct cursor *c, struct trace *t, size_t row_bytes, size_t *n)
{
    *n = (size_t)get_number(c);
    const void *rows = get(c, *n, row_bytes);
    if (!c->ok || !*n || *n >= NO_INDEX) {
        c->ok &= *n < NO_INDEX;
        *n = 0;
        return NULL;
    }
    return memcpy(arena_calloc(&t->arena, *n, row_bytes), rows, *n * row_bytes);
}

#define GET_LIST(c, t, list, type)                                                                 \
    ((t)->list.v = get_rows((c), (t), sizeof(type), &(t)->list.n), (t)->list.cap = (t)->list.n)

static void get_notes(struct cursor *c, struct trace *t)
{
    uint64_t n = get_number(c);
    for (uint64_t i = 0; i < n && c->ok; i++) {
        uint64_t kind = get_number(c), count = get_number(c);
        const char *text = get_text(c);
        c->ok &= kind <= NOTE_OTHER && text;
        if (c->ok)
            vec_push(&t->notes, &t->arena, ((struct note){(enum note_kind)kind, count, text}));
    }
}

static void get_lists(struct cursor *c, struct trace *t)
{
    GET_LIST(c, t, processes, struct process);
    for (size_t i = 0; i < t->processes.n; i++)
        t->processes.v[i].rank_source = get_text(c);
#define GET(list, type)                                                                            \
    if ((void *)&t->list != (void *)&t->processes)                                                 \
        GET_LIST(c, t, list, type);
    CACHE_LISTS(GET)
#undef GET
    get_notes(c, t);
    for (size_t i = 0; i < t->categories.n; i++)
        idmap_put(&t->category_of, t->categories.v[i].name, (uint32_t)i);
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

static bool get_columns(struct cursor *c, struct trace *t, const struct mapped *m,
                        const struct entry_header *h, const struct cache_of *of)
{
    struct entry_columns columns;
#define GET(name) t->name.n = (size_t)get_number(c);
    TRACE_TABLES(GET)
#undef GET
    bool ok = c->ok && entry_columns(&columns, t, of->arena) &&
              columns.bytes == h->file_bytes - h->columns_at && get_number(c) == columns.pieces;
    struct checking *k = arena_new(of->arena, struct checking);
    *k = (struct checking){.columns = &columns, .data = m->data + h->columns_at};
    k->sums = ok ? get(c, columns.pieces, sizeof(uint64_t)) : NULL;
    cache_counts(t, k->counts);
    if (!ok || !c->ok || c->at != c->end || !lists_hold(t, k->counts))
        return false;
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

static bool fill(struct trace *t, const struct mapped *m, const struct entry_header *h,
                 const struct cache_of *of)
{
    char *small = m->data + sizeof(*h);
    if (cache_sum(small, h->small_bytes) != h->small_sum)
        return false;
    struct cursor c = {small, small + h->small_bytes, true};
    if (!same_origin(&c, of))
        return false;
    t->masked_values = get_number(&c);
    t->lifted_calls = get_number(&c);
    t->sample_records = get_number(&c);
    t->counter_records = get_number(&c);
    get_files(&c, t);
    get_strings(&c, t);
    get_lists(&c, t);
    return get_columns(&c, t, m, h, of);
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
    for (size_t i = 0; i < of->inputs.n; i++)
        of->readable &= identity_take(&of->identities[i], of->inputs.v[i]);
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
    char *small = m ? m->data + sizeof(h) : NULL;
    if (m && cache_sum(small, h.small_bytes) == h.small_sum) {
        struct cursor c = {small, small + h.small_bytes, true};
        e->n_traces = (size_t)get_number(&c);
        const char *first = e->n_traces ? get_text(&c) : NULL;
        e->trace = first ? arena_strdup(a, first) : "";
        e->current = true;
    }
    arena_release(temporary);
}
