/*
 * Fuzzing whole rocpd files: any bytes as a database, read by both readers. An error is fine, two
 * different answers are not; and what was read must survive being looked at.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/load_paths.h"
#include "base/jwrite.h"
#include "base/str.h"
#include "report/inventory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int fd = -1;

static void load(const char *path)
{
    struct trace t;
    struct arena a;
    struct gs_error err = {0};
    struct opt_list paths = {&path, 1, 1};
    struct ingest_opts o = {.reader = READER_CHECK, .threads = 1};
    trace_init(&t);
    arena_init(&a);
    if (load_paths(&t, &paths, &o, &err)) {
        struct inventory inventory;
        struct str out;
        struct jwrite w;
        inventory_make(&inventory, &t, true, 1, &a);
        str_init(&out, &a);
        jw_init(&w, &out, 0);
        inventory_json(&inventory, &w);
        inventory_doc(&inventory, &a);
    } else if (str_starts(err.text, "the fast and the sqlite reader differ at")) { /* no quote */
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    arena_release(&a);
    trace_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    if (fd < 0)
        fd = memfd_create("trace", MFD_CLOEXEC);
    if (fd < 0 || size < 512 || ftruncate(fd, 0) != 0 ||
        pwrite(fd, data, size, 0) != (ssize_t)size || pwrite(fd, "SQLite format 3", 16, 0) != 16)
        return 0;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    load(path);
    return 0;
}
