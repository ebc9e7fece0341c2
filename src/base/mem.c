#define _GNU_SOURCE /* madvise, MADV_HUGEPAGE */
#include "base/mem.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/spill.h"
#include "base/task.h"
#include "config.h"

struct guard {
    jmp_buf jump;
    struct guard *outer;
    struct arena scratch;
};

static _Thread_local struct guard *innermost;
static _Thread_local struct arena unguarded; /* scratch of a thread without a guard */
static atomic_size_t held, peak;
static atomic_llong fail_in = -1; /* allocations left before one fails; < 0: none fails */

static size_t size_of(void *p)
{
    return spill_has(p) ? spill_size(p) : malloc_usable_size(p);
}

static void account(void *p)
{
    size_t size = size_of(p);
    size_t now = atomic_fetch_add_explicit(&held, size, memory_order_relaxed) + size;
    size_t top = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > top && !atomic_compare_exchange_weak_explicit(
                            &peak, &top, now, memory_order_relaxed, memory_order_relaxed))
        ;
}

/*
 * Large blocks are filled at once and walked many times: huge pages save most of the page faults.
 * The advice is for the whole block, not only for the huge pages that fit in it: blocks that lie
 * next to each other, as the columns of a table do, then share one. Where it is refused nothing
 * changes.
 */
static void advise_huge(void *p, size_t size)
{
    enum { LARGE = 1 << 20 };
    if (size < LARGE)
        return;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = (uintptr_t)p & ~(page - 1);
    uintptr_t to = ((uintptr_t)p + size + page - 1) & ~(page - 1);
    madvise((void *)from, to - from, MADV_HUGEPAGE);
}

/* Also the place where work that its caller ended stops, see task.h. */
static bool injected_fault(void)
{
    if (task_cancelled())
        return true;
    if (atomic_load_explicit(&fail_in, memory_order_relaxed) < 0)
        return false;
    return atomic_fetch_sub(&fail_in, 1) == 0;
}

_Noreturn void mem_exhausted(void)
{
    if (innermost)
        longjmp(innermost->jump, 1);
    fputs("gpusight: out of memory\n", stderr);
    _Exit(GS_E_IO);
}

/* Memory, or, past a bound, pages of a file (spill.h). NULL: there is none. */
static void *take(size_t size, bool zeroed)
{
    if (spill_wants(size, atomic_load_explicit(&held, memory_order_relaxed))) {
        void *p = spill_take(size);
        if (p)
            account(p);
        return p;
    }
    void *p = zeroed ? calloc(size ? size : 1, 1) : malloc(size ? size : 1);
    if (p) {
        account(p);
        advise_huge(p, size);
    }
    return p;
}

void *mem_try_alloc(size_t size)
{
    return injected_fault() ? NULL : take(size, false);
}

void *mem_alloc(size_t size)
{
    void *p = mem_try_alloc(size);
    if (!p)
        mem_exhausted();
    return p;
}

size_t mem_mul(size_t n, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(n, size, &total))
        mem_exhausted();
    return total;
}

void *mem_calloc(size_t n, size_t size)
{
    size_t total = mem_mul(n, size);
    void *p = injected_fault() ? NULL : take(total, true);
    if (!p)
        mem_exhausted();
    return p;
}

/* A block that is or will be in the file: grown there, or moved there. */
static void *move_to_file(void *p, size_t size, size_t old)
{
    if (spill_has(p))
        return spill_grow(p, size);
    void *q = spill_take(size);
    if (q && p) {
        memcpy(q, p, old < size ? old : size);
        free(p);
    }
    return q;
}

void *mem_realloc(void *p, size_t size)
{
    if (injected_fault())
        mem_exhausted();
    size_t old = p ? size_of(p) : 0, all = atomic_load_explicit(&held, memory_order_relaxed);
    bool in_file = spill_has(p) || (size > old && spill_wants(size, all - old));
    void *q = in_file ? move_to_file(p, size, old) : realloc(p, size ? size : 1);
    if (!q)
        mem_exhausted();
    atomic_fetch_sub_explicit(&held, old, memory_order_relaxed);
    account(q);
    if (!in_file)
        advise_huge(q, size);
    return q;
}

bool mem_has(size_t bytes)
{
    char *volatile p = injected_fault() ? NULL : malloc(bytes); /* volatile: not optimized away */
    free(p);
    return p != NULL;
}

void mem_free(void *p)
{
    if (!p)
        return;
    atomic_fetch_sub_explicit(&held, size_of(p), memory_order_relaxed);
    if (spill_has(p))
        spill_free(p);
    else
        free(p);
}

static bool out_of_memory(struct gs_error *err)
{
    const char *folder = spill_full();
    if (!folder)
        return fail(err, GS_E_IO, "out of memory");
    return fail(err, GS_E_IO,
                "out of memory: '%s' has no room left for what '--memory' keeps there; set TMPDIR "
                "to a folder with more",
                folder);
}

bool mem_guard(void (*fn)(void *ctx), void *ctx, struct gs_error *err)
{
    struct guard g;
    g.outer = innermost;
    arena_init(&g.scratch);
    if (setjmp(g.jump)) {
        struct guard *left = innermost; /* &g, read from where longjmp cannot have lost it */
        innermost = left->outer;
        arena_release(&left->scratch);
        if (task_cancelled())
            return fail(err, GS_E_CANCELLED, "cancelled");
        return out_of_memory(err);
    }
    innermost = &g;
    fn(ctx);
    innermost = g.outer;
    arena_release(&g.scratch);
    return true;
}

struct arena *mem_scratch_root(void)
{
    return innermost ? &innermost->scratch : &unguarded;
}

void mem_keep(void)
{
    enum { KEPT = 512 << 20 };
    mallopt(M_MMAP_THRESHOLD, KEPT);
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_ARENA_MAX, 1); /* what one thread gives back, another one takes */
}

size_t mem_held(void)
{
    return atomic_load(&held);
}

size_t mem_peak(void)
{
    return atomic_load(&peak);
}

size_t mem_held_by_others(void)
{
#ifdef HAVE_MALLINFO2
    struct mallinfo2 m = mallinfo2();
    size_t all = m.uordblks + m.hblkhd, ours = mem_held();
    return all > ours ? all - ours : 0;
#else
    return 0;
#endif
}

void mem_fail_after(int64_t n)
{
    atomic_store(&fail_in, n);
}

int64_t mem_fail_never(void)
{
    return atomic_exchange(&fail_in, -1);
}
