/* Focus of this file: plain, gzip and zstd input from files, whole, cut and damaged. */
#define _GNU_SOURCE /* nftw */
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/input.h"
#include "base/jread.h"
#include "base/mem.h"
#include "config.h"
#include "scratch.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

struct bytes {
    char *data;
    size_t n;
};

static char fifo[128];

static int make_dir(void **state)
{
    if (scratch_make(state))
        return -1;
    snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
    return mkfifo(fifo, 0600);
}

/* Text that compresses some, never the same twice in a row. */
static struct bytes make_text(size_t n)
{
    struct bytes b = {malloc(n + 32), n};
    assert_non_null(b.data);
    uint64_t x = 88172645463325252u;
    for (size_t at = 0; at < n;) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        at += (size_t)snprintf(b.data + at, 32, "%llu\n", (unsigned long long)(x >> 20));
    }
    return b;
}

static struct bytes gzip(const void *data, size_t n)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    struct bytes b = {malloc(deflateBound(&z, n)), 0};
    assert_non_null(b.data);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)n;
    z.next_out = (Bytef *)b.data;
    z.avail_out = (uInt)deflateBound(&z, n);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    b.n = z.total_out;
    deflateEnd(&z);
    return b;
}

/* a and b behind each other; both stay the caller's. */
static struct bytes join(struct bytes a, struct bytes b)
{
    struct bytes c = {malloc(a.n + b.n + 1), a.n + b.n};
    assert_non_null(c.data);
    memcpy(c.data, a.data, a.n);
    memcpy(c.data + a.n, b.data, b.n);
    return c;
}

/* Reads to the end in steps of `step`; what came before an error must be right, too. */
static bool read_matches(struct input *in, struct bytes want, size_t step)
{
    char *buf = malloc(step);
    size_t at = 0;
    ptrdiff_t got;
    assert_non_null(buf);
    while ((got = input_read(in, buf, step)) > 0) {
        assert_true((size_t)got <= step && (size_t)got <= want.n - at);
        assert_memory_equal(buf, want.data + at, (size_t)got);
        at += (size_t)got;
    }
    free(buf);
    if (got == 0)
        assert_int_equal(at, want.n);
    return got == 0;
}

static void check_file(struct bytes want, size_t step)
{
    struct input in;
    struct gs_error err = {0};
    assert_true(input_open_within(&in, NULL, path, &err));
    assert_true(read_matches(&in, want, step));
    assert_true(input_error(&in, &err));
    assert_int_equal(input_read(&in, (char[1]){0}, 1), 0);
    assert_int_equal(input_total_bytes(&in), input_consumed_bytes(&in));
    input_close(&in);
    input_close(&in);
}

/* The file has to give a beginning of want and then this error. */
static void check_broken(struct bytes want, const char *why)
{
    struct input in;
    struct gs_error err = {0};
    char text[256];
    assert_true(input_open_within(&in, NULL, path, &err));
    assert_false(read_matches(&in, want, 1000));
    assert_true(input_read(&in, text, 1) < 0);
    assert_false(input_error(&in, NULL));
    assert_false(input_error(&in, &err));
    assert_int_equal(err.code, GS_E_FORMAT);
    snprintf(text, sizeof(text), "cannot read '%s': %s", path, why);
    assert_string_equal(err.text, text);
    input_close(&in);
}

static void reads_plain_files(void **state)
{
    (void)state;
    struct bytes text = make_text(3000000);
    for (size_t n = 0; n <= 6; n++) {
        scratch_write(text.data, n);
        check_file((struct bytes){text.data, n}, 3);
    }
    scratch_write(text.data, text.n);
    check_file(text, 1 << 20);
    check_file(text, 777);
    free(text.data);
}

static void open_reports_what_fails(void **state)
{
    (void)state;
    struct input in;
    struct gs_error err = {0};
    assert_false(input_open_within(&in, NULL, "/nonexistent/x", &err));
    assert_int_equal(err.code, GS_E_IO);
    assert_string_equal(err.text, "cannot open '/nonexistent/x': No such file or directory");
    input_close(&in);
    assert_false(input_open_within(&in, NULL, dir, &err));
    assert_int_equal(err.code, GS_E_IO);
    assert_non_null(strstr(err.text, "Is a directory"));
    assert_false(input_open_within(&in, NULL, dir, NULL));
    assert_true(input_read(&in, (char[1]){0}, 1) < 0);
    assert_int_equal(input_consumed_bytes(&in) + input_total_bytes(&in), 0);
    assert_true(input_error(&in, NULL));
}

static void reads_gzip(void **state)
{
    (void)state;
    struct bytes text = make_text(5000000);
    struct bytes gz = gzip(text.data, text.n), empty = gzip("", 0);
    scratch_write(gz.data, gz.n);
    check_file(text, 1 << 20);
    check_file(text, 4097);
    scratch_write(empty.data, empty.n);
    check_file((struct bytes){text.data, 0}, 10);

    struct bytes two = join(gz, empty), three = join(two, gz), twice = join(text, text);
    scratch_write(three.data, three.n);
    check_file(twice, 1 << 20);

    static const char *const garbage[] = {"x", "\x1f", "\x1f\x8b", "no member", "\n\n\n\n\n\n"};
    for (size_t i = 0; i < 5; i++) {
        struct bytes tail = {(char *)(uintptr_t)garbage[i], strlen(garbage[i])};
        struct bytes all = join(gz, tail);
        scratch_write(all.data, all.n);
        check_file(text, 1 << 20);
        free(all.data);
    }
    static char zeros[600000]; /* more than a buffer of padding */
    struct bytes padded = join(gz, (struct bytes){zeros, sizeof(zeros)});
    struct input in;
    scratch_write(padded.data, padded.n);
    assert_true(input_open_within(&in, NULL, path, NULL));
    assert_true(read_matches(&in, text, 1 << 20));
    input_close(&in);
    free(text.data), free(gz.data), free(empty.data), free(two.data), free(three.data);
    free(twice.data), free(padded.data);
}

static void broken_gzip_is_an_error(void **state)
{
    (void)state;
    struct bytes text = make_text(2000), gz = gzip(text.data, text.n), twice = join(text, text);
    for (size_t n = 2; n < gz.n; n++) {
        scratch_write(gz.data, n);
        check_broken(text, "the file ends too early");
    }
    struct bytes two = join(gz, gz);
    for (size_t n = gz.n + 4; n < two.n; n += 13) {
        scratch_write(two.data, n);
        check_broken(twice, "the file ends too early");
    }
    gz.data[gz.n - 6] ^= 1; /* the checksum */
    scratch_write(gz.data, gz.n);
    check_broken(text, "the gzip data is damaged");
    gz.data[2] = 7; /* the method */
    scratch_write(gz.data, gz.n);
    check_broken(text, "the gzip data is damaged");
    free(text.data), free(gz.data), free(two.data), free(twice.data);
}

#ifdef HAVE_ZSTD

static struct bytes zstd(const void *data, size_t n)
{
    struct bytes b = {malloc(ZSTD_compressBound(n)), 0};
    assert_non_null(b.data);
    b.n = ZSTD_compress(b.data, ZSTD_compressBound(n), data, n, 1);
    assert_false(ZSTD_isError(b.n));
    return b;
}

static void reads_zstd(void **state)
{
    (void)state;
    struct bytes text = make_text(5000000), twice = join(text, text);
    struct bytes z = zstd(text.data, text.n);
    struct bytes skippable = {(char *)(uintptr_t) "\x50\x2a\x4d\x18\x02\0\0\0xx", 10};
    struct bytes garbage = {(char *)(uintptr_t) "garbage", 7};
    struct bytes a = join(z, skippable), b = join(a, z), c = join(b, garbage);
    scratch_write(z.data, z.n);
    check_file(text, 1 << 20);
    check_file(text, 5555);
    scratch_write(b.data, b.n);
    check_file(twice, 1 << 20);
    scratch_write(c.data, c.n);
    check_file(twice, 1 << 20);
    free(text.data), free(twice.data), free(z.data), free(a.data), free(b.data), free(c.data);
}

static void broken_zstd_is_an_error(void **state)
{
    (void)state;
    struct bytes text = make_text(2000), z = zstd(text.data, text.n);
    for (size_t n = 4; n < z.n; n++) {
        scratch_write(z.data, n);
        check_broken(text, "the file ends too early");
    }
    z.data[4] = (char)(z.data[4] | 0x08); /* a reserved bit */
    scratch_write(z.data, z.n);
    check_broken(text, "the zstd data is damaged");
    free(text.data), free(z.data);
}

#else

static void reads_zstd(void **state)
{
    (void)state;
    struct input in;
    struct gs_error err = {0};
    char text[256];
    scratch_write("\x28\xb5\x2f\xfd....", 8);
    assert_false(input_open_within(&in, NULL, path, &err));
    assert_int_equal(err.code, GS_E_FORMAT);
    snprintf(text, sizeof(text), "'%s' is zstd-compressed; this gpusight was built without zstd",
             path);
    assert_string_equal(err.text, text);
}

static void broken_zstd_is_an_error(void **state)
{
    (void)state;
    skip();
}

#endif

static void peeking_consumes_nothing(void **state)
{
    (void)state;
    struct bytes text = make_text(300000), gz = gzip(text.data, text.n);
    static char buf[INPUT_PEEK_MAX + 1];
    for (int packed = 0; packed < 2; packed++) {
        struct input in;
        size_t got;
        scratch_write(packed ? gz.data : text.data, packed ? gz.n : text.n);
        assert_true(input_open_within(&in, NULL, path, NULL));
        for (size_t n = 0; n < 9; n++) {
            assert_true(input_peek(&in, buf, n, &got));
            assert_int_equal(got, n);
            assert_memory_equal(buf, text.data, n);
        }
        assert_true(input_peek(&in, buf, sizeof(buf), &got));
        assert_int_equal(got, INPUT_PEEK_MAX);
        assert_memory_equal(buf, text.data, got);
        assert_int_equal(input_read(&in, buf, 5), 5);
        assert_true(input_peek(&in, buf, INPUT_PEEK_MAX, &got));
        assert_int_equal(got, INPUT_PEEK_MAX);
        assert_memory_equal(buf, text.data + 5, got);
        size_t at = 5;
        while (at < 200000)
            at += (size_t)input_read(&in, buf, 100);
        assert_true(input_peek(&in, buf, 100, &got)); /* now from the thread */
        assert_memory_equal(buf, text.data + at, 100);
        assert_true(read_matches(&in, (struct bytes){text.data + at, text.n - at}, 1000));
        assert_true(input_peek(&in, buf, 1, &got));
        assert_int_equal(got, 0);
        input_close(&in);
    }
    struct input in;
    size_t got;
    scratch_write(gz.data, 30);
    assert_true(input_open_within(&in, NULL, path, NULL));
    assert_false(input_peek(&in, buf, INPUT_PEEK_MAX, &got));
    assert_false(input_error(&in, NULL));
    assert_memory_equal(buf, text.data, got);
    assert_false(read_matches(&in, text, 7));
    input_close(&in);
    scratch_write("ab", 2);
    assert_true(input_open_within(&in, NULL, path, NULL));
    assert_true(input_peek(&in, buf, 10, &got));
    assert_int_equal(got, 2);
    input_close(&in);
    assert_false(input_peek(&in, buf, 10, &got));
    free(text.data), free(gz.data);
}

static void pause_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static void closing_early_is_fine(void **state)
{
    (void)state;
    struct bytes text = make_text(5000000), gz = gzip(text.data, text.n);
    scratch_write(gz.data, gz.n);
    for (int reads = 0; reads < 4; reads++) {
        struct input in;
        char buf[16];
        assert_true(input_open_within(&in, NULL, path, NULL));
        for (int i = 0; i < reads; i++)
            assert_int_equal(input_read(&in, buf, sizeof(buf)), sizeof(buf));
        if (reads == 3)
            pause_a_little(); /* the thread waits for an empty buffer */
        input_close(&in);
    }
    free(text.data), free(gz.data);
}

/* A FIFO that nobody writes to must not stop the program, nor may one be read. */
static void pipes_are_refused(void **state)
{
    (void)state;
    struct input in;
    struct gs_error err;
    assert_false(input_open_within(&in, NULL, fifo, &err));
    assert_int_equal(err.code, GS_E_IO);
    assert_non_null(strstr(err.text, "not a regular file"));
    assert_false(input_open_within(&in, dir, fifo, &err));
    assert_non_null(strstr(err.text, "not a regular file"));
}

/* What the user named may be a link; what lies in a folder may not lead out of it. */
static void links_in_folders_are_not_followed(void **state)
{
    (void)state;
    struct input in;
    struct gs_error err;
    char link[80], below[80], up[192];
    scratch_write("hello", 5);
    snprintf(link, sizeof(link), "%s/link", dir);
    snprintf(below, sizeof(below), "%s/link/file", dir);
    snprintf(up, sizeof(up), "%s/../%s", dir, path + 1);
    assert_int_equal(symlink(path, link), 0);
    assert_true(input_open_within(&in, NULL, link, &err));
    input_close(&in);
    assert_true(input_open_within(&in, link, link, &err));
    input_close(&in);
    assert_true(input_open_within(&in, dir, path, &err));
    input_close(&in);
    assert_false(input_open_within(&in, dir, link, &err));
    assert_non_null(strstr(err.text, "links are not followed"));
    assert_false(input_open_within(&in, dir, up, &err));
    unlink(link);
    assert_int_equal(symlink(dir, link), 0);
    assert_false(input_open_within(&in, dir, below, &err));
    assert_non_null(strstr(err.text, "links are not followed"));
    unlink(link);
}

/* What a file of some size may unpack to; what follows a member does not matter here. */
static void more_may_come_of_small_files(void **state)
{
    (void)state;
    static const struct {
        off_t file;
        uint64_t most;
    } steps[] = {{4096, (uint64_t)64 << 20},
                 {1 << 19, (uint64_t)100 << 20},
                 {1 << 20, (uint64_t)128 << 20},
                 {10 << 20, (uint64_t)640 << 20}};
    struct bytes gz = gzip("x", 1);
    struct gs_error err;
    struct input in;
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
        scratch_write(gz.data, gz.n);
        assert_int_equal(truncate(path, steps[i].file), 0);
        assert_true(input_open_within(&in, NULL, path, &err));
        assert_true(input_may_hold(&in, steps[i].most, &err));
        assert_false(input_may_hold(&in, steps[i].most + 1, &err));
        input_close(&in);
    }
    free(gz.data);
}

/* 100 MB of nothing in 100 kB: refused on the way, allowed on demand. */
static void bombs_are_refused(void **state)
{
    (void)state;
    enum { N = 100 << 20 };
    char *zeros = calloc(1, N), buf[4096];
    assert_non_null(zeros);
    struct bytes gz = gzip(zeros, N);
    struct gs_error err;
    struct input in;
    free(zeros);
    scratch_write(gz.data, gz.n);
    for (int allowed = 0; allowed < 2; allowed++) {
        size_t n = 0;
        ptrdiff_t got;
        input_allow_unpacked(allowed ? N : 0);
        assert_true(input_open_within(&in, NULL, path, &err));
        assert_int_equal(input_may_hold(&in, N, &err), allowed);
        while ((got = input_read(&in, buf, sizeof(buf))) > 0)
            n += (size_t)got;
        assert_int_equal(input_error(&in, &err), allowed);
        assert_int_equal(n == N, allowed);
        if (!allowed) {
            assert_int_equal(err.code, GS_E_FORMAT);
            assert_non_null(strstr(err.text, "--max-unpacked"));
        }
        input_close(&in);
    }
    input_allow_unpacked(0);
    free(gz.data);
}

static void feeds_the_json_reader(void **state)
{
    (void)state;
    enum { N = 300000 };
    char *json = malloc(16 * N);
    size_t n = 1;
    assert_non_null(json);
    json[0] = '[';
    for (int i = 0; i < N; i++)
        n += (size_t)snprintf(json + n, 16, "%d,\n", i);
    json[n - 2] = ']';
    struct bytes gz = gzip(json, n);
    for (int cut = 0; cut < 2; cut++) {
        struct input in;
        struct jread j;
        struct gs_error err = {0};
        int64_t sum = 0;
        scratch_write(gz.data, cut ? gz.n / 2 : gz.n);
        assert_true(input_open_within(&in, NULL, path, &err));
        jr_stream(&j, input_read, &in);
        if (jr_array(&j))
            while (jr_item(&j))
                sum += jr_int(&j, 0);
        assert_int_equal(jr_end(&j, &err), !cut);
        assert_int_equal(input_error(&in, &err), !cut);
        if (cut)
            assert_non_null(strstr(err.text, "the file ends too early"));
        else
            assert_int_equal(sum, (int64_t)N * (N - 1) / 2);
        jr_release(&j);
        input_close(&in);
    }
    free(json), free(gz.data);
}

/* Each allocation fails once: an error, or (buffers of the thread) work without a thread. */
static void shortage_of_memory(void **state)
{
    (void)state;
    struct bytes text = make_text(2000000), gz = gzip(text.data, text.n);
    size_t held = mem_held();
    int errors = 0, sound = 0;
    for (int packed = 0; packed < 2; packed++) {
        scratch_write(packed ? gz.data : text.data, packed ? gz.n : text.n);
        for (int64_t n = 0; n < 12; n++) {
            struct input in;
            struct gs_error err = {0};
            mem_fail_after(n);
            bool ok = input_open_within(&in, NULL, path, &err) && read_matches(&in, text, 100000);
            mem_fail_never();
            if (ok)
                sound++;
            else if (err.code == GS_OK)
                assert_false(input_error(&in, &err));
            if (!ok) {
                errors++;
                assert_int_equal(err.code, GS_E_IO);
                assert_non_null(strstr(err.text, "out of memory"));
            }
            input_close(&in);
            assert_int_equal(mem_held(), held);
        }
    }
    assert_true(errors >= 8 && sound >= 4);
    free(text.data), free(gz.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_plain_files),
        cmocka_unit_test(open_reports_what_fails),
        cmocka_unit_test(reads_gzip),
        cmocka_unit_test(broken_gzip_is_an_error),
        cmocka_unit_test(reads_zstd),
        cmocka_unit_test(broken_zstd_is_an_error),
        cmocka_unit_test(peeking_consumes_nothing),
        cmocka_unit_test(closing_early_is_fine),
        cmocka_unit_test(pipes_are_refused),
        cmocka_unit_test(links_in_folders_are_not_followed),
        cmocka_unit_test(bombs_are_refused),
        cmocka_unit_test(more_may_come_of_small_files),
        cmocka_unit_test(feeds_the_json_reader),
        cmocka_unit_test(shortage_of_memory),
    };
    return cmocka_run_group_tests(tests, make_dir, scratch_remove);
}
