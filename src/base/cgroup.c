#include "base/cgroup.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    return n > 0 ? (size_t)n : 0;
}

/* "max" and what is as good as none in version 1, nearly 2^63, are no limits. */
static uint64_t limit_in(const char *path)
{
    char text[64], *end;
    if (!read_text(path, text, sizeof(text)))
        return UINT64_MAX;
    uint64_t v = strtoull(text, &end, 10);
    return end == text || !v || v >= UINT64_C(1) << 62 ? UINT64_MAX : v;
}

/* "150000 100000": a quota and a period, here in thousandths of a processor. */
static uint64_t share_of(const char *quota, const char *period)
{
    long long q = strtoll(quota, NULL, 10), p = strtoll(period, NULL, 10);
    return q > 0 && p > 0 && q < INT32_MAX && p < INT32_MAX ? (uint64_t)(q * 1000 / p + 1)
                                                            : UINT64_MAX;
}

static uint64_t cpu_max(const char *path)
{
    char text[64];
    size_t n = read_text(path, text, sizeof(text));
    char *period = n ? strchr(text, ' ') : NULL;
    return period ? share_of(text, period) : UINT64_MAX;
}

static uint64_t cfs_quota(const char *path)
{
    char text[64], other[64], beside[4096];
    size_t n = strlen(path) - strlen("cpu.cfs_quota_us");
    snprintf(beside, sizeof(beside), "%.*scpu.cfs_period_us", (int)n, path);
    return read_text(path, text, sizeof(text)) && read_text(beside, other, sizeof(other))
               ? share_of(text, other)
               : UINT64_MAX;
}

/* The group and all around it, up to the mount. */
static uint64_t least_above(const char *mount, char *group, const char *file,
                            uint64_t (*read)(const char *path))
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        char path[4096];
        int n = snprintf(path, sizeof(path), "%s%s/%s", mount, group, file);
        uint64_t v = n > 0 && (size_t)n < sizeof(path) ? read(path) : UINT64_MAX;
        char *slash = strrchr(group, '/');
        least = v < least ? v : least;
        if (!slash)
            return least;
        *slash = 0;
    }
}

/* "cpu" among "cpu,cpuacct". */
static bool among(const char *kinds, const char *kind)
{
    size_t n = strlen(kind);
    for (const char *p = kinds; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (!strncmp(p, kind, n) && (!p[n] || p[n] == ','))
            return true;
    return false;
}

/* A limit, as the two versions have it. */
struct kept_in {
    const char *kind, *first, *second; /* controller of version 1, files */
    uint64_t (*read_first)(const char *path);
    uint64_t (*read_second)(const char *path);
};

static uint64_t least_of(const char *root, const struct kept_in *k)
{
    char path[1024], mount[1024], text[8192], *save = NULL;
    uint64_t least = UINT64_MAX;
    snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
    read_text(path, text, sizeof(text));
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *kinds = strchr(line, ':'), *group = kinds ? strchr(kinds + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        bool second = !kinds[1], first = among(kinds + 1, k->kind);
        if (!second && !first)
            continue;
        snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup%s%s", root, first ? "/" : "",
                 first ? kinds + 1 : ""); /* the mount has the names of all that share it */
        uint64_t v = least_above(mount, group, first ? k->first : k->second,
                                 first ? k->read_first : k->read_second);
        least = v < least ? v : least;
    }
    return least;
}

uint64_t cgroup_memory(const char *root)
{
    static const struct kept_in memory = {"memory", "memory.limit_in_bytes", "memory.max", limit_in,
                                          limit_in};
    return least_of(root, &memory);
}

int cgroup_cpus(const char *root)
{
    static const struct kept_in cpu = {"cpu", "cpu.cfs_quota_us", "cpu.max", cfs_quota, cpu_max};
    uint64_t share = least_of(root, &cpu);
    return share == UINT64_MAX ? INT_MAX : share < 1000 ? 1 : (int)((share + 998) / 1000);
}
