/*
 * The one allocator.
 *
 * mem_alloc() and friends never return NULL. When the system has no memory they unwind to the
 * nearest mem_guard() of this thread, which turns the shortage into an ordinary gs_error. So
 * only a few outer functions deal with it, and everything between stays free of checks.
 *
 * The price is a rule: whatever was acquired between the guard and the allocation must be owned
 * by an arena that is released when the guard is left (arena_scratch(), arena_defer()), or by
 * something that the caller of the guard releases. Never allocate while holding a lock; use
 * mem_try_alloc() there.
 *
 * Without a guard a shortage ends the process.
 *
 * Thread-safety: all functions; a guard belongs to its thread.
 */
#ifndef GS_BASE_MEM_H
#define GS_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

void *mem_alloc(size_t size);
void *mem_calloc(size_t n, size_t size);
void *mem_realloc(void *p, size_t size);
void *mem_try_alloc(size_t size); /* NULL when there is none */
void mem_free(void *p);

/*
 * Whether so many bytes could be had now. For libraries that do not notice when there is no memory
 * (fonts, pictures): asked before they are, with more than they take.
 */
enum { MEM_LIBRARY = 48 * 1024 * 1024, MEM_LIBRARY_STEP = 16 * 1024 * 1024 };
bool mem_has(size_t bytes);

/* n * size, or the unwinding when that overflows. */
size_t mem_mul(size_t n, size_t size);

/* Unwinds as if an allocation had failed: for threads that report another thread's shortage. */
_Noreturn void mem_exhausted(void);

/* Runs fn(ctx); false with GS_E_IO "out of memory" when an allocation in it failed. */
bool mem_guard(void (*fn)(void *ctx), void *ctx, struct gs_error *err);

/* The arena of this thread's nearest guard: released when that guard is left, in either way. */
struct arena;
struct arena *mem_scratch_root(void);

/*
 * What is given back stays with the process, up to some hundred megabytes, instead of being asked
 * for and cleared page by page when it is needed next. For programs; a library leaves the choice to
 * its host.
 */
void mem_keep(void);

/* Bytes held now, and the most that were held at once since the start. */
size_t mem_held(void);
size_t mem_peak(void);

/*
 * Bytes that others of the process hold: libraries, which count what they ask for and not what
 * that takes. 0 where the system does not tell. Not for every row: it looks through what is free.
 */
size_t mem_held_by_others(void);

/* Fault injection for tests: the n-th allocation from now fails (0: the very next). */
void mem_fail_after(int64_t n);
/* None fails any more; how many were left before one would have. */
int64_t mem_fail_never(void);

#endif
