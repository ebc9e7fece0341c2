/*
 * Fuzzing compressed input: the bytes say which members follow each other in a file, how each is
 * packed, and what is broken. What comes out must be what went in, up to the first thing that is
 * broken at least, the same in large and in small steps; and no more than may be unpacked.
 *
 * A member is a byte for its kind, one for how often its text is repeated, one for the length of its
 * text, and the text. The bytes as they are are read as well.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/input.h"
#include "base/str.h"
#include "config.h"
#include "harness.h"
#include "ingest/unpack.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* zstd makes room for the window that a frame names, up to this, and touches what it fills. */
extern const size_t fuzz_reserved;
const size_t fuzz_reserved = 129 << 20;

enum { MEMBERS = 8, MOST_TEXT = 1 << 19, MOST_KEPT = MEMBERS * MOST_TEXT };
enum kind { GZIP, ZSTD, BROKEN, CUT, KINDS }; /* the last two: what was done to the one before */

struct made {
    struct str file, text;
    enum kind first;
    bool ended;      /* by a member of another kind, which nobody reads */
    bool sound;      /* all that is in the text comes out */
    size_t sound_to; /* bytes of text before anything that is broken */
};

static void put_gzip(struct str *to, const struct str *text)
{
    z_stream z = {0};
    must(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "gzip");
    size_t most = deflateBound(&z, text->len);
    Bytef *out = malloc(most);
    z.next_in = (Bytef *)(uintptr_t)(text->buf ? text->buf : "");
    z.avail_in = (uInt)text->len;
    z.next_out = out;
    z.avail_out = (uInt)most;
    must(out && deflate(&z, Z_FINISH) == Z_STREAM_END, "gzip");
    str_put(to, (const char *)out, z.total_out);
    deflateEnd(&z);
    free(out);
}

#ifdef HAVE_ZSTD
static void put_zstd(struct str *to, const struct str *text)
{
    size_t most = ZSTD_compressBound(text->len);
    char *out = malloc(most);
    size_t n = out ? ZSTD_compress(out, most, text->buf ? text->buf : "", text->len, 1) : 0;
    must(n && !ZSTD_isError(n), "zstd");
    str_put(to, out, n);
    free(out);
}
#endif

/* A build that does not read zstd gets gzip in its place. */
static void (*const put_member[])(struct str *to, const struct str *text) = {
    [GZIP] = put_gzip,
#ifdef HAVE_ZSTD
    [ZSTD] = put_zstd,
#else
    [ZSTD] = NULL,
#endif
};

static void add_member(struct made *m, enum kind kind, unsigned times, const char *text, size_t n,
                       struct arena *a)
{
    struct str one;
    str_init(&one, a);
    for (unsigned i = 0; i <= times && one.len + n < MOST_TEXT; i++)
        str_put(&one, text, n);
    if (!m->file.len)
        m->first = kind;
    m->ended |= kind != m->first;
    put_member[kind](&m->file, &one);
    if (!m->ended)
        str_put(&m->text, one.buf ? one.buf : "", one.len);
}

/* A byte of the last member is another one, or the file ends there. */
static void break_member(struct made *m, enum kind how, size_t last_file, size_t last_text,
                         size_t where)
{
    size_t at = last_file + where % (m->file.len - last_file);
    if (!m->ended) {
        m->sound = false;
        m->sound_to = last_text;
    }
    if (how == CUT)
        m->file.len = at;
    else
        m->file.buf[at] ^= (char)(1 + where % 255);
}

static void make(struct made *m, const uint8_t *p, size_t n, struct arena *a)
{
    size_t last_file = 0, last_text = 0;
    for (int i = 0; i < MEMBERS && n >= 3 && m->sound && !m->ended; i++) {
        enum kind kind = p[0] % KINDS;
        unsigned times = p[1], len = p[2];
        p += 3;
        n -= 3;
        len = len < n ? len : (unsigned)n;
        if (kind == GZIP || kind == ZSTD) {
            last_file = m->file.len;
            last_text = m->text.len;
            add_member(m, put_member[kind] ? kind : GZIP, times, (const char *)p, len, a);
            m->sound_to = m->text.len;
        } else if (last_file < m->file.len) {
            break_member(m, kind, last_file, last_text, times << 8 | len);
        }
        p += len;
        n -= len;
    }
}

/* What comes out in steps of so many bytes, its beginning; false where it ends in an error. */
static bool read_all(struct str *out, const char *path, size_t step)
{
    struct input in;
    struct gs_error err = {0};
    char buf[4096];
    ptrdiff_t n;
    if (!input_open_within(&in, NULL, path, &err)) {
        must_be_one_line(&err);
        return false;
    }
    while ((n = input_read(&in, buf, step)) > 0)
        if (out->len < MOST_KEPT)
            str_put(out, buf, (size_t)n);
    bool ok = input_error(&in, &err);
    must(ok == (n == 0), "an error is told, and only then");
    if (!ok)
        must_be_one_line(&err);
    input_close(&in);
    return ok;
}

static void check(const struct made *m, const char *path, struct arena *a)
{
    struct str whole, pieces;
    str_init(&whole, a);
    str_init(&pieces, a);
    bool ok = read_all(&whole, path, 4096);
    must(ok == read_all(&pieces, path, 1 + m->file.len % 97), "large and small steps agree");
    must(!ok || (whole.len == pieces.len && !memcmp(whole.buf, pieces.buf, whole.len)),
         "large and small steps give the same");
    size_t least = m->sound_to < whole.len ? m->sound_to : whole.len;
    must(!m->sound || (ok && whole.len == m->text.len), "all of it comes out");
    must(!ok || whole.len >= m->sound_to, "what is sound comes out");
    must(!least || !memcmp(whole.buf, m->text.buf, least), "as it went in");
}

static void as_database(const char *path)
{
    struct unpacked u;
    struct gs_error err = {0};
    if (unpack_open(&u, path, UNPACK_ALL, &err))
        unpack_close(&u);
    else
        must_be_one_line(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct made m = {.sound = true};
    arena_init(&a);
    str_init(&m.file, &a);
    str_init(&m.text, &a);
    make(&m, data, size, &a);
    const char *path = as_file((const uint8_t *)(m.file.buf ? m.file.buf : ""), m.file.len);
    check(&m, path, &a);
    as_database(path);

    struct str out;
    str_init(&out, &a);
    path = as_file(data, size);
    read_all(&out, path, 4096);
    as_database(path);
    arena_release(&a);
    return 0;
}
