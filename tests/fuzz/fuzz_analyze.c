/*
 * Fuzzing what is made of a trace: the bytes become events with times, sizes and ids of every
 * magnitude, written as a PyTorch trace, read, and shown in a form that the size of the input chooses,
 * or in all of them. It is the arithmetic that is looked at, not the reader.
 */
#include <stdio.h>

#include "base/str.h"
#include "bytes.h"
#include "everything.h"
#include "harness.h"
#include "ingest/ingest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_EVENTS = 200 };

/* Small, ordinary, or near the ends of what microseconds in 64 bits of nanoseconds can say. */
static int64_t number(struct bytes *b)
{
    static const int64_t far[] = {INT64_MAX / 1000, INT64_MAX / 2000, -(INT64_MAX / 1000),
                                  INT64_MAX,        INT64_MIN,        INT64_C(1) << 32,
                                  INT64_C(1) << 53, 1000000000000};
    uint8_t kind = take(b);
    if (kind < 100)
        return kind;
    if (kind < 200)
        return kind * 1000 + take(b);
    if (kind < 232)
        return (int64_t)take(b) << (kind - 200);
    return (int64_t)((uint64_t)far[kind % 8] - take(b));
}

static void event(struct str *s, struct bytes *b)
{
    static const char *const kinds[] = {"kernel",       "gpu_memcpy",      "gpu_memset",
                                        "cuda_runtime", "cuda_driver",     "user_annotation",
                                        "cpu_op",       "python_function", "overhead"};
    static const char *const names[] = {"k",
                                        "gemm",
                                        "ncclDevKernel_AllReduce",
                                        "Memcpy HtoD (Pageable -> Device)",
                                        "Memcpy DtoH (Device -> Pinned)",
                                        "Memset (Device)",
                                        "hipLaunchKernel",
                                        "hipMalloc",
                                        "hipDeviceSynchronize",
                                        "hipMemcpy",
                                        "step",
                                        "flash_fwd"};
    uint8_t kind = take(b) % 9, name = take(b) % 12;
    int64_t ts = number(b), dur = number(b), id = number(b), size = number(b), grid = number(b);
    uint8_t where = take(b);
    str_printf(s,
               "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%lld,"
               "\"dur\":%lld,\"args\":{\"device\":%d,\"stream\":%d,\"correlation\":%lld,"
               "\"bytes\":%lld,\"grid\":[%lld,%d,1],\"block\":[%d,1,1],\"registers per thread\":%d,"
               "\"shared memory\":%lld}},",
               kinds[kind], names[name], where & 3, where & 7, (long long)ts, (long long)dur,
               where >> 3 & 3, where >> 5, (long long)id, (long long)size, (long long)grid, where,
               where * 8, where, (long long)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct str s;
    struct bytes b = {data, size};
    arena_init(&arena);
    str_init(&s, &arena);
    str_puts(&s, "{\"traceEvents\":[");
    for (int i = 0; b.n && i < MOST_EVENTS; i++)
        event(&s, &b);
    str_puts(&s, "{}]}");
    const char *path = as_file((const uint8_t *)s.buf, s.len);
    arena_release(&arena);
    struct trace t;
    struct gs_error err = {0};
    struct ingest_opts o = {.reader = READER_AUTO, .threads = 1};
    trace_init(&t);
    if (ingest_load_one(&t, &(struct ingest_file){path, &format_kineto, NULL}, &o, &err))
        everything(&t, (enum everything_part)(size % (SHOW_ALL + 1)));
    trace_release(&t);
    return 0;
}
