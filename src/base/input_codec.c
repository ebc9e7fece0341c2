#include "base/input_codec.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/human.h"
#include "base/mem.h"
#include "config.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

/*
 * Honest traces shrink to a 30th at best. What is small may shrink as much as it likes; what fits into
 * memory without harm more than what does not.
 */
#define MOST_RATIO 200
#define LARGE_RATIO 64
#define ALWAYS_ALLOWED ((uint64_t)64 << 20)
#define LARGE ((uint64_t)128 << 20)

/* Of the process, set once before anything is opened; 0: by the size of the file. */
static uint64_t most_unpacked;

void codec_allow(uint64_t bytes)
{
    most_unpacked = bytes;
}

uint64_t codec_allowed(void)
{
    return most_unpacked;
}

uint64_t codec_most(const struct codec *c)
{
    if (most_unpacked)
        return most_unpacked;
    uint64_t total = c->total < UINT64_MAX / MOST_RATIO ? c->total : UINT64_MAX / MOST_RATIO;
    uint64_t most = total * MOST_RATIO < LARGE ? total * MOST_RATIO : LARGE;
    if (most < total * LARGE_RATIO)
        most = total * LARGE_RATIO;
    return most < ALWAYS_ALLOWED ? ALWAYS_ALLOWED : most;
}

/* Always returns -1. */
static ptrdiff_t codec_fail(struct codec *c, enum gs_code code, const char *why)
{
    if (!c->failed)
        fail(&c->err, code, "cannot read '%s': %s", c->path, why);
    c->failed = true;
    return -1;
}

bool codec_too_large(const struct codec *c, struct gs_error *err)
{
    char packed[HUMAN_MAX], most[HUMAN_MAX];
    return fail(err, GS_E_FORMAT,
                "cannot read '%s': its %s unpack to more than %s; where that is right, "
                "--max-unpacked SIZE allows more",
                c->path, human_bytes(packed, c->total), human_bytes(most, codec_most(c)));
}

static ptrdiff_t codec_truncated(struct codec *c)
{
    return codec_fail(c, GS_E_FORMAT, "the file ends too early");
}

static ptrdiff_t read_fd(struct codec *c, void *buf, size_t n)
{
    ssize_t got;
    do
        got = read(c->fd, buf, n < SSIZE_MAX ? n : SSIZE_MAX);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return codec_fail(c, GS_E_IO, strerror(errno));
    atomic_fetch_add_explicit(&c->consumed, (unsigned long long)got, memory_order_relaxed);
    return got;
}

/* At least n unread bytes in raw, fewer only at the end of the file; false on error. */
static bool raw_need(struct codec *c, size_t n)
{
    if (c->raw_len - c->raw_at >= n)
        return true;
    memmove(c->raw, c->raw + c->raw_at, c->raw_len - c->raw_at);
    c->raw_len -= c->raw_at;
    c->raw_at = 0;
    while (c->raw_len < n) {
        ptrdiff_t got = read_fd(c, c->raw + c->raw_len, CODEC_RAW - c->raw_len);
        if (got <= 0)
            return got == 0;
        c->raw_len += (size_t)got;
    }
    return true;
}

static bool raw_begins(const struct codec *c, const char *magic, size_t n)
{
    return c->raw_len - c->raw_at >= n && memcmp(c->raw + c->raw_at, magic, n) == 0;
}

static ptrdiff_t read_plain(struct codec *c, char *buf, size_t n)
{
    size_t left = c->raw_len - c->raw_at;
    if (!left)
        return read_fd(c, buf, n);
    if (n > left)
        n = left;
    memcpy(buf, c->raw + c->raw_at, n);
    c->raw_at += n;
    return (ptrdiff_t)n;
}

static voidpf z_alloc(voidpf unused, uInt items, uInt size)
{
    (void)unused;
    return mem_try_alloc((size_t)items * size);
}

static void z_free(voidpf unused, voidpf p)
{
    (void)unused;
    mem_free(p);
}

static bool start_gzip(struct codec *c)
{
    c->z.zalloc = z_alloc;
    c->z.zfree = z_free;
    c->z_ready = inflateInit2(&c->z, 15 + 16) == Z_OK; /* 16: with the header of gzip */
    return c->z_ready;
}

/* One step; *out gets the bytes made. False on error. */
static bool step_gzip(struct codec *c, char *buf, size_t n, size_t *out)
{
    uInt room = n < UINT_MAX ? (uInt)n : UINT_MAX;
    c->z.next_in = c->raw + c->raw_at;
    c->z.avail_in = (uInt)(c->raw_len - c->raw_at);
    c->z.next_out = (Bytef *)buf;
    c->z.avail_out = room;
    int rc = inflate(&c->z, Z_NO_FLUSH);
    c->raw_at = c->raw_len - c->z.avail_in;
    *out = room - c->z.avail_out;
    if (rc == Z_STREAM_END) {
        c->inside = false;
        return inflateReset(&c->z) == Z_OK;
    }
    if (rc == Z_MEM_ERROR)
        return codec_fail(c, GS_E_IO, "out of memory") == 0;
    if (rc != Z_OK && rc != Z_BUF_ERROR)
        return codec_fail(c, GS_E_FORMAT, "the gzip data is damaged") == 0;
    return true;
}

#ifdef HAVE_ZSTD

static bool start_zstd(struct codec *c)
{
    c->zstd = ZSTD_createDCtx();
    return c->zstd != NULL;
}

static bool step_zstd(struct codec *c, char *buf, size_t n, size_t *out)
{
    ZSTD_inBuffer in = {c->raw, c->raw_len, c->raw_at};
    ZSTD_outBuffer to = {buf, n, 0};
    size_t rc = ZSTD_decompressStream(c->zstd, &to, &in);
    c->raw_at = in.pos;
    *out = to.pos;
    if (ZSTD_isError(rc)) {
        ZSTD_ErrorCode why = ZSTD_getErrorCode(rc);
        if (why == ZSTD_error_memory_allocation)
            return codec_fail(c, GS_E_IO, "out of memory") == 0;
        if (why == ZSTD_error_frameParameter_windowTooLarge)
            return codec_fail(c, GS_E_FORMAT,
                              "the zstd window is too large; recompress without --long") == 0;
        return codec_fail(c, GS_E_FORMAT, "the zstd data is damaged") == 0;
    }
    c->inside = rc != 0;
    return true;
}

#else

static bool start_zstd(struct codec *c)
{
    fail(&c->err, GS_E_FORMAT, "'%s' is zstd-compressed; this gpusight was built without zstd",
         c->path);
    c->failed = true;
    return false;
}

static bool step_zstd(struct codec *c, char *buf, size_t n, size_t *out)
{
    (void)c, (void)buf, (void)n, (void)out;
    return false;
}

#endif

/* Whether another member begins at the bytes at hand; a zstd frame may also be a skippable one. */
static bool member_begins(const struct codec *c)
{
    const unsigned char *p = c->raw + c->raw_at;
    if (c->kind == CODEC_GZIP)
        return raw_begins(c, "\x1f\x8b\x08", 3);
    if (c->raw_len - c->raw_at < 4)
        return false;
    return raw_begins(c, "\x28\xb5\x2f\xfd", 4) ||
           ((p[0] & 0xf0) == 0x50 && memcmp(p + 1, "\x2a\x4d\x18", 3) == 0);
}

ptrdiff_t codec_read(struct codec *c, char *buf, size_t n)
{
    size_t out = 0;
    if (c->failed)
        return -1;
    if (c->done || !n)
        return 0;
    if (c->kind == CODEC_PLAIN)
        return read_plain(c, buf, n);
    while (!out) {
        if (!raw_need(c, c->inside ? 1 : 4))
            return -1;
        if (!c->inside && !member_begins(c)) {
            c->done = true;
            return 0;
        }
        bool input = c->raw_at < c->raw_len;
        c->inside = true;
        bool ok = c->kind == CODEC_GZIP ? step_gzip(c, buf, n, &out) : step_zstd(c, buf, n, &out);
        if (!ok)
            return out ? (ptrdiff_t)out : -1;
        if (!input && !out && c->inside)
            return codec_truncated(c);
    }
    c->made += out;
    if (c->made <= codec_most(c))
        return (ptrdiff_t)out;
    c->failed = true;
    codec_too_large(c, &c->err);
    return -1;
}

bool codec_open(struct codec *c, const char *root, const char *path, struct gs_error *err)
{
    memset(c, 0, sizeof(*c));
    c->path = path;
    c->fd = root ? fs_open_within(root, path, err) : fs_open(path, err);
    if (c->fd < 0)
        return false;
    struct stat st;
    if (fstat(c->fd, &st) == 0)
        c->total = (uint64_t)st.st_size;
    c->raw = mem_try_alloc(CODEC_RAW);
    if (!c->raw)
        return fail(err, GS_E_IO, "out of memory");
    if (!raw_need(c, 4)) {
        if (err)
            *err = c->err;
        return false;
    }
    bool ok = true;
    if (raw_begins(c, "\x1f\x8b", 2)) {
        c->kind = CODEC_GZIP;
        ok = start_gzip(c);
    } else if (raw_begins(c, "\x28\xb5\x2f\xfd", 4)) {
        c->kind = CODEC_ZSTD;
        ok = start_zstd(c);
    }
    c->inside = c->kind != CODEC_PLAIN; /* so that a cut first member is an error */
    if (!ok && !c->failed)
        codec_fail(c, GS_E_IO, "out of memory");
    if (!ok && err)
        *err = c->err;
    return ok;
}

void codec_close(struct codec *c)
{
    if (c->z_ready)
        inflateEnd(&c->z);
#ifdef HAVE_ZSTD
    ZSTD_freeDCtx(c->zstd);
#endif
    mem_free(c->raw);
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    c->raw = NULL;
    c->zstd = NULL;
    c->z_ready = false;
}
