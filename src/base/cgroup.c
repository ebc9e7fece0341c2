#include "base/cgroup.h"

#include <fcntl.h>
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

/* The group and all around it, up to the mount. */
static uint64_t least_above(const char *mount, char *group, const char *file)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        char path[4096];
        int n = snprintf(path, sizeof(path), "%s%s/%s", mount, group, file);
        uint64_t v = n > 0 && (size_t)n < sizeof(path) ? limit_in(path) : UINT64_MAX;
        char *slash = strrchr(group, '/');
        least = v < least ? v : least;
        if (!slash)
            return least;
        *slash = 0;
    }
}

uint64_t cgroup_memory(const char *root)
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
        bool second = !kinds[1], first = !strcmp(kinds + 1, "memory");
        if (!second && !first)
            continue;
        snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup%s", root, first ? "/memory" : "");
        uint64_t v = least_above(mount, group, first ? "memory.limit_in_bytes" : "memory.max");
        least = v < least ? v : least;
    }
    return least;
}
