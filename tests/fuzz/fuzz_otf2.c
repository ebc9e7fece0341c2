/*
 * Fuzzing what the child that runs libotf2 sends: whatever an archive has made of it, its records
 * become a trace whose references hold, or one line of error. The first byte says whether the others
 * are the stream itself or a program of records: definitions with few ids, and events that name them.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "bytes.h"
#include "harness.h"
#include "ingest/otf2/otf2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Mostly one of a few; else of any magnitude. */
static uint64_t number(struct bytes *b)
{
    uint8_t kind = take(b);
    return kind < 200   ? kind % 8
           : kind < 228 ? (uint64_t)take(b) << (kind - 200) * 2
                        : ~(uint64_t)take(b);
}

static void put_text(struct str *s, struct bytes *b, uint64_t n)
{
    static const char *const words[] = {
        "GPU 1 NVIDIA H200", "Rank 3 (pid 12)", "Stream 4", "Thread 7", "k", "1x2x3",
        "memory_copy",       "Agent-2 Queue 9"};
    const char *word = words[take(b) % ARRAY_LEN(words)];
    for (uint64_t i = 0; i < n; i++) {
        char c = i < strlen(word) ? word[i] : (char)take(b);
        str_putc(s, c);
    }
}

static void put_notes(struct str *s, struct bytes *b)
{
    struct otf2_notes n = {.given = (uint64_t)take(b) << 8 | take(b)};
    for (size_t i = 0; i < ON_NOTES; i++)
        n.value[i] = n.given >> i & 1 ? (int64_t)number(b) : 0;
    str_put(s, (const char *)&n, sizeof(n));
}

static void put_record(struct str *s, struct bytes *b)
{
    struct otf2_record r = {.kind = take(b) % (O_END + 2), .e = take(b) % 32, .a = number(b)};
    r.b = r.kind == O_STRING ? take(b) % 40 : number(b);
    r.c = number(b);
    r.d = number(b);
    str_put(s, (const char *)&r, sizeof(r));
    if (r.kind == O_STRING)
        put_text(s, b, r.b);
    if (r.kind == O_ENTER)
        put_notes(s, b);
}

static void one(void *ctx)
{
    const char *path = ctx;
    struct arena *a = arena_scratch();
    struct trace t;
    struct gs_error err = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    must(fd >= 0, "the stream opens");
    trace_init(&t);
    vec_push(&t.files, &t.arena, ingest_file("x.otf2", TRACE_OTF2, WRITER_OTF2, "libotf2"));
    if (otf2_read(&t, fd, "x.otf2", a, &err))
        must_refer(&t);
    else
        must_be_one_line(&err);
    close(fd);
    trace_release(&t);
    arena_release(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct str s;
    struct bytes b = {data, size};
    bool plain = take(&b) % 4 == 0;
    arena_init(&arena);
    str_init(&s, &arena);
    if (plain)
        str_put(&s, (const char *)b.p, b.n);
    while (!plain && b.n)
        put_record(&s, &b);
    const char *path = as_file((const uint8_t *)s.buf, s.len);
    arena_release(&arena);
    mem_guard(one, (void *)(uintptr_t)path, NULL);
    return 0;
}
