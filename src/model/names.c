#include "model/names.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "config.h"

static size_t without_suffix(const char *s, size_t n, const char *suffix)
{
    size_t m = strlen(suffix);
    return n > m && memcmp(s + n - m, suffix, m) == 0 ? n - m : n;
}

#ifdef HAVE_DEMANGLE

#include <libiberty/demangle.h>
#include <pthread.h>
#include <setjmp.h>

/*
 * libiberty in bounds. Three things make that necessary: back references let a short name print
 * as gigabytes; with its recursion limit on, libiberty refuses any name of 1 KiB or more, which
 * template libraries exceed all the time; with the limit off, it needs up to some hundred bytes of
 * stack per byte of name. So the text is taken piecewise and left by longjmp() when it grows too
 * long (the callback interface allocates nothing that could leak), and a name too long for the
 * limit is demangled on a thread of its own with a stack that suffices for NAME_FULL_MAX.
 */
enum { LIMITED_MAX = 1000, DEEP_STACK = 64 * 1024 * 1024 };

struct job {
    const char *mangled;
    int options;
    bool ok;
    size_t len;
    jmp_buf too_long;
    char text[NAME_FULL_MAX];
};

static void take(const char *s, size_t n, void *ctx)
{
    struct job *job = ctx;
    if (n > sizeof(job->text) - job->len)
        longjmp(job->too_long, 1);
    memcpy(job->text + job->len, s, n);
    job->len += n;
}

static void *run(void *ctx)
{
    struct job *job = ctx;
    if (setjmp(job->too_long) == 0)
        job->ok = cplus_demangle_v3_callback(job->mangled, job->options, take, job) != 0;
    return NULL;
}

static bool run_deep(struct job *job)
{
    pthread_attr_t attr;
    pthread_t thread;
    if (pthread_attr_init(&attr) != 0)
        return false;
    bool started = pthread_attr_setstacksize(&attr, DEEP_STACK) == 0 &&
                   pthread_create(&thread, &attr, run, job) == 0;
    pthread_attr_destroy(&attr);
    return started && pthread_join(thread, NULL) == 0;
}

static const char *demangle(struct arena *a, const char *mangled, size_t n)
{
    struct job job;
    job.mangled = mangled;
    job.options = DMGL_PARAMS | DMGL_ANSI;
    job.ok = false;
    job.len = 0;
    if (n <= LIMITED_MAX) {
        run(&job);
    } else {
        job.options |= DMGL_NO_RECURSE_LIMIT;
        run_deep(&job);
    }
    return job.ok && job.len ? arena_strndup(a, job.text, job.len) : NULL;
}

#else

static const char *demangle(struct arena *a, const char *mangled, size_t n)
{
    (void)a, (void)mangled, (void)n;
    return NULL;
}

#endif

const char *name_demangle(struct arena *a, const char *mangled)
{
    size_t whole = strlen(mangled), n = whole, before;
    do {
        before = n;
        n = without_suffix(mangled, n, " [clone .kd]");
        n = without_suffix(mangled, n, ".kd");
    } while (n != before);
    const char *plain = n == whole ? mangled : arena_strndup(a, mangled, n);
    const char *symbol = str_starts(plain, "__Z") ? plain + 1 : plain;
    if (!str_starts(symbol, "_Z") || n > NAME_FULL_MAX)
        return plain;
    const char *text = demangle(a, symbol, n);
    return text ? text : plain;
}
