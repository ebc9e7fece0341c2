/*
 * Archives: what goes in comes out, however it is divided; ends of disks are told.
 *
 * GPUSIGHT_TEST_LARGE=1 also writes a part of 4 GiB and more, which takes a minute.
 */
#define _GNU_SOURCE /* nftw */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "base/fs.h"
#include "base/zip.h"
#include "scratch.h"

static int open_empty(void)
{
    return open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static uint64_t little(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    for (int i = bytes; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

/* Bytes that do not pack (every second part) or do. */
static void fill(char *to, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        to[i] = (char)(seed & 1024 ? seed >> 24 : 'x');
    }
}

static void unpack(const uint8_t *packed, size_t n, uint8_t *to, size_t size)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)packed, .avail_in = (uInt)n};
    z.next_out = to;
    z.avail_out = (uInt)size;
    assert_int_equal(inflateInit2(&z, -MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_out, 0);
    inflateEnd(&z);
}

/* One part by its line in the directory; where the next line begins. */
static const uint8_t *check_part(const struct mapping *m, const uint8_t *entry, const char *name,
                                 const char *bytes, size_t n, struct arena *a)
{
    const uint8_t *head = m->data + little(entry + 42, 4);
    size_t length = little(entry + 28, 2), room = little(head + 28, 2);
    assert_int_equal(little(entry, 4), 0x02014b50);
    assert_int_equal(little(head, 4), 0x04034b50);
    assert_memory_equal(entry + 6, head + 4, 24); /* both say the same of it */
    assert_true(length == strlen(name) && !memcmp(entry + 46, name, length));
    assert_true(!memcmp(head + 30, name, length));
    assert_int_equal(little(entry + 24, 4), n);
    assert_int_equal(little(entry + 16, 4), crc32(0, (const Bytef *)bytes, (uInt)n));
    uint8_t *got = arena_alloc(a, n + 1);
    unpack(head + 30 + length + room, little(entry + 20, 4), got, n);
    assert_memory_equal(got, bytes, n);
    return entry + 46 + length + little(entry + 30, 2);
}

static bool write_parts(int fd, size_t parts, const size_t *sizes, const char *bytes, size_t step,
                        struct arena *a)
{
    struct zip *z = zip_new(fd, a);
    for (size_t i = 0; i < parts; i++) {
        zip_begin(z, arena_printf(a, "part/%zu.xml", i), i % 2 ? ZIP_LARGE : 0);
        for (size_t at = 0; at < sizes[i]; at += step)
            zip_put(z, bytes + at, sizes[i] - at < step ? sizes[i] - at : step);
        zip_end(z);
    }
    return zip_finish(z);
}

static void parts_come_out_as_they_went_in(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 1000, 700000, 3, 2000000, 0, 262144, 12345};
    struct arena arena;
    struct mapping m;
    arena_init(&arena);
    char *bytes = arena_alloc(&arena, 2000000);
    fill(bytes, 2000000, 1);
    for (size_t step = 7; step < 4000000; step *= 90) {
        int fd = open_empty();
        assert_true(write_parts(fd, ARRAY_LEN(sizes), sizes, bytes, step, &arena));
        close(fd);
        assert_true(map_file(&m, path, NULL));
        const uint8_t *end = m.data + m.size - 22;
        assert_int_equal(little(end, 4), 0x06054b50);
        assert_int_equal(little(end + 10, 2), ARRAY_LEN(sizes));
        const uint8_t *entry = m.data + little(end + 16, 4);
        for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
            entry = check_part(&m, entry, arena_printf(&arena, "part/%zu.xml", i), bytes, sizes[i],
                               &arena);
        assert_ptr_equal(entry, end);
        unmap_file(&m);
    }
    arena_release(&arena);
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    static const size_t sizes[] = {300000, 5, 900000};
    struct arena arena;
    struct rlimit was, limit;
    arena_init(&arena);
    char *bytes = arena_alloc(&arena, 900000);
    fill(bytes, 900000, 2);
    getrlimit(RLIMIT_FSIZE, &was);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t most = 0; most < 600000; most += 50000) {
        int fd = open_empty();
        limit = (struct rlimit){most, was.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        bool ok = write_parts(fd, ARRAY_LEN(sizes), sizes, bytes, 10000, &arena);
        int code = errno;
        setrlimit(RLIMIT_FSIZE, &was);
        close(fd);
        assert_false(ok);
        assert_int_equal(code, EFBIG);
    }
    signal(SIGXFSZ, SIG_DFL);
    arena_release(&arena);
}

/* The longer numbers, and where they stand; `unzip -t` and Python's zipfile read it, too. */
static void large_parts_need_longer_numbers(void **state)
{
    (void)state;
    static const uint64_t size = (4ULL << 30) + 12345;
    struct arena arena;
    struct mapping m;
    if (!getenv("GPUSIGHT_TEST_LARGE"))
        skip();
    arena_init(&arena);
    enum { BLOCK = 1 << 20 };
    char *bytes = arena_alloc(&arena, BLOCK);
    int fd = open_empty();
    struct zip *z = zip_new(fd, &arena);
    zip_begin(z, "a", ZIP_LARGE);
    for (uint64_t at = 0; at < size; at += BLOCK)
        zip_put(z, bytes, size - at < BLOCK ? (size_t)(size - at) : BLOCK);
    zip_end(z);
    zip_begin(z, "b", 0);
    zip_end(z);
    assert_true(zip_finish(z));
    close(fd);
    assert_true(map_file(&m, path, NULL));
    assert_int_equal(little(m.data + 4, 2), 45);
    assert_int_equal(little(m.data + 22, 4), UINT32_MAX);
    assert_int_equal(little(m.data + 31, 2), 1);
    assert_true(little(m.data + 35, 8) == size);
    unmap_file(&m);
    if (getenv("GPUSIGHT_TEST_KEEP"))
        assert_int_equal(rename(path, getenv("GPUSIGHT_TEST_KEEP")), 0);
    fd = open_empty();
    z = zip_new(fd, &arena);
    zip_begin(z, "a", 0);
    for (uint64_t at = 0; at < size; at += BLOCK)
        zip_put(z, bytes, BLOCK);
    zip_end(z);
    assert_false(zip_finish(z)); /* nobody said that it would be large */
    close(fd);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(parts_come_out_as_they_went_in),
        unit_test(a_full_disk_is_told),
        unit_test(large_parts_need_longer_numbers),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
