/*
 * A command line, run in this process again and again, with another allocation failing each time:
 *
 *     shortage POINTS SKIP COMMAND...     POINTS 0: every allocation; SKIP: where to begin
 *
 * Each time the command must end, with an error that says so or with what it can do without; all
 * memory, descriptors and statements that it took must be given back, and no half of a file be left.
 * Built with AddressSanitizer, what libraries took is looked for, too.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/inputs.h"
#include "base/mem.h"
#include "base/unfinished.h"
#include "cli/dispatch.h"

struct invocation {
    struct arena arena;
    struct gs_error err;
    bool ok;
};

/* As main() does it; allocation n fails, none for n < 0. */
static struct invocation run(int argc, char **argv, int64_t n, int64_t *left)
{
    struct invocation r = {.ok = false};
    inputs_forget(0); /* what the last one read is nothing to this one */
    mem_fail_after(n < 0 ? INT64_MAX : n);
    r.ok = dispatch(&r.arena, argc, argv, &r.err);
    *left = mem_fail_never();
    fflush(stdout);
    unfinished_remove();
    arena_release(&r.arena);
    return r;
}

static int count_descriptors(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

struct held {
    size_t bytes;
    int64_t sqlite;
    int descriptors;
};

static struct held held_now(void)
{
    return (struct held){mem_held(), sqlite3_memory_used(), count_descriptors()};
}

static bool is_as_it_was(const struct held *was, int64_t n, FILE *to)
{
    struct held is = held_now();
    if (is.bytes != was->bytes)
        fprintf(to, "allocation %lld leaks %lld bytes\n", (long long)n,
                (long long)(is.bytes - was->bytes));
    if (is.sqlite != was->sqlite)
        fprintf(to, "allocation %lld leaks %lld bytes of SQLite\n", (long long)n,
                (long long)(is.sqlite - was->sqlite));
    if (is.descriptors != was->descriptors)
        fprintf(to, "allocation %lld leaks %d descriptors\n", (long long)n,
                is.descriptors - was->descriptors);
    return is.bytes == was->bytes && is.sqlite == was->sqlite && is.descriptors == was->descriptors;
}

static bool is_told(const struct invocation *r, int64_t n, FILE *to)
{
    if (r->ok || strstr(r->err.text, "out of memory") || strstr(r->err.text, "no memory"))
        return true;
    fprintf(to, "allocation %lld: '%s' (%d)\n", (long long)n, r->err.text, (int)r->err.code);
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    int64_t points = atoll(argv[1]), skip = atoll(argv[2]), left, bad = 0;
    FILE *to = fdopen(dup(STDERR_FILENO), "w");
    if (!to || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        return 2;
    argc -= 2;
    argv += 2;
    struct invocation whole = run(argc, argv, -1, &left); /* libraries keep what they set up */
    whole = run(argc, argv, -1, &left);
    bool gate = whole.err.code == GS_E_GATE;
    if (!whole.ok && !gate) {
        fprintf(to, "without a shortage: %s\n", whole.err.text);
        return 1;
    }
    int64_t all = INT64_MAX - left, step = points && all > points ? all / points : 1;
    struct held before = held_now();
    for (int64_t n = skip % step; n < all && bad < 5; n += step) {
        struct invocation r = run(argc, argv, n, &left);
        bad += !is_as_it_was(&before, n, to) ||
               !(is_told(&r, n, to) || (gate && r.err.code == GS_E_GATE));
        before = held_now();
    }
    fprintf(to, "%lld allocations\n", (long long)all);
    fflush(NULL);
    dup2(fileno(to), STDERR_FILENO); /* for what the sanitizer says at the end */
    return bad != 0;
}
