#define _GNU_SOURCE /* mkostemp */
#include "ingest/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/fs_out.h"
#include "base/human.h"
#include "base/input.h"
#include "base/mem.h"
#include "base/str.h"

enum { HEADER = 100, CHUNK = 256 * 1024, REST = 16 * 1024 * 1024, FRONT = 16 * 1024 * 1024 };
enum { ROOM_STEP = 256 * 1024 * 1024 };
#define OWN_PREFIX "/proc/self/fd/"

static bool find_compressed(const char *path, bool *is, struct gs_error *err)
{
    unsigned char magic[4] = {0};
    int fd = fs_open(path, err);
    if (fd < 0)
        return false;
    ptrdiff_t n = fs_read_up_to(fd, magic, sizeof(magic));
    int saved = errno;
    close(fd);
    *is = (n >= 2 && magic[0] == 0x1f && magic[1] == 0x8b) ||
          (n == 4 && !memcmp(magic, "\x28\xb5\x2f\xfd", 4));
    return n >= 0 || fail(err, GS_E_IO, "cannot read '%s': %s", path, strerror(saved));
}

static uint32_t be32(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

/* Page size times pages; 0 where the header's counters say that the number of pages is old. */
static uint64_t database_bytes(const char *header)
{
    uint64_t page = be32(header + 14) & 0xffff; /* the two bytes at 16 */
    uint64_t pages = be32(header + 28);
    bool holds = be32(header + 24) == be32(header + 92);
    return holds && pages ? (page == 1 ? 65536 : page) * pages : 0;
}

static const char *folder(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/tmp";
}

/* A file without a name. */
static int temporary(struct gs_error *err)
{
    char name[4096];
    int fd;
    do {
        if (snprintf(name, sizeof(name), "%s/gpusight-XXXXXX", folder()) >= (int)sizeof(name)) {
            fail(err, GS_E_IO, "cannot unpack it: TMPDIR is too long");
            return -1;
        }
        fd = mkostemp(name, O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        fail(err, GS_E_IO, "cannot unpack it into '%s': %s", folder(), strerror(errno));
    else
        unlink(name);
    return fd;
}

static bool has_room(int fd, uint64_t bytes, struct gs_error *err)
{
    struct statvfs st;
    char need[HUMAN_MAX], have[HUMAN_MAX];
    if (fstatvfs(fd, &st) != 0)
        return true;
    uint64_t room = (uint64_t)st.f_bavail * (st.f_frsize ? st.f_frsize : st.f_bsize);
    return bytes <= room ||
           fail(err, GS_E_IO, "cannot unpack it: needs %s in '%s', which has %s; set TMPDIR",
                human_bytes(need, bytes), folder(), human_bytes(have, room));
}

static bool write_all(int fd, const char *data, size_t n, struct gs_error *err)
{
    return fs_write_all(fd, data, n) ||
           fail(err, GS_E_IO, "cannot unpack it into '%s': %s; set TMPDIR", folder(),
                strerror(errno));
}

/*
 * What lies behind the database's last page is no part of it and is not written; some of it is
 * read, since a file that was cut shows only at its end. Where the header does not say how large
 * the database is, the room is looked at on the way.
 */
static bool copy(struct input *in, int fd, uint64_t most, struct gs_error *err)
{
    uint64_t rest = 0, room = 0;
    char *chunk = mem_try_alloc(CHUNK);
    if (!chunk)
        return fail(err, GS_E_IO, "out of memory");
    ptrdiff_t got = 0;
    bool ok = true;
    while (ok && rest < REST && (got = input_read(in, chunk, CHUNK)) > 0) {
        size_t n = (uint64_t)got < most ? (size_t)got : (size_t)most;
        if (room < n && most > ROOM_STEP) {
            ok = has_room(fd, ROOM_STEP, err);
            room = ROOM_STEP;
        }
        ok = ok && write_all(fd, chunk, n, err);
        room -= n < room ? n : room;
        most -= n;
        rest += (size_t)got - n;
    }
    mem_free(chunk);
    return ok && (got >= 0 || input_error(in, err));
}

/* The pages behind the front are a hole that takes no room. */
static bool copy_front(struct unpacked *u, struct input *in, uint64_t bytes, struct gs_error *err)
{
    char *front = mem_try_alloc(FRONT);
    if (!front)
        return fail(err, GS_E_IO, "out of memory");
    size_t n = 0;
    ptrdiff_t got = 1;
    while (n < FRONT && (got = input_read(in, front + n, FRONT - n)) > 0)
        n += (size_t)got;
    u->whole = !got;
    bool ok = got >= 0 ? write_all(u->fd, front, n, err) : input_error(in, err);
    mem_free(front);
    if (ok && bytes > n && !u->whole && ftruncate(u->fd, (off_t)bytes) != 0)
        ok = fail(err, GS_E_IO, "cannot unpack it into '%s': %s", folder(), strerror(errno));
    return ok;
}

static bool unpack(struct unpacked *u, struct input *in, enum unpack_part part,
                   struct gs_error *err)
{
    char header[HEADER];
    size_t got;
    if (!input_peek(in, header, HEADER, &got))
        return input_error(in, err);
    if (got < HEADER || memcmp(header, "SQLite format 3", 16))
        return fail(err, GS_E_FORMAT, "compressed, but no database inside");
    uint64_t bytes = database_bytes(header);
    if (!input_may_hold(in, bytes, err))
        return false;
    u->fd = temporary(err);
    if (u->fd >= 0 && part == UNPACK_FRONT)
        return copy_front(u, in, bytes, err);
    u->whole = true;
    return u->fd >= 0 && has_room(u->fd, bytes, err) &&
           copy(in, u->fd, bytes ? bytes : UINT64_MAX, err);
}

bool unpack_open(struct unpacked *u, const char *path, enum unpack_part part, struct gs_error *err)
{
    *u = (struct unpacked){.path = path, .fd = -1, .whole = true};
    bool packed;
    if (!find_compressed(path, &packed, err))
        return false;
    if (!packed)
        return true;
    struct arena *temporary = arena_scratch();
    struct input *in = input_new(temporary, path, err);
    bool ok = in && unpack(u, in, part, err);
    arena_release(temporary);
    if (!ok) {
        unpack_close(u);
        return false;
    }
    snprintf(u->own, sizeof(u->own), OWN_PREFIX "%d", u->fd);
    u->path = u->own;
    return true;
}

void unpack_close(struct unpacked *u)
{
    if (u->fd >= 0)
        close(u->fd);
    *u = (struct unpacked){.fd = -1, .whole = u->whole};
}

bool unpack_is_own(const char *path)
{
    return str_starts(path, OWN_PREFIX);
}
