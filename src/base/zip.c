#include "base/zip.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/fs_out.h"
#include "base/vec.h"

enum {
    BUFFER = 1 << 18,
    HEAD = 30,        /* bytes before the name of a part */
    ROOM = 20,        /* of a large part, kept for its sizes */
    LEVEL = 1,        /* of XML an eighth more than the usual one gives, in a third of the time */
    DATE = 1 << 5 | 1 /* the first day that zip knows */
};

struct part {
    const char *name;
    uint64_t at, size, packed;
    uint32_t crc;
    bool large;
};

struct zip {
    int fd, error;
    struct arena *arena;
    z_stream stream;
    VEC(struct part) parts;
    uint64_t written; /* bytes before the buffer */
    size_t held;
    unsigned char buffer[BUFFER];
};

static void *give_memory(void *arena, uInt n, uInt size)
{
    return arena_alloc(arena, (size_t)n * size);
}

static void take_memory(void *arena, void *p)
{
    (void)arena, (void)p; /* all of it goes with the arena */
}

static void end_stream(void *z)
{
    deflateEnd(&((struct zip *)z)->stream);
}

struct zip *zip_new(int fd, struct arena *a)
{
    struct zip *z = arena_new(a, struct zip);
    z->fd = fd;
    z->arena = a;
    z->stream = (z_stream){.zalloc = give_memory, .zfree = take_memory, .opaque = a};
    if (deflateInit2(&z->stream, LEVEL, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        z->error = ENOMEM;
    else
        arena_defer(a, end_stream, z);
    return z;
}

bool zip_failed(const struct zip *z)
{
    return z->error;
}

static void write_out(struct zip *z)
{
    if (!z->error && !fs_write_all(z->fd, z->buffer, z->held))
        z->error = errno;
    z->written += z->held;
    z->held = 0;
}

/* ---- numbers, the lowest byte first ---- */

struct record {
    unsigned char bytes[HEAD + ROOM + 64];
    size_t n;
};

static void add(struct record *r, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++, v >>= 8)
        r->bytes[r->n++] = (unsigned char)v;
}

/* A number of four bytes; the largest says that it stands elsewhere. */
static void add_short(struct record *r, uint64_t v)
{
    add(r, v < UINT32_MAX ? v : UINT32_MAX, 4);
}

static void put(struct zip *z, const void *bytes, size_t n)
{
    if (n > BUFFER - z->held)
        write_out(z);
    memcpy(z->buffer + z->held, bytes, n); /* no record and no name is that large */
    z->held += n;
}

static void put_record(struct zip *z, const struct record *r)
{
    put(z, r->bytes, r->n);
}

/* ---- parts ---- */

static bool is_huge(const struct part *p)
{
    return p->size >= UINT32_MAX || p->packed >= UINT32_MAX;
}

/* What a part has in common in both places, from the version that is needed to its sizes. */
static void add_facts(struct record *r, const struct part *p, bool newer)
{
    add(r, newer ? 45 : 20, 2);
    add(r, 0, 2); /* the name is ASCII */
    add(r, Z_DEFLATED, 2);
    add(r, 0, 2);
    add(r, DATE, 2);
    add(r, p->crc, 4);
    add_short(r, is_huge(p) ? UINT32_MAX : p->packed);
    add_short(r, is_huge(p) ? UINT32_MAX : p->size);
    add(r, strlen(p->name), 2);
}

/* Before a part; `room` gets what follows its name. */
static void head_of(const struct part *p, struct record *head, struct record *room)
{
    add(head, 0x04034b50, 4);
    add_facts(head, p, is_huge(p));
    add(head, p->large ? ROOM : 0, 2);
    if (!p->large)
        return;
    add(room, is_huge(p) ? 0x0001 : 0xa220, 2); /* sizes, or the growth hint of office files */
    add(room, ROOM - 4, 2);
    add(room, is_huge(p) ? p->size : 0xa028, 8);
    add(room, is_huge(p) ? p->packed : 0, 8);
}

void zip_begin(struct zip *z, const char *name, int flags)
{
    struct record head = {.n = 0}, room = {.n = 0};
    struct part p = {.name = arena_strdup(z->arena, name), .large = flags & ZIP_LARGE};
    if (BUFFER - z->held < HEAD + ROOM + strlen(name))
        write_out(z); /* a head lies in the file or in the buffer, not in both */
    p.at = z->written + z->held;
    p.crc = (uint32_t)crc32(0, NULL, 0);
    vec_push(&z->parts, z->arena, p);
    head_of(&p, &head, &room);
    put_record(z, &head);
    put(z, name, strlen(name));
    put_record(z, &room);
    deflateReset(&z->stream);
}

static void pack(struct zip *z, const char *bytes, size_t n, int flush)
{
    struct part *p = &z->parts.v[z->parts.n - 1];
    z->stream.next_in = (Bytef *)(uintptr_t)bytes;
    z->stream.avail_in = (uInt)n;
    for (int code = Z_OK; !z->error;) {
        if (z->held == BUFFER)
            write_out(z);
        z->stream.next_out = z->buffer + z->held;
        z->stream.avail_out = (uInt)(BUFFER - z->held);
        code = deflate(&z->stream, flush);
        size_t made = BUFFER - z->held - z->stream.avail_out;
        z->held += made;
        p->packed += made;
        if (code == Z_STREAM_END || (flush == Z_NO_FLUSH && z->stream.avail_out))
            break;
        if (code != Z_OK && code != Z_BUF_ERROR)
            z->error = EIO;
    }
}

void zip_put(struct zip *z, const char *bytes, size_t n)
{
    struct part *p = &z->parts.v[z->parts.n - 1];
    for (size_t step; n && !z->error; bytes += step, n -= step) {
        step = n < INT_MAX ? n : INT_MAX;
        p->crc = (uint32_t)crc32(p->crc, (const Bytef *)bytes, (uInt)step);
        p->size += step;
        pack(z, bytes, step, Z_NO_FLUSH);
    }
}

static void write_at(struct zip *z, uint64_t at, const struct record *r)
{
    if (at >= z->written) {
        memcpy(z->buffer + (at - z->written), r->bytes, r->n);
        return;
    }
    if (z->error)
        return;
    if (lseek(z->fd, (off_t)at, SEEK_SET) < 0 || !fs_write_all(z->fd, r->bytes, r->n) ||
        lseek(z->fd, (off_t)z->written, SEEK_SET) < 0)
        z->error = errno;
}

void zip_end(struct zip *z)
{
    struct part *p = &z->parts.v[z->parts.n - 1];
    struct record head = {.n = 0}, room = {.n = 0};
    pack(z, NULL, 0, Z_FINISH);
    if (is_huge(p) && !p->large && !z->error)
        z->error = EFBIG;
    head_of(p, &head, &room);
    write_at(z, p->at, &head);
    write_at(z, p->at + head.n + strlen(p->name), &room);
}

/* ---- the directory ---- */

static void put_entry(struct zip *z, const struct part *p)
{
    struct record r = {.n = 0}, more = {.n = 0};
    bool far = p->at >= UINT32_MAX;
    if (is_huge(p)) {
        add(&more, p->size, 8);
        add(&more, p->packed, 8);
    }
    if (far)
        add(&more, p->at, 8);
    add(&r, 0x02014b50, 4);
    add(&r, is_huge(p) || far ? 45 : 20, 2);
    add_facts(&r, p, is_huge(p) || far);
    add(&r, more.n ? more.n + 4 : 0, 2);
    add(&r, 0, 2 + 2 + 2 + 4); /* neither a remark nor properties of a file */
    add_short(&r, p->at);
    put_record(z, &r);
    put(z, p->name, strlen(p->name));
    if (!more.n)
        return;
    struct record kind = {.n = 0};
    add(&kind, 0x0001, 2);
    add(&kind, more.n, 2);
    put_record(z, &kind);
    put_record(z, &more);
}

/* Where an archive is larger than the old form can tell. */
static void put_long_end(struct zip *z, uint64_t start, uint64_t size)
{
    struct record r = {.n = 0};
    add(&r, 0x06064b50, 4);
    add(&r, 44, 8); /* bytes that follow */
    add(&r, 45, 2);
    add(&r, 45, 2);
    add(&r, 0, 4 + 4); /* one volume */
    add(&r, z->parts.n, 8);
    add(&r, z->parts.n, 8);
    add(&r, size, 8);
    add(&r, start, 8);
    add(&r, 0x07064b50, 4); /* where that stands */
    add(&r, 0, 4);
    add(&r, start + size, 8);
    add(&r, 1, 4);
    put_record(z, &r);
}

bool zip_finish(struct zip *z)
{
    uint64_t start = z->written + z->held;
    struct record r = {.n = 0};
    for (size_t i = 0; i < z->parts.n; i++)
        put_entry(z, &z->parts.v[i]);
    uint64_t size = z->written + z->held - start;
    bool longer = start >= UINT32_MAX || size >= UINT32_MAX || z->parts.n >= UINT16_MAX;
    if (longer)
        put_long_end(z, start, size);
    add(&r, 0x06054b50, 4);
    add(&r, 0, 2 + 2);
    add(&r, longer ? UINT16_MAX : z->parts.n, 2);
    add(&r, longer ? UINT16_MAX : z->parts.n, 2);
    add_short(&r, longer ? UINT32_MAX : size);
    add_short(&r, longer ? UINT32_MAX : start);
    add(&r, 0, 2);
    put_record(z, &r);
    write_out(z);
    errno = z->error;
    return !z->error;
}
