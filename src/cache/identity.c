#define _GNU_SOURCE /* pread */
#include "cache/identity.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "cache/sum.h"

enum { ENDS = 64 << 10, PLACES = 32, AT_A_PLACE = 4096 };

static bool sample(struct cache_sum *s, int fd, int64_t at, size_t n)
{
    unsigned char buffer[ENDS];
    ptrdiff_t got = fs_read_at(fd, buffer, n, (uint64_t)at);
    if (got < 0)
        return false;
    cache_sum_add(s, buffer, (size_t)got);
    return true;
}

static bool take_samples(uint64_t *out, int fd, int64_t bytes)
{
    struct cache_sum s;
    cache_sum_init(&s);
    bool ok = sample(&s, fd, 0, ENDS);
    if (bytes > ENDS)
        ok = ok && sample(&s, fd, bytes - ENDS > ENDS ? bytes - ENDS : ENDS, ENDS);
    for (int i = 1; i <= PLACES && bytes > 2 * ENDS; i++)
        ok = ok && sample(&s, fd, bytes / (PLACES + 1) * i, AT_A_PLACE);
    *out = cache_sum_end(&s);
    return ok;
}

bool identity_take(struct identity *out, const char *path)
{
    struct stat st;
    *out = (struct identity){.bytes = -1};
    if (stat(path, &st) != 0)
        return errno == ENOENT || errno == ENOTDIR;
    int fd = fs_open(path, NULL);
    if (fd < 0)
        return false;
    bool ok = fstat(fd, &st) == 0;
    *out = (struct identity){.device = (uint64_t)st.st_dev,
                             .inode = (uint64_t)st.st_ino,
                             .bytes = (int64_t)st.st_size,
                             .modified_s = (int64_t)st.st_mtim.tv_sec,
                             .modified_ns = st.st_mtim.tv_nsec,
                             .changed_s = (int64_t)st.st_ctim.tv_sec,
                             .changed_ns = st.st_ctim.tv_nsec};
    ok = ok && take_samples(&out->samples, fd, out->bytes);
    close(fd);
    return ok;
}

/* Nanoseconds since the file was changed. */
static int64_t age(const struct identity *id)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t seconds = (int64_t)now.tv_sec - id->changed_s;
    if (seconds > 3600 || seconds < -3600)
        return seconds < 0 ? -1 : INT64_MAX;
    return seconds * 1000000000 + (now.tv_nsec - id->changed_ns);
}

bool identity_settled(const struct identity *id)
{
    /* Systems that keep whole seconds, or two of them, show no others. */
    bool coarse = !id->changed_ns && !id->modified_ns;
    const int64_t step = coarse ? 2000000000 : 20000000;
    struct timespec pause = {0, step};
    if (id->bytes < 0 || age(id) > step)
        return true;
    if (coarse)
        return false;
    nanosleep(&pause, NULL);
    return age(id) > step;
}
