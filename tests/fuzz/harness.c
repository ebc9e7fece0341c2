#define _GNU_SOURCE /* memfd_create */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

void must_be_one_line(const struct gs_error *err)
{
    must(err->text[0] && !strchr(err->text, '\n'), "one line of error");
}

const char *as_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    }
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    return path;
}

bool is_detected(const struct format *format, const char *path, const uint8_t *data, size_t size)
{
    static const char *const no_tables[] = {NULL};
    char *head = malloc(size ? size : 1);
    if (!head)
        abort();
    if (size)
        memcpy(head, data, size);
    struct probe p = {.path = path, .head = head, .n = size, .tables = no_tables};
    bool found = format->detect(&p);
    free(head);
    return found;
}
