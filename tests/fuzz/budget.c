/*
 * A budget of memory and time for every fuzz target: an input that costs more than its size
 * explains fails, as a crash does. Targets are compiled with their entry renamed to fuzz_one()
 * (meson.build), so none can leave it out.
 *
 * Memory is what all of the process allocates while one input is looked at, libraries included,
 * as the sanitizer's hooks see it. Time is that of the processor: other programs do not count. zstd
 * makes room for the window that a frame names, and touches what it fills: that is no cost. A target
 * that packs its input itself says so in fuzz_reserved.
 */
#include <sanitizer/allocator_interface.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int fuzz_one(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const size_t fuzz_reserved __attribute__((weak));

enum {
    FIXED_BYTES = 64 << 20,
    BYTES_A_BYTE = 200,
    ZSTD_WINDOW = 129 << 20,
    FIXED_MS = 4000, /* sanitizers and coverage make everything ten times slower */
    US_A_BYTE = 50,
};

static atomic_size_t held, most;

static void on_malloc(const volatile void *p, size_t size)
{
    (void)p;
    size_t now = atomic_fetch_add(&held, size) + size, top = atomic_load(&most);
    while (now > top && !atomic_compare_exchange_weak(&most, &top, now))
        ;
}

/* What was allocated before the hooks were there would take the sum below zero. */
static void on_free(const volatile void *p)
{
    size_t size = p ? __sanitizer_get_allocated_size((const void *)p) : 0;
    size_t now = atomic_load(&held);
    while (!atomic_compare_exchange_weak(&held, &now, now > size ? now - size : 0))
        ;
}

/* The most that a frame may name, where there is one. */
static size_t reserved_for(const uint8_t *data, size_t size)
{
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (&fuzz_reserved)
        return fuzz_reserved;
    for (size_t i = 0; i + sizeof(frame) <= size; i++)
        if (!memcmp(data + i, frame, sizeof(frame)))
            return (size_t)ZSTD_WINDOW;
    return 0;
}

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int installed;
    if (!installed)
        installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
    size_t before = atomic_load(&held);
    atomic_store(&most, before);
    int64_t start_ns = cpu_ns();
    int result = fuzz_one(data, size);
    int64_t ms = (cpu_ns() - start_ns) / 1000000;
    size_t bytes = atomic_load(&most) - before;
    if (bytes > FIXED_BYTES + reserved_for(data, size) + BYTES_A_BYTE * size) {
        fprintf(stderr, "ERROR: %zu bytes of input take %zu bytes of memory\n", size, bytes);
        abort();
    }
    if (ms > FIXED_MS + (int64_t)(size * US_A_BYTE / 1000)) {
        fprintf(stderr, "ERROR: %zu bytes of input take %lld ms\n", size, (long long)ms);
        abort();
    }
    return result;
}
