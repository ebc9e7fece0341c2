#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* From LARGE bytes on a request gets a block of its own, so that no other is left half empty. */
enum { ALIGN = 16, FIRST_BLOCK = 16 * 1024, LARGEST_BLOCK = 1024 * 1024, LARGE = 256 * 1024 };

struct arena_block {
    struct arena_block *older;
    size_t size;
};

struct arena_owned {
    struct arena_owned *older;
    void (*release)(void *what);
    void *what;
};

static size_t aligned(size_t n)
{
    return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

void arena_init(struct arena *a)
{
    *a = (struct arena){0};
}

void arena_release(struct arena *a)
{
    while (a->owned) { /* an entry may be told to go while others still wait */
        struct arena_owned *o = a->owned;
        a->owned = o->older;
        o->release(o->what);
    }
    for (struct arena_block *b = a->blocks; b;) {
        struct arena_block *older = b->older;
        mem_free(b);
        b = older;
    }
    arena_init(a);
    a->idle = true;
}

static char *add_block(struct arena *a, size_t size)
{
    size_t header = aligned(sizeof(struct arena_block));
    struct arena_block *b = mem_calloc(1, header + size);
    b->size = size;
    b->older = a->blocks;
    a->blocks = b;
    return (char *)b + header;
}

/* Of those that are shared each is twice as large as the one before. */
static void next_block(struct arena *a, size_t wanted)
{
    size_t size = a->next ? a->next : FIRST_BLOCK;
    while (size < wanted)
        size *= 2;
    a->at = add_block(a, size);
    a->end = a->at + size;
    a->next = size < LARGEST_BLOCK ? size * 2 : LARGEST_BLOCK;
}

void *arena_alloc(struct arena *a, size_t size)
{
    if (size > PTRDIFF_MAX / 2)
        mem_exhausted();
    size = aligned(size ? size : 1);
    if (!a->at || (size_t)(a->end - a->at) < size) {
        if (size >= LARGE)
            return add_block(a, size);
        next_block(a, size);
    }
    assert((size_t)(a->end - a->at) >= size);
    void *p = a->at;
    a->at += size;
    return p;
}

void arena_defer(struct arena *a, void (*release)(void *what), void *what)
{
    struct arena_owned *o = arena_new(a, struct arena_owned);
    *o = (struct arena_owned){a->owned, release, what};
    a->owned = o;
}

static void release_child(void *what)
{
    arena_release(what);
}

struct arena *arena_child(struct arena *a)
{
    struct arena *child = arena_new(a, struct arena);
    arena_defer(a, release_child, child);
    return child;
}

/* Functions that take one and give it back, one after the other, share it. */
struct arena *arena_scratch(void)
{
    struct arena *root = mem_scratch_root();
    const struct arena_owned *last = root->owned;
    if (last && last->release == release_child && ((struct arena *)last->what)->idle) {
        struct arena *again = last->what;
        again->idle = false;
        return again;
    }
    return arena_child(root);
}

void *arena_calloc(struct arena *a, size_t n, size_t size)
{
    return arena_alloc(a, mem_mul(n, size));
}

void *arena_grow(struct arena *a, void *p, size_t old, size_t size)
{
    if (size <= old)
        return p;
    if (p && (char *)p + aligned(old) == a->at && size <= PTRDIFF_MAX / 2 &&
        (size_t)(a->end - (char *)p) >= aligned(size)) {
        a->at = (char *)p + aligned(size);
        return p;
    }
    void *q = arena_alloc(a, size);
    if (old)
        memcpy(q, p, old);
    return q;
}

/* The pointer to the block that holds nothing but p, or NULL: among the newest, if at all. */
static struct arena_block **own_block(struct arena *a, const void *p, size_t old)
{
    enum { NEWEST = 64 };
    struct arena_block **at = &a->blocks;
    if (!p || aligned(old) < LARGE)
        return NULL;
    for (int i = 0; *at && i < NEWEST; i++, at = &(*at)->older)
        if ((const char *)*at + aligned(sizeof(**at)) == p && (*at)->size == aligned(old))
            return at;
    return NULL;
}

void *arena_move(struct arena *a, void *p, size_t old, size_t size)
{
    struct arena_block **at = size != old ? own_block(a, p, old) : NULL;
    if (!at || size > PTRDIFF_MAX / 2 || aligned(size) < LARGE)
        return arena_grow(a, p, old, size);
    size_t header = aligned(sizeof(**at));
    *at = mem_realloc(*at, header + aligned(size));
    (*at)->size = aligned(size);
    return (char *)*at + header;
}

bool arena_give_back(struct arena *a, void *p, size_t size)
{
    struct arena_block **at = own_block(a, p, size), *block = at ? *at : NULL;
    if (!block)
        return false;
    *at = block->older;
    mem_free(block);
    return true;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    if (n)
        memcpy(p, s, n);
    return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
    char small[256]; /* most texts are: they are made once */
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof(small), fmt, again);
    va_end(again);
    char *p = arena_alloc(a, n < 0 ? 1 : (size_t)n + 1);
    if (n > 0 && (size_t)n < sizeof(small))
        memcpy(p, small, (size_t)n + 1);
    else if (n > 0)
        vsnprintf(p, (size_t)n + 1, fmt, ap);
    return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *p = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return p;
}
