/*
 * Fuzzing the reader of cache entries: any bytes, as an entry. The first byte says whether its
 * checksums are made right, as somebody who forges one would; then what is believed must be a trace
 * of which everything can be made.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cache/entry.h"
#include "cache/sum.h"
#include "everything.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[64];

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void clean_up(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", dir);
    must(system(command) == 0);
}

/* Signed anew, but for the columns: tests/e2e/check_cache.py forges those, one by one. */
static void sign(uint8_t *entry, size_t size)
{
    struct entry_header h;
    if (size < sizeof(h))
        return;
    memcpy(&h, entry, sizeof(h));
    memcpy(h.magic, ENTRY_MAGIC, sizeof(h.magic));
    h.fingerprint = cache_fingerprint();
    h.file_bytes = size;
    if (h.columns_at % ENTRY_PAGE || h.columns_at < sizeof(h) || h.columns_at > size)
        h.columns_at = size / ENTRY_PAGE * ENTRY_PAGE;
    if (h.columns_at < sizeof(h))
        return;
    h.small_bytes %= h.columns_at - sizeof(h) + 1;
    h.small_sum = cache_sum(entry + sizeof(h), h.small_bytes);
    h.own_sum = cache_sum(&h, offsetof(struct entry_header, own_sum));
    memcpy(entry, &h, sizeof(h));
}

struct call {
    const uint8_t *data;
    size_t size;
};

static void one(void *ctx)
{
    const struct call *call = ctx;
    struct arena *a = arena_scratch();
    struct gs_error err;
    const char *name = "x";
    struct cache_inputs names = {&name, 1, 1}, none = {0};
    struct cache_of *of = cache_of(dir, &names, &none, "fuzz", 1, a, &err);
    must(of != NULL);
    uint8_t *entry = arena_alloc(a, call->size + 1);
    memcpy(entry, call->data, call->size);
    if (call->size && call->data[0] % 8)
        sign(entry, call->size);
    FILE *f = fopen(of->path, "wb");
    must(f && fwrite(entry, 1, call->size, f) == call->size && fclose(f) == 0 &&
         chmod(of->path, 0600) == 0);
    struct trace *t = trace_new(a);
    if (cache_load(t, of))
        everything(t, (enum everything_part)(call->size % (SHOW_ALL + 1)));
    else
        must(!t->files.n && !t->kernels.n && t->strings.n == 1);
    arena_release(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!*dir) {
        strcpy(dir, "/tmp/gpusight-fuzz-XXXXXX");
        must(mkdtemp(dir) != NULL);
        atexit(clean_up);
    }
    mem_guard(one, &(struct call){data, size}, NULL);
    return 0;
}
