/*
 * Arena: memory that is given back all at once.
 *
 * The arena you pass owns what you get; nothing from an arena is freed on its own.
 * Memory is zeroed. Allocation never returns NULL (see mem.h).
 *
 *     struct arena a;
 *     arena_init(&a);
 *     struct node *n = arena_new(&a, struct node);
 *     char *s = arena_printf(&a, "%s/%s", dir, name);
 *     arena_release(&a);
 *
 * An arena also owns what else is acquired on its behalf: arenas inside it, and anything that
 * arena_defer() was told of (files, databases, tables). All of it goes, newest first, with the
 * arena, so that an allocation that fails (mem.h) leaks nothing: whoever releases the arena
 * releases everything.
 *
 *     struct arena *temporary = arena_scratch(); // belongs to the nearest mem_guard() of this
 * thread
 *     ...
 *     arena_release(temporary); // or leave it to the guard
 *
 * Thread-safety: one thread at a time; a scratch arena belongs to the thread that took it.
 */
#ifndef GS_BASE_ARENA_H
#define GS_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"

struct arena_block;
struct arena_owned;

struct arena {
    struct arena_block *blocks; /* newest first; what is large has one of its own */
    char *at, *end;             /* free part of the newest of the others */
    size_t next;                /* size of the next of those; 0: the first one's */
    struct arena_owned *owned;  /* newest first; the entries live in the arena */
    bool idle;                  /* given back: arena_scratch() may hand it out again */
};

void arena_init(struct arena *a);
void arena_release(struct arena *a);

/* Calls release(what) when the arena goes, newest first. */
void arena_defer(struct arena *a, void (*release)(void *what), void *what);

/* Another one, which goes with this one at the latest; arena_release() empties it earlier. */
struct arena *arena_child(struct arena *a);

/* A child of the nearest mem_guard() of this thread, for what a function needs while it runs. */
struct arena *arena_scratch(void);

void *arena_alloc(struct arena *a, size_t size);            /* zeroed, aligned for any type */
void *arena_calloc(struct arena *a, size_t n, size_t size); /* overflow-safe */
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n); /* copies n bytes, adds NUL */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* Of a function that ends in (const char *fmt, ...): what is said, as `text`. */
#define ARENA_FORMATTED(text, arena)                                                               \
    va_list text##_ap;                                                                             \
    va_start(text##_ap, fmt);                                                                      \
    const char *text = arena_vprintf(arena, fmt, text##_ap);                                       \
    va_end(text##_ap)

/*
 * Grows p from old to size bytes; in place when p is the newest allocation. The new part is
 * zeroed. The old block is not given back before the arena is.
 */
void *arena_grow(struct arena *a, void *p, size_t old, size_t size);

/*
 * The same for one that nobody else points into, such as the text of a str: where it is large and
 * has a block of its own, that is enlarged, and no old copy stays. New bytes are not zeroed.
 */
void *arena_move(struct arena *a, void *p, size_t old, size_t size);

/* Of what nobody points into any more: where it is large and has a block of its own, that goes now;
 * false: it stays. */
bool arena_give_back(struct arena *a, void *p, size_t size);

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_calloc((a), (n), sizeof(type)))

#endif
